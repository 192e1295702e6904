-- Whether a wake-up is lost depends on what waits in Redis for its task: so they are looked for by task, oldest first. A long
-- queue of one task costs the others nothing.

-- squawk-ignore require-concurrent-index-creation
CREATE INDEX jobs_wake_ups ON jobs (task, published_at) WHERE state = 'pending' AND published_at IS NOT NULL;
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX jobs_published;
