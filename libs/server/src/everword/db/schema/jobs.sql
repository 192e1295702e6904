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

CREATE FUNCTION enqueue_jobs(
    namespace bigint, tasks text[], subjects text[], delays_s double precision[], context jsonb, postpone boolean, only_idle boolean,
    retry_failed_after_s double precision)
RETURNS bigint
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    moment constant timestamptz := now();
    retried_until constant timestamptz := moment - make_interval(secs => retry_failed_after_s);
    due record;
    changed bigint;
    total bigint := 0;
BEGIN
    FOR due IN
        SELECT d.task, d.subject, moment + make_interval(secs => d.delay_s) AS at
          FROM unnest(tasks, subjects, delays_s) WITH ORDINALITY AS d (task, subject, delay_s, place)
         ORDER BY d.place
    LOOP
        INSERT INTO jobs (namespace_id, task, subject, not_before, trace_context)
        VALUES (namespace, due.task, due.subject, due.at, context)
            ON CONFLICT (namespace_id, task, subject) DO UPDATE
           SET dirty_seq = jobs.dirty_seq + 1,
               state = CASE WHEN jobs.state = 'running' THEN 'running' ELSE 'pending' END,
               attempts = CASE WHEN jobs.state IN ('done', 'failed') THEN 0 ELSE jobs.attempts END,
               error = CASE WHEN jobs.state IN ('done', 'failed') THEN NULL ELSE jobs.error END,
               not_before = CASE WHEN jobs.state IN ('done', 'failed') THEN excluded.not_before
                                 WHEN jobs.state = 'pending' AND jobs.attempts = 0 AND jobs.not_before > moment
                                 THEN CASE WHEN postpone THEN excluded.not_before
                                           ELSE least(jobs.not_before, excluded.not_before) END
                                 ELSE jobs.not_before END,
               published_at = CASE WHEN jobs.state IN ('done', 'failed')
                                        OR jobs.state = 'pending' AND jobs.attempts = 0 AND jobs.not_before > moment
                                   THEN NULL ELSE jobs.published_at END,
               trace_context = excluded.trace_context,
               updated_at = moment
         WHERE NOT only_idle OR jobs.state = 'done'
            OR jobs.state = 'pending' AND jobs.attempts = 0 AND jobs.error IS NULL AND jobs.not_before > excluded.not_before
            OR jobs.state = 'failed' AND jobs.updated_at <= retried_until;
        GET DIAGNOSTICS changed = ROW_COUNT;
        total := total + changed;
    END LOOP;
    RETURN total;
END $$;
COMMENT ON FUNCTION enqueue_jobs IS
    'Make jobs due, in the given order, and return how many were changed. A running job''s worker sees from `dirty_seq` that there '
    'is more work; new work gives a parked job another chance. A scheduled job becomes due earlier, or later with `postpone`; a '
    'pause after a failure stays. With `only_idle`, jobs that run, failed, or wait for a dependency are not changed, except jobs '
    'parked for longer than `retry_failed_after_s`.';
GRANT EXECUTE ON FUNCTION enqueue_jobs TO everword_ingest, everword_search, everword_compactor, everword_embedder;

CREATE FUNCTION next_turn(due_task text, after bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    turn bigint;
BEGIN
    SELECT j.namespace_id INTO turn FROM jobs j
     WHERE j.task = due_task AND j.state = 'pending' AND j.published_at IS NOT NULL AND j.not_before <= now()
       AND j.namespace_id > after
     ORDER BY j.namespace_id LIMIT 1;
    IF NOT FOUND THEN
        SELECT j.namespace_id INTO turn FROM jobs j
         WHERE j.task = due_task AND j.state = 'pending' AND j.published_at IS NOT NULL AND j.not_before <= now()
           AND j.namespace_id <= after
         ORDER BY j.namespace_id LIMIT 1;
    END IF;
    RETURN turn;
END $$;
COMMENT ON FUNCTION next_turn IS
    'Return the next namespace, in a circular order after `after`, that has published due jobs of a task; NULL if none has.';
GRANT EXECUTE ON FUNCTION next_turn TO everword_ingest, everword_compactor, everword_embedder;
