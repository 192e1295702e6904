-- Namespaces (tenants), their settings, and their quotas.

CREATE TABLE namespaces (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    state text NOT NULL DEFAULT 'active' CHECK (state IN (
        'active',
        'importing', -- an import is storing its rows
        'deleting'   -- invisible to every caller; its rows are being erased
    )),
    time_zone text NOT NULL DEFAULT 'UTC',
    day_cutoff_minutes integer NOT NULL DEFAULT 0 CHECK (day_cutoff_minutes BETWEEN 0 AND 720),
    text_search_config regconfig NOT NULL DEFAULT 'pg_catalog.english',
    use_counting smallint NOT NULL DEFAULT 1,
    channel_policies jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    credentials smallint NOT NULL DEFAULT 1,
    sleep_atomicity smallint NOT NULL DEFAULT 1,
    erasure_salt bytea NOT NULL DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
    requests_per_minute integer NOT NULL DEFAULT 0,
    messages_per_minute integer NOT NULL DEFAULT 0,
    stored_bytes bigint NOT NULL DEFAULT 0,
    quarantine boolean NOT NULL DEFAULT false,
    shared_calendar boolean NOT NULL DEFAULT false,
    ranking_profile text NOT NULL DEFAULT '',
    recalled_turns smallint,
    recall_similarity double precision,
    earlier_turns smallint
);
COMMENT ON TABLE namespaces IS 'Tenants. Holds no content, so it is not isolated.';
COMMENT ON COLUMN namespaces.credentials IS
    'Passwords, keys and tokens in derived text: 1 mask, 2 keep, 3 mask and refuse new rows with them.';
COMMENT ON COLUMN namespaces.sleep_atomicity IS 'Unit of Sleep''s transactions: 1 one session, 2 a whole run.';
COMMENT ON COLUMN namespaces.recalled_turns IS 'Maximum older turns recalled in contexts; NULL is the default.';
COMMENT ON COLUMN namespaces.recall_similarity IS 'Their minimum cosine with the query; NULL is the default.';
COMMENT ON COLUMN namespaces.earlier_turns IS
    'Maximum turns of earlier conversations at the start of a new one; NULL is the default.';
COMMENT ON COLUMN namespaces.erasure_salt IS 'Salt of hashes of erased names and ids.';
COMMENT ON COLUMN namespaces.requests_per_minute IS 'Limit of calls per clock minute, over all processes; 0 disables it.';
COMMENT ON COLUMN namespaces.messages_per_minute IS 'Limit of messages stored per clock minute; 0 disables it.';
COMMENT ON COLUMN namespaces.stored_bytes IS 'Limit of bytes of stored text; 0 disables it.';
COMMENT ON COLUMN namespaces.quarantine IS
    'Whether untrusted text with prompt injections is left out of contexts; a channel policy can differ.';
COMMENT ON COLUMN namespaces.shared_calendar IS 'Whether one calendar sums up the messages of all subjects; else each has its own.';
COMMENT ON COLUMN namespaces.ranking_profile IS
    'Ranking profile of searches and contexts that name none; empty for `recall`.';
GRANT SELECT, INSERT, UPDATE ON namespaces TO everword_ingest;
GRANT SELECT ON namespaces TO everword_search, everword_compactor, everword_embedder;

CREATE TABLE tenants (
    namespace_id bigint PRIMARY KEY REFERENCES namespaces (id),
    hides integer NOT NULL DEFAULT 0
);
COMMENT ON TABLE tenants IS
    'One row for each namespace, which `namespaces` cannot be if it is on every server. Workers share the row while they start a '
    'job; inserts from arrays take the namespace from it.';
COMMENT ON COLUMN tenants.hides IS 'Number of running erasures that hide rows. At 0, reads skip the check.';
GRANT SELECT, INSERT, UPDATE ON tenants TO everword_ingest, everword_search, everword_compactor, everword_embedder;
INSERT INTO transfer_rules VALUES ('tenants', 209, NULL, '{}', 'Created with the namespace.');

CREATE TABLE namespace_locks (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    name text NOT NULL,
    PRIMARY KEY (namespace_id, name)
);
COMMENT ON TABLE namespace_locks IS
    'Locks of a namespace that no single row of data stands for. A lock is a row: if namespaces are distributed over several '
    'servers, it is on the server of its namespace, unlike an advisory lock. Has names only, so it is not isolated.';
COMMENT ON COLUMN namespace_locks.name IS
    '`budgets`: held exclusively, no call is charged; `budget events`; `facts N`, `people N` and `patterns N`: one of 64 parts '
    'of these.';
