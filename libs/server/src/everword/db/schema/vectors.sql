-- Vectors: one narrow table for each model generation, read through a view, like memories.

CREATE TABLE model_generations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state text NOT NULL CHECK (state IN (
        'building', -- vectors are being made; not searched yet
        'active',   -- searched
        'retiring'  -- searches that began before the switch may still use it
    )),
    provider text NOT NULL,
    -- URL of a server; for a local model the folder of its files, empty for the packaged model.
    endpoint text NOT NULL DEFAULT '',
    model text NOT NULL,
    dimensions integer NOT NULL CHECK (dimensions BETWEEN 1 AND 4000),
    query_prefix text NOT NULL DEFAULT '',
    passage_prefix text NOT NULL DEFAULT '',
    -- The next four columns are for a model in a folder.
    weights text NOT NULL DEFAULT '', -- path of the ONNX file in the folder
    files_sha256 text NOT NULL DEFAULT '',
    pooling text NOT NULL DEFAULT 'mean' CHECK (pooling IN ('mean', 'cls', 'last', 'graph')),
    max_tokens integer CHECK (max_tokens > 0), -- null for other models
    size_bytes bigint, -- null if unknown
    languages text[] NOT NULL DEFAULT '{}', -- of the model card; empty if unknown
    created_at timestamptz NOT NULL DEFAULT now(),
    storage text NOT NULL DEFAULT 'array' CHECK (storage IN (
        'halfvec', -- pgvector: exact in small scopes, HNSW in large ones
        'array'    -- no pgvector: exact over plain arrays
    )),
    -- If true, longer vectors are cut to `dimensions`; otherwise a longer vector is rejected, because it is from
    -- another model.
    matryoshka boolean NOT NULL DEFAULT false,
    -- Writes that began before this transaction may not have seen the generation and enqueued nothing for it.
    created_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    backfilled_namespace bigint NOT NULL DEFAULT 0,
    backfilled_memory bigint NOT NULL DEFAULT 0,
    backfilled_at timestamptz,
    background_mean real,
    background_deviation real,
    other_languages boolean NOT NULL DEFAULT false, -- true once the packaged model embedded a text that is not English
    retired_at timestamptz
);
COMMENT ON TABLE model_generations IS 'Embedding models. Writes enqueue vectors for every building and active one.';
COMMENT ON COLUMN model_generations.backfilled_memory IS 'Last enqueued passage of the backlog; backfilled_at is set at its end.';
COMMENT ON COLUMN model_generations.background_mean IS 'Mean cosine of unrelated passages, which differs from model to model.';
COMMENT ON COLUMN model_generations.other_languages IS 'If true, the embedder loads its model for other languages at its start.';
-- A search uses one generation.
CREATE UNIQUE INDEX model_generations_active ON model_generations (state) WHERE state = 'active';
GRANT SELECT ON model_generations TO everword_ingest, everword_search, everword_compactor;
GRANT SELECT, UPDATE (background_mean, background_deviation, other_languages) ON model_generations TO everword_embedder;

-- The first generation is as old as the schema, so it has no backlog.
INSERT INTO model_generations (state, provider, model, dimensions, query_prefix, passage_prefix, size_bytes, languages,
                               backfilled_at)
VALUES ('active', 'local', 'minilm-e5', 384, 'query: ', 'passage: ', 95017266, '{multilingual}', now());

CREATE TABLE embedding_queue (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    memory_id bigint NOT NULL,
    generation_id bigint NOT NULL REFERENCES model_generations (id),
    state text NOT NULL DEFAULT 'pending' CHECK (state IN (
        'pending', -- waits for its vector
        'failed'   -- given up, with an error
    )),
    attempts integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT now(),
    error text,
    enqueued_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, memory_id, generation_id)
);
COMMENT ON TABLE embedding_queue IS 'Vectors of passages that are pending or failed, for a generation.';
-- For counts of coverage.
CREATE INDEX embedding_queue_failed ON embedding_queue (generation_id) WHERE state = 'failed';
CREATE INDEX embedding_queue_turns ON embedding_queue (generation_id, namespace_id, not_before, memory_id) WHERE state = 'pending';
GRANT SELECT, INSERT ON embedding_queue TO everword_ingest;
GRANT SELECT ON embedding_queue TO everword_search;
GRANT SELECT, INSERT, UPDATE ON embedding_queue TO everword_compactor;
GRANT SELECT, INSERT, UPDATE, DELETE ON embedding_queue TO everword_embedder;
INSERT INTO erasure_rules VALUES ('kept', 8, 'embedding_queue', '', NULL, 'remove_passages removes what waits.');
INSERT INTO transfer_rules VALUES ('embedding_queue', 201, NULL, '{}', 'Rebuilt by the import: every passage is queued for its vectors.');

