-- Statements that the compactor's workers run before a job. They read times of all namespaces, but no content.

-- vectors_are_due --
-- Return whether a vector of the active model is due; false if the model runs on a server. The walk reads the earliest pending
-- row of each namespace and stops at the first one that is due. Derived text becomes due a minute after it was enqueued.
WITH RECURSIVE walk (generation_id, namespace_id, not_before) AS (
    SELECT id, 0::bigint, 'infinity'::timestamptz FROM model_generations WHERE state = 'active' AND provider = 'local'
     UNION ALL
    SELECT walk.generation_id, next.namespace_id, next.not_before
      FROM walk
     CROSS JOIN LATERAL (
           SELECT q.namespace_id, q.not_before FROM embedding_queue q
            WHERE q.generation_id = walk.generation_id AND q.state = 'pending' AND q.namespace_id > walk.namespace_id
            ORDER BY q.namespace_id, q.not_before LIMIT 1) AS next
)
SELECT EXISTS (SELECT FROM walk WHERE not_before <= now()) AS are_due;
