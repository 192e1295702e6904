-- A generation that is being built has no index over its vectors: one that is made over all of them at once takes a fraction of
-- the time. `everword models switch` makes it, before the generation is searched.

-- squawk-ignore ban-drop-function
DROP FUNCTION create_vector_table(bigint);
CREATE FUNCTION create_vector_table(generation bigint, indexed boolean DEFAULT true) RETURNS void
LANGUAGE plpgsql SET search_path = everword, public, pg_temp AS $$
DECLARE
    vectors text := 'memory_vectors_' || generation;
    visible text := 'visible_vectors_' || generation;
    halfvec boolean := has_pgvector();
    width integer := (SELECT dimensions FROM model_generations WHERE id = generation);
BEGIN
    EXECUTE format(
        -- The reference keeps a vector that is stored while its namespace is erased from being left behind.
        'CREATE TABLE %I (namespace_id bigint NOT NULL REFERENCES namespaces (id), memory_id bigint NOT NULL, '
        'embedding %s NOT NULL, PRIMARY KEY (namespace_id, memory_id)) PARTITION BY HASH (namespace_id)',
        vectors, CASE WHEN halfvec THEN format('public.halfvec(%s)', width) ELSE 'real[]' END
    );
    -- Out of line, every comparison would fetch its vector from another page: exact scans are 2-6 times as fast so.
    EXECUTE format('ALTER TABLE %I ALTER COLUMN embedding SET STORAGE %s', vectors,
                   CASE WHEN halfvec THEN 'PLAIN' ELSE 'EXTERNAL' END);
    PERFORM create_partitions(vectors);
    PERFORM isolate_table(vectors);
    EXECUTE format(
        'CREATE VIEW %I AS SELECT * FROM %I '
        'WHERE namespace_id = nullif(current_setting(''everword.namespace_id'', true), '''')::bigint '
        'WITH LOCAL CHECK OPTION', visible, vectors
    );
    EXECUTE format('GRANT SELECT ON %I TO everword_search, everword_compactor', visible);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO everword_embedder', visible);
    UPDATE model_generations SET storage = CASE WHEN halfvec THEN 'halfvec' ELSE 'array' END WHERE id = generation;
    IF indexed THEN
        PERFORM index_vectors(generation);
    END IF;
END $$;
COMMENT ON FUNCTION create_vector_table IS 'Make the table and view of a generation''s vectors, and its index where it is to be searched.';

CREATE FUNCTION index_vectors(generation bigint) RETURNS void
LANGUAGE plpgsql SET search_path = everword, public, pg_temp AS $$
DECLARE
    vectors text := 'memory_vectors_' || generation;
BEGIN
    IF (SELECT storage = 'halfvec' FROM model_generations WHERE id = generation) THEN
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I USING hnsw (embedding public.halfvec_cosine_ops)',
                       vectors || '_embedding_idx', vectors);
    END IF;
END $$;
COMMENT ON FUNCTION index_vectors IS 'Make the index over a generation''s vectors; those that partitions have already become parts of it.';

CREATE OR REPLACE FUNCTION upgrade_vector_tables() RETURNS bigint
LANGUAGE plpgsql SET search_path = everword, public, pg_temp AS $$
DECLARE
    generation model_generations;
    upgraded bigint := 0;
BEGIN
    IF NOT install_pgvector() THEN
        RETURN 0;
    END IF;
    FOR generation IN SELECT * FROM model_generations WHERE storage = 'array' ORDER BY id LOOP
        EXECUTE format('DROP VIEW %I', 'visible_vectors_' || generation.id);
        EXECUTE format('ALTER TABLE %I RENAME TO %I', 'memory_vectors_' || generation.id, 'array_vectors');
        FOR remainder IN 0 .. (SELECT partitions FROM deployment) - 1 LOOP
            EXECUTE format('ALTER TABLE %I RENAME TO %I', 'memory_vectors_' || generation.id || '_p' || remainder,
                           'array_vectors_p' || remainder);
        END LOOP;
        PERFORM create_vector_table(generation.id, false);
        EXECUTE format('INSERT INTO %I SELECT namespace_id, memory_id, embedding::public.halfvec FROM array_vectors '
                       'ORDER BY namespace_id, memory_id', 'memory_vectors_' || generation.id);
        DROP TABLE array_vectors;
        IF generation.state <> 'building' THEN
            PERFORM index_vectors(generation.id);
        END IF;
        upgraded := upgraded + 1;
    END LOOP;
    RETURN upgraded;
END $$;

REVOKE ALL ON FUNCTION create_vector_table, index_vectors FROM PUBLIC;
