-- Settings shared by all processes of a deployment, and the partitions of large tables.

CREATE TABLE deployment (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    token_secret bytea NOT NULL,
    partitions integer NOT NULL CHECK (partitions BETWEEN 1 AND 1024),
    closed boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE deployment IS 'Settings that all processes of the deployment share; one row.';
COMMENT ON COLUMN deployment.token_secret IS 'Signs page tokens and consistency tokens.';
COMMENT ON COLUMN deployment.partitions IS 'Hash modulus of the partitioned tables: set by the first migration, and 1 once the database is distributed.';
COMMENT ON COLUMN deployment.closed IS 'Whether a key was ever created. From then on every call needs a key.';
GRANT SELECT ON deployment TO everword_ingest, everword_search, everword_compactor, everword_embedder;

INSERT INTO deployment (token_secret, partitions)
VALUES (
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
    coalesce(nullif(current_setting('everword.partitions', true), '')::integer, 4)
);

CREATE FUNCTION create_partitions(parent text) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE modulus integer := (SELECT partitions FROM deployment);
BEGIN
    FOR remainder IN 0 .. modulus - 1 LOOP
        -- Analysed early: without statistics after an import, the planner estimates a large namespace as small.
        EXECUTE format(
            'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s) '
            'WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 0.02)',
            parent || '_p' || remainder, parent, modulus, remainder
        );
    END LOOP;
END $$;
COMMENT ON FUNCTION create_partitions IS 'Create the hash partitions (by namespace_id) of a new table.';
