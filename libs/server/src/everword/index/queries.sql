-- Statements that write the index. It is written only here.

-- insert_passages --
-- Index passages, enqueue their vectors for every live model generation, count them, and store their authors' names;
-- returns the highest id. The names are sorted and locked last, so that concurrent writes with the same new names
-- cannot deadlock. A position takes two bytes in a sent tsvector: comparing its length with and without positions
-- counts them in a tenth of the time of unnest. OFFSET ensures that each tsvector is computed once. Tags are sent as
-- array literals of PostgreSQL.
WITH passages AS (
    INSERT INTO memories (namespace_id, kind, source_id, part, conversation_id, seq, agent, subject, channel,
                          instance, author, role, tags, importance_class, automated, occurred_at, content,
                          lexemes, lexeme_count, literals, ranking, valid_from, valid_until, known_from)
    SELECT %(namespace_id)s, p.kind, p.source_id, p.part, p.conversation_id, p.seq, p.agent, p.subject,
           p.channel, p.instance, p.author, p.role, p.tags::text[], p.importance_class, p.automated, p.occurred_at,
           p.content, v.lexemes,
           (octet_length(tsvectorsend(v.lexemes)) - octet_length(tsvectorsend(strip(v.lexemes)))) / 2,
           p.literals, p.ranking, %(valid_from)s::timestamptz, %(valid_until)s::timestamptz,
           %(known_from)s::timestamptz
      FROM unnest(%(kind)b::smallint[], %(source_id)b::uuid[], %(part)b::integer[], %(conversation_id)b::uuid[],
                  %(seq)b::bigint[], %(agent)b::text[], %(subject)b::text[], %(channel)b::text[], %(instance)b::text[],
                  %(author)b::text[], %(role)b::smallint[], %(tags)b::text[], %(importance_class)b::smallint[],
                  %(automated)b::boolean[], %(occurred_at)b::timestamptz[], %(content)b::text[],
                  %(lexemes)b::text[], %(literals)b::text[], %(ranking)b::bytea[])
        AS p (kind, source_id, part, conversation_id, seq, agent, subject, channel, instance, author, role, tags,
              importance_class, automated, occurred_at, content, lexemes, literals, ranking)
     CROSS JOIN LATERAL (SELECT p.lexemes::tsvector OFFSET 0) AS v (lexemes)
    RETURNING id, lexeme_count, kind, source_id, part, content
), due AS (
    INSERT INTO embedding_queue (namespace_id, memory_id, generation_id, not_before)
    SELECT %(namespace_id)s, passages.id, generations.id, now() + make_interval(secs => %(vector_delay_s)s)
      FROM passages CROSS JOIN model_generations AS generations
     WHERE generations.state IN ('building', 'active')
       AND needs_vector(%(namespace_id)s, passages.kind, passages.source_id, passages.part, passages.content)
     ORDER BY passages.id
), counted AS (
    INSERT INTO corpus_counts (namespace_id, messages, turns, passages, lexemes, content_bytes)
    SELECT %(namespace_id)s, %(messages)s, %(turns)s, count(*), coalesce(sum(lexeme_count), 0), %(content_bytes)s
      FROM passages
), logged AS (
    INSERT INTO memory_changes (namespace_id, memory_ids)
    SELECT %(namespace_id)s, array_agg(DISTINCT source_id) FROM passages HAVING count(*) > 0
), named AS (
    INSERT INTO author_names (namespace_id, name)
    SELECT %(namespace_id)s, name FROM unnest(%(author_names)b::text[]) AS name
        ON CONFLICT DO NOTHING
)
SELECT coalesce(max(id), 0) AS highest FROM passages;

-- remove_passages --
-- Delete from the index the passages of these sources, notes included, except those of messages, in the transaction's
-- namespace.
SELECT drop_derived_passages(%(source_ids)s::uuid[]);

-- close_passages --
-- Set `valid_until` and `known_until` of passages of facts and other derived memories, in the transaction's namespace.
SELECT close_derived_passages(%(source_ids)s::uuid[], %(valid_until)s::timestamptz, %(known_until)s::timestamptz);

-- find_sources --
-- Return indexed sources. A source that is not indexed because of its channel's policy has no part 0.
SELECT source_id AS id, kind, occurred_at, conversation_id, seq, agent, subject, channel, instance, author, role, tags,
       importance_class, automated
  FROM visible_memories
 WHERE namespace_id = %(namespace_id)s AND source_id = ANY(%(source_ids)s) AND part = 0
 ORDER BY source_id;

-- count_missing_vectors --
-- Count the vectors that enqueue_missing_vectors would enqueue.
SELECT count(*)
  FROM (SELECT
          FROM visible_memories m
          LEFT JOIN visible_vectors_:generation v ON v.namespace_id = %(namespace_id)s AND v.memory_id = m.id
          LEFT JOIN embedding_queue q
            ON q.namespace_id = %(namespace_id)s AND q.memory_id = m.id AND q.generation_id = %(generation_id)s
         WHERE m.namespace_id = %(namespace_id)s AND m.id > %(after)s AND m.id <= %(last)s
           AND needs_vector(m.namespace_id, m.kind, m.source_id, m.part, m.content)
           AND v.memory_id IS NULL AND q.state IS DISTINCT FROM 'pending'
         LIMIT %(limit)s) AS missing;

-- enqueue_missing_vectors --
-- Enqueue a vector of a generation for each passage of a batch that needs one and has none, parked ones included;
-- returns the number of enqueued vectors.
WITH enqueued AS (
    INSERT INTO embedding_queue AS queued (namespace_id, memory_id, generation_id)
    SELECT %(namespace_id)s, m.id, %(generation_id)s
      FROM visible_memories m
      LEFT JOIN visible_vectors_:generation v ON v.namespace_id = %(namespace_id)s AND v.memory_id = m.id
      LEFT JOIN embedding_queue q
        ON q.namespace_id = %(namespace_id)s AND q.memory_id = m.id AND q.generation_id = %(generation_id)s
     WHERE m.namespace_id = %(namespace_id)s AND m.id > %(after)s AND m.id <= %(last)s
       AND needs_vector(m.namespace_id, m.kind, m.source_id, m.part, m.content)
       AND v.memory_id IS NULL AND q.state IS DISTINCT FROM 'pending'
     ORDER BY m.id
     LIMIT %(limit)s
    ON CONFLICT (namespace_id, memory_id, generation_id) DO UPDATE
       SET state = 'pending', attempts = 0, not_before = excluded.not_before, error = NULL
     WHERE queued.state = 'failed'
    RETURNING 1
)
SELECT count(*) FROM enqueued;
