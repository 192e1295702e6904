-- Background work: what is owed, and who is at it. Ids, states and counters only, so that workers may claim across
-- namespaces; none of these tables has a fence.

CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
    UNIQUE (namespace_id, task, subject)
) WITH (fillfactor = 70);
COMMENT ON TABLE jobs IS 'The outbox and the durable state of background work in one: a row per namespace, task and subject.';
COMMENT ON COLUMN jobs.dirty_seq IS 'Grows with every write that makes work; the job is done when done_seq has reached it.';
COMMENT ON COLUMN jobs.fence IS 'Grows with every wake-up and with every start; a worker that holds an older one is refused.';
-- What a publisher looks for.
CREATE INDEX jobs_unpublished ON jobs (not_before, id) WHERE state = 'pending' AND published_at IS NULL;
-- What the sweep looks for: wake-ups that got lost, leases that ran out, rows that can go.
CREATE INDEX jobs_published ON jobs (published_at) WHERE state = 'pending' AND published_at IS NOT NULL;
CREATE INDEX jobs_running ON jobs (lease_until) WHERE state = 'running';
CREATE INDEX jobs_done ON jobs (updated_at) WHERE state = 'done';
GRANT SELECT, INSERT, UPDATE ON jobs TO everword_ingest;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs TO everword_compactor, everword_embedder;
GRANT SELECT ON jobs TO everword_search;

CREATE TABLE model_generations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state text NOT NULL CHECK (state IN (
        'building', -- vectors are being made; not searched yet
        'active',   -- searched
        'retiring'  -- searches that began before the switch may still use it
    )),
    provider text NOT NULL,
    endpoint text NOT NULL DEFAULT '',
    model text NOT NULL,
    dimensions integer NOT NULL CHECK (dimensions BETWEEN 1 AND 4000),
    query_prefix text NOT NULL DEFAULT '',
    passage_prefix text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE model_generations IS 'Embedding models, past and present. Writes owe vectors to every live one.';
-- A search resolves one generation.
CREATE UNIQUE INDEX model_generations_active ON model_generations (state) WHERE state = 'active';
INSERT INTO model_generations (state, provider, model, dimensions)
VALUES ('active', 'local', 'all-MiniLM-L6-v2', 384);
GRANT SELECT ON model_generations TO everword_ingest, everword_search, everword_compactor, everword_embedder;

CREATE TABLE embedding_queue (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    memory_id bigint NOT NULL,
    generation_id bigint NOT NULL REFERENCES model_generations (id),
    state text NOT NULL DEFAULT 'owed' CHECK (state IN (
        'owed',  -- waits for its vector
        'failed' -- given up, with an error
    )),
    attempts integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT now(),
    error text,
    enqueued_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, memory_id, generation_id)
);
COMMENT ON TABLE embedding_queue IS 'A row exactly while a passage is owed a vector of a generation.';
-- What a worker claims, over all namespaces.
CREATE INDEX embedding_queue_owed ON embedding_queue (generation_id, not_before, memory_id) WHERE state = 'owed';
-- What coverage counts; empty on a good day.
CREATE INDEX embedding_queue_failed ON embedding_queue (generation_id) WHERE state = 'failed';
GRANT SELECT, INSERT ON embedding_queue TO everword_ingest;
GRANT SELECT ON embedding_queue TO everword_search;
GRANT SELECT, INSERT, UPDATE ON embedding_queue TO everword_compactor;
GRANT SELECT, INSERT, UPDATE, DELETE ON embedding_queue TO everword_embedder;

CREATE FUNCTION erase_namespace_rows(target bigint, batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    erased bigint;
    child text;
BEGIN
    IF NOT EXISTS (SELECT FROM namespaces WHERE id = target AND state = 'deleting') THEN
        RETURN 0;
    END IF;
    -- Children before parents; one table a call keeps the transaction short.
    FOREACH child IN ARRAY ARRAY[
        'embedding_queue', 'memory_use', 'memory_classes', 'memories', 'messages', 'append_requests', 'conversations',
        'jobs', 'corpus_counts', 'api_keys'
    ] LOOP
        EXECUTE format(
            -- A namespace's rows are all in one partition, where a ctid is unique; it is found without a scan.
            'DELETE FROM %1$I WHERE namespace_id = $1 AND ctid = ANY(ARRAY('
            'SELECT ctid FROM %1$I WHERE namespace_id = $1 LIMIT $2))', child
        ) USING target, batch;
        GET DIAGNOSTICS erased = ROW_COUNT;
        IF erased > 0 THEN
            RETURN erased;
        END IF;
    END LOOP;
    DELETE FROM namespaces WHERE id = target;
    RETURN 0;
END $$;
COMMENT ON FUNCTION erase_namespace_rows IS
    'Erase up to `batch` rows of a namespace that is being deleted; 0 when nothing is left and the namespace is gone.';
REVOKE ALL ON FUNCTION erase_namespace_rows FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_namespace_rows TO everword_ingest;
