-- Statements of the embedding workers. The queue contains ids and states, but no content. Reads may cross namespaces;
-- each lock or write is limited to one.

-- live_generations --
-- Return the model generations that get vectors of new passages, the active one first.
SELECT id, state, provider, endpoint, model, dimensions, query_prefix, passage_prefix, storage,
       background_mean IS NOT NULL AS calibrated
  FROM model_generations
 WHERE state IN ('active', 'building')
 ORDER BY state, id;

-- find_pending --
-- Return the namespaces with pending vectors, and each one's share of the next batch.
SELECT namespace_id, share
  FROM divide_batch(%(generation_id)s, %(after)s, %(batch)s, %(few)s, %(only_few)s, %(early)s);

-- claim_pending --
-- Claim a namespace's share of a batch, the longest waiting rows first, skipping locked ones. Attempts are numbered,
-- and only the result of the latest one is accepted; `not_before` is the lease. Derived text is enqueued with a
-- `not_before` one minute later, so that vectors of messages are made first; with `early`, it is claimed sooner.
WITH due AS MATERIALIZED (
    SELECT memory_id FROM embedding_queue
     WHERE namespace_id = %(namespace_id)s AND generation_id = %(generation_id)s AND state = 'pending'
       AND not_before <= now() + CASE WHEN %(early)s THEN interval '1 minute' ELSE interval '0' END
       AND (not_before <= now() OR not_before = enqueued_at + interval '1 minute')
     ORDER BY not_before, memory_id LIMIT %(share)s FOR UPDATE SKIP LOCKED
)
UPDATE embedding_queue q
   SET attempts = q.attempts + 1, not_before = now() + make_interval(secs => %(lease_s)s)
  FROM due
 WHERE q.namespace_id = %(namespace_id)s AND q.generation_id = %(generation_id)s AND q.memory_id = due.memory_id
RETURNING q.namespace_id, q.memory_id, q.attempts, q.enqueued_at;

-- read_passages --
-- Return the texts of passages of one namespace; for those of documents also the headings above, and the passage before
-- in the same chunk.
SELECT m.id AS memory_id, m.content, coalesce(c.headings, '{}') AS headings, coalesce(before.content, '') AS before
  FROM visible_memories m
  LEFT JOIN document_chunks c ON m.kind = {chunk_kind} AND c.namespace_id = %(namespace_id)s AND c.id = m.source_id
  LEFT JOIN LATERAL (
       SELECT content FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND source_id = c.id AND part = m.part - 1
       OFFSET 0) AS before ON true
 WHERE m.namespace_id = %(namespace_id)s AND m.id = ANY(%(memory_ids)s);

-- read_credentials --
-- Return how credentials are treated in a namespace; no row once the namespace is deleted.
SELECT credentials FROM namespaces WHERE id = %(namespace_id)s;

-- read_around --
-- Return passages together with up to `around` neighbours on each side in the same source, because the passage before
-- may reveal that a passage contains a credential. Sentences about tool calls (negative parts) are excluded.
SELECT near.source_id, near.id AS memory_id, near.content
  FROM (SELECT source_id, min(part) AS first, max(part) AS last
          FROM visible_memories
         WHERE namespace_id = %(namespace_id)s AND id = ANY(%(memory_ids)s) AND part >= 0
         GROUP BY source_id) AS wanted
  JOIN visible_memories near
    ON near.namespace_id = %(namespace_id)s AND near.source_id = wanted.source_id
   AND near.part BETWEEN greatest(wanted.first - %(around)s, 0) AND wanted.last + %(around)s
 ORDER BY near.source_id, near.part;

-- complete_pending --
-- Delete rows from the queue whose vectors were made, and return those whose latest attempt this is. A stale worker
-- gets no rows back, and must store nothing.
DELETE FROM embedding_queue q
 USING unnest(%(memory_ids)s::bigint[], %(attempts)s::integer[]) AS done (memory_id, attempts)
 WHERE q.namespace_id = %(namespace_id)s AND q.generation_id = %(generation_id)s AND q.memory_id = done.memory_id
   AND q.attempts = done.attempts
RETURNING q.memory_id;

