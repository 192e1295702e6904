-- Statements that write the index. It is written only here.

-- insert_passages --
-- Index passages, enqueue their vectors, count them, and store their authors' names, which are sorted; returns the
-- highest id. Tags are sent as array literals of PostgreSQL.
SELECT insert_passages(%(namespace_id)s,
           %(kind)b::smallint[], %(source_id)b::uuid[], %(part)b::integer[], %(conversation_id)b::uuid[],
           %(seq)b::bigint[], %(agent)b::text[], %(subject)b::text[], %(channel)b::text[], %(instance)b::text[],
           %(author)b::text[], %(role)b::smallint[], %(tags)b::text[], %(importance_class)b::smallint[],
           %(automated)b::boolean[], %(occurred_at)b::timestamptz[], %(content)b::text[],
           %(lexemes)b::text[], %(literals)b::text[], %(ranking)b::bytea[], %(valid_from)s::timestamptz,
           %(valid_until)s::timestamptz, %(known_from)s::timestamptz, %(messages)s, %(turns)s, %(content_bytes)s,
           %(author_names)b::text[], %(vector_delay_s)s) AS highest;

-- remove_passages --
-- Delete from the index the passages of these sources, notes included, except those of messages.
SELECT drop_derived_passages(%(namespace_id)s, %(source_ids)s::uuid[]);

-- close_passages --
-- Set `valid_until` and `known_until` of passages of facts and other derived memories.
SELECT close_derived_passages(%(namespace_id)s, %(source_ids)s::uuid[], %(valid_until)s::timestamptz, %(known_until)s::timestamptz);

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
