-- Vectors: one narrow table for each model generation, reached through a view as memories are.

ALTER TABLE model_generations
    ADD COLUMN storage text NOT NULL DEFAULT 'array' CHECK (storage IN (
        'halfvec', -- pgvector: exact in small scopes, HNSW in large ones
        'array'    -- no pgvector: exact over plain arrays
    )),
    -- Whether vectors longer than `dimensions` are cut to it; otherwise they are another model's, and refused.
    ADD COLUMN matryoshka boolean NOT NULL DEFAULT false,
    -- Writes that began earlier may not know the generation, and owe it nothing.
    ADD COLUMN created_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    ADD COLUMN backfilled_namespace bigint NOT NULL DEFAULT 0,
    ADD COLUMN backfilled_memory bigint NOT NULL DEFAULT 0,
    ADD COLUMN backfilled_at timestamptz,
    ADD COLUMN background_mean real,
    ADD COLUMN background_deviation real,
    ADD COLUMN retired_at timestamptz;
COMMENT ON COLUMN model_generations.backfilled_memory IS
    'Up to which passage, by namespace and id, the backlog was put into the queue; backfilled_at says when all of it was.';
COMMENT ON COLUMN model_generations.background_mean IS
    'Mean cosine of passages that have nothing to do with each other: what a cosine means differs from model to model.';
-- The first generation is as old as the schema: there is no backlog.
UPDATE model_generations SET backfilled_at = now();

-- Which kind a new table is of depends on the database that it is made in, not on the release.
CREATE FUNCTION has_pgvector() RETURNS boolean
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector')
$$;
COMMENT ON FUNCTION has_pgvector IS 'Whether this database has the extension vector.';
GRANT EXECUTE ON FUNCTION has_pgvector TO everword_search;

CREATE FUNCTION install_pgvector() RETURNS boolean
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    IF NOT has_pgvector() AND EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
        CREATE EXTENSION vector WITH SCHEMA public;
    END IF;
    RETURN has_pgvector();
EXCEPTION WHEN insufficient_privilege THEN
    RETURN false; -- the owner may not make extensions: plain arrays until somebody does
END $$;
COMMENT ON FUNCTION install_pgvector IS 'Make the extension vector where this server has it; whether it is there then.';