-- store_halfvecs --
-- Store vectors of passages that still exist. The ids are sorted; the vectors are concatenated in one array.
INSERT INTO memory_vectors_:generation (namespace_id, memory_id, embedding)
SELECT m.namespace_id, v.memory_id,
       (%(vectors)b::real[])[(v.at - 1) * %(dimensions)s + 1 : v.at * %(dimensions)s]::halfvec
  FROM unnest(%(memory_ids)b::bigint[]) WITH ORDINALITY AS v (memory_id, at)
  JOIN visible_memories m ON m.namespace_id = %(namespace_id)s AND m.id = v.memory_id
    ON CONFLICT (namespace_id, memory_id) DO UPDATE SET embedding = excluded.embedding;

-- store_arrays --
-- Store vectors of passages that still exist, if the database has no pgvector.
INSERT INTO memory_vectors_:generation (namespace_id, memory_id, embedding)
SELECT m.namespace_id, v.memory_id, (%(vectors)b::real[])[(v.at - 1) * %(dimensions)s + 1 : v.at * %(dimensions)s]
  FROM unnest(%(memory_ids)b::bigint[]) WITH ORDINALITY AS v (memory_id, at)
  JOIN visible_memories m ON m.namespace_id = %(namespace_id)s AND m.id = v.memory_id
    ON CONFLICT (namespace_id, memory_id) DO UPDATE SET embedding = excluded.embedding;

-- release_pending --
-- Release passages after a failure that they did not cause: the attempt does not count.
UPDATE embedding_queue q
   SET attempts = greatest(q.attempts - 1, 0), not_before = now() + make_interval(secs => %(pause_s)s), error = %(error)s
  FROM unnest(%(memory_ids)s::bigint[], %(attempts)s::integer[]) AS held (memory_id, attempts)
 WHERE q.namespace_id = %(namespace_id)s AND q.generation_id = %(generation_id)s AND q.memory_id = held.memory_id
   AND q.attempts = held.attempts;

-- pause_namespace --
-- Stop claims of a namespace's vectors for a generation until a pause is over.
INSERT INTO embedding_pauses (namespace_id, generation_id, until)
VALUES (%(namespace_id)s, %(generation_id)s, now() + make_interval(secs => %(pause_s)s))
    ON CONFLICT (namespace_id, generation_id) DO UPDATE SET until = excluded.until;

-- fail_pending --
-- Record why a passage could not be embedded. It is retried after a pause, or parked if this attempt was the final one.
UPDATE embedding_queue q
   SET state = CASE WHEN %(final)s THEN 'failed' ELSE 'pending' END,
       not_before = now() + make_interval(secs => %(pause_s)s), error = %(error)s
 WHERE q.namespace_id = %(namespace_id)s AND q.generation_id = %(generation_id)s AND q.memory_id = %(memory_id)s
   AND q.attempts = %(attempts)s;

-- forgotten_namespaces --
-- Return namespaces with overdue vectors and no open embedding job.
SELECT forgotten_namespaces(%(max_wait_s)s);

-- count_backlog --
-- Return the number of pending vectors, counted up to a cap.
SELECT count(*)
  FROM (SELECT 1
          FROM model_generations g JOIN embedding_queue q ON q.generation_id = g.id AND q.state = 'pending'
         WHERE g.state IN ('active', 'building') LIMIT %(cap)s) AS waiting;

-- oldest_pending --
-- Return the age of the oldest pending vector in seconds, estimated from the next one of each namespace; 0 without any.
SELECT coalesce(extract(epoch FROM now() - min(enqueued_at)), 0)::float8 FROM earliest_pending();

-- backfill_generation --
-- Enqueue vectors of older passages for a generation that is being built; returns the number of passages checked.
SELECT backfill_generation(id, %(batch)s)
  FROM model_generations
 WHERE state = 'building' AND backfilled_at IS NULL
 ORDER BY id LIMIT 1;

-- set_background --
-- Store the mean and deviation of a model's cosines between unrelated texts, unless they are set already.
UPDATE model_generations
   SET background_mean = %(mean)s, background_deviation = %(deviation)s
 WHERE id = %(generation_id)s AND background_mean IS NULL;
