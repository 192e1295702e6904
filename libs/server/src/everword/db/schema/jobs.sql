-- Background work. The table has ids, states and counters only, and no row level security, so that workers may claim
-- jobs across namespaces.

CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY,
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    task text NOT NULL,
    subject text NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN (
        'pending', -- waits for a worker
        'running', -- a worker holds the lease
        'done',    -- nothing to do until it is marked dirty again
        'failed'   -- given up after max_attempts; stays until it is retried
    )),
    dirty_seq bigint NOT NULL DEFAULT 1,
    done_seq bigint NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    fence bigint NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT now(),
    lease_until timestamptz,
    published_at timestamptz,
    trace_context jsonb,
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deaths integer NOT NULL DEFAULT 0,
    PRIMARY KEY (id, namespace_id),
    UNIQUE (namespace_id, task, subject)
) WITH (fillfactor = 70);
COMMENT ON TABLE jobs IS 'Outbox and durable state of background work: one row per namespace, task and subject.';
COMMENT ON COLUMN jobs.dirty_seq IS 'Incremented by every write that creates work; the job is done when done_seq has reached it.';
COMMENT ON COLUMN jobs.fence IS 'Incremented by every wake-up and every start; a worker with an older value is rejected.';
COMMENT ON COLUMN jobs.deaths IS 'Workers that died with the job since it last advanced; 0 if it is done or failed.';
-- For the publisher of wake-ups.
CREATE INDEX jobs_unpublished ON jobs (not_before, id) WHERE state = 'pending' AND published_at IS NULL;
CREATE INDEX jobs_running ON jobs (lease_until) WHERE state = 'running';
CREATE INDEX jobs_done ON jobs (updated_at) WHERE state = 'done';
-- For workers, which start published jobs and serve namespaces in turn.
CREATE INDEX jobs_startable ON jobs (task, namespace_id, not_before, id) INCLUDE (published_at)
    WHERE state = 'pending' AND published_at IS NOT NULL;
-- For conversations whose session may have ended.
CREATE INDEX jobs_sleeping ON jobs (namespace_id, not_before) WHERE task = 'sleep' AND state = 'pending';
CREATE INDEX jobs_with_errors ON jobs (namespace_id) WHERE error IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON jobs TO everword_ingest;
GRANT SELECT ON jobs TO everword_search;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs TO everword_compactor, everword_embedder;
INSERT INTO erasure_rules VALUES ('kept', 7, 'jobs', '', NULL, 'Ids and states; errors go.');
INSERT INTO transfer_rules VALUES
    ('jobs', 102, 'job', '{task,subject}', 'Background work on a conversation, on sentences for tool calls, or on themes.',
     '{id,state,dirty_seq,done_seq,attempts,fence,lease_until,published_at,trace_context,error,created_at,updated_at,deaths}',
     $$state <> 'done' AND task NOT IN ('embed', 'roll-up') AND subject NOT IN ('namespace', 'topics')$$);