CREATE TABLE embedding_pauses (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    generation_id bigint NOT NULL REFERENCES model_generations (id) ON DELETE CASCADE,
    until timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, generation_id)
);
COMMENT ON TABLE embedding_pauses IS
    'Namespaces whose embedding is paused until a time, because their budget is spent. A new budget ends the pause.';
GRANT SELECT, DELETE ON embedding_pauses TO everword_ingest;
GRANT SELECT, INSERT, UPDATE ON embedding_pauses TO everword_embedder;
INSERT INTO erasure_rules VALUES ('kept', 30, 'embedding_pauses', '', NULL, 'Ids and times.');
INSERT INTO transfer_rules VALUES ('embedding_pauses', 252, NULL, '{}', 'Written again when a budget is used up.');

CREATE TABLE calibrations (
    profile text NOT NULL, -- of HYBRID, or the name of a mode with one arm
    generation_id bigint REFERENCES model_generations (id) ON DELETE CASCADE,
    evidence double precision[] NOT NULL,
    relevance double precision[] NOT NULL CHECK (cardinality(relevance) = cardinality(evidence)),
    floor double precision NOT NULL CHECK (floor BETWEEN 0 AND 1),
    provenance jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (profile, generation_id)
);
COMMENT ON TABLE calibrations IS 'Maps from evidence to relevance (0-1): knots of piecewise linear functions, per profile and generation.';
COMMENT ON COLUMN calibrations.floor IS 'Minimum relevance of the best result; below it, no result is relevant.';
GRANT SELECT ON calibrations TO everword_search;

-- The type of a new table depends on the database in which it is created, not on the release.
CREATE FUNCTION has_pgvector() RETURNS boolean
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector')
$$;
COMMENT ON FUNCTION has_pgvector IS 'Return whether this database has the extension vector.';

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
COMMENT ON FUNCTION install_pgvector IS 'Create the extension vector if the server has it; return whether it exists.';

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
COMMENT ON FUNCTION index_vectors IS 'Create the index over a generation''s vectors; indexes that partitions have already become its parts.';

CREATE FUNCTION create_vector_table(generation bigint, indexed boolean DEFAULT true) RETURNS void
LANGUAGE plpgsql SET search_path = everword, public, pg_temp AS $$
DECLARE
    vectors text := 'memory_vectors_' || generation;
    visible text := 'visible_vectors_' || generation;
    halfvec boolean := has_pgvector();
    width integer := (SELECT dimensions FROM model_generations WHERE id = generation);
