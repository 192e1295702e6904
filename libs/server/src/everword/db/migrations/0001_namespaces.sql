-- Roles, the deployment's own settings, namespaces and API keys.

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

-- One role a service, so that the database holds what each may do. A login role is made a member of all four, and every
-- connection takes the role of its service. Roles belong to the cluster: another database may have made them already.
DO $$
DECLARE service text;
BEGIN
    FOREACH service IN ARRAY ARRAY['ingest', 'search', 'compactor', 'embedder'] LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', 'everword_' || service);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA everword TO everword_ingest, everword_search, everword_compactor, everword_embedder;
GRANT SELECT ON schema_migrations TO everword_ingest, everword_search, everword_compactor, everword_embedder;

CREATE TABLE deployment (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    token_secret bytea NOT NULL,
    partitions integer NOT NULL CHECK (partitions BETWEEN 1 AND 1024)
);
COMMENT ON TABLE deployment IS 'What all processes of this deployment share; one row.';
COMMENT ON COLUMN deployment.token_secret IS 'Signs page tokens and consistency tokens.';
COMMENT ON COLUMN deployment.partitions IS 'Hash modulus of the partitioned tables; fixed by the first migration.';
INSERT INTO deployment (token_secret, partitions)
VALUES (
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
    coalesce(nullif(current_setting('everword.partitions', true), '')::integer, 4)
);
GRANT SELECT ON deployment TO everword_ingest, everword_search, everword_compactor, everword_embedder;

CREATE FUNCTION create_partitions(parent text) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE modulus integer := (SELECT partitions FROM deployment);
BEGIN
    FOR remainder IN 0 .. modulus - 1 LOOP
        -- Analysed early: without statistics after an import, the planner takes a large namespace for a small one.
        EXECUTE format(
            'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s) '
            'WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 0.02)',
            parent || '_p' || remainder, parent, modulus, remainder
        );
    END LOOP;
END $$;
COMMENT ON FUNCTION create_partitions IS 'Create the hash partitions by namespace_id of a new table.';

CREATE FUNCTION fence_table(fenced text) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', fenced);
    -- The setting is '' and not NULL after the first transaction of a pooled connection.
    EXECUTE format(
        'CREATE POLICY fence ON %I USING '
        '(namespace_id = nullif(current_setting(''everword.namespace_id'', true), '''')::bigint)',
        fenced
    );
END $$;
COMMENT ON FUNCTION fence_table IS 'Let service roles see only rows of the namespace that their transaction is set to.';

REVOKE ALL ON FUNCTION create_partitions, fence_table FROM PUBLIC;

CREATE TABLE namespaces (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    state text NOT NULL DEFAULT 'active' CHECK (state IN (
        'active',
        'deleting' -- invisible to every caller; its rows are being erased
    )),
    time_zone text NOT NULL DEFAULT 'UTC',
    day_cutoff_minutes integer NOT NULL DEFAULT 0 CHECK (day_cutoff_minutes BETWEEN 0 AND 720),
    text_search_config regconfig NOT NULL DEFAULT 'pg_catalog.english',
    use_counting smallint NOT NULL DEFAULT 1,
    channel_policies jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE namespaces IS 'Tenants. Holds no content, so it has no fence.';
INSERT INTO namespaces (name) VALUES ('default');
GRANT SELECT ON namespaces TO everword_ingest, everword_search, everword_compactor, everword_embedder;
GRANT INSERT, UPDATE ON namespaces TO everword_ingest;

CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    namespace_id bigint REFERENCES namespaces (id),
    key_hash bytea NOT NULL UNIQUE,
    role smallint NOT NULL CHECK (role BETWEEN 1 AND 3),
    description text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    -- An operator's key names its namespace call by call; every other key is bound to one.
    CHECK ((role = 3) = (namespace_id IS NULL))
);
COMMENT ON TABLE api_keys IS 'SHA-256 of 256-bit random keys. Revoked keys stay, so that a locked deployment stays locked.';
CREATE INDEX api_keys_namespace_id ON api_keys (namespace_id);
GRANT SELECT (id, namespace_id, role, description, created_at, revoked_at), INSERT, UPDATE (revoked_at)
    ON api_keys TO everword_ingest;

CREATE FUNCTION authenticate_key(hash bytea)
RETURNS TABLE (api_key_id uuid, role smallint, namespace_id bigint, namespace_name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT k.id, k.role, n.id, n.name
      FROM api_keys k LEFT JOIN namespaces n ON n.id = k.namespace_id AND n.state = 'active'
     WHERE k.key_hash = hash AND k.revoked_at IS NULL AND (k.namespace_id IS NULL OR n.id IS NOT NULL)
$$;
COMMENT ON FUNCTION authenticate_key IS 'The only way in which services read keys: by the hash of a secret they were given.';

CREATE FUNCTION api_keys_exist() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT EXISTS (SELECT FROM api_keys)
$$;
COMMENT ON FUNCTION api_keys_exist IS 'Whether a key was ever made: from then on every call needs one.';

REVOKE ALL ON FUNCTION authenticate_key, api_keys_exist FROM PUBLIC;
GRANT EXECUTE ON FUNCTION authenticate_key, api_keys_exist
    TO everword_ingest, everword_search, everword_compactor, everword_embedder;
