-- Background work is claimed in turns of the namespaces: so what is looked for lies by namespace, and within it by time.

-- squawk-ignore require-concurrent-index-creation
CREATE INDEX embedding_queue_turns ON embedding_queue (generation_id, namespace_id, not_before, memory_id)
    WHERE state = 'owed';
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX embedding_queue_owed;

-- Jobs whose wake-ups were sent are those that a worker may start.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX jobs_startable ON jobs (task, namespace_id, not_before, id) INCLUDE (published_at)
    WHERE state = 'pending' AND published_at IS NOT NULL;
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX jobs_wake_ups;