CREATE FUNCTION create_vector_table(generation bigint) RETURNS void
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
    PERFORM fence_table(vectors);
    IF halfvec THEN
        EXECUTE format('CREATE INDEX ON %I USING hnsw (embedding public.halfvec_cosine_ops)', vectors);
    END IF;
    EXECUTE format(
        'CREATE VIEW %I AS SELECT * FROM %I '
        'WHERE namespace_id = nullif(current_setting(''everword.namespace_id'', true), '''')::bigint '
        'WITH LOCAL CHECK OPTION', visible, vectors
    );
    EXECUTE format('GRANT SELECT ON %I TO everword_search, everword_compactor', visible);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO everword_embedder', visible);
    UPDATE model_generations SET storage = CASE WHEN halfvec THEN 'halfvec' ELSE 'array' END WHERE id = generation;
END $$;
COMMENT ON FUNCTION create_vector_table IS 'Make the table, index and view of a generation''s vectors.';

CREATE FUNCTION upgrade_vector_tables() RETURNS bigint
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
        PERFORM create_vector_table(generation.id);
        EXECUTE format('INSERT INTO %I SELECT namespace_id, memory_id, embedding::public.halfvec FROM array_vectors '
                       'ORDER BY namespace_id, memory_id', 'memory_vectors_' || generation.id);
        DROP TABLE array_vectors;
        upgraded := upgraded + 1;
    END LOOP;
    RETURN upgraded;
END $$;
COMMENT ON FUNCTION upgrade_vector_tables IS
    'Turn plain arrays into pgvector''s type once the extension is there; returns how many tables were turned.';

CREATE FUNCTION backfill_generation(generation bigint, batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    building model_generations;
    passed bigint;
BEGIN
    -- One process does it; others find the row locked.
    SELECT * INTO building FROM model_generations
     WHERE id = generation AND state = 'building' AND backfilled_at IS NULL FOR UPDATE SKIP LOCKED;
    -- Every write that did not see the generation must have ended: then it is visible here, and later ones owe their
    -- vectors themselves. Ids alone could not tell, since they are committed out of order.
    IF building.id IS NULL OR pg_snapshot_xmin(pg_current_snapshot()) <= building.created_xid THEN
        RETURN 0;
    END IF;
    EXECUTE format($statement$
        WITH next AS (
            SELECT namespace_id, id, content <> '' AS wanted FROM memories
             WHERE (namespace_id, id) > ($1, $2) ORDER BY namespace_id, id LIMIT $3
        ), queued AS (
            INSERT INTO embedding_queue (namespace_id, memory_id, generation_id)
            SELECT n.namespace_id, n.id, $4 FROM next n
             WHERE n.wanted
               AND NOT EXISTS (SELECT FROM %I v WHERE v.namespace_id = n.namespace_id AND v.memory_id = n.id)
             ORDER BY n.namespace_id, n.id
                ON CONFLICT DO NOTHING
        ), last AS (
            SELECT namespace_id, id FROM next ORDER BY namespace_id DESC, id DESC LIMIT 1
        ), moved AS (
            UPDATE model_generations g SET backfilled_namespace = last.namespace_id, backfilled_memory = last.id
              FROM last WHERE g.id = $4
        )
        SELECT count(*) FROM next
    $statement$, 'memory_vectors_' || generation
    ) INTO passed USING building.backfilled_namespace, building.backfilled_memory, batch, generation;
    IF passed < batch THEN
        UPDATE model_generations SET backfilled_at = now() WHERE id = generation;
    END IF;
    RETURN passed;
END $$;
COMMENT ON FUNCTION backfill_generation IS
    'Let up to `batch` older passages owe a vector to a generation that is being built; returns how many were looked at.';
REVOKE ALL ON FUNCTION backfill_generation FROM PUBLIC;
GRANT EXECUTE ON FUNCTION backfill_generation TO everword_embedder;

CREATE FUNCTION generation_is_complete(generation bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    -- What was written since the backlog was queued may still be owed, as it may be to the active generation.
    SELECT g.backfilled_at IS NOT NULL AND NOT EXISTS (
               SELECT FROM embedding_queue q
                WHERE q.generation_id = g.id AND q.state = 'owed' AND q.enqueued_at <= g.backfilled_at)
      FROM model_generations g WHERE g.id = generation
$$;
COMMENT ON FUNCTION generation_is_complete IS 'Whether nothing is owed any more from before the generation was built.';

CREATE FUNCTION drop_vector_table(generation bigint) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    EXECUTE format('DROP VIEW %I', 'visible_vectors_' || generation);
    EXECUTE format('DROP TABLE %I', 'memory_vectors_' || generation);
    DELETE FROM embedding_queue WHERE generation_id = generation;
    DELETE FROM model_generations WHERE id = generation;
END $$;
COMMENT ON FUNCTION drop_vector_table IS 'Remove a generation with its vectors.';

REVOKE ALL ON FUNCTION install_pgvector, create_vector_table, upgrade_vector_tables, drop_vector_table FROM PUBLIC;

SELECT install_pgvector();
SELECT create_vector_table(id) FROM model_generations ORDER BY id;

-- What the embedder does to generations.
GRANT UPDATE (background_mean, background_deviation) ON model_generations TO everword_embedder;

-- Erasing a namespace now erases its vectors too.
CREATE OR REPLACE FUNCTION erase_namespace_rows(target bigint, batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    erased bigint;
    child text;
    children text[] := ARRAY['embedding_queue', 'memory_use', 'memory_classes', 'memories', 'messages',
                             'append_requests', 'conversations', 'jobs', 'corpus_counts', 'api_keys'];
BEGIN
    IF NOT EXISTS (SELECT FROM namespaces WHERE id = target AND state = 'deleting') THEN
        RETURN 0;
    END IF;
    -- Children before parents; one table a call keeps the transaction short.
    FOREACH child IN ARRAY ARRAY(SELECT 'memory_vectors_' || id FROM model_generations ORDER BY id) || children LOOP
        EXECUTE format(
            'DELETE FROM %1$I WHERE namespace_id = $1 AND (tableoid, ctid) IN '
            '(SELECT tableoid, ctid FROM %1$I WHERE namespace_id = $1 LIMIT $2)', child
        ) USING target, batch;
        GET DIAGNOSTICS erased = ROW_COUNT;
        IF erased > 0 THEN
            RETURN erased;
        END IF;
    END LOOP;
    DELETE FROM namespaces WHERE id = target;
    RETURN 0;
END $$;