GRANT SELECT, INSERT, UPDATE ON namespace_locks TO everword_ingest, everword_search, everword_compactor, everword_embedder;
INSERT INTO transfer_rules VALUES ('namespace_locks', 208, NULL, '{}', 'Names of locks.');
INSERT INTO erasure_rules VALUES ('kept', 20, 'namespace_locks', '', NULL, 'Names of locks.');

CREATE FUNCTION hold_lock(namespace bigint, lock_name text) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    PERFORM FROM namespace_locks l WHERE l.namespace_id = namespace AND l.name = lock_name FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO namespace_locks (namespace_id, name) VALUES (namespace, lock_name) ON CONFLICT DO NOTHING;
        PERFORM FROM namespace_locks l WHERE l.namespace_id = namespace AND l.name = lock_name FOR UPDATE;
    END IF;
END $$;
COMMENT ON FUNCTION hold_lock IS 'Hold a lock of the namespace until the end of the transaction; create it if it is missing.';

CREATE FUNCTION share_lock(namespace bigint, lock_name text) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    PERFORM FROM namespace_locks l WHERE l.namespace_id = namespace AND l.name = lock_name FOR SHARE;
    IF NOT FOUND THEN
        INSERT INTO namespace_locks (namespace_id, name) VALUES (namespace, lock_name) ON CONFLICT DO NOTHING;
        PERFORM FROM namespace_locks l WHERE l.namespace_id = namespace AND l.name = lock_name FOR SHARE;
    END IF;
END $$;
COMMENT ON FUNCTION share_lock IS 'As hold_lock, with others that share the lock.';

CREATE FUNCTION lock_part(kind text, key text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = everword, pg_temp AS $$
    SELECT kind || ' ' || (hashtextextended(key, 0) & 63)
$$;
COMMENT ON FUNCTION lock_part IS 'Return the name of the lock for a key: one of 64 of a kind.';
GRANT EXECUTE ON FUNCTION hold_lock, share_lock, lock_part
   TO everword_ingest, everword_search, everword_compactor, everword_embedder;

INSERT INTO namespaces (name) VALUES ('default');
INSERT INTO tenants (namespace_id) SELECT id FROM namespaces;

CREATE TABLE namespace_usage (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    minute timestamptz NOT NULL,
    requests bigint NOT NULL DEFAULT 0,
    messages bigint NOT NULL DEFAULT 0,
    stored_bytes bigint NOT NULL DEFAULT 0,
    measured_at timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (namespace_id)
);
COMMENT ON TABLE namespace_usage IS
    'Used quota of namespaces with limits. Each process adds its counts periodically. Not isolated: counters only.';
COMMENT ON COLUMN namespace_usage.minute IS 'The minute of `requests` and `messages`.';
COMMENT ON COLUMN namespace_usage.measured_at IS 'Time when ingest last measured `stored_bytes`.';
GRANT SELECT, INSERT, UPDATE ON namespace_usage TO everword_ingest, everword_search, everword_compactor;
INSERT INTO erasure_rules VALUES ('kept', 57, 'namespace_usage', '', NULL, 'Counters only.');
INSERT INTO transfer_rules VALUES ('namespace_usage', 257, NULL, '{}', 'Usage under the limits of another deployment.');

CREATE FUNCTION channel_policy(policies jsonb, channel text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF policies = '{}' THEN
        RETURN policies;
    END IF;
    IF policies ? channel THEN
        RETURN policies -> channel;
    END IF;
    RETURN coalesce((SELECT p.value FROM jsonb_each(policies) AS p
                      WHERE right(p.key, 1) = '*' AND starts_with(channel, left(p.key, -1))
                      ORDER BY length(p.key) DESC LIMIT 1),
                    '{}');
END $$;
COMMENT ON FUNCTION channel_policy IS 'Return the policy of a channel: by exact name, else by the longest prefix before a `*`, else empty.';

CREATE FUNCTION publishes_summaries(policies jsonb, channel text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    policy jsonb := everword.channel_policy(policies, channel);
BEGIN
    RETURN coalesce((policy ->> 'summarize')::boolean, (policy ->> 'index')::boolean, true);
END $$;
COMMENT ON FUNCTION publishes_summaries IS 'Return whether summaries of conversations in a channel are found outside the conversation.';

GRANT EXECUTE ON FUNCTION channel_policy, publishes_summaries TO everword_ingest, everword_search, everword_compactor, everword_embedder;
