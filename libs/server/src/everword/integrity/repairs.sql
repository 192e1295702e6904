-- Statements that make derived data agree with its sources.

-- find_different --
-- Return sources whose indexed passages differ from the expected ones: one is missing, has another text, or is surplus.
-- The time of a memory is compared only for messages, summaries and facts.
WITH expected AS MATERIALIZED (
    SELECT * FROM unnest(%(source_id)s::uuid[], %(part)s::integer[], %(content)s::text[], %(lexemes)s::text[],
                         %(literals)s::text[], %(ranking)s::bytea[], %(kind)s::smallint[], %(conversation_id)s::uuid[],
                         %(seq)s::bigint[], %(author)s::text[], %(occurred_at)s::timestamptz[], %(valid_from)s::timestamptz[],
                         %(valid_until)s::timestamptz[], %(known_until)s::timestamptz[])
        AS e (source_id, part, content, lexemes, literals, ranking, kind, conversation_id, seq, author, occurred_at,
              valid_from, valid_until, known_until)
)
SELECT e.source_id
  FROM expected e
  LEFT JOIN memories m ON m.namespace_id = %(namespace_id)s AND m.source_id = e.source_id AND m.part = e.part
 WHERE m.id IS NULL
    OR (m.kind, m.content, m.literals, m.ranking, m.conversation_id, m.seq, m.author, m.valid_until, m.known_until)
       IS DISTINCT FROM
       (e.kind, e.content, e.literals, e.ranking, e.conversation_id, e.seq, e.author, e.valid_until, e.known_until)
    OR e.kind IN {dated_kinds} AND (m.occurred_at, m.valid_from) IS DISTINCT FROM (e.occurred_at, e.valid_from)
    OR m.lexemes <> e.lexemes::tsvector
    OR m.lexeme_count <> (octet_length(tsvectorsend(m.lexemes)) - octet_length(tsvectorsend(strip(m.lexemes)))) / 2
 UNION
SELECT m.source_id
  FROM memories m
 WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(source_id)s::uuid[])
   AND NOT EXISTS (SELECT FROM expected e WHERE e.source_id = m.source_id AND e.part = m.part);

-- sources_of --
-- Return the sources of passages.
SELECT DISTINCT source_id FROM memories WHERE namespace_id = %(namespace_id)s AND id = ANY(%(ids)s::bigint[]);

-- remove_sources --
-- Remove sources from the index.
SELECT remove_passages(%(namespace_id)s, %(source_ids)s::uuid[]);

-- remove_vectors --
-- Delete vectors without a passage.
DELETE FROM memory_vectors_:generation v
 WHERE namespace_id = %(namespace_id)s AND memory_id = ANY(%(ids)s::bigint[])
   AND NOT EXISTS (SELECT FROM memories m WHERE m.namespace_id = %(namespace_id)s AND m.id = v.memory_id);

-- unqueue --
-- Delete queue entries whose vector exists, or whose passage does not.
DELETE FROM embedding_queue q
 WHERE namespace_id = %(namespace_id)s AND memory_id = ANY(%(ids)s::bigint[]) AND generation_id = :generation
   AND (NOT EXISTS (SELECT FROM memories m WHERE m.namespace_id = %(namespace_id)s AND m.id = q.memory_id)
        OR EXISTS (SELECT FROM memory_vectors_:generation v WHERE v.namespace_id = %(namespace_id)s AND v.memory_id = q.memory_id));

-- queue --
-- Enqueue vectors that neither exist nor are queued.
INSERT INTO embedding_queue (namespace_id, memory_id, generation_id)
SELECT %(namespace_id)s, m.id, :generation FROM memories m
 WHERE m.namespace_id = %(namespace_id)s AND m.id = ANY(%(ids)s::bigint[])
   AND NOT EXISTS (SELECT FROM memory_vectors_:generation v WHERE v.namespace_id = %(namespace_id)s AND v.memory_id = m.id)
 ORDER BY m.id
    ON CONFLICT DO NOTHING;

-- read_undated --
-- Return messages to enqueue for their days.
SELECT m.conversation_id, m.seq, CASE WHEN n.shared_calendar THEN '' ELSE m.subject END AS subject, m.instance, m.occurred_at
  FROM messages m
  JOIN namespaces n ON n.id = %(namespace_id)s
 WHERE m.namespace_id = %(namespace_id)s AND m.id = ANY(%(ids)s::uuid[]);

-- date --
-- Enqueue messages for their days.
INSERT INTO calendar_pending (namespace_id, level, period, subject, instance, conversation_id, seqs)
SELECT %(namespace_id)s, 4, said.day, said.subject, said.instance, said.conversation_id,
       array_agg(said.seq ORDER BY said.seq)
  FROM unnest(%(days)s::date[], %(subjects)s::text[], %(instances)s::text[], %(conversation_ids)s::uuid[],
              %(seqs)s::bigint[])
    AS said (day, subject, instance, conversation_id, seq)
 GROUP BY said.day, said.subject, said.instance, said.conversation_id;

-- name --
-- Store authors' names.
INSERT INTO author_names (namespace_id, name) SELECT %(namespace_id)s, unnest(%(names)s::text[]) ON CONFLICT DO NOTHING;

-- count --
-- Add a row to corpus_counts that makes its sums equal to the counted rows. It stores differences, because writers add
-- rows meanwhile.
INSERT INTO corpus_counts (namespace_id, conversations, messages, turns, passages, lexemes, content_bytes)
SELECT * FROM (
    SELECT %(namespace_id)s::bigint, n.conversations - coalesce(c.conversations, 0), m.messages - coalesce(c.messages, 0),
           coalesce(n.turns, 0) - coalesce(c.turns, 0), p.passages - coalesce(c.passages, 0),
           coalesce(p.lexemes, 0) - coalesce(c.lexemes, 0), coalesce(m.bytes, 0) - coalesce(c.content_bytes, 0)
      FROM (SELECT sum(conversations) AS conversations, sum(messages) AS messages, sum(turns) AS turns,
                   sum(passages) AS passages, sum(lexemes) AS lexemes, sum(content_bytes) AS content_bytes
              FROM corpus_counts WHERE namespace_id = %(namespace_id)s) AS c
     CROSS JOIN (SELECT count(*) AS conversations, sum(turn_count) AS turns
                   FROM conversations WHERE namespace_id = %(namespace_id)s) AS n
     CROSS JOIN (SELECT count(*) AS messages,
                        sum(octet_length(content) + octet_length(tool_args) + octet_length(tool_result)
                            + coalesce((SELECT sum(octet_length(b ->> 'text') + octet_length(b ->> 'json'))
                                          FROM jsonb_array_elements(content_blocks) AS b), 0)) AS bytes
                   FROM messages WHERE namespace_id = %(namespace_id)s) AS m
     CROSS JOIN (SELECT count(*) AS passages, sum(lexeme_count) AS lexemes
                   FROM memories WHERE namespace_id = %(namespace_id)s) AS p) AS d
 WHERE d IS DISTINCT FROM (%(namespace_id)s::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric);
