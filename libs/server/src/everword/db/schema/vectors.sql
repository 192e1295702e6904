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
    -- Virtual ids of the transactions that wrote passages when the creation had ended: they may not have seen the generation
    -- and enqueued nothing for it. Null until they are recorded; the backlog is read after their end.
    awaited_writers text[],
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
GRANT SELECT, INSERT, DELETE ON embedding_queue TO everword_ingest;
GRANT SELECT ON embedding_queue TO everword_search;
GRANT SELECT, INSERT, UPDATE, DELETE ON embedding_queue TO everword_compactor, everword_embedder;
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
    -- Scoped calls see ids and vectors only, and delete those of passages that they replace.
    PERFORM isolate_table(vectors, NULL);
    EXECUTE format(
        'CREATE VIEW %I AS SELECT * FROM %I '
        'WHERE namespace_id = nullif(current_setting(''everword.namespace_id'', true), '''')::bigint '
        'WITH LOCAL CHECK OPTION', visible, vectors
    );
    EXECUTE format('GRANT SELECT ON %I TO everword_search, everword_search_scoped, everword_compactor', visible);
    EXECUTE format('GRANT SELECT ON %I TO everword_embedder', visible);
    EXECUTE format('GRANT SELECT (namespace_id, memory_id, embedding), INSERT, UPDATE (embedding) ON %I TO everword_embedder',
                   vectors);
    EXECUTE format('GRANT SELECT (namespace_id, memory_id), DELETE ON %I TO everword_ingest, everword_ingest_scoped, '
                   'everword_compactor', vectors);
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
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
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
        OR EXISTS (SELECT 1 FROM summary_sources s
                    WHERE s.namespace_id = namespace AND s.summary_id = source
                      AND NOT EXISTS (SELECT 1 FROM memories m
                                       WHERE m.namespace_id = namespace AND m.source_id = coalesce(s.message_id, s.child_id)));
END $$;
COMMENT ON FUNCTION needs_vector IS
    'Return whether a passage gets vectors. A passage without text gets none. If all sources of an extractive summary are in the '
    'index, only the first passage of a leaf gets one. `source` is the memory of the passage.';

CREATE FUNCTION missing_vectors(namespace bigint, generation bigint, after bigint, last bigint) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    passage record;
BEGIN
    FOR passage IN EXECUTE format($statement$
        SELECT m.id, m.kind, m.source_id, m.part
          FROM visible_memories m
          LEFT JOIN %I v ON v.namespace_id = $1 AND v.memory_id = m.id
          LEFT JOIN embedding_queue q ON q.namespace_id = $1 AND q.memory_id = m.id AND q.generation_id = $2
         WHERE m.namespace_id = $1 AND m.id > $3 AND m.id <= $4 AND m.content <> ''
           AND v.memory_id IS NULL AND q.state IS DISTINCT FROM 'pending'
         ORDER BY m.id
    $statement$, 'visible_vectors_' || generation) USING namespace, generation, after, last LOOP
        -- Called here, because nodes of a distributed database call no function that reads tables.
        IF passage.kind <> 2 OR needs_vector(namespace, passage.kind, passage.source_id, passage.part, 'has text') THEN
            RETURN NEXT passage.id;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION missing_vectors IS
    'Return the passages of the transaction''s namespace after `after` and up to `last` that need a vector of a generation and have '
    'none, stored or pending. Parked ones are among them.';

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
    -- Citus locks a reference table that a writing statement reads on the first worker, also for the other workers' namespaces.
    generation_ids constant bigint[] := ARRAY(SELECT id FROM model_generations WHERE state IN ('building', 'active'));
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
         CROSS JOIN unnest(generation_ids) AS generations (id)
         WHERE t.namespace_id = namespace
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

CREATE FUNCTION passage_writers() RETURNS text[]
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    -- Such a transaction locks `memories` before it reads the generations, and until it ends.
    SELECT coalesce(array_agg(DISTINCT l.virtualtransaction), '{}')
      FROM pg_locks l JOIN pg_database d ON d.oid = l.database
     WHERE d.datname = current_database() AND l.relation = 'memories'::regclass AND l.mode = 'RowExclusiveLock'
$$;
COMMENT ON FUNCTION passage_writers IS
    'Return the virtual ids of the open transactions that write passages. In a distributed database they lock the table on the '
    'coordinator, where services connect.';

CREATE FUNCTION backfill_generation(generation bigint, batch bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    building model_generations;
    namespace bigint;
    after bigint;
    last bigint;
    counted bigint;
    missing bigint[];
    passed bigint := 0;
    finished timestamptz;
BEGIN
    -- One process at a time; others skip the locked row.
    SELECT * INTO building FROM model_generations
     WHERE id = generation AND state = 'building' AND backfilled_at IS NULL FOR UPDATE SKIP LOCKED;
    -- Once the awaited transactions have ended, the rows of every write that did not see the generation are visible here,
    -- and later writes enqueue their vectors themselves. Ids are no criterion, because they commit out of order.
    IF building.id IS NULL OR building.awaited_writers IS NULL OR building.awaited_writers && passage_writers() THEN
        RETURN 0;
    END IF;
    namespace := building.backfilled_namespace;
    after := building.backfilled_memory;
    -- Each statement reads one namespace, so that one node answers it.
    WHILE passed < batch AND finished IS NULL LOOP
        SELECT count(*), max(next.id) INTO counted, last
          FROM (SELECT m.id FROM memories m
                 WHERE m.namespace_id = namespace AND m.id > after ORDER BY m.id LIMIT batch - passed) AS next;
        IF counted > 0 THEN
            -- On all nodes, unlike set_config(): see send_settings.
            EXECUTE format('SET LOCAL everword.namespace_id = %L', namespace);
            missing := ARRAY(SELECT missing_vectors(namespace, generation, after, last));
            INSERT INTO embedding_queue (namespace_id, memory_id, generation_id)
            SELECT t.namespace_id, v.memory_id, generation
              FROM tenants t CROSS JOIN unnest(missing) AS v (memory_id)
             WHERE t.namespace_id = namespace
                ON CONFLICT DO NOTHING;
            after := last;
        END IF;
        -- A namespace counts as a passage, so that a call takes a bounded time.
        passed := passed + 1 + counted;
        IF passed < batch THEN
            namespace := (SELECT min(n.id) FROM namespaces n WHERE n.id > namespace);
            after := 0;
            finished := CASE WHEN namespace IS NULL THEN clock_timestamp() END;
        END IF;
    END LOOP;
    UPDATE model_generations
       SET backfilled_namespace = coalesce(namespace, 0), backfilled_memory = after, backfilled_at = finished
     WHERE id = generation;
    RETURN passed;
END $$;
COMMENT ON FUNCTION backfill_generation IS
    'Enqueue vectors of older passages of a building generation; return how many passages and namespaces it read, about `batch`.';

CREATE FUNCTION generation_is_complete(generation bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    queued_until constant timestamptz := (SELECT g.backfilled_at FROM model_generations g WHERE g.id = generation);
BEGIN
    -- Vectors of later writes may be pending, as they may be for the active generation.
    RETURN queued_until IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM embedding_queue q
         WHERE q.generation_id = generation AND q.state = 'pending' AND q.enqueued_at <= queued_until);
END $$;
COMMENT ON FUNCTION generation_is_complete IS 'Return whether no vector from before the generation was built is pending.';

CREATE FUNCTION divide_batch(generation bigint, after bigint, batch bigint, few bigint, only_few boolean, early boolean)
RETURNS TABLE (namespace_id bigint, share bigint)
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    latest constant timestamptz := now() + CASE WHEN early THEN interval '1 minute' ELSE interval '0' END;
    turns bigint[] := '{}';
    counts bigint[] := '{}';
    claimed bigint := 0;
    start bigint := after;
    is_wrapped boolean := false;
    is_done boolean := false;
    due bigint[];
    candidate bigint;
    counted bigint;
BEGIN
    WHILE NOT is_done LOOP
        -- The next due vectors, by their namespaces: many small ones, or a large one whose other vectors are skipped. So the cost
        -- does not depend on the sizes of namespaces, and few statements go to all nodes of a distributed database.
        due := ARRAY(SELECT q.namespace_id FROM embedding_queue q
                      WHERE q.generation_id = generation AND q.state = 'pending' AND q.namespace_id > start
                        AND q.not_before <= latest
                        AND (q.not_before <= now() OR q.not_before = q.enqueued_at + interval '1 minute')
                      -- A limit in a parameter would let each call plan anew. It must be at least `batch`, and more than `few`.
                      ORDER BY q.namespace_id, q.not_before LIMIT 100);
        IF cardinality(due) = 0 THEN
            -- After the last namespace come those up to `after`.
            is_done := is_wrapped;
            is_wrapped := true;
            start := 0;
        END IF;
        FOR candidate, counted IN SELECT d.id, count(*) FROM unnest(due) AS d (id) GROUP BY d.id ORDER BY d.id LOOP
            is_done := claimed >= batch OR (is_wrapped AND candidate > after);
            -- More vectors of the last namespace may follow; the next statement begins with it.
            EXIT WHEN is_done OR (candidate = due[100] AND candidate > due[1]);
            start := candidate;
            CONTINUE WHEN only_few AND counted > few;
            CONTINUE WHEN EXISTS (SELECT 1 FROM embedding_pauses p
                                   WHERE p.namespace_id = candidate AND p.generation_id = generation AND p.until > now());
            turns := turns || candidate;
            counts := counts || counted;
            claimed := claimed + least(counted, few);
        END LOOP;
    END LOOP;
    RETURN QUERY
    SELECT taken.namespace_id, count(*)
      FROM (SELECT t.namespace_id
              FROM unnest(turns, counts) WITH ORDINALITY AS t (namespace_id, counted, turn)
             CROSS JOIN generate_series(1, t.counted) AS place
             ORDER BY greatest(place, few), t.turn, place LIMIT batch) AS taken
     GROUP BY taken.namespace_id
     ORDER BY taken.namespace_id;
END $$;
COMMENT ON FUNCTION divide_batch IS
    'Return namespaces with pending vectors of a generation, and each one''s share of the next batch. Namespaces take turns, '
    'starting after `after`. Each gets at most `few` vectors; if few namespaces have pending vectors, they share the rest. With '
    '`only_few`, larger namespaces are skipped. With `early`, derived text is included before its minute has passed.';

CREATE FUNCTION earliest_pending()
RETURNS TABLE (generation_id bigint, namespace_id bigint, not_before timestamptz, enqueued_at timestamptz)
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    start bigint;
    is_found boolean;
BEGIN
    FOR generation_id IN SELECT g.id FROM model_generations g WHERE g.state IN ('active', 'building') ORDER BY g.id LOOP
        start := 0;
        is_found := true;
        WHILE is_found LOOP
            is_found := false;
            -- Skips from namespace to namespace as divide_batch does.
            FOR namespace_id, not_before, enqueued_at IN
                SELECT q.namespace_id, q.not_before, q.enqueued_at FROM embedding_queue q
                 WHERE q.generation_id = earliest_pending.generation_id AND q.state = 'pending' AND q.namespace_id > start
                 ORDER BY q.namespace_id, q.not_before LIMIT 16
            LOOP
                is_found := true;
                IF namespace_id > start THEN
                    start := namespace_id;
                    RETURN NEXT;
                END IF;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
COMMENT ON FUNCTION earliest_pending IS 'Return the next pending vector of each namespace and live generation.';

CREATE FUNCTION forgotten_namespaces(max_wait_s double precision) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    late bigint[];
    namespaces bigint[];
    generations bigint[];
BEGIN
    SELECT array_agg(p.namespace_id), array_agg(p.generation_id) INTO namespaces, generations
      FROM embedding_pauses p WHERE p.until > now();
    SELECT array_agg(DISTINCT e.namespace_id) INTO late
      FROM (SELECT p.namespace_id, p.generation_id FROM earliest_pending() p
             WHERE p.not_before <= now() - make_interval(secs => max_wait_s)
            EXCEPT
            SELECT * FROM unnest(namespaces, generations)) AS e;
    RETURN QUERY
    SELECT unnest(late)
    EXCEPT
    SELECT j.namespace_id FROM jobs j
     WHERE j.namespace_id = ANY(late) AND j.task = 'embed' AND j.state IN ('pending', 'running')
     ORDER BY 1;
END $$;
COMMENT ON FUNCTION forgotten_namespaces IS
    'Return namespaces with vectors that have been due for `max_wait_s` seconds, and no open embedding job, because nothing '
    'scheduled one or because a pause has ended.';

GRANT EXECUTE ON FUNCTION backfill_generation, divide_batch, earliest_pending, forgotten_namespaces TO everword_embedder;
GRANT EXECUTE ON FUNCTION missing_vectors TO everword_compactor;
GRANT EXECUTE ON FUNCTION needs_vector, insert_passages TO everword_ingest, everword_compactor;

SELECT install_pgvector();
SELECT create_vector_table(id) FROM model_generations ORDER BY id;
