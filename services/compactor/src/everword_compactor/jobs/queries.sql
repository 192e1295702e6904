-- Statements that the compactor's workers run before a job. They read times of all namespaces, but no content.

-- vectors_are_due --
-- Return true if a vector of the active model is due; no row if none is, or if the model runs on a server. PostgreSQL skips from
-- namespace to namespace in the index. Derived text becomes due a minute after it was enqueued.
SELECT true AS are_due
  FROM model_generations g JOIN embedding_queue q ON q.generation_id = g.id
 WHERE g.state = 'active' AND g.provider = 'local' AND q.state = 'pending' AND q.not_before <= now()
 LIMIT 1;
