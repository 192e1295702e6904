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
-- Return the namespaces with pending vectors, and each one's share of the next batch. Namespaces take turns, starting
-- after `after`. Each gets at most `few` vectors, because it needs transactions of its own; if few namespaces have
-- pending vectors, they share the rest of the batch. With `only_few`, larger namespaces are skipped. With `early`,
-- derived text is included before its minute has passed.
WITH RECURSIVE walk (is_wrapped, namespace_id, few, claimed) AS (
    -- Skips from namespace to namespace in the index, so that the cost does not depend on their sizes: first those
    -- after `after`, then those up to it.
    SELECT start.is_wrapped, start.namespace_id, 0::bigint, 0::bigint
      FROM (VALUES (false, %(after)s::bigint), (true, 0)) AS start (is_wrapped, namespace_id)
     UNION ALL
    SELECT walk.is_wrapped, next.namespace_id, taken.few, walk.claimed + taken.few
      FROM walk
     CROSS JOIN LATERAL (
           SELECT q.namespace_id FROM embedding_queue q
            WHERE q.generation_id = %(generation_id)s AND q.state = 'pending' AND q.namespace_id > walk.namespace_id
            ORDER BY q.namespace_id LIMIT 1) AS next
     CROSS JOIN LATERAL (
           SELECT count(*) AS few
             FROM (SELECT FROM embedding_queue q
                    WHERE q.generation_id = %(generation_id)s AND q.state = 'pending'
                      AND q.namespace_id = next.namespace_id
                      AND q.not_before <= now() + CASE WHEN %(early)s THEN interval '1 minute' ELSE interval '0' END
                      AND (q.not_before <= now() OR q.not_before = q.enqueued_at + interval '1 minute')
                      AND NOT EXISTS (SELECT FROM embedding_pauses p
                                       WHERE p.namespace_id = next.namespace_id AND p.generation_id = %(generation_id)s
                                         AND p.until > now())
                    LIMIT %(few)s + 1) AS first) AS due
     CROSS JOIN LATERAL (
           SELECT CASE WHEN %(only_few)s AND due.few > %(few)s THEN 0 ELSE least(due.few, %(few)s) END AS few) AS taken
     WHERE walk.claimed < %(batch)s AND (next.namespace_id <= %(after)s OR NOT walk.is_wrapped)
), turns AS MATERIALIZED (
    SELECT namespace_id, row_number() OVER (ORDER BY is_wrapped, namespace_id) AS turn, count(*) OVER () AS turns
      FROM (SELECT is_wrapped, namespace_id,
                   sum(few) OVER (ORDER BY is_wrapped, namespace_id) - few AS before
              FROM walk WHERE few > 0) AS due
     WHERE before < %(batch)s
)
SELECT namespace_id, count(*) AS share
  FROM (SELECT turns.namespace_id
          FROM turns
         CROSS JOIN LATERAL (
               SELECT row_number() OVER () AS place
                 FROM (SELECT FROM embedding_queue q
                        WHERE q.generation_id = %(generation_id)s AND q.state = 'pending'
                          AND q.namespace_id = turns.namespace_id
                          AND q.not_before <= now() + CASE WHEN %(early)s THEN interval '1 minute' ELSE interval '0' END
                          AND (q.not_before <= now() OR q.not_before = q.enqueued_at + interval '1 minute')
                        LIMIT %(batch)s + 1 - turns.turns) AS pending) AS pending
         ORDER BY greatest(pending.place, %(few)s), turns.turn, pending.place LIMIT %(batch)s) AS taken
 GROUP BY namespace_id
 ORDER BY namespace_id;

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
SELECT %(namespace_id)s, v.memory_id,
       (%(vectors)b::real[])[(v.at - 1) * %(dimensions)s + 1 : v.at * %(dimensions)s]::halfvec
  FROM unnest(%(memory_ids)b::bigint[]) WITH ORDINALITY AS v (memory_id, at)
 WHERE EXISTS (SELECT FROM visible_memories m WHERE m.namespace_id = %(namespace_id)s AND m.id = v.memory_id)
    ON CONFLICT (namespace_id, memory_id) DO UPDATE SET embedding = excluded.embedding;

-- store_arrays --
-- Store vectors of passages that still exist, if the database has no pgvector.
INSERT INTO memory_vectors_:generation (namespace_id, memory_id, embedding)
SELECT %(namespace_id)s, v.memory_id, (%(vectors)b::real[])[(v.at - 1) * %(dimensions)s + 1 : v.at * %(dimensions)s]
  FROM unnest(%(memory_ids)b::bigint[]) WITH ORDINALITY AS v (memory_id, at)
 WHERE EXISTS (SELECT FROM visible_memories m WHERE m.namespace_id = %(namespace_id)s AND m.id = v.memory_id)
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
-- Return namespaces with overdue vectors and no open embedding job, because nothing scheduled one or because a pause
-- has ended. Skips from namespace to namespace in the index, so that the cost does not depend on their sizes.
WITH RECURSIVE walk (generation_id, namespace_id, not_before) AS (
    SELECT id, 0::bigint, 'infinity'::timestamptz FROM model_generations WHERE state IN ('active', 'building')
     UNION ALL
    SELECT walk.generation_id, next.namespace_id, next.not_before
      FROM walk
     CROSS JOIN LATERAL (
           SELECT q.namespace_id, q.not_before FROM embedding_queue q
            WHERE q.generation_id = walk.generation_id AND q.state = 'pending' AND q.namespace_id > walk.namespace_id
            ORDER BY q.namespace_id, q.not_before LIMIT 1) AS next
)
SELECT late.namespace_id
  FROM (SELECT DISTINCT namespace_id FROM walk
         WHERE not_before <= now() - make_interval(secs => %(max_wait_s)s)
           AND NOT EXISTS (SELECT FROM embedding_pauses p
                            WHERE p.namespace_id = walk.namespace_id AND p.generation_id = walk.generation_id
                              AND p.until > now())) AS late
 WHERE NOT EXISTS (SELECT FROM jobs j
                    WHERE j.namespace_id = late.namespace_id AND j.task = 'embed' AND j.state IN ('pending', 'running'))
 ORDER BY late.namespace_id;

-- measure_backlog --
-- Return the number of pending vectors, counted up to a cap, and the age of the oldest. The age is estimated from the
-- next row of each namespace.
WITH RECURSIVE walk (generation_id, namespace_id, enqueued_at) AS (
    SELECT id, 0::bigint, NULL::timestamptz FROM model_generations WHERE state IN ('active', 'building')
     UNION ALL
    SELECT walk.generation_id, next.namespace_id, next.enqueued_at
      FROM walk
     CROSS JOIN LATERAL (
           SELECT q.namespace_id, q.enqueued_at FROM embedding_queue q
            WHERE q.generation_id = walk.generation_id AND q.state = 'pending' AND q.namespace_id > walk.namespace_id
            ORDER BY q.namespace_id, q.not_before LIMIT 1) AS next
)
SELECT (SELECT count(*)
          FROM (SELECT FROM embedding_queue
                 WHERE state = 'pending'
                   AND generation_id IN (SELECT id FROM model_generations WHERE state IN ('active', 'building'))
                 LIMIT %(cap)s) AS waiting) AS pending,
       coalesce(extract(epoch FROM now() - (SELECT min(enqueued_at) FROM walk)), 0)::float8 AS oldest_s;

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