BEGIN
    EXECUTE format(
        -- The foreign key prevents that a vector stored during the deletion of its namespace is left behind.
        'CREATE TABLE %I (namespace_id bigint NOT NULL REFERENCES namespaces (id), memory_id bigint NOT NULL, '
        'embedding %s NOT NULL, PRIMARY KEY (namespace_id, memory_id)) PARTITION BY HASH (namespace_id)',
        vectors, CASE WHEN halfvec THEN format('public.halfvec(%s)', width) ELSE 'real[]' END
    );
    -- Stored in line: out of line, every comparison fetches its vector from another page, and exact scans take 2-6
    -- times as long.
    EXECUTE format('ALTER TABLE %I ALTER COLUMN embedding SET STORAGE %s', vectors,
                   CASE WHEN halfvec THEN 'PLAIN' ELSE 'EXTERNAL' END);
    PERFORM create_partitions(vectors);
    PERFORM isolate_table(vectors);
    EXECUTE format(
        'CREATE VIEW %I AS SELECT * FROM %I '
        'WHERE namespace_id = nullif(current_setting(''everword.namespace_id'', true), '''')::bigint '
        'WITH LOCAL CHECK OPTION', visible, vectors
    );
    EXECUTE format('GRANT SELECT ON %I TO everword_search, everword_search_scoped, everword_compactor', visible);
    EXECUTE format('GRANT SELECT ON %I TO everword_embedder', visible);
    EXECUTE format('GRANT SELECT (namespace_id, memory_id, embedding), INSERT, UPDATE (embedding) ON %I TO everword_embedder',
                   vectors);
    UPDATE model_generations SET storage = CASE WHEN halfvec THEN 'halfvec' ELSE 'array' END WHERE id = generation;
    IF indexed THEN
        PERFORM index_vectors(generation);
    END IF;
END $$;
COMMENT ON FUNCTION create_vector_table IS 'Create the table and view of a generation''s vectors, and the index if it is `indexed`.';

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
COMMENT ON FUNCTION upgrade_vector_tables IS 'Convert plain arrays to halfvec once pgvector exists; return how many tables.';

CREATE FUNCTION drop_vector_table(generation bigint) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    EXECUTE format('DROP VIEW %I', 'visible_vectors_' || generation);
    EXECUTE format('DROP TABLE %I', 'memory_vectors_' || generation);
    DELETE FROM embedding_queue WHERE generation_id = generation;
    DELETE FROM model_generations WHERE id = generation;
END $$;
COMMENT ON FUNCTION drop_vector_table IS 'Delete a generation with its vectors.';

-- An extractive summary that quotes indexed messages verbatim gets one vector per leaf, because the messages have
-- vectors of the same text.
CREATE FUNCTION needs_vector(namespace bigint, kind smallint, source uuid, part integer, content text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = everword, pg_temp AS $$
DECLARE
    node_level smallint;
BEGIN
    IF content = '' OR kind <> 2 THEN
        RETURN content <> '';
    END IF;
    SELECT level INTO node_level FROM summaries WHERE namespace_id = namespace AND id = source AND model = 'extractive';
    RETURN node_level IS NULL
        OR (node_level = 1 AND part = 0)
        -- A channel policy may exclude the messages from the index; then only the summary has their text.
        OR EXISTS (SELECT FROM summary_sources s
                    WHERE s.namespace_id = namespace AND s.summary_id = source
                      AND NOT EXISTS (SELECT FROM memories m
                                       WHERE m.namespace_id = namespace AND m.source_id = coalesce(s.message_id, s.child_id)));
END $$;
COMMENT ON FUNCTION needs_vector IS
    'Return whether a passage gets vectors. A passage without text gets none. If all sources of an extractive summary are in the '
    'index, only the first passage of a leaf gets one. `source` is the memory of the passage.';

CREATE FUNCTION insert_passages(
    namespace bigint, kinds smallint[], source_ids uuid[], parts integer[], conversation_ids uuid[], seqs bigint[], agents text[],
    subjects text[], channels text[], instances text[], authors text[], roles smallint[], tag_literals text[],
    importance_classes smallint[], automated_flags boolean[], occurred timestamptz[], contents text[], lexeme_texts text[],
    literal_texts text[], rankings bytea[], valid_after timestamptz, valid_before timestamptz, known_after timestamptz,
    message_count bigint, turn_count bigint, bytes bigint, author_name_list text[], vector_delay_s double precision)
RETURNS bigint
LANGUAGE plpgsql SET search_path = everword, public, pg_temp AS $$
DECLARE
    -- Ids are known before, and each table has a statement: so each statement runs where the namespace is.
    ids constant bigint[] := ARRAY(SELECT nextval('memory_ids') FROM generate_series(1, coalesce(cardinality(source_ids), 0)));
    vectors constant tsvector[] := ARRAY(SELECT text::tsvector FROM unnest(lexeme_texts) AS text);
    -- A position takes two bytes in a sent tsvector: comparing its length with and without positions counts them in a tenth
    -- of the time of unnest.
    counts constant integer[] := ARRAY(
        SELECT (octet_length(tsvectorsend(vector)) - octet_length(tsvectorsend(strip(vector)))) / 2 FROM unnest(vectors) AS vector);
    words constant bigint := (SELECT coalesce(sum(n), 0) FROM unnest(counts) AS n);
    wanted bigint[];
    added bigint;
BEGIN
    IF cardinality(ids) > 0 THEN
        INSERT INTO memories (namespace_id, id, kind, source_id, part, conversation_id, seq, agent, subject, channel,
                              instance, author, role, tags, importance_class, automated, occurred_at, content,
                              lexemes, lexeme_count, literals, ranking, valid_from, valid_until, known_from)
        SELECT t.namespace_id, p.id, p.kind, p.source_id, p.part, p.conversation_id, p.seq, p.agent, p.subject,
               p.channel, p.instance, p.author, p.role, p.tags::text[], p.importance_class, p.automated, p.occurred_at,
               p.content, p.lexemes, p.lexeme_count, p.literals, p.ranking, valid_after, valid_before, known_after
          FROM tenants t
         CROSS JOIN unnest(ids, kinds, source_ids, parts, conversation_ids, seqs, agents, subjects, channels, instances,
                           authors, roles, tag_literals, importance_classes, automated_flags, occurred, contents,
                           vectors, counts, literal_texts, rankings)
            AS p (id, kind, source_id, part, conversation_id, seq, agent, subject, channel, instance, author, role, tags,
                  importance_class, automated, occurred_at, content, lexemes, lexeme_count, literals, ranking)
         WHERE t.namespace_id = namespace;
        GET DIAGNOSTICS added = ROW_COUNT;
        IF added <> cardinality(ids) THEN
            RAISE foreign_key_violation USING MESSAGE = format('namespace %s has no row of tenants', namespace);
        END IF;
        wanted := ids;
        IF '' = ANY(contents) OR 2 = ANY(kinds) THEN
            SELECT array_agg(p.id ORDER BY p.id) INTO wanted
              FROM unnest(ids, kinds, source_ids, parts, contents) AS p (id, kind, source_id, part, content)
             WHERE needs_vector(namespace, p.kind, p.source_id, p.part, p.content);
        END IF;
        INSERT INTO embedding_queue (namespace_id, memory_id, generation_id, not_before)
        SELECT t.namespace_id, p.id, generations.id, now() + make_interval(secs => vector_delay_s)
          FROM tenants t
         CROSS JOIN unnest(wanted) AS p (id)
         CROSS JOIN model_generations AS generations
         WHERE t.namespace_id = namespace AND generations.state IN ('building', 'active')
         ORDER BY p.id;
        PERFORM log_memory_changes(source_ids);
    END IF;
    INSERT INTO corpus_counts (namespace_id, messages, turns, passages, lexemes, content_bytes)
    VALUES (namespace, message_count, turn_count, cardinality(ids), words, bytes);
    IF cardinality(author_name_list) > 0 THEN
        -- Names are sorted, and locked last, so that concurrent writes with the same new names cannot deadlock.
        INSERT INTO author_names (namespace_id, name)
        SELECT t.namespace_id, author
          FROM tenants t
         CROSS JOIN unnest(author_name_list) AS author
         WHERE t.namespace_id = namespace
            ON CONFLICT DO NOTHING;
    END IF;
    RETURN coalesce(ids[cardinality(ids)], 0);
END $$;
COMMENT ON FUNCTION insert_passages IS
    'Index passages, enqueue their vectors for every live model generation, count them, and store their authors'' names; return '
    'the highest id. Tags are literals of arrays.';

CREATE FUNCTION backfill_generation(generation bigint, batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    building model_generations;
    passed bigint;
BEGIN
    -- One process at a time; others skip the locked row.
    SELECT * INTO building FROM model_generations
     WHERE id = generation AND state = 'building' AND backfilled_at IS NULL FOR UPDATE SKIP LOCKED;
    -- Wait until every write that did not see the generation has ended. Then its rows are visible here, and later
    -- writes enqueue their vectors themselves. Ids are no criterion, because they commit out of order.
    IF building.id IS NULL OR pg_snapshot_xmin(pg_current_snapshot()) <= building.created_xid THEN
        RETURN 0;
    END IF;
    EXECUTE format($statement$
        WITH next AS (
            SELECT namespace_id, id, needs_vector(namespace_id, kind, source_id, part, content) AS wanted FROM memories
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
    'Enqueue vectors of up to `batch` older passages of a building generation; return how many it read.';

CREATE FUNCTION generation_is_complete(generation bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    -- Vectors of later writes may be pending, as they may be for the active generation.
    SELECT g.backfilled_at IS NOT NULL AND NOT EXISTS (
               SELECT FROM embedding_queue q
                WHERE q.generation_id = g.id AND q.state = 'pending' AND q.enqueued_at <= g.backfilled_at)
      FROM model_generations g WHERE g.id = generation
$$;
COMMENT ON FUNCTION generation_is_complete IS 'Return whether no vector from before the generation was built is pending.';

GRANT EXECUTE ON FUNCTION backfill_generation TO everword_embedder;
GRANT EXECUTE ON FUNCTION needs_vector, insert_passages TO everword_ingest, everword_compactor;

SELECT install_pgvector();
SELECT create_vector_table(id) FROM model_generations ORDER BY id;
