-- Checks of the index: passages and their vectors.

-- passages_sourced --
-- over: memories by id
-- holds: The source of every passage exists, and has the passage's kind.
-- do: `everword rebuild` deletes the passage.
SELECT p.id::text AS id, format('%%s %%s is missing', {row_labels_of_kinds}, p.source_id) AS detail
  FROM memories p
 WHERE p.namespace_id = %(namespace_id)s AND p.id > %(after)s AND p.id <= %(last)s
   AND NOT {rows_exist_of_kinds};

-- passages_whole --
-- over: memories by id
-- holds: The passages of a source are numbered from 0 without a gap.
-- do: `everword rebuild`.
SELECT p.id::text AS id, format('part %%s of %%s, but the part before is missing', p.part, p.source_id) AS detail
  FROM memories p
 WHERE p.namespace_id = %(namespace_id)s AND p.id > %(after)s AND p.id <= %(last)s AND p.part <> 0
   AND NOT EXISTS (SELECT FROM memories b WHERE b.namespace_id = %(namespace_id)s AND b.source_id = p.source_id
                      AND b.part = greatest(p.part - 1, 0));

-- passages_counted --
-- over: memories by id
-- holds: Every passage has a ranking record, and its word count agrees with its lexemes.
-- do: `everword rebuild`.
SELECT p.id::text AS id, format('lexeme_count is %%s, but it has %%s', p.lexeme_count, words) AS detail
  FROM memories p
 CROSS JOIN LATERAL (
       SELECT (octet_length(tsvectorsend(p.lexemes)) - octet_length(tsvectorsend(strip(p.lexemes)))) / 2 AS words) AS l
 WHERE p.namespace_id = %(namespace_id)s AND p.id > %(after)s AND p.id <= %(last)s
   AND (p.lexeme_count <> l.words OR coalesce(octet_length(p.ranking), 0) = 0);

-- passages_placed --
-- over: memories by id
-- holds: The passages of a message have its conversation, sequence number, author and time.
-- do: `everword rebuild`.
SELECT p.id::text AS id, 'of message ' || m.id || ', but differs in conversation, seq, author or time' AS detail
  FROM memories p
  JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.id = p.source_id
 WHERE p.namespace_id = %(namespace_id)s AND p.id > %(after)s AND p.id <= %(last)s AND p.kind = {message_kind}
   AND (p.conversation_id, p.seq, p.author, p.occurred_at) IS DISTINCT FROM (m.conversation_id, m.seq, m.author, m.occurred_at);

-- passages_true --
-- over: memories by id
-- holds: The passages of a summary or topic page have its current text.
-- do: `everword rebuild`.
SELECT p.source_id::text AS id, 'its passages have another text' AS detail
  FROM memories p
 CROSS JOIN LATERAL (
       SELECT content FROM summaries WHERE p.kind = {summary_kind} AND namespace_id = %(namespace_id)s AND id = p.source_id AND NOT hidden
        UNION ALL
       SELECT content FROM topic_pages WHERE p.kind = {topic_kind} AND namespace_id = %(namespace_id)s AND id = p.source_id) AS source
 CROSS JOIN LATERAL (
       SELECT string_agg(content, '' ORDER BY part) AS content FROM memories
        WHERE namespace_id = %(namespace_id)s AND source_id = p.source_id AND part >= 0) AS found
 WHERE p.namespace_id = %(namespace_id)s AND p.id > %(after)s AND p.id <= %(last)s AND p.part = 0 AND p.kind IN {summarizing_kinds}
   AND regexp_replace(source.content, '\s+', '', 'g') <> regexp_replace(found.content, '\s+', '', 'g');

-- vectors_due --
-- over: memories by id
-- holds: Every passage that needs vectors has one of each live model generation, or is queued for it.
-- do: `everword rebuild`, or `everword backfill embeddings`.
SELECT p.id::text AS id, 'has no vector of generation :generation, and is not queued for one' AS detail
  FROM memories p
 WHERE p.namespace_id = %(namespace_id)s AND p.id > %(after)s AND p.id <= %(last)s
   AND EXISTS (SELECT FROM model_generations g
                WHERE g.id = :generation AND g.state IN ('building', 'active') AND g.backfilled_at IS NOT NULL)
   AND NOT EXISTS (SELECT FROM :vectors v WHERE v.namespace_id = %(namespace_id)s AND v.memory_id = p.id)
   AND NOT EXISTS (SELECT FROM embedding_queue q
                    WHERE q.namespace_id = %(namespace_id)s AND q.memory_id = p.id AND q.generation_id = :generation)
   -- A passage that is being erased gets no vector.
   AND NOT EXISTS (SELECT 1 FROM conversations h
                    WHERE h.namespace_id = %(namespace_id)s AND h.id = p.conversation_id AND h.erasure_id IS NOT NULL)
   AND NOT (p.conversation_id IS NOT NULL AND EXISTS (SELECT 1 FROM erasures h
                    WHERE h.namespace_id = %(namespace_id)s AND h.state = 1 AND h.kind = 4
                      AND h.target_name = p.author AND h.through_passage >= p.id))
   AND needs_vector(p.namespace_id, p.kind, p.source_id, p.part, p.content);

-- vectors_sourced --
-- over: :vectors by memory_id
-- holds: The passage of every vector exists.
-- do: `everword rebuild` deletes the vector.
SELECT v.memory_id::text AS id, 'a vector of generation :generation without a passage' AS detail
  FROM :vectors v
 WHERE v.namespace_id = %(namespace_id)s AND v.memory_id > %(after)s AND v.memory_id <= %(last)s
   AND NOT EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.id = v.memory_id);

-- vectors_once --
-- over: embedding_queue by memory_id
-- holds: Every entry of the embedding queue is for an existing passage without a vector.
-- do: `everword rebuild` deletes the entry.
SELECT q.memory_id::text AS id,
       CASE WHEN p.id IS NULL THEN 'is queued, but does not exist' ELSE 'is queued, but has its vector' END AS detail
  FROM embedding_queue q
  LEFT JOIN memories p ON p.namespace_id = %(namespace_id)s AND p.id = q.memory_id
 WHERE q.namespace_id = %(namespace_id)s AND q.memory_id > %(after)s AND q.memory_id <= %(last)s
   AND q.generation_id = :generation
   AND (p.id IS NULL
        OR EXISTS (SELECT FROM :vectors v WHERE v.namespace_id = %(namespace_id)s AND v.memory_id = q.memory_id));
