-- The schema after all migrations, for reading. Made by `make schema`; never edited, never applied.
CREATE SCHEMA everword;

CREATE SCHEMA everword_scoped;

CREATE FUNCTION everword.add_budget_events(reached jsonb, batch uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('budget_events', namespace));
    INSERT INTO budget_events (namespace_id, budget_id, period, exceeded, cost, tokens, max_cost, currency, max_tokens,
                               warn_percent, batch_id)
    SELECT namespace, b.id, r.period, r.exceeded, r.cost, r.tokens, b.max_cost, b.currency, b.max_tokens, b.warn_percent, batch
      FROM ROWS FROM (jsonb_to_recordset(reached) AS (
           budget_id uuid, period text, exceeded boolean, cost numeric, tokens bigint)) WITH ORDINALITY AS r
      JOIN budgets b ON b.namespace_id = namespace AND b.id = r.budget_id
     ORDER BY r.ordinality;
END $$;

COMMENT ON FUNCTION everword.add_budget_events(reached jsonb, batch uuid) IS 'Record that budgets came to a threshold, in the namespace that the transaction is set to.';

CREATE FUNCTION everword.agent_of(conversation uuid) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT agent FROM conversations
     WHERE namespace_id = nullif(current_setting('everword.namespace_id', true), '')::bigint AND id = conversation
$$;

COMMENT ON FUNCTION everword.agent_of(conversation uuid) IS 'Whose a conversation is, of the namespace that the transaction is set to.';

CREATE FUNCTION everword.api_keys_exist() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT closed FROM deployment
$$;

COMMENT ON FUNCTION everword.api_keys_exist() IS 'Whether a key was ever made: from then on every call needs one.';

CREATE FUNCTION everword.authenticate_any_key(hash bytea) RETURNS TABLE(api_key_id uuid, role smallint, namespace_id bigint, namespace_name text, agent text, subject text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT a.api_key_id, a.role, a.namespace_id, a.namespace_name, k.agent, k.subject
      FROM authenticate_unscoped_key(hash) a JOIN api_keys k ON k.id = a.api_key_id
$$;

COMMENT ON FUNCTION everword.authenticate_any_key(hash bytea) IS 'Whom the key with this hash belongs to, and what it is bound to; no row where it is unknown or has ended.';

CREATE FUNCTION everword.authenticate_key(hash bytea) RETURNS TABLE(api_key_id uuid, role smallint, namespace_id bigint, namespace_name text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT api_key_id, role, namespace_id, namespace_name FROM authenticate_any_key(hash) WHERE agent = '' AND subject = ''
$$;

CREATE FUNCTION everword.authenticate_unscoped_key(hash bytea) RETURNS TABLE(api_key_id uuid, role smallint, namespace_id bigint, namespace_name text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    SELECT k.id, k.role, n.id AS namespace_id, n.name, k.last_used_at INTO key
      FROM api_keys k LEFT JOIN namespaces n ON n.id = k.namespace_id AND n.state = 'active'
     WHERE k.key_hash = hash AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now())
       AND (k.namespace_id IS NULL OR n.id IS NOT NULL);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF (key.last_used_at IS NULL OR key.last_used_at < now() - interval '1 minute')
       AND NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' THEN
        -- Whoever finds the row taken leaves it to the other: nobody waits to be let in.
        UPDATE api_keys SET last_used_at = now()
         WHERE id = (SELECT id FROM api_keys WHERE key_hash = hash FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN QUERY SELECT key.id, key.role, key.namespace_id, key.name;
END $$;

COMMENT ON FUNCTION everword.authenticate_unscoped_key(hash bytea) IS 'The only way in which services read keys: by the hash of a secret they were given.';

CREATE FUNCTION everword.backfill_generation(generation bigint, batch integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    building model_generations;
    passed bigint;
BEGIN
    -- One process does it; others find the row locked.
    SELECT * INTO building FROM model_generations
     WHERE id = generation AND state = 'building' AND backfilled_at IS NULL FOR UPDATE SKIP LOCKED;
    -- Every write that did not see the generation must have ended: then it is visible here, and later ones enqueue their
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
END $_$;

COMMENT ON FUNCTION everword.backfill_generation(generation bigint, batch integer) IS 'Enqueue the vectors of up to `batch` older passages for a generation that is being built; returns how many passages were looked at.';

CREATE FUNCTION everword.begin_erasure(erasure_id uuid, of_kind smallint, id_ uuid, name_ text, asked_by text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := erasing_namespace();
    erasure erasures;
    messages_of_it uuid[];
    did jsonb;
BEGIN
    INSERT INTO erasures (namespace_id, id, kind, target_id, target_name, target_hash, requested_by, through_passage)
    VALUES (namespace, erasure_id, of_kind, id_, name_, salted_hash(namespace::text, of_kind::text, coalesce(id_::text, name_)),
            asked_by, (SELECT last_value FROM memory_ids))
    RETURNING * INTO erasure;
    PERFORM fence_jobs();
    PERFORM forget_errors();
    SELECT * INTO did, messages_of_it FROM withdraw_target(erasure);
    UPDATE namespaces SET hides = hides + 1 WHERE id = namespace;
    PERFORM count_erased(erasure_id, did);
    RETURN did || jsonb_build_object('messages_left', cardinality(messages_of_it));
END $$;

COMMENT ON FUNCTION everword.begin_erasure(erasure_id uuid, of_kind smallint, id_ uuid, name_ text, asked_by text) IS 'Write down an erasure, hide its target from every read, and take away what was derived across messages. The messages themselves, which no service sees any more, are left to erase_batch.';

CREATE FUNCTION everword.begin_namespace_deletion(name_ text, key_id uuid, asked_by text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    target bigint;
BEGIN
    UPDATE namespaces SET state = 'deleting' WHERE name = name_ RETURNING id INTO target;
    PERFORM record_namespace_deletion(target, key_id, asked_by);
    RETURN target;
END $$;

COMMENT ON FUNCTION everword.begin_namespace_deletion(name_ text, key_id uuid, asked_by text) IS 'Make a namespace invisible for everyone, and write that down; returns its id, also where that was done before, and NULL where there is no such namespace.';

CREATE FUNCTION everword.budget_is_reached(cost numeric, tokens bigint, max_cost numeric, max_tokens bigint, percent integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT coalesce(cost * 100 >= max_cost * percent, false) OR coalesce(tokens * 100::numeric >= max_tokens * percent::numeric, false)
$$;

COMMENT ON FUNCTION everword.budget_is_reached(cost numeric, tokens bigint, max_cost numeric, max_tokens bigint, percent integer) IS 'Whether so many percent of one of the limits are used.';

CREATE FUNCTION everword.changed_topics(batch integer, parked interval) RETURNS TABLE(namespace_id bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT n.id
      FROM namespaces n
     WHERE n.state = 'active'
       AND EXISTS (SELECT FROM topic_changes c WHERE c.namespace_id = n.id)
       AND NOT EXISTS (SELECT FROM jobs j
                        WHERE j.namespace_id = n.id AND j.task = 'learn' AND j.subject = 'topics'
                          AND (j.state IN ('pending', 'running') OR j.state = 'failed' AND j.updated_at > now() - parked))
     ORDER BY n.id
     LIMIT batch
$$;

COMMENT ON FUNCTION everword.changed_topics(batch integer, parked interval) IS 'Namespaces with changes that nobody is to look at: ids only. One whose job was given up for less than `parked` is left out.';

CREATE FUNCTION everword.close_deployment() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    UPDATE deployment SET closed = true WHERE NOT closed
$$;

COMMENT ON FUNCTION everword.close_deployment() IS 'Let nobody in without a key from now on. Only the owner of the schema can undo it.';

CREATE FUNCTION everword.close_deployment_with_key() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
BEGIN
    PERFORM close_deployment();
    RETURN NULL;
END $$;

COMMENT ON FUNCTION everword.close_deployment_with_key() IS 'A deployment is closed by the transaction that makes its first key.';

CREATE FUNCTION everword.close_derived_passages(sources uuid[], until timestamp with time zone, disbelieved timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    changed bigint[];
BEGIN
    -- In the order of ids, as every writer locks them. Never what was said; see drop_derived_passages.
    PERFORM id FROM memories
      WHERE namespace_id = namespace AND source_id = ANY(sources) AND (kind IN (2, 4, 6) OR part = -1)
      ORDER BY id FOR UPDATE;
    WITH closed AS (
        UPDATE memories SET valid_until = coalesce(until, valid_until), known_until = coalesce(disbelieved, known_until)
         WHERE namespace_id = namespace AND source_id = ANY(sources) AND (kind IN (2, 4, 6) OR part = -1)
        RETURNING id
    )
    SELECT coalesce(array_agg(id ORDER BY id), '{}') INTO changed FROM closed;
    IF cardinality(changed) > 0 THEN
        PERFORM log_index_change('{}', changed);
    END IF;
    RETURN cardinality(changed);
END $$;

COMMENT ON FUNCTION everword.close_derived_passages(sources uuid[], until timestamp with time zone, disbelieved timestamp with time zone) IS 'Say until when what background work wrote of these memories holds, and was believed, in the namespace that the transaction is set to; NULL changes nothing. Returns how many passages.';

CREATE FUNCTION everword.count_deleted_rows(target bigint, relation text, erased bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    UPDATE namespace_deletions SET counts = merge_erased(counts, jsonb_build_object(relation, erased)) WHERE deleted_id = target
$$;

COMMENT ON FUNCTION everword.count_deleted_rows(target bigint, relation text, erased bigint) IS 'Write down how many rows of a table a step of a deletion has erased.';

CREATE FUNCTION everword.count_erased(erasure_id uuid, did jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    UPDATE erasures
       SET counts = merge_erased(counts, (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(did)
                                           WHERE jsonb_typeof(value) = 'number' AND value <> '0')),
           attempts = 0, error = NULL, updated_at = clock_timestamp()
     WHERE namespace_id = erasing_namespace() AND id = erasure_id
$$;

COMMENT ON FUNCTION everword.count_erased(erasure_id uuid, did jsonb) IS 'Add to what an erasure has done.';

CREATE FUNCTION everword.count_namespace_rows(target bigint) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    relation name;
    found_rows bigint;
    counts jsonb := '{}';
BEGIN
    -- From the catalogue, not from the list of what is erased: what one forgets, the other shows.
    FOR relation IN
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace_id'
         WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition LOOP
        EXECUTE format('SELECT count(*) FROM %1$I WHERE namespace_id = $1', relation) INTO found_rows USING target;
        IF found_rows > 0 THEN
            counts := counts || jsonb_build_object(relation, found_rows);
        END IF;
    END LOOP;
    RETURN counts;
END $_$;

COMMENT ON FUNCTION everword.count_namespace_rows(target bigint) IS 'How many rows of which tables a namespace has, as of one moment. It waits for nobody.';

CREATE FUNCTION everword.count_passages(sources uuid[]) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    namespace bigint := erasing_namespace();
    passages bigint[];
    generation bigint;
    vectors bigint;
    counts jsonb;
BEGIN
    SELECT coalesce(array_agg(m.id), '{}') INTO passages
      FROM unnest(sources) AS source (id) JOIN memories m ON m.namespace_id = namespace AND m.source_id = source.id;
    counts := jsonb_build_object('memories', cardinality(passages));
    FOR generation IN SELECT id FROM model_generations ORDER BY id LOOP
        EXECUTE format('SELECT count(*) FROM %I WHERE namespace_id = $1 AND memory_id = ANY($2)', 'memory_vectors_' || generation)
           INTO vectors USING namespace, passages;
        counts := counts || jsonb_build_object('memory_vectors_' || generation, vectors);
    END LOOP;
    RETURN counts;
END $_$;

COMMENT ON FUNCTION everword.count_passages(sources uuid[]) IS 'How many rows of which tables remove_passages would delete.';

CREATE FUNCTION everword.count_rows(of_target text, ids uuid[]) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    rule erasure_rules;
    found_rows bigint;
    counts jsonb := '{}';
BEGIN
    FOR rule IN SELECT * FROM erasure_rules WHERE target = of_target AND to_regclass(relation) IS NOT NULL ORDER BY place LOOP
        EXECUTE format('SELECT count(*) FROM %I WHERE namespace_id = $1 AND %I = ANY($2) AND (%s)', rule.relation,
                       rule.key_column, rule.only_where)
           INTO found_rows USING erasing_namespace(), ids;
        counts := merge_erased(counts, jsonb_build_object(rule.relation, found_rows));
    END LOOP;
    RETURN counts;
END $_$;

COMMENT ON FUNCTION everword.count_rows(of_target text, ids uuid[]) IS 'How many rows of which tables erase_rows would delete, for targets that nothing goes on from.';

CREATE FUNCTION everword.create_partitions(parent text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION everword.create_partitions(parent text) IS 'Create the hash partitions by namespace_id of a new table.';

CREATE FUNCTION everword.create_vector_table(generation bigint, indexed boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'public', 'pg_temp'
    AS $$
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
    EXECUTE format('GRANT SELECT ON %I TO everword_embedder', visible);
    EXECUTE format('GRANT SELECT (namespace_id, memory_id, embedding), INSERT, UPDATE (embedding) ON %I TO everword_embedder',
                   vectors);
    UPDATE model_generations SET storage = CASE WHEN halfvec THEN 'halfvec' ELSE 'array' END WHERE id = generation;
    IF indexed THEN
        PERFORM index_vectors(generation);
    END IF;
END $$;

COMMENT ON FUNCTION everword.create_vector_table(generation bigint, indexed boolean) IS 'Make the table and view of a generation''s vectors, and its index where it is to be searched.';

CREATE FUNCTION everword.document_exists(id_ uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    found_it boolean := false;
BEGIN
    IF to_regclass('documents') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM documents WHERE namespace_id = $1 AND id = $2)'
           INTO found_it USING erasing_namespace(), id_;
    END IF;
    RETURN found_it;
END $_$;

COMMENT ON FUNCTION everword.document_exists(id_ uuid) IS 'Whether there is a document of this id, in a schema that has documents.';

CREATE FUNCTION everword.drop_derived_passages(sources uuid[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    dropped bigint[];
    words bigint;
    generation bigint;
BEGIN
    -- Never what was said: only passages of summaries (kind 2), and the sentences of tool calls (part -1).
    WITH gone AS (
        DELETE FROM memories
         WHERE namespace_id = namespace AND source_id = ANY(sources) AND (kind IN (2, 4, 6, 3, 5, 7, 8) OR part = -1)
        RETURNING id, lexeme_count
    )
    SELECT coalesce(array_agg(id ORDER BY id), '{}'), coalesce(sum(lexeme_count), 0) INTO dropped, words FROM gone;
    IF cardinality(dropped) = 0 THEN
        RETURN 0;
    END IF;
    DELETE FROM embedding_queue WHERE namespace_id = namespace AND memory_id = ANY(dropped);
    FOR generation IN SELECT id FROM model_generations ORDER BY id LOOP
        EXECUTE format('DELETE FROM %I WHERE namespace_id = $1 AND memory_id = ANY($2)', 'memory_vectors_' || generation)
          USING namespace, dropped;
    END LOOP;
    INSERT INTO corpus_counts (namespace_id, passages, dropped, lexemes)
    VALUES (namespace, -cardinality(dropped), cardinality(dropped), -words);
    PERFORM log_index_change(dropped, '{}');
    RETURN cardinality(dropped);
END $_$;

COMMENT ON FUNCTION everword.drop_derived_passages(sources uuid[]) IS 'Take what background work wrote of these memories out of the index, in the namespace that the transaction is set to; returns how many passages.';

CREATE FUNCTION everword.drop_vector_table(generation bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
BEGIN
    EXECUTE format('DROP VIEW %I', 'visible_vectors_' || generation);
    EXECUTE format('DROP TABLE %I', 'memory_vectors_' || generation);
    DELETE FROM embedding_queue WHERE generation_id = generation;
    DELETE FROM model_generations WHERE id = generation;
END $$;

COMMENT ON FUNCTION everword.drop_vector_table(generation bigint) IS 'Remove a generation with its vectors.';

CREATE FUNCTION everword.erase_batch(erasure_id uuid, batch integer) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := erasing_namespace();
    erasure erasures;
    next_ones uuid[];
    did jsonb := '{}';
    over boolean;
BEGIN
    -- Who holds the row is at it; a second one finds it taken, and does nothing.
    SELECT * INTO erasure FROM erasures
     WHERE namespace_id = namespace AND id = erasure_id AND state = 1 FOR UPDATE SKIP LOCKED;
    IF erasure.id IS NULL THEN
        RETURN '{"done": true}';
    END IF;
    SELECT array_agg(id) INTO next_ones
      FROM (SELECT m.id FROM messages m WHERE erasure.kind = 1 AND m.namespace_id = namespace AND m.id = erasure.target_id
             UNION ALL
            SELECT page.id
              FROM (SELECT m.id FROM messages m
                     WHERE erasure.kind = 4 AND m.namespace_id = namespace AND m.author = erasure.target_name AND m.author <> ''
                       AND m.recorded_at <= erasure.requested_at
                     ORDER BY m.id LIMIT batch) AS page
             UNION ALL
            SELECT m.id FROM conversations c
             CROSS JOIN LATERAL (SELECT id FROM messages
                                  WHERE namespace_id = namespace AND conversation_id = c.id ORDER BY seq LIMIT batch) AS m
             WHERE c.namespace_id = namespace AND c.erasure_id = erasure.id
             LIMIT batch) AS page;
    over := coalesce(cardinality(next_ones), 0) < batch;
    IF next_ones IS NOT NULL THEN
        did := erase_messages(next_ones);
        PERFORM count_erased(erasure_id, did);
    END IF;
    IF over THEN
        did := merge_erased(did, finish_erasure(erasure));
    END IF;
    RETURN did || jsonb_build_object('done', over);
END $$;

COMMENT ON FUNCTION everword.erase_batch(erasure_id uuid, batch integer) IS 'Delete up to `batch` messages of an erasure with all that was derived from them; `done` once nothing is left. Whatever ends it in the middle, the next call goes on.';

CREATE FUNCTION everword.erase_facts(ids uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := erasing_namespace();
    nodes uuid[] := fact_nodes(ids);
    opened jsonb;
BEGIN
    IF cardinality(ids) = 0 THEN
        RETURN '{}';
    END IF;
    PERFORM withdraw_pages(ids);
    WITH freed AS (
        UPDATE fact_intervals SET successor_id = NULL
         WHERE namespace_id = namespace AND successor_id = ANY(ids) AND NOT fact_id = ANY(ids)
        RETURNING id, fact_id, known_until
    )
    SELECT jsonb_build_object('intervals_to_open', coalesce(jsonb_agg(id), '[]'), 'facts_to_weigh',
                              coalesce(jsonb_agg(DISTINCT fact_id), '[]'))
      INTO opened FROM freed WHERE known_until IS NULL;
    opened := merge_erased(opened, erase_rows('fact', ids, '{}'));
    RETURN merge_erased(opened, remove_loose_nodes(nodes));
END $$;

COMMENT ON FUNCTION everword.erase_facts(ids uuid[]) IS 'Delete facts with all that is about them. What they took the place of did not end then, as far as anybody knows.';

CREATE FUNCTION everword.erase_memories(of_target text, gone uuid[]) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
BEGIN
    IF of_target = 'fact' THEN
        RETURN erase_facts(gone);
    ELSIF of_target NOT IN ('note', 'learned', 'node', 'pattern', 'document') THEN
        RAISE EXCEPTION 'nothing of this kind is erased by its id: %', of_target;
    END IF;
    IF of_target = 'node' THEN
        gone := ARRAY(SELECT merged_node(id) FROM unnest(gone) AS id);
    END IF;
    RETURN erase_rows(of_target, gone, '{}');
END $$;

COMMENT ON FUNCTION everword.erase_memories(of_target text, gone uuid[]) IS 'Delete notes, facts, what Sleep learned, nodes of the graph or patterns, by their ids, with all that is about them.';

CREATE FUNCTION everword.erase_messages(gone uuid[]) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT remove_messages(gone, false)
$$;

COMMENT ON FUNCTION everword.erase_messages(gone uuid[]) IS 'Delete messages with all that was derived from them, at most 5,000 at once; returns how many rows of which tables, and what is to be made anew.';

CREATE FUNCTION everword.erase_namespace_rows(target bigint, batch integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    erased bigint;
    child text;
    children text[] := ARRAY['embedding_queue', 'namespace_usage', 'embedding_pauses', 'index_changes', 'memory_use', 'memory_classes', 'importance_suggestions',
                             'memories',
                             'author_names', 'usage_ledger', 'namespace_imports', 'topic_changes', 'topic_pages', 'topic_sources', 'memory_changes', 'erasures', 'erased_external_ids', 'checkpoints', 'checkpoint_counters', 'budget_events', 'budget_spending', 'budgets', 'lore_entries', 'lore_books', 'document_chunks', 'document_versions', 'documents', 'advisor_grants', 'note_versions', 'notes', 'pattern_decisions', 'pattern_outcomes', 'patterns', 'pattern_thresholds', 'themes', 'graph_edges', 'graph_node_versions', 'graph_names', 'graph_nodes', 'learned_changes', 'learned_evidence', 'strategy_offers', 'strategies', 'trajectories', 'user_models', 'events', 'people', 'fact_edges', 'fact_disputes', 'session_observations', 'sleep_sessions', 'sleep_nights', 'fact_changes', 'fact_evidence', 'fact_intervals', 'facts', 'tool_sentence_queue', 'tool_sentences', 'calendar_pending',
                             'compaction_progress', 'summary_voices', 'summary_sources', 'summaries', 'messages',
                             'append_requests', 'retention_runs', 'retention_policies', 'conversations', 'jobs', 'corpus_counts', 'api_keys'];
BEGIN
    IF NOT EXISTS (SELECT FROM namespaces WHERE id = target AND state = 'deleting') THEN
        RETURN 0;
    END IF;
    PERFORM record_namespace_deletion(target);
    -- Children before parents; one table a call keeps the transaction short.
    FOREACH child IN ARRAY ARRAY(SELECT 'memory_vectors_' || id FROM model_generations ORDER BY id) || children LOOP
        EXECUTE format(
            'DELETE FROM %1$I WHERE namespace_id = $1 AND (tableoid, ctid) IN '
            '(SELECT tableoid, ctid FROM %1$I WHERE namespace_id = $1 LIMIT $2)', child
        ) USING target, batch;
        GET DIAGNOSTICS erased = ROW_COUNT;
        IF erased > 0 THEN
            PERFORM count_deleted_rows(target, child, erased);
            RETURN erased;
        END IF;
    END LOOP;
    DELETE FROM namespaces WHERE id = target;
    PERFORM finish_namespace_deletion(target);
    RETURN 0;
END $_$;

COMMENT ON FUNCTION everword.erase_namespace_rows(target bigint, batch integer) IS 'Erase up to `batch` rows of a namespace that is being deleted; 0 when nothing is left and the namespace is gone.';

CREATE FUNCTION everword.erase_rows(of_target text, ids uuid[], names text[], spared text[] DEFAULT '{}'::text[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    namespace bigint := erasing_namespace();
    rule erasure_rules;
    key_type text;
    matches text;
    further uuid[];
    gone bigint;
    counts jsonb := '{}';
BEGIN
    IF of_target = 'node' THEN
        -- Nobody merges anything into them from now on.
        PERFORM FROM graph_nodes WHERE namespace_id = namespace AND id = ANY(ids) ORDER BY id FOR UPDATE;
        ids := with_merged_nodes(ids);
    END IF;
    IF of_target = 'source' THEN
        counts := remove_passages(ids);
    ELSIF of_target IN ('fact', 'node', 'pattern') THEN
        -- A call that is repeated would look for what it stored.
        PERFORM forget_requests(ids);
    END IF;
    IF of_target IN ('note', 'fact') THEN
        counts := withdraw_themes((SELECT min(created_at)
                                     FROM (SELECT created_at FROM notes WHERE namespace_id = namespace AND id = ANY(ids)
                                            UNION ALL
                                           SELECT created_at FROM facts WHERE namespace_id = namespace AND id = ANY(ids)) AS made));
    END IF;
    FOR rule IN SELECT * FROM erasure_rules
                 WHERE target = of_target AND to_regclass(relation) IS NOT NULL AND NOT relation = ANY(spared)
                 ORDER BY place LOOP
        further := NULL;
        SELECT format_type(atttypid, NULL) INTO key_type
          FROM pg_attribute WHERE attrelid = rule.relation::regclass AND attname = rule.key_column;
        matches := format(CASE key_type WHEN 'uuid' THEN '%1$I = ANY($2)' WHEN 'uuid[]' THEN '%1$I && $2'
                                        ELSE '%1$I = ANY($3)' END || ' AND (%2$s)', rule.key_column, rule.only_where);
        IF rule.goes_on IS NOT NULL OR rule.requested THEN
            EXECUTE format('SELECT array_agg(id) FROM %I WHERE namespace_id = $1 AND %s', rule.relation, matches)
               INTO further USING namespace, ids, names;
            IF rule.requested AND further IS NOT NULL THEN
                PERFORM forget_requests(further);
            END IF;
            IF rule.goes_on IS NOT NULL AND further IS NOT NULL AND (rule.goes_on <> of_target OR NOT further <@ ids) THEN
                counts := merge_erased(counts, erase_rows(rule.goes_on, further, '{}'));
            END IF;
        END IF;
        EXECUTE format('DELETE FROM %I WHERE namespace_id = $1 AND %s', rule.relation, matches) USING namespace, ids, names;
        GET DIAGNOSTICS gone = ROW_COUNT;
        IF gone > 0 THEN
            counts := merge_erased(counts, jsonb_build_object(rule.relation, gone));
        END IF;
    END LOOP;
    RETURN counts;
END $_$;

COMMENT ON FUNCTION everword.erase_rows(of_target text, ids uuid[], names text[], spared text[]) IS 'Delete what erasure_rules say belongs to targets: those with these ids, or these names. Spared tables stay as they are. Returns how many rows of which tables.';

CREATE FUNCTION everword.erasing_namespace() RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT nullif(current_setting('everword.namespace_id', true), '')::bigint
$$;

COMMENT ON FUNCTION everword.erasing_namespace() IS 'The namespace that the transaction is set to.';

CREATE FUNCTION everword.export_rows(record_ text, after_ jsonb) RETURNS TABLE(line text, key jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    rule transfer_rules;
    keys text;
    ordered text;
    later text := '';
BEGIN
    SELECT * INTO STRICT rule FROM transfer_rules WHERE record = record_;
    -- Texts are sorted alike in every database.
    SELECT string_agg(format('t.%I', k.name), ', ' ORDER BY k.place),
           string_agg(format('t.%I', k.name) || k.collated, ', ' ORDER BY k.place),
           format(' AND (%s) > (%s)', string_agg(format('t.%I', k.name) || k.collated, ', ' ORDER BY k.place),
                  string_agg(format('($2->>%s)::%s', k.place - 1, k.type), ', ' ORDER BY k.place))
           -- An index helps as far as its first column.
           || coalesce(max(format(' AND t.%I >= ($2->>0)::%s', k.name, k.type)) FILTER (WHERE k.place = 1 AND k.collated = ''), '')
      INTO keys, ordered, later
      FROM (SELECT name, place, format_type(a.atttypid, a.atttypmod) AS type,
                   CASE WHEN a.atttypid = 'text'::regtype THEN ' COLLATE "C"' ELSE '' END AS collated
              FROM unnest(rule.keys) WITH ORDINALITY AS k (name, place)
              JOIN pg_attribute a ON a.attrelid = to_regclass(coalesce(rule.source, rule.relation)) AND a.attname = k.name) AS k;
    RETURN QUERY EXECUTE format(
        'SELECT %1$L || row_to_json((SELECT c FROM (SELECT %2$s) AS c))::text || ''}'', jsonb_build_array(%3$s)'
        '  FROM %4$I t WHERE t.namespace_id = $1 AND (%5$s)%6$s ORDER BY %7$s LIMIT %8$s',
        format('{"%s":', record_), (SELECT string_agg(format('t.%I', c), ', ') FROM unnest(transferred_columns(rule)) AS c),
        keys, coalesce(rule.source, rule.relation), rule.only_where, CASE WHEN after_ IS NULL THEN '' ELSE later END, ordered,
        rule.page)
    USING erasing_namespace(), after_;
END $_$;

COMMENT ON FUNCTION everword.export_rows(record_ text, after_ jsonb) IS 'Lines of the next records of a kind, after the one with a key, in the namespace that the transaction is set to.';

CREATE FUNCTION everword.fact_nodes(facts uuid[]) RETURNS uuid[]
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT array_agg(DISTINCT node)
      FROM graph_edges g CROSS JOIN LATERAL (VALUES (g.from_id), (g.to_id)) AS ends (node)
     WHERE g.namespace_id = erasing_namespace() AND g.fact_id = ANY(facts)
$$;

COMMENT ON FUNCTION everword.fact_nodes(facts uuid[]) IS 'The nodes that relations which follow from facts connect.';

CREATE FUNCTION everword.fence_jobs(conversations uuid[] DEFAULT NULL::uuid[], pause interval DEFAULT '00:00:00'::interval) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
BEGIN
    -- Who starts a job takes this lock in share: none starts from here until the transaction ends.
    PERFORM pg_advisory_xact_lock(hashtextextended('start jobs', erasing_namespace()));
    -- As if their workers had fallen silent: what these have read is not stored, and another attempt reads what is left.
    UPDATE jobs
       SET state = 'pending', attempts = greatest(attempts - 1, 0), lease_until = NULL, published_at = NULL, fence = fence + 1,
           not_before = now() + pause, updated_at = now()
     WHERE namespace_id = erasing_namespace()
       AND id IN (SELECT id FROM jobs WHERE namespace_id = erasing_namespace() AND state = 'running' AND task <> 'embed'
                                        AND may_have_read(subject, conversations)
                   ORDER BY id FOR UPDATE);
END $$;

COMMENT ON FUNCTION everword.fence_jobs(conversations uuid[], pause interval) IS 'Take running jobs away from workers that may have read what is erased, or messages of these conversations, and let none start before the transaction ends. They are due again after a pause.';

CREATE FUNCTION everword.find_erased_ids(channel_ text, agent_ text, session_key_ text, external_ids text[]) RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT wanted.id
      FROM (SELECT salted_hash(erasing_namespace()::text, channel_, agent_, session_key_) AS key) AS conversation
     CROSS JOIN unnest(external_ids) AS wanted (id)
      JOIN erased_external_ids e ON e.namespace_id = erasing_namespace()
                                AND e.hash = sha256(conversation.key || convert_to(wanted.id, 'UTF8'))
$$;

COMMENT ON FUNCTION everword.find_erased_ids(channel_ text, agent_ text, session_key_ text, external_ids text[]) IS 'Which of these external ids of a conversation were erased.';

CREATE TABLE everword.erasures (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    kind smallint NOT NULL,
    state smallint DEFAULT 1 NOT NULL,
    target_id uuid,
    target_name text,
    target_hash bytea NOT NULL,
    requested_by text DEFAULT ''::text NOT NULL,
    through_passage bigint DEFAULT 0 NOT NULL,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    error text,
    requested_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT erasures_check CHECK (((state = 2) = (finished_at IS NOT NULL))),
    CONSTRAINT erasures_check1 CHECK (((state = 1) OR (target_name IS NULL))),
    CONSTRAINT erasures_kind_check CHECK (((kind >= 1) AND (kind <= 10))),
    CONSTRAINT erasures_state_check CHECK (((state >= 1) AND (state <= 2)))
);

COMMENT ON TABLE everword.erasures IS 'What was erased, when and on whose request: how many rows of which tables, and no content. A row that is not done is work.';

COMMENT ON COLUMN everword.erasures.kind IS 'Values equal proto ErasureKind.';

COMMENT ON COLUMN everword.erasures.state IS '1 running, 2 done.';

COMMENT ON COLUMN everword.erasures.target_name IS 'The subject or author, for as long as it takes.';

COMMENT ON COLUMN everword.erasures.target_hash IS 'SHA-256 of the target with the secret of the deployment: tells whether it was this one.';

COMMENT ON COLUMN everword.erasures.through_passage IS 'Passages with higher ids came later, and stay.';

COMMENT ON COLUMN everword.erasures.counts IS 'Rows that are gone, by table.';

CREATE FUNCTION everword.finish_erasure(erasure everword.erasures) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := erasing_namespace();
    marked uuid[];
    others uuid[];
    did jsonb := '{}';
BEGIN
    SELECT array_agg(id) INTO marked FROM conversations WHERE namespace_id = namespace AND erasure_id = erasure.id;
    IF marked IS NOT NULL THEN
        PERFORM forget_sessions(marked);
        SELECT array_agg(id) INTO others FROM summaries WHERE namespace_id = namespace AND conversation_id = ANY(marked);
        IF others IS NOT NULL THEN
            did := merge_erased(did, erase_rows('summary', others, '{}'));
        END IF;
        did := merge_erased(did, erase_rows('conversation', marked, '{}'));
        UPDATE append_requests SET body_hash = '', message_ids = '{}', conversation_id = NULL
         WHERE namespace_id = namespace AND conversation_id = ANY(marked);
        DELETE FROM conversations WHERE namespace_id = namespace AND id = ANY(marked);
        DELETE FROM jobs WHERE namespace_id = namespace AND subject = ANY(SELECT unnest(marked)::text);
        INSERT INTO corpus_counts (namespace_id, conversations) VALUES (namespace, -cardinality(marked));
    END IF;
    UPDATE namespaces SET hides = greatest(hides - 1, 0) WHERE id = namespace;
    PERFORM count_erased(erasure.id, did);
    UPDATE erasures SET state = 2, target_name = NULL, target_id = NULL, finished_at = clock_timestamp()
     WHERE namespace_id = namespace AND id = erasure.id;
    RETURN did;
END $$;

COMMENT ON FUNCTION everword.finish_erasure(erasure everword.erasures) IS 'Delete what is left of a target, and the words that named it.';

CREATE FUNCTION everword.finish_namespace_deletion(target bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    UPDATE namespace_deletions SET finished_at = clock_timestamp() WHERE deleted_id = target AND finished_at IS NULL
$$;

COMMENT ON FUNCTION everword.finish_namespace_deletion(target bigint) IS 'Write down that nothing of a namespace is left.';

CREATE FUNCTION everword.forget_author_names(names text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    -- From one author to the next in the index, however much each has said.
    WITH RECURSIVE author (name) AS (
        (SELECT author FROM memories WHERE namespace_id = erasing_namespace() AND author > '' ORDER BY author LIMIT 1)
         UNION ALL
        SELECT next.author FROM author
         CROSS JOIN LATERAL (SELECT author FROM memories
                              WHERE namespace_id = erasing_namespace() AND author > author.name
                              ORDER BY author LIMIT 1) AS next
    )
    DELETE FROM author_names
     WHERE namespace_id = erasing_namespace() AND name = ANY(names)
       AND NOT EXISTS (SELECT FROM author WHERE strpos(lower(author.name), author_names.name) > 0)
$$;

COMMENT ON FUNCTION everword.forget_author_names(names text[]) IS 'Forget those of these words that name nobody any more.';

CREATE FUNCTION everword.forget_errors(conversations uuid[] DEFAULT NULL::uuid[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    UPDATE jobs SET error = 'erased'
     WHERE namespace_id = erasing_namespace() AND error <> 'erased' AND may_have_read(subject, conversations)
$$;

COMMENT ON FUNCTION everword.forget_errors(conversations uuid[]) IS 'Blank the errors of jobs that may have read what is erased: they may repeat it.';

CREATE FUNCTION everword.forget_requests(gone uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
BEGIN
    UPDATE append_requests r
       SET body_hash = '', message_ids = '{}'
      FROM (SELECT DISTINCT q.request_id
              FROM append_requests q
             CROSS JOIN LATERAL unnest(q.message_ids) AS stored (id)
              JOIN unnest(gone) AS erased (id) ON erased.id = stored.id
             WHERE q.namespace_id = erasing_namespace()) AS about_them
     WHERE r.namespace_id = erasing_namespace() AND r.request_id = about_them.request_id;
END $$;

COMMENT ON FUNCTION everword.forget_requests(gone uuid[]) IS 'Forget what calls were about that stored these: the ids of the calls stay, so that a repeated one stores nothing.';

CREATE FUNCTION everword.forget_sessions(conversations uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
BEGIN
    UPDATE usage_ledger SET session_key = '', conversation_id = NULL
     WHERE namespace_id = erasing_namespace() AND conversation_id = ANY(conversations);
    -- Agents may report a session without saying of which conversation it was.
    UPDATE usage_ledger u SET session_key = ''
      FROM conversations c
     WHERE c.namespace_id = erasing_namespace() AND c.id = ANY(conversations) AND u.namespace_id = erasing_namespace()
       AND u.session_key = c.session_key AND u.agent IN ('', c.agent);
END $$;

COMMENT ON FUNCTION everword.forget_sessions(conversations uuid[]) IS 'Forget of which conversations calls were, in the ledger of what models cost; while these have their keys.';

CREATE FUNCTION everword.forget_topic_sources(sources uuid[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    nodes uuid[];
    pages uuid[];
BEGIN
    WITH gone AS (
        DELETE FROM topic_sources WHERE namespace_id = namespace AND source_id = ANY(sources) RETURNING node_id
    )
    SELECT coalesce(array_agg(DISTINCT node_id), '{}') INTO nodes FROM gone;
    WITH gone AS (
        DELETE FROM topic_pages
         WHERE namespace_id = namespace
           AND (node_id = ANY(nodes)
                OR node_id IN (SELECT node_id FROM topic_pages WHERE namespace_id = namespace AND source_ids && sources))
        RETURNING id, node_id
    )
    SELECT coalesce(array_agg(id), '{}'), nodes || coalesce(array_agg(node_id) FILTER (WHERE NOT node_id = ANY(nodes)), '{}')
      INTO pages, nodes FROM gone;
    PERFORM drop_derived_passages(pages);
    DELETE FROM topic_changes WHERE namespace_id = namespace AND (fact_id = ANY(sources) OR leaf_id = ANY(sources));
    INSERT INTO topic_changes (namespace_id, node_id) SELECT namespace, id FROM unnest(nodes) AS n (id);
    RETURN cardinality(pages);
END $$;

COMMENT ON FUNCTION everword.forget_topic_sources(sources uuid[]) IS 'Take out the pages that were made of facts or leaves which are erased, in the namespace that the transaction is set to, and make them due to be written anew of what is left; returns how many pages there were.';

CREATE FUNCTION everword.generation_is_complete(generation bigint) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    -- What was written since the backlog was queued may still be pending, as it may be for the active generation.
    SELECT g.backfilled_at IS NOT NULL AND NOT EXISTS (
               SELECT FROM embedding_queue q
                WHERE q.generation_id = g.id AND q.state = 'pending' AND q.enqueued_at <= g.backfilled_at)
      FROM model_generations g WHERE g.id = generation
$$;

COMMENT ON FUNCTION everword.generation_is_complete(generation bigint) IS 'Whether nothing is pending any more from before the generation was built.';

CREATE FUNCTION everword.has_pgvector() RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector')
$$;

COMMENT ON FUNCTION everword.has_pgvector() IS 'Whether this database has the extension vector.';

CREATE FUNCTION everword.hidden_conversation(namespace bigint, conversation uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM conversations
                    WHERE namespace_id = namespace AND id = conversation AND erasure_id IS NOT NULL)
$$;

COMMENT ON FUNCTION everword.hidden_conversation(namespace bigint, conversation uuid) IS 'Whether a conversation is being erased.';

CREATE FUNCTION everword.hidden_message(namespace bigint, conversation uuid, speaker text, recorded timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT hidden_conversation(namespace, conversation)
        OR EXISTS (SELECT FROM erasures
                    WHERE namespace_id = namespace AND state = 1 AND kind = 4 AND target_name = speaker
                      AND requested_at >= recorded)
$$;

COMMENT ON FUNCTION everword.hidden_message(namespace bigint, conversation uuid, speaker text, recorded timestamp with time zone) IS 'Whether a message is being erased.';

CREATE FUNCTION everword.hidden_passage(namespace bigint, conversation uuid, speaker text, passage bigint) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT conversation IS NOT NULL
       AND (hidden_conversation(namespace, conversation)
            OR EXISTS (SELECT FROM erasures
                        WHERE namespace_id = namespace AND state = 1 AND kind = 4 AND target_name = speaker
                          AND through_passage >= passage))
$$;

COMMENT ON FUNCTION everword.hidden_passage(namespace bigint, conversation uuid, speaker text, passage bigint) IS 'Whether a passage is of what is being erased.';

CREATE FUNCTION everword.hold_source() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    source messages;
BEGIN
    SELECT * INTO source FROM messages WHERE namespace_id = NEW.namespace_id AND id = NEW.message_id FOR KEY SHARE;
    -- As if it had lost against the erasure: who repeats the call is told that there is no such message.
    IF source.id IS NULL OR hidden_message(source.namespace_id, source.conversation_id, source.author, source.recorded_at) THEN
        RAISE EXCEPTION 'the message is being erased' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN NEW;
END $$;

COMMENT ON FUNCTION everword.hold_source() IS 'Whoever rests something on a message, beside the jobs that erasures take from their workers, holds it until it is written: an erasure waits, and finds it, or was first, and nothing is written.';

CREATE FUNCTION everword.idle_retention() RETURNS TABLE(namespace_id bigint, time_zone text, day_cutoff_minutes integer, set_at timestamp with time zone, night date)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT n.id, n.time_zone, n.day_cutoff_minutes, p.set_at,
           (SELECT max(r.night) FROM retention_runs r WHERE r.namespace_id = n.id)
      FROM (SELECT p.namespace_id, min(p.set_at) AS set_at FROM retention_policies p GROUP BY 1) AS p
      JOIN namespaces n ON n.id = p.namespace_id AND n.state = 'active'
     WHERE NOT EXISTS (SELECT FROM retention_runs r WHERE r.namespace_id = n.id AND r.state = 1)
$$;

COMMENT ON FUNCTION everword.idle_retention() IS 'Namespaces with policies and no run that goes on, with what tells when their next night is.';

CREATE FUNCTION everword.import_rows(record_ text, rows_ jsonb) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    namespace bigint := erasing_namespace();
    rule transfer_rules;
    fields text[];
    columns text;
    broken bigint;
    unknown text;
BEGIN
    SELECT * INTO STRICT rule FROM transfer_rules WHERE record = record_;
    PERFORM FROM namespaces WHERE id = namespace AND state = 'importing' FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the namespace is not being imported' USING ERRCODE = 'serialization_failure';
    END IF;
    -- What an older file lacks gets its default.
    SELECT coalesce(array_agg(c ORDER BY place), '{}') INTO fields
      FROM unnest(transferred_columns(rule)) WITH ORDINALITY AS t (c, place)
     WHERE rows_ #> ARRAY['0', c] IS NOT NULL;
    SELECT e.place, (SELECT k FROM jsonb_object_keys(e.value) AS k WHERE k <> ALL(transferred_columns(rule)) LIMIT 1)
      INTO broken, unknown
      FROM jsonb_array_elements(rows_) WITH ORDINALITY AS e (value, place)
     WHERE NOT e.value ?& fields OR (SELECT count(*) FROM jsonb_object_keys(e.value)) <> cardinality(fields)
     ORDER BY e.place
     LIMIT 1;
    IF broken IS NOT NULL OR fields = '{}' THEN
        RAISE EXCEPTION '%', coalesce('this version of Everword does not know its field ' || unknown,
                                      'it does not have the fields ' || array_to_string(transferred_columns(rule), ', '))
              USING ERRCODE = 'invalid_parameter_value', DETAIL = coalesce(broken, 1);
    END IF;
    SELECT string_agg(format('%I', c), ', ') INTO columns FROM unnest(fields) AS c;
    -- Numbers that a table gives out itself are given out in the order of the file.
    EXECUTE format(
        'INSERT INTO %1$I (namespace_id, %2$s) SELECT $1, %2$s '
        '  FROM jsonb_populate_recordset(NULL::%1$I, $2) WITH ORDINALITY AS r ORDER BY r.ordinality', rule.relation, columns)
    USING namespace, rows_;
    IF record_ = 'passage' THEN
        -- Of another version, or cut off, it would be read for something else.
        IF EXISTS (SELECT FROM jsonb_to_recordset(rows_) AS r (ranking bytea)
                    WHERE r.ranking IS NOT NULL
                      AND (octet_length(r.ranking) < 8 OR octet_length(r.ranking) % 4 <> 0 OR get_byte(r.ranking, 0) <> 1)) THEN
            RAISE EXCEPTION 'ranking is no ranking record of version 1' USING ERRCODE = 'invalid_parameter_value';
        END IF;
        INSERT INTO embedding_queue (namespace_id, memory_id, generation_id)
        SELECT namespace, m.id, g.id
          FROM jsonb_to_recordset(rows_) AS r (source_id uuid, part integer)
          JOIN memories m ON m.namespace_id = namespace AND m.source_id = r.source_id AND m.part = r.part AND m.content <> ''
         CROSS JOIN model_generations g
         WHERE g.state IN ('building', 'active')
         ORDER BY m.id;
    END IF;
    RETURN jsonb_array_length(rows_);
END $_$;

COMMENT ON FUNCTION everword.import_rows(record_ text, rows_ jsonb) IS 'Store records of a kind in the namespace that the transaction is set to, which is being imported, and return how many. The vectors of passages become due.';

CREATE FUNCTION everword.in_scope(agent text, subject text) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
    SELECT coalesce(nullif(current_setting('everword.agent', true), '') = agent, true)
       AND coalesce(nullif(current_setting('everword.subject', true), '') = subject, true)
       AND concat(current_setting('everword.agent', true), current_setting('everword.subject', true)) <> ''
$$;

COMMENT ON FUNCTION everword.in_scope(agent text, subject text) IS 'Whether what belongs to an agent and a subject is within what the transaction is bound to; nothing is where that is nothing.';

CREATE FUNCTION everword.index_vectors(generation bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'public', 'pg_temp'
    AS $$
DECLARE
    vectors text := 'memory_vectors_' || generation;
BEGIN
    IF (SELECT storage = 'halfvec' FROM model_generations WHERE id = generation) THEN
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I USING hnsw (embedding public.halfvec_cosine_ops)',
                       vectors || '_embedding_idx', vectors);
    END IF;
END $$;

COMMENT ON FUNCTION everword.index_vectors(generation bigint) IS 'Make the index over a generation''s vectors; those that partitions have already become parts of it.';

CREATE FUNCTION everword.install_pgvector() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
BEGIN
    IF NOT has_pgvector() AND EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
        CREATE EXTENSION vector WITH SCHEMA public;
    END IF;
    RETURN has_pgvector();
EXCEPTION WHEN insufficient_privilege THEN
    RETURN false; -- the owner may not make extensions: plain arrays until somebody does
END $$;

COMMENT ON FUNCTION everword.install_pgvector() IS 'Make the extension vector where this server has it; whether it is there then.';

CREATE FUNCTION everword.isolate_table(isolated text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', isolated);
    -- The setting is '' and not NULL after the first transaction of a pooled connection.
    EXECUTE format(
        'CREATE POLICY isolation ON %I USING '
        '(namespace_id = nullif(current_setting(''everword.namespace_id'', true), '''')::bigint)',
        isolated
    );
    PERFORM scope_table(isolated, 'false');
END $$;

COMMENT ON FUNCTION everword.isolate_table(isolated text) IS 'Let service roles see only rows of the namespace that their transaction is set to.';

CREATE FUNCTION everword.log_index_change(removed bigint[], closed bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
BEGIN
    INSERT INTO index_changes (namespace_id, removed, closed) VALUES (namespace, removed, closed);
    DELETE FROM index_changes
     WHERE (namespace_id, xid, id) IN (
           SELECT c.namespace_id, c.xid, c.id FROM index_changes c
            WHERE c.namespace_id = namespace AND c.changed_at < now() - interval '1 day'
            ORDER BY c.changed_at LIMIT 100 FOR UPDATE SKIP LOCKED);
END $$;

COMMENT ON FUNCTION everword.log_index_change(removed bigint[], closed bigint[]) IS 'Write down what changed in the index of the namespace that the transaction is set to, and forget what is older than a day.';

CREATE FUNCTION everword.log_memory_changes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO memory_changes (namespace_id, memory_ids)
    SELECT namespace_id, array_agg(DISTINCT source_id) FROM changed GROUP BY namespace_id;
    -- Now and then, what is older than a day goes.
    IF random() < 0.05 THEN
        DELETE FROM memory_changes
         WHERE (namespace_id, xid, id) IN (
               SELECT c.namespace_id, c.xid, c.id FROM memory_changes c
                WHERE c.namespace_id = (SELECT namespace_id FROM changed LIMIT 1) AND c.changed_at < now() - interval '1 day'
                ORDER BY c.changed_at LIMIT 1000 FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN NULL;
END $$;

COMMENT ON FUNCTION everword.log_memory_changes() IS 'Write down which memories a statement has added, changed or taken out.';

CREATE FUNCTION everword.may_have_read(job_subject text, conversations uuid[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
    -- What is not about one conversation may have read any.
    SELECT conversations IS NULL OR job_subject = ANY(conversations::text[]) OR job_subject !~ '^[0-9a-f]{8}-[0-9a-f-]{27}$'
$_$;

COMMENT ON FUNCTION everword.may_have_read(job_subject text, conversations uuid[]) IS 'Whether a job about this may have read messages of conversations, of all where they are null.';

CREATE FUNCTION everword.merge_erased(one jsonb, other jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    -- Counts are added up, lists of ids joined.
    SELECT coalesce(jsonb_object_agg(key, value), '{}')
      FROM (SELECT key,
                   CASE WHEN jsonb_typeof((array_agg(value))[1]) = 'number' THEN to_jsonb(sum(value::text::numeric) FILTER (WHERE jsonb_typeof(value) = 'number'))
                        ELSE (SELECT coalesce(jsonb_agg(DISTINCT each), '[]') FROM unnest(array_agg(value)) AS list, jsonb_array_elements(list) AS each) END AS value
              FROM (SELECT * FROM jsonb_each(one) UNION ALL SELECT * FROM jsonb_each(other)) AS both_of_them (key, value)
             GROUP BY key) AS merged
$$;

COMMENT ON FUNCTION everword.merge_erased(one jsonb, other jsonb) IS 'What two steps did, together.';

CREATE FUNCTION everword.merged_node(node_id uuid) RETURNS uuid
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    WITH RECURSIVE above (id, steps) AS (
        SELECT node_id, 0
         UNION ALL
        SELECT o.id, above.steps + 1
          FROM above
          JOIN graph_nodes n ON n.namespace_id = erasing_namespace() AND n.id = above.id
          JOIN graph_nodes o ON o.namespace_id = n.namespace_id AND o.id = n.merged_into AND o.anchor IS NULL
    ) CYCLE id SET comes_again USING path
    SELECT id FROM above WHERE NOT comes_again ORDER BY steps DESC LIMIT 1
$$;

COMMENT ON FUNCTION everword.merged_node(node_id uuid) IS 'What a node became by being merged. The agent and the user are more than what was merged into them: not they.';

CREATE FUNCTION everword.month_of(moment timestamp with time zone, time_zone text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    SELECT to_char(moment AT TIME ZONE time_zone, 'YYYY-MM')
$$;

COMMENT ON FUNCTION everword.month_of(moment timestamp with time zone, time_zone text) IS 'The calendar month of a moment as clocks of a time zone show it, such as 2026-03.';

CREATE FUNCTION everword.namespace_name_hash(name_ text) RETURNS bytea
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT sha256(token_secret || convert_to(to_jsonb(ARRAY['namespace', name_])::text, 'UTF8')) FROM deployment
$$;

COMMENT ON FUNCTION everword.namespace_name_hash(name_ text) IS 'What the record of a deletion has in place of the name of the namespace.';

CREATE FUNCTION everword.newer_erasure() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT n.name
      FROM namespaces own
      -- Copies of a namespace have its secret, and its age.
      JOIN namespaces n ON n.erasure_salt IS NOT DISTINCT FROM own.erasure_salt AND n.created_at = own.created_at
                       AND n.id <> own.id AND n.state <> 'deleting'
     WHERE own.id = erasing_namespace()
       AND EXISTS (SELECT FROM erasures e
                    WHERE e.namespace_id = n.id
                      AND NOT EXISTS (SELECT FROM erasures o WHERE o.namespace_id = own.id AND o.id = e.id))
     ORDER BY n.id
     LIMIT 1
$$;

COMMENT ON FUNCTION everword.newer_erasure() IS 'The name of a copy of the namespace that the transaction is set to, where something was erased and is not here.';

CREATE FUNCTION everword.nightless_namespaces(batch integer, parked interval) RETURNS TABLE(namespace_id bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT n.id
      FROM namespaces n
     WHERE n.state = 'active'
       AND NOT EXISTS (SELECT FROM jobs j
                        WHERE j.namespace_id = n.id AND j.task = 'sleep' AND j.subject = 'namespace'
                          AND (j.state IN ('pending', 'running') OR j.state = 'failed' AND j.updated_at > now() - parked))
       AND EXISTS (SELECT FROM facts f WHERE f.namespace_id = n.id)
     ORDER BY n.id
     LIMIT batch
$$;

COMMENT ON FUNCTION everword.nightless_namespaces(batch integer, parked interval) IS 'Namespaces with facts whose nightly Sleep nobody is to do: ids only. One that was given up for less than `parked` is left out.';

CREATE FUNCTION everword.outdated_summaries(at_level smallint, current_model text, current_version integer, batch integer, parked_since timestamp with time zone) RETURNS TABLE(namespace_id bigint, conversation_id uuid, period date)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    -- From one step to the next in the index, however many nodes there are: first what wrote any, then for whom.
    WITH RECURSIVE writer (model, prompt_version) AS (
        (SELECT s.model, s.prompt_version FROM summaries s
          WHERE s.level = at_level ORDER BY s.model, s.prompt_version LIMIT 1)
         UNION ALL
        SELECT next.model, next.prompt_version
          FROM writer
         CROSS JOIN LATERAL (
               SELECT s.model, s.prompt_version FROM summaries s
                WHERE s.level = at_level AND (s.model, s.prompt_version) > (writer.model, writer.prompt_version)
                ORDER BY s.model, s.prompt_version LIMIT 1) AS next
    ), round AS (
        -- Each minute with others, where there are more than a batch has places.
        SELECT floor(extract(epoch FROM now()) / 60)::bigint * 7919 % (max(id) + 1) AS after FROM namespaces
    ), walk (model, prompt_version, is_wrapped, namespace_id, found) AS (
        SELECT writer.model, writer.prompt_version, start.is_wrapped, start.namespace_id, 0
          FROM writer CROSS JOIN round
         CROSS JOIN LATERAL (VALUES (false, round.after), (true, 0)) AS start (is_wrapped, namespace_id)
         -- Nothing of a language model gives way to sentences that were chosen without one.
         WHERE CASE WHEN writer.model = current_model THEN writer.prompt_version < current_version
                    ELSE current_model <> 'extractive' END
         UNION ALL
        SELECT walk.model, walk.prompt_version, walk.is_wrapped, next.namespace_id, walk.found + 1
          FROM walk CROSS JOIN round
         CROSS JOIN LATERAL (
               SELECT s.namespace_id FROM summaries s
                WHERE s.level = at_level AND s.model = walk.model AND s.prompt_version = walk.prompt_version
                  AND s.namespace_id > walk.namespace_id
                ORDER BY s.namespace_id LIMIT 1) AS next
         WHERE walk.found < batch AND (next.namespace_id <= round.after OR NOT walk.is_wrapped)
    ), turns AS MATERIALIZED (
        SELECT walk.model, walk.prompt_version, walk.namespace_id, count(*) OVER () AS turns
          FROM walk JOIN namespaces n ON n.id = walk.namespace_id AND n.state = 'active'
         WHERE walk.found > 0
         ORDER BY walk.is_wrapped, walk.namespace_id LIMIT batch
    )
    SELECT outdated.namespace_id, outdated.conversation_id, outdated.period
      FROM turns
     CROSS JOIN LATERAL (
           SELECT s.namespace_id, s.conversation_id, s.period
             FROM summaries s
            WHERE s.level = at_level AND s.model = turns.model AND s.prompt_version = turns.prompt_version
              AND s.namespace_id = turns.namespace_id
              -- What was given up waits for its cause to go; it must not keep the rest waiting.
              AND NOT EXISTS (SELECT FROM jobs j
                               WHERE j.namespace_id = s.namespace_id AND j.state = 'failed' AND j.updated_at > parked_since
                                 AND j.task = CASE WHEN at_level < 4 THEN 'compact' ELSE 'roll-up' END
                                 AND j.subject = CASE at_level
                                                 WHEN 4 THEN to_char(s.period, '"day/"YYYY-MM-DD')
                                                 WHEN 5 THEN to_char(s.period, '"week/"IYYY"-W"IW')
                                                 WHEN 6 THEN to_char(s.period, '"month/"YYYY-MM')
                                                 WHEN 7 THEN to_char(s.period, '"year/"YYYY')
                                                 ELSE s.conversation_id::text END)
            LIMIT (batch - 1) / least(turns.turns, batch) + 1) AS outdated
$$;

COMMENT ON FUNCTION everword.outdated_summaries(at_level smallint, current_model text, current_version integer, batch integer, parked_since timestamp with time zone) IS 'Where nodes of a level were written by another model or from an older prompt, a row a node, some of each namespace: ids and dates only. What was given up after `parked_since` is left out.';

CREATE FUNCTION everword.pending_periods(batch integer, quiet interval, longest interval) RETURNS TABLE(namespace_id bigint, time_zone text, day_cutoff_minutes integer, level smallint, period date)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT n.id, n.time_zone, n.day_cutoff_minutes, pending.level, pending.period
      FROM namespaces n
     CROSS JOIN LATERAL (
           -- From one period to the next: a day with many rows costs no more than one with few.
           WITH RECURSIVE step AS (
               (SELECT p.level, p.period FROM calendar_pending p WHERE p.namespace_id = n.id
                 ORDER BY p.level, p.period LIMIT 1)
               UNION ALL
               SELECT following.level, following.period
                 FROM step
                CROSS JOIN LATERAL (
                      SELECT p.level, p.period FROM calendar_pending p
                       WHERE p.namespace_id = n.id AND (p.level, p.period) > (step.level, step.period)
                       ORDER BY p.level, p.period LIMIT 1) AS following
           )
           SELECT step.level, step.period
             FROM step
            WHERE NOT EXISTS (SELECT FROM summaries s
                               WHERE s.namespace_id = n.id AND s.level = step.level AND s.period = step.period)
               OR now() - longest >= (SELECT min(p.enqueued_at) FROM calendar_pending p
                                       WHERE p.namespace_id = n.id AND p.level = step.level AND p.period = step.period)
               OR now() - quiet >= (SELECT max(p.enqueued_at) FROM calendar_pending p
                                     WHERE p.namespace_id = n.id AND p.level = step.level AND p.period = step.period)
            LIMIT batch) AS pending
     WHERE n.state = 'active'
$$;

COMMENT ON FUNCTION everword.pending_periods(batch integer, quiet interval, longest interval) IS 'The earliest periods of each namespace with something pending, at most `batch` each: dates only, for whoever schedules. One that was written before is left out until nothing was enqueued for `quiet`, or something is pending for `longest`.';

CREATE FUNCTION everword.preview_erasure(of_kind smallint, id_ uuid, name_ text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := erasing_namespace();
    erasure erasures;
    message_ids uuid[];
    others uuid[];
    did jsonb;
BEGIN
    erasure.namespace_id := namespace;
    erasure.id := gen_random_uuid();
    erasure.kind := of_kind;
    erasure.target_id := id_;
    erasure.target_name := name_;
    erasure.requested_at := now();
    -- The same steps, undone at their end; but messages are only counted, however many there are.
    BEGIN
        SELECT * INTO did, message_ids FROM withdraw_target(erasure);
        SELECT array_agg(s.id) INTO others
          FROM conversations c JOIN summaries s ON s.namespace_id = namespace AND s.conversation_id = c.id
         WHERE c.namespace_id = namespace AND c.erasure_id = erasure.id;
        IF others IS NOT NULL THEN
            did := merge_erased(did, erase_rows('summary', others, '{}'));
        END IF;
        did := merge_erased(did, jsonb_build_object('messages', cardinality(message_ids)));
        did := merge_erased(did, count_passages(message_ids));
        did := merge_erased(did, count_rows('source', message_ids));
        did := merge_erased(did, count_rows('message', message_ids));
        RAISE EXCEPTION 'undo' USING ERRCODE = 'EWUND';
    EXCEPTION WHEN SQLSTATE 'EWUND' THEN
        NULL;
    END;
    RETURN jsonb_build_object(
        'counts', (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(did)
                    WHERE jsonb_typeof(value) = 'number' AND value <> '0'),
        'facts_losing_evidence', (SELECT count(DISTINCT e.fact_id)
                                    FROM unnest(message_ids) AS erased (id)
                                    JOIN fact_evidence e ON e.namespace_id = namespace AND e.message_id = erased.id
                                    JOIN jsonb_array_elements_text(did -> 'facts_to_weigh') AS stays (id)
                                      ON stays.id = e.fact_id::text),
        'sample_ids', (SELECT coalesce(jsonb_agg(id), '[]') FROM (SELECT id FROM unnest(message_ids) AS id LIMIT 5) AS few));
END $$;

COMMENT ON FUNCTION everword.preview_erasure(of_kind smallint, id_ uuid, name_ text) IS 'What an erasure would take: rows by table, and a few ids of messages. It waits for writers, as the erasure does, and changes nothing.';

CREATE FUNCTION everword.price_usage(of_model text, of_provider text, called_at timestamp with time zone, input_tokens bigint, cached_tokens bigint, output_tokens bigint) RETURNS TABLE(cost numeric, currency text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    -- A product of decimals is exact, a quotient is not.
    SELECT trim_scale(((price_usage.input_tokens - price_usage.cached_tokens) * p.input_price
                       + price_usage.cached_tokens * coalesce(p.cached_input_price, p.input_price)
                       + price_usage.output_tokens * p.output_price) * 0.000001), p.currency
      FROM model_prices p
     WHERE p.model = of_model AND p.provider IN ('', of_provider)
       AND p.valid_from <= (price_usage.called_at AT TIME ZONE 'UTC')::date
     ORDER BY p.shipped, p.provider = '', p.valid_from DESC
     LIMIT 1
$$;

COMMENT ON FUNCTION everword.price_usage(of_model text, of_provider text, called_at timestamp with time zone, input_tokens bigint, cached_tokens bigint, output_tokens bigint) IS 'What a call cost by the prices of its day; no row where the model has none.';

CREATE FUNCTION everword.prune_append_requests(keep interval, batch integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    WITH pruned AS (
        DELETE FROM append_requests
         WHERE (namespace_id, request_id) IN (
               SELECT namespace_id, request_id FROM append_requests
                WHERE created_at < now() - keep ORDER BY created_at LIMIT batch)
        RETURNING 1)
    SELECT count(*) FROM pruned
$$;

COMMENT ON FUNCTION everword.prune_append_requests(keep interval, batch integer) IS 'Forget at most `batch` request ids older than `keep`; returns how many.';

CREATE FUNCTION everword.prune_usage(keep interval, batch integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    WITH pruned AS (
        DELETE FROM usage_ledger
         WHERE (namespace_id, id) IN (
               SELECT n.id, old.id
                 FROM namespaces n
                CROSS JOIN LATERAL (
                      SELECT u.id FROM usage_ledger u
                       WHERE u.namespace_id = n.id AND u.called_at < now() - keep
                       ORDER BY u.called_at LIMIT batch FOR UPDATE SKIP LOCKED) AS old
                LIMIT batch)
        RETURNING 1
    ), spending AS (
        DELETE FROM budget_spending
         WHERE (namespace_id, budget_id, period) IN (
               SELECT n.id, old.budget_id, old.period
                 FROM namespaces n
                CROSS JOIN LATERAL (
                      SELECT s.budget_id, s.period FROM budget_spending s
                       WHERE s.namespace_id = n.id AND s.started_at < now() - keep
                       ORDER BY s.started_at LIMIT batch FOR UPDATE SKIP LOCKED) AS old
                LIMIT batch)
        RETURNING 1
    ), events AS (
        DELETE FROM budget_events
         WHERE (namespace_id, id) IN (
               SELECT n.id, old.id
                 FROM namespaces n
                CROSS JOIN LATERAL (
                      SELECT e.id FROM budget_events e
                       WHERE e.namespace_id = n.id AND e.occurred_at < now() - keep
                       ORDER BY e.occurred_at LIMIT batch FOR UPDATE SKIP LOCKED) AS old
                LIMIT batch)
        RETURNING 1
    )
    SELECT count(*) FROM (SELECT FROM pruned UNION ALL SELECT FROM spending UNION ALL SELECT FROM events) AS gone
$$;

COMMENT ON FUNCTION everword.prune_usage(keep interval, batch integer) IS 'Forget at most `batch` calls of language models older than `keep`, and as much of what budgets were charged then; returns how much.';

CREATE FUNCTION everword.record_namespace_deletion(target bigint, key_id uuid DEFAULT NULL::uuid, asked_by text DEFAULT ''::text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    -- The id is a UUIDv7: the milliseconds, then what is random, with the bits that say so.
    INSERT INTO namespace_deletions (id, deleted_id, name_hash, api_key_id, requested_by)
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
                      substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1),
                  'hex')::uuid,
           n.id, namespace_name_hash(n.name), key_id, asked_by
      FROM namespaces n WHERE n.id = target
        ON CONFLICT (deleted_id) DO NOTHING
$$;

COMMENT ON FUNCTION everword.record_namespace_deletion(target bigint, key_id uuid, asked_by text) IS 'Write down that a namespace is being deleted, unless that was done before.';

CREATE FUNCTION everword.record_usage(records jsonb, batch uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    zone text := (SELECT n.time_zone FROM namespaces n WHERE n.id = namespace);
    reached jsonb;
BEGIN
    -- Nobody sets a budget meanwhile: it would miss what is recorded here.
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('budgets', namespace));
    WITH given AS MATERIALIZED (
        SELECT r.ordinality AS place, r.own, r.task, r.model, r.provider, r.endpoint, r.input_tokens, r.cached_tokens,
               r.output_tokens, r.outcome, r.seconds, r.cost, r.currency, coalesce(r.called_at, now()) AS called_at, r.run_id,
               r.conversation_id, coalesce(nullif(r.agent, ''), c.agent, '') AS agent,
               coalesce(nullif(r.session_key, ''), c.session_key, '') AS session_key
          FROM ROWS FROM (jsonb_to_recordset(records) AS (
               own boolean, task text, model text, provider text, endpoint text, input_tokens bigint, cached_tokens bigint,
               output_tokens bigint, outcome text, seconds float8, cost numeric, currency text, called_at timestamptz,
               run_id text, conversation_id uuid, agent text, session_key text)) WITH ORDINALITY AS r
          LEFT JOIN conversations c ON c.namespace_id = namespace AND c.id = r.conversation_id
    ), priced AS MATERIALIZED (
        SELECT g.*, coalesce(g.cost, p.cost) AS price, CASE WHEN g.cost IS NULL THEN coalesce(p.currency, '') ELSE g.currency END AS unit
          FROM given g
          LEFT JOIN LATERAL price_usage(g.model, g.provider, g.called_at, g.input_tokens, g.cached_tokens, g.output_tokens) p
               ON g.cost IS NULL
    ), stored AS (
        INSERT INTO usage_ledger (namespace_id, own, task, model, provider, endpoint, input_tokens, cached_tokens,
                                  output_tokens, outcome, seconds, cost, currency, called_at, run_id, conversation_id, agent,
                                  session_key, batch_id)
        SELECT namespace, own, task, model, provider, endpoint, input_tokens, cached_tokens, output_tokens, outcome, seconds,
               price, unit, called_at, run_id, conversation_id, agent, session_key, batch
          FROM priced ORDER BY place
    ), charged AS MATERIALIZED (
        SELECT b.id AS budget_id, CASE WHEN b.period = 1 THEN p.run_id ELSE month_of(p.called_at, zone) END AS period,
               coalesce(sum(p.price) FILTER (WHERE p.unit = b.currency), 0) AS cost,
               sum(p.input_tokens + p.output_tokens)::bigint AS tokens, count(*) AS calls,
               count(*) FILTER (WHERE p.price IS NULL OR b.currency <> '' AND p.unit <> b.currency) AS unpriced_calls
          FROM priced p
          JOIN budgets b ON b.namespace_id = namespace AND (b.period = 2 OR p.run_id <> '')
           AND (b.scope = 1 OR b.scope = 2 AND b.scope_value = p.agent OR b.scope = 3 AND b.scope_value = p.model)
         GROUP BY 1, 2
    ), spent AS (
        -- In one order everywhere, so that no two writers wait for each other.
        INSERT INTO budget_spending AS s (namespace_id, budget_id, period, cost, tokens, calls, unpriced_calls)
        SELECT namespace, budget_id, period, cost, tokens, calls, unpriced_calls FROM charged ORDER BY budget_id, period
            ON CONFLICT (namespace_id, budget_id, period) DO UPDATE
           SET cost = s.cost + excluded.cost, tokens = s.tokens + excluded.tokens, calls = s.calls + excluded.calls,
               unpriced_calls = s.unpriced_calls + excluded.unpriced_calls, updated_at = now()
        RETURNING s.budget_id, s.period, s.cost, s.tokens
    )
    -- Whose record it was that came to a threshold: before it the sum was below. Rows are held, so that is one writer.
    SELECT jsonb_agg(jsonb_build_object('budget_id', b.id, 'period', s.period, 'exceeded', t.exceeded, 'cost', s.cost,
                                        'tokens', s.tokens)
                     ORDER BY b.id, s.period, t.exceeded)
      INTO reached
      FROM spent s
      JOIN charged c ON c.budget_id = s.budget_id AND c.period = s.period
      JOIN budgets b ON b.namespace_id = namespace AND b.id = s.budget_id
     CROSS JOIN LATERAL (VALUES (false, b.warn_percent::integer), (true, 100)) AS t (exceeded, percent)
     WHERE budget_is_reached(s.cost, s.tokens, b.max_cost, b.max_tokens, t.percent)
       AND NOT budget_is_reached(s.cost - c.cost, s.tokens - c.tokens, b.max_cost, b.max_tokens, t.percent);
    IF reached IS NOT NULL THEN
        PERFORM add_budget_events(reached, batch);
    END IF;
END $$;

COMMENT ON FUNCTION everword.record_usage(records jsonb, batch uuid) IS 'Add calls of models to the ledger, with their prices, and charge the budgets of the namespace that the transaction is set to. The only way into the ledger.';

CREATE FUNCTION everword.remove_loose_nodes(nodes uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := erasing_namespace();
    loose uuid[];
BEGIN
    SELECT array_agg(n.id) INTO loose
      FROM graph_nodes n
     WHERE n.namespace_id = namespace AND n.id = ANY(nodes) AND n.anchor IS NULL
       AND NOT EXISTS (SELECT FROM graph_edges g WHERE g.namespace_id = namespace AND g.from_id = n.id)
       AND NOT EXISTS (SELECT FROM graph_edges g WHERE g.namespace_id = namespace AND g.to_id = n.id);
    RETURN CASE WHEN loose IS NULL THEN '{}' ELSE erase_rows('node', loose, '{}') END;
END $$;

COMMENT ON FUNCTION everword.remove_loose_nodes(nodes uuid[]) IS 'Delete those of some nodes that nothing relates to anything any more: they were known from what is gone alone.';

CREATE FUNCTION everword.remove_messages(gone uuid[], learned_stays boolean) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := erasing_namespace();
    counts jsonb;
    lost bigint;
    turns bigint;
    bytes bigint;
BEGIN
    IF cardinality(gone) > 5000 THEN
        RAISE EXCEPTION 'at most 5000 messages at once';
    END IF;
    -- Whoever writes to these conversations, or rests on these messages, is waited for, and waits.
    PERFORM id FROM conversations WHERE namespace_id = namespace AND id IN (
        SELECT conversation_id FROM messages WHERE namespace_id = namespace AND id = ANY(gone)) ORDER BY id FOR NO KEY UPDATE;
    PERFORM id FROM messages WHERE namespace_id = namespace AND id = ANY(gone) ORDER BY id FOR UPDATE;
    counts := withdraw_derived(gone, '{1,2}', learned_stays);
    counts := merge_erased(counts, erase_rows('source', gone, '{}'));
    counts := merge_erased(counts, erase_rows('message', gone, '{}', CASE WHEN learned_stays
                                   THEN '{fact_evidence,learned_evidence,graph_edges}' ELSE '{}' END::text[]));
    INSERT INTO erased_external_ids (namespace_id, hash)
    SELECT DISTINCT namespace, sha256(coalesce(c.erased_key, salted_hash(namespace::text, c.channel, c.agent, c.session_key))
                             || convert_to(m.external_id, 'UTF8'))
      FROM messages m JOIN conversations c ON c.namespace_id = namespace AND c.id = m.conversation_id
     WHERE m.namespace_id = namespace AND m.id = ANY(gone) AND m.external_id IS NOT NULL AND NOT learned_stays
        ON CONFLICT DO NOTHING;
    WITH lost AS (
        DELETE FROM messages WHERE namespace_id = namespace AND id = ANY(gone)
        RETURNING conversation_id, automated,
                  octet_length(content) + octet_length(tool_args) + octet_length(tool_result)
                  + coalesce((SELECT sum(octet_length(block ->> 'text') + octet_length(block ->> 'json'))
                                FROM jsonb_array_elements(content_blocks) AS block), 0) AS size
    ), counted AS (
        UPDATE conversations c SET turn_count = greatest(turn_count - lost.turns, 0)
          FROM (SELECT conversation_id, count(*) FILTER (WHERE NOT automated) AS turns FROM lost GROUP BY 1) AS lost
         WHERE c.namespace_id = namespace AND c.id = lost.conversation_id
    )
    SELECT count(*), count(*) FILTER (WHERE NOT automated), coalesce(sum(size), 0) INTO lost, turns, bytes FROM lost;
    IF lost > 0 THEN
        INSERT INTO corpus_counts (namespace_id, messages, turns, content_bytes) VALUES (namespace, -lost, -turns, -bytes);
    END IF;
    RETURN merge_erased(counts, jsonb_build_object('messages', lost));
END $$;

COMMENT ON FUNCTION everword.remove_messages(gone uuid[], learned_stays boolean) IS 'Delete messages for an erasure, or for a policy, by which what was learned stays, and which lets them come again.';

CREATE FUNCTION everword.remove_passages(sources uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    namespace bigint := erasing_namespace();
    removed bigint[];
    words bigint;
    generation bigint;
    vectors bigint;
    authors text[];
    counts jsonb;
BEGIN
    WITH gone AS (
        DELETE FROM memories WHERE namespace_id = namespace AND source_id = ANY(sources) RETURNING id, lexeme_count, author
    )
    SELECT coalesce(array_agg(id ORDER BY id), '{}'), coalesce(sum(lexeme_count), 0),
           array_agg(DISTINCT author) FILTER (WHERE author <> '')
      INTO removed, words, authors FROM gone;
    IF cardinality(removed) = 0 THEN
        RETURN '{}';
    END IF;
    counts := jsonb_build_object('memories', cardinality(removed));
    -- First the queue: a worker that is storing a vector holds its row, and what comes after it sees the vector.
    DELETE FROM embedding_queue WHERE namespace_id = namespace AND memory_id = ANY(removed);
    FOR generation IN SELECT id FROM model_generations ORDER BY id LOOP
        EXECUTE format('DELETE FROM %I WHERE namespace_id = $1 AND memory_id = ANY($2)', 'memory_vectors_' || generation)
          USING namespace, removed;
        GET DIAGNOSTICS vectors = ROW_COUNT;
        IF vectors > 0 THEN
            counts := merge_erased(counts, jsonb_build_object('memory_vectors_' || generation, vectors));
        END IF;
    END LOOP;
    INSERT INTO corpus_counts (namespace_id, passages, dropped, lexemes)
    VALUES (namespace, -cardinality(removed), cardinality(removed), -words);
    PERFORM log_index_change(removed, '{}');
    RETURN counts || jsonb_build_object('authors_gone', coalesce(
        (SELECT jsonb_agg(one) FROM unnest(authors) AS one
          WHERE NOT EXISTS (SELECT FROM memories m WHERE m.namespace_id = namespace AND m.author = one AND m.author <> '')), '[]'));
END $_$;

COMMENT ON FUNCTION everword.remove_passages(sources uuid[]) IS 'Take memories out of the index with their vectors, whatever their kind; copies of the index follow.';

CREATE FUNCTION everword.retire(of_kind smallint, gone uuid[], keep_quotes boolean) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    theirs uuid[];
    nodes uuid[];
    counts jsonb := '{}';
    old text;
    lost bigint;
    -- A run of many steps would take them again and again.
    pause constant interval := '30 seconds';
BEGIN
    IF cardinality(gone) > 5000 THEN
        RAISE EXCEPTION 'at most 5000 at once';
    END IF;
    IF cardinality(gone) = 0 THEN
        RETURN '{}';
    END IF;
    CASE of_kind
    WHEN 1 THEN
        SELECT array_agg(DISTINCT conversation_id) INTO theirs FROM messages WHERE namespace_id = namespace AND id = ANY(gone);
        PERFORM fence_jobs(theirs, pause);
        PERFORM forget_errors(theirs);
        IF NOT keep_quotes THEN
            UPDATE fact_evidence SET quote = '' WHERE namespace_id = namespace AND message_id = ANY(gone) AND quote <> '';
            UPDATE graph_edges SET quote = '' WHERE namespace_id = namespace AND message_id = ANY(gone) AND quote <> '';
            UPDATE learned_evidence SET quote = '…' WHERE namespace_id = namespace AND message_id = ANY(gone);
        END IF;
        counts := remove_messages(gone, true);
        RETURN merge_erased(counts, retire_conversations(theirs));
    WHEN 2 THEN
        PERFORM fence_jobs(NULL, pause);
        RETURN erase_rows('note', gone, '{}');
    WHEN 5 THEN
        PERFORM fence_jobs(NULL, pause);
        PERFORM withdraw_pages(gone);
        -- What they took the place of stays as it was: it has ended, whether or not anybody knows what came then.
        UPDATE fact_intervals SET successor_id = NULL
         WHERE namespace_id = namespace AND successor_id = ANY(gone) AND NOT fact_id = ANY(gone);
        nodes := fact_nodes(gone);
        counts := erase_rows('fact', gone, '{}');
        RETURN merge_erased(counts, remove_loose_nodes(nodes));
    WHEN 6 THEN
        RETURN erase_rows('pattern', gone, '{}');
    ELSE
        IF of_kind = 3 THEN
            PERFORM forget_requests(gone);
        END IF;
        FOREACH old IN ARRAY CASE of_kind WHEN 3 THEN ARRAY['note_versions'] WHEN 4 THEN ARRAY['document_versions']
                                          ELSE ARRAY['fact_changes', 'learned_changes', 'pattern_decisions'] END LOOP
            EXECUTE format('DELETE FROM %I WHERE namespace_id = $1 AND id = ANY($2)', old) USING namespace, gone;
            GET DIAGNOSTICS lost = ROW_COUNT;
            counts := merge_erased(counts, jsonb_build_object(old, lost));
        END LOOP;
        RETURN counts;
    END CASE;
END $_$;

COMMENT ON FUNCTION everword.retire(of_kind smallint, gone uuid[], keep_quotes boolean) IS 'Remove what a policy lets go, at most 5,000 of a kind at once, with what was derived from it; what was learned from messages stays. Returns how many rows of which tables, and what is to be made anew.';

CREATE FUNCTION everword.retire_conversations(ids uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    each uuid;
    removed uuid[];
    counts jsonb := '{}';
BEGIN
    FOREACH each IN ARRAY coalesce(ids, '{}') LOOP
        CONTINUE WHEN EXISTS (SELECT FROM messages WHERE namespace_id = namespace AND conversation_id = each)
                   OR EXISTS (SELECT FROM notes WHERE namespace_id = namespace AND conversation_id = each)
                   OR EXISTS (SELECT FROM documents WHERE namespace_id = namespace AND conversation_id = each)
                   OR EXISTS (SELECT FROM summaries WHERE namespace_id = namespace AND conversation_id = each);
        BEGIN
            counts := merge_erased(counts, erase_rows('conversation', ARRAY[each], '{}'));
            DELETE FROM conversations WHERE namespace_id = namespace AND id = each;
            removed := removed || each;
        EXCEPTION WHEN foreign_key_violation THEN
            NULL; -- something else belongs to it: it stays, without its messages
        END;
    END LOOP;
    IF removed IS NOT NULL THEN
        UPDATE append_requests SET body_hash = '', message_ids = '{}', conversation_id = NULL
         WHERE namespace_id = namespace AND conversation_id = ANY(removed);
        DELETE FROM jobs WHERE namespace_id = namespace AND subject = ANY(removed::text[]);
        INSERT INTO corpus_counts (namespace_id, conversations) VALUES (namespace, -cardinality(removed));
        counts := merge_erased(counts, jsonb_build_object('conversations', cardinality(removed)));
    END IF;
    RETURN counts;
END $$;

COMMENT ON FUNCTION everword.retire_conversations(ids uuid[]) IS 'Remove conversations of which nothing is left, and to which nothing else belongs.';

CREATE FUNCTION everword.running_erasures(batch integer) RETURNS TABLE(namespace_id bigint, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT e.namespace_id, e.id FROM erasures e JOIN namespaces n ON n.id = e.namespace_id AND n.state = 'active'
     WHERE e.state = 1 ORDER BY e.updated_at LIMIT batch
$$;

COMMENT ON FUNCTION everword.running_erasures(batch integer) IS 'Erasures that are not done, of all namespaces: ids only.';

CREATE FUNCTION everword.running_retention(batch integer) RETURNS TABLE(namespace_id bigint, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT r.namespace_id, r.id FROM retention_runs r JOIN namespaces n ON n.id = r.namespace_id AND n.state = 'active'
     WHERE r.state = 1 ORDER BY r.updated_at LIMIT batch
$$;

COMMENT ON FUNCTION everword.running_retention(batch integer) IS 'Runs that are not done, of all namespaces: ids only.';

CREATE FUNCTION everword.salted_hash(VARIADIC parts text[]) RETURNS bytea
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT CASE WHEN n.erasure_salt IS NULL THEN sha256(d.token_secret || convert_to(to_jsonb(parts)::text, 'UTF8'))
                ELSE sha256(n.erasure_salt || convert_to(to_jsonb(parts[2:])::text, 'UTF8')) END
      FROM deployment d LEFT JOIN namespaces n ON n.id = parts[1]::bigint
$$;

COMMENT ON FUNCTION everword.salted_hash(VARIADIC parts text[]) IS 'SHA-256 of texts with the secret of the namespace whose id is the first one: nobody without it can try what they were.';

CREATE FUNCTION everword.scope_table(scoped text, condition text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
BEGIN
    EXECUTE format('DROP POLICY IF EXISTS scope ON %I', scoped);
    EXECUTE format('CREATE POLICY scope ON %I AS RESTRICTIVE TO everword_scoped USING (%s)', scoped, condition);
END $$;

COMMENT ON FUNCTION everword.scope_table(scoped text, condition text) IS 'Let scoped calls see and write the rows of an isolated table that meet a condition.';

CREATE FUNCTION everword.spend_grant(hash bytea, spends boolean) RETURNS TABLE(namespace_id bigint, namespace_name text, max_calls integer, allowed boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
    spent boolean;
BEGIN
    UPDATE advisor_grants SET used_calls = used_calls + 1
     WHERE secret_hash = hash AND spends AND used_calls < max_calls AND expires_at > now();
    spent := FOUND;
    RETURN QUERY
    SELECT n.id, n.name, g.max_calls, spent OR NOT spends
      FROM advisor_grants g JOIN namespaces n ON n.id = g.namespace_id AND n.state = 'active'
     WHERE g.secret_hash = hash AND g.expires_at > now();
END $$;

COMMENT ON FUNCTION everword.spend_grant(hash bytea, spends boolean) IS 'Count a call of the grant with this hash, if it `spends`: whose it is, and whether there was a call left; no row where it is unknown or has ended.';

CREATE FUNCTION everword.target_messages(erasure everword.erasures) RETURNS SETOF uuid
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT m.id FROM messages m WHERE erasure.kind = 1 AND m.namespace_id = erasure.namespace_id AND m.id = erasure.target_id
     UNION ALL
    SELECT m.id FROM conversations c JOIN messages m ON m.namespace_id = c.namespace_id AND m.conversation_id = c.id
     WHERE erasure.kind = 2 AND c.namespace_id = erasure.namespace_id AND c.id = erasure.target_id
     UNION ALL
    SELECT m.id FROM conversations c JOIN messages m ON m.namespace_id = c.namespace_id AND m.conversation_id = c.id
     WHERE erasure.kind = 3 AND c.namespace_id = erasure.namespace_id AND c.subject = erasure.target_name
     UNION ALL
    SELECT m.id FROM messages m
     WHERE erasure.kind = 4 AND m.namespace_id = erasure.namespace_id AND m.author = erasure.target_name AND m.author <> ''
       AND m.recorded_at <= erasure.requested_at
$$;

COMMENT ON FUNCTION everword.target_messages(erasure everword.erasures) IS 'The messages that belong to the target of an erasure.';

CREATE TABLE everword.transfer_rules (
    relation text NOT NULL,
    place integer NOT NULL,
    record text,
    keys text[] DEFAULT '{}'::text[] NOT NULL,
    omitted text[] DEFAULT '{}'::text[] NOT NULL,
    only_where text DEFAULT 'true'::text NOT NULL,
    source text,
    page integer DEFAULT 500 NOT NULL,
    remark text DEFAULT ''::text NOT NULL,
    CONSTRAINT transfer_rules_page_check CHECK ((page > 0))
);

COMMENT ON TABLE everword.transfer_rules IS 'The rows of `relation` are records of an export, in the order of `place` and then of `keys`: all columns but the namespace and those `omitted`. One without a record is left out, and the remark says why.';

COMMENT ON COLUMN everword.transfer_rules.source IS 'What they are read from, where that is not the relation.';

COMMENT ON COLUMN everword.transfer_rules.page IS 'Rows that are read at once: few where each may be large.';

CREATE FUNCTION everword.transferred_columns(rule everword.transfer_rules) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
     WHERE attrelid = to_regclass(rule.relation) AND attnum > 0 AND NOT attisdropped
       AND attname <> 'namespace_id' AND attname <> ALL(rule.omitted)
$$;

COMMENT ON FUNCTION everword.transferred_columns(rule everword.transfer_rules) IS 'The fields of a record, in their order.';

CREATE FUNCTION everword.upgrade_vector_tables() RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION everword.upgrade_vector_tables() IS 'Turn plain arrays into pgvector''s type once the extension is there; returns how many tables were turned.';

CREATE FUNCTION everword.with_merged_nodes(ids uuid[]) RETURNS uuid[]
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    WITH RECURSIVE below (id) AS (
        SELECT unnest(ids)
         UNION
        SELECT n.id FROM below JOIN graph_nodes n ON n.namespace_id = erasing_namespace() AND n.merged_into = below.id
    )
    SELECT array_agg(id) FROM below
$$;

COMMENT ON FUNCTION everword.with_merged_nodes(ids uuid[]) IS 'Nodes, and those that were merged into them.';

CREATE FUNCTION everword.withdraw_derived(gone uuid[], axes smallint[], learned_stays boolean DEFAULT false) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := erasing_namespace();
    since timestamptz;
    subjects text[];
    counts jsonb;
    lost bigint;
BEGIN
    SELECT min(m.recorded_at), array_agg(DISTINCT c.subject) INTO since, subjects
      FROM unnest(gone) AS erased (id)
      JOIN messages m ON m.namespace_id = namespace AND m.id = erased.id
      JOIN conversations c ON c.namespace_id = namespace AND c.id = m.conversation_id;
    IF since IS NULL THEN
        RETURN '{}';
    END IF;
    counts := withdraw_summaries(gone, axes);
    IF NOT learned_stays THEN
        counts := merge_erased(counts, withdraw_facts(gone, since));
        counts := merge_erased(counts, withdraw_learned(gone, subjects, since));
    END IF;
    -- What was observed in sessions that hold the messages.
    WITH touched AS (
        SELECT s.id AS session_id, erased.id AS message_id FROM unnest(gone) AS erased (id)
          JOIN messages m ON m.namespace_id = namespace AND m.id = erased.id
          JOIN sleep_sessions s ON s.namespace_id = namespace AND s.conversation_id = m.conversation_id
                               AND m.seq BETWEEN s.first_seq AND s.last_seq
    ), cleared AS (
        UPDATE sleep_sessions SET topics = '{}', error = NULL
         WHERE namespace_id = namespace AND id IN (SELECT session_id FROM touched)
    ), lost AS (
        DELETE FROM session_observations o USING touched
         WHERE o.namespace_id = namespace AND o.session_id = touched.session_id AND touched.message_id = ANY(o.message_ids)
        RETURNING 1
    )
    SELECT count(*) INTO lost FROM lost;
    counts := merge_erased(counts, jsonb_build_object('session_observations', lost));
    IF learned_stays THEN
        RETURN counts;
    END IF;
    RETURN merge_erased(counts, withdraw_themes(since));
END $$;

COMMENT ON FUNCTION everword.withdraw_derived(gone uuid[], axes smallint[], learned_stays boolean) IS 'Take away what was derived from messages, but for what is theirs alone; where what was learned stays, but for that as well.';

CREATE FUNCTION everword.withdraw_facts(gone uuid[], since timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := erasing_namespace();
    touched uuid[];
    dead uuid[];
    nodes uuid[];
    counts jsonb := '{}';
    lost bigint;
BEGIN
    WITH lost AS (
        DELETE FROM fact_evidence e USING unnest(gone) AS erased (id)
         WHERE e.namespace_id = namespace AND e.message_id = erased.id RETURNING e.fact_id
    )
    SELECT array_agg(DISTINCT fact_id), count(*) INTO touched, lost FROM lost;
    IF touched IS NOT NULL THEN
        counts := jsonb_build_object('fact_evidence', lost);
    END IF;
    SELECT coalesce(array_agg(f.id), '{}') INTO dead
      FROM facts f
     WHERE f.namespace_id = namespace AND f.id = ANY(coalesce(touched, '{}'))
       AND NOT EXISTS (SELECT FROM fact_evidence e
                        WHERE e.namespace_id = namespace AND e.fact_id = f.id AND NOT e.contradicts);
    SELECT array_agg(DISTINCT node) INTO nodes
      FROM unnest(gone) AS erased (id)
      JOIN graph_edges g ON g.namespace_id = namespace AND g.message_id = erased.id
     CROSS JOIN LATERAL (VALUES (g.from_id), (g.to_id)) AS ends (node);
    counts := merge_erased(counts, erase_facts(dead));
    WITH lost AS (
        DELETE FROM graph_edges g USING unnest(gone) AS erased (id)
         WHERE g.namespace_id = namespace AND g.message_id = erased.id RETURNING 1
    )
    SELECT count(*) INTO lost FROM lost;
    counts := merge_erased(counts, jsonb_build_object('graph_edges', lost));
    counts := merge_erased(counts, remove_loose_nodes(nodes));
    PERFORM withdraw_pages(coalesce(touched, '{}'));
    -- What was said about the others since may repeat the words.
    UPDATE fact_changes SET reason = ''
     WHERE namespace_id = namespace AND fact_id = ANY(touched) AND changed_at >= since AND reason <> '';
    UPDATE fact_disputes SET reason = ''
     WHERE namespace_id = namespace AND (old_fact_id = ANY(touched) OR new_fact_id = ANY(touched)) AND reason <> '';
    UPDATE fact_edges SET reason = ''
     WHERE namespace_id = namespace AND (from_fact_id = ANY(touched) OR to_fact_id = ANY(touched)) AND reason <> '';
    RETURN merge_erased(counts, jsonb_build_object('facts_to_weigh', coalesce(
        (SELECT jsonb_agg(id) FROM unnest(touched) AS id WHERE NOT id = ANY(dead)), '[]')));
END $$;

COMMENT ON FUNCTION everword.withdraw_facts(gone uuid[], since timestamp with time zone) IS 'Take evidence away: facts and relations that rested on nothing else go; those that are left are to be weighed anew.';

CREATE FUNCTION everword.withdraw_learned(gone uuid[], subjects text[], since timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := erasing_namespace();
    touched uuid[];
    dead uuid[];
    lost bigint;
    counts jsonb := '{}';
BEGIN
    WITH lost AS (
        DELETE FROM learned_evidence e USING unnest(gone) AS erased (id)
         WHERE e.namespace_id = namespace AND e.message_id = erased.id RETURNING e.about_id
    )
    SELECT coalesce(array_agg(DISTINCT about_id), '{}'), count(*) INTO touched, lost FROM lost;
    -- Questions and trajectories are written by a model from all that it was shown: one that may have seen the words goes.
    SELECT coalesce(array_agg(id), '{}') INTO dead
      FROM (SELECT id FROM strategies WHERE namespace_id = namespace AND id = ANY(touched)
             UNION
            SELECT id FROM trajectories
             WHERE namespace_id = namespace AND (id = ANY(touched) OR subject = ANY(subjects) AND created_at >= since)
             UNION
            SELECT about.id
              FROM (SELECT id FROM people WHERE namespace_id = namespace AND id = ANY(touched)
                     UNION ALL
                    SELECT id FROM events WHERE namespace_id = namespace AND id = ANY(touched)
                     UNION ALL
                    SELECT id FROM user_models WHERE namespace_id = namespace AND id = ANY(touched)) AS about
             WHERE NOT EXISTS (SELECT FROM learned_evidence e
                                WHERE e.namespace_id = namespace AND e.about_id = about.id)) AS gone_with_it;
    IF cardinality(touched) > 0 THEN
        counts := jsonb_build_object('learned_evidence', lost);
    END IF;
    IF cardinality(dead) > 0 THEN
        counts := merge_erased(counts, erase_rows('learned', dead, '{}'));
    END IF;
    UPDATE user_models u
       SET supporting = kept.messages, held_from = kept.first, last_seen_at = kept.last
      FROM (SELECT about_id, count(DISTINCT message_id) AS messages, min(said_at) AS first, max(said_at) AS last
              FROM learned_evidence WHERE namespace_id = namespace AND about_id = ANY(touched) GROUP BY about_id) AS kept
     WHERE u.namespace_id = namespace AND u.id = kept.about_id;
    UPDATE learned_changes SET reason = ''
     WHERE namespace_id = namespace AND about_id = ANY(touched) AND reason <> '';
    RETURN counts || jsonb_build_object(
        'people_to_fold', coalesce((SELECT jsonb_agg(id) FROM people WHERE namespace_id = namespace AND id = ANY(touched)), '[]'),
        'events_to_fold', coalesce((SELECT jsonb_agg(id) FROM events WHERE namespace_id = namespace AND id = ANY(touched)), '[]'));
END $$;

COMMENT ON FUNCTION everword.withdraw_learned(gone uuid[], subjects text[], since timestamp with time zone) IS 'Take evidence away from what Sleep learned: what rested on nothing else goes; people and events that are left are to be folded anew.';

CREATE FUNCTION everword.withdraw_nodes(direct uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := erasing_namespace();
    covering uuid[];
    empty uuid[];
    removed uuid[] := '{}';
    counts jsonb;
BEGIN
    IF direct IS NULL THEN
        RETURN '{}';
    END IF;
    WITH RECURSIVE above (id) AS (
        SELECT unnest(direct)
         UNION
        SELECT s.parent_id FROM above JOIN summaries s ON s.namespace_id = namespace AND s.id = above.id
         WHERE s.parent_id IS NOT NULL
    )
    SELECT array_agg(id) INTO covering FROM above;
    -- In the order of ids, as whoever else holds several.
    PERFORM id FROM summaries WHERE namespace_id = namespace AND id = ANY(covering) ORDER BY id FOR UPDATE;
    PERFORM withdraw_pages(covering);
    counts := remove_passages(covering);
    -- From below upwards: what has nothing left that it could be made from goes.
    LOOP
        SELECT array_agg(id) INTO empty
          FROM summaries n
         WHERE n.namespace_id = namespace AND n.id = ANY(covering) AND NOT n.id = ANY(removed)
           AND NOT EXISTS (SELECT FROM summary_sources s WHERE s.namespace_id = namespace AND s.summary_id = n.id);
        EXIT WHEN empty IS NULL;
        counts := merge_erased(counts, erase_rows('summary', empty, '{}'));
        removed := removed || empty;
    END LOOP;
    -- The others keep their ids and places, and no word. Whoever is writing one anew has read an older revision.
    UPDATE summaries
       SET content = '[erased]', title = CASE WHEN level < 4 THEN '' ELSE title END, hidden = true, stale = true,
           needs_review = true, faithfulness = NULL, model = 'extractive', prompt_version = 0, token_count = 0,
           revision = revision + 1
     WHERE namespace_id = namespace AND id = ANY(covering) AND NOT id = ANY(removed);
    INSERT INTO calendar_pending (namespace_id, level, period, instance, conversation_id)
    SELECT namespace, n.level, n.period, n.instance,
           CASE WHEN n.level = 4 THEN (SELECT m.conversation_id FROM summary_sources s
                                         JOIN messages m ON m.namespace_id = namespace AND m.id = s.message_id
                                        WHERE s.namespace_id = namespace AND s.summary_id = n.id LIMIT 1) END
      FROM summaries n
     WHERE n.namespace_id = namespace AND n.id = ANY(covering) AND n.level BETWEEN 4 AND 7 AND NOT n.id = ANY(removed)
       AND NOT EXISTS (SELECT FROM calendar_pending p
                        WHERE p.namespace_id = namespace AND p.level = n.level AND p.period = n.period
                          AND p.instance = n.instance);
    RETURN counts || jsonb_build_object(
        'summaries_withdrawn', cardinality(covering) - cardinality(removed),
        'conversations_to_compact', coalesce((SELECT jsonb_agg(DISTINCT conversation_id) FROM summaries
                                     WHERE namespace_id = namespace AND id = ANY(covering) AND conversation_id IS NOT NULL), '[]'));
END $$;

COMMENT ON FUNCTION everword.withdraw_nodes(direct uuid[]) IS 'Take the words out of summaries and of those above them, and hide them until they are written anew.';

CREATE FUNCTION everword.withdraw_pages(sources uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
BEGIN
    IF to_regprocedure('forget_topic_sources(uuid[])') IS NOT NULL THEN
        EXECUTE 'SELECT forget_topic_sources($1)' USING sources;
    END IF;
END $_$;

COMMENT ON FUNCTION everword.withdraw_pages(sources uuid[]) IS 'Take out the pages about topics that were made from facts or leaves; they are made anew.';

CREATE FUNCTION everword.withdraw_summaries(gone uuid[], axes smallint[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
DECLARE
    namespace bigint := erasing_namespace();
    titled uuid[];
    direct uuid[];
    lost bigint;
BEGIN
    -- A title that was taken from one of them; every summary of the conversation was written under it.
    WITH untitled AS (
        UPDATE conversations c SET title = ''
          FROM unnest(gone) AS erased (id)
          JOIN messages m ON m.namespace_id = namespace AND m.id = erased.id AND m.role = 2
         WHERE c.namespace_id = namespace AND c.id = m.conversation_id AND c.title <> ''
           AND starts_with(btrim(regexp_replace(m.content, '\s+', ' ', 'g')),
                           split_part(rtrim(c.title, '…'), '[credential removed]', 1))
        RETURNING c.id
    )
    SELECT array_agg(s.id) INTO titled
      FROM untitled JOIN summaries s ON s.namespace_id = namespace AND s.conversation_id = untitled.id AND NOT s.hidden;
    -- Those of a conversation that is hidden as a whole go with it.
    WITH lost AS (
        DELETE FROM summary_sources s USING unnest(gone) AS erased (id)
         WHERE s.namespace_id = namespace AND s.message_id = erased.id AND s.axis = ANY(axes) RETURNING s.summary_id
    )
    SELECT array_agg(DISTINCT s.id) || titled, count(*) INTO direct, lost
      FROM lost
      LEFT JOIN summaries s ON s.namespace_id = namespace AND s.id = lost.summary_id
                           AND (s.conversation_id IS NULL OR NOT hidden_conversation(namespace, s.conversation_id));
    RETURN merge_erased(jsonb_build_object('summary_sources', lost), withdraw_nodes(nullif(array_remove(direct, NULL), '{}')));
END $$;

COMMENT ON FUNCTION everword.withdraw_summaries(gone uuid[], axes smallint[]) IS 'Withdraw the summaries that cover messages, along these axes, and those under a title that was taken from one.';

CREATE FUNCTION everword.withdraw_target(erasure everword.erasures, OUT did jsonb, OUT message_ids uuid[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS $_$
DECLARE
    namespace bigint := erasing_namespace();
    marked uuid[];
    others uuid[];
BEGIN
    did := '{}';
    IF erasure.kind IN (2, 3) THEN
        -- Whoever appends is waited for. The key is free at once, for a conversation that begins anew.
        PERFORM c.id FROM conversations c
          WHERE c.namespace_id = namespace AND (c.id = erasure.target_id OR erasure.kind = 3 AND c.subject = erasure.target_name) ORDER BY c.id FOR UPDATE;
        SELECT coalesce(array_agg(c.id), '{}') INTO marked FROM conversations c
         WHERE c.namespace_id = namespace AND c.erasure_id IS NULL AND (c.id = erasure.target_id OR erasure.kind = 3 AND c.subject = erasure.target_name);
        PERFORM forget_sessions(marked);
        WITH held AS (
            UPDATE conversations c
               SET erasure_id = erasure.id, session_key = 'erased/' || c.id, title = '', settings = NULL, channel_id = '',
                   bot_identity = '', client_session_id = '',
                   erased_key = salted_hash(namespace::text, c.channel, c.agent, c.session_key)
             WHERE c.namespace_id = namespace AND c.erasure_id IS NULL
               AND (erasure.kind = 2 AND c.id = erasure.target_id OR erasure.kind = 3 AND c.subject = erasure.target_name)
            RETURNING c.id
        )
        SELECT coalesce(array_agg(id), '{}') INTO marked FROM held;
        did := merge_erased(did, jsonb_build_object('conversations', cardinality(marked)));
        did := merge_erased(did, erase_rows('conversation', marked, '{}'));
        SELECT array_agg(id) INTO others FROM summaries WHERE namespace_id = namespace AND conversation_id = ANY(marked);
        PERFORM withdraw_pages(others);
        DELETE FROM jobs WHERE namespace_id = namespace AND subject = ANY(SELECT unnest(marked)::text);
    END IF;
    SELECT coalesce(array_agg(id), '{}') INTO message_ids FROM target_messages(erasure) AS id;
    -- Along conversations that are hidden as a whole, nothing has to be looked for.
    did := merge_erased(did, withdraw_derived(message_ids, CASE WHEN erasure.kind IN (2, 3) THEN '{2}' ELSE '{1,2}' END::smallint[]));
    PERFORM forget_requests(message_ids);
    IF erasure.kind = 3 THEN
        did := merge_erased(did, erase_rows('subject', '{}', ARRAY[erasure.target_name]));
    ELSIF erasure.kind = 4 THEN
        SELECT array_agg(n.id) INTO others
          FROM notes n JOIN note_versions v ON v.namespace_id = namespace AND v.note_id = n.id AND v.version = n.version
         WHERE n.namespace_id = namespace AND v.author = erasure.target_name;
        IF others IS NOT NULL THEN
            did := merge_erased(did, erase_rows('note', others, '{}'));
        END IF;
        IF to_regclass('documents') IS NOT NULL THEN
            EXECUTE 'SELECT array_agg(d.id) FROM documents d JOIN document_versions v '
                    'ON v.namespace_id = $1 AND v.document_id = d.id AND v.version = d.version '
                    'WHERE d.namespace_id = $1 AND v.author = $2' INTO others USING namespace, erasure.target_name;
            IF others IS NOT NULL THEN
                did := merge_erased(did, erase_rows('document', others, '{}'));
            END IF;
        END IF;
        did := merge_erased(did, erase_rows('author', '{}', ARRAY[erasure.target_name]));
    ELSIF erasure.kind > 4 THEN
        did := merge_erased(did, erase_memories(CASE erasure.kind WHEN 5 THEN 'note' WHEN 6 THEN 'fact' WHEN 7 THEN 'learned'
                                                             WHEN 8 THEN 'node' WHEN 9 THEN 'pattern' ELSE 'document' END,
                                                ARRAY[erasure.target_id]));
    END IF;
END $_$;

COMMENT ON FUNCTION everword.withdraw_target(erasure everword.erasures, OUT did jsonb, OUT message_ids uuid[]) IS 'Hide what an erasure is about, and take away all of it but its messages, whose ids are returned, and the summaries of hidden conversations.';

CREATE FUNCTION everword.withdraw_themes(since timestamp with time zone) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'everword', 'pg_temp'
    AS $$
    -- Themes are made of a sample of all there is: those since then may have seen it, and are made anew by night.
    WITH lost AS (DELETE FROM themes WHERE namespace_id = erasing_namespace() AND made_at >= since RETURNING 1)
    SELECT jsonb_build_object('themes', count(*)) FROM lost
$$;

COMMENT ON FUNCTION everword.withdraw_themes(since timestamp with time zone) IS 'Take out the themes that may have been made from what there is since a time.';

CREATE TABLE everword.advisor_grants (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    secret_hash bytea NOT NULL,
    repo text NOT NULL,
    issue text NOT NULL,
    max_calls integer NOT NULL,
    used_calls integer DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT advisor_grants_check CHECK (((used_calls >= 0) AND (used_calls <= max_calls))),
    CONSTRAINT advisor_grants_max_calls_check CHECK ((max_calls > 0))
);

COMMENT ON TABLE everword.advisor_grants IS 'Keys for a number of calls, and how many were made. Forgotten a week after they end.';

COMMENT ON COLUMN everword.advisor_grants.secret_hash IS 'SHA-256 of 256 random bits, as of API keys.';

CREATE TABLE everword.api_keys (
    id uuid NOT NULL,
    namespace_id bigint,
    key_hash bytea NOT NULL,
    role smallint NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT api_keys_check CHECK (((role = 3) = (namespace_id IS NULL))),
    CONSTRAINT api_keys_role_check CHECK (((role >= 1) AND (role <= 3))),
    CONSTRAINT api_keys_scope_check CHECK (((role < 3) OR ((agent = ''::text) AND (subject = ''::text))))
);

COMMENT ON TABLE everword.api_keys IS 'SHA-256 of 256-bit random keys. Revoked keys stay, so that a locked deployment stays locked.';

COMMENT ON COLUMN everword.api_keys.last_used_at IS 'To a minute or so: a key in use is written once a minute, however many calls it makes.';

COMMENT ON COLUMN everword.api_keys.agent IS 'The agent that it is bound to; empty where it is to none.';

COMMENT ON COLUMN everword.api_keys.subject IS 'The user that it is bound to; empty where it is to none.';

CREATE TABLE everword.append_requests (
    namespace_id bigint NOT NULL,
    request_id text NOT NULL,
    body_hash bytea NOT NULL,
    conversation_id uuid,
    message_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE everword.append_requests IS 'Which request ids were used, with what body and what result: inserted first, so that of two equal calls one waits.';

CREATE TABLE everword.author_names (
    namespace_id bigint NOT NULL,
    name text NOT NULL
);

COMMENT ON TABLE everword.author_names IS 'The words, in lower case, of the names of who spoke: in a question they say whose words are meant, not which.';

CREATE TABLE everword.budget_events (
    namespace_id bigint NOT NULL,
    id bigint NOT NULL,
    budget_id uuid NOT NULL,
    period text NOT NULL,
    exceeded boolean NOT NULL,
    cost numeric NOT NULL,
    tokens bigint NOT NULL,
    max_cost numeric,
    currency text NOT NULL,
    max_tokens bigint,
    warn_percent smallint NOT NULL,
    batch_id uuid,
    occurred_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE everword.budget_events IS 'When budgets came to their warning, and to their limit. Writers hold a lock of the namespace from before an id is taken until the commit: whoever reads on from an id misses nothing.';

COMMENT ON COLUMN everword.budget_events.exceeded IS 'Whether the limit was reached; else the warning was.';

COMMENT ON COLUMN everword.budget_events.max_cost IS 'The limits as they were then.';

ALTER TABLE everword.budget_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.budget_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.budget_spending (
    namespace_id bigint NOT NULL,
    budget_id uuid NOT NULL,
    period text NOT NULL,
    cost numeric NOT NULL,
    tokens bigint NOT NULL,
    calls bigint NOT NULL,
    unpriced_calls bigint NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
)
WITH (fillfactor='50');

COMMENT ON TABLE everword.budget_spending IS 'What a budget has been charged in a period. Every record adds to it in its own transaction, so it is never summed up anew.';

COMMENT ON COLUMN everword.budget_spending.period IS 'The id of a run, or a month such as 2026-03.';

COMMENT ON COLUMN everword.budget_spending.unpriced_calls IS 'Calls that `cost` does not hold: of no known price, or in another currency.';

CREATE TABLE everword.budgets (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    period smallint NOT NULL,
    scope smallint NOT NULL,
    scope_value text DEFAULT ''::text NOT NULL,
    max_cost numeric,
    currency text DEFAULT ''::text NOT NULL,
    max_tokens bigint,
    warn_percent smallint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT budgets_check CHECK (((max_cost IS NOT NULL) OR (max_tokens IS NOT NULL))),
    CONSTRAINT budgets_check1 CHECK (((max_cost IS NULL) = (currency = ''::text))),
    CONSTRAINT budgets_max_cost_check CHECK ((max_cost > (0)::numeric)),
    CONSTRAINT budgets_max_tokens_check CHECK ((max_tokens > 0)),
    CONSTRAINT budgets_period_check CHECK ((period = ANY (ARRAY[1, 2]))),
    CONSTRAINT budgets_scope_check CHECK ((scope = ANY (ARRAY[1, 2, 3]))),
    CONSTRAINT budgets_warn_percent_check CHECK (((warn_percent >= 1) AND (warn_percent <= 100)))
);

COMMENT ON TABLE everword.budgets IS 'Limits of what models may cost. Calls in another currency count by their tokens alone.';

CREATE TABLE everword.calendar_pending (
    namespace_id bigint NOT NULL,
    id bigint NOT NULL,
    level smallint NOT NULL,
    period date NOT NULL,
    instance text DEFAULT ''::text NOT NULL,
    conversation_id uuid,
    seqs bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    enqueued_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT calendar_pending_check CHECK (((level = 4) = (conversation_id IS NOT NULL))),
    CONSTRAINT calendar_pending_level_check CHECK (((level >= 4) AND (level <= 7)))
);

COMMENT ON TABLE everword.calendar_pending IS 'What the calendar has not summed up yet: a row exactly while something is pending for a period. Every append adds one for each day that it touches, with the places of the messages; rows go in the transaction that stores the node. Rows and not a flag: appends never wait for each other, and nothing that is committed late can be missed.';

ALTER TABLE everword.calendar_pending ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.calendar_pending_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.calibrations (
    profile text NOT NULL,
    generation_id bigint,
    evidence double precision[] NOT NULL,
    relevance double precision[] NOT NULL,
    floor double precision NOT NULL,
    provenance jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT calibrations_check CHECK ((cardinality(relevance) = cardinality(evidence))),
    CONSTRAINT calibrations_floor_check CHECK (((floor >= (0)::double precision) AND (floor <= (1)::double precision)))
);

COMMENT ON TABLE everword.calibrations IS 'Maps from evidence to relevance, from 0 to 1: knots of piecewise linear functions. Fitted where answers are known, for a profile and a model generation, or for none where nothing is embedded. Holds nothing that anybody said.';

COMMENT ON COLUMN everword.calibrations.floor IS 'Where the best result is less relevant, nothing is.';

CREATE TABLE everword.checkpoint_counters (
    namespace_id bigint NOT NULL,
    conversation_id uuid NOT NULL,
    version bigint NOT NULL,
    CONSTRAINT checkpoint_counters_version_check CHECK ((version > 0))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.checkpoint_counters IS 'The latest version that a conversation gave to a checkpoint. Its row lock orders concurrent writers; a version is never given twice.';

CREATE TABLE everword.checkpoint_counters_p0 (
    namespace_id bigint CONSTRAINT checkpoint_counters_namespace_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT checkpoint_counters_conversation_id_not_null NOT NULL,
    version bigint CONSTRAINT checkpoint_counters_version_not_null NOT NULL,
    CONSTRAINT checkpoint_counters_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.checkpoint_counters_p1 (
    namespace_id bigint CONSTRAINT checkpoint_counters_namespace_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT checkpoint_counters_conversation_id_not_null NOT NULL,
    version bigint CONSTRAINT checkpoint_counters_version_not_null NOT NULL,
    CONSTRAINT checkpoint_counters_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.checkpoint_counters_p2 (
    namespace_id bigint CONSTRAINT checkpoint_counters_namespace_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT checkpoint_counters_conversation_id_not_null NOT NULL,
    version bigint CONSTRAINT checkpoint_counters_version_not_null NOT NULL,
    CONSTRAINT checkpoint_counters_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.checkpoint_counters_p3 (
    namespace_id bigint CONSTRAINT checkpoint_counters_namespace_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT checkpoint_counters_conversation_id_not_null NOT NULL,
    version bigint CONSTRAINT checkpoint_counters_version_not_null NOT NULL,
    CONSTRAINT checkpoint_counters_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.checkpoints (
    namespace_id bigint NOT NULL,
    conversation_id uuid NOT NULL,
    id uuid NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    version bigint NOT NULL,
    parent_id uuid,
    media_type text DEFAULT ''::text NOT NULL,
    state bytea NOT NULL,
    state_bytes integer NOT NULL,
    metadata jsonb,
    body_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT checkpoints_state_bytes_check CHECK ((state_bytes >= 0)),
    CONSTRAINT checkpoints_version_check CHECK ((version > 0))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.checkpoints IS 'State that agents saved, as bytes that nobody reads but they. Never changed; old versions go.';

COMMENT ON COLUMN everword.checkpoints.name IS 'Which state of the conversation it is; empty where there is one alone.';

COMMENT ON COLUMN everword.checkpoints.version IS 'Its place among all checkpoints of the conversation. Grows within a name.';

COMMENT ON COLUMN everword.checkpoints.parent_id IS 'What it was made from. That one may be gone.';

COMMENT ON COLUMN everword.checkpoints.body_hash IS 'SHA-256 of what was sent: the same id is saved again with the same body alone.';

CREATE TABLE everword.checkpoints_p0 (
    namespace_id bigint CONSTRAINT checkpoints_namespace_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT checkpoints_conversation_id_not_null NOT NULL,
    id uuid CONSTRAINT checkpoints_id_not_null NOT NULL,
    name text DEFAULT ''::text CONSTRAINT checkpoints_name_not_null NOT NULL,
    version bigint CONSTRAINT checkpoints_version_not_null NOT NULL,
    parent_id uuid,
    media_type text DEFAULT ''::text CONSTRAINT checkpoints_media_type_not_null NOT NULL,
    state bytea CONSTRAINT checkpoints_state_not_null NOT NULL,
    state_bytes integer CONSTRAINT checkpoints_state_bytes_not_null NOT NULL,
    metadata jsonb,
    body_hash bytea CONSTRAINT checkpoints_body_hash_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT checkpoints_created_at_not_null NOT NULL,
    CONSTRAINT checkpoints_state_bytes_check CHECK ((state_bytes >= 0)),
    CONSTRAINT checkpoints_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.checkpoints_p1 (
    namespace_id bigint CONSTRAINT checkpoints_namespace_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT checkpoints_conversation_id_not_null NOT NULL,
    id uuid CONSTRAINT checkpoints_id_not_null NOT NULL,
    name text DEFAULT ''::text CONSTRAINT checkpoints_name_not_null NOT NULL,
    version bigint CONSTRAINT checkpoints_version_not_null NOT NULL,
    parent_id uuid,
    media_type text DEFAULT ''::text CONSTRAINT checkpoints_media_type_not_null NOT NULL,
    state bytea CONSTRAINT checkpoints_state_not_null NOT NULL,
    state_bytes integer CONSTRAINT checkpoints_state_bytes_not_null NOT NULL,
    metadata jsonb,
    body_hash bytea CONSTRAINT checkpoints_body_hash_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT checkpoints_created_at_not_null NOT NULL,
    CONSTRAINT checkpoints_state_bytes_check CHECK ((state_bytes >= 0)),
    CONSTRAINT checkpoints_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.checkpoints_p2 (
    namespace_id bigint CONSTRAINT checkpoints_namespace_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT checkpoints_conversation_id_not_null NOT NULL,
    id uuid CONSTRAINT checkpoints_id_not_null NOT NULL,
    name text DEFAULT ''::text CONSTRAINT checkpoints_name_not_null NOT NULL,
    version bigint CONSTRAINT checkpoints_version_not_null NOT NULL,
    parent_id uuid,
    media_type text DEFAULT ''::text CONSTRAINT checkpoints_media_type_not_null NOT NULL,
    state bytea CONSTRAINT checkpoints_state_not_null NOT NULL,
    state_bytes integer CONSTRAINT checkpoints_state_bytes_not_null NOT NULL,
    metadata jsonb,
    body_hash bytea CONSTRAINT checkpoints_body_hash_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT checkpoints_created_at_not_null NOT NULL,
    CONSTRAINT checkpoints_state_bytes_check CHECK ((state_bytes >= 0)),
    CONSTRAINT checkpoints_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.checkpoints_p3 (
    namespace_id bigint CONSTRAINT checkpoints_namespace_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT checkpoints_conversation_id_not_null NOT NULL,
    id uuid CONSTRAINT checkpoints_id_not_null NOT NULL,
    name text DEFAULT ''::text CONSTRAINT checkpoints_name_not_null NOT NULL,
    version bigint CONSTRAINT checkpoints_version_not_null NOT NULL,
    parent_id uuid,
    media_type text DEFAULT ''::text CONSTRAINT checkpoints_media_type_not_null NOT NULL,
    state bytea CONSTRAINT checkpoints_state_not_null NOT NULL,
    state_bytes integer CONSTRAINT checkpoints_state_bytes_not_null NOT NULL,
    metadata jsonb,
    body_hash bytea CONSTRAINT checkpoints_body_hash_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT checkpoints_created_at_not_null NOT NULL,
    CONSTRAINT checkpoints_state_bytes_check CHECK ((state_bytes >= 0)),
    CONSTRAINT checkpoints_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.compaction_progress (
    namespace_id bigint NOT NULL,
    conversation_id uuid NOT NULL,
    summarised_seq bigint DEFAULT 0 NOT NULL,
    wanted_seq bigint DEFAULT 0 NOT NULL,
    flushed_seq bigint DEFAULT 0 NOT NULL,
    flushed_tokens bigint DEFAULT 0 NOT NULL,
    learned_seq bigint DEFAULT 0 NOT NULL,
    slept_seq bigint DEFAULT 0 NOT NULL,
    sleep_wanted_seq bigint DEFAULT 0 NOT NULL
);

COMMENT ON TABLE everword.compaction_progress IS 'Up to which place each conversation is under leaves. Places have no gaps and are given under a lock, so that nothing appears behind it.';

COMMENT ON COLUMN everword.compaction_progress.wanted_seq IS 'Up to which place a caller asked for leaves, however few messages.';

COMMENT ON COLUMN everword.compaction_progress.flushed_seq IS 'Up to which place FlushConversation gave summaries in the place of messages.';

COMMENT ON COLUMN everword.compaction_progress.flushed_tokens IS 'How many tokens these summaries have, with the messages that were kept.';

COMMENT ON COLUMN everword.compaction_progress.learned_seq IS 'Up to which place facts were learned from what users said.';

COMMENT ON COLUMN everword.compaction_progress.slept_seq IS 'Up to which place Sleep has made sessions of a conversation.';

COMMENT ON COLUMN everword.compaction_progress.sleep_wanted_seq IS 'Up to which place a session counts as finished, however short ago its messages came.';

CREATE TABLE everword.conversations (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    session_key text NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    channel text DEFAULT ''::text NOT NULL,
    channel_id text DEFAULT ''::text NOT NULL,
    bot_identity text DEFAULT ''::text NOT NULL,
    instance text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    client_session_id text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    settings jsonb,
    active boolean DEFAULT true NOT NULL,
    last_seq bigint DEFAULT 0 NOT NULL,
    turn_count bigint DEFAULT 0 NOT NULL,
    last_message_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    erasure_id uuid,
    erased_key bytea
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.conversations IS 'A session_key of an agent on a channel.';

COMMENT ON COLUMN everword.conversations.last_seq IS 'The sequence number of the latest message, which is also how many there are. Its row lock orders concurrent appends.';

COMMENT ON COLUMN everword.conversations.erasure_id IS 'The erasure that it goes with: no service sees it any more.';

COMMENT ON COLUMN everword.conversations.erased_key IS 'SHA-256 of the key that it had, with the secret of the deployment.';

CREATE TABLE everword.conversations_p0 (
    namespace_id bigint CONSTRAINT conversations_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT conversations_id_not_null NOT NULL,
    session_key text CONSTRAINT conversations_session_key_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT conversations_agent_not_null NOT NULL,
    channel text DEFAULT ''::text CONSTRAINT conversations_channel_not_null NOT NULL,
    channel_id text DEFAULT ''::text CONSTRAINT conversations_channel_id_not_null NOT NULL,
    bot_identity text DEFAULT ''::text CONSTRAINT conversations_bot_identity_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT conversations_instance_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT conversations_subject_not_null NOT NULL,
    client_session_id text DEFAULT ''::text CONSTRAINT conversations_client_session_id_not_null NOT NULL,
    title text DEFAULT ''::text CONSTRAINT conversations_title_not_null NOT NULL,
    settings jsonb,
    active boolean DEFAULT true CONSTRAINT conversations_active_not_null NOT NULL,
    last_seq bigint DEFAULT 0 CONSTRAINT conversations_last_seq_not_null NOT NULL,
    turn_count bigint DEFAULT 0 CONSTRAINT conversations_turn_count_not_null NOT NULL,
    last_message_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT conversations_created_at_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT conversations_updated_at_not_null NOT NULL,
    erasure_id uuid,
    erased_key bytea
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.conversations_p1 (
    namespace_id bigint CONSTRAINT conversations_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT conversations_id_not_null NOT NULL,
    session_key text CONSTRAINT conversations_session_key_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT conversations_agent_not_null NOT NULL,
    channel text DEFAULT ''::text CONSTRAINT conversations_channel_not_null NOT NULL,
    channel_id text DEFAULT ''::text CONSTRAINT conversations_channel_id_not_null NOT NULL,
    bot_identity text DEFAULT ''::text CONSTRAINT conversations_bot_identity_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT conversations_instance_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT conversations_subject_not_null NOT NULL,
    client_session_id text DEFAULT ''::text CONSTRAINT conversations_client_session_id_not_null NOT NULL,
    title text DEFAULT ''::text CONSTRAINT conversations_title_not_null NOT NULL,
    settings jsonb,
    active boolean DEFAULT true CONSTRAINT conversations_active_not_null NOT NULL,
    last_seq bigint DEFAULT 0 CONSTRAINT conversations_last_seq_not_null NOT NULL,
    turn_count bigint DEFAULT 0 CONSTRAINT conversations_turn_count_not_null NOT NULL,
    last_message_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT conversations_created_at_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT conversations_updated_at_not_null NOT NULL,
    erasure_id uuid,
    erased_key bytea
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.conversations_p2 (
    namespace_id bigint CONSTRAINT conversations_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT conversations_id_not_null NOT NULL,
    session_key text CONSTRAINT conversations_session_key_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT conversations_agent_not_null NOT NULL,
    channel text DEFAULT ''::text CONSTRAINT conversations_channel_not_null NOT NULL,
    channel_id text DEFAULT ''::text CONSTRAINT conversations_channel_id_not_null NOT NULL,
    bot_identity text DEFAULT ''::text CONSTRAINT conversations_bot_identity_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT conversations_instance_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT conversations_subject_not_null NOT NULL,
    client_session_id text DEFAULT ''::text CONSTRAINT conversations_client_session_id_not_null NOT NULL,
    title text DEFAULT ''::text CONSTRAINT conversations_title_not_null NOT NULL,
    settings jsonb,
    active boolean DEFAULT true CONSTRAINT conversations_active_not_null NOT NULL,
    last_seq bigint DEFAULT 0 CONSTRAINT conversations_last_seq_not_null NOT NULL,
    turn_count bigint DEFAULT 0 CONSTRAINT conversations_turn_count_not_null NOT NULL,
    last_message_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT conversations_created_at_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT conversations_updated_at_not_null NOT NULL,
    erasure_id uuid,
    erased_key bytea
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.conversations_p3 (
    namespace_id bigint CONSTRAINT conversations_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT conversations_id_not_null NOT NULL,
    session_key text CONSTRAINT conversations_session_key_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT conversations_agent_not_null NOT NULL,
    channel text DEFAULT ''::text CONSTRAINT conversations_channel_not_null NOT NULL,
    channel_id text DEFAULT ''::text CONSTRAINT conversations_channel_id_not_null NOT NULL,
    bot_identity text DEFAULT ''::text CONSTRAINT conversations_bot_identity_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT conversations_instance_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT conversations_subject_not_null NOT NULL,
    client_session_id text DEFAULT ''::text CONSTRAINT conversations_client_session_id_not_null NOT NULL,
    title text DEFAULT ''::text CONSTRAINT conversations_title_not_null NOT NULL,
    settings jsonb,
    active boolean DEFAULT true CONSTRAINT conversations_active_not_null NOT NULL,
    last_seq bigint DEFAULT 0 CONSTRAINT conversations_last_seq_not_null NOT NULL,
    turn_count bigint DEFAULT 0 CONSTRAINT conversations_turn_count_not_null NOT NULL,
    last_message_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT conversations_created_at_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT conversations_updated_at_not_null NOT NULL,
    erasure_id uuid,
    erased_key bytea
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.corpus_counts (
    id bigint NOT NULL,
    namespace_id bigint NOT NULL,
    conversations bigint DEFAULT 0 NOT NULL,
    messages bigint DEFAULT 0 NOT NULL,
    turns bigint DEFAULT 0 NOT NULL,
    passages bigint DEFAULT 0 NOT NULL,
    lexemes bigint DEFAULT 0 NOT NULL,
    content_bytes bigint DEFAULT 0 NOT NULL,
    dropped bigint DEFAULT 0 NOT NULL
);

COMMENT ON TABLE everword.corpus_counts IS 'What is stored, and BM25''s statistics: the sum over a namespace''s rows. Every write adds a row, and a background task folds them into one: a counter row that each write updates would halve throughput. Counters only, so they are not isolated.';

COMMENT ON COLUMN everword.corpus_counts.dropped IS 'Passages that were taken out again. With `passages` it tells how many were ever stored, so that two equal pairs of sums mean the same passages.';

ALTER TABLE everword.corpus_counts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.corpus_counts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.deployment (
    only_row boolean DEFAULT true NOT NULL,
    token_secret bytea NOT NULL,
    partitions integer NOT NULL,
    closed boolean DEFAULT false NOT NULL,
    CONSTRAINT deployment_only_row_check CHECK (only_row),
    CONSTRAINT deployment_partitions_check CHECK (((partitions >= 1) AND (partitions <= 1024)))
);

COMMENT ON TABLE everword.deployment IS 'What all processes of this deployment share; one row.';

COMMENT ON COLUMN everword.deployment.token_secret IS 'Signs page tokens and consistency tokens.';

COMMENT ON COLUMN everword.deployment.partitions IS 'Hash modulus of the partitioned tables; fixed by the first migration.';

COMMENT ON COLUMN everword.deployment.closed IS 'Whether there ever was a key. From then on every call needs one, also once no key is left.';

CREATE TABLE everword.document_chunks (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    place integer NOT NULL,
    headings text[] DEFAULT '{}'::text[] NOT NULL,
    start_char bigint NOT NULL,
    end_char bigint NOT NULL,
    page integer,
    digest bytea NOT NULL,
    CONSTRAINT document_chunks_place_check CHECK ((place >= 0))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.document_chunks IS 'The parts of the latest version of documents, each a memory (kind 5) of this id, whose text is in the index.';

COMMENT ON COLUMN everword.document_chunks.place IS 'Where in its document it stands, from 0.';

COMMENT ON COLUMN everword.document_chunks.digest IS 'A hash of what is indexed: a chunk that a new version has as well keeps its id and its vectors.';

CREATE TABLE everword.document_chunks_p0 (
    namespace_id bigint CONSTRAINT document_chunks_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT document_chunks_id_not_null NOT NULL,
    document_id uuid CONSTRAINT document_chunks_document_id_not_null NOT NULL,
    place integer CONSTRAINT document_chunks_place_not_null NOT NULL,
    headings text[] DEFAULT '{}'::text[] CONSTRAINT document_chunks_headings_not_null NOT NULL,
    start_char bigint CONSTRAINT document_chunks_start_char_not_null NOT NULL,
    end_char bigint CONSTRAINT document_chunks_end_char_not_null NOT NULL,
    page integer,
    digest bytea CONSTRAINT document_chunks_digest_not_null NOT NULL,
    CONSTRAINT document_chunks_place_check CHECK ((place >= 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.document_chunks_p1 (
    namespace_id bigint CONSTRAINT document_chunks_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT document_chunks_id_not_null NOT NULL,
    document_id uuid CONSTRAINT document_chunks_document_id_not_null NOT NULL,
    place integer CONSTRAINT document_chunks_place_not_null NOT NULL,
    headings text[] DEFAULT '{}'::text[] CONSTRAINT document_chunks_headings_not_null NOT NULL,
    start_char bigint CONSTRAINT document_chunks_start_char_not_null NOT NULL,
    end_char bigint CONSTRAINT document_chunks_end_char_not_null NOT NULL,
    page integer,
    digest bytea CONSTRAINT document_chunks_digest_not_null NOT NULL,
    CONSTRAINT document_chunks_place_check CHECK ((place >= 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.document_chunks_p2 (
    namespace_id bigint CONSTRAINT document_chunks_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT document_chunks_id_not_null NOT NULL,
    document_id uuid CONSTRAINT document_chunks_document_id_not_null NOT NULL,
    place integer CONSTRAINT document_chunks_place_not_null NOT NULL,
    headings text[] DEFAULT '{}'::text[] CONSTRAINT document_chunks_headings_not_null NOT NULL,
    start_char bigint CONSTRAINT document_chunks_start_char_not_null NOT NULL,
    end_char bigint CONSTRAINT document_chunks_end_char_not_null NOT NULL,
    page integer,
    digest bytea CONSTRAINT document_chunks_digest_not_null NOT NULL,
    CONSTRAINT document_chunks_place_check CHECK ((place >= 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.document_chunks_p3 (
    namespace_id bigint CONSTRAINT document_chunks_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT document_chunks_id_not_null NOT NULL,
    document_id uuid CONSTRAINT document_chunks_document_id_not_null NOT NULL,
    place integer CONSTRAINT document_chunks_place_not_null NOT NULL,
    headings text[] DEFAULT '{}'::text[] CONSTRAINT document_chunks_headings_not_null NOT NULL,
    start_char bigint CONSTRAINT document_chunks_start_char_not_null NOT NULL,
    end_char bigint CONSTRAINT document_chunks_end_char_not_null NOT NULL,
    page integer,
    digest bytea CONSTRAINT document_chunks_digest_not_null NOT NULL,
    CONSTRAINT document_chunks_place_check CHECK ((place >= 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.document_versions (
    namespace_id bigint NOT NULL,
    document_id uuid NOT NULL,
    version bigint NOT NULL,
    id uuid NOT NULL,
    deleted boolean DEFAULT false NOT NULL,
    content text NOT NULL,
    chars bigint NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    author text DEFAULT ''::text NOT NULL,
    file_name text DEFAULT ''::text NOT NULL,
    media_type text DEFAULT ''::text NOT NULL,
    file_bytes bigint DEFAULT 0 NOT NULL,
    file_sha256 bytea DEFAULT '\x'::bytea NOT NULL,
    written_at timestamp with time zone DEFAULT now() NOT NULL,
    writer smallint DEFAULT 0 NOT NULL,
    CONSTRAINT document_versions_version_check CHECK ((version > 0)),
    CONSTRAINT document_versions_writer_check CHECK (((writer >= 0) AND (writer <= 3)))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.document_versions IS 'Everything that documents ever said, in order. Append-only by grants.';

COMMENT ON COLUMN everword.document_versions.content IS 'The text. The file that it was read from is not kept.';

COMMENT ON COLUMN everword.document_versions.writer IS 'Of a workspace file: 1 an agent, 2 a person, 3 the system that runs the agent; 0 where that does not matter.';

CREATE TABLE everword.document_versions_p0 (
    namespace_id bigint CONSTRAINT document_versions_namespace_id_not_null NOT NULL,
    document_id uuid CONSTRAINT document_versions_document_id_not_null NOT NULL,
    version bigint CONSTRAINT document_versions_version_not_null NOT NULL,
    id uuid CONSTRAINT document_versions_id_not_null NOT NULL,
    deleted boolean DEFAULT false CONSTRAINT document_versions_deleted_not_null NOT NULL,
    content text CONSTRAINT document_versions_content_not_null NOT NULL,
    chars bigint CONSTRAINT document_versions_chars_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT document_versions_tags_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT document_versions_author_not_null NOT NULL,
    file_name text DEFAULT ''::text CONSTRAINT document_versions_file_name_not_null NOT NULL,
    media_type text DEFAULT ''::text CONSTRAINT document_versions_media_type_not_null NOT NULL,
    file_bytes bigint DEFAULT 0 CONSTRAINT document_versions_file_bytes_not_null NOT NULL,
    file_sha256 bytea DEFAULT '\x'::bytea CONSTRAINT document_versions_file_sha256_not_null NOT NULL,
    written_at timestamp with time zone DEFAULT now() CONSTRAINT document_versions_written_at_not_null NOT NULL,
    writer smallint DEFAULT 0 CONSTRAINT document_versions_writer_not_null NOT NULL,
    CONSTRAINT document_versions_version_check CHECK ((version > 0)),
    CONSTRAINT document_versions_writer_check CHECK (((writer >= 0) AND (writer <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.document_versions_p1 (
    namespace_id bigint CONSTRAINT document_versions_namespace_id_not_null NOT NULL,
    document_id uuid CONSTRAINT document_versions_document_id_not_null NOT NULL,
    version bigint CONSTRAINT document_versions_version_not_null NOT NULL,
    id uuid CONSTRAINT document_versions_id_not_null NOT NULL,
    deleted boolean DEFAULT false CONSTRAINT document_versions_deleted_not_null NOT NULL,
    content text CONSTRAINT document_versions_content_not_null NOT NULL,
    chars bigint CONSTRAINT document_versions_chars_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT document_versions_tags_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT document_versions_author_not_null NOT NULL,
    file_name text DEFAULT ''::text CONSTRAINT document_versions_file_name_not_null NOT NULL,
    media_type text DEFAULT ''::text CONSTRAINT document_versions_media_type_not_null NOT NULL,
    file_bytes bigint DEFAULT 0 CONSTRAINT document_versions_file_bytes_not_null NOT NULL,
    file_sha256 bytea DEFAULT '\x'::bytea CONSTRAINT document_versions_file_sha256_not_null NOT NULL,
    written_at timestamp with time zone DEFAULT now() CONSTRAINT document_versions_written_at_not_null NOT NULL,
    writer smallint DEFAULT 0 CONSTRAINT document_versions_writer_not_null NOT NULL,
    CONSTRAINT document_versions_version_check CHECK ((version > 0)),
    CONSTRAINT document_versions_writer_check CHECK (((writer >= 0) AND (writer <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.document_versions_p2 (
    namespace_id bigint CONSTRAINT document_versions_namespace_id_not_null NOT NULL,
    document_id uuid CONSTRAINT document_versions_document_id_not_null NOT NULL,
    version bigint CONSTRAINT document_versions_version_not_null NOT NULL,
    id uuid CONSTRAINT document_versions_id_not_null NOT NULL,
    deleted boolean DEFAULT false CONSTRAINT document_versions_deleted_not_null NOT NULL,
    content text CONSTRAINT document_versions_content_not_null NOT NULL,
    chars bigint CONSTRAINT document_versions_chars_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT document_versions_tags_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT document_versions_author_not_null NOT NULL,
    file_name text DEFAULT ''::text CONSTRAINT document_versions_file_name_not_null NOT NULL,
    media_type text DEFAULT ''::text CONSTRAINT document_versions_media_type_not_null NOT NULL,
    file_bytes bigint DEFAULT 0 CONSTRAINT document_versions_file_bytes_not_null NOT NULL,
    file_sha256 bytea DEFAULT '\x'::bytea CONSTRAINT document_versions_file_sha256_not_null NOT NULL,
    written_at timestamp with time zone DEFAULT now() CONSTRAINT document_versions_written_at_not_null NOT NULL,
    writer smallint DEFAULT 0 CONSTRAINT document_versions_writer_not_null NOT NULL,
    CONSTRAINT document_versions_version_check CHECK ((version > 0)),
    CONSTRAINT document_versions_writer_check CHECK (((writer >= 0) AND (writer <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.document_versions_p3 (
    namespace_id bigint CONSTRAINT document_versions_namespace_id_not_null NOT NULL,
    document_id uuid CONSTRAINT document_versions_document_id_not_null NOT NULL,
    version bigint CONSTRAINT document_versions_version_not_null NOT NULL,
    id uuid CONSTRAINT document_versions_id_not_null NOT NULL,
    deleted boolean DEFAULT false CONSTRAINT document_versions_deleted_not_null NOT NULL,
    content text CONSTRAINT document_versions_content_not_null NOT NULL,
    chars bigint CONSTRAINT document_versions_chars_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT document_versions_tags_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT document_versions_author_not_null NOT NULL,
    file_name text DEFAULT ''::text CONSTRAINT document_versions_file_name_not_null NOT NULL,
    media_type text DEFAULT ''::text CONSTRAINT document_versions_media_type_not_null NOT NULL,
    file_bytes bigint DEFAULT 0 CONSTRAINT document_versions_file_bytes_not_null NOT NULL,
    file_sha256 bytea DEFAULT '\x'::bytea CONSTRAINT document_versions_file_sha256_not_null NOT NULL,
    written_at timestamp with time zone DEFAULT now() CONSTRAINT document_versions_written_at_not_null NOT NULL,
    writer smallint DEFAULT 0 CONSTRAINT document_versions_writer_not_null NOT NULL,
    CONSTRAINT document_versions_version_check CHECK ((version > 0)),
    CONSTRAINT document_versions_writer_check CHECK (((writer >= 0) AND (writer <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.documents (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    kind smallint DEFAULT 1 NOT NULL,
    title text NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    conversation_id uuid,
    key_hash bytea NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    chunks integer DEFAULT 0 NOT NULL,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT documents_kind_check CHECK ((kind = ANY (ARRAY[1, 2])))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.documents IS 'Documents as they stand. What one says is in document_versions, and in the index while it is not deleted.';

COMMENT ON COLUMN everword.documents.kind IS '1: a document; 2: a workspace file.';

COMMENT ON COLUMN everword.documents.title IS 'What callers know it by, within kind, agent, subject and conversation.';

COMMENT ON COLUMN everword.documents.key_hash IS 'SHA-256 of kind, title, agent, subject and conversation, which may be longer than what an index takes.';

COMMENT ON COLUMN everword.documents.version IS 'The latest one in document_versions. Its row lock orders concurrent writers.';

CREATE TABLE everword.documents_p0 (
    namespace_id bigint CONSTRAINT documents_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT documents_id_not_null NOT NULL,
    kind smallint DEFAULT 1 CONSTRAINT documents_kind_not_null NOT NULL,
    title text CONSTRAINT documents_title_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT documents_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT documents_subject_not_null NOT NULL,
    conversation_id uuid,
    key_hash bytea CONSTRAINT documents_key_hash_not_null NOT NULL,
    version bigint DEFAULT 0 CONSTRAINT documents_version_not_null NOT NULL,
    chunks integer DEFAULT 0 CONSTRAINT documents_chunks_not_null NOT NULL,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT documents_created_at_not_null NOT NULL,
    CONSTRAINT documents_kind_check CHECK ((kind = ANY (ARRAY[1, 2])))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.documents_p1 (
    namespace_id bigint CONSTRAINT documents_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT documents_id_not_null NOT NULL,
    kind smallint DEFAULT 1 CONSTRAINT documents_kind_not_null NOT NULL,
    title text CONSTRAINT documents_title_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT documents_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT documents_subject_not_null NOT NULL,
    conversation_id uuid,
    key_hash bytea CONSTRAINT documents_key_hash_not_null NOT NULL,
    version bigint DEFAULT 0 CONSTRAINT documents_version_not_null NOT NULL,
    chunks integer DEFAULT 0 CONSTRAINT documents_chunks_not_null NOT NULL,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT documents_created_at_not_null NOT NULL,
    CONSTRAINT documents_kind_check CHECK ((kind = ANY (ARRAY[1, 2])))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.documents_p2 (
    namespace_id bigint CONSTRAINT documents_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT documents_id_not_null NOT NULL,
    kind smallint DEFAULT 1 CONSTRAINT documents_kind_not_null NOT NULL,
    title text CONSTRAINT documents_title_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT documents_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT documents_subject_not_null NOT NULL,
    conversation_id uuid,
    key_hash bytea CONSTRAINT documents_key_hash_not_null NOT NULL,
    version bigint DEFAULT 0 CONSTRAINT documents_version_not_null NOT NULL,
    chunks integer DEFAULT 0 CONSTRAINT documents_chunks_not_null NOT NULL,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT documents_created_at_not_null NOT NULL,
    CONSTRAINT documents_kind_check CHECK ((kind = ANY (ARRAY[1, 2])))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.documents_p3 (
    namespace_id bigint CONSTRAINT documents_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT documents_id_not_null NOT NULL,
    kind smallint DEFAULT 1 CONSTRAINT documents_kind_not_null NOT NULL,
    title text CONSTRAINT documents_title_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT documents_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT documents_subject_not_null NOT NULL,
    conversation_id uuid,
    key_hash bytea CONSTRAINT documents_key_hash_not_null NOT NULL,
    version bigint DEFAULT 0 CONSTRAINT documents_version_not_null NOT NULL,
    chunks integer DEFAULT 0 CONSTRAINT documents_chunks_not_null NOT NULL,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT documents_created_at_not_null NOT NULL,
    CONSTRAINT documents_kind_check CHECK ((kind = ANY (ARRAY[1, 2])))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.embedding_pauses (
    namespace_id bigint NOT NULL,
    generation_id bigint NOT NULL,
    until timestamp with time zone NOT NULL
);

COMMENT ON TABLE everword.embedding_pauses IS 'Namespaces whose pending vectors of a generation nobody makes until a moment: their budget is spent. A change of a budget ends the pause.';

CREATE TABLE everword.embedding_queue (
    namespace_id bigint NOT NULL,
    memory_id bigint NOT NULL,
    generation_id bigint NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    not_before timestamp with time zone DEFAULT now() NOT NULL,
    error text,
    enqueued_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT embedding_queue_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'failed'::text])))
);

COMMENT ON TABLE everword.embedding_queue IS 'A row exactly while a vector of a passage is pending for a generation, or was given up.';

CREATE TABLE everword.erased_external_ids (
    namespace_id bigint NOT NULL,
    hash bytea NOT NULL,
    erased_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE everword.erased_external_ids IS 'SHA-256 of the external ids of erased messages, with the secret of the deployment and the key of the conversation: an import of the same transcript does not bring them back.';

CREATE TABLE everword.erasure_rules (
    target text NOT NULL,
    place integer NOT NULL,
    relation text NOT NULL,
    key_column text NOT NULL,
    only_where text DEFAULT 'true'::text NOT NULL,
    goes_on text,
    requested boolean DEFAULT false NOT NULL,
    remark text DEFAULT ''::text NOT NULL,
    CONSTRAINT erasure_rules_target_check CHECK ((target = ANY (ARRAY['message'::text, 'conversation'::text, 'subject'::text, 'author'::text, 'source'::text, 'fact'::text, 'learned'::text, 'note'::text, 'node'::text, 'pattern'::text, 'document'::text, 'lore_book'::text, 'session'::text, 'summary'::text, 'kept'::text])))
);

COMMENT ON TABLE everword.erasure_rules IS 'The rows that go with a target: those of `relation` whose `key_column` is the target, in the order of `place`. Where it goes on, their ids are targets of that name first. Where calls with request ids stored them, these forget what it was. `kept` names what holds no content of callers, and why it stays. A table that is not there yet is passed over.';

CREATE TABLE everword.events (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    title text NOT NULL,
    category text NOT NULL,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    importance double precision NOT NULL,
    decay_days integer NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    status smallint NOT NULL,
    mention_count integer NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT events_check CHECK ((ends_at >= starts_at)),
    CONSTRAINT events_check1 CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT events_decay_days_check CHECK ((decay_days > 0)),
    CONSTRAINT events_importance_check CHECK (((importance >= (0)::double precision) AND (importance <= (1)::double precision))),
    CONSTRAINT events_mention_count_check CHECK ((mention_count >= 0)),
    CONSTRAINT events_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT events_status_check CHECK (((status >= 1) AND (status <= 3))),
    CONSTRAINT events_title_check CHECK ((title <> ''::text))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.events IS 'Something that happens to a subject. Everything here follows from learned_evidence, and from what a person ruled.';

COMMENT ON COLUMN everword.events.expires_at IS 'decay_days after it ended or began, or was last spoken of, whichever is later.';

COMMENT ON COLUMN everword.events.status IS 'Values equal proto EventStatus; that it expired follows from expires_at.';

CREATE TABLE everword.events_p0 (
    namespace_id bigint CONSTRAINT events_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT events_id_not_null NOT NULL,
    subject text CONSTRAINT events_subject_not_null NOT NULL,
    title text CONSTRAINT events_title_not_null NOT NULL,
    category text CONSTRAINT events_category_not_null NOT NULL,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    importance double precision CONSTRAINT events_importance_not_null NOT NULL,
    decay_days integer CONSTRAINT events_decay_days_not_null NOT NULL,
    expires_at timestamp with time zone CONSTRAINT events_expires_at_not_null NOT NULL,
    status smallint CONSTRAINT events_status_not_null NOT NULL,
    mention_count integer CONSTRAINT events_mention_count_not_null NOT NULL,
    first_seen_at timestamp with time zone CONSTRAINT events_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT events_last_seen_at_not_null NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT events_created_at_not_null NOT NULL,
    CONSTRAINT events_check CHECK ((ends_at >= starts_at)),
    CONSTRAINT events_check1 CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT events_decay_days_check CHECK ((decay_days > 0)),
    CONSTRAINT events_importance_check CHECK (((importance >= (0)::double precision) AND (importance <= (1)::double precision))),
    CONSTRAINT events_mention_count_check CHECK ((mention_count >= 0)),
    CONSTRAINT events_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT events_status_check CHECK (((status >= 1) AND (status <= 3))),
    CONSTRAINT events_title_check CHECK ((title <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.events_p1 (
    namespace_id bigint CONSTRAINT events_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT events_id_not_null NOT NULL,
    subject text CONSTRAINT events_subject_not_null NOT NULL,
    title text CONSTRAINT events_title_not_null NOT NULL,
    category text CONSTRAINT events_category_not_null NOT NULL,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    importance double precision CONSTRAINT events_importance_not_null NOT NULL,
    decay_days integer CONSTRAINT events_decay_days_not_null NOT NULL,
    expires_at timestamp with time zone CONSTRAINT events_expires_at_not_null NOT NULL,
    status smallint CONSTRAINT events_status_not_null NOT NULL,
    mention_count integer CONSTRAINT events_mention_count_not_null NOT NULL,
    first_seen_at timestamp with time zone CONSTRAINT events_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT events_last_seen_at_not_null NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT events_created_at_not_null NOT NULL,
    CONSTRAINT events_check CHECK ((ends_at >= starts_at)),
    CONSTRAINT events_check1 CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT events_decay_days_check CHECK ((decay_days > 0)),
    CONSTRAINT events_importance_check CHECK (((importance >= (0)::double precision) AND (importance <= (1)::double precision))),
    CONSTRAINT events_mention_count_check CHECK ((mention_count >= 0)),
    CONSTRAINT events_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT events_status_check CHECK (((status >= 1) AND (status <= 3))),
    CONSTRAINT events_title_check CHECK ((title <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.events_p2 (
    namespace_id bigint CONSTRAINT events_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT events_id_not_null NOT NULL,
    subject text CONSTRAINT events_subject_not_null NOT NULL,
    title text CONSTRAINT events_title_not_null NOT NULL,
    category text CONSTRAINT events_category_not_null NOT NULL,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    importance double precision CONSTRAINT events_importance_not_null NOT NULL,
    decay_days integer CONSTRAINT events_decay_days_not_null NOT NULL,
    expires_at timestamp with time zone CONSTRAINT events_expires_at_not_null NOT NULL,
    status smallint CONSTRAINT events_status_not_null NOT NULL,
    mention_count integer CONSTRAINT events_mention_count_not_null NOT NULL,
    first_seen_at timestamp with time zone CONSTRAINT events_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT events_last_seen_at_not_null NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT events_created_at_not_null NOT NULL,
    CONSTRAINT events_check CHECK ((ends_at >= starts_at)),
    CONSTRAINT events_check1 CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT events_decay_days_check CHECK ((decay_days > 0)),
    CONSTRAINT events_importance_check CHECK (((importance >= (0)::double precision) AND (importance <= (1)::double precision))),
    CONSTRAINT events_mention_count_check CHECK ((mention_count >= 0)),
    CONSTRAINT events_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT events_status_check CHECK (((status >= 1) AND (status <= 3))),
    CONSTRAINT events_title_check CHECK ((title <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.events_p3 (
    namespace_id bigint CONSTRAINT events_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT events_id_not_null NOT NULL,
    subject text CONSTRAINT events_subject_not_null NOT NULL,
    title text CONSTRAINT events_title_not_null NOT NULL,
    category text CONSTRAINT events_category_not_null NOT NULL,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    importance double precision CONSTRAINT events_importance_not_null NOT NULL,
    decay_days integer CONSTRAINT events_decay_days_not_null NOT NULL,
    expires_at timestamp with time zone CONSTRAINT events_expires_at_not_null NOT NULL,
    status smallint CONSTRAINT events_status_not_null NOT NULL,
    mention_count integer CONSTRAINT events_mention_count_not_null NOT NULL,
    first_seen_at timestamp with time zone CONSTRAINT events_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT events_last_seen_at_not_null NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT events_created_at_not_null NOT NULL,
    CONSTRAINT events_check CHECK ((ends_at >= starts_at)),
    CONSTRAINT events_check1 CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT events_decay_days_check CHECK ((decay_days > 0)),
    CONSTRAINT events_importance_check CHECK (((importance >= (0)::double precision) AND (importance <= (1)::double precision))),
    CONSTRAINT events_mention_count_check CHECK ((mention_count >= 0)),
    CONSTRAINT events_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT events_status_check CHECK (((status >= 1) AND (status <= 3))),
    CONSTRAINT events_title_check CHECK ((title <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_changes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    fact_id uuid NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    state smallint NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    other_fact_id uuid,
    CONSTRAINT fact_changes_actor_check CHECK ((actor = ANY (ARRAY['agent'::text, 'person'::text, 'machine'::text]))),
    CONSTRAINT fact_changes_state_check CHECK (((state >= 1) AND (state <= 5)))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.fact_changes IS 'The audit trail of facts: who did what to which, and why.';

CREATE TABLE everword.fact_changes_p0 (
    namespace_id bigint CONSTRAINT fact_changes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_changes_id_not_null NOT NULL,
    fact_id uuid CONSTRAINT fact_changes_fact_id_not_null NOT NULL,
    changed_at timestamp with time zone CONSTRAINT fact_changes_changed_at_not_null NOT NULL,
    actor text CONSTRAINT fact_changes_actor_not_null NOT NULL,
    action text CONSTRAINT fact_changes_action_not_null NOT NULL,
    state smallint CONSTRAINT fact_changes_state_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT fact_changes_reason_not_null NOT NULL,
    other_fact_id uuid,
    CONSTRAINT fact_changes_actor_check CHECK ((actor = ANY (ARRAY['agent'::text, 'person'::text, 'machine'::text]))),
    CONSTRAINT fact_changes_state_check CHECK (((state >= 1) AND (state <= 5)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_changes_p1 (
    namespace_id bigint CONSTRAINT fact_changes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_changes_id_not_null NOT NULL,
    fact_id uuid CONSTRAINT fact_changes_fact_id_not_null NOT NULL,
    changed_at timestamp with time zone CONSTRAINT fact_changes_changed_at_not_null NOT NULL,
    actor text CONSTRAINT fact_changes_actor_not_null NOT NULL,
    action text CONSTRAINT fact_changes_action_not_null NOT NULL,
    state smallint CONSTRAINT fact_changes_state_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT fact_changes_reason_not_null NOT NULL,
    other_fact_id uuid,
    CONSTRAINT fact_changes_actor_check CHECK ((actor = ANY (ARRAY['agent'::text, 'person'::text, 'machine'::text]))),
    CONSTRAINT fact_changes_state_check CHECK (((state >= 1) AND (state <= 5)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_changes_p2 (
    namespace_id bigint CONSTRAINT fact_changes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_changes_id_not_null NOT NULL,
    fact_id uuid CONSTRAINT fact_changes_fact_id_not_null NOT NULL,
    changed_at timestamp with time zone CONSTRAINT fact_changes_changed_at_not_null NOT NULL,
    actor text CONSTRAINT fact_changes_actor_not_null NOT NULL,
    action text CONSTRAINT fact_changes_action_not_null NOT NULL,
    state smallint CONSTRAINT fact_changes_state_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT fact_changes_reason_not_null NOT NULL,
    other_fact_id uuid,
    CONSTRAINT fact_changes_actor_check CHECK ((actor = ANY (ARRAY['agent'::text, 'person'::text, 'machine'::text]))),
    CONSTRAINT fact_changes_state_check CHECK (((state >= 1) AND (state <= 5)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_changes_p3 (
    namespace_id bigint CONSTRAINT fact_changes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_changes_id_not_null NOT NULL,
    fact_id uuid CONSTRAINT fact_changes_fact_id_not_null NOT NULL,
    changed_at timestamp with time zone CONSTRAINT fact_changes_changed_at_not_null NOT NULL,
    actor text CONSTRAINT fact_changes_actor_not_null NOT NULL,
    action text CONSTRAINT fact_changes_action_not_null NOT NULL,
    state smallint CONSTRAINT fact_changes_state_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT fact_changes_reason_not_null NOT NULL,
    other_fact_id uuid,
    CONSTRAINT fact_changes_actor_check CHECK ((actor = ANY (ARRAY['agent'::text, 'person'::text, 'machine'::text]))),
    CONSTRAINT fact_changes_state_check CHECK (((state >= 1) AND (state <= 5)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_disputes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    old_fact_id uuid NOT NULL,
    new_fact_id uuid NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    outcome smallint,
    decided_by text,
    reason text DEFAULT ''::text NOT NULL,
    CONSTRAINT fact_disputes_check CHECK ((old_fact_id <> new_fact_id)),
    CONSTRAINT fact_disputes_check1 CHECK ((((settled_at IS NULL) = (outcome IS NULL)) AND ((settled_at IS NULL) = (decided_by IS NULL)))),
    CONSTRAINT fact_disputes_decided_by_check CHECK ((decided_by = ANY (ARRAY['rule'::text, 'model'::text, 'person'::text]))),
    CONSTRAINT fact_disputes_outcome_check CHECK (((outcome >= 1) AND (outcome <= 3)))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.fact_disputes IS 'Pairs of facts that contradict each other, and what came of it.';

COMMENT ON COLUMN everword.fact_disputes.outcome IS '1 the new one holds, 2 it is rejected, 3 both are kept.';

CREATE TABLE everword.fact_disputes_p0 (
    namespace_id bigint CONSTRAINT fact_disputes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_disputes_id_not_null NOT NULL,
    old_fact_id uuid CONSTRAINT fact_disputes_old_fact_id_not_null NOT NULL,
    new_fact_id uuid CONSTRAINT fact_disputes_new_fact_id_not_null NOT NULL,
    opened_at timestamp with time zone CONSTRAINT fact_disputes_opened_at_not_null NOT NULL,
    settled_at timestamp with time zone,
    outcome smallint,
    decided_by text,
    reason text DEFAULT ''::text CONSTRAINT fact_disputes_reason_not_null NOT NULL,
    CONSTRAINT fact_disputes_check CHECK ((old_fact_id <> new_fact_id)),
    CONSTRAINT fact_disputes_check1 CHECK ((((settled_at IS NULL) = (outcome IS NULL)) AND ((settled_at IS NULL) = (decided_by IS NULL)))),
    CONSTRAINT fact_disputes_decided_by_check CHECK ((decided_by = ANY (ARRAY['rule'::text, 'model'::text, 'person'::text]))),
    CONSTRAINT fact_disputes_outcome_check CHECK (((outcome >= 1) AND (outcome <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_disputes_p1 (
    namespace_id bigint CONSTRAINT fact_disputes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_disputes_id_not_null NOT NULL,
    old_fact_id uuid CONSTRAINT fact_disputes_old_fact_id_not_null NOT NULL,
    new_fact_id uuid CONSTRAINT fact_disputes_new_fact_id_not_null NOT NULL,
    opened_at timestamp with time zone CONSTRAINT fact_disputes_opened_at_not_null NOT NULL,
    settled_at timestamp with time zone,
    outcome smallint,
    decided_by text,
    reason text DEFAULT ''::text CONSTRAINT fact_disputes_reason_not_null NOT NULL,
    CONSTRAINT fact_disputes_check CHECK ((old_fact_id <> new_fact_id)),
    CONSTRAINT fact_disputes_check1 CHECK ((((settled_at IS NULL) = (outcome IS NULL)) AND ((settled_at IS NULL) = (decided_by IS NULL)))),
    CONSTRAINT fact_disputes_decided_by_check CHECK ((decided_by = ANY (ARRAY['rule'::text, 'model'::text, 'person'::text]))),
    CONSTRAINT fact_disputes_outcome_check CHECK (((outcome >= 1) AND (outcome <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_disputes_p2 (
    namespace_id bigint CONSTRAINT fact_disputes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_disputes_id_not_null NOT NULL,
    old_fact_id uuid CONSTRAINT fact_disputes_old_fact_id_not_null NOT NULL,
    new_fact_id uuid CONSTRAINT fact_disputes_new_fact_id_not_null NOT NULL,
    opened_at timestamp with time zone CONSTRAINT fact_disputes_opened_at_not_null NOT NULL,
    settled_at timestamp with time zone,
    outcome smallint,
    decided_by text,
    reason text DEFAULT ''::text CONSTRAINT fact_disputes_reason_not_null NOT NULL,
    CONSTRAINT fact_disputes_check CHECK ((old_fact_id <> new_fact_id)),
    CONSTRAINT fact_disputes_check1 CHECK ((((settled_at IS NULL) = (outcome IS NULL)) AND ((settled_at IS NULL) = (decided_by IS NULL)))),
    CONSTRAINT fact_disputes_decided_by_check CHECK ((decided_by = ANY (ARRAY['rule'::text, 'model'::text, 'person'::text]))),
    CONSTRAINT fact_disputes_outcome_check CHECK (((outcome >= 1) AND (outcome <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_disputes_p3 (
    namespace_id bigint CONSTRAINT fact_disputes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_disputes_id_not_null NOT NULL,
    old_fact_id uuid CONSTRAINT fact_disputes_old_fact_id_not_null NOT NULL,
    new_fact_id uuid CONSTRAINT fact_disputes_new_fact_id_not_null NOT NULL,
    opened_at timestamp with time zone CONSTRAINT fact_disputes_opened_at_not_null NOT NULL,
    settled_at timestamp with time zone,
    outcome smallint,
    decided_by text,
    reason text DEFAULT ''::text CONSTRAINT fact_disputes_reason_not_null NOT NULL,
    CONSTRAINT fact_disputes_check CHECK ((old_fact_id <> new_fact_id)),
    CONSTRAINT fact_disputes_check1 CHECK ((((settled_at IS NULL) = (outcome IS NULL)) AND ((settled_at IS NULL) = (decided_by IS NULL)))),
    CONSTRAINT fact_disputes_decided_by_check CHECK ((decided_by = ANY (ARRAY['rule'::text, 'model'::text, 'person'::text]))),
    CONSTRAINT fact_disputes_outcome_check CHECK (((outcome >= 1) AND (outcome <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_edges (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    from_fact_id uuid NOT NULL,
    to_fact_id uuid NOT NULL,
    relation smallint NOT NULL,
    confidence double precision NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_until timestamp with time zone,
    known_from timestamp with time zone NOT NULL,
    known_until timestamp with time zone,
    CONSTRAINT fact_edges_check CHECK ((from_fact_id <> to_fact_id)),
    CONSTRAINT fact_edges_check1 CHECK ((known_until >= known_from)),
    CONSTRAINT fact_edges_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT fact_edges_relation_check CHECK (((relation >= 1) AND (relation <= 6)))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.fact_edges IS 'How facts are linked. An edge is closed with the first of its facts that does not hold any more.';

COMMENT ON COLUMN everword.fact_edges.relation IS '1 causes, 2 related to, 3 supports, 4 contradicts, 5 comes before, 6 is part of.';

CREATE TABLE everword.fact_edges_p0 (
    namespace_id bigint CONSTRAINT fact_edges_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_edges_id_not_null NOT NULL,
    from_fact_id uuid CONSTRAINT fact_edges_from_fact_id_not_null NOT NULL,
    to_fact_id uuid CONSTRAINT fact_edges_to_fact_id_not_null NOT NULL,
    relation smallint CONSTRAINT fact_edges_relation_not_null NOT NULL,
    confidence double precision CONSTRAINT fact_edges_confidence_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT fact_edges_reason_not_null NOT NULL,
    valid_from timestamp with time zone CONSTRAINT fact_edges_valid_from_not_null NOT NULL,
    valid_until timestamp with time zone,
    known_from timestamp with time zone CONSTRAINT fact_edges_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    CONSTRAINT fact_edges_check CHECK ((from_fact_id <> to_fact_id)),
    CONSTRAINT fact_edges_check1 CHECK ((known_until >= known_from)),
    CONSTRAINT fact_edges_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT fact_edges_relation_check CHECK (((relation >= 1) AND (relation <= 6)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_edges_p1 (
    namespace_id bigint CONSTRAINT fact_edges_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_edges_id_not_null NOT NULL,
    from_fact_id uuid CONSTRAINT fact_edges_from_fact_id_not_null NOT NULL,
    to_fact_id uuid CONSTRAINT fact_edges_to_fact_id_not_null NOT NULL,
    relation smallint CONSTRAINT fact_edges_relation_not_null NOT NULL,
    confidence double precision CONSTRAINT fact_edges_confidence_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT fact_edges_reason_not_null NOT NULL,
    valid_from timestamp with time zone CONSTRAINT fact_edges_valid_from_not_null NOT NULL,
    valid_until timestamp with time zone,
    known_from timestamp with time zone CONSTRAINT fact_edges_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    CONSTRAINT fact_edges_check CHECK ((from_fact_id <> to_fact_id)),
    CONSTRAINT fact_edges_check1 CHECK ((known_until >= known_from)),
    CONSTRAINT fact_edges_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT fact_edges_relation_check CHECK (((relation >= 1) AND (relation <= 6)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_edges_p2 (
    namespace_id bigint CONSTRAINT fact_edges_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_edges_id_not_null NOT NULL,
    from_fact_id uuid CONSTRAINT fact_edges_from_fact_id_not_null NOT NULL,
    to_fact_id uuid CONSTRAINT fact_edges_to_fact_id_not_null NOT NULL,
    relation smallint CONSTRAINT fact_edges_relation_not_null NOT NULL,
    confidence double precision CONSTRAINT fact_edges_confidence_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT fact_edges_reason_not_null NOT NULL,
    valid_from timestamp with time zone CONSTRAINT fact_edges_valid_from_not_null NOT NULL,
    valid_until timestamp with time zone,
    known_from timestamp with time zone CONSTRAINT fact_edges_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    CONSTRAINT fact_edges_check CHECK ((from_fact_id <> to_fact_id)),
    CONSTRAINT fact_edges_check1 CHECK ((known_until >= known_from)),
    CONSTRAINT fact_edges_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT fact_edges_relation_check CHECK (((relation >= 1) AND (relation <= 6)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_edges_p3 (
    namespace_id bigint CONSTRAINT fact_edges_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_edges_id_not_null NOT NULL,
    from_fact_id uuid CONSTRAINT fact_edges_from_fact_id_not_null NOT NULL,
    to_fact_id uuid CONSTRAINT fact_edges_to_fact_id_not_null NOT NULL,
    relation smallint CONSTRAINT fact_edges_relation_not_null NOT NULL,
    confidence double precision CONSTRAINT fact_edges_confidence_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT fact_edges_reason_not_null NOT NULL,
    valid_from timestamp with time zone CONSTRAINT fact_edges_valid_from_not_null NOT NULL,
    valid_until timestamp with time zone,
    known_from timestamp with time zone CONSTRAINT fact_edges_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    CONSTRAINT fact_edges_check CHECK ((from_fact_id <> to_fact_id)),
    CONSTRAINT fact_edges_check1 CHECK ((known_until >= known_from)),
    CONSTRAINT fact_edges_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT fact_edges_relation_check CHECK (((relation >= 1) AND (relation <= 6)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_evidence (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    fact_id uuid NOT NULL,
    message_id uuid,
    conversation_id uuid,
    contradicts boolean NOT NULL,
    source smallint NOT NULL,
    hypothesis boolean DEFAULT false NOT NULL,
    quote text DEFAULT ''::text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    said_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    CONSTRAINT fact_evidence_source_check CHECK (((source >= 1) AND (source <= 4)))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.fact_evidence IS 'What a fact rests on, or what speaks against it: the exact message, and its words.';

CREATE TABLE everword.fact_evidence_p0 (
    namespace_id bigint CONSTRAINT fact_evidence_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_evidence_id_not_null NOT NULL,
    fact_id uuid CONSTRAINT fact_evidence_fact_id_not_null NOT NULL,
    message_id uuid,
    conversation_id uuid,
    contradicts boolean CONSTRAINT fact_evidence_contradicts_not_null NOT NULL,
    source smallint CONSTRAINT fact_evidence_source_not_null NOT NULL,
    hypothesis boolean DEFAULT false CONSTRAINT fact_evidence_hypothesis_not_null NOT NULL,
    quote text DEFAULT ''::text CONSTRAINT fact_evidence_quote_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT fact_evidence_reason_not_null NOT NULL,
    said_at timestamp with time zone CONSTRAINT fact_evidence_said_at_not_null NOT NULL,
    recorded_at timestamp with time zone CONSTRAINT fact_evidence_recorded_at_not_null NOT NULL,
    CONSTRAINT fact_evidence_source_check CHECK (((source >= 1) AND (source <= 4)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_evidence_p1 (
    namespace_id bigint CONSTRAINT fact_evidence_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_evidence_id_not_null NOT NULL,
    fact_id uuid CONSTRAINT fact_evidence_fact_id_not_null NOT NULL,
    message_id uuid,
    conversation_id uuid,
    contradicts boolean CONSTRAINT fact_evidence_contradicts_not_null NOT NULL,
    source smallint CONSTRAINT fact_evidence_source_not_null NOT NULL,
    hypothesis boolean DEFAULT false CONSTRAINT fact_evidence_hypothesis_not_null NOT NULL,
    quote text DEFAULT ''::text CONSTRAINT fact_evidence_quote_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT fact_evidence_reason_not_null NOT NULL,
    said_at timestamp with time zone CONSTRAINT fact_evidence_said_at_not_null NOT NULL,
    recorded_at timestamp with time zone CONSTRAINT fact_evidence_recorded_at_not_null NOT NULL,
    CONSTRAINT fact_evidence_source_check CHECK (((source >= 1) AND (source <= 4)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_evidence_p2 (
    namespace_id bigint CONSTRAINT fact_evidence_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_evidence_id_not_null NOT NULL,
    fact_id uuid CONSTRAINT fact_evidence_fact_id_not_null NOT NULL,
    message_id uuid,
    conversation_id uuid,
    contradicts boolean CONSTRAINT fact_evidence_contradicts_not_null NOT NULL,
    source smallint CONSTRAINT fact_evidence_source_not_null NOT NULL,
    hypothesis boolean DEFAULT false CONSTRAINT fact_evidence_hypothesis_not_null NOT NULL,
    quote text DEFAULT ''::text CONSTRAINT fact_evidence_quote_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT fact_evidence_reason_not_null NOT NULL,
    said_at timestamp with time zone CONSTRAINT fact_evidence_said_at_not_null NOT NULL,
    recorded_at timestamp with time zone CONSTRAINT fact_evidence_recorded_at_not_null NOT NULL,
    CONSTRAINT fact_evidence_source_check CHECK (((source >= 1) AND (source <= 4)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_evidence_p3 (
    namespace_id bigint CONSTRAINT fact_evidence_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_evidence_id_not_null NOT NULL,
    fact_id uuid CONSTRAINT fact_evidence_fact_id_not_null NOT NULL,
    message_id uuid,
    conversation_id uuid,
    contradicts boolean CONSTRAINT fact_evidence_contradicts_not_null NOT NULL,
    source smallint CONSTRAINT fact_evidence_source_not_null NOT NULL,
    hypothesis boolean DEFAULT false CONSTRAINT fact_evidence_hypothesis_not_null NOT NULL,
    quote text DEFAULT ''::text CONSTRAINT fact_evidence_quote_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT fact_evidence_reason_not_null NOT NULL,
    said_at timestamp with time zone CONSTRAINT fact_evidence_said_at_not_null NOT NULL,
    recorded_at timestamp with time zone CONSTRAINT fact_evidence_recorded_at_not_null NOT NULL,
    CONSTRAINT fact_evidence_source_check CHECK (((source >= 1) AND (source <= 4)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_intervals (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    fact_id uuid NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_until timestamp with time zone,
    known_from timestamp with time zone NOT NULL,
    known_until timestamp with time zone,
    successor_id uuid,
    CONSTRAINT fact_intervals_check CHECK ((valid_until > valid_from)),
    CONSTRAINT fact_intervals_check1 CHECK ((known_until >= known_from))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.fact_intervals IS 'When a fact holds, as it was believed from known_from until known_until. A row only ever gets its known_until. Of an attribute with one value, the intervals that are believed at a moment never overlap. Each is a memory of its own in the index.';

COMMENT ON COLUMN everword.fact_intervals.successor_id IS 'The fact that took its place at valid_until.';

CREATE TABLE everword.fact_intervals_p0 (
    namespace_id bigint CONSTRAINT fact_intervals_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_intervals_id_not_null NOT NULL,
    fact_id uuid CONSTRAINT fact_intervals_fact_id_not_null NOT NULL,
    valid_from timestamp with time zone CONSTRAINT fact_intervals_valid_from_not_null NOT NULL,
    valid_until timestamp with time zone,
    known_from timestamp with time zone CONSTRAINT fact_intervals_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    successor_id uuid,
    CONSTRAINT fact_intervals_check CHECK ((valid_until > valid_from)),
    CONSTRAINT fact_intervals_check1 CHECK ((known_until >= known_from))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_intervals_p1 (
    namespace_id bigint CONSTRAINT fact_intervals_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_intervals_id_not_null NOT NULL,
    fact_id uuid CONSTRAINT fact_intervals_fact_id_not_null NOT NULL,
    valid_from timestamp with time zone CONSTRAINT fact_intervals_valid_from_not_null NOT NULL,
    valid_until timestamp with time zone,
    known_from timestamp with time zone CONSTRAINT fact_intervals_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    successor_id uuid,
    CONSTRAINT fact_intervals_check CHECK ((valid_until > valid_from)),
    CONSTRAINT fact_intervals_check1 CHECK ((known_until >= known_from))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_intervals_p2 (
    namespace_id bigint CONSTRAINT fact_intervals_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_intervals_id_not_null NOT NULL,
    fact_id uuid CONSTRAINT fact_intervals_fact_id_not_null NOT NULL,
    valid_from timestamp with time zone CONSTRAINT fact_intervals_valid_from_not_null NOT NULL,
    valid_until timestamp with time zone,
    known_from timestamp with time zone CONSTRAINT fact_intervals_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    successor_id uuid,
    CONSTRAINT fact_intervals_check CHECK ((valid_until > valid_from)),
    CONSTRAINT fact_intervals_check1 CHECK ((known_until >= known_from))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.fact_intervals_p3 (
    namespace_id bigint CONSTRAINT fact_intervals_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT fact_intervals_id_not_null NOT NULL,
    fact_id uuid CONSTRAINT fact_intervals_fact_id_not_null NOT NULL,
    valid_from timestamp with time zone CONSTRAINT fact_intervals_valid_from_not_null NOT NULL,
    valid_until timestamp with time zone,
    known_from timestamp with time zone CONSTRAINT fact_intervals_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    successor_id uuid,
    CONSTRAINT fact_intervals_check CHECK ((valid_until > valid_from)),
    CONSTRAINT fact_intervals_check1 CHECK ((known_until >= known_from))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.facts (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    category text NOT NULL,
    attribute text NOT NULL,
    value text NOT NULL,
    value_hash bytea NOT NULL,
    several boolean NOT NULL,
    source smallint NOT NULL,
    hypothesis boolean DEFAULT false NOT NULL,
    state smallint NOT NULL,
    confidence double precision NOT NULL,
    lifetime_days integer NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    supporting integer DEFAULT 0 NOT NULL,
    contradicting integer DEFAULT 0 NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    verdict smallint,
    verdict_at timestamp with time zone,
    is_anchor boolean DEFAULT false NOT NULL,
    CONSTRAINT facts_check CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT facts_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT facts_lifetime_days_check CHECK ((lifetime_days > 0)),
    CONSTRAINT facts_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT facts_source_check CHECK (((source >= 1) AND (source <= 4))),
    CONSTRAINT facts_state_check CHECK (((state >= 1) AND (state <= 5))),
    CONSTRAINT facts_value_check CHECK ((value <> ''::text)),
    CONSTRAINT facts_verdict_check CHECK (((verdict >= 1) AND (verdict <= 2)))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.facts IS 'A subject, an attribute and a value. What holds again later is the same fact. Never edited: state, confidence and counts follow from its intervals and its evidence.';

COMMENT ON COLUMN everword.facts.value_hash IS 'SHA-256 of the value without regard to case and spaces.';

COMMENT ON COLUMN everword.facts.several IS 'Whether the attribute has several values at a time.';

COMMENT ON COLUMN everword.facts.source IS 'Values equal proto FactSource.';

COMMENT ON COLUMN everword.facts.state IS 'Values equal proto FactState.';

COMMENT ON COLUMN everword.facts.ruling IS 'A person said that it is right (1), or wrong (2), at ruled_at: what was said before counts less.';

COMMENT ON COLUMN everword.facts.verdict IS 'Sleep confirmed it (1), or decided against it in a dispute (2), from what was said until verdict_at. A ruling outranks it.';

COMMENT ON COLUMN everword.facts.is_anchor IS 'Whether the trajectory says that a life is built around it: it matures sooner.';

CREATE TABLE everword.facts_p0 (
    namespace_id bigint CONSTRAINT facts_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT facts_id_not_null NOT NULL,
    subject text CONSTRAINT facts_subject_not_null NOT NULL,
    category text CONSTRAINT facts_category_not_null NOT NULL,
    attribute text CONSTRAINT facts_attribute_not_null NOT NULL,
    value text CONSTRAINT facts_value_not_null NOT NULL,
    value_hash bytea CONSTRAINT facts_value_hash_not_null NOT NULL,
    several boolean CONSTRAINT facts_several_not_null NOT NULL,
    source smallint CONSTRAINT facts_source_not_null NOT NULL,
    hypothesis boolean DEFAULT false CONSTRAINT facts_hypothesis_not_null NOT NULL,
    state smallint CONSTRAINT facts_state_not_null NOT NULL,
    confidence double precision CONSTRAINT facts_confidence_not_null NOT NULL,
    lifetime_days integer CONSTRAINT facts_lifetime_days_not_null NOT NULL,
    first_seen_at timestamp with time zone CONSTRAINT facts_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT facts_last_seen_at_not_null NOT NULL,
    supporting integer DEFAULT 0 CONSTRAINT facts_supporting_not_null NOT NULL,
    contradicting integer DEFAULT 0 CONSTRAINT facts_contradicting_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT facts_agent_not_null NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT facts_created_at_not_null NOT NULL,
    verdict smallint,
    verdict_at timestamp with time zone,
    is_anchor boolean DEFAULT false CONSTRAINT facts_is_anchor_not_null NOT NULL,
    CONSTRAINT facts_check CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT facts_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT facts_lifetime_days_check CHECK ((lifetime_days > 0)),
    CONSTRAINT facts_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT facts_source_check CHECK (((source >= 1) AND (source <= 4))),
    CONSTRAINT facts_state_check CHECK (((state >= 1) AND (state <= 5))),
    CONSTRAINT facts_value_check CHECK ((value <> ''::text)),
    CONSTRAINT facts_verdict_check CHECK (((verdict >= 1) AND (verdict <= 2)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.facts_p1 (
    namespace_id bigint CONSTRAINT facts_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT facts_id_not_null NOT NULL,
    subject text CONSTRAINT facts_subject_not_null NOT NULL,
    category text CONSTRAINT facts_category_not_null NOT NULL,
    attribute text CONSTRAINT facts_attribute_not_null NOT NULL,
    value text CONSTRAINT facts_value_not_null NOT NULL,
    value_hash bytea CONSTRAINT facts_value_hash_not_null NOT NULL,
    several boolean CONSTRAINT facts_several_not_null NOT NULL,
    source smallint CONSTRAINT facts_source_not_null NOT NULL,
    hypothesis boolean DEFAULT false CONSTRAINT facts_hypothesis_not_null NOT NULL,
    state smallint CONSTRAINT facts_state_not_null NOT NULL,
    confidence double precision CONSTRAINT facts_confidence_not_null NOT NULL,
    lifetime_days integer CONSTRAINT facts_lifetime_days_not_null NOT NULL,
    first_seen_at timestamp with time zone CONSTRAINT facts_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT facts_last_seen_at_not_null NOT NULL,
    supporting integer DEFAULT 0 CONSTRAINT facts_supporting_not_null NOT NULL,
    contradicting integer DEFAULT 0 CONSTRAINT facts_contradicting_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT facts_agent_not_null NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT facts_created_at_not_null NOT NULL,
    verdict smallint,
    verdict_at timestamp with time zone,
    is_anchor boolean DEFAULT false CONSTRAINT facts_is_anchor_not_null NOT NULL,
    CONSTRAINT facts_check CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT facts_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT facts_lifetime_days_check CHECK ((lifetime_days > 0)),
    CONSTRAINT facts_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT facts_source_check CHECK (((source >= 1) AND (source <= 4))),
    CONSTRAINT facts_state_check CHECK (((state >= 1) AND (state <= 5))),
    CONSTRAINT facts_value_check CHECK ((value <> ''::text)),
    CONSTRAINT facts_verdict_check CHECK (((verdict >= 1) AND (verdict <= 2)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.facts_p2 (
    namespace_id bigint CONSTRAINT facts_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT facts_id_not_null NOT NULL,
    subject text CONSTRAINT facts_subject_not_null NOT NULL,
    category text CONSTRAINT facts_category_not_null NOT NULL,
    attribute text CONSTRAINT facts_attribute_not_null NOT NULL,
    value text CONSTRAINT facts_value_not_null NOT NULL,
    value_hash bytea CONSTRAINT facts_value_hash_not_null NOT NULL,
    several boolean CONSTRAINT facts_several_not_null NOT NULL,
    source smallint CONSTRAINT facts_source_not_null NOT NULL,
    hypothesis boolean DEFAULT false CONSTRAINT facts_hypothesis_not_null NOT NULL,
    state smallint CONSTRAINT facts_state_not_null NOT NULL,
    confidence double precision CONSTRAINT facts_confidence_not_null NOT NULL,
    lifetime_days integer CONSTRAINT facts_lifetime_days_not_null NOT NULL,
    first_seen_at timestamp with time zone CONSTRAINT facts_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT facts_last_seen_at_not_null NOT NULL,
    supporting integer DEFAULT 0 CONSTRAINT facts_supporting_not_null NOT NULL,
    contradicting integer DEFAULT 0 CONSTRAINT facts_contradicting_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT facts_agent_not_null NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT facts_created_at_not_null NOT NULL,
    verdict smallint,
    verdict_at timestamp with time zone,
    is_anchor boolean DEFAULT false CONSTRAINT facts_is_anchor_not_null NOT NULL,
    CONSTRAINT facts_check CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT facts_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT facts_lifetime_days_check CHECK ((lifetime_days > 0)),
    CONSTRAINT facts_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT facts_source_check CHECK (((source >= 1) AND (source <= 4))),
    CONSTRAINT facts_state_check CHECK (((state >= 1) AND (state <= 5))),
    CONSTRAINT facts_value_check CHECK ((value <> ''::text)),
    CONSTRAINT facts_verdict_check CHECK (((verdict >= 1) AND (verdict <= 2)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.facts_p3 (
    namespace_id bigint CONSTRAINT facts_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT facts_id_not_null NOT NULL,
    subject text CONSTRAINT facts_subject_not_null NOT NULL,
    category text CONSTRAINT facts_category_not_null NOT NULL,
    attribute text CONSTRAINT facts_attribute_not_null NOT NULL,
    value text CONSTRAINT facts_value_not_null NOT NULL,
    value_hash bytea CONSTRAINT facts_value_hash_not_null NOT NULL,
    several boolean CONSTRAINT facts_several_not_null NOT NULL,
    source smallint CONSTRAINT facts_source_not_null NOT NULL,
    hypothesis boolean DEFAULT false CONSTRAINT facts_hypothesis_not_null NOT NULL,
    state smallint CONSTRAINT facts_state_not_null NOT NULL,
    confidence double precision CONSTRAINT facts_confidence_not_null NOT NULL,
    lifetime_days integer CONSTRAINT facts_lifetime_days_not_null NOT NULL,
    first_seen_at timestamp with time zone CONSTRAINT facts_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT facts_last_seen_at_not_null NOT NULL,
    supporting integer DEFAULT 0 CONSTRAINT facts_supporting_not_null NOT NULL,
    contradicting integer DEFAULT 0 CONSTRAINT facts_contradicting_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT facts_agent_not_null NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT facts_created_at_not_null NOT NULL,
    verdict smallint,
    verdict_at timestamp with time zone,
    is_anchor boolean DEFAULT false CONSTRAINT facts_is_anchor_not_null NOT NULL,
    CONSTRAINT facts_check CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT facts_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT facts_lifetime_days_check CHECK ((lifetime_days > 0)),
    CONSTRAINT facts_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT facts_source_check CHECK (((source >= 1) AND (source <= 4))),
    CONSTRAINT facts_state_check CHECK (((state >= 1) AND (state <= 5))),
    CONSTRAINT facts_value_check CHECK ((value <> ''::text)),
    CONSTRAINT facts_verdict_check CHECK (((verdict >= 1) AND (verdict <= 2)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_edges (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    edge_id uuid NOT NULL,
    from_id uuid NOT NULL,
    to_id uuid NOT NULL,
    type text NOT NULL,
    label text DEFAULT ''::text NOT NULL,
    confidence double precision NOT NULL,
    source smallint NOT NULL,
    message_id uuid,
    quote text DEFAULT ''::text NOT NULL,
    fact_id uuid,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    reason text DEFAULT ''::text NOT NULL,
    known_from timestamp with time zone NOT NULL,
    known_until timestamp with time zone,
    ended_by smallint,
    end_reason text DEFAULT ''::text NOT NULL,
    CONSTRAINT graph_edges_check CHECK ((valid_until >= valid_from)),
    CONSTRAINT graph_edges_check1 CHECK ((known_until >= known_from)),
    CONSTRAINT graph_edges_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT graph_edges_ended_by_check CHECK (((ended_by >= 1) AND (ended_by <= 3))),
    CONSTRAINT graph_edges_source_check CHECK (((source >= 1) AND (source <= 3))),
    CONSTRAINT graph_edges_type_check CHECK ((type <> ''::text))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.graph_edges IS 'When a relation holds, as it was known from known_from until known_until. A row only ever gets its end. Several rows that are known at once are several times in which the same edge holds.';

COMMENT ON COLUMN everword.graph_edges.edge_id IS 'The edge that it is a time of.';

COMMENT ON COLUMN everword.graph_edges.fact_id IS 'The fact that it holds with. While that is believed to hold at no time at all, its row has an empty interval.';

CREATE TABLE everword.graph_edges_p0 (
    namespace_id bigint CONSTRAINT graph_edges_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT graph_edges_id_not_null NOT NULL,
    edge_id uuid CONSTRAINT graph_edges_edge_id_not_null NOT NULL,
    from_id uuid CONSTRAINT graph_edges_from_id_not_null NOT NULL,
    to_id uuid CONSTRAINT graph_edges_to_id_not_null NOT NULL,
    type text CONSTRAINT graph_edges_type_not_null NOT NULL,
    label text DEFAULT ''::text CONSTRAINT graph_edges_label_not_null NOT NULL,
    confidence double precision CONSTRAINT graph_edges_confidence_not_null NOT NULL,
    source smallint CONSTRAINT graph_edges_source_not_null NOT NULL,
    message_id uuid,
    quote text DEFAULT ''::text CONSTRAINT graph_edges_quote_not_null NOT NULL,
    fact_id uuid,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    reason text DEFAULT ''::text CONSTRAINT graph_edges_reason_not_null NOT NULL,
    known_from timestamp with time zone CONSTRAINT graph_edges_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    ended_by smallint,
    end_reason text DEFAULT ''::text CONSTRAINT graph_edges_end_reason_not_null NOT NULL,
    CONSTRAINT graph_edges_check CHECK ((valid_until >= valid_from)),
    CONSTRAINT graph_edges_check1 CHECK ((known_until >= known_from)),
    CONSTRAINT graph_edges_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT graph_edges_ended_by_check CHECK (((ended_by >= 1) AND (ended_by <= 3))),
    CONSTRAINT graph_edges_source_check CHECK (((source >= 1) AND (source <= 3))),
    CONSTRAINT graph_edges_type_check CHECK ((type <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_edges_p1 (
    namespace_id bigint CONSTRAINT graph_edges_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT graph_edges_id_not_null NOT NULL,
    edge_id uuid CONSTRAINT graph_edges_edge_id_not_null NOT NULL,
    from_id uuid CONSTRAINT graph_edges_from_id_not_null NOT NULL,
    to_id uuid CONSTRAINT graph_edges_to_id_not_null NOT NULL,
    type text CONSTRAINT graph_edges_type_not_null NOT NULL,
    label text DEFAULT ''::text CONSTRAINT graph_edges_label_not_null NOT NULL,
    confidence double precision CONSTRAINT graph_edges_confidence_not_null NOT NULL,
    source smallint CONSTRAINT graph_edges_source_not_null NOT NULL,
    message_id uuid,
    quote text DEFAULT ''::text CONSTRAINT graph_edges_quote_not_null NOT NULL,
    fact_id uuid,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    reason text DEFAULT ''::text CONSTRAINT graph_edges_reason_not_null NOT NULL,
    known_from timestamp with time zone CONSTRAINT graph_edges_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    ended_by smallint,
    end_reason text DEFAULT ''::text CONSTRAINT graph_edges_end_reason_not_null NOT NULL,
    CONSTRAINT graph_edges_check CHECK ((valid_until >= valid_from)),
    CONSTRAINT graph_edges_check1 CHECK ((known_until >= known_from)),
    CONSTRAINT graph_edges_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT graph_edges_ended_by_check CHECK (((ended_by >= 1) AND (ended_by <= 3))),
    CONSTRAINT graph_edges_source_check CHECK (((source >= 1) AND (source <= 3))),
    CONSTRAINT graph_edges_type_check CHECK ((type <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_edges_p2 (
    namespace_id bigint CONSTRAINT graph_edges_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT graph_edges_id_not_null NOT NULL,
    edge_id uuid CONSTRAINT graph_edges_edge_id_not_null NOT NULL,
    from_id uuid CONSTRAINT graph_edges_from_id_not_null NOT NULL,
    to_id uuid CONSTRAINT graph_edges_to_id_not_null NOT NULL,
    type text CONSTRAINT graph_edges_type_not_null NOT NULL,
    label text DEFAULT ''::text CONSTRAINT graph_edges_label_not_null NOT NULL,
    confidence double precision CONSTRAINT graph_edges_confidence_not_null NOT NULL,
    source smallint CONSTRAINT graph_edges_source_not_null NOT NULL,
    message_id uuid,
    quote text DEFAULT ''::text CONSTRAINT graph_edges_quote_not_null NOT NULL,
    fact_id uuid,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    reason text DEFAULT ''::text CONSTRAINT graph_edges_reason_not_null NOT NULL,
    known_from timestamp with time zone CONSTRAINT graph_edges_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    ended_by smallint,
    end_reason text DEFAULT ''::text CONSTRAINT graph_edges_end_reason_not_null NOT NULL,
    CONSTRAINT graph_edges_check CHECK ((valid_until >= valid_from)),
    CONSTRAINT graph_edges_check1 CHECK ((known_until >= known_from)),
    CONSTRAINT graph_edges_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT graph_edges_ended_by_check CHECK (((ended_by >= 1) AND (ended_by <= 3))),
    CONSTRAINT graph_edges_source_check CHECK (((source >= 1) AND (source <= 3))),
    CONSTRAINT graph_edges_type_check CHECK ((type <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_edges_p3 (
    namespace_id bigint CONSTRAINT graph_edges_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT graph_edges_id_not_null NOT NULL,
    edge_id uuid CONSTRAINT graph_edges_edge_id_not_null NOT NULL,
    from_id uuid CONSTRAINT graph_edges_from_id_not_null NOT NULL,
    to_id uuid CONSTRAINT graph_edges_to_id_not_null NOT NULL,
    type text CONSTRAINT graph_edges_type_not_null NOT NULL,
    label text DEFAULT ''::text CONSTRAINT graph_edges_label_not_null NOT NULL,
    confidence double precision CONSTRAINT graph_edges_confidence_not_null NOT NULL,
    source smallint CONSTRAINT graph_edges_source_not_null NOT NULL,
    message_id uuid,
    quote text DEFAULT ''::text CONSTRAINT graph_edges_quote_not_null NOT NULL,
    fact_id uuid,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    reason text DEFAULT ''::text CONSTRAINT graph_edges_reason_not_null NOT NULL,
    known_from timestamp with time zone CONSTRAINT graph_edges_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    ended_by smallint,
    end_reason text DEFAULT ''::text CONSTRAINT graph_edges_end_reason_not_null NOT NULL,
    CONSTRAINT graph_edges_check CHECK ((valid_until >= valid_from)),
    CONSTRAINT graph_edges_check1 CHECK ((known_until >= known_from)),
    CONSTRAINT graph_edges_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT graph_edges_ended_by_check CHECK (((ended_by >= 1) AND (ended_by <= 3))),
    CONSTRAINT graph_edges_source_check CHECK (((source >= 1) AND (source <= 3))),
    CONSTRAINT graph_edges_type_check CHECK ((type <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_names (
    namespace_id bigint NOT NULL,
    label_hash bytea NOT NULL,
    type text NOT NULL,
    agent text NOT NULL,
    subject text NOT NULL,
    node_id uuid NOT NULL
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.graph_names IS 'The node that a label and a type mean to an agent and a subject: of two writers of the same name the second finds the node of the first. Labels that a node had go on to mean it.';

COMMENT ON COLUMN everword.graph_names.label_hash IS 'SHA-256 of the label without regard to case and spaces.';

CREATE TABLE everword.graph_names_p0 (
    namespace_id bigint CONSTRAINT graph_names_namespace_id_not_null NOT NULL,
    label_hash bytea CONSTRAINT graph_names_label_hash_not_null NOT NULL,
    type text CONSTRAINT graph_names_type_not_null NOT NULL,
    agent text CONSTRAINT graph_names_agent_not_null NOT NULL,
    subject text CONSTRAINT graph_names_subject_not_null NOT NULL,
    node_id uuid CONSTRAINT graph_names_node_id_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_names_p1 (
    namespace_id bigint CONSTRAINT graph_names_namespace_id_not_null NOT NULL,
    label_hash bytea CONSTRAINT graph_names_label_hash_not_null NOT NULL,
    type text CONSTRAINT graph_names_type_not_null NOT NULL,
    agent text CONSTRAINT graph_names_agent_not_null NOT NULL,
    subject text CONSTRAINT graph_names_subject_not_null NOT NULL,
    node_id uuid CONSTRAINT graph_names_node_id_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_names_p2 (
    namespace_id bigint CONSTRAINT graph_names_namespace_id_not_null NOT NULL,
    label_hash bytea CONSTRAINT graph_names_label_hash_not_null NOT NULL,
    type text CONSTRAINT graph_names_type_not_null NOT NULL,
    agent text CONSTRAINT graph_names_agent_not_null NOT NULL,
    subject text CONSTRAINT graph_names_subject_not_null NOT NULL,
    node_id uuid CONSTRAINT graph_names_node_id_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_names_p3 (
    namespace_id bigint CONSTRAINT graph_names_namespace_id_not_null NOT NULL,
    label_hash bytea CONSTRAINT graph_names_label_hash_not_null NOT NULL,
    type text CONSTRAINT graph_names_type_not_null NOT NULL,
    agent text CONSTRAINT graph_names_agent_not_null NOT NULL,
    subject text CONSTRAINT graph_names_subject_not_null NOT NULL,
    node_id uuid CONSTRAINT graph_names_node_id_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_node_versions (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    node_id uuid NOT NULL,
    label text NOT NULL,
    type text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    aliases text[] DEFAULT '{}'::text[] NOT NULL,
    confidence double precision NOT NULL,
    source smallint NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    known_from timestamp with time zone NOT NULL,
    known_until timestamp with time zone,
    ended_by smallint,
    end_reason text DEFAULT ''::text NOT NULL,
    CONSTRAINT graph_node_versions_check CHECK ((known_until >= known_from)),
    CONSTRAINT graph_node_versions_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT graph_node_versions_ended_by_check CHECK (((ended_by >= 1) AND (ended_by <= 3))),
    CONSTRAINT graph_node_versions_label_check CHECK ((label <> ''::text)),
    CONSTRAINT graph_node_versions_source_check CHECK (((source >= 1) AND (source <= 3))),
    CONSTRAINT graph_node_versions_type_check CHECK ((type <> ''::text))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.graph_node_versions IS 'What was known of a node from known_from until known_until. A row only ever gets its end. Each is a memory in the index.';

COMMENT ON COLUMN everword.graph_node_versions.source IS 'Values equal proto GraphSource.';

CREATE TABLE everword.graph_node_versions_p0 (
    namespace_id bigint CONSTRAINT graph_node_versions_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT graph_node_versions_id_not_null NOT NULL,
    node_id uuid CONSTRAINT graph_node_versions_node_id_not_null NOT NULL,
    label text CONSTRAINT graph_node_versions_label_not_null NOT NULL,
    type text CONSTRAINT graph_node_versions_type_not_null NOT NULL,
    description text DEFAULT ''::text CONSTRAINT graph_node_versions_description_not_null NOT NULL,
    aliases text[] DEFAULT '{}'::text[] CONSTRAINT graph_node_versions_aliases_not_null NOT NULL,
    confidence double precision CONSTRAINT graph_node_versions_confidence_not_null NOT NULL,
    source smallint CONSTRAINT graph_node_versions_source_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT graph_node_versions_reason_not_null NOT NULL,
    known_from timestamp with time zone CONSTRAINT graph_node_versions_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    ended_by smallint,
    end_reason text DEFAULT ''::text CONSTRAINT graph_node_versions_end_reason_not_null NOT NULL,
    CONSTRAINT graph_node_versions_check CHECK ((known_until >= known_from)),
    CONSTRAINT graph_node_versions_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT graph_node_versions_ended_by_check CHECK (((ended_by >= 1) AND (ended_by <= 3))),
    CONSTRAINT graph_node_versions_label_check CHECK ((label <> ''::text)),
    CONSTRAINT graph_node_versions_source_check CHECK (((source >= 1) AND (source <= 3))),
    CONSTRAINT graph_node_versions_type_check CHECK ((type <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_node_versions_p1 (
    namespace_id bigint CONSTRAINT graph_node_versions_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT graph_node_versions_id_not_null NOT NULL,
    node_id uuid CONSTRAINT graph_node_versions_node_id_not_null NOT NULL,
    label text CONSTRAINT graph_node_versions_label_not_null NOT NULL,
    type text CONSTRAINT graph_node_versions_type_not_null NOT NULL,
    description text DEFAULT ''::text CONSTRAINT graph_node_versions_description_not_null NOT NULL,
    aliases text[] DEFAULT '{}'::text[] CONSTRAINT graph_node_versions_aliases_not_null NOT NULL,
    confidence double precision CONSTRAINT graph_node_versions_confidence_not_null NOT NULL,
    source smallint CONSTRAINT graph_node_versions_source_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT graph_node_versions_reason_not_null NOT NULL,
    known_from timestamp with time zone CONSTRAINT graph_node_versions_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    ended_by smallint,
    end_reason text DEFAULT ''::text CONSTRAINT graph_node_versions_end_reason_not_null NOT NULL,
    CONSTRAINT graph_node_versions_check CHECK ((known_until >= known_from)),
    CONSTRAINT graph_node_versions_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT graph_node_versions_ended_by_check CHECK (((ended_by >= 1) AND (ended_by <= 3))),
    CONSTRAINT graph_node_versions_label_check CHECK ((label <> ''::text)),
    CONSTRAINT graph_node_versions_source_check CHECK (((source >= 1) AND (source <= 3))),
    CONSTRAINT graph_node_versions_type_check CHECK ((type <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_node_versions_p2 (
    namespace_id bigint CONSTRAINT graph_node_versions_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT graph_node_versions_id_not_null NOT NULL,
    node_id uuid CONSTRAINT graph_node_versions_node_id_not_null NOT NULL,
    label text CONSTRAINT graph_node_versions_label_not_null NOT NULL,
    type text CONSTRAINT graph_node_versions_type_not_null NOT NULL,
    description text DEFAULT ''::text CONSTRAINT graph_node_versions_description_not_null NOT NULL,
    aliases text[] DEFAULT '{}'::text[] CONSTRAINT graph_node_versions_aliases_not_null NOT NULL,
    confidence double precision CONSTRAINT graph_node_versions_confidence_not_null NOT NULL,
    source smallint CONSTRAINT graph_node_versions_source_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT graph_node_versions_reason_not_null NOT NULL,
    known_from timestamp with time zone CONSTRAINT graph_node_versions_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    ended_by smallint,
    end_reason text DEFAULT ''::text CONSTRAINT graph_node_versions_end_reason_not_null NOT NULL,
    CONSTRAINT graph_node_versions_check CHECK ((known_until >= known_from)),
    CONSTRAINT graph_node_versions_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT graph_node_versions_ended_by_check CHECK (((ended_by >= 1) AND (ended_by <= 3))),
    CONSTRAINT graph_node_versions_label_check CHECK ((label <> ''::text)),
    CONSTRAINT graph_node_versions_source_check CHECK (((source >= 1) AND (source <= 3))),
    CONSTRAINT graph_node_versions_type_check CHECK ((type <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_node_versions_p3 (
    namespace_id bigint CONSTRAINT graph_node_versions_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT graph_node_versions_id_not_null NOT NULL,
    node_id uuid CONSTRAINT graph_node_versions_node_id_not_null NOT NULL,
    label text CONSTRAINT graph_node_versions_label_not_null NOT NULL,
    type text CONSTRAINT graph_node_versions_type_not_null NOT NULL,
    description text DEFAULT ''::text CONSTRAINT graph_node_versions_description_not_null NOT NULL,
    aliases text[] DEFAULT '{}'::text[] CONSTRAINT graph_node_versions_aliases_not_null NOT NULL,
    confidence double precision CONSTRAINT graph_node_versions_confidence_not_null NOT NULL,
    source smallint CONSTRAINT graph_node_versions_source_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT graph_node_versions_reason_not_null NOT NULL,
    known_from timestamp with time zone CONSTRAINT graph_node_versions_known_from_not_null NOT NULL,
    known_until timestamp with time zone,
    ended_by smallint,
    end_reason text DEFAULT ''::text CONSTRAINT graph_node_versions_end_reason_not_null NOT NULL,
    CONSTRAINT graph_node_versions_check CHECK ((known_until >= known_from)),
    CONSTRAINT graph_node_versions_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT graph_node_versions_ended_by_check CHECK (((ended_by >= 1) AND (ended_by <= 3))),
    CONSTRAINT graph_node_versions_label_check CHECK ((label <> ''::text)),
    CONSTRAINT graph_node_versions_source_check CHECK (((source >= 1) AND (source <= 3))),
    CONSTRAINT graph_node_versions_type_check CHECK ((type <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_nodes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    anchor smallint,
    merged_into uuid,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    CONSTRAINT graph_nodes_anchor_check CHECK (((anchor >= 1) AND (anchor <= 2)))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.graph_nodes IS 'Persons, places and things. What is known of one stands in its versions; whoever writes about it holds its row.';

COMMENT ON COLUMN everword.graph_nodes.anchor IS 'The agent itself (1), or the user (2).';

COMMENT ON COLUMN everword.graph_nodes.merged_into IS 'The node that it turned out to be.';

CREATE TABLE everword.graph_nodes_p0 (
    namespace_id bigint CONSTRAINT graph_nodes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT graph_nodes_id_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT graph_nodes_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT graph_nodes_subject_not_null NOT NULL,
    anchor smallint,
    merged_into uuid,
    first_seen_at timestamp with time zone CONSTRAINT graph_nodes_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT graph_nodes_last_seen_at_not_null NOT NULL,
    CONSTRAINT graph_nodes_anchor_check CHECK (((anchor >= 1) AND (anchor <= 2)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_nodes_p1 (
    namespace_id bigint CONSTRAINT graph_nodes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT graph_nodes_id_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT graph_nodes_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT graph_nodes_subject_not_null NOT NULL,
    anchor smallint,
    merged_into uuid,
    first_seen_at timestamp with time zone CONSTRAINT graph_nodes_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT graph_nodes_last_seen_at_not_null NOT NULL,
    CONSTRAINT graph_nodes_anchor_check CHECK (((anchor >= 1) AND (anchor <= 2)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_nodes_p2 (
    namespace_id bigint CONSTRAINT graph_nodes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT graph_nodes_id_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT graph_nodes_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT graph_nodes_subject_not_null NOT NULL,
    anchor smallint,
    merged_into uuid,
    first_seen_at timestamp with time zone CONSTRAINT graph_nodes_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT graph_nodes_last_seen_at_not_null NOT NULL,
    CONSTRAINT graph_nodes_anchor_check CHECK (((anchor >= 1) AND (anchor <= 2)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.graph_nodes_p3 (
    namespace_id bigint CONSTRAINT graph_nodes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT graph_nodes_id_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT graph_nodes_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT graph_nodes_subject_not_null NOT NULL,
    anchor smallint,
    merged_into uuid,
    first_seen_at timestamp with time zone CONSTRAINT graph_nodes_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT graph_nodes_last_seen_at_not_null NOT NULL,
    CONSTRAINT graph_nodes_anchor_check CHECK (((anchor >= 1) AND (anchor <= 2)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.importance_suggestions (
    namespace_id bigint NOT NULL,
    memory_id uuid NOT NULL,
    importance_class smallint NOT NULL,
    model text NOT NULL,
    prompt_version text NOT NULL,
    suggested_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT importance_suggestions_importance_class_check CHECK (((importance_class >= 1) AND (importance_class <= 4)))
);

COMMENT ON TABLE everword.importance_suggestions IS 'Importance classes that background work suggests: they count where no caller gave one. Derived, so it can be made again.';

CREATE TABLE everword.index_changes (
    namespace_id bigint NOT NULL,
    id bigint NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    removed bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    closed bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE everword.index_changes IS 'What was done to the index of a namespace beside adding passages, for a day. Whoever knows the index as of a snapshot asks for the changes that the snapshot does not show.';

COMMENT ON COLUMN everword.index_changes.removed IS 'Passages that were taken out.';

COMMENT ON COLUMN everword.index_changes.closed IS 'Passages that got other limits of when they hold or were believed.';

ALTER TABLE everword.index_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.index_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.jobs (
    id bigint NOT NULL,
    namespace_id bigint NOT NULL,
    task text NOT NULL,
    subject text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    dirty_seq bigint DEFAULT 1 NOT NULL,
    done_seq bigint DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    fence bigint DEFAULT 0 NOT NULL,
    not_before timestamp with time zone DEFAULT now() NOT NULL,
    lease_until timestamp with time zone,
    published_at timestamp with time zone,
    trace_context jsonb,
    error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deaths integer DEFAULT 0 NOT NULL,
    CONSTRAINT jobs_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'done'::text, 'failed'::text])))
)
WITH (fillfactor='70');

COMMENT ON TABLE everword.jobs IS 'The outbox and the durable state of background work in one: a row per namespace, task and subject.';

COMMENT ON COLUMN everword.jobs.dirty_seq IS 'Grows with every write that makes work; the job is done when done_seq has reached it.';

COMMENT ON COLUMN everword.jobs.fence IS 'Grows with every wake-up and with every start; a worker that holds an older one is refused.';

COMMENT ON COLUMN everword.jobs.deaths IS 'Workers that fell silent with the job since it last advanced; 0 in a job that is done or was given up.';

ALTER TABLE everword.jobs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.learned_changes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    about_id uuid NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    CONSTRAINT learned_changes_actor_check CHECK ((actor = ANY (ARRAY['agent'::text, 'person'::text, 'machine'::text])))
);

COMMENT ON TABLE everword.learned_changes IS 'The audit trail of what Sleep learned: who ruled what, and why.';

CREATE TABLE everword.learned_evidence (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    about_id uuid NOT NULL,
    aspect text NOT NULL,
    value text NOT NULL,
    value_hash bytea NOT NULL,
    message_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    quote text NOT NULL,
    said_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    CONSTRAINT learned_evidence_quote_check CHECK ((quote <> ''::text))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.learned_evidence IS 'What is said of a person, an event, a way of communicating, a trajectory, or gives rise to a question: the exact message, its words, and what they say. Rows are added, and never changed.';

COMMENT ON COLUMN everword.learned_evidence.aspect IS 'Which field the words tell: `name`, `relation`, `status`, `detail`, `start` and so on.';

CREATE TABLE everword.learned_evidence_p0 (
    namespace_id bigint CONSTRAINT learned_evidence_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT learned_evidence_id_not_null NOT NULL,
    about_id uuid CONSTRAINT learned_evidence_about_id_not_null NOT NULL,
    aspect text CONSTRAINT learned_evidence_aspect_not_null NOT NULL,
    value text CONSTRAINT learned_evidence_value_not_null NOT NULL,
    value_hash bytea CONSTRAINT learned_evidence_value_hash_not_null NOT NULL,
    message_id uuid CONSTRAINT learned_evidence_message_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT learned_evidence_conversation_id_not_null NOT NULL,
    quote text CONSTRAINT learned_evidence_quote_not_null NOT NULL,
    said_at timestamp with time zone CONSTRAINT learned_evidence_said_at_not_null NOT NULL,
    recorded_at timestamp with time zone CONSTRAINT learned_evidence_recorded_at_not_null NOT NULL,
    CONSTRAINT learned_evidence_quote_check CHECK ((quote <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.learned_evidence_p1 (
    namespace_id bigint CONSTRAINT learned_evidence_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT learned_evidence_id_not_null NOT NULL,
    about_id uuid CONSTRAINT learned_evidence_about_id_not_null NOT NULL,
    aspect text CONSTRAINT learned_evidence_aspect_not_null NOT NULL,
    value text CONSTRAINT learned_evidence_value_not_null NOT NULL,
    value_hash bytea CONSTRAINT learned_evidence_value_hash_not_null NOT NULL,
    message_id uuid CONSTRAINT learned_evidence_message_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT learned_evidence_conversation_id_not_null NOT NULL,
    quote text CONSTRAINT learned_evidence_quote_not_null NOT NULL,
    said_at timestamp with time zone CONSTRAINT learned_evidence_said_at_not_null NOT NULL,
    recorded_at timestamp with time zone CONSTRAINT learned_evidence_recorded_at_not_null NOT NULL,
    CONSTRAINT learned_evidence_quote_check CHECK ((quote <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.learned_evidence_p2 (
    namespace_id bigint CONSTRAINT learned_evidence_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT learned_evidence_id_not_null NOT NULL,
    about_id uuid CONSTRAINT learned_evidence_about_id_not_null NOT NULL,
    aspect text CONSTRAINT learned_evidence_aspect_not_null NOT NULL,
    value text CONSTRAINT learned_evidence_value_not_null NOT NULL,
    value_hash bytea CONSTRAINT learned_evidence_value_hash_not_null NOT NULL,
    message_id uuid CONSTRAINT learned_evidence_message_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT learned_evidence_conversation_id_not_null NOT NULL,
    quote text CONSTRAINT learned_evidence_quote_not_null NOT NULL,
    said_at timestamp with time zone CONSTRAINT learned_evidence_said_at_not_null NOT NULL,
    recorded_at timestamp with time zone CONSTRAINT learned_evidence_recorded_at_not_null NOT NULL,
    CONSTRAINT learned_evidence_quote_check CHECK ((quote <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.learned_evidence_p3 (
    namespace_id bigint CONSTRAINT learned_evidence_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT learned_evidence_id_not_null NOT NULL,
    about_id uuid CONSTRAINT learned_evidence_about_id_not_null NOT NULL,
    aspect text CONSTRAINT learned_evidence_aspect_not_null NOT NULL,
    value text CONSTRAINT learned_evidence_value_not_null NOT NULL,
    value_hash bytea CONSTRAINT learned_evidence_value_hash_not_null NOT NULL,
    message_id uuid CONSTRAINT learned_evidence_message_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT learned_evidence_conversation_id_not_null NOT NULL,
    quote text CONSTRAINT learned_evidence_quote_not_null NOT NULL,
    said_at timestamp with time zone CONSTRAINT learned_evidence_said_at_not_null NOT NULL,
    recorded_at timestamp with time zone CONSTRAINT learned_evidence_recorded_at_not_null NOT NULL,
    CONSTRAINT learned_evidence_quote_check CHECK ((quote <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.lore_books (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    conversation_id uuid,
    key_hash bytea NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    disabled boolean DEFAULT false NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.lore_books IS 'Lorebooks: entries, and in which contexts these are looked at.';

COMMENT ON COLUMN everword.lore_books.key_hash IS 'SHA-256 of name, agent, subject and conversation, which may be longer than what an index takes.';

COMMENT ON COLUMN everword.lore_books.version IS 'Counts changes of the book and of its entries: what was compiled of an earlier one is compiled anew. Its row lock orders writers.';

CREATE TABLE everword.lore_books_p0 (
    namespace_id bigint CONSTRAINT lore_books_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT lore_books_id_not_null NOT NULL,
    name text CONSTRAINT lore_books_name_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT lore_books_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT lore_books_subject_not_null NOT NULL,
    conversation_id uuid,
    key_hash bytea CONSTRAINT lore_books_key_hash_not_null NOT NULL,
    description text DEFAULT ''::text CONSTRAINT lore_books_description_not_null NOT NULL,
    disabled boolean DEFAULT false CONSTRAINT lore_books_disabled_not_null NOT NULL,
    version bigint DEFAULT 0 CONSTRAINT lore_books_version_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT lore_books_created_at_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT lore_books_updated_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.lore_books_p1 (
    namespace_id bigint CONSTRAINT lore_books_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT lore_books_id_not_null NOT NULL,
    name text CONSTRAINT lore_books_name_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT lore_books_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT lore_books_subject_not_null NOT NULL,
    conversation_id uuid,
    key_hash bytea CONSTRAINT lore_books_key_hash_not_null NOT NULL,
    description text DEFAULT ''::text CONSTRAINT lore_books_description_not_null NOT NULL,
    disabled boolean DEFAULT false CONSTRAINT lore_books_disabled_not_null NOT NULL,
    version bigint DEFAULT 0 CONSTRAINT lore_books_version_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT lore_books_created_at_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT lore_books_updated_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.lore_books_p2 (
    namespace_id bigint CONSTRAINT lore_books_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT lore_books_id_not_null NOT NULL,
    name text CONSTRAINT lore_books_name_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT lore_books_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT lore_books_subject_not_null NOT NULL,
    conversation_id uuid,
    key_hash bytea CONSTRAINT lore_books_key_hash_not_null NOT NULL,
    description text DEFAULT ''::text CONSTRAINT lore_books_description_not_null NOT NULL,
    disabled boolean DEFAULT false CONSTRAINT lore_books_disabled_not_null NOT NULL,
    version bigint DEFAULT 0 CONSTRAINT lore_books_version_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT lore_books_created_at_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT lore_books_updated_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.lore_books_p3 (
    namespace_id bigint CONSTRAINT lore_books_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT lore_books_id_not_null NOT NULL,
    name text CONSTRAINT lore_books_name_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT lore_books_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT lore_books_subject_not_null NOT NULL,
    conversation_id uuid,
    key_hash bytea CONSTRAINT lore_books_key_hash_not_null NOT NULL,
    description text DEFAULT ''::text CONSTRAINT lore_books_description_not_null NOT NULL,
    disabled boolean DEFAULT false CONSTRAINT lore_books_disabled_not_null NOT NULL,
    version bigint DEFAULT 0 CONSTRAINT lore_books_version_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT lore_books_created_at_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT lore_books_updated_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.lore_entries (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    book_id uuid NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    triggers jsonb DEFAULT '[]'::jsonb NOT NULL,
    patterns smallint DEFAULT 0 NOT NULL,
    scan_depth smallint DEFAULT 5 NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    sticky_turns smallint DEFAULT 0 NOT NULL,
    disabled boolean DEFAULT false NOT NULL,
    constant boolean DEFAULT false NOT NULL,
    prevent_recursion boolean DEFAULT false NOT NULL,
    exclude_recursion boolean DEFAULT false NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT lore_entries_scan_depth_check CHECK (((scan_depth >= 0) AND (scan_depth <= 100))),
    CONSTRAINT lore_entries_sticky_turns_check CHECK (((sticky_turns >= 0) AND (sticky_turns <= 100)))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.lore_entries IS 'Entries of lorebooks as they stand; each is a memory of kind 7 under its id.';

COMMENT ON COLUMN everword.lore_entries.triggers IS 'A list of objects: text, mode (as LoreTriggerMode) and case_sensitive.';

COMMENT ON COLUMN everword.lore_entries.patterns IS 'How many of the triggers are regular expressions.';

CREATE TABLE everword.lore_entries_p0 (
    namespace_id bigint CONSTRAINT lore_entries_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT lore_entries_id_not_null NOT NULL,
    book_id uuid CONSTRAINT lore_entries_book_id_not_null NOT NULL,
    title text CONSTRAINT lore_entries_title_not_null NOT NULL,
    content text CONSTRAINT lore_entries_content_not_null NOT NULL,
    triggers jsonb DEFAULT '[]'::jsonb CONSTRAINT lore_entries_triggers_not_null NOT NULL,
    patterns smallint DEFAULT 0 CONSTRAINT lore_entries_patterns_not_null NOT NULL,
    scan_depth smallint DEFAULT 5 CONSTRAINT lore_entries_scan_depth_not_null NOT NULL,
    priority integer DEFAULT 0 CONSTRAINT lore_entries_priority_not_null NOT NULL,
    sticky_turns smallint DEFAULT 0 CONSTRAINT lore_entries_sticky_turns_not_null NOT NULL,
    disabled boolean DEFAULT false CONSTRAINT lore_entries_disabled_not_null NOT NULL,
    constant boolean DEFAULT false CONSTRAINT lore_entries_constant_not_null NOT NULL,
    prevent_recursion boolean DEFAULT false CONSTRAINT lore_entries_prevent_recursion_not_null NOT NULL,
    exclude_recursion boolean DEFAULT false CONSTRAINT lore_entries_exclude_recursion_not_null NOT NULL,
    version bigint DEFAULT 1 CONSTRAINT lore_entries_version_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT lore_entries_created_at_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT lore_entries_updated_at_not_null NOT NULL,
    CONSTRAINT lore_entries_scan_depth_check CHECK (((scan_depth >= 0) AND (scan_depth <= 100))),
    CONSTRAINT lore_entries_sticky_turns_check CHECK (((sticky_turns >= 0) AND (sticky_turns <= 100)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.lore_entries_p1 (
    namespace_id bigint CONSTRAINT lore_entries_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT lore_entries_id_not_null NOT NULL,
    book_id uuid CONSTRAINT lore_entries_book_id_not_null NOT NULL,
    title text CONSTRAINT lore_entries_title_not_null NOT NULL,
    content text CONSTRAINT lore_entries_content_not_null NOT NULL,
    triggers jsonb DEFAULT '[]'::jsonb CONSTRAINT lore_entries_triggers_not_null NOT NULL,
    patterns smallint DEFAULT 0 CONSTRAINT lore_entries_patterns_not_null NOT NULL,
    scan_depth smallint DEFAULT 5 CONSTRAINT lore_entries_scan_depth_not_null NOT NULL,
    priority integer DEFAULT 0 CONSTRAINT lore_entries_priority_not_null NOT NULL,
    sticky_turns smallint DEFAULT 0 CONSTRAINT lore_entries_sticky_turns_not_null NOT NULL,
    disabled boolean DEFAULT false CONSTRAINT lore_entries_disabled_not_null NOT NULL,
    constant boolean DEFAULT false CONSTRAINT lore_entries_constant_not_null NOT NULL,
    prevent_recursion boolean DEFAULT false CONSTRAINT lore_entries_prevent_recursion_not_null NOT NULL,
    exclude_recursion boolean DEFAULT false CONSTRAINT lore_entries_exclude_recursion_not_null NOT NULL,
    version bigint DEFAULT 1 CONSTRAINT lore_entries_version_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT lore_entries_created_at_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT lore_entries_updated_at_not_null NOT NULL,
    CONSTRAINT lore_entries_scan_depth_check CHECK (((scan_depth >= 0) AND (scan_depth <= 100))),
    CONSTRAINT lore_entries_sticky_turns_check CHECK (((sticky_turns >= 0) AND (sticky_turns <= 100)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.lore_entries_p2 (
    namespace_id bigint CONSTRAINT lore_entries_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT lore_entries_id_not_null NOT NULL,
    book_id uuid CONSTRAINT lore_entries_book_id_not_null NOT NULL,
    title text CONSTRAINT lore_entries_title_not_null NOT NULL,
    content text CONSTRAINT lore_entries_content_not_null NOT NULL,
    triggers jsonb DEFAULT '[]'::jsonb CONSTRAINT lore_entries_triggers_not_null NOT NULL,
    patterns smallint DEFAULT 0 CONSTRAINT lore_entries_patterns_not_null NOT NULL,
    scan_depth smallint DEFAULT 5 CONSTRAINT lore_entries_scan_depth_not_null NOT NULL,
    priority integer DEFAULT 0 CONSTRAINT lore_entries_priority_not_null NOT NULL,
    sticky_turns smallint DEFAULT 0 CONSTRAINT lore_entries_sticky_turns_not_null NOT NULL,
    disabled boolean DEFAULT false CONSTRAINT lore_entries_disabled_not_null NOT NULL,
    constant boolean DEFAULT false CONSTRAINT lore_entries_constant_not_null NOT NULL,
    prevent_recursion boolean DEFAULT false CONSTRAINT lore_entries_prevent_recursion_not_null NOT NULL,
    exclude_recursion boolean DEFAULT false CONSTRAINT lore_entries_exclude_recursion_not_null NOT NULL,
    version bigint DEFAULT 1 CONSTRAINT lore_entries_version_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT lore_entries_created_at_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT lore_entries_updated_at_not_null NOT NULL,
    CONSTRAINT lore_entries_scan_depth_check CHECK (((scan_depth >= 0) AND (scan_depth <= 100))),
    CONSTRAINT lore_entries_sticky_turns_check CHECK (((sticky_turns >= 0) AND (sticky_turns <= 100)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.lore_entries_p3 (
    namespace_id bigint CONSTRAINT lore_entries_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT lore_entries_id_not_null NOT NULL,
    book_id uuid CONSTRAINT lore_entries_book_id_not_null NOT NULL,
    title text CONSTRAINT lore_entries_title_not_null NOT NULL,
    content text CONSTRAINT lore_entries_content_not_null NOT NULL,
    triggers jsonb DEFAULT '[]'::jsonb CONSTRAINT lore_entries_triggers_not_null NOT NULL,
    patterns smallint DEFAULT 0 CONSTRAINT lore_entries_patterns_not_null NOT NULL,
    scan_depth smallint DEFAULT 5 CONSTRAINT lore_entries_scan_depth_not_null NOT NULL,
    priority integer DEFAULT 0 CONSTRAINT lore_entries_priority_not_null NOT NULL,
    sticky_turns smallint DEFAULT 0 CONSTRAINT lore_entries_sticky_turns_not_null NOT NULL,
    disabled boolean DEFAULT false CONSTRAINT lore_entries_disabled_not_null NOT NULL,
    constant boolean DEFAULT false CONSTRAINT lore_entries_constant_not_null NOT NULL,
    prevent_recursion boolean DEFAULT false CONSTRAINT lore_entries_prevent_recursion_not_null NOT NULL,
    exclude_recursion boolean DEFAULT false CONSTRAINT lore_entries_exclude_recursion_not_null NOT NULL,
    version bigint DEFAULT 1 CONSTRAINT lore_entries_version_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT lore_entries_created_at_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT lore_entries_updated_at_not_null NOT NULL,
    CONSTRAINT lore_entries_scan_depth_check CHECK (((scan_depth >= 0) AND (scan_depth <= 100))),
    CONSTRAINT lore_entries_sticky_turns_check CHECK (((sticky_turns >= 0) AND (sticky_turns <= 100)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE SEQUENCE everword.memory_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

COMMENT ON SEQUENCE everword.memory_ids IS 'Ids of passages, over all namespaces and partitions.';

CREATE TABLE everword.memories (
    namespace_id bigint NOT NULL,
    id bigint DEFAULT nextval('everword.memory_ids'::regclass) NOT NULL,
    kind smallint NOT NULL,
    source_id uuid NOT NULL,
    part integer DEFAULT 0 NOT NULL,
    conversation_id uuid,
    seq bigint,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    channel text DEFAULT ''::text NOT NULL,
    instance text DEFAULT ''::text NOT NULL,
    author text DEFAULT ''::text NOT NULL,
    role smallint DEFAULT 0 NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    importance_class smallint DEFAULT 0 NOT NULL,
    automated boolean DEFAULT false NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    content text NOT NULL,
    lexemes tsvector NOT NULL,
    lexeme_count integer NOT NULL,
    literals text,
    ranking bytea,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    known_from timestamp with time zone,
    known_until timestamp with time zone
)
PARTITION BY HASH (namespace_id);
ALTER TABLE ONLY everword.memories ALTER COLUMN ranking SET STORAGE EXTERNAL;

COMMENT ON TABLE everword.memories IS 'One row per passage of anything that can be searched. Services write it, and read it through visible_memories only: behind a row-level policy no index would serve the text operators.';

COMMENT ON COLUMN everword.memories.source_id IS 'The public id of the memory that the passage is of.';

COMMENT ON COLUMN everword.memories.part IS 'Which passage of its source, from 0; -1 is a sentence about a tool call, and no part of its text.';

COMMENT ON COLUMN everword.memories.content IS 'The words of the passage, as they were sent.';

COMMENT ON COLUMN everword.memories.lexemes IS 'The indexed words: those of the passage, of who spoke and of when.';

COMMENT ON COLUMN everword.memories.lexeme_count IS 'BM25''s document length: occurrences of lexemes, after stop words.';

COMMENT ON COLUMN everword.memories.literals IS 'File names, versions, addresses and the like, for the trigram arm.';

COMMENT ON COLUMN everword.memories.ranking IS 'What the passage is ranked by: traits of its source and hashes of its words, as everword.text.ranking_record packs them. NULL where the passage was stored before there were any.';

COMMENT ON COLUMN everword.memories.valid_from IS 'Since when it holds; NULL for always.';

COMMENT ON COLUMN everword.memories.valid_until IS 'Until when it holds, exclusive; NULL where no end is known.';

COMMENT ON COLUMN everword.memories.known_from IS 'Since when the service believes it; NULL for as long as it is stored.';

COMMENT ON COLUMN everword.memories.known_until IS 'Until when the service believed it, exclusive; NULL while it does.';

CREATE TABLE everword.memories_p0 (
    namespace_id bigint CONSTRAINT memories_namespace_id_not_null NOT NULL,
    id bigint DEFAULT nextval('everword.memory_ids'::regclass) CONSTRAINT memories_id_not_null NOT NULL,
    kind smallint CONSTRAINT memories_kind_not_null NOT NULL,
    source_id uuid CONSTRAINT memories_source_id_not_null NOT NULL,
    part integer DEFAULT 0 CONSTRAINT memories_part_not_null NOT NULL,
    conversation_id uuid,
    seq bigint,
    agent text DEFAULT ''::text CONSTRAINT memories_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT memories_subject_not_null NOT NULL,
    channel text DEFAULT ''::text CONSTRAINT memories_channel_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT memories_instance_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT memories_author_not_null NOT NULL,
    role smallint DEFAULT 0 CONSTRAINT memories_role_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT memories_tags_not_null NOT NULL,
    importance_class smallint DEFAULT 0 CONSTRAINT memories_importance_class_not_null NOT NULL,
    automated boolean DEFAULT false CONSTRAINT memories_automated_not_null NOT NULL,
    occurred_at timestamp with time zone CONSTRAINT memories_occurred_at_not_null NOT NULL,
    content text CONSTRAINT memories_content_not_null NOT NULL,
    lexemes tsvector CONSTRAINT memories_lexemes_not_null NOT NULL,
    lexeme_count integer CONSTRAINT memories_lexeme_count_not_null NOT NULL,
    literals text,
    ranking bytea,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    known_from timestamp with time zone,
    known_until timestamp with time zone
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE ONLY everword.memories_p0 ALTER COLUMN ranking SET STORAGE EXTERNAL;

CREATE TABLE everword.memories_p1 (
    namespace_id bigint CONSTRAINT memories_namespace_id_not_null NOT NULL,
    id bigint DEFAULT nextval('everword.memory_ids'::regclass) CONSTRAINT memories_id_not_null NOT NULL,
    kind smallint CONSTRAINT memories_kind_not_null NOT NULL,
    source_id uuid CONSTRAINT memories_source_id_not_null NOT NULL,
    part integer DEFAULT 0 CONSTRAINT memories_part_not_null NOT NULL,
    conversation_id uuid,
    seq bigint,
    agent text DEFAULT ''::text CONSTRAINT memories_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT memories_subject_not_null NOT NULL,
    channel text DEFAULT ''::text CONSTRAINT memories_channel_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT memories_instance_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT memories_author_not_null NOT NULL,
    role smallint DEFAULT 0 CONSTRAINT memories_role_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT memories_tags_not_null NOT NULL,
    importance_class smallint DEFAULT 0 CONSTRAINT memories_importance_class_not_null NOT NULL,
    automated boolean DEFAULT false CONSTRAINT memories_automated_not_null NOT NULL,
    occurred_at timestamp with time zone CONSTRAINT memories_occurred_at_not_null NOT NULL,
    content text CONSTRAINT memories_content_not_null NOT NULL,
    lexemes tsvector CONSTRAINT memories_lexemes_not_null NOT NULL,
    lexeme_count integer CONSTRAINT memories_lexeme_count_not_null NOT NULL,
    literals text,
    ranking bytea,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    known_from timestamp with time zone,
    known_until timestamp with time zone
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE ONLY everword.memories_p1 ALTER COLUMN ranking SET STORAGE EXTERNAL;

CREATE TABLE everword.memories_p2 (
    namespace_id bigint CONSTRAINT memories_namespace_id_not_null NOT NULL,
    id bigint DEFAULT nextval('everword.memory_ids'::regclass) CONSTRAINT memories_id_not_null NOT NULL,
    kind smallint CONSTRAINT memories_kind_not_null NOT NULL,
    source_id uuid CONSTRAINT memories_source_id_not_null NOT NULL,
    part integer DEFAULT 0 CONSTRAINT memories_part_not_null NOT NULL,
    conversation_id uuid,
    seq bigint,
    agent text DEFAULT ''::text CONSTRAINT memories_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT memories_subject_not_null NOT NULL,
    channel text DEFAULT ''::text CONSTRAINT memories_channel_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT memories_instance_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT memories_author_not_null NOT NULL,
    role smallint DEFAULT 0 CONSTRAINT memories_role_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT memories_tags_not_null NOT NULL,
    importance_class smallint DEFAULT 0 CONSTRAINT memories_importance_class_not_null NOT NULL,
    automated boolean DEFAULT false CONSTRAINT memories_automated_not_null NOT NULL,
    occurred_at timestamp with time zone CONSTRAINT memories_occurred_at_not_null NOT NULL,
    content text CONSTRAINT memories_content_not_null NOT NULL,
    lexemes tsvector CONSTRAINT memories_lexemes_not_null NOT NULL,
    lexeme_count integer CONSTRAINT memories_lexeme_count_not_null NOT NULL,
    literals text,
    ranking bytea,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    known_from timestamp with time zone,
    known_until timestamp with time zone
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE ONLY everword.memories_p2 ALTER COLUMN ranking SET STORAGE EXTERNAL;

CREATE TABLE everword.memories_p3 (
    namespace_id bigint CONSTRAINT memories_namespace_id_not_null NOT NULL,
    id bigint DEFAULT nextval('everword.memory_ids'::regclass) CONSTRAINT memories_id_not_null NOT NULL,
    kind smallint CONSTRAINT memories_kind_not_null NOT NULL,
    source_id uuid CONSTRAINT memories_source_id_not_null NOT NULL,
    part integer DEFAULT 0 CONSTRAINT memories_part_not_null NOT NULL,
    conversation_id uuid,
    seq bigint,
    agent text DEFAULT ''::text CONSTRAINT memories_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT memories_subject_not_null NOT NULL,
    channel text DEFAULT ''::text CONSTRAINT memories_channel_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT memories_instance_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT memories_author_not_null NOT NULL,
    role smallint DEFAULT 0 CONSTRAINT memories_role_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT memories_tags_not_null NOT NULL,
    importance_class smallint DEFAULT 0 CONSTRAINT memories_importance_class_not_null NOT NULL,
    automated boolean DEFAULT false CONSTRAINT memories_automated_not_null NOT NULL,
    occurred_at timestamp with time zone CONSTRAINT memories_occurred_at_not_null NOT NULL,
    content text CONSTRAINT memories_content_not_null NOT NULL,
    lexemes tsvector CONSTRAINT memories_lexemes_not_null NOT NULL,
    lexeme_count integer CONSTRAINT memories_lexeme_count_not_null NOT NULL,
    literals text,
    ranking bytea,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    known_from timestamp with time zone,
    known_until timestamp with time zone
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE ONLY everword.memories_p3 ALTER COLUMN ranking SET STORAGE EXTERNAL;

CREATE TABLE everword.memory_changes (
    namespace_id bigint NOT NULL,
    id bigint NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    memory_ids uuid[] NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE everword.memory_changes IS 'Memories that came, were changed, closed or taken out, for a day. Whoever knows them as of a snapshot asks for the changes that the snapshot does not show: none is missed, in whichever order transactions end.';

ALTER TABLE everword.memory_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.memory_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.memory_classes (
    namespace_id bigint NOT NULL,
    memory_id uuid NOT NULL,
    importance_class smallint NOT NULL,
    set_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE everword.memory_classes IS 'Importance classes that callers gave to memories after they were stored.';

CREATE TABLE everword.memory_use (
    namespace_id bigint NOT NULL,
    memory_id uuid NOT NULL,
    use_count bigint DEFAULT 0 NOT NULL,
    last_used_at timestamp with time zone NOT NULL
)
WITH (fillfactor='70');

COMMENT ON TABLE everword.memory_use IS 'How often a memory was used. Narrow and roomy, so that counting stays within the page.';

CREATE TABLE everword.memory_vectors_1 (
    namespace_id bigint NOT NULL,
    memory_id bigint NOT NULL,
    embedding public.halfvec(384) NOT NULL
)
PARTITION BY HASH (namespace_id);
ALTER TABLE ONLY everword.memory_vectors_1 ALTER COLUMN embedding SET STORAGE PLAIN;

CREATE TABLE everword.memory_vectors_1_p0 (
    namespace_id bigint CONSTRAINT memory_vectors_1_namespace_id_not_null NOT NULL,
    memory_id bigint CONSTRAINT memory_vectors_1_memory_id_not_null NOT NULL,
    embedding public.halfvec(384) CONSTRAINT memory_vectors_1_embedding_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE ONLY everword.memory_vectors_1_p0 ALTER COLUMN embedding SET STORAGE PLAIN;

CREATE TABLE everword.memory_vectors_1_p1 (
    namespace_id bigint CONSTRAINT memory_vectors_1_namespace_id_not_null NOT NULL,
    memory_id bigint CONSTRAINT memory_vectors_1_memory_id_not_null NOT NULL,
    embedding public.halfvec(384) CONSTRAINT memory_vectors_1_embedding_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE ONLY everword.memory_vectors_1_p1 ALTER COLUMN embedding SET STORAGE PLAIN;

CREATE TABLE everword.memory_vectors_1_p2 (
    namespace_id bigint CONSTRAINT memory_vectors_1_namespace_id_not_null NOT NULL,
    memory_id bigint CONSTRAINT memory_vectors_1_memory_id_not_null NOT NULL,
    embedding public.halfvec(384) CONSTRAINT memory_vectors_1_embedding_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE ONLY everword.memory_vectors_1_p2 ALTER COLUMN embedding SET STORAGE PLAIN;

CREATE TABLE everword.memory_vectors_1_p3 (
    namespace_id bigint CONSTRAINT memory_vectors_1_namespace_id_not_null NOT NULL,
    memory_id bigint CONSTRAINT memory_vectors_1_memory_id_not_null NOT NULL,
    embedding public.halfvec(384) CONSTRAINT memory_vectors_1_embedding_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE ONLY everword.memory_vectors_1_p3 ALTER COLUMN embedding SET STORAGE PLAIN;

CREATE TABLE everword.messages (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    seq bigint NOT NULL,
    role smallint NOT NULL,
    author text DEFAULT ''::text NOT NULL,
    instance text DEFAULT ''::text NOT NULL,
    content text NOT NULL,
    content_blocks jsonb,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    importance_class smallint DEFAULT 0 NOT NULL,
    automated boolean DEFAULT false NOT NULL,
    tool_name text DEFAULT ''::text NOT NULL,
    tool_args text DEFAULT ''::text NOT NULL,
    tool_result text DEFAULT ''::text NOT NULL,
    metadata jsonb,
    token_count integer DEFAULT 0 NOT NULL,
    external_id text,
    parent_id uuid,
    occurred_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.messages IS 'Every message as it was sent. Append-only by grants.';

COMMENT ON COLUMN everword.messages.importance_class IS 'As sent; memory_classes holds what was said later.';

CREATE TABLE everword.messages_p0 (
    namespace_id bigint CONSTRAINT messages_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT messages_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT messages_conversation_id_not_null NOT NULL,
    seq bigint CONSTRAINT messages_seq_not_null NOT NULL,
    role smallint CONSTRAINT messages_role_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT messages_author_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT messages_instance_not_null NOT NULL,
    content text CONSTRAINT messages_content_not_null NOT NULL,
    content_blocks jsonb,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT messages_tags_not_null NOT NULL,
    importance_class smallint DEFAULT 0 CONSTRAINT messages_importance_class_not_null NOT NULL,
    automated boolean DEFAULT false CONSTRAINT messages_automated_not_null NOT NULL,
    tool_name text DEFAULT ''::text CONSTRAINT messages_tool_name_not_null NOT NULL,
    tool_args text DEFAULT ''::text CONSTRAINT messages_tool_args_not_null NOT NULL,
    tool_result text DEFAULT ''::text CONSTRAINT messages_tool_result_not_null NOT NULL,
    metadata jsonb,
    token_count integer DEFAULT 0 CONSTRAINT messages_token_count_not_null NOT NULL,
    external_id text,
    parent_id uuid,
    occurred_at timestamp with time zone CONSTRAINT messages_occurred_at_not_null NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() CONSTRAINT messages_recorded_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.messages_p1 (
    namespace_id bigint CONSTRAINT messages_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT messages_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT messages_conversation_id_not_null NOT NULL,
    seq bigint CONSTRAINT messages_seq_not_null NOT NULL,
    role smallint CONSTRAINT messages_role_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT messages_author_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT messages_instance_not_null NOT NULL,
    content text CONSTRAINT messages_content_not_null NOT NULL,
    content_blocks jsonb,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT messages_tags_not_null NOT NULL,
    importance_class smallint DEFAULT 0 CONSTRAINT messages_importance_class_not_null NOT NULL,
    automated boolean DEFAULT false CONSTRAINT messages_automated_not_null NOT NULL,
    tool_name text DEFAULT ''::text CONSTRAINT messages_tool_name_not_null NOT NULL,
    tool_args text DEFAULT ''::text CONSTRAINT messages_tool_args_not_null NOT NULL,
    tool_result text DEFAULT ''::text CONSTRAINT messages_tool_result_not_null NOT NULL,
    metadata jsonb,
    token_count integer DEFAULT 0 CONSTRAINT messages_token_count_not_null NOT NULL,
    external_id text,
    parent_id uuid,
    occurred_at timestamp with time zone CONSTRAINT messages_occurred_at_not_null NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() CONSTRAINT messages_recorded_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.messages_p2 (
    namespace_id bigint CONSTRAINT messages_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT messages_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT messages_conversation_id_not_null NOT NULL,
    seq bigint CONSTRAINT messages_seq_not_null NOT NULL,
    role smallint CONSTRAINT messages_role_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT messages_author_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT messages_instance_not_null NOT NULL,
    content text CONSTRAINT messages_content_not_null NOT NULL,
    content_blocks jsonb,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT messages_tags_not_null NOT NULL,
    importance_class smallint DEFAULT 0 CONSTRAINT messages_importance_class_not_null NOT NULL,
    automated boolean DEFAULT false CONSTRAINT messages_automated_not_null NOT NULL,
    tool_name text DEFAULT ''::text CONSTRAINT messages_tool_name_not_null NOT NULL,
    tool_args text DEFAULT ''::text CONSTRAINT messages_tool_args_not_null NOT NULL,
    tool_result text DEFAULT ''::text CONSTRAINT messages_tool_result_not_null NOT NULL,
    metadata jsonb,
    token_count integer DEFAULT 0 CONSTRAINT messages_token_count_not_null NOT NULL,
    external_id text,
    parent_id uuid,
    occurred_at timestamp with time zone CONSTRAINT messages_occurred_at_not_null NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() CONSTRAINT messages_recorded_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.messages_p3 (
    namespace_id bigint CONSTRAINT messages_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT messages_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT messages_conversation_id_not_null NOT NULL,
    seq bigint CONSTRAINT messages_seq_not_null NOT NULL,
    role smallint CONSTRAINT messages_role_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT messages_author_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT messages_instance_not_null NOT NULL,
    content text CONSTRAINT messages_content_not_null NOT NULL,
    content_blocks jsonb,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT messages_tags_not_null NOT NULL,
    importance_class smallint DEFAULT 0 CONSTRAINT messages_importance_class_not_null NOT NULL,
    automated boolean DEFAULT false CONSTRAINT messages_automated_not_null NOT NULL,
    tool_name text DEFAULT ''::text CONSTRAINT messages_tool_name_not_null NOT NULL,
    tool_args text DEFAULT ''::text CONSTRAINT messages_tool_args_not_null NOT NULL,
    tool_result text DEFAULT ''::text CONSTRAINT messages_tool_result_not_null NOT NULL,
    metadata jsonb,
    token_count integer DEFAULT 0 CONSTRAINT messages_token_count_not_null NOT NULL,
    external_id text,
    parent_id uuid,
    occurred_at timestamp with time zone CONSTRAINT messages_occurred_at_not_null NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() CONSTRAINT messages_recorded_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.model_generations (
    id bigint NOT NULL,
    state text NOT NULL,
    provider text NOT NULL,
    endpoint text DEFAULT ''::text NOT NULL,
    model text NOT NULL,
    dimensions integer NOT NULL,
    query_prefix text DEFAULT ''::text NOT NULL,
    passage_prefix text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    storage text DEFAULT 'array'::text NOT NULL,
    matryoshka boolean DEFAULT false NOT NULL,
    created_xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    backfilled_namespace bigint DEFAULT 0 NOT NULL,
    backfilled_memory bigint DEFAULT 0 NOT NULL,
    backfilled_at timestamp with time zone,
    background_mean real,
    background_deviation real,
    retired_at timestamp with time zone,
    CONSTRAINT model_generations_dimensions_check CHECK (((dimensions >= 1) AND (dimensions <= 4000))),
    CONSTRAINT model_generations_state_check CHECK ((state = ANY (ARRAY['building'::text, 'active'::text, 'retiring'::text]))),
    CONSTRAINT model_generations_storage_check CHECK ((storage = ANY (ARRAY['halfvec'::text, 'array'::text])))
);

COMMENT ON TABLE everword.model_generations IS 'Embedding models, past and present. Writes enqueue vectors for every live one.';

COMMENT ON COLUMN everword.model_generations.backfilled_memory IS 'Up to which passage, by namespace and id, the backlog was put into the queue; backfilled_at says when all of it was.';

COMMENT ON COLUMN everword.model_generations.background_mean IS 'Mean cosine of passages that have nothing to do with each other: what a cosine means differs from model to model.';

ALTER TABLE everword.model_generations ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.model_generations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.model_prices (
    model text NOT NULL,
    provider text DEFAULT ''::text NOT NULL,
    shipped boolean NOT NULL,
    valid_from date NOT NULL,
    currency text NOT NULL,
    input_price numeric NOT NULL,
    cached_input_price numeric,
    output_price numeric NOT NULL,
    CONSTRAINT model_prices_cached_input_price_check CHECK ((cached_input_price >= (0)::numeric)),
    CONSTRAINT model_prices_currency_check CHECK ((currency <> ''::text)),
    CONSTRAINT model_prices_input_price_check CHECK ((input_price >= (0)::numeric)),
    CONSTRAINT model_prices_output_price_check CHECK ((output_price >= (0)::numeric))
);

COMMENT ON TABLE everword.model_prices IS 'Prices for a million tokens from a day (UTC) on. Those that an operator loaded come before those that Everword ships. Of the deployment, not of a namespace.';

COMMENT ON COLUMN everword.model_prices.provider IS 'Empty for whoever offers the model.';

COMMENT ON COLUMN everword.model_prices.cached_input_price IS 'NULL where cached tokens cost what others do.';

CREATE TABLE everword.namespace_deletions (
    id uuid NOT NULL,
    deleted_id bigint NOT NULL,
    name_hash bytea NOT NULL,
    api_key_id uuid,
    requested_by text DEFAULT ''::text NOT NULL,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    requested_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone
);

COMMENT ON TABLE everword.namespace_deletions IS 'Which namespaces were deleted, when and by whom, with counts and without content. Of the deployment, not of a namespace: it stays for good. Functions of the owner alone write it.';

COMMENT ON COLUMN everword.namespace_deletions.deleted_id IS 'The id that the namespace had. No other one gets it.';

COMMENT ON COLUMN everword.namespace_deletions.name_hash IS 'SHA-256 of the name with the secret of the deployment: tells whether it was this one.';

COMMENT ON COLUMN everword.namespace_deletions.api_key_id IS 'The key of the call that began it. NULL for EVERWORD_ADMIN_KEY, and where no key was asked for.';

CREATE TABLE everword.namespace_imports (
    namespace_id bigint NOT NULL,
    lines bigint NOT NULL,
    digest bytea NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT namespace_imports_lines_check CHECK ((lines >= 0))
);

COMMENT ON TABLE everword.namespace_imports IS 'How far the import is that a namespace comes from.';

COMMENT ON COLUMN everword.namespace_imports.lines IS 'Lines of the file that are stored, from the first on.';

COMMENT ON COLUMN everword.namespace_imports.digest IS 'SHA-256 of these lines: another file does not go on where one was broken off.';

CREATE TABLE everword.namespace_usage (
    namespace_id bigint NOT NULL,
    minute timestamp with time zone NOT NULL,
    requests bigint DEFAULT 0 NOT NULL,
    messages bigint DEFAULT 0 NOT NULL,
    stored_bytes bigint DEFAULT 0 NOT NULL,
    measured_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
);

COMMENT ON TABLE everword.namespace_usage IS 'What namespaces that have limits have used of them. Each server process counts by itself, and adds what it counted now and then. Counters only, so they are not isolated.';

COMMENT ON COLUMN everword.namespace_usage.minute IS 'The minute that `requests` and `messages` are of.';

COMMENT ON COLUMN everword.namespace_usage.measured_at IS 'When ingest last summed up `stored_bytes`.';

CREATE TABLE everword.namespaces (
    id bigint NOT NULL,
    name text NOT NULL,
    state text DEFAULT 'active'::text NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    day_cutoff_minutes integer DEFAULT 0 NOT NULL,
    text_search_config regconfig DEFAULT 'english'::regconfig NOT NULL,
    use_counting smallint DEFAULT 1 NOT NULL,
    channel_policies jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    credentials smallint DEFAULT 1 NOT NULL,
    sleep_atomicity smallint DEFAULT 1 NOT NULL,
    hides integer DEFAULT 0 NOT NULL,
    erasure_salt bytea DEFAULT (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
    requests_per_minute integer DEFAULT 0 NOT NULL,
    messages_per_minute integer DEFAULT 0 NOT NULL,
    stored_bytes bigint DEFAULT 0 NOT NULL,
    quarantine boolean DEFAULT false NOT NULL,
    CONSTRAINT namespaces_day_cutoff_minutes_check CHECK (((day_cutoff_minutes >= 0) AND (day_cutoff_minutes <= 720))),
    CONSTRAINT namespaces_state_check CHECK ((state = ANY (ARRAY['active'::text, 'importing'::text, 'deleting'::text])))
);

COMMENT ON TABLE everword.namespaces IS 'Tenants. Holds no content, so it is not isolated.';

COMMENT ON COLUMN everword.namespaces.credentials IS 'What becomes of passwords, keys and tokens in titles, summaries, sentences and contexts: 1 masks them, 2 keeps them, 3 masks them
     and stores nothing new that holds one.';

COMMENT ON COLUMN everword.namespaces.sleep_atomicity IS 'What Sleep stores at once: 1 what one session says, 2 all that a run finds.';

COMMENT ON COLUMN everword.namespaces.hides IS 'How many erasures are at work whose rows are hidden until they are gone. Mostly none, and then no read looks for them.';

COMMENT ON COLUMN everword.namespaces.erasure_salt IS 'What names of erased things are hashed with. NULL where some were hashed with the secret of the deployment: these tell nothing elsewhere.';

COMMENT ON COLUMN everword.namespaces.requests_per_minute IS 'The most calls in a minute of the clock, over all processes; 0 is no limit.';

COMMENT ON COLUMN everword.namespaces.messages_per_minute IS 'The most messages that are stored in a minute of the clock; 0 is no limit.';

COMMENT ON COLUMN everword.namespaces.stored_bytes IS 'The most bytes of text that are stored; 0 is no limit.';

COMMENT ON COLUMN everword.namespaces.quarantine IS 'Whether untrusted text that speaks to models is left out of contexts and answers. A channel''s policy may say so for it alone.';

ALTER TABLE everword.namespaces ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.namespaces_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.note_versions (
    namespace_id bigint NOT NULL,
    note_id uuid NOT NULL,
    version bigint NOT NULL,
    id uuid NOT NULL,
    deleted boolean DEFAULT false NOT NULL,
    content text NOT NULL,
    kind text DEFAULT ''::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    importance smallint DEFAULT 3 NOT NULL,
    author text DEFAULT ''::text NOT NULL,
    expires_at timestamp with time zone,
    written_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT note_versions_version_check CHECK ((version > 0))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.note_versions IS 'Everything that notes ever said, in order. Append-only by grants.';

CREATE TABLE everword.note_versions_p0 (
    namespace_id bigint CONSTRAINT note_versions_namespace_id_not_null NOT NULL,
    note_id uuid CONSTRAINT note_versions_note_id_not_null NOT NULL,
    version bigint CONSTRAINT note_versions_version_not_null NOT NULL,
    id uuid CONSTRAINT note_versions_id_not_null NOT NULL,
    deleted boolean DEFAULT false CONSTRAINT note_versions_deleted_not_null NOT NULL,
    content text CONSTRAINT note_versions_content_not_null NOT NULL,
    kind text DEFAULT ''::text CONSTRAINT note_versions_kind_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT note_versions_tags_not_null NOT NULL,
    importance smallint DEFAULT 3 CONSTRAINT note_versions_importance_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT note_versions_author_not_null NOT NULL,
    expires_at timestamp with time zone,
    written_at timestamp with time zone DEFAULT now() CONSTRAINT note_versions_written_at_not_null NOT NULL,
    CONSTRAINT note_versions_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.note_versions_p1 (
    namespace_id bigint CONSTRAINT note_versions_namespace_id_not_null NOT NULL,
    note_id uuid CONSTRAINT note_versions_note_id_not_null NOT NULL,
    version bigint CONSTRAINT note_versions_version_not_null NOT NULL,
    id uuid CONSTRAINT note_versions_id_not_null NOT NULL,
    deleted boolean DEFAULT false CONSTRAINT note_versions_deleted_not_null NOT NULL,
    content text CONSTRAINT note_versions_content_not_null NOT NULL,
    kind text DEFAULT ''::text CONSTRAINT note_versions_kind_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT note_versions_tags_not_null NOT NULL,
    importance smallint DEFAULT 3 CONSTRAINT note_versions_importance_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT note_versions_author_not_null NOT NULL,
    expires_at timestamp with time zone,
    written_at timestamp with time zone DEFAULT now() CONSTRAINT note_versions_written_at_not_null NOT NULL,
    CONSTRAINT note_versions_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.note_versions_p2 (
    namespace_id bigint CONSTRAINT note_versions_namespace_id_not_null NOT NULL,
    note_id uuid CONSTRAINT note_versions_note_id_not_null NOT NULL,
    version bigint CONSTRAINT note_versions_version_not_null NOT NULL,
    id uuid CONSTRAINT note_versions_id_not_null NOT NULL,
    deleted boolean DEFAULT false CONSTRAINT note_versions_deleted_not_null NOT NULL,
    content text CONSTRAINT note_versions_content_not_null NOT NULL,
    kind text DEFAULT ''::text CONSTRAINT note_versions_kind_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT note_versions_tags_not_null NOT NULL,
    importance smallint DEFAULT 3 CONSTRAINT note_versions_importance_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT note_versions_author_not_null NOT NULL,
    expires_at timestamp with time zone,
    written_at timestamp with time zone DEFAULT now() CONSTRAINT note_versions_written_at_not_null NOT NULL,
    CONSTRAINT note_versions_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.note_versions_p3 (
    namespace_id bigint CONSTRAINT note_versions_namespace_id_not_null NOT NULL,
    note_id uuid CONSTRAINT note_versions_note_id_not_null NOT NULL,
    version bigint CONSTRAINT note_versions_version_not_null NOT NULL,
    id uuid CONSTRAINT note_versions_id_not_null NOT NULL,
    deleted boolean DEFAULT false CONSTRAINT note_versions_deleted_not_null NOT NULL,
    content text CONSTRAINT note_versions_content_not_null NOT NULL,
    kind text DEFAULT ''::text CONSTRAINT note_versions_kind_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT note_versions_tags_not_null NOT NULL,
    importance smallint DEFAULT 3 CONSTRAINT note_versions_importance_not_null NOT NULL,
    author text DEFAULT ''::text CONSTRAINT note_versions_author_not_null NOT NULL,
    expires_at timestamp with time zone,
    written_at timestamp with time zone DEFAULT now() CONSTRAINT note_versions_written_at_not_null NOT NULL,
    CONSTRAINT note_versions_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.notes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    key text DEFAULT ''::text NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    conversation_id uuid,
    key_hash bytea,
    kind text DEFAULT ''::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    importance smallint DEFAULT 3 NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    log_date date,
    expires_at timestamp with time zone,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT notes_importance_check CHECK (((importance >= 1) AND (importance <= 5)))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.notes IS 'Notes as they stand. What one says is in note_versions, and in the index while it is neither deleted nor expired.';

COMMENT ON COLUMN everword.notes.key IS 'What callers know it by, within agent, subject and conversation; empty for a note without a key.';

COMMENT ON COLUMN everword.notes.key_hash IS 'SHA-256 of key, agent, subject and conversation, which may be longer than what an index takes; NULL without a key.';

COMMENT ON COLUMN everword.notes.version IS 'The latest one in note_versions. Its row lock orders concurrent writers.';

COMMENT ON COLUMN everword.notes.log_date IS 'The day of an entry of a daily log.';

COMMENT ON COLUMN everword.notes.expires_at IS 'From then on it is as if it were deleted.';

CREATE TABLE everword.notes_p0 (
    namespace_id bigint CONSTRAINT notes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT notes_id_not_null NOT NULL,
    key text DEFAULT ''::text CONSTRAINT notes_key_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT notes_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT notes_subject_not_null NOT NULL,
    conversation_id uuid,
    key_hash bytea,
    kind text DEFAULT ''::text CONSTRAINT notes_kind_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT notes_tags_not_null NOT NULL,
    importance smallint DEFAULT 3 CONSTRAINT notes_importance_not_null NOT NULL,
    version bigint DEFAULT 0 CONSTRAINT notes_version_not_null NOT NULL,
    log_date date,
    expires_at timestamp with time zone,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT notes_created_at_not_null NOT NULL,
    CONSTRAINT notes_importance_check CHECK (((importance >= 1) AND (importance <= 5)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.notes_p1 (
    namespace_id bigint CONSTRAINT notes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT notes_id_not_null NOT NULL,
    key text DEFAULT ''::text CONSTRAINT notes_key_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT notes_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT notes_subject_not_null NOT NULL,
    conversation_id uuid,
    key_hash bytea,
    kind text DEFAULT ''::text CONSTRAINT notes_kind_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT notes_tags_not_null NOT NULL,
    importance smallint DEFAULT 3 CONSTRAINT notes_importance_not_null NOT NULL,
    version bigint DEFAULT 0 CONSTRAINT notes_version_not_null NOT NULL,
    log_date date,
    expires_at timestamp with time zone,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT notes_created_at_not_null NOT NULL,
    CONSTRAINT notes_importance_check CHECK (((importance >= 1) AND (importance <= 5)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.notes_p2 (
    namespace_id bigint CONSTRAINT notes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT notes_id_not_null NOT NULL,
    key text DEFAULT ''::text CONSTRAINT notes_key_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT notes_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT notes_subject_not_null NOT NULL,
    conversation_id uuid,
    key_hash bytea,
    kind text DEFAULT ''::text CONSTRAINT notes_kind_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT notes_tags_not_null NOT NULL,
    importance smallint DEFAULT 3 CONSTRAINT notes_importance_not_null NOT NULL,
    version bigint DEFAULT 0 CONSTRAINT notes_version_not_null NOT NULL,
    log_date date,
    expires_at timestamp with time zone,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT notes_created_at_not_null NOT NULL,
    CONSTRAINT notes_importance_check CHECK (((importance >= 1) AND (importance <= 5)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.notes_p3 (
    namespace_id bigint CONSTRAINT notes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT notes_id_not_null NOT NULL,
    key text DEFAULT ''::text CONSTRAINT notes_key_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT notes_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT notes_subject_not_null NOT NULL,
    conversation_id uuid,
    key_hash bytea,
    kind text DEFAULT ''::text CONSTRAINT notes_kind_not_null NOT NULL,
    tags text[] DEFAULT '{}'::text[] CONSTRAINT notes_tags_not_null NOT NULL,
    importance smallint DEFAULT 3 CONSTRAINT notes_importance_not_null NOT NULL,
    version bigint DEFAULT 0 CONSTRAINT notes_version_not_null NOT NULL,
    log_date date,
    expires_at timestamp with time zone,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT notes_created_at_not_null NOT NULL,
    CONSTRAINT notes_importance_check CHECK (((importance >= 1) AND (importance <= 5)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.pattern_decisions (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    pattern_id uuid NOT NULL,
    approved boolean NOT NULL,
    confidence double precision NOT NULL,
    threshold double precision NOT NULL,
    threshold_source smallint NOT NULL,
    occurrences integer NOT NULL,
    disagreements integer NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    CONSTRAINT pattern_decisions_threshold_source_check CHECK (((threshold_source >= 1) AND (threshold_source <= 3)))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.pattern_decisions IS 'What was decided by patterns, and on what grounds.';

COMMENT ON COLUMN everword.pattern_decisions.threshold_source IS 'Values equal proto ThresholdSource.';

CREATE TABLE everword.pattern_decisions_p0 (
    namespace_id bigint CONSTRAINT pattern_decisions_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT pattern_decisions_id_not_null NOT NULL,
    pattern_id uuid CONSTRAINT pattern_decisions_pattern_id_not_null NOT NULL,
    approved boolean CONSTRAINT pattern_decisions_approved_not_null NOT NULL,
    confidence double precision CONSTRAINT pattern_decisions_confidence_not_null NOT NULL,
    threshold double precision CONSTRAINT pattern_decisions_threshold_not_null NOT NULL,
    threshold_source smallint CONSTRAINT pattern_decisions_threshold_source_not_null NOT NULL,
    occurrences integer CONSTRAINT pattern_decisions_occurrences_not_null NOT NULL,
    disagreements integer CONSTRAINT pattern_decisions_disagreements_not_null NOT NULL,
    decided_at timestamp with time zone CONSTRAINT pattern_decisions_decided_at_not_null NOT NULL,
    CONSTRAINT pattern_decisions_threshold_source_check CHECK (((threshold_source >= 1) AND (threshold_source <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.pattern_decisions_p1 (
    namespace_id bigint CONSTRAINT pattern_decisions_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT pattern_decisions_id_not_null NOT NULL,
    pattern_id uuid CONSTRAINT pattern_decisions_pattern_id_not_null NOT NULL,
    approved boolean CONSTRAINT pattern_decisions_approved_not_null NOT NULL,
    confidence double precision CONSTRAINT pattern_decisions_confidence_not_null NOT NULL,
    threshold double precision CONSTRAINT pattern_decisions_threshold_not_null NOT NULL,
    threshold_source smallint CONSTRAINT pattern_decisions_threshold_source_not_null NOT NULL,
    occurrences integer CONSTRAINT pattern_decisions_occurrences_not_null NOT NULL,
    disagreements integer CONSTRAINT pattern_decisions_disagreements_not_null NOT NULL,
    decided_at timestamp with time zone CONSTRAINT pattern_decisions_decided_at_not_null NOT NULL,
    CONSTRAINT pattern_decisions_threshold_source_check CHECK (((threshold_source >= 1) AND (threshold_source <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.pattern_decisions_p2 (
    namespace_id bigint CONSTRAINT pattern_decisions_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT pattern_decisions_id_not_null NOT NULL,
    pattern_id uuid CONSTRAINT pattern_decisions_pattern_id_not_null NOT NULL,
    approved boolean CONSTRAINT pattern_decisions_approved_not_null NOT NULL,
    confidence double precision CONSTRAINT pattern_decisions_confidence_not_null NOT NULL,
    threshold double precision CONSTRAINT pattern_decisions_threshold_not_null NOT NULL,
    threshold_source smallint CONSTRAINT pattern_decisions_threshold_source_not_null NOT NULL,
    occurrences integer CONSTRAINT pattern_decisions_occurrences_not_null NOT NULL,
    disagreements integer CONSTRAINT pattern_decisions_disagreements_not_null NOT NULL,
    decided_at timestamp with time zone CONSTRAINT pattern_decisions_decided_at_not_null NOT NULL,
    CONSTRAINT pattern_decisions_threshold_source_check CHECK (((threshold_source >= 1) AND (threshold_source <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.pattern_decisions_p3 (
    namespace_id bigint CONSTRAINT pattern_decisions_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT pattern_decisions_id_not_null NOT NULL,
    pattern_id uuid CONSTRAINT pattern_decisions_pattern_id_not_null NOT NULL,
    approved boolean CONSTRAINT pattern_decisions_approved_not_null NOT NULL,
    confidence double precision CONSTRAINT pattern_decisions_confidence_not_null NOT NULL,
    threshold double precision CONSTRAINT pattern_decisions_threshold_not_null NOT NULL,
    threshold_source smallint CONSTRAINT pattern_decisions_threshold_source_not_null NOT NULL,
    occurrences integer CONSTRAINT pattern_decisions_occurrences_not_null NOT NULL,
    disagreements integer CONSTRAINT pattern_decisions_disagreements_not_null NOT NULL,
    decided_at timestamp with time zone CONSTRAINT pattern_decisions_decided_at_not_null NOT NULL,
    CONSTRAINT pattern_decisions_threshold_source_check CHECK (((threshold_source >= 1) AND (threshold_source <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.pattern_outcomes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    pattern_id uuid NOT NULL,
    agreed boolean NOT NULL,
    recorded boolean NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    other_pattern_id uuid,
    outcome_at timestamp with time zone NOT NULL
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.pattern_outcomes IS 'What was seen of a pattern, once each: what its counts are counted from.';

COMMENT ON COLUMN everword.pattern_outcomes.other_pattern_id IS 'What was recorded instead.';

CREATE TABLE everword.pattern_outcomes_p0 (
    namespace_id bigint CONSTRAINT pattern_outcomes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT pattern_outcomes_id_not_null NOT NULL,
    pattern_id uuid CONSTRAINT pattern_outcomes_pattern_id_not_null NOT NULL,
    agreed boolean CONSTRAINT pattern_outcomes_agreed_not_null NOT NULL,
    recorded boolean CONSTRAINT pattern_outcomes_recorded_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT pattern_outcomes_reason_not_null NOT NULL,
    other_pattern_id uuid,
    outcome_at timestamp with time zone CONSTRAINT pattern_outcomes_outcome_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.pattern_outcomes_p1 (
    namespace_id bigint CONSTRAINT pattern_outcomes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT pattern_outcomes_id_not_null NOT NULL,
    pattern_id uuid CONSTRAINT pattern_outcomes_pattern_id_not_null NOT NULL,
    agreed boolean CONSTRAINT pattern_outcomes_agreed_not_null NOT NULL,
    recorded boolean CONSTRAINT pattern_outcomes_recorded_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT pattern_outcomes_reason_not_null NOT NULL,
    other_pattern_id uuid,
    outcome_at timestamp with time zone CONSTRAINT pattern_outcomes_outcome_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.pattern_outcomes_p2 (
    namespace_id bigint CONSTRAINT pattern_outcomes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT pattern_outcomes_id_not_null NOT NULL,
    pattern_id uuid CONSTRAINT pattern_outcomes_pattern_id_not_null NOT NULL,
    agreed boolean CONSTRAINT pattern_outcomes_agreed_not_null NOT NULL,
    recorded boolean CONSTRAINT pattern_outcomes_recorded_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT pattern_outcomes_reason_not_null NOT NULL,
    other_pattern_id uuid,
    outcome_at timestamp with time zone CONSTRAINT pattern_outcomes_outcome_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.pattern_outcomes_p3 (
    namespace_id bigint CONSTRAINT pattern_outcomes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT pattern_outcomes_id_not_null NOT NULL,
    pattern_id uuid CONSTRAINT pattern_outcomes_pattern_id_not_null NOT NULL,
    agreed boolean CONSTRAINT pattern_outcomes_agreed_not_null NOT NULL,
    recorded boolean CONSTRAINT pattern_outcomes_recorded_not_null NOT NULL,
    reason text DEFAULT ''::text CONSTRAINT pattern_outcomes_reason_not_null NOT NULL,
    other_pattern_id uuid,
    outcome_at timestamp with time zone CONSTRAINT pattern_outcomes_outcome_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.pattern_thresholds (
    namespace_id bigint NOT NULL,
    type text NOT NULL,
    threshold double precision NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT pattern_thresholds_threshold_check CHECK (((threshold >= (0)::double precision) AND (threshold <= (1)::double precision)))
);

COMMENT ON TABLE everword.pattern_thresholds IS 'The confidence from which patterns of a type are used without asking.';

CREATE TABLE everword.patterns (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    entity text NOT NULL,
    entity_key text NOT NULL,
    type text NOT NULL,
    category text DEFAULT ''::text NOT NULL,
    data jsonb NOT NULL,
    data_hash bytea NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    occurrences integer DEFAULT 0 NOT NULL,
    disagreements integer DEFAULT 0 NOT NULL,
    confidence double precision DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    CONSTRAINT patterns_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT patterns_entity_check CHECK ((entity <> ''::text)),
    CONSTRAINT patterns_type_check CHECK ((type <> ''::text))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.patterns IS 'What is done with an entity: counts and confidence follow from the outcomes.';

COMMENT ON COLUMN everword.patterns.entity_key IS 'The entity without regard to case and spaces.';

COMMENT ON COLUMN everword.patterns.data_hash IS 'SHA-256 of the data in one form, whatever the order of its keys.';

CREATE TABLE everword.patterns_p0 (
    namespace_id bigint CONSTRAINT patterns_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT patterns_id_not_null NOT NULL,
    entity text CONSTRAINT patterns_entity_not_null NOT NULL,
    entity_key text CONSTRAINT patterns_entity_key_not_null NOT NULL,
    type text CONSTRAINT patterns_type_not_null NOT NULL,
    category text DEFAULT ''::text CONSTRAINT patterns_category_not_null NOT NULL,
    data jsonb CONSTRAINT patterns_data_not_null NOT NULL,
    data_hash bytea CONSTRAINT patterns_data_hash_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT patterns_agent_not_null NOT NULL,
    occurrences integer DEFAULT 0 CONSTRAINT patterns_occurrences_not_null NOT NULL,
    disagreements integer DEFAULT 0 CONSTRAINT patterns_disagreements_not_null NOT NULL,
    confidence double precision DEFAULT 0 CONSTRAINT patterns_confidence_not_null NOT NULL,
    created_at timestamp with time zone CONSTRAINT patterns_created_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT patterns_last_seen_at_not_null NOT NULL,
    CONSTRAINT patterns_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT patterns_entity_check CHECK ((entity <> ''::text)),
    CONSTRAINT patterns_type_check CHECK ((type <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.patterns_p1 (
    namespace_id bigint CONSTRAINT patterns_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT patterns_id_not_null NOT NULL,
    entity text CONSTRAINT patterns_entity_not_null NOT NULL,
    entity_key text CONSTRAINT patterns_entity_key_not_null NOT NULL,
    type text CONSTRAINT patterns_type_not_null NOT NULL,
    category text DEFAULT ''::text CONSTRAINT patterns_category_not_null NOT NULL,
    data jsonb CONSTRAINT patterns_data_not_null NOT NULL,
    data_hash bytea CONSTRAINT patterns_data_hash_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT patterns_agent_not_null NOT NULL,
    occurrences integer DEFAULT 0 CONSTRAINT patterns_occurrences_not_null NOT NULL,
    disagreements integer DEFAULT 0 CONSTRAINT patterns_disagreements_not_null NOT NULL,
    confidence double precision DEFAULT 0 CONSTRAINT patterns_confidence_not_null NOT NULL,
    created_at timestamp with time zone CONSTRAINT patterns_created_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT patterns_last_seen_at_not_null NOT NULL,
    CONSTRAINT patterns_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT patterns_entity_check CHECK ((entity <> ''::text)),
    CONSTRAINT patterns_type_check CHECK ((type <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.patterns_p2 (
    namespace_id bigint CONSTRAINT patterns_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT patterns_id_not_null NOT NULL,
    entity text CONSTRAINT patterns_entity_not_null NOT NULL,
    entity_key text CONSTRAINT patterns_entity_key_not_null NOT NULL,
    type text CONSTRAINT patterns_type_not_null NOT NULL,
    category text DEFAULT ''::text CONSTRAINT patterns_category_not_null NOT NULL,
    data jsonb CONSTRAINT patterns_data_not_null NOT NULL,
    data_hash bytea CONSTRAINT patterns_data_hash_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT patterns_agent_not_null NOT NULL,
    occurrences integer DEFAULT 0 CONSTRAINT patterns_occurrences_not_null NOT NULL,
    disagreements integer DEFAULT 0 CONSTRAINT patterns_disagreements_not_null NOT NULL,
    confidence double precision DEFAULT 0 CONSTRAINT patterns_confidence_not_null NOT NULL,
    created_at timestamp with time zone CONSTRAINT patterns_created_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT patterns_last_seen_at_not_null NOT NULL,
    CONSTRAINT patterns_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT patterns_entity_check CHECK ((entity <> ''::text)),
    CONSTRAINT patterns_type_check CHECK ((type <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.patterns_p3 (
    namespace_id bigint CONSTRAINT patterns_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT patterns_id_not_null NOT NULL,
    entity text CONSTRAINT patterns_entity_not_null NOT NULL,
    entity_key text CONSTRAINT patterns_entity_key_not_null NOT NULL,
    type text CONSTRAINT patterns_type_not_null NOT NULL,
    category text DEFAULT ''::text CONSTRAINT patterns_category_not_null NOT NULL,
    data jsonb CONSTRAINT patterns_data_not_null NOT NULL,
    data_hash bytea CONSTRAINT patterns_data_hash_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT patterns_agent_not_null NOT NULL,
    occurrences integer DEFAULT 0 CONSTRAINT patterns_occurrences_not_null NOT NULL,
    disagreements integer DEFAULT 0 CONSTRAINT patterns_disagreements_not_null NOT NULL,
    confidence double precision DEFAULT 0 CONSTRAINT patterns_confidence_not_null NOT NULL,
    created_at timestamp with time zone CONSTRAINT patterns_created_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT patterns_last_seen_at_not_null NOT NULL,
    CONSTRAINT patterns_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT patterns_entity_check CHECK ((entity <> ''::text)),
    CONSTRAINT patterns_type_check CHECK ((type <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.people (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    name text NOT NULL,
    aliases text[] DEFAULT '{}'::text[] NOT NULL,
    relation text DEFAULT ''::text NOT NULL,
    status smallint NOT NULL,
    mention_count integer NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT people_check CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT people_mention_count_check CHECK ((mention_count >= 0)),
    CONSTRAINT people_name_check CHECK ((name <> ''::text)),
    CONSTRAINT people_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT people_status_check CHECK (((status >= 1) AND (status <= 3)))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.people IS 'Somebody whom a subject speaks of. Everything here follows from learned_evidence, and from what a person ruled.';

COMMENT ON COLUMN everword.people.aliases IS 'How else the name is written.';

COMMENT ON COLUMN everword.people.status IS 'Whether the relation lasts. Values equal proto RelationStatus.';

COMMENT ON COLUMN everword.people.mention_count IS 'How many messages speak of them.';

COMMENT ON COLUMN everword.people.ruling IS 'A person said that it is wrong (1), or that it is over (2), at ruled_at.';

CREATE TABLE everword.people_p0 (
    namespace_id bigint CONSTRAINT people_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT people_id_not_null NOT NULL,
    subject text CONSTRAINT people_subject_not_null NOT NULL,
    name text CONSTRAINT people_name_not_null NOT NULL,
    aliases text[] DEFAULT '{}'::text[] CONSTRAINT people_aliases_not_null NOT NULL,
    relation text DEFAULT ''::text CONSTRAINT people_relation_not_null NOT NULL,
    status smallint CONSTRAINT people_status_not_null NOT NULL,
    mention_count integer CONSTRAINT people_mention_count_not_null NOT NULL,
    first_seen_at timestamp with time zone CONSTRAINT people_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT people_last_seen_at_not_null NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT people_created_at_not_null NOT NULL,
    CONSTRAINT people_check CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT people_mention_count_check CHECK ((mention_count >= 0)),
    CONSTRAINT people_name_check CHECK ((name <> ''::text)),
    CONSTRAINT people_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT people_status_check CHECK (((status >= 1) AND (status <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.people_p1 (
    namespace_id bigint CONSTRAINT people_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT people_id_not_null NOT NULL,
    subject text CONSTRAINT people_subject_not_null NOT NULL,
    name text CONSTRAINT people_name_not_null NOT NULL,
    aliases text[] DEFAULT '{}'::text[] CONSTRAINT people_aliases_not_null NOT NULL,
    relation text DEFAULT ''::text CONSTRAINT people_relation_not_null NOT NULL,
    status smallint CONSTRAINT people_status_not_null NOT NULL,
    mention_count integer CONSTRAINT people_mention_count_not_null NOT NULL,
    first_seen_at timestamp with time zone CONSTRAINT people_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT people_last_seen_at_not_null NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT people_created_at_not_null NOT NULL,
    CONSTRAINT people_check CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT people_mention_count_check CHECK ((mention_count >= 0)),
    CONSTRAINT people_name_check CHECK ((name <> ''::text)),
    CONSTRAINT people_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT people_status_check CHECK (((status >= 1) AND (status <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.people_p2 (
    namespace_id bigint CONSTRAINT people_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT people_id_not_null NOT NULL,
    subject text CONSTRAINT people_subject_not_null NOT NULL,
    name text CONSTRAINT people_name_not_null NOT NULL,
    aliases text[] DEFAULT '{}'::text[] CONSTRAINT people_aliases_not_null NOT NULL,
    relation text DEFAULT ''::text CONSTRAINT people_relation_not_null NOT NULL,
    status smallint CONSTRAINT people_status_not_null NOT NULL,
    mention_count integer CONSTRAINT people_mention_count_not_null NOT NULL,
    first_seen_at timestamp with time zone CONSTRAINT people_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT people_last_seen_at_not_null NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT people_created_at_not_null NOT NULL,
    CONSTRAINT people_check CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT people_mention_count_check CHECK ((mention_count >= 0)),
    CONSTRAINT people_name_check CHECK ((name <> ''::text)),
    CONSTRAINT people_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT people_status_check CHECK (((status >= 1) AND (status <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.people_p3 (
    namespace_id bigint CONSTRAINT people_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT people_id_not_null NOT NULL,
    subject text CONSTRAINT people_subject_not_null NOT NULL,
    name text CONSTRAINT people_name_not_null NOT NULL,
    aliases text[] DEFAULT '{}'::text[] CONSTRAINT people_aliases_not_null NOT NULL,
    relation text DEFAULT ''::text CONSTRAINT people_relation_not_null NOT NULL,
    status smallint CONSTRAINT people_status_not_null NOT NULL,
    mention_count integer CONSTRAINT people_mention_count_not_null NOT NULL,
    first_seen_at timestamp with time zone CONSTRAINT people_first_seen_at_not_null NOT NULL,
    last_seen_at timestamp with time zone CONSTRAINT people_last_seen_at_not_null NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT people_created_at_not_null NOT NULL,
    CONSTRAINT people_check CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT people_mention_count_check CHECK ((mention_count >= 0)),
    CONSTRAINT people_name_check CHECK ((name <> ''::text)),
    CONSTRAINT people_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT people_status_check CHECK (((status >= 1) AND (status <= 3)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE VIEW everword.retained_document_versions WITH (security_invoker='true') AS
 SELECT v.namespace_id,
    (4)::smallint AS kind,
    v.id,
    NULL::uuid AS conversation_id,
    (3)::smallint AS importance,
    later.written_at AS active_at
   FROM (everword.document_versions v
     CROSS JOIN LATERAL ( SELECT l.written_at
           FROM everword.document_versions l
          WHERE ((l.namespace_id = v.namespace_id) AND (l.document_id = v.document_id) AND (l.version > v.version))
          ORDER BY l.version
         LIMIT 1) later);

CREATE VIEW everword.retained_facts WITH (security_invoker='true') AS
 SELECT namespace_id,
    (5)::smallint AS kind,
    id,
    NULL::uuid AS conversation_id,
    (
        CASE
            WHEN (is_anchor OR (ruled_at IS NOT NULL)) THEN 5
            WHEN hypothesis THEN 2
            WHEN (supporting > 1) THEN 4
            ELSE 3
        END)::smallint AS importance,
    GREATEST(last_seen_at, ruled_at, verdict_at) AS active_at
   FROM everword.facts f;

CREATE VIEW everword.retained_history WITH (security_invoker='true') AS
 SELECT h.namespace_id,
    (7)::smallint AS kind,
    h.id,
    NULL::uuid AS conversation_id,
    (1)::smallint AS importance,
    h.changed_at AS active_at
   FROM everword.fact_changes h
UNION ALL
 SELECT h.namespace_id,
    (7)::smallint AS kind,
    h.id,
    NULL::uuid AS conversation_id,
    (1)::smallint AS importance,
    h.changed_at AS active_at
   FROM everword.learned_changes h
UNION ALL
 SELECT h.namespace_id,
    (7)::smallint AS kind,
    h.id,
    NULL::uuid AS conversation_id,
    (1)::smallint AS importance,
    h.decided_at AS active_at
   FROM everword.pattern_decisions h;

CREATE VIEW everword.retained_messages WITH (security_invoker='true') AS
 SELECT m.namespace_id,
    (1)::smallint AS kind,
    m.id,
    m.conversation_id,
    (
        CASE COALESCE(k.importance_class, m.importance_class)
            WHEN 4 THEN 5
            WHEN 3 THEN 4
            ELSE 3
        END)::smallint AS importance,
    GREATEST(c.last_message_at, c.updated_at) AS active_at
   FROM ((everword.messages m
     JOIN everword.conversations c ON (((c.namespace_id = m.namespace_id) AND (c.id = m.conversation_id))))
     LEFT JOIN everword.memory_classes k ON (((k.namespace_id = m.namespace_id) AND (k.memory_id = m.id))));

CREATE VIEW everword.retained_note_versions WITH (security_invoker='true') AS
 SELECT v.namespace_id,
    (3)::smallint AS kind,
    v.id,
    NULL::uuid AS conversation_id,
    v.importance,
    later.written_at AS active_at
   FROM (everword.note_versions v
     CROSS JOIN LATERAL ( SELECT l.written_at
           FROM everword.note_versions l
          WHERE ((l.namespace_id = v.namespace_id) AND (l.note_id = v.note_id) AND (l.version > v.version))
          ORDER BY l.version
         LIMIT 1) later);

CREATE VIEW everword.retained_notes WITH (security_invoker='true') AS
 SELECT n.namespace_id,
    (2)::smallint AS kind,
    n.id,
    NULL::uuid AS conversation_id,
    (
        CASE k.importance_class
            WHEN 4 THEN 5
            WHEN 3 THEN 4
            WHEN 2 THEN 3
            WHEN 1 THEN 3
            ELSE (n.importance)::integer
        END)::smallint AS importance,
    v.written_at AS active_at
   FROM ((everword.notes n
     JOIN everword.note_versions v ON (((v.namespace_id = n.namespace_id) AND (v.note_id = n.id) AND (v.version = n.version))))
     LEFT JOIN everword.memory_classes k ON (((k.namespace_id = n.namespace_id) AND (k.memory_id = n.id))))
  WHERE (n.deleted_at IS NULL);

CREATE VIEW everword.retained_patterns WITH (security_invoker='true') AS
 SELECT namespace_id,
    (6)::smallint AS kind,
    id,
    NULL::uuid AS conversation_id,
    (LEAST((5)::double precision, ((1)::double precision + floor((confidence * (5)::double precision)))))::smallint AS importance,
    last_seen_at AS active_at
   FROM everword.patterns p;

CREATE VIEW everword.retained WITH (security_invoker='true') AS
 SELECT retained_messages.namespace_id,
    retained_messages.kind,
    retained_messages.id,
    retained_messages.conversation_id,
    retained_messages.importance,
    retained_messages.active_at
   FROM everword.retained_messages
UNION ALL
 SELECT retained_notes.namespace_id,
    retained_notes.kind,
    retained_notes.id,
    retained_notes.conversation_id,
    retained_notes.importance,
    retained_notes.active_at
   FROM everword.retained_notes
UNION ALL
 SELECT retained_note_versions.namespace_id,
    retained_note_versions.kind,
    retained_note_versions.id,
    retained_note_versions.conversation_id,
    retained_note_versions.importance,
    retained_note_versions.active_at
   FROM everword.retained_note_versions
UNION ALL
 SELECT retained_document_versions.namespace_id,
    retained_document_versions.kind,
    retained_document_versions.id,
    retained_document_versions.conversation_id,
    retained_document_versions.importance,
    retained_document_versions.active_at
   FROM everword.retained_document_versions
UNION ALL
 SELECT retained_facts.namespace_id,
    retained_facts.kind,
    retained_facts.id,
    retained_facts.conversation_id,
    retained_facts.importance,
    retained_facts.active_at
   FROM everword.retained_facts
UNION ALL
 SELECT retained_patterns.namespace_id,
    retained_patterns.kind,
    retained_patterns.id,
    retained_patterns.conversation_id,
    retained_patterns.importance,
    retained_patterns.active_at
   FROM everword.retained_patterns
UNION ALL
 SELECT retained_history.namespace_id,
    retained_history.kind,
    retained_history.id,
    retained_history.conversation_id,
    retained_history.importance,
    retained_history.active_at
   FROM everword.retained_history;

COMMENT ON VIEW everword.retained IS 'What policies of retention are about: each thing with its kind, its importance from 1 to 5, and its last activity. A view of each kind, of which a page is read in the order of ids.';

CREATE TABLE everword.retention_policies (
    namespace_id bigint NOT NULL,
    kind smallint NOT NULL,
    keep_days integer NOT NULL,
    keep_importance smallint DEFAULT 0 NOT NULL,
    max_per_run bigint DEFAULT 0 NOT NULL,
    keep_quotes boolean DEFAULT false NOT NULL,
    set_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT retention_policies_keep_days_check CHECK ((keep_days > 0)),
    CONSTRAINT retention_policies_keep_importance_check CHECK (((keep_importance >= 0) AND (keep_importance <= 5))),
    CONSTRAINT retention_policies_kind_check CHECK (((kind >= 1) AND (kind <= 7))),
    CONSTRAINT retention_policies_max_per_run_check CHECK ((max_per_run >= 0))
);

COMMENT ON TABLE everword.retention_policies IS 'For how long a namespace keeps which kind of things; what has no row is kept for ever.';

COMMENT ON COLUMN everword.retention_policies.kind IS 'Values equal proto RetentionKind.';

COMMENT ON COLUMN everword.retention_policies.keep_days IS 'Days since the last activity.';

COMMENT ON COLUMN everword.retention_policies.keep_importance IS 'What is of this importance or a higher one is kept; 0: nothing is for that.';

COMMENT ON COLUMN everword.retention_policies.max_per_run IS 'How many go in one run; 0: all.';

CREATE TABLE everword.retention_runs (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    night date,
    state smallint DEFAULT 1 NOT NULL,
    kind smallint DEFAULT 1 NOT NULL,
    importance smallint DEFAULT 1 NOT NULL,
    after_id uuid,
    removed jsonb DEFAULT '{}'::jsonb NOT NULL,
    row_counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT retention_runs_check CHECK (((state = 2) = (finished_at IS NOT NULL))),
    CONSTRAINT retention_runs_state_check CHECK (((state >= 1) AND (state <= 2)))
);

COMMENT ON TABLE everword.retention_runs IS 'What was removed by policies, and when: how many of which kind, and no content. A row that is not done is work.';

COMMENT ON COLUMN everword.retention_runs.night IS 'The day after whose end it ran; null where somebody asked for it.';

COMMENT ON COLUMN everword.retention_runs.state IS '1 running, 2 done.';

COMMENT ON COLUMN everword.retention_runs.kind IS 'Where it is: the kind, the importance and the last id.';

COMMENT ON COLUMN everword.retention_runs.removed IS 'How many of each kind are gone.';

COMMENT ON COLUMN everword.retention_runs.row_counts IS 'Rows that are gone, by table.';

CREATE TABLE everword.schema_migrations (
    number integer NOT NULL,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE everword.session_observations (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    kind smallint NOT NULL,
    subject text NOT NULL,
    about text DEFAULT ''::text NOT NULL,
    content text NOT NULL,
    attribute text DEFAULT ''::text NOT NULL,
    value text DEFAULT ''::text NOT NULL,
    hypothesis boolean DEFAULT false NOT NULL,
    message_ids uuid[] NOT NULL,
    seqs bigint[] NOT NULL,
    quotes text[] NOT NULL,
    said_at timestamp with time zone[] NOT NULL,
    CONSTRAINT session_observations_check CHECK (((cardinality(message_ids) = cardinality(quotes)) AND (cardinality(message_ids) = cardinality(said_at)) AND (cardinality(message_ids) = cardinality(seqs)))),
    CONSTRAINT session_observations_kind_check CHECK (((kind >= 1) AND (kind <= 6))),
    CONSTRAINT session_observations_message_ids_check CHECK ((cardinality(message_ids) > 0))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.session_observations IS 'What a model observed in a session, with the exact messages and their words.';

COMMENT ON COLUMN everword.session_observations.kind IS '1 statement, 2 question, 3 reaction, 4 behaviour, 5 contradiction, 6 preference.';

COMMENT ON COLUMN everword.session_observations.about IS 'A third party that it is about; empty where it is about the subject.';

CREATE TABLE everword.session_observations_p0 (
    namespace_id bigint CONSTRAINT session_observations_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT session_observations_id_not_null NOT NULL,
    session_id uuid CONSTRAINT session_observations_session_id_not_null NOT NULL,
    kind smallint CONSTRAINT session_observations_kind_not_null NOT NULL,
    subject text CONSTRAINT session_observations_subject_not_null NOT NULL,
    about text DEFAULT ''::text CONSTRAINT session_observations_about_not_null NOT NULL,
    content text CONSTRAINT session_observations_content_not_null NOT NULL,
    attribute text DEFAULT ''::text CONSTRAINT session_observations_attribute_not_null NOT NULL,
    value text DEFAULT ''::text CONSTRAINT session_observations_value_not_null NOT NULL,
    hypothesis boolean DEFAULT false CONSTRAINT session_observations_hypothesis_not_null NOT NULL,
    message_ids uuid[] CONSTRAINT session_observations_message_ids_not_null NOT NULL,
    seqs bigint[] CONSTRAINT session_observations_seqs_not_null NOT NULL,
    quotes text[] CONSTRAINT session_observations_quotes_not_null NOT NULL,
    said_at timestamp with time zone[] CONSTRAINT session_observations_said_at_not_null NOT NULL,
    CONSTRAINT session_observations_check CHECK (((cardinality(message_ids) = cardinality(quotes)) AND (cardinality(message_ids) = cardinality(said_at)) AND (cardinality(message_ids) = cardinality(seqs)))),
    CONSTRAINT session_observations_kind_check CHECK (((kind >= 1) AND (kind <= 6))),
    CONSTRAINT session_observations_message_ids_check CHECK ((cardinality(message_ids) > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.session_observations_p1 (
    namespace_id bigint CONSTRAINT session_observations_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT session_observations_id_not_null NOT NULL,
    session_id uuid CONSTRAINT session_observations_session_id_not_null NOT NULL,
    kind smallint CONSTRAINT session_observations_kind_not_null NOT NULL,
    subject text CONSTRAINT session_observations_subject_not_null NOT NULL,
    about text DEFAULT ''::text CONSTRAINT session_observations_about_not_null NOT NULL,
    content text CONSTRAINT session_observations_content_not_null NOT NULL,
    attribute text DEFAULT ''::text CONSTRAINT session_observations_attribute_not_null NOT NULL,
    value text DEFAULT ''::text CONSTRAINT session_observations_value_not_null NOT NULL,
    hypothesis boolean DEFAULT false CONSTRAINT session_observations_hypothesis_not_null NOT NULL,
    message_ids uuid[] CONSTRAINT session_observations_message_ids_not_null NOT NULL,
    seqs bigint[] CONSTRAINT session_observations_seqs_not_null NOT NULL,
    quotes text[] CONSTRAINT session_observations_quotes_not_null NOT NULL,
    said_at timestamp with time zone[] CONSTRAINT session_observations_said_at_not_null NOT NULL,
    CONSTRAINT session_observations_check CHECK (((cardinality(message_ids) = cardinality(quotes)) AND (cardinality(message_ids) = cardinality(said_at)) AND (cardinality(message_ids) = cardinality(seqs)))),
    CONSTRAINT session_observations_kind_check CHECK (((kind >= 1) AND (kind <= 6))),
    CONSTRAINT session_observations_message_ids_check CHECK ((cardinality(message_ids) > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.session_observations_p2 (
    namespace_id bigint CONSTRAINT session_observations_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT session_observations_id_not_null NOT NULL,
    session_id uuid CONSTRAINT session_observations_session_id_not_null NOT NULL,
    kind smallint CONSTRAINT session_observations_kind_not_null NOT NULL,
    subject text CONSTRAINT session_observations_subject_not_null NOT NULL,
    about text DEFAULT ''::text CONSTRAINT session_observations_about_not_null NOT NULL,
    content text CONSTRAINT session_observations_content_not_null NOT NULL,
    attribute text DEFAULT ''::text CONSTRAINT session_observations_attribute_not_null NOT NULL,
    value text DEFAULT ''::text CONSTRAINT session_observations_value_not_null NOT NULL,
    hypothesis boolean DEFAULT false CONSTRAINT session_observations_hypothesis_not_null NOT NULL,
    message_ids uuid[] CONSTRAINT session_observations_message_ids_not_null NOT NULL,
    seqs bigint[] CONSTRAINT session_observations_seqs_not_null NOT NULL,
    quotes text[] CONSTRAINT session_observations_quotes_not_null NOT NULL,
    said_at timestamp with time zone[] CONSTRAINT session_observations_said_at_not_null NOT NULL,
    CONSTRAINT session_observations_check CHECK (((cardinality(message_ids) = cardinality(quotes)) AND (cardinality(message_ids) = cardinality(said_at)) AND (cardinality(message_ids) = cardinality(seqs)))),
    CONSTRAINT session_observations_kind_check CHECK (((kind >= 1) AND (kind <= 6))),
    CONSTRAINT session_observations_message_ids_check CHECK ((cardinality(message_ids) > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.session_observations_p3 (
    namespace_id bigint CONSTRAINT session_observations_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT session_observations_id_not_null NOT NULL,
    session_id uuid CONSTRAINT session_observations_session_id_not_null NOT NULL,
    kind smallint CONSTRAINT session_observations_kind_not_null NOT NULL,
    subject text CONSTRAINT session_observations_subject_not_null NOT NULL,
    about text DEFAULT ''::text CONSTRAINT session_observations_about_not_null NOT NULL,
    content text CONSTRAINT session_observations_content_not_null NOT NULL,
    attribute text DEFAULT ''::text CONSTRAINT session_observations_attribute_not_null NOT NULL,
    value text DEFAULT ''::text CONSTRAINT session_observations_value_not_null NOT NULL,
    hypothesis boolean DEFAULT false CONSTRAINT session_observations_hypothesis_not_null NOT NULL,
    message_ids uuid[] CONSTRAINT session_observations_message_ids_not_null NOT NULL,
    seqs bigint[] CONSTRAINT session_observations_seqs_not_null NOT NULL,
    quotes text[] CONSTRAINT session_observations_quotes_not_null NOT NULL,
    said_at timestamp with time zone[] CONSTRAINT session_observations_said_at_not_null NOT NULL,
    CONSTRAINT session_observations_check CHECK (((cardinality(message_ids) = cardinality(quotes)) AND (cardinality(message_ids) = cardinality(said_at)) AND (cardinality(message_ids) = cardinality(seqs)))),
    CONSTRAINT session_observations_kind_check CHECK (((kind >= 1) AND (kind <= 6))),
    CONSTRAINT session_observations_message_ids_check CHECK ((cardinality(message_ids) > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.sleep_nights (
    namespace_id bigint NOT NULL,
    night date NOT NULL
);

COMMENT ON TABLE everword.sleep_nights IS 'The latest day of a namespace after whose end its nightly Sleep was done.';

CREATE TABLE everword.sleep_sessions (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    first_seq bigint NOT NULL,
    last_seq bigint NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    state smallint NOT NULL,
    topics text[] DEFAULT '{}'::text[] NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    model text DEFAULT ''::text NOT NULL,
    error text,
    stored_at timestamp with time zone DEFAULT now() NOT NULL,
    processed_at timestamp with time zone,
    CONSTRAINT sleep_sessions_check CHECK ((last_seq >= first_seq)),
    CONSTRAINT sleep_sessions_check1 CHECK (((state = 2) = (processed_at IS NOT NULL))),
    CONSTRAINT sleep_sessions_state_check CHECK (((state >= 1) AND (state <= 4)))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.sleep_sessions IS 'Runs of messages of a conversation, as Sleep read them.';

COMMENT ON COLUMN everword.sleep_sessions.subject IS 'Whom the closing steps are about; empty where nobody was observed.';

COMMENT ON COLUMN everword.sleep_sessions.state IS '1 what it says is stored, 2 the closing steps have seen it too, 3 it holds nothing that people said, 4 parked with an error.';

CREATE TABLE everword.sleep_sessions_p0 (
    namespace_id bigint CONSTRAINT sleep_sessions_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT sleep_sessions_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT sleep_sessions_conversation_id_not_null NOT NULL,
    first_seq bigint CONSTRAINT sleep_sessions_first_seq_not_null NOT NULL,
    last_seq bigint CONSTRAINT sleep_sessions_last_seq_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT sleep_sessions_subject_not_null NOT NULL,
    state smallint CONSTRAINT sleep_sessions_state_not_null NOT NULL,
    topics text[] DEFAULT '{}'::text[] CONSTRAINT sleep_sessions_topics_not_null NOT NULL,
    started_at timestamp with time zone CONSTRAINT sleep_sessions_started_at_not_null NOT NULL,
    ended_at timestamp with time zone CONSTRAINT sleep_sessions_ended_at_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT sleep_sessions_model_not_null NOT NULL,
    error text,
    stored_at timestamp with time zone DEFAULT now() CONSTRAINT sleep_sessions_stored_at_not_null NOT NULL,
    processed_at timestamp with time zone,
    CONSTRAINT sleep_sessions_check CHECK ((last_seq >= first_seq)),
    CONSTRAINT sleep_sessions_check1 CHECK (((state = 2) = (processed_at IS NOT NULL))),
    CONSTRAINT sleep_sessions_state_check CHECK (((state >= 1) AND (state <= 4)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.sleep_sessions_p1 (
    namespace_id bigint CONSTRAINT sleep_sessions_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT sleep_sessions_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT sleep_sessions_conversation_id_not_null NOT NULL,
    first_seq bigint CONSTRAINT sleep_sessions_first_seq_not_null NOT NULL,
    last_seq bigint CONSTRAINT sleep_sessions_last_seq_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT sleep_sessions_subject_not_null NOT NULL,
    state smallint CONSTRAINT sleep_sessions_state_not_null NOT NULL,
    topics text[] DEFAULT '{}'::text[] CONSTRAINT sleep_sessions_topics_not_null NOT NULL,
    started_at timestamp with time zone CONSTRAINT sleep_sessions_started_at_not_null NOT NULL,
    ended_at timestamp with time zone CONSTRAINT sleep_sessions_ended_at_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT sleep_sessions_model_not_null NOT NULL,
    error text,
    stored_at timestamp with time zone DEFAULT now() CONSTRAINT sleep_sessions_stored_at_not_null NOT NULL,
    processed_at timestamp with time zone,
    CONSTRAINT sleep_sessions_check CHECK ((last_seq >= first_seq)),
    CONSTRAINT sleep_sessions_check1 CHECK (((state = 2) = (processed_at IS NOT NULL))),
    CONSTRAINT sleep_sessions_state_check CHECK (((state >= 1) AND (state <= 4)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.sleep_sessions_p2 (
    namespace_id bigint CONSTRAINT sleep_sessions_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT sleep_sessions_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT sleep_sessions_conversation_id_not_null NOT NULL,
    first_seq bigint CONSTRAINT sleep_sessions_first_seq_not_null NOT NULL,
    last_seq bigint CONSTRAINT sleep_sessions_last_seq_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT sleep_sessions_subject_not_null NOT NULL,
    state smallint CONSTRAINT sleep_sessions_state_not_null NOT NULL,
    topics text[] DEFAULT '{}'::text[] CONSTRAINT sleep_sessions_topics_not_null NOT NULL,
    started_at timestamp with time zone CONSTRAINT sleep_sessions_started_at_not_null NOT NULL,
    ended_at timestamp with time zone CONSTRAINT sleep_sessions_ended_at_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT sleep_sessions_model_not_null NOT NULL,
    error text,
    stored_at timestamp with time zone DEFAULT now() CONSTRAINT sleep_sessions_stored_at_not_null NOT NULL,
    processed_at timestamp with time zone,
    CONSTRAINT sleep_sessions_check CHECK ((last_seq >= first_seq)),
    CONSTRAINT sleep_sessions_check1 CHECK (((state = 2) = (processed_at IS NOT NULL))),
    CONSTRAINT sleep_sessions_state_check CHECK (((state >= 1) AND (state <= 4)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.sleep_sessions_p3 (
    namespace_id bigint CONSTRAINT sleep_sessions_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT sleep_sessions_id_not_null NOT NULL,
    conversation_id uuid CONSTRAINT sleep_sessions_conversation_id_not_null NOT NULL,
    first_seq bigint CONSTRAINT sleep_sessions_first_seq_not_null NOT NULL,
    last_seq bigint CONSTRAINT sleep_sessions_last_seq_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT sleep_sessions_subject_not_null NOT NULL,
    state smallint CONSTRAINT sleep_sessions_state_not_null NOT NULL,
    topics text[] DEFAULT '{}'::text[] CONSTRAINT sleep_sessions_topics_not_null NOT NULL,
    started_at timestamp with time zone CONSTRAINT sleep_sessions_started_at_not_null NOT NULL,
    ended_at timestamp with time zone CONSTRAINT sleep_sessions_ended_at_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT sleep_sessions_model_not_null NOT NULL,
    error text,
    stored_at timestamp with time zone DEFAULT now() CONSTRAINT sleep_sessions_stored_at_not_null NOT NULL,
    processed_at timestamp with time zone,
    CONSTRAINT sleep_sessions_check CHECK ((last_seq >= first_seq)),
    CONSTRAINT sleep_sessions_check1 CHECK (((state = 2) = (processed_at IS NOT NULL))),
    CONSTRAINT sleep_sessions_state_check CHECK (((state >= 1) AND (state <= 4)))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.strategies (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    kind smallint NOT NULL,
    about_kind smallint NOT NULL,
    about_id uuid NOT NULL,
    occasion timestamp with time zone NOT NULL,
    topic text NOT NULL,
    question text NOT NULL,
    reason text NOT NULL,
    state smallint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT strategies_about_kind_check CHECK (((about_kind >= 1) AND (about_kind <= 3))),
    CONSTRAINT strategies_check CHECK (((state = 1) = (ended_at IS NULL))),
    CONSTRAINT strategies_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT strategies_question_check CHECK ((question <> ''::text)),
    CONSTRAINT strategies_state_check CHECK ((state = ANY (ARRAY[1, 3, 4])))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.strategies IS 'A question that is worth asking a subject when its topic comes up.';

COMMENT ON COLUMN everword.strategies.about_kind IS 'What about_id names: a fact (1), a person (2), an event (3).';

COMMENT ON COLUMN everword.strategies.occasion IS 'What gave rise to it, by its time: of one occasion there is one question.';

COMMENT ON COLUMN everword.strategies.state IS 'Open (1), answered (3), dropped (4). That it was offered (2) follows from strategy_offers.';

CREATE TABLE everword.strategies_p0 (
    namespace_id bigint CONSTRAINT strategies_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT strategies_id_not_null NOT NULL,
    subject text CONSTRAINT strategies_subject_not_null NOT NULL,
    kind smallint CONSTRAINT strategies_kind_not_null NOT NULL,
    about_kind smallint CONSTRAINT strategies_about_kind_not_null NOT NULL,
    about_id uuid CONSTRAINT strategies_about_id_not_null NOT NULL,
    occasion timestamp with time zone CONSTRAINT strategies_occasion_not_null NOT NULL,
    topic text CONSTRAINT strategies_topic_not_null NOT NULL,
    question text CONSTRAINT strategies_question_not_null NOT NULL,
    reason text CONSTRAINT strategies_reason_not_null NOT NULL,
    state smallint CONSTRAINT strategies_state_not_null NOT NULL,
    created_at timestamp with time zone CONSTRAINT strategies_created_at_not_null NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT strategies_about_kind_check CHECK (((about_kind >= 1) AND (about_kind <= 3))),
    CONSTRAINT strategies_check CHECK (((state = 1) = (ended_at IS NULL))),
    CONSTRAINT strategies_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT strategies_question_check CHECK ((question <> ''::text)),
    CONSTRAINT strategies_state_check CHECK ((state = ANY (ARRAY[1, 3, 4])))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.strategies_p1 (
    namespace_id bigint CONSTRAINT strategies_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT strategies_id_not_null NOT NULL,
    subject text CONSTRAINT strategies_subject_not_null NOT NULL,
    kind smallint CONSTRAINT strategies_kind_not_null NOT NULL,
    about_kind smallint CONSTRAINT strategies_about_kind_not_null NOT NULL,
    about_id uuid CONSTRAINT strategies_about_id_not_null NOT NULL,
    occasion timestamp with time zone CONSTRAINT strategies_occasion_not_null NOT NULL,
    topic text CONSTRAINT strategies_topic_not_null NOT NULL,
    question text CONSTRAINT strategies_question_not_null NOT NULL,
    reason text CONSTRAINT strategies_reason_not_null NOT NULL,
    state smallint CONSTRAINT strategies_state_not_null NOT NULL,
    created_at timestamp with time zone CONSTRAINT strategies_created_at_not_null NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT strategies_about_kind_check CHECK (((about_kind >= 1) AND (about_kind <= 3))),
    CONSTRAINT strategies_check CHECK (((state = 1) = (ended_at IS NULL))),
    CONSTRAINT strategies_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT strategies_question_check CHECK ((question <> ''::text)),
    CONSTRAINT strategies_state_check CHECK ((state = ANY (ARRAY[1, 3, 4])))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.strategies_p2 (
    namespace_id bigint CONSTRAINT strategies_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT strategies_id_not_null NOT NULL,
    subject text CONSTRAINT strategies_subject_not_null NOT NULL,
    kind smallint CONSTRAINT strategies_kind_not_null NOT NULL,
    about_kind smallint CONSTRAINT strategies_about_kind_not_null NOT NULL,
    about_id uuid CONSTRAINT strategies_about_id_not_null NOT NULL,
    occasion timestamp with time zone CONSTRAINT strategies_occasion_not_null NOT NULL,
    topic text CONSTRAINT strategies_topic_not_null NOT NULL,
    question text CONSTRAINT strategies_question_not_null NOT NULL,
    reason text CONSTRAINT strategies_reason_not_null NOT NULL,
    state smallint CONSTRAINT strategies_state_not_null NOT NULL,
    created_at timestamp with time zone CONSTRAINT strategies_created_at_not_null NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT strategies_about_kind_check CHECK (((about_kind >= 1) AND (about_kind <= 3))),
    CONSTRAINT strategies_check CHECK (((state = 1) = (ended_at IS NULL))),
    CONSTRAINT strategies_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT strategies_question_check CHECK ((question <> ''::text)),
    CONSTRAINT strategies_state_check CHECK ((state = ANY (ARRAY[1, 3, 4])))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.strategies_p3 (
    namespace_id bigint CONSTRAINT strategies_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT strategies_id_not_null NOT NULL,
    subject text CONSTRAINT strategies_subject_not_null NOT NULL,
    kind smallint CONSTRAINT strategies_kind_not_null NOT NULL,
    about_kind smallint CONSTRAINT strategies_about_kind_not_null NOT NULL,
    about_id uuid CONSTRAINT strategies_about_id_not_null NOT NULL,
    occasion timestamp with time zone CONSTRAINT strategies_occasion_not_null NOT NULL,
    topic text CONSTRAINT strategies_topic_not_null NOT NULL,
    question text CONSTRAINT strategies_question_not_null NOT NULL,
    reason text CONSTRAINT strategies_reason_not_null NOT NULL,
    state smallint CONSTRAINT strategies_state_not_null NOT NULL,
    created_at timestamp with time zone CONSTRAINT strategies_created_at_not_null NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT strategies_about_kind_check CHECK (((about_kind >= 1) AND (about_kind <= 3))),
    CONSTRAINT strategies_check CHECK (((state = 1) = (ended_at IS NULL))),
    CONSTRAINT strategies_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT strategies_question_check CHECK ((question <> ''::text)),
    CONSTRAINT strategies_state_check CHECK ((state = ANY (ARRAY[1, 3, 4])))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.strategy_offers (
    namespace_id bigint NOT NULL,
    strategy_id uuid NOT NULL,
    offer_count integer DEFAULT 1 NOT NULL,
    last_offered_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE everword.strategy_offers IS 'How often a question was put into a context, so that it is not asked each turn.';

CREATE TABLE everword.summaries (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    level smallint NOT NULL,
    conversation_id uuid,
    first_seq bigint,
    last_seq bigint,
    period date,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    channel text DEFAULT ''::text NOT NULL,
    instance text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    parent_id uuid,
    previous_id uuid,
    content text NOT NULL,
    message_count bigint NOT NULL,
    earliest_at timestamp with time zone NOT NULL,
    latest_at timestamp with time zone NOT NULL,
    token_count integer DEFAULT 0 NOT NULL,
    model text DEFAULT ''::text NOT NULL,
    prompt_version integer DEFAULT 0 NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    stale boolean DEFAULT false NOT NULL,
    needs_review boolean DEFAULT false NOT NULL,
    faithfulness jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revised_at timestamp with time zone DEFAULT now() NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    hidden boolean DEFAULT false NOT NULL,
    CONSTRAINT summaries_check CHECK ((((level >= 1) AND (level <= 3)) = ((conversation_id IS NOT NULL) AND (first_seq IS NOT NULL) AND (last_seq IS NOT NULL)))),
    CONSTRAINT summaries_check1 CHECK ((((level >= 4) AND (level <= 7)) = (period IS NOT NULL))),
    CONSTRAINT summaries_check2 CHECK (((level < 5) OR (level > 7) OR (instance = ''::text))),
    CONSTRAINT summaries_check3 CHECK ((earliest_at <= latest_at)),
    CONSTRAINT summaries_content_check CHECK ((content <> ''::text)),
    CONSTRAINT summaries_level_check CHECK (((level >= 1) AND (level <= 8))),
    CONSTRAINT summaries_message_count_check CHECK ((message_count >= 0))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.summaries IS 'Nodes of the summary DAG, on two axes: leaf, branch, root (1-3) along a conversation, day, week, month, year (4-7) along the calendar, and what was recorded as significant (8), which nothing consolidates. A node keeps its id when it is written anew: revision counts that.';

COMMENT ON COLUMN everword.summaries.first_seq IS 'Of levels 1-3: the range of the conversation that the node stands for.';

COMMENT ON COLUMN everword.summaries.period IS 'Of levels 4-7: the first day of the period, in the namespace''s time zone.';

COMMENT ON COLUMN everword.summaries.parent_id IS 'The node above; summary_sources holds the same link from the other end.';

COMMENT ON COLUMN everword.summaries.previous_id IS 'The latest node of the conversation, or of the level, when this one was made.';

COMMENT ON COLUMN everword.summaries.stale IS 'What it was made from has changed since: it is due to be written anew.';

COMMENT ON COLUMN everword.summaries.needs_review IS 'It says something that its sources do not: see faithfulness.';

COMMENT ON COLUMN everword.summaries.name IS 'Unique in the namespace: `2024-03-05`, `2024-03-05/phone`, `2024-W10`, `2024-03`, `2024`, and `2024-03-05 · The heron` for what is significant. Empty along a conversation.';

COMMENT ON COLUMN everword.summaries.hidden IS 'What it was made from was erased in part: its words are gone, and it is due to be written anew.';

CREATE TABLE everword.summaries_p0 (
    namespace_id bigint CONSTRAINT summaries_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT summaries_id_not_null NOT NULL,
    level smallint CONSTRAINT summaries_level_not_null NOT NULL,
    conversation_id uuid,
    first_seq bigint,
    last_seq bigint,
    period date,
    agent text DEFAULT ''::text CONSTRAINT summaries_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT summaries_subject_not_null NOT NULL,
    channel text DEFAULT ''::text CONSTRAINT summaries_channel_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT summaries_instance_not_null NOT NULL,
    title text DEFAULT ''::text CONSTRAINT summaries_title_not_null NOT NULL,
    parent_id uuid,
    previous_id uuid,
    content text CONSTRAINT summaries_content_not_null NOT NULL,
    message_count bigint CONSTRAINT summaries_message_count_not_null NOT NULL,
    earliest_at timestamp with time zone CONSTRAINT summaries_earliest_at_not_null NOT NULL,
    latest_at timestamp with time zone CONSTRAINT summaries_latest_at_not_null NOT NULL,
    token_count integer DEFAULT 0 CONSTRAINT summaries_token_count_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT summaries_model_not_null NOT NULL,
    prompt_version integer DEFAULT 0 CONSTRAINT summaries_prompt_version_not_null NOT NULL,
    revision integer DEFAULT 1 CONSTRAINT summaries_revision_not_null NOT NULL,
    stale boolean DEFAULT false CONSTRAINT summaries_stale_not_null NOT NULL,
    needs_review boolean DEFAULT false CONSTRAINT summaries_needs_review_not_null NOT NULL,
    faithfulness jsonb,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT summaries_created_at_not_null NOT NULL,
    revised_at timestamp with time zone DEFAULT now() CONSTRAINT summaries_revised_at_not_null NOT NULL,
    name text DEFAULT ''::text CONSTRAINT summaries_name_not_null NOT NULL,
    hidden boolean DEFAULT false CONSTRAINT summaries_hidden_not_null NOT NULL,
    CONSTRAINT summaries_check CHECK ((((level >= 1) AND (level <= 3)) = ((conversation_id IS NOT NULL) AND (first_seq IS NOT NULL) AND (last_seq IS NOT NULL)))),
    CONSTRAINT summaries_check1 CHECK ((((level >= 4) AND (level <= 7)) = (period IS NOT NULL))),
    CONSTRAINT summaries_check2 CHECK (((level < 5) OR (level > 7) OR (instance = ''::text))),
    CONSTRAINT summaries_check3 CHECK ((earliest_at <= latest_at)),
    CONSTRAINT summaries_content_check CHECK ((content <> ''::text)),
    CONSTRAINT summaries_level_check CHECK (((level >= 1) AND (level <= 8))),
    CONSTRAINT summaries_message_count_check CHECK ((message_count >= 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.summaries_p1 (
    namespace_id bigint CONSTRAINT summaries_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT summaries_id_not_null NOT NULL,
    level smallint CONSTRAINT summaries_level_not_null NOT NULL,
    conversation_id uuid,
    first_seq bigint,
    last_seq bigint,
    period date,
    agent text DEFAULT ''::text CONSTRAINT summaries_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT summaries_subject_not_null NOT NULL,
    channel text DEFAULT ''::text CONSTRAINT summaries_channel_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT summaries_instance_not_null NOT NULL,
    title text DEFAULT ''::text CONSTRAINT summaries_title_not_null NOT NULL,
    parent_id uuid,
    previous_id uuid,
    content text CONSTRAINT summaries_content_not_null NOT NULL,
    message_count bigint CONSTRAINT summaries_message_count_not_null NOT NULL,
    earliest_at timestamp with time zone CONSTRAINT summaries_earliest_at_not_null NOT NULL,
    latest_at timestamp with time zone CONSTRAINT summaries_latest_at_not_null NOT NULL,
    token_count integer DEFAULT 0 CONSTRAINT summaries_token_count_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT summaries_model_not_null NOT NULL,
    prompt_version integer DEFAULT 0 CONSTRAINT summaries_prompt_version_not_null NOT NULL,
    revision integer DEFAULT 1 CONSTRAINT summaries_revision_not_null NOT NULL,
    stale boolean DEFAULT false CONSTRAINT summaries_stale_not_null NOT NULL,
    needs_review boolean DEFAULT false CONSTRAINT summaries_needs_review_not_null NOT NULL,
    faithfulness jsonb,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT summaries_created_at_not_null NOT NULL,
    revised_at timestamp with time zone DEFAULT now() CONSTRAINT summaries_revised_at_not_null NOT NULL,
    name text DEFAULT ''::text CONSTRAINT summaries_name_not_null NOT NULL,
    hidden boolean DEFAULT false CONSTRAINT summaries_hidden_not_null NOT NULL,
    CONSTRAINT summaries_check CHECK ((((level >= 1) AND (level <= 3)) = ((conversation_id IS NOT NULL) AND (first_seq IS NOT NULL) AND (last_seq IS NOT NULL)))),
    CONSTRAINT summaries_check1 CHECK ((((level >= 4) AND (level <= 7)) = (period IS NOT NULL))),
    CONSTRAINT summaries_check2 CHECK (((level < 5) OR (level > 7) OR (instance = ''::text))),
    CONSTRAINT summaries_check3 CHECK ((earliest_at <= latest_at)),
    CONSTRAINT summaries_content_check CHECK ((content <> ''::text)),
    CONSTRAINT summaries_level_check CHECK (((level >= 1) AND (level <= 8))),
    CONSTRAINT summaries_message_count_check CHECK ((message_count >= 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.summaries_p2 (
    namespace_id bigint CONSTRAINT summaries_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT summaries_id_not_null NOT NULL,
    level smallint CONSTRAINT summaries_level_not_null NOT NULL,
    conversation_id uuid,
    first_seq bigint,
    last_seq bigint,
    period date,
    agent text DEFAULT ''::text CONSTRAINT summaries_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT summaries_subject_not_null NOT NULL,
    channel text DEFAULT ''::text CONSTRAINT summaries_channel_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT summaries_instance_not_null NOT NULL,
    title text DEFAULT ''::text CONSTRAINT summaries_title_not_null NOT NULL,
    parent_id uuid,
    previous_id uuid,
    content text CONSTRAINT summaries_content_not_null NOT NULL,
    message_count bigint CONSTRAINT summaries_message_count_not_null NOT NULL,
    earliest_at timestamp with time zone CONSTRAINT summaries_earliest_at_not_null NOT NULL,
    latest_at timestamp with time zone CONSTRAINT summaries_latest_at_not_null NOT NULL,
    token_count integer DEFAULT 0 CONSTRAINT summaries_token_count_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT summaries_model_not_null NOT NULL,
    prompt_version integer DEFAULT 0 CONSTRAINT summaries_prompt_version_not_null NOT NULL,
    revision integer DEFAULT 1 CONSTRAINT summaries_revision_not_null NOT NULL,
    stale boolean DEFAULT false CONSTRAINT summaries_stale_not_null NOT NULL,
    needs_review boolean DEFAULT false CONSTRAINT summaries_needs_review_not_null NOT NULL,
    faithfulness jsonb,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT summaries_created_at_not_null NOT NULL,
    revised_at timestamp with time zone DEFAULT now() CONSTRAINT summaries_revised_at_not_null NOT NULL,
    name text DEFAULT ''::text CONSTRAINT summaries_name_not_null NOT NULL,
    hidden boolean DEFAULT false CONSTRAINT summaries_hidden_not_null NOT NULL,
    CONSTRAINT summaries_check CHECK ((((level >= 1) AND (level <= 3)) = ((conversation_id IS NOT NULL) AND (first_seq IS NOT NULL) AND (last_seq IS NOT NULL)))),
    CONSTRAINT summaries_check1 CHECK ((((level >= 4) AND (level <= 7)) = (period IS NOT NULL))),
    CONSTRAINT summaries_check2 CHECK (((level < 5) OR (level > 7) OR (instance = ''::text))),
    CONSTRAINT summaries_check3 CHECK ((earliest_at <= latest_at)),
    CONSTRAINT summaries_content_check CHECK ((content <> ''::text)),
    CONSTRAINT summaries_level_check CHECK (((level >= 1) AND (level <= 8))),
    CONSTRAINT summaries_message_count_check CHECK ((message_count >= 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.summaries_p3 (
    namespace_id bigint CONSTRAINT summaries_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT summaries_id_not_null NOT NULL,
    level smallint CONSTRAINT summaries_level_not_null NOT NULL,
    conversation_id uuid,
    first_seq bigint,
    last_seq bigint,
    period date,
    agent text DEFAULT ''::text CONSTRAINT summaries_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT summaries_subject_not_null NOT NULL,
    channel text DEFAULT ''::text CONSTRAINT summaries_channel_not_null NOT NULL,
    instance text DEFAULT ''::text CONSTRAINT summaries_instance_not_null NOT NULL,
    title text DEFAULT ''::text CONSTRAINT summaries_title_not_null NOT NULL,
    parent_id uuid,
    previous_id uuid,
    content text CONSTRAINT summaries_content_not_null NOT NULL,
    message_count bigint CONSTRAINT summaries_message_count_not_null NOT NULL,
    earliest_at timestamp with time zone CONSTRAINT summaries_earliest_at_not_null NOT NULL,
    latest_at timestamp with time zone CONSTRAINT summaries_latest_at_not_null NOT NULL,
    token_count integer DEFAULT 0 CONSTRAINT summaries_token_count_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT summaries_model_not_null NOT NULL,
    prompt_version integer DEFAULT 0 CONSTRAINT summaries_prompt_version_not_null NOT NULL,
    revision integer DEFAULT 1 CONSTRAINT summaries_revision_not_null NOT NULL,
    stale boolean DEFAULT false CONSTRAINT summaries_stale_not_null NOT NULL,
    needs_review boolean DEFAULT false CONSTRAINT summaries_needs_review_not_null NOT NULL,
    faithfulness jsonb,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT summaries_created_at_not_null NOT NULL,
    revised_at timestamp with time zone DEFAULT now() CONSTRAINT summaries_revised_at_not_null NOT NULL,
    name text DEFAULT ''::text CONSTRAINT summaries_name_not_null NOT NULL,
    hidden boolean DEFAULT false CONSTRAINT summaries_hidden_not_null NOT NULL,
    CONSTRAINT summaries_check CHECK ((((level >= 1) AND (level <= 3)) = ((conversation_id IS NOT NULL) AND (first_seq IS NOT NULL) AND (last_seq IS NOT NULL)))),
    CONSTRAINT summaries_check1 CHECK ((((level >= 4) AND (level <= 7)) = (period IS NOT NULL))),
    CONSTRAINT summaries_check2 CHECK (((level < 5) OR (level > 7) OR (instance = ''::text))),
    CONSTRAINT summaries_check3 CHECK ((earliest_at <= latest_at)),
    CONSTRAINT summaries_content_check CHECK ((content <> ''::text)),
    CONSTRAINT summaries_level_check CHECK (((level >= 1) AND (level <= 8))),
    CONSTRAINT summaries_message_count_check CHECK ((message_count >= 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.summary_sources (
    namespace_id bigint NOT NULL,
    summary_id uuid NOT NULL,
    ordinal integer NOT NULL,
    axis smallint NOT NULL,
    message_id uuid,
    child_id uuid,
    CONSTRAINT summary_sources_axis_check CHECK (((axis >= 1) AND (axis <= 2))),
    CONSTRAINT summary_sources_check CHECK (((message_id IS NULL) <> (child_id IS NULL))),
    CONSTRAINT summary_sources_ordinal_check CHECK ((ordinal > 0))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.summary_sources IS 'What each node was made from, in order: messages, or nodes of the level below.';

COMMENT ON COLUMN everword.summary_sources.axis IS '1 along a conversation, 2 along the calendar.';

CREATE TABLE everword.summary_sources_p0 (
    namespace_id bigint CONSTRAINT summary_sources_namespace_id_not_null NOT NULL,
    summary_id uuid CONSTRAINT summary_sources_summary_id_not_null NOT NULL,
    ordinal integer CONSTRAINT summary_sources_ordinal_not_null NOT NULL,
    axis smallint CONSTRAINT summary_sources_axis_not_null NOT NULL,
    message_id uuid,
    child_id uuid,
    CONSTRAINT summary_sources_axis_check CHECK (((axis >= 1) AND (axis <= 2))),
    CONSTRAINT summary_sources_check CHECK (((message_id IS NULL) <> (child_id IS NULL))),
    CONSTRAINT summary_sources_ordinal_check CHECK ((ordinal > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.summary_sources_p1 (
    namespace_id bigint CONSTRAINT summary_sources_namespace_id_not_null NOT NULL,
    summary_id uuid CONSTRAINT summary_sources_summary_id_not_null NOT NULL,
    ordinal integer CONSTRAINT summary_sources_ordinal_not_null NOT NULL,
    axis smallint CONSTRAINT summary_sources_axis_not_null NOT NULL,
    message_id uuid,
    child_id uuid,
    CONSTRAINT summary_sources_axis_check CHECK (((axis >= 1) AND (axis <= 2))),
    CONSTRAINT summary_sources_check CHECK (((message_id IS NULL) <> (child_id IS NULL))),
    CONSTRAINT summary_sources_ordinal_check CHECK ((ordinal > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.summary_sources_p2 (
    namespace_id bigint CONSTRAINT summary_sources_namespace_id_not_null NOT NULL,
    summary_id uuid CONSTRAINT summary_sources_summary_id_not_null NOT NULL,
    ordinal integer CONSTRAINT summary_sources_ordinal_not_null NOT NULL,
    axis smallint CONSTRAINT summary_sources_axis_not_null NOT NULL,
    message_id uuid,
    child_id uuid,
    CONSTRAINT summary_sources_axis_check CHECK (((axis >= 1) AND (axis <= 2))),
    CONSTRAINT summary_sources_check CHECK (((message_id IS NULL) <> (child_id IS NULL))),
    CONSTRAINT summary_sources_ordinal_check CHECK ((ordinal > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.summary_sources_p3 (
    namespace_id bigint CONSTRAINT summary_sources_namespace_id_not_null NOT NULL,
    summary_id uuid CONSTRAINT summary_sources_summary_id_not_null NOT NULL,
    ordinal integer CONSTRAINT summary_sources_ordinal_not_null NOT NULL,
    axis smallint CONSTRAINT summary_sources_axis_not_null NOT NULL,
    message_id uuid,
    child_id uuid,
    CONSTRAINT summary_sources_axis_check CHECK (((axis >= 1) AND (axis <= 2))),
    CONSTRAINT summary_sources_check CHECK (((message_id IS NULL) <> (child_id IS NULL))),
    CONSTRAINT summary_sources_ordinal_check CHECK ((ordinal > 0))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.summary_voices (
    namespace_id bigint NOT NULL,
    identity text DEFAULT ''::text NOT NULL,
    user_name text DEFAULT ''::text NOT NULL,
    pronouns text DEFAULT ''::text NOT NULL,
    channel_instructions jsonb DEFAULT '{}'::jsonb NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE everword.summary_voices IS 'Whose memories calendar summaries are: where there is an identity, they are written in the first person.';

CREATE TABLE everword.themes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    place smallint NOT NULL,
    label text NOT NULL,
    words text[] NOT NULL,
    size integer NOT NULL,
    sampled integer NOT NULL,
    source_ids uuid[] NOT NULL,
    generation_id smallint NOT NULL,
    model text DEFAULT ''::text NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.themes IS 'All of a namespace are replaced at once.';

COMMENT ON COLUMN everword.themes.source_ids IS 'The memories nearest to its middle, nearest first.';

COMMENT ON COLUMN everword.themes.generation_id IS 'Whose vectors it was made of.';

COMMENT ON COLUMN everword.themes.model IS 'The language model that wrote the label; empty where words were chosen.';

CREATE TABLE everword.themes_p0 (
    namespace_id bigint CONSTRAINT themes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT themes_id_not_null NOT NULL,
    place smallint CONSTRAINT themes_place_not_null NOT NULL,
    label text CONSTRAINT themes_label_not_null NOT NULL,
    words text[] CONSTRAINT themes_words_not_null NOT NULL,
    size integer CONSTRAINT themes_size_not_null NOT NULL,
    sampled integer CONSTRAINT themes_sampled_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT themes_source_ids_not_null NOT NULL,
    generation_id smallint CONSTRAINT themes_generation_id_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT themes_model_not_null NOT NULL,
    made_at timestamp with time zone DEFAULT now() CONSTRAINT themes_made_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.themes_p1 (
    namespace_id bigint CONSTRAINT themes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT themes_id_not_null NOT NULL,
    place smallint CONSTRAINT themes_place_not_null NOT NULL,
    label text CONSTRAINT themes_label_not_null NOT NULL,
    words text[] CONSTRAINT themes_words_not_null NOT NULL,
    size integer CONSTRAINT themes_size_not_null NOT NULL,
    sampled integer CONSTRAINT themes_sampled_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT themes_source_ids_not_null NOT NULL,
    generation_id smallint CONSTRAINT themes_generation_id_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT themes_model_not_null NOT NULL,
    made_at timestamp with time zone DEFAULT now() CONSTRAINT themes_made_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.themes_p2 (
    namespace_id bigint CONSTRAINT themes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT themes_id_not_null NOT NULL,
    place smallint CONSTRAINT themes_place_not_null NOT NULL,
    label text CONSTRAINT themes_label_not_null NOT NULL,
    words text[] CONSTRAINT themes_words_not_null NOT NULL,
    size integer CONSTRAINT themes_size_not_null NOT NULL,
    sampled integer CONSTRAINT themes_sampled_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT themes_source_ids_not_null NOT NULL,
    generation_id smallint CONSTRAINT themes_generation_id_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT themes_model_not_null NOT NULL,
    made_at timestamp with time zone DEFAULT now() CONSTRAINT themes_made_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.themes_p3 (
    namespace_id bigint CONSTRAINT themes_namespace_id_not_null NOT NULL,
    id uuid CONSTRAINT themes_id_not_null NOT NULL,
    place smallint CONSTRAINT themes_place_not_null NOT NULL,
    label text CONSTRAINT themes_label_not_null NOT NULL,
    words text[] CONSTRAINT themes_words_not_null NOT NULL,
    size integer CONSTRAINT themes_size_not_null NOT NULL,
    sampled integer CONSTRAINT themes_sampled_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT themes_source_ids_not_null NOT NULL,
    generation_id smallint CONSTRAINT themes_generation_id_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT themes_model_not_null NOT NULL,
    made_at timestamp with time zone DEFAULT now() CONSTRAINT themes_made_at_not_null NOT NULL
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.tool_sentence_queue (
    namespace_id bigint NOT NULL,
    message_id uuid NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    not_before timestamp with time zone DEFAULT now() NOT NULL,
    error text,
    enqueued_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT tool_sentence_queue_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'failed'::text])))
);

COMMENT ON TABLE everword.tool_sentence_queue IS 'A row exactly while the sentence of a tool call is pending, or was given up. Ids and states only: work may cross namespaces.';

CREATE TABLE everword.tool_sentences (
    namespace_id bigint NOT NULL,
    message_id uuid NOT NULL,
    content text NOT NULL,
    model text NOT NULL,
    prompt_version integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT tool_sentences_content_check CHECK ((content <> ''::text))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.tool_sentences IS 'What a tool call did, in a sentence, where its message has no words. The message itself never changes. In the index the sentence is part -1 of its message. Automated messages get none.';

CREATE TABLE everword.tool_sentences_p0 (
    namespace_id bigint CONSTRAINT tool_sentences_namespace_id_not_null NOT NULL,
    message_id uuid CONSTRAINT tool_sentences_message_id_not_null NOT NULL,
    content text CONSTRAINT tool_sentences_content_not_null NOT NULL,
    model text CONSTRAINT tool_sentences_model_not_null NOT NULL,
    prompt_version integer CONSTRAINT tool_sentences_prompt_version_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT tool_sentences_created_at_not_null NOT NULL,
    CONSTRAINT tool_sentences_content_check CHECK ((content <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.tool_sentences_p1 (
    namespace_id bigint CONSTRAINT tool_sentences_namespace_id_not_null NOT NULL,
    message_id uuid CONSTRAINT tool_sentences_message_id_not_null NOT NULL,
    content text CONSTRAINT tool_sentences_content_not_null NOT NULL,
    model text CONSTRAINT tool_sentences_model_not_null NOT NULL,
    prompt_version integer CONSTRAINT tool_sentences_prompt_version_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT tool_sentences_created_at_not_null NOT NULL,
    CONSTRAINT tool_sentences_content_check CHECK ((content <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.tool_sentences_p2 (
    namespace_id bigint CONSTRAINT tool_sentences_namespace_id_not_null NOT NULL,
    message_id uuid CONSTRAINT tool_sentences_message_id_not_null NOT NULL,
    content text CONSTRAINT tool_sentences_content_not_null NOT NULL,
    model text CONSTRAINT tool_sentences_model_not_null NOT NULL,
    prompt_version integer CONSTRAINT tool_sentences_prompt_version_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT tool_sentences_created_at_not_null NOT NULL,
    CONSTRAINT tool_sentences_content_check CHECK ((content <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.tool_sentences_p3 (
    namespace_id bigint CONSTRAINT tool_sentences_namespace_id_not_null NOT NULL,
    message_id uuid CONSTRAINT tool_sentences_message_id_not_null NOT NULL,
    content text CONSTRAINT tool_sentences_content_not_null NOT NULL,
    model text CONSTRAINT tool_sentences_model_not_null NOT NULL,
    prompt_version integer CONSTRAINT tool_sentences_prompt_version_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT tool_sentences_created_at_not_null NOT NULL,
    CONSTRAINT tool_sentences_content_check CHECK ((content <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.topic_changes (
    namespace_id bigint NOT NULL,
    id bigint NOT NULL,
    fact_id uuid,
    leaf_id uuid,
    node_id uuid,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT topic_changes_check CHECK ((num_nonnulls(fact_id, leaf_id, node_id) = 1))
);

COMMENT ON TABLE everword.topic_changes IS 'Facts, leaves and nodes that changed and were not looked at yet: a row exactly while it is pending. Rows and not a flag: writers never wait for each other, and nothing that is committed late can be missed.';

ALTER TABLE everword.topic_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.topic_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.topic_pages (
    namespace_id bigint NOT NULL,
    node_id uuid NOT NULL,
    id uuid NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    title text NOT NULL,
    type text NOT NULL,
    content text NOT NULL,
    sections jsonb DEFAULT '[]'::jsonb NOT NULL,
    source_ids uuid[] NOT NULL,
    source_kinds smallint[] NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    model text DEFAULT ''::text NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT topic_pages_check CHECK ((cardinality(source_ids) = cardinality(source_kinds))),
    CONSTRAINT topic_pages_content_check CHECK ((content <> ''::text)),
    CONSTRAINT topic_pages_title_check CHECK ((title <> ''::text))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.topic_pages IS 'A page about a node of the graph, which stands for its sources and supersedes none: replaced under its id as these change. Names that a node had, and nodes that were merged into it, lead to it by graph_names and merged_into.';

COMMENT ON COLUMN everword.topic_pages.sections IS 'What a language model wrote: an array of {heading, text, sources}, of which all were checked.';

COMMENT ON COLUMN everword.topic_pages.source_ids IS 'What it cites: [1] is the first. The text of a source that is erased may stand in the page.';

COMMENT ON COLUMN everword.topic_pages.source_kinds IS 'Of source_ids: leaves (2), and facts (4).';

CREATE TABLE everword.topic_pages_p0 (
    namespace_id bigint CONSTRAINT topic_pages_namespace_id_not_null NOT NULL,
    node_id uuid CONSTRAINT topic_pages_node_id_not_null NOT NULL,
    id uuid CONSTRAINT topic_pages_id_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT topic_pages_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT topic_pages_subject_not_null NOT NULL,
    title text CONSTRAINT topic_pages_title_not_null NOT NULL,
    type text CONSTRAINT topic_pages_type_not_null NOT NULL,
    content text CONSTRAINT topic_pages_content_not_null NOT NULL,
    sections jsonb DEFAULT '[]'::jsonb CONSTRAINT topic_pages_sections_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT topic_pages_source_ids_not_null NOT NULL,
    source_kinds smallint[] CONSTRAINT topic_pages_source_kinds_not_null NOT NULL,
    revision integer DEFAULT 1 CONSTRAINT topic_pages_revision_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT topic_pages_model_not_null NOT NULL,
    made_at timestamp with time zone DEFAULT now() CONSTRAINT topic_pages_made_at_not_null NOT NULL,
    CONSTRAINT topic_pages_check CHECK ((cardinality(source_ids) = cardinality(source_kinds))),
    CONSTRAINT topic_pages_content_check CHECK ((content <> ''::text)),
    CONSTRAINT topic_pages_title_check CHECK ((title <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.topic_pages_p1 (
    namespace_id bigint CONSTRAINT topic_pages_namespace_id_not_null NOT NULL,
    node_id uuid CONSTRAINT topic_pages_node_id_not_null NOT NULL,
    id uuid CONSTRAINT topic_pages_id_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT topic_pages_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT topic_pages_subject_not_null NOT NULL,
    title text CONSTRAINT topic_pages_title_not_null NOT NULL,
    type text CONSTRAINT topic_pages_type_not_null NOT NULL,
    content text CONSTRAINT topic_pages_content_not_null NOT NULL,
    sections jsonb DEFAULT '[]'::jsonb CONSTRAINT topic_pages_sections_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT topic_pages_source_ids_not_null NOT NULL,
    source_kinds smallint[] CONSTRAINT topic_pages_source_kinds_not_null NOT NULL,
    revision integer DEFAULT 1 CONSTRAINT topic_pages_revision_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT topic_pages_model_not_null NOT NULL,
    made_at timestamp with time zone DEFAULT now() CONSTRAINT topic_pages_made_at_not_null NOT NULL,
    CONSTRAINT topic_pages_check CHECK ((cardinality(source_ids) = cardinality(source_kinds))),
    CONSTRAINT topic_pages_content_check CHECK ((content <> ''::text)),
    CONSTRAINT topic_pages_title_check CHECK ((title <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.topic_pages_p2 (
    namespace_id bigint CONSTRAINT topic_pages_namespace_id_not_null NOT NULL,
    node_id uuid CONSTRAINT topic_pages_node_id_not_null NOT NULL,
    id uuid CONSTRAINT topic_pages_id_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT topic_pages_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT topic_pages_subject_not_null NOT NULL,
    title text CONSTRAINT topic_pages_title_not_null NOT NULL,
    type text CONSTRAINT topic_pages_type_not_null NOT NULL,
    content text CONSTRAINT topic_pages_content_not_null NOT NULL,
    sections jsonb DEFAULT '[]'::jsonb CONSTRAINT topic_pages_sections_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT topic_pages_source_ids_not_null NOT NULL,
    source_kinds smallint[] CONSTRAINT topic_pages_source_kinds_not_null NOT NULL,
    revision integer DEFAULT 1 CONSTRAINT topic_pages_revision_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT topic_pages_model_not_null NOT NULL,
    made_at timestamp with time zone DEFAULT now() CONSTRAINT topic_pages_made_at_not_null NOT NULL,
    CONSTRAINT topic_pages_check CHECK ((cardinality(source_ids) = cardinality(source_kinds))),
    CONSTRAINT topic_pages_content_check CHECK ((content <> ''::text)),
    CONSTRAINT topic_pages_title_check CHECK ((title <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.topic_pages_p3 (
    namespace_id bigint CONSTRAINT topic_pages_namespace_id_not_null NOT NULL,
    node_id uuid CONSTRAINT topic_pages_node_id_not_null NOT NULL,
    id uuid CONSTRAINT topic_pages_id_not_null NOT NULL,
    agent text DEFAULT ''::text CONSTRAINT topic_pages_agent_not_null NOT NULL,
    subject text DEFAULT ''::text CONSTRAINT topic_pages_subject_not_null NOT NULL,
    title text CONSTRAINT topic_pages_title_not_null NOT NULL,
    type text CONSTRAINT topic_pages_type_not_null NOT NULL,
    content text CONSTRAINT topic_pages_content_not_null NOT NULL,
    sections jsonb DEFAULT '[]'::jsonb CONSTRAINT topic_pages_sections_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT topic_pages_source_ids_not_null NOT NULL,
    source_kinds smallint[] CONSTRAINT topic_pages_source_kinds_not_null NOT NULL,
    revision integer DEFAULT 1 CONSTRAINT topic_pages_revision_not_null NOT NULL,
    model text DEFAULT ''::text CONSTRAINT topic_pages_model_not_null NOT NULL,
    made_at timestamp with time zone DEFAULT now() CONSTRAINT topic_pages_made_at_not_null NOT NULL,
    CONSTRAINT topic_pages_check CHECK ((cardinality(source_ids) = cardinality(source_kinds))),
    CONSTRAINT topic_pages_content_check CHECK ((content <> ''::text)),
    CONSTRAINT topic_pages_title_check CHECK ((title <> ''::text))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.topic_sources (
    namespace_id bigint NOT NULL,
    node_id uuid NOT NULL,
    source_id uuid NOT NULL,
    kind smallint NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT topic_sources_kind_check CHECK ((kind = ANY (ARRAY[2, 4])))
)
PARTITION BY HASH (namespace_id);

COMMENT ON TABLE everword.topic_sources IS 'What is known to be about a node of the graph, of its own subject alone: leaves (kind 2), and facts (kind 4).';

COMMENT ON COLUMN everword.topic_sources.changed_at IS 'When the source was last seen to have changed: what was written of it before is out of date.';

CREATE TABLE everword.topic_sources_p0 (
    namespace_id bigint CONSTRAINT topic_sources_namespace_id_not_null NOT NULL,
    node_id uuid CONSTRAINT topic_sources_node_id_not_null NOT NULL,
    source_id uuid CONSTRAINT topic_sources_source_id_not_null NOT NULL,
    kind smallint CONSTRAINT topic_sources_kind_not_null NOT NULL,
    changed_at timestamp with time zone DEFAULT now() CONSTRAINT topic_sources_changed_at_not_null NOT NULL,
    CONSTRAINT topic_sources_kind_check CHECK ((kind = ANY (ARRAY[2, 4])))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.topic_sources_p1 (
    namespace_id bigint CONSTRAINT topic_sources_namespace_id_not_null NOT NULL,
    node_id uuid CONSTRAINT topic_sources_node_id_not_null NOT NULL,
    source_id uuid CONSTRAINT topic_sources_source_id_not_null NOT NULL,
    kind smallint CONSTRAINT topic_sources_kind_not_null NOT NULL,
    changed_at timestamp with time zone DEFAULT now() CONSTRAINT topic_sources_changed_at_not_null NOT NULL,
    CONSTRAINT topic_sources_kind_check CHECK ((kind = ANY (ARRAY[2, 4])))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.topic_sources_p2 (
    namespace_id bigint CONSTRAINT topic_sources_namespace_id_not_null NOT NULL,
    node_id uuid CONSTRAINT topic_sources_node_id_not_null NOT NULL,
    source_id uuid CONSTRAINT topic_sources_source_id_not_null NOT NULL,
    kind smallint CONSTRAINT topic_sources_kind_not_null NOT NULL,
    changed_at timestamp with time zone DEFAULT now() CONSTRAINT topic_sources_changed_at_not_null NOT NULL,
    CONSTRAINT topic_sources_kind_check CHECK ((kind = ANY (ARRAY[2, 4])))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.topic_sources_p3 (
    namespace_id bigint CONSTRAINT topic_sources_namespace_id_not_null NOT NULL,
    node_id uuid CONSTRAINT topic_sources_node_id_not_null NOT NULL,
    source_id uuid CONSTRAINT topic_sources_source_id_not_null NOT NULL,
    kind smallint CONSTRAINT topic_sources_kind_not_null NOT NULL,
    changed_at timestamp with time zone DEFAULT now() CONSTRAINT topic_sources_changed_at_not_null NOT NULL,
    CONSTRAINT topic_sources_kind_check CHECK ((kind = ANY (ARRAY[2, 4])))
)
WITH (autovacuum_analyze_threshold='500', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE everword.trajectories (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    version integer NOT NULL,
    phase text NOT NULL,
    direction text NOT NULL,
    stability smallint NOT NULL,
    anchors text[] NOT NULL,
    volatile_areas text[] NOT NULL,
    momentum text NOT NULL,
    predicted_shifts text[] NOT NULL,
    summary text NOT NULL,
    sessions integer NOT NULL,
    model text NOT NULL,
    prompt_version integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT trajectories_sessions_check CHECK ((sessions >= 0)),
    CONSTRAINT trajectories_stability_check CHECK (((stability >= 1) AND (stability <= 3))),
    CONSTRAINT trajectories_version_check CHECK ((version > 0))
);

COMMENT ON TABLE everword.trajectories IS 'Where a subject is heading, as it was seen at a time. The highest version is the current one.';

COMMENT ON COLUMN everword.trajectories.stability IS 'Values equal proto Stability.';

COMMENT ON COLUMN everword.trajectories.sessions IS 'How many sessions of the subject had been digested by then.';

CREATE VIEW everword.transferred_counts AS
 SELECT namespace_id,
    (sum(conversations))::bigint AS conversations,
    (sum(messages))::bigint AS messages,
    (sum(turns))::bigint AS turns,
    (sum(passages))::bigint AS passages,
    (sum(lexemes))::bigint AS lexemes,
    (sum(content_bytes))::bigint AS content_bytes,
    (sum(dropped))::bigint AS dropped
   FROM everword.corpus_counts
  GROUP BY namespace_id;

CREATE TABLE everword.usage_ledger (
    namespace_id bigint NOT NULL,
    id bigint NOT NULL,
    task text NOT NULL,
    model text NOT NULL,
    endpoint text DEFAULT ''::text NOT NULL,
    input_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    outcome text NOT NULL,
    seconds double precision NOT NULL,
    called_at timestamp with time zone DEFAULT now() NOT NULL,
    own boolean DEFAULT true NOT NULL,
    provider text DEFAULT ''::text NOT NULL,
    cached_tokens bigint DEFAULT 0 NOT NULL,
    cost numeric,
    currency text DEFAULT ''::text NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    session_key text DEFAULT ''::text NOT NULL,
    conversation_id uuid,
    run_id text DEFAULT ''::text NOT NULL,
    batch_id uuid,
    CONSTRAINT usage_ledger_cost_check CHECK ((cost >= (0)::numeric))
);

COMMENT ON TABLE everword.usage_ledger IS 'What language models were asked for a namespace, by the services and by its agents, call by call, with what it cost.';

COMMENT ON COLUMN everword.usage_ledger.task IS 'The purpose of the call.';

COMMENT ON COLUMN everword.usage_ledger.own IS 'Whether a service of Everword asked; else an agent did, and reported it.';

COMMENT ON COLUMN everword.usage_ledger.cached_tokens IS 'Those of input_tokens that the provider had cached.';

COMMENT ON COLUMN everword.usage_ledger.cost IS 'In `currency`, exact; NULL where the model has no price: then nobody knows what it cost.';

COMMENT ON COLUMN everword.usage_ledger.batch_id IS 'The call of RecordUsage that reported it.';

ALTER TABLE everword.usage_ledger ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.usage_ledger_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.user_models (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    dimension text NOT NULL,
    value text NOT NULL,
    held_from timestamp with time zone NOT NULL,
    held_until timestamp with time zone,
    last_seen_at timestamp with time zone NOT NULL,
    supporting integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT user_models_check CHECK ((held_until >= held_from)),
    CONSTRAINT user_models_supporting_check CHECK ((supporting > 0))
);

COMMENT ON TABLE everword.user_models IS 'How a subject communicates: a value of one dimension, and when it held. What is learned anew gets a row of its own.';

CREATE VIEW everword.visible_memories AS
 SELECT namespace_id,
    id,
    kind,
    source_id,
    part,
    conversation_id,
    seq,
    agent,
    subject,
    channel,
    instance,
    author,
    role,
    tags,
    importance_class,
    automated,
    occurred_at,
    content,
    lexemes,
    lexeme_count,
    literals,
    ranking,
    valid_from,
    valid_until,
    known_from,
    known_until
   FROM everword.memories
  WHERE ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND (( SELECT (COALESCE(current_setting('everword.hides'::text, true), ''::text) = ANY (ARRAY[''::text, '0'::text]))) OR (NOT everword.hidden_passage(namespace_id, conversation_id, author, id))))
  WITH LOCAL CHECK OPTION;

COMMENT ON VIEW everword.visible_memories IS 'The memories of the namespace that the transaction is set to.';

CREATE VIEW everword.visible_vectors_1 AS
 SELECT namespace_id,
    memory_id,
    embedding
   FROM everword.memory_vectors_1
  WHERE (namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)
  WITH LOCAL CHECK OPTION;

CREATE VIEW everword_scoped.visible_memories AS
 SELECT namespace_id,
    id,
    kind,
    source_id,
    part,
    conversation_id,
    seq,
    agent,
    subject,
    channel,
    instance,
    author,
    role,
    tags,
    importance_class,
    automated,
    occurred_at,
    content,
    lexemes,
    lexeme_count,
    literals,
    ranking,
    valid_from,
    valid_until,
    known_from,
    known_until
   FROM everword.visible_memories
  WHERE everword.in_scope(agent, subject)
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW everword_scoped.visible_memories IS 'The memories of what the transaction is bound to.';

ALTER TABLE ONLY everword.checkpoint_counters ATTACH PARTITION everword.checkpoint_counters_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.checkpoint_counters ATTACH PARTITION everword.checkpoint_counters_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.checkpoint_counters ATTACH PARTITION everword.checkpoint_counters_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.checkpoint_counters ATTACH PARTITION everword.checkpoint_counters_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.checkpoints ATTACH PARTITION everword.checkpoints_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.checkpoints ATTACH PARTITION everword.checkpoints_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.checkpoints ATTACH PARTITION everword.checkpoints_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.checkpoints ATTACH PARTITION everword.checkpoints_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.conversations ATTACH PARTITION everword.conversations_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.conversations ATTACH PARTITION everword.conversations_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.conversations ATTACH PARTITION everword.conversations_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.conversations ATTACH PARTITION everword.conversations_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.document_chunks ATTACH PARTITION everword.document_chunks_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.document_chunks ATTACH PARTITION everword.document_chunks_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.document_chunks ATTACH PARTITION everword.document_chunks_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.document_chunks ATTACH PARTITION everword.document_chunks_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.document_versions ATTACH PARTITION everword.document_versions_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.document_versions ATTACH PARTITION everword.document_versions_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.document_versions ATTACH PARTITION everword.document_versions_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.document_versions ATTACH PARTITION everword.document_versions_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.documents ATTACH PARTITION everword.documents_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.documents ATTACH PARTITION everword.documents_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.documents ATTACH PARTITION everword.documents_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.documents ATTACH PARTITION everword.documents_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.events ATTACH PARTITION everword.events_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.events ATTACH PARTITION everword.events_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.events ATTACH PARTITION everword.events_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.events ATTACH PARTITION everword.events_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.fact_changes ATTACH PARTITION everword.fact_changes_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.fact_changes ATTACH PARTITION everword.fact_changes_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.fact_changes ATTACH PARTITION everword.fact_changes_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.fact_changes ATTACH PARTITION everword.fact_changes_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.fact_disputes ATTACH PARTITION everword.fact_disputes_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.fact_disputes ATTACH PARTITION everword.fact_disputes_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.fact_disputes ATTACH PARTITION everword.fact_disputes_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.fact_disputes ATTACH PARTITION everword.fact_disputes_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.fact_edges ATTACH PARTITION everword.fact_edges_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.fact_edges ATTACH PARTITION everword.fact_edges_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.fact_edges ATTACH PARTITION everword.fact_edges_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.fact_edges ATTACH PARTITION everword.fact_edges_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.fact_evidence ATTACH PARTITION everword.fact_evidence_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.fact_evidence ATTACH PARTITION everword.fact_evidence_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.fact_evidence ATTACH PARTITION everword.fact_evidence_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.fact_evidence ATTACH PARTITION everword.fact_evidence_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.fact_intervals ATTACH PARTITION everword.fact_intervals_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.fact_intervals ATTACH PARTITION everword.fact_intervals_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.fact_intervals ATTACH PARTITION everword.fact_intervals_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.fact_intervals ATTACH PARTITION everword.fact_intervals_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.facts ATTACH PARTITION everword.facts_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.facts ATTACH PARTITION everword.facts_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.facts ATTACH PARTITION everword.facts_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.facts ATTACH PARTITION everword.facts_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.graph_edges ATTACH PARTITION everword.graph_edges_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.graph_edges ATTACH PARTITION everword.graph_edges_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.graph_edges ATTACH PARTITION everword.graph_edges_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.graph_edges ATTACH PARTITION everword.graph_edges_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.graph_names ATTACH PARTITION everword.graph_names_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.graph_names ATTACH PARTITION everword.graph_names_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.graph_names ATTACH PARTITION everword.graph_names_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.graph_names ATTACH PARTITION everword.graph_names_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.graph_node_versions ATTACH PARTITION everword.graph_node_versions_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.graph_node_versions ATTACH PARTITION everword.graph_node_versions_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.graph_node_versions ATTACH PARTITION everword.graph_node_versions_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.graph_node_versions ATTACH PARTITION everword.graph_node_versions_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.graph_nodes ATTACH PARTITION everword.graph_nodes_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.graph_nodes ATTACH PARTITION everword.graph_nodes_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.graph_nodes ATTACH PARTITION everword.graph_nodes_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.graph_nodes ATTACH PARTITION everword.graph_nodes_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.learned_evidence ATTACH PARTITION everword.learned_evidence_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.learned_evidence ATTACH PARTITION everword.learned_evidence_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.learned_evidence ATTACH PARTITION everword.learned_evidence_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.learned_evidence ATTACH PARTITION everword.learned_evidence_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.lore_books ATTACH PARTITION everword.lore_books_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.lore_books ATTACH PARTITION everword.lore_books_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.lore_books ATTACH PARTITION everword.lore_books_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.lore_books ATTACH PARTITION everword.lore_books_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.lore_entries ATTACH PARTITION everword.lore_entries_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.lore_entries ATTACH PARTITION everword.lore_entries_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.lore_entries ATTACH PARTITION everword.lore_entries_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.lore_entries ATTACH PARTITION everword.lore_entries_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.memories ATTACH PARTITION everword.memories_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.memories ATTACH PARTITION everword.memories_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.memories ATTACH PARTITION everword.memories_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.memories ATTACH PARTITION everword.memories_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.memory_vectors_1 ATTACH PARTITION everword.memory_vectors_1_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.memory_vectors_1 ATTACH PARTITION everword.memory_vectors_1_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.memory_vectors_1 ATTACH PARTITION everword.memory_vectors_1_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.memory_vectors_1 ATTACH PARTITION everword.memory_vectors_1_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.messages ATTACH PARTITION everword.messages_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.messages ATTACH PARTITION everword.messages_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.messages ATTACH PARTITION everword.messages_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.messages ATTACH PARTITION everword.messages_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.note_versions ATTACH PARTITION everword.note_versions_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.note_versions ATTACH PARTITION everword.note_versions_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.note_versions ATTACH PARTITION everword.note_versions_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.note_versions ATTACH PARTITION everword.note_versions_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.notes ATTACH PARTITION everword.notes_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.notes ATTACH PARTITION everword.notes_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.notes ATTACH PARTITION everword.notes_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.notes ATTACH PARTITION everword.notes_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.pattern_decisions ATTACH PARTITION everword.pattern_decisions_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.pattern_decisions ATTACH PARTITION everword.pattern_decisions_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.pattern_decisions ATTACH PARTITION everword.pattern_decisions_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.pattern_decisions ATTACH PARTITION everword.pattern_decisions_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.pattern_outcomes ATTACH PARTITION everword.pattern_outcomes_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.pattern_outcomes ATTACH PARTITION everword.pattern_outcomes_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.pattern_outcomes ATTACH PARTITION everword.pattern_outcomes_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.pattern_outcomes ATTACH PARTITION everword.pattern_outcomes_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.patterns ATTACH PARTITION everword.patterns_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.patterns ATTACH PARTITION everword.patterns_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.patterns ATTACH PARTITION everword.patterns_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.patterns ATTACH PARTITION everword.patterns_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.people ATTACH PARTITION everword.people_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.people ATTACH PARTITION everword.people_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.people ATTACH PARTITION everword.people_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.people ATTACH PARTITION everword.people_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.session_observations ATTACH PARTITION everword.session_observations_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.session_observations ATTACH PARTITION everword.session_observations_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.session_observations ATTACH PARTITION everword.session_observations_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.session_observations ATTACH PARTITION everword.session_observations_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.sleep_sessions ATTACH PARTITION everword.sleep_sessions_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.sleep_sessions ATTACH PARTITION everword.sleep_sessions_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.sleep_sessions ATTACH PARTITION everword.sleep_sessions_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.sleep_sessions ATTACH PARTITION everword.sleep_sessions_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.strategies ATTACH PARTITION everword.strategies_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.strategies ATTACH PARTITION everword.strategies_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.strategies ATTACH PARTITION everword.strategies_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.strategies ATTACH PARTITION everword.strategies_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.summaries ATTACH PARTITION everword.summaries_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.summaries ATTACH PARTITION everword.summaries_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.summaries ATTACH PARTITION everword.summaries_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.summaries ATTACH PARTITION everword.summaries_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.summary_sources ATTACH PARTITION everword.summary_sources_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.summary_sources ATTACH PARTITION everword.summary_sources_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.summary_sources ATTACH PARTITION everword.summary_sources_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.summary_sources ATTACH PARTITION everword.summary_sources_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.themes ATTACH PARTITION everword.themes_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.themes ATTACH PARTITION everword.themes_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.themes ATTACH PARTITION everword.themes_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.themes ATTACH PARTITION everword.themes_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.tool_sentences ATTACH PARTITION everword.tool_sentences_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.tool_sentences ATTACH PARTITION everword.tool_sentences_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.tool_sentences ATTACH PARTITION everword.tool_sentences_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.tool_sentences ATTACH PARTITION everword.tool_sentences_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.topic_pages ATTACH PARTITION everword.topic_pages_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.topic_pages ATTACH PARTITION everword.topic_pages_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.topic_pages ATTACH PARTITION everword.topic_pages_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.topic_pages ATTACH PARTITION everword.topic_pages_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.topic_sources ATTACH PARTITION everword.topic_sources_p0 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY everword.topic_sources ATTACH PARTITION everword.topic_sources_p1 FOR VALUES WITH (modulus 4, remainder 1);

ALTER TABLE ONLY everword.topic_sources ATTACH PARTITION everword.topic_sources_p2 FOR VALUES WITH (modulus 4, remainder 2);

ALTER TABLE ONLY everword.topic_sources ATTACH PARTITION everword.topic_sources_p3 FOR VALUES WITH (modulus 4, remainder 3);

ALTER TABLE ONLY everword.advisor_grants
    ADD CONSTRAINT advisor_grants_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.api_keys
    ADD CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash);

ALTER TABLE ONLY everword.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY everword.append_requests
    ADD CONSTRAINT append_requests_pkey PRIMARY KEY (namespace_id, request_id);

ALTER TABLE ONLY everword.author_names
    ADD CONSTRAINT author_names_pkey PRIMARY KEY (namespace_id, name);

ALTER TABLE ONLY everword.budget_events
    ADD CONSTRAINT budget_events_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.budget_spending
    ADD CONSTRAINT budget_spending_pkey PRIMARY KEY (namespace_id, budget_id, period);

ALTER TABLE ONLY everword.budgets
    ADD CONSTRAINT budgets_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.calendar_pending
    ADD CONSTRAINT calendar_pending_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.calibrations
    ADD CONSTRAINT calibrations_profile_generation_id_key UNIQUE NULLS NOT DISTINCT (profile, generation_id);

ALTER TABLE ONLY everword.checkpoint_counters
    ADD CONSTRAINT checkpoint_counters_pkey PRIMARY KEY (namespace_id, conversation_id);

ALTER TABLE ONLY everword.checkpoint_counters_p0
    ADD CONSTRAINT checkpoint_counters_p0_pkey PRIMARY KEY (namespace_id, conversation_id);

ALTER TABLE ONLY everword.checkpoint_counters_p1
    ADD CONSTRAINT checkpoint_counters_p1_pkey PRIMARY KEY (namespace_id, conversation_id);

ALTER TABLE ONLY everword.checkpoint_counters_p2
    ADD CONSTRAINT checkpoint_counters_p2_pkey PRIMARY KEY (namespace_id, conversation_id);

ALTER TABLE ONLY everword.checkpoint_counters_p3
    ADD CONSTRAINT checkpoint_counters_p3_pkey PRIMARY KEY (namespace_id, conversation_id);

ALTER TABLE ONLY everword.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.checkpoints_p0
    ADD CONSTRAINT checkpoints_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.checkpoints_p1
    ADD CONSTRAINT checkpoints_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.checkpoints_p2
    ADD CONSTRAINT checkpoints_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.checkpoints_p3
    ADD CONSTRAINT checkpoints_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.compaction_progress
    ADD CONSTRAINT compaction_progress_pkey PRIMARY KEY (namespace_id, conversation_id);

ALTER TABLE ONLY everword.conversations
    ADD CONSTRAINT conversations_namespace_id_channel_agent_session_key_key UNIQUE (namespace_id, channel, agent, session_key);

ALTER TABLE ONLY everword.conversations_p0
    ADD CONSTRAINT conversations_p0_namespace_id_channel_agent_session_key_key UNIQUE (namespace_id, channel, agent, session_key);

ALTER TABLE ONLY everword.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.conversations_p0
    ADD CONSTRAINT conversations_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.conversations_p1
    ADD CONSTRAINT conversations_p1_namespace_id_channel_agent_session_key_key UNIQUE (namespace_id, channel, agent, session_key);

ALTER TABLE ONLY everword.conversations_p1
    ADD CONSTRAINT conversations_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.conversations_p2
    ADD CONSTRAINT conversations_p2_namespace_id_channel_agent_session_key_key UNIQUE (namespace_id, channel, agent, session_key);

ALTER TABLE ONLY everword.conversations_p2
    ADD CONSTRAINT conversations_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.conversations_p3
    ADD CONSTRAINT conversations_p3_namespace_id_channel_agent_session_key_key UNIQUE (namespace_id, channel, agent, session_key);

ALTER TABLE ONLY everword.conversations_p3
    ADD CONSTRAINT conversations_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.corpus_counts
    ADD CONSTRAINT corpus_counts_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.deployment
    ADD CONSTRAINT deployment_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY everword.document_chunks
    ADD CONSTRAINT document_chunks_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.document_chunks_p0
    ADD CONSTRAINT document_chunks_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.document_chunks_p1
    ADD CONSTRAINT document_chunks_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.document_chunks_p2
    ADD CONSTRAINT document_chunks_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.document_chunks_p3
    ADD CONSTRAINT document_chunks_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.document_versions
    ADD CONSTRAINT document_versions_pkey PRIMARY KEY (namespace_id, document_id, version);

ALTER TABLE ONLY everword.document_versions_p0
    ADD CONSTRAINT document_versions_p0_pkey PRIMARY KEY (namespace_id, document_id, version);

ALTER TABLE ONLY everword.document_versions_p1
    ADD CONSTRAINT document_versions_p1_pkey PRIMARY KEY (namespace_id, document_id, version);

ALTER TABLE ONLY everword.document_versions_p2
    ADD CONSTRAINT document_versions_p2_pkey PRIMARY KEY (namespace_id, document_id, version);

ALTER TABLE ONLY everword.document_versions_p3
    ADD CONSTRAINT document_versions_p3_pkey PRIMARY KEY (namespace_id, document_id, version);

ALTER TABLE ONLY everword.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.documents_p0
    ADD CONSTRAINT documents_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.documents_p1
    ADD CONSTRAINT documents_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.documents_p2
    ADD CONSTRAINT documents_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.documents_p3
    ADD CONSTRAINT documents_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.embedding_pauses
    ADD CONSTRAINT embedding_pauses_pkey PRIMARY KEY (namespace_id, generation_id);

ALTER TABLE ONLY everword.embedding_queue
    ADD CONSTRAINT embedding_queue_pkey PRIMARY KEY (namespace_id, memory_id, generation_id);

ALTER TABLE ONLY everword.erased_external_ids
    ADD CONSTRAINT erased_external_ids_pkey PRIMARY KEY (namespace_id, hash);

ALTER TABLE ONLY everword.erasure_rules
    ADD CONSTRAINT erasure_rules_pkey PRIMARY KEY (target, relation, key_column);

ALTER TABLE ONLY everword.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.events_p0
    ADD CONSTRAINT events_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.events_p1
    ADD CONSTRAINT events_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.events_p2
    ADD CONSTRAINT events_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.events_p3
    ADD CONSTRAINT events_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_changes
    ADD CONSTRAINT fact_changes_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_changes_p0
    ADD CONSTRAINT fact_changes_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_changes_p1
    ADD CONSTRAINT fact_changes_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_changes_p2
    ADD CONSTRAINT fact_changes_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_changes_p3
    ADD CONSTRAINT fact_changes_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_disputes
    ADD CONSTRAINT fact_disputes_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_disputes_p0
    ADD CONSTRAINT fact_disputes_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_disputes_p1
    ADD CONSTRAINT fact_disputes_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_disputes_p2
    ADD CONSTRAINT fact_disputes_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_disputes_p3
    ADD CONSTRAINT fact_disputes_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_edges
    ADD CONSTRAINT fact_edges_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_edges_p0
    ADD CONSTRAINT fact_edges_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_edges_p1
    ADD CONSTRAINT fact_edges_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_edges_p2
    ADD CONSTRAINT fact_edges_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_edges_p3
    ADD CONSTRAINT fact_edges_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_evidence
    ADD CONSTRAINT fact_evidence_namespace_id_fact_id_message_id_contradicts_key UNIQUE (namespace_id, fact_id, message_id, contradicts);

ALTER TABLE ONLY everword.fact_evidence_p0
    ADD CONSTRAINT fact_evidence_p0_namespace_id_fact_id_message_id_contradict_key UNIQUE (namespace_id, fact_id, message_id, contradicts);

ALTER TABLE ONLY everword.fact_evidence
    ADD CONSTRAINT fact_evidence_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_evidence_p0
    ADD CONSTRAINT fact_evidence_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_evidence_p1
    ADD CONSTRAINT fact_evidence_p1_namespace_id_fact_id_message_id_contradict_key UNIQUE (namespace_id, fact_id, message_id, contradicts);

ALTER TABLE ONLY everword.fact_evidence_p1
    ADD CONSTRAINT fact_evidence_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_evidence_p2
    ADD CONSTRAINT fact_evidence_p2_namespace_id_fact_id_message_id_contradict_key UNIQUE (namespace_id, fact_id, message_id, contradicts);

ALTER TABLE ONLY everword.fact_evidence_p2
    ADD CONSTRAINT fact_evidence_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_evidence_p3
    ADD CONSTRAINT fact_evidence_p3_namespace_id_fact_id_message_id_contradict_key UNIQUE (namespace_id, fact_id, message_id, contradicts);

ALTER TABLE ONLY everword.fact_evidence_p3
    ADD CONSTRAINT fact_evidence_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_intervals
    ADD CONSTRAINT fact_intervals_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_intervals_p0
    ADD CONSTRAINT fact_intervals_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_intervals_p1
    ADD CONSTRAINT fact_intervals_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_intervals_p2
    ADD CONSTRAINT fact_intervals_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.fact_intervals_p3
    ADD CONSTRAINT fact_intervals_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.facts
    ADD CONSTRAINT facts_namespace_id_subject_attribute_value_hash_key UNIQUE (namespace_id, subject, attribute, value_hash);

ALTER TABLE ONLY everword.facts_p0
    ADD CONSTRAINT facts_p0_namespace_id_subject_attribute_value_hash_key UNIQUE (namespace_id, subject, attribute, value_hash);

ALTER TABLE ONLY everword.facts
    ADD CONSTRAINT facts_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.facts_p0
    ADD CONSTRAINT facts_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.facts_p1
    ADD CONSTRAINT facts_p1_namespace_id_subject_attribute_value_hash_key UNIQUE (namespace_id, subject, attribute, value_hash);

ALTER TABLE ONLY everword.facts_p1
    ADD CONSTRAINT facts_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.facts_p2
    ADD CONSTRAINT facts_p2_namespace_id_subject_attribute_value_hash_key UNIQUE (namespace_id, subject, attribute, value_hash);

ALTER TABLE ONLY everword.facts_p2
    ADD CONSTRAINT facts_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.facts_p3
    ADD CONSTRAINT facts_p3_namespace_id_subject_attribute_value_hash_key UNIQUE (namespace_id, subject, attribute, value_hash);

ALTER TABLE ONLY everword.facts_p3
    ADD CONSTRAINT facts_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_edges
    ADD CONSTRAINT graph_edges_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_edges_p0
    ADD CONSTRAINT graph_edges_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_edges_p1
    ADD CONSTRAINT graph_edges_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_edges_p2
    ADD CONSTRAINT graph_edges_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_edges_p3
    ADD CONSTRAINT graph_edges_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_names
    ADD CONSTRAINT graph_names_pkey PRIMARY KEY (namespace_id, label_hash, type, agent, subject);

ALTER TABLE ONLY everword.graph_names_p0
    ADD CONSTRAINT graph_names_p0_pkey PRIMARY KEY (namespace_id, label_hash, type, agent, subject);

ALTER TABLE ONLY everword.graph_names_p1
    ADD CONSTRAINT graph_names_p1_pkey PRIMARY KEY (namespace_id, label_hash, type, agent, subject);

ALTER TABLE ONLY everword.graph_names_p2
    ADD CONSTRAINT graph_names_p2_pkey PRIMARY KEY (namespace_id, label_hash, type, agent, subject);

ALTER TABLE ONLY everword.graph_names_p3
    ADD CONSTRAINT graph_names_p3_pkey PRIMARY KEY (namespace_id, label_hash, type, agent, subject);

ALTER TABLE ONLY everword.graph_node_versions
    ADD CONSTRAINT graph_node_versions_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_node_versions_p0
    ADD CONSTRAINT graph_node_versions_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_node_versions_p1
    ADD CONSTRAINT graph_node_versions_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_node_versions_p2
    ADD CONSTRAINT graph_node_versions_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_node_versions_p3
    ADD CONSTRAINT graph_node_versions_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_nodes
    ADD CONSTRAINT graph_nodes_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_nodes_p0
    ADD CONSTRAINT graph_nodes_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_nodes_p1
    ADD CONSTRAINT graph_nodes_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_nodes_p2
    ADD CONSTRAINT graph_nodes_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.graph_nodes_p3
    ADD CONSTRAINT graph_nodes_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.importance_suggestions
    ADD CONSTRAINT importance_suggestions_pkey PRIMARY KEY (namespace_id, memory_id);

ALTER TABLE ONLY everword.index_changes
    ADD CONSTRAINT index_changes_pkey PRIMARY KEY (namespace_id, xid, id);

ALTER TABLE ONLY everword.jobs
    ADD CONSTRAINT jobs_namespace_id_task_subject_key UNIQUE (namespace_id, task, subject);

ALTER TABLE ONLY everword.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id, namespace_id);

ALTER TABLE ONLY everword.learned_changes
    ADD CONSTRAINT learned_changes_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.learned_evidence
    ADD CONSTRAINT learned_evidence_namespace_id_about_id_message_id_aspect_va_key UNIQUE (namespace_id, about_id, message_id, aspect, value_hash);

ALTER TABLE ONLY everword.learned_evidence_p0
    ADD CONSTRAINT learned_evidence_p0_namespace_id_about_id_message_id_aspect_key UNIQUE (namespace_id, about_id, message_id, aspect, value_hash);

ALTER TABLE ONLY everword.learned_evidence
    ADD CONSTRAINT learned_evidence_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.learned_evidence_p0
    ADD CONSTRAINT learned_evidence_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.learned_evidence_p1
    ADD CONSTRAINT learned_evidence_p1_namespace_id_about_id_message_id_aspect_key UNIQUE (namespace_id, about_id, message_id, aspect, value_hash);

ALTER TABLE ONLY everword.learned_evidence_p1
    ADD CONSTRAINT learned_evidence_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.learned_evidence_p2
    ADD CONSTRAINT learned_evidence_p2_namespace_id_about_id_message_id_aspect_key UNIQUE (namespace_id, about_id, message_id, aspect, value_hash);

ALTER TABLE ONLY everword.learned_evidence_p2
    ADD CONSTRAINT learned_evidence_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.learned_evidence_p3
    ADD CONSTRAINT learned_evidence_p3_namespace_id_about_id_message_id_aspect_key UNIQUE (namespace_id, about_id, message_id, aspect, value_hash);

ALTER TABLE ONLY everword.learned_evidence_p3
    ADD CONSTRAINT learned_evidence_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.lore_books
    ADD CONSTRAINT lore_books_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.lore_books_p0
    ADD CONSTRAINT lore_books_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.lore_books_p1
    ADD CONSTRAINT lore_books_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.lore_books_p2
    ADD CONSTRAINT lore_books_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.lore_books_p3
    ADD CONSTRAINT lore_books_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.lore_entries
    ADD CONSTRAINT lore_entries_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.lore_entries_p0
    ADD CONSTRAINT lore_entries_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.lore_entries_p1
    ADD CONSTRAINT lore_entries_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.lore_entries_p2
    ADD CONSTRAINT lore_entries_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.lore_entries_p3
    ADD CONSTRAINT lore_entries_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.memories_p0
    ADD CONSTRAINT memories_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.memories_p1
    ADD CONSTRAINT memories_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.memories_p2
    ADD CONSTRAINT memories_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.memories_p3
    ADD CONSTRAINT memories_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.memory_changes
    ADD CONSTRAINT memory_changes_pkey PRIMARY KEY (namespace_id, xid, id);

ALTER TABLE ONLY everword.memory_classes
    ADD CONSTRAINT memory_classes_pkey PRIMARY KEY (namespace_id, memory_id);

ALTER TABLE ONLY everword.memory_use
    ADD CONSTRAINT memory_use_pkey PRIMARY KEY (namespace_id, memory_id);

ALTER TABLE ONLY everword.memory_vectors_1
    ADD CONSTRAINT memory_vectors_1_pkey PRIMARY KEY (namespace_id, memory_id);

ALTER TABLE ONLY everword.memory_vectors_1_p0
    ADD CONSTRAINT memory_vectors_1_p0_pkey PRIMARY KEY (namespace_id, memory_id);

ALTER TABLE ONLY everword.memory_vectors_1_p1
    ADD CONSTRAINT memory_vectors_1_p1_pkey PRIMARY KEY (namespace_id, memory_id);

ALTER TABLE ONLY everword.memory_vectors_1_p2
    ADD CONSTRAINT memory_vectors_1_p2_pkey PRIMARY KEY (namespace_id, memory_id);

ALTER TABLE ONLY everword.memory_vectors_1_p3
    ADD CONSTRAINT memory_vectors_1_p3_pkey PRIMARY KEY (namespace_id, memory_id);

ALTER TABLE ONLY everword.messages
    ADD CONSTRAINT messages_namespace_id_conversation_id_seq_key UNIQUE (namespace_id, conversation_id, seq);

ALTER TABLE ONLY everword.messages_p0
    ADD CONSTRAINT messages_p0_namespace_id_conversation_id_seq_key UNIQUE (namespace_id, conversation_id, seq);

ALTER TABLE ONLY everword.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.messages_p0
    ADD CONSTRAINT messages_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.messages_p1
    ADD CONSTRAINT messages_p1_namespace_id_conversation_id_seq_key UNIQUE (namespace_id, conversation_id, seq);

ALTER TABLE ONLY everword.messages_p1
    ADD CONSTRAINT messages_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.messages_p2
    ADD CONSTRAINT messages_p2_namespace_id_conversation_id_seq_key UNIQUE (namespace_id, conversation_id, seq);

ALTER TABLE ONLY everword.messages_p2
    ADD CONSTRAINT messages_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.messages_p3
    ADD CONSTRAINT messages_p3_namespace_id_conversation_id_seq_key UNIQUE (namespace_id, conversation_id, seq);

ALTER TABLE ONLY everword.messages_p3
    ADD CONSTRAINT messages_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.model_generations
    ADD CONSTRAINT model_generations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY everword.model_prices
    ADD CONSTRAINT model_prices_pkey PRIMARY KEY (model, provider, shipped, valid_from);

ALTER TABLE ONLY everword.namespace_deletions
    ADD CONSTRAINT namespace_deletions_deleted_id_key UNIQUE (deleted_id);

ALTER TABLE ONLY everword.namespace_deletions
    ADD CONSTRAINT namespace_deletions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY everword.namespace_imports
    ADD CONSTRAINT namespace_imports_pkey PRIMARY KEY (namespace_id);

ALTER TABLE ONLY everword.namespace_usage
    ADD CONSTRAINT namespace_usage_pkey PRIMARY KEY (namespace_id);

ALTER TABLE ONLY everword.namespaces
    ADD CONSTRAINT namespaces_name_key UNIQUE (name);

ALTER TABLE ONLY everword.namespaces
    ADD CONSTRAINT namespaces_pkey PRIMARY KEY (id);

ALTER TABLE ONLY everword.note_versions
    ADD CONSTRAINT note_versions_pkey PRIMARY KEY (namespace_id, note_id, version);

ALTER TABLE ONLY everword.note_versions_p0
    ADD CONSTRAINT note_versions_p0_pkey PRIMARY KEY (namespace_id, note_id, version);

ALTER TABLE ONLY everword.note_versions_p1
    ADD CONSTRAINT note_versions_p1_pkey PRIMARY KEY (namespace_id, note_id, version);

ALTER TABLE ONLY everword.note_versions_p2
    ADD CONSTRAINT note_versions_p2_pkey PRIMARY KEY (namespace_id, note_id, version);

ALTER TABLE ONLY everword.note_versions_p3
    ADD CONSTRAINT note_versions_p3_pkey PRIMARY KEY (namespace_id, note_id, version);

ALTER TABLE ONLY everword.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.notes_p0
    ADD CONSTRAINT notes_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.notes_p1
    ADD CONSTRAINT notes_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.notes_p2
    ADD CONSTRAINT notes_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.notes_p3
    ADD CONSTRAINT notes_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.pattern_decisions
    ADD CONSTRAINT pattern_decisions_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.pattern_decisions_p0
    ADD CONSTRAINT pattern_decisions_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.pattern_decisions_p1
    ADD CONSTRAINT pattern_decisions_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.pattern_decisions_p2
    ADD CONSTRAINT pattern_decisions_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.pattern_decisions_p3
    ADD CONSTRAINT pattern_decisions_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.pattern_outcomes
    ADD CONSTRAINT pattern_outcomes_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.pattern_outcomes_p0
    ADD CONSTRAINT pattern_outcomes_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.pattern_outcomes_p1
    ADD CONSTRAINT pattern_outcomes_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.pattern_outcomes_p2
    ADD CONSTRAINT pattern_outcomes_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.pattern_outcomes_p3
    ADD CONSTRAINT pattern_outcomes_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.pattern_thresholds
    ADD CONSTRAINT pattern_thresholds_pkey PRIMARY KEY (namespace_id, type);

ALTER TABLE ONLY everword.patterns
    ADD CONSTRAINT patterns_namespace_id_entity_key_type_data_hash_key UNIQUE (namespace_id, entity_key, type, data_hash);

ALTER TABLE ONLY everword.patterns_p0
    ADD CONSTRAINT patterns_p0_namespace_id_entity_key_type_data_hash_key UNIQUE (namespace_id, entity_key, type, data_hash);

ALTER TABLE ONLY everword.patterns
    ADD CONSTRAINT patterns_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.patterns_p0
    ADD CONSTRAINT patterns_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.patterns_p1
    ADD CONSTRAINT patterns_p1_namespace_id_entity_key_type_data_hash_key UNIQUE (namespace_id, entity_key, type, data_hash);

ALTER TABLE ONLY everword.patterns_p1
    ADD CONSTRAINT patterns_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.patterns_p2
    ADD CONSTRAINT patterns_p2_namespace_id_entity_key_type_data_hash_key UNIQUE (namespace_id, entity_key, type, data_hash);

ALTER TABLE ONLY everword.patterns_p2
    ADD CONSTRAINT patterns_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.patterns_p3
    ADD CONSTRAINT patterns_p3_namespace_id_entity_key_type_data_hash_key UNIQUE (namespace_id, entity_key, type, data_hash);

ALTER TABLE ONLY everword.patterns_p3
    ADD CONSTRAINT patterns_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.people_p0
    ADD CONSTRAINT people_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.people_p1
    ADD CONSTRAINT people_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.people_p2
    ADD CONSTRAINT people_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.people_p3
    ADD CONSTRAINT people_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.retention_policies
    ADD CONSTRAINT retention_policies_pkey PRIMARY KEY (namespace_id, kind);

ALTER TABLE ONLY everword.retention_runs
    ADD CONSTRAINT retention_runs_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (number);

ALTER TABLE ONLY everword.session_observations
    ADD CONSTRAINT session_observations_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.session_observations_p0
    ADD CONSTRAINT session_observations_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.session_observations_p1
    ADD CONSTRAINT session_observations_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.session_observations_p2
    ADD CONSTRAINT session_observations_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.session_observations_p3
    ADD CONSTRAINT session_observations_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.sleep_nights
    ADD CONSTRAINT sleep_nights_pkey PRIMARY KEY (namespace_id);

ALTER TABLE ONLY everword.sleep_sessions
    ADD CONSTRAINT sleep_sessions_namespace_id_conversation_id_first_seq_key UNIQUE (namespace_id, conversation_id, first_seq);

ALTER TABLE ONLY everword.sleep_sessions_p0
    ADD CONSTRAINT sleep_sessions_p0_namespace_id_conversation_id_first_seq_key UNIQUE (namespace_id, conversation_id, first_seq);

ALTER TABLE ONLY everword.sleep_sessions
    ADD CONSTRAINT sleep_sessions_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.sleep_sessions_p0
    ADD CONSTRAINT sleep_sessions_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.sleep_sessions_p1
    ADD CONSTRAINT sleep_sessions_p1_namespace_id_conversation_id_first_seq_key UNIQUE (namespace_id, conversation_id, first_seq);

ALTER TABLE ONLY everword.sleep_sessions_p1
    ADD CONSTRAINT sleep_sessions_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.sleep_sessions_p2
    ADD CONSTRAINT sleep_sessions_p2_namespace_id_conversation_id_first_seq_key UNIQUE (namespace_id, conversation_id, first_seq);

ALTER TABLE ONLY everword.sleep_sessions_p2
    ADD CONSTRAINT sleep_sessions_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.sleep_sessions_p3
    ADD CONSTRAINT sleep_sessions_p3_namespace_id_conversation_id_first_seq_key UNIQUE (namespace_id, conversation_id, first_seq);

ALTER TABLE ONLY everword.sleep_sessions_p3
    ADD CONSTRAINT sleep_sessions_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.strategies
    ADD CONSTRAINT strategies_namespace_id_about_id_kind_occasion_key UNIQUE (namespace_id, about_id, kind, occasion);

ALTER TABLE ONLY everword.strategies_p0
    ADD CONSTRAINT strategies_p0_namespace_id_about_id_kind_occasion_key UNIQUE (namespace_id, about_id, kind, occasion);

ALTER TABLE ONLY everword.strategies
    ADD CONSTRAINT strategies_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.strategies_p0
    ADD CONSTRAINT strategies_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.strategies_p1
    ADD CONSTRAINT strategies_p1_namespace_id_about_id_kind_occasion_key UNIQUE (namespace_id, about_id, kind, occasion);

ALTER TABLE ONLY everword.strategies_p1
    ADD CONSTRAINT strategies_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.strategies_p2
    ADD CONSTRAINT strategies_p2_namespace_id_about_id_kind_occasion_key UNIQUE (namespace_id, about_id, kind, occasion);

ALTER TABLE ONLY everword.strategies_p2
    ADD CONSTRAINT strategies_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.strategies_p3
    ADD CONSTRAINT strategies_p3_namespace_id_about_id_kind_occasion_key UNIQUE (namespace_id, about_id, kind, occasion);

ALTER TABLE ONLY everword.strategies_p3
    ADD CONSTRAINT strategies_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.strategy_offers
    ADD CONSTRAINT strategy_offers_pkey PRIMARY KEY (namespace_id, strategy_id);

ALTER TABLE ONLY everword.summaries
    ADD CONSTRAINT summaries_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.summaries_p0
    ADD CONSTRAINT summaries_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.summaries_p1
    ADD CONSTRAINT summaries_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.summaries_p2
    ADD CONSTRAINT summaries_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.summaries_p3
    ADD CONSTRAINT summaries_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.summary_sources
    ADD CONSTRAINT summary_sources_pkey PRIMARY KEY (namespace_id, summary_id, ordinal);

ALTER TABLE ONLY everword.summary_sources_p0
    ADD CONSTRAINT summary_sources_p0_pkey PRIMARY KEY (namespace_id, summary_id, ordinal);

ALTER TABLE ONLY everword.summary_sources_p1
    ADD CONSTRAINT summary_sources_p1_pkey PRIMARY KEY (namespace_id, summary_id, ordinal);

ALTER TABLE ONLY everword.summary_sources_p2
    ADD CONSTRAINT summary_sources_p2_pkey PRIMARY KEY (namespace_id, summary_id, ordinal);

ALTER TABLE ONLY everword.summary_sources_p3
    ADD CONSTRAINT summary_sources_p3_pkey PRIMARY KEY (namespace_id, summary_id, ordinal);

ALTER TABLE ONLY everword.summary_voices
    ADD CONSTRAINT summary_voices_pkey PRIMARY KEY (namespace_id);

ALTER TABLE ONLY everword.themes
    ADD CONSTRAINT themes_namespace_id_place_key UNIQUE (namespace_id, place);

ALTER TABLE ONLY everword.themes_p0
    ADD CONSTRAINT themes_p0_namespace_id_place_key UNIQUE (namespace_id, place);

ALTER TABLE ONLY everword.themes
    ADD CONSTRAINT themes_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.themes_p0
    ADD CONSTRAINT themes_p0_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.themes_p1
    ADD CONSTRAINT themes_p1_namespace_id_place_key UNIQUE (namespace_id, place);

ALTER TABLE ONLY everword.themes_p1
    ADD CONSTRAINT themes_p1_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.themes_p2
    ADD CONSTRAINT themes_p2_namespace_id_place_key UNIQUE (namespace_id, place);

ALTER TABLE ONLY everword.themes_p2
    ADD CONSTRAINT themes_p2_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.themes_p3
    ADD CONSTRAINT themes_p3_namespace_id_place_key UNIQUE (namespace_id, place);

ALTER TABLE ONLY everword.themes_p3
    ADD CONSTRAINT themes_p3_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.tool_sentence_queue
    ADD CONSTRAINT tool_sentence_queue_pkey PRIMARY KEY (namespace_id, message_id);

ALTER TABLE ONLY everword.tool_sentences
    ADD CONSTRAINT tool_sentences_pkey PRIMARY KEY (namespace_id, message_id);

ALTER TABLE ONLY everword.tool_sentences_p0
    ADD CONSTRAINT tool_sentences_p0_pkey PRIMARY KEY (namespace_id, message_id);

ALTER TABLE ONLY everword.tool_sentences_p1
    ADD CONSTRAINT tool_sentences_p1_pkey PRIMARY KEY (namespace_id, message_id);

ALTER TABLE ONLY everword.tool_sentences_p2
    ADD CONSTRAINT tool_sentences_p2_pkey PRIMARY KEY (namespace_id, message_id);

ALTER TABLE ONLY everword.tool_sentences_p3
    ADD CONSTRAINT tool_sentences_p3_pkey PRIMARY KEY (namespace_id, message_id);

ALTER TABLE ONLY everword.topic_changes
    ADD CONSTRAINT topic_changes_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.topic_pages
    ADD CONSTRAINT topic_pages_namespace_id_id_key UNIQUE (namespace_id, id);

ALTER TABLE ONLY everword.topic_pages_p0
    ADD CONSTRAINT topic_pages_p0_namespace_id_id_key UNIQUE (namespace_id, id);

ALTER TABLE ONLY everword.topic_pages
    ADD CONSTRAINT topic_pages_pkey PRIMARY KEY (namespace_id, node_id);

ALTER TABLE ONLY everword.topic_pages_p0
    ADD CONSTRAINT topic_pages_p0_pkey PRIMARY KEY (namespace_id, node_id);

ALTER TABLE ONLY everword.topic_pages_p1
    ADD CONSTRAINT topic_pages_p1_namespace_id_id_key UNIQUE (namespace_id, id);

ALTER TABLE ONLY everword.topic_pages_p1
    ADD CONSTRAINT topic_pages_p1_pkey PRIMARY KEY (namespace_id, node_id);

ALTER TABLE ONLY everword.topic_pages_p2
    ADD CONSTRAINT topic_pages_p2_namespace_id_id_key UNIQUE (namespace_id, id);

ALTER TABLE ONLY everword.topic_pages_p2
    ADD CONSTRAINT topic_pages_p2_pkey PRIMARY KEY (namespace_id, node_id);

ALTER TABLE ONLY everword.topic_pages_p3
    ADD CONSTRAINT topic_pages_p3_namespace_id_id_key UNIQUE (namespace_id, id);

ALTER TABLE ONLY everword.topic_pages_p3
    ADD CONSTRAINT topic_pages_p3_pkey PRIMARY KEY (namespace_id, node_id);

ALTER TABLE ONLY everword.topic_sources
    ADD CONSTRAINT topic_sources_pkey PRIMARY KEY (namespace_id, node_id, source_id);

ALTER TABLE ONLY everword.topic_sources_p0
    ADD CONSTRAINT topic_sources_p0_pkey PRIMARY KEY (namespace_id, node_id, source_id);

ALTER TABLE ONLY everword.topic_sources_p1
    ADD CONSTRAINT topic_sources_p1_pkey PRIMARY KEY (namespace_id, node_id, source_id);

ALTER TABLE ONLY everword.topic_sources_p2
    ADD CONSTRAINT topic_sources_p2_pkey PRIMARY KEY (namespace_id, node_id, source_id);

ALTER TABLE ONLY everword.topic_sources_p3
    ADD CONSTRAINT topic_sources_p3_pkey PRIMARY KEY (namespace_id, node_id, source_id);

ALTER TABLE ONLY everword.trajectories
    ADD CONSTRAINT trajectories_namespace_id_subject_version_key UNIQUE (namespace_id, subject, version);

ALTER TABLE ONLY everword.trajectories
    ADD CONSTRAINT trajectories_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.transfer_rules
    ADD CONSTRAINT transfer_rules_pkey PRIMARY KEY (relation);

ALTER TABLE ONLY everword.transfer_rules
    ADD CONSTRAINT transfer_rules_place_key UNIQUE (place);

ALTER TABLE ONLY everword.transfer_rules
    ADD CONSTRAINT transfer_rules_record_key UNIQUE (record);

ALTER TABLE ONLY everword.usage_ledger
    ADD CONSTRAINT usage_ledger_pkey PRIMARY KEY (namespace_id, id);

ALTER TABLE ONLY everword.user_models
    ADD CONSTRAINT user_models_pkey PRIMARY KEY (namespace_id, id);

CREATE UNIQUE INDEX advisor_grants_secret_hash ON everword.advisor_grants USING btree (secret_hash);

CREATE INDEX api_keys_namespace_id ON everword.api_keys USING btree (namespace_id);

CREATE INDEX append_requests_created_at ON everword.append_requests USING btree (created_at);

CREATE INDEX budget_events_batch_id ON everword.budget_events USING btree (namespace_id, batch_id) WHERE (batch_id IS NOT NULL);

CREATE INDEX budget_events_budget_id ON everword.budget_events USING btree (namespace_id, budget_id);

CREATE INDEX budget_events_occurred_at ON everword.budget_events USING btree (namespace_id, occurred_at);

CREATE INDEX budget_spending_started_at ON everword.budget_spending USING btree (namespace_id, started_at);

CREATE UNIQUE INDEX budgets_scope ON everword.budgets USING btree (namespace_id, period, scope, scope_value);

CREATE INDEX calendar_pending_conversation ON everword.calendar_pending USING btree (namespace_id, conversation_id, period) WHERE (level = 4);

CREATE INDEX calendar_pending_period ON everword.calendar_pending USING btree (namespace_id, level, period, enqueued_at);

CREATE INDEX checkpoints_order ON ONLY everword.checkpoints USING btree (namespace_id, conversation_id, version);

CREATE UNIQUE INDEX checkpoints_version ON ONLY everword.checkpoints USING btree (namespace_id, conversation_id, name, version);

CREATE UNIQUE INDEX checkpoints_p0_namespace_id_conversation_id_name_version_idx ON everword.checkpoints_p0 USING btree (namespace_id, conversation_id, name, version);

CREATE INDEX checkpoints_p0_namespace_id_conversation_id_version_idx ON everword.checkpoints_p0 USING btree (namespace_id, conversation_id, version);

CREATE UNIQUE INDEX checkpoints_p1_namespace_id_conversation_id_name_version_idx ON everword.checkpoints_p1 USING btree (namespace_id, conversation_id, name, version);

CREATE INDEX checkpoints_p1_namespace_id_conversation_id_version_idx ON everword.checkpoints_p1 USING btree (namespace_id, conversation_id, version);

CREATE UNIQUE INDEX checkpoints_p2_namespace_id_conversation_id_name_version_idx ON everword.checkpoints_p2 USING btree (namespace_id, conversation_id, name, version);

CREATE INDEX checkpoints_p2_namespace_id_conversation_id_version_idx ON everword.checkpoints_p2 USING btree (namespace_id, conversation_id, version);

CREATE UNIQUE INDEX checkpoints_p3_namespace_id_conversation_id_name_version_idx ON everword.checkpoints_p3 USING btree (namespace_id, conversation_id, name, version);

CREATE INDEX checkpoints_p3_namespace_id_conversation_id_version_idx ON everword.checkpoints_p3 USING btree (namespace_id, conversation_id, version);

CREATE INDEX conversations_client_session ON ONLY everword.conversations USING btree (namespace_id, client_session_id, id) WHERE (client_session_id <> ''::text);

CREATE INDEX conversations_erasure ON ONLY everword.conversations USING btree (namespace_id, erasure_id) WHERE (erasure_id IS NOT NULL);

CREATE INDEX conversations_p0_namespace_id_client_session_id_id_idx ON everword.conversations_p0 USING btree (namespace_id, client_session_id, id) WHERE (client_session_id <> ''::text);

CREATE INDEX conversations_p0_namespace_id_erasure_id_idx ON everword.conversations_p0 USING btree (namespace_id, erasure_id) WHERE (erasure_id IS NOT NULL);

CREATE INDEX conversations_p1_namespace_id_client_session_id_id_idx ON everword.conversations_p1 USING btree (namespace_id, client_session_id, id) WHERE (client_session_id <> ''::text);

CREATE INDEX conversations_p1_namespace_id_erasure_id_idx ON everword.conversations_p1 USING btree (namespace_id, erasure_id) WHERE (erasure_id IS NOT NULL);

CREATE INDEX conversations_p2_namespace_id_client_session_id_id_idx ON everword.conversations_p2 USING btree (namespace_id, client_session_id, id) WHERE (client_session_id <> ''::text);

CREATE INDEX conversations_p2_namespace_id_erasure_id_idx ON everword.conversations_p2 USING btree (namespace_id, erasure_id) WHERE (erasure_id IS NOT NULL);

CREATE INDEX conversations_p3_namespace_id_client_session_id_id_idx ON everword.conversations_p3 USING btree (namespace_id, client_session_id, id) WHERE (client_session_id <> ''::text);

CREATE INDEX conversations_p3_namespace_id_erasure_id_idx ON everword.conversations_p3 USING btree (namespace_id, erasure_id) WHERE (erasure_id IS NOT NULL);

CREATE INDEX document_chunks_place ON ONLY everword.document_chunks USING btree (namespace_id, document_id, place);

CREATE INDEX document_chunks_p0_namespace_id_document_id_place_idx ON everword.document_chunks_p0 USING btree (namespace_id, document_id, place);

CREATE INDEX document_chunks_p1_namespace_id_document_id_place_idx ON everword.document_chunks_p1 USING btree (namespace_id, document_id, place);

CREATE INDEX document_chunks_p2_namespace_id_document_id_place_idx ON everword.document_chunks_p2 USING btree (namespace_id, document_id, place);

CREATE INDEX document_chunks_p3_namespace_id_document_id_place_idx ON everword.document_chunks_p3 USING btree (namespace_id, document_id, place);

CREATE UNIQUE INDEX document_versions_id ON ONLY everword.document_versions USING btree (namespace_id, id);

CREATE UNIQUE INDEX document_versions_p0_namespace_id_id_idx ON everword.document_versions_p0 USING btree (namespace_id, id);

CREATE UNIQUE INDEX document_versions_p1_namespace_id_id_idx ON everword.document_versions_p1 USING btree (namespace_id, id);

CREATE UNIQUE INDEX document_versions_p2_namespace_id_id_idx ON everword.document_versions_p2 USING btree (namespace_id, id);

CREATE UNIQUE INDEX document_versions_p3_namespace_id_id_idx ON everword.document_versions_p3 USING btree (namespace_id, id);

CREATE INDEX documents_conversation ON ONLY everword.documents USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX documents_key ON ONLY everword.documents USING btree (namespace_id, key_hash);

CREATE INDEX documents_kind ON ONLY everword.documents USING btree (namespace_id, kind, id);

CREATE INDEX documents_p0_namespace_id_conversation_id_idx ON everword.documents_p0 USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX documents_p0_namespace_id_key_hash_idx ON everword.documents_p0 USING btree (namespace_id, key_hash);

CREATE INDEX documents_p0_namespace_id_kind_id_idx ON everword.documents_p0 USING btree (namespace_id, kind, id);

CREATE INDEX documents_p1_namespace_id_conversation_id_idx ON everword.documents_p1 USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX documents_p1_namespace_id_key_hash_idx ON everword.documents_p1 USING btree (namespace_id, key_hash);

CREATE INDEX documents_p1_namespace_id_kind_id_idx ON everword.documents_p1 USING btree (namespace_id, kind, id);

CREATE INDEX documents_p2_namespace_id_conversation_id_idx ON everword.documents_p2 USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX documents_p2_namespace_id_key_hash_idx ON everword.documents_p2 USING btree (namespace_id, key_hash);

CREATE INDEX documents_p2_namespace_id_kind_id_idx ON everword.documents_p2 USING btree (namespace_id, kind, id);

CREATE INDEX documents_p3_namespace_id_conversation_id_idx ON everword.documents_p3 USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX documents_p3_namespace_id_key_hash_idx ON everword.documents_p3 USING btree (namespace_id, key_hash);

CREATE INDEX documents_p3_namespace_id_kind_id_idx ON everword.documents_p3 USING btree (namespace_id, kind, id);

CREATE INDEX embedding_queue_failed ON everword.embedding_queue USING btree (generation_id) WHERE (state = 'failed'::text);

CREATE INDEX embedding_queue_turns ON everword.embedding_queue USING btree (generation_id, namespace_id, not_before, memory_id) WHERE (state = 'pending'::text);

CREATE INDEX erasures_running ON everword.erasures USING btree (updated_at) WHERE (state = 1);

CREATE INDEX events_subject ON ONLY everword.events USING btree (namespace_id, subject, id);

CREATE INDEX events_p0_namespace_id_subject_id_idx ON everword.events_p0 USING btree (namespace_id, subject, id);

CREATE INDEX events_p1_namespace_id_subject_id_idx ON everword.events_p1 USING btree (namespace_id, subject, id);

CREATE INDEX events_p2_namespace_id_subject_id_idx ON everword.events_p2 USING btree (namespace_id, subject, id);

CREATE INDEX events_p3_namespace_id_subject_id_idx ON everword.events_p3 USING btree (namespace_id, subject, id);

CREATE INDEX fact_changes_fact ON ONLY everword.fact_changes USING btree (namespace_id, fact_id, changed_at, id);

CREATE INDEX fact_changes_other ON ONLY everword.fact_changes USING btree (namespace_id, other_fact_id) WHERE (other_fact_id IS NOT NULL);

CREATE INDEX fact_changes_p0_namespace_id_fact_id_changed_at_id_idx ON everword.fact_changes_p0 USING btree (namespace_id, fact_id, changed_at, id);

CREATE INDEX fact_changes_p0_namespace_id_other_fact_id_idx ON everword.fact_changes_p0 USING btree (namespace_id, other_fact_id) WHERE (other_fact_id IS NOT NULL);

CREATE INDEX fact_changes_p1_namespace_id_fact_id_changed_at_id_idx ON everword.fact_changes_p1 USING btree (namespace_id, fact_id, changed_at, id);

CREATE INDEX fact_changes_p1_namespace_id_other_fact_id_idx ON everword.fact_changes_p1 USING btree (namespace_id, other_fact_id) WHERE (other_fact_id IS NOT NULL);

CREATE INDEX fact_changes_p2_namespace_id_fact_id_changed_at_id_idx ON everword.fact_changes_p2 USING btree (namespace_id, fact_id, changed_at, id);

CREATE INDEX fact_changes_p2_namespace_id_other_fact_id_idx ON everword.fact_changes_p2 USING btree (namespace_id, other_fact_id) WHERE (other_fact_id IS NOT NULL);

CREATE INDEX fact_changes_p3_namespace_id_fact_id_changed_at_id_idx ON everword.fact_changes_p3 USING btree (namespace_id, fact_id, changed_at, id);

CREATE INDEX fact_changes_p3_namespace_id_other_fact_id_idx ON everword.fact_changes_p3 USING btree (namespace_id, other_fact_id) WHERE (other_fact_id IS NOT NULL);

CREATE INDEX fact_disputes_new ON ONLY everword.fact_disputes USING btree (namespace_id, new_fact_id);

CREATE INDEX fact_disputes_old ON ONLY everword.fact_disputes USING btree (namespace_id, old_fact_id);

CREATE UNIQUE INDEX fact_disputes_open ON ONLY everword.fact_disputes USING btree (namespace_id, old_fact_id, new_fact_id) WHERE (settled_at IS NULL);

CREATE INDEX fact_disputes_p0_namespace_id_new_fact_id_idx ON everword.fact_disputes_p0 USING btree (namespace_id, new_fact_id);

CREATE INDEX fact_disputes_p0_namespace_id_old_fact_id_idx ON everword.fact_disputes_p0 USING btree (namespace_id, old_fact_id);

CREATE UNIQUE INDEX fact_disputes_p0_namespace_id_old_fact_id_new_fact_id_idx ON everword.fact_disputes_p0 USING btree (namespace_id, old_fact_id, new_fact_id) WHERE (settled_at IS NULL);

CREATE INDEX fact_disputes_p1_namespace_id_new_fact_id_idx ON everword.fact_disputes_p1 USING btree (namespace_id, new_fact_id);

CREATE INDEX fact_disputes_p1_namespace_id_old_fact_id_idx ON everword.fact_disputes_p1 USING btree (namespace_id, old_fact_id);

CREATE UNIQUE INDEX fact_disputes_p1_namespace_id_old_fact_id_new_fact_id_idx ON everword.fact_disputes_p1 USING btree (namespace_id, old_fact_id, new_fact_id) WHERE (settled_at IS NULL);

CREATE INDEX fact_disputes_p2_namespace_id_new_fact_id_idx ON everword.fact_disputes_p2 USING btree (namespace_id, new_fact_id);

CREATE INDEX fact_disputes_p2_namespace_id_old_fact_id_idx ON everword.fact_disputes_p2 USING btree (namespace_id, old_fact_id);

CREATE UNIQUE INDEX fact_disputes_p2_namespace_id_old_fact_id_new_fact_id_idx ON everword.fact_disputes_p2 USING btree (namespace_id, old_fact_id, new_fact_id) WHERE (settled_at IS NULL);

CREATE INDEX fact_disputes_p3_namespace_id_new_fact_id_idx ON everword.fact_disputes_p3 USING btree (namespace_id, new_fact_id);

CREATE INDEX fact_disputes_p3_namespace_id_old_fact_id_idx ON everword.fact_disputes_p3 USING btree (namespace_id, old_fact_id);

CREATE UNIQUE INDEX fact_disputes_p3_namespace_id_old_fact_id_new_fact_id_idx ON everword.fact_disputes_p3 USING btree (namespace_id, old_fact_id, new_fact_id) WHERE (settled_at IS NULL);

CREATE UNIQUE INDEX fact_edges_open ON ONLY everword.fact_edges USING btree (namespace_id, from_fact_id, to_fact_id, relation) WHERE (known_until IS NULL);

CREATE UNIQUE INDEX fact_edges_p0_namespace_id_from_fact_id_to_fact_id_relation_idx ON everword.fact_edges_p0 USING btree (namespace_id, from_fact_id, to_fact_id, relation) WHERE (known_until IS NULL);

CREATE INDEX fact_edges_to ON ONLY everword.fact_edges USING btree (namespace_id, to_fact_id);

CREATE INDEX fact_edges_p0_namespace_id_to_fact_id_idx ON everword.fact_edges_p0 USING btree (namespace_id, to_fact_id);

CREATE UNIQUE INDEX fact_edges_p1_namespace_id_from_fact_id_to_fact_id_relation_idx ON everword.fact_edges_p1 USING btree (namespace_id, from_fact_id, to_fact_id, relation) WHERE (known_until IS NULL);

CREATE INDEX fact_edges_p1_namespace_id_to_fact_id_idx ON everword.fact_edges_p1 USING btree (namespace_id, to_fact_id);

CREATE UNIQUE INDEX fact_edges_p2_namespace_id_from_fact_id_to_fact_id_relation_idx ON everword.fact_edges_p2 USING btree (namespace_id, from_fact_id, to_fact_id, relation) WHERE (known_until IS NULL);

CREATE INDEX fact_edges_p2_namespace_id_to_fact_id_idx ON everword.fact_edges_p2 USING btree (namespace_id, to_fact_id);

CREATE UNIQUE INDEX fact_edges_p3_namespace_id_from_fact_id_to_fact_id_relation_idx ON everword.fact_edges_p3 USING btree (namespace_id, from_fact_id, to_fact_id, relation) WHERE (known_until IS NULL);

CREATE INDEX fact_edges_p3_namespace_id_to_fact_id_idx ON everword.fact_edges_p3 USING btree (namespace_id, to_fact_id);

CREATE INDEX fact_evidence_message ON ONLY everword.fact_evidence USING btree (namespace_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX fact_evidence_p0_namespace_id_message_id_idx ON everword.fact_evidence_p0 USING btree (namespace_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX fact_evidence_p1_namespace_id_message_id_idx ON everword.fact_evidence_p1 USING btree (namespace_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX fact_evidence_p2_namespace_id_message_id_idx ON everword.fact_evidence_p2 USING btree (namespace_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX fact_evidence_p3_namespace_id_message_id_idx ON everword.fact_evidence_p3 USING btree (namespace_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX fact_intervals_fact ON ONLY everword.fact_intervals USING btree (namespace_id, fact_id, valid_from);

CREATE INDEX fact_intervals_p0_namespace_id_fact_id_valid_from_idx ON everword.fact_intervals_p0 USING btree (namespace_id, fact_id, valid_from);

CREATE INDEX fact_intervals_successor ON ONLY everword.fact_intervals USING btree (namespace_id, successor_id) WHERE (successor_id IS NOT NULL);

CREATE INDEX fact_intervals_p0_namespace_id_successor_id_idx ON everword.fact_intervals_p0 USING btree (namespace_id, successor_id) WHERE (successor_id IS NOT NULL);

CREATE INDEX fact_intervals_p1_namespace_id_fact_id_valid_from_idx ON everword.fact_intervals_p1 USING btree (namespace_id, fact_id, valid_from);

CREATE INDEX fact_intervals_p1_namespace_id_successor_id_idx ON everword.fact_intervals_p1 USING btree (namespace_id, successor_id) WHERE (successor_id IS NOT NULL);

CREATE INDEX fact_intervals_p2_namespace_id_fact_id_valid_from_idx ON everword.fact_intervals_p2 USING btree (namespace_id, fact_id, valid_from);

CREATE INDEX fact_intervals_p2_namespace_id_successor_id_idx ON everword.fact_intervals_p2 USING btree (namespace_id, successor_id) WHERE (successor_id IS NOT NULL);

CREATE INDEX fact_intervals_p3_namespace_id_fact_id_valid_from_idx ON everword.fact_intervals_p3 USING btree (namespace_id, fact_id, valid_from);

CREATE INDEX fact_intervals_p3_namespace_id_successor_id_idx ON everword.fact_intervals_p3 USING btree (namespace_id, successor_id) WHERE (successor_id IS NOT NULL);

CREATE INDEX facts_known ON ONLY everword.facts USING btree (namespace_id, subject, confidence DESC, last_seen_at DESC, id);

CREATE INDEX facts_subject_spelling ON ONLY everword.facts USING btree (namespace_id, lower(subject), created_at, id);

CREATE INDEX facts_p0_namespace_id_lower_created_at_id_idx ON everword.facts_p0 USING btree (namespace_id, lower(subject), created_at, id);

CREATE INDEX facts_profile ON ONLY everword.facts USING btree (namespace_id, subject, category, attribute, confidence DESC, id);

CREATE INDEX facts_p0_namespace_id_subject_category_attribute_confidence_idx ON everword.facts_p0 USING btree (namespace_id, subject, category, attribute, confidence DESC, id);

CREATE INDEX facts_p0_namespace_id_subject_confidence_last_seen_at_id_idx ON everword.facts_p0 USING btree (namespace_id, subject, confidence DESC, last_seen_at DESC, id);

CREATE INDEX facts_p1_namespace_id_lower_created_at_id_idx ON everword.facts_p1 USING btree (namespace_id, lower(subject), created_at, id);

CREATE INDEX facts_p1_namespace_id_subject_category_attribute_confidence_idx ON everword.facts_p1 USING btree (namespace_id, subject, category, attribute, confidence DESC, id);

CREATE INDEX facts_p1_namespace_id_subject_confidence_last_seen_at_id_idx ON everword.facts_p1 USING btree (namespace_id, subject, confidence DESC, last_seen_at DESC, id);

CREATE INDEX facts_p2_namespace_id_lower_created_at_id_idx ON everword.facts_p2 USING btree (namespace_id, lower(subject), created_at, id);

CREATE INDEX facts_p2_namespace_id_subject_category_attribute_confidence_idx ON everword.facts_p2 USING btree (namespace_id, subject, category, attribute, confidence DESC, id);

CREATE INDEX facts_p2_namespace_id_subject_confidence_last_seen_at_id_idx ON everword.facts_p2 USING btree (namespace_id, subject, confidence DESC, last_seen_at DESC, id);

CREATE INDEX facts_p3_namespace_id_lower_created_at_id_idx ON everword.facts_p3 USING btree (namespace_id, lower(subject), created_at, id);

CREATE INDEX facts_p3_namespace_id_subject_category_attribute_confidence_idx ON everword.facts_p3 USING btree (namespace_id, subject, category, attribute, confidence DESC, id);

CREATE INDEX facts_p3_namespace_id_subject_confidence_last_seen_at_id_idx ON everword.facts_p3 USING btree (namespace_id, subject, confidence DESC, last_seen_at DESC, id);

CREATE INDEX graph_edges_edge ON ONLY everword.graph_edges USING btree (namespace_id, edge_id);

CREATE INDEX graph_edges_fact ON ONLY everword.graph_edges USING btree (namespace_id, fact_id) WHERE (fact_id IS NOT NULL);

CREATE INDEX graph_edges_from ON ONLY everword.graph_edges USING btree (namespace_id, from_id, confidence DESC, id DESC);

CREATE INDEX graph_edges_message ON ONLY everword.graph_edges USING btree (namespace_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX graph_edges_p0_namespace_id_edge_id_idx ON everword.graph_edges_p0 USING btree (namespace_id, edge_id);

CREATE INDEX graph_edges_p0_namespace_id_fact_id_idx ON everword.graph_edges_p0 USING btree (namespace_id, fact_id) WHERE (fact_id IS NOT NULL);

CREATE INDEX graph_edges_p0_namespace_id_from_id_confidence_id_idx ON everword.graph_edges_p0 USING btree (namespace_id, from_id, confidence DESC, id DESC);

CREATE INDEX graph_edges_p0_namespace_id_message_id_idx ON everword.graph_edges_p0 USING btree (namespace_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX graph_edges_to ON ONLY everword.graph_edges USING btree (namespace_id, to_id, confidence DESC, id DESC);

CREATE INDEX graph_edges_p0_namespace_id_to_id_confidence_id_idx ON everword.graph_edges_p0 USING btree (namespace_id, to_id, confidence DESC, id DESC);

CREATE INDEX graph_edges_p1_namespace_id_edge_id_idx ON everword.graph_edges_p1 USING btree (namespace_id, edge_id);

CREATE INDEX graph_edges_p1_namespace_id_fact_id_idx ON everword.graph_edges_p1 USING btree (namespace_id, fact_id) WHERE (fact_id IS NOT NULL);

CREATE INDEX graph_edges_p1_namespace_id_from_id_confidence_id_idx ON everword.graph_edges_p1 USING btree (namespace_id, from_id, confidence DESC, id DESC);

CREATE INDEX graph_edges_p1_namespace_id_message_id_idx ON everword.graph_edges_p1 USING btree (namespace_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX graph_edges_p1_namespace_id_to_id_confidence_id_idx ON everword.graph_edges_p1 USING btree (namespace_id, to_id, confidence DESC, id DESC);

CREATE INDEX graph_edges_p2_namespace_id_edge_id_idx ON everword.graph_edges_p2 USING btree (namespace_id, edge_id);

CREATE INDEX graph_edges_p2_namespace_id_fact_id_idx ON everword.graph_edges_p2 USING btree (namespace_id, fact_id) WHERE (fact_id IS NOT NULL);

CREATE INDEX graph_edges_p2_namespace_id_from_id_confidence_id_idx ON everword.graph_edges_p2 USING btree (namespace_id, from_id, confidence DESC, id DESC);

CREATE INDEX graph_edges_p2_namespace_id_message_id_idx ON everword.graph_edges_p2 USING btree (namespace_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX graph_edges_p2_namespace_id_to_id_confidence_id_idx ON everword.graph_edges_p2 USING btree (namespace_id, to_id, confidence DESC, id DESC);

CREATE INDEX graph_edges_p3_namespace_id_edge_id_idx ON everword.graph_edges_p3 USING btree (namespace_id, edge_id);

CREATE INDEX graph_edges_p3_namespace_id_fact_id_idx ON everword.graph_edges_p3 USING btree (namespace_id, fact_id) WHERE (fact_id IS NOT NULL);

CREATE INDEX graph_edges_p3_namespace_id_from_id_confidence_id_idx ON everword.graph_edges_p3 USING btree (namespace_id, from_id, confidence DESC, id DESC);

CREATE INDEX graph_edges_p3_namespace_id_message_id_idx ON everword.graph_edges_p3 USING btree (namespace_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX graph_edges_p3_namespace_id_to_id_confidence_id_idx ON everword.graph_edges_p3 USING btree (namespace_id, to_id, confidence DESC, id DESC);

CREATE INDEX graph_names_node ON ONLY everword.graph_names USING btree (namespace_id, node_id);

CREATE INDEX graph_names_p0_namespace_id_node_id_idx ON everword.graph_names_p0 USING btree (namespace_id, node_id);

CREATE INDEX graph_names_p1_namespace_id_node_id_idx ON everword.graph_names_p1 USING btree (namespace_id, node_id);

CREATE INDEX graph_names_p2_namespace_id_node_id_idx ON everword.graph_names_p2 USING btree (namespace_id, node_id);

CREATE INDEX graph_names_p3_namespace_id_node_id_idx ON everword.graph_names_p3 USING btree (namespace_id, node_id);

CREATE INDEX graph_node_versions_node ON ONLY everword.graph_node_versions USING btree (namespace_id, node_id, known_from);

CREATE INDEX graph_node_versions_p0_namespace_id_node_id_known_from_idx ON everword.graph_node_versions_p0 USING btree (namespace_id, node_id, known_from);

CREATE INDEX graph_node_versions_p1_namespace_id_node_id_known_from_idx ON everword.graph_node_versions_p1 USING btree (namespace_id, node_id, known_from);

CREATE INDEX graph_node_versions_p2_namespace_id_node_id_known_from_idx ON everword.graph_node_versions_p2 USING btree (namespace_id, node_id, known_from);

CREATE INDEX graph_node_versions_p3_namespace_id_node_id_known_from_idx ON everword.graph_node_versions_p3 USING btree (namespace_id, node_id, known_from);

CREATE INDEX graph_nodes_anchor ON ONLY everword.graph_nodes USING btree (namespace_id, subject, agent) WHERE (anchor IS NOT NULL);

CREATE INDEX graph_nodes_merged_into ON ONLY everword.graph_nodes USING btree (namespace_id, merged_into) WHERE (merged_into IS NOT NULL);

CREATE INDEX graph_nodes_p0_namespace_id_merged_into_idx ON everword.graph_nodes_p0 USING btree (namespace_id, merged_into) WHERE (merged_into IS NOT NULL);

CREATE INDEX graph_nodes_p0_namespace_id_subject_agent_idx ON everword.graph_nodes_p0 USING btree (namespace_id, subject, agent) WHERE (anchor IS NOT NULL);

CREATE INDEX graph_nodes_p1_namespace_id_merged_into_idx ON everword.graph_nodes_p1 USING btree (namespace_id, merged_into) WHERE (merged_into IS NOT NULL);

CREATE INDEX graph_nodes_p1_namespace_id_subject_agent_idx ON everword.graph_nodes_p1 USING btree (namespace_id, subject, agent) WHERE (anchor IS NOT NULL);

CREATE INDEX graph_nodes_p2_namespace_id_merged_into_idx ON everword.graph_nodes_p2 USING btree (namespace_id, merged_into) WHERE (merged_into IS NOT NULL);

CREATE INDEX graph_nodes_p2_namespace_id_subject_agent_idx ON everword.graph_nodes_p2 USING btree (namespace_id, subject, agent) WHERE (anchor IS NOT NULL);

CREATE INDEX graph_nodes_p3_namespace_id_merged_into_idx ON everword.graph_nodes_p3 USING btree (namespace_id, merged_into) WHERE (merged_into IS NOT NULL);

CREATE INDEX graph_nodes_p3_namespace_id_subject_agent_idx ON everword.graph_nodes_p3 USING btree (namespace_id, subject, agent) WHERE (anchor IS NOT NULL);

CREATE INDEX index_changes_by_age ON everword.index_changes USING btree (namespace_id, changed_at);

CREATE INDEX jobs_done ON everword.jobs USING btree (updated_at) WHERE (state = 'done'::text);

CREATE INDEX jobs_running ON everword.jobs USING btree (lease_until) WHERE (state = 'running'::text);

CREATE INDEX jobs_sleeping ON everword.jobs USING btree (namespace_id, not_before) WHERE ((task = 'sleep'::text) AND (state = 'pending'::text));

CREATE INDEX jobs_startable ON everword.jobs USING btree (task, namespace_id, not_before, id) INCLUDE (published_at) WHERE ((state = 'pending'::text) AND (published_at IS NOT NULL));

CREATE INDEX jobs_unpublished ON everword.jobs USING btree (not_before, id) WHERE ((state = 'pending'::text) AND (published_at IS NULL));

CREATE INDEX jobs_with_errors ON everword.jobs USING btree (namespace_id) WHERE (error IS NOT NULL);

CREATE INDEX learned_changes_about ON everword.learned_changes USING btree (namespace_id, about_id, changed_at, id);

CREATE INDEX learned_evidence_about ON ONLY everword.learned_evidence USING btree (namespace_id, about_id, said_at, id);

CREATE INDEX learned_evidence_message ON ONLY everword.learned_evidence USING btree (namespace_id, message_id);

CREATE INDEX learned_evidence_p0_namespace_id_about_id_said_at_id_idx ON everword.learned_evidence_p0 USING btree (namespace_id, about_id, said_at, id);

CREATE INDEX learned_evidence_p0_namespace_id_message_id_idx ON everword.learned_evidence_p0 USING btree (namespace_id, message_id);

CREATE INDEX learned_evidence_p1_namespace_id_about_id_said_at_id_idx ON everword.learned_evidence_p1 USING btree (namespace_id, about_id, said_at, id);

CREATE INDEX learned_evidence_p1_namespace_id_message_id_idx ON everword.learned_evidence_p1 USING btree (namespace_id, message_id);

CREATE INDEX learned_evidence_p2_namespace_id_about_id_said_at_id_idx ON everword.learned_evidence_p2 USING btree (namespace_id, about_id, said_at, id);

CREATE INDEX learned_evidence_p2_namespace_id_message_id_idx ON everword.learned_evidence_p2 USING btree (namespace_id, message_id);

CREATE INDEX learned_evidence_p3_namespace_id_about_id_said_at_id_idx ON everword.learned_evidence_p3 USING btree (namespace_id, about_id, said_at, id);

CREATE INDEX learned_evidence_p3_namespace_id_message_id_idx ON everword.learned_evidence_p3 USING btree (namespace_id, message_id);

CREATE INDEX lore_books_conversation ON ONLY everword.lore_books USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX lore_books_key ON ONLY everword.lore_books USING btree (namespace_id, key_hash);

CREATE INDEX lore_books_scope ON ONLY everword.lore_books USING btree (namespace_id, agent, subject) WHERE (conversation_id IS NULL);

CREATE INDEX lore_books_p0_namespace_id_agent_subject_idx ON everword.lore_books_p0 USING btree (namespace_id, agent, subject) WHERE (conversation_id IS NULL);

CREATE INDEX lore_books_p0_namespace_id_conversation_id_idx ON everword.lore_books_p0 USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX lore_books_p0_namespace_id_key_hash_idx ON everword.lore_books_p0 USING btree (namespace_id, key_hash);

CREATE INDEX lore_books_p1_namespace_id_agent_subject_idx ON everword.lore_books_p1 USING btree (namespace_id, agent, subject) WHERE (conversation_id IS NULL);

CREATE INDEX lore_books_p1_namespace_id_conversation_id_idx ON everword.lore_books_p1 USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX lore_books_p1_namespace_id_key_hash_idx ON everword.lore_books_p1 USING btree (namespace_id, key_hash);

CREATE INDEX lore_books_p2_namespace_id_agent_subject_idx ON everword.lore_books_p2 USING btree (namespace_id, agent, subject) WHERE (conversation_id IS NULL);

CREATE INDEX lore_books_p2_namespace_id_conversation_id_idx ON everword.lore_books_p2 USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX lore_books_p2_namespace_id_key_hash_idx ON everword.lore_books_p2 USING btree (namespace_id, key_hash);

CREATE INDEX lore_books_p3_namespace_id_agent_subject_idx ON everword.lore_books_p3 USING btree (namespace_id, agent, subject) WHERE (conversation_id IS NULL);

CREATE INDEX lore_books_p3_namespace_id_conversation_id_idx ON everword.lore_books_p3 USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX lore_books_p3_namespace_id_key_hash_idx ON everword.lore_books_p3 USING btree (namespace_id, key_hash);

CREATE UNIQUE INDEX lore_entries_title ON ONLY everword.lore_entries USING btree (namespace_id, book_id, title);

CREATE UNIQUE INDEX lore_entries_p0_namespace_id_book_id_title_idx ON everword.lore_entries_p0 USING btree (namespace_id, book_id, title);

CREATE UNIQUE INDEX lore_entries_p1_namespace_id_book_id_title_idx ON everword.lore_entries_p1 USING btree (namespace_id, book_id, title);

CREATE UNIQUE INDEX lore_entries_p2_namespace_id_book_id_title_idx ON everword.lore_entries_p2 USING btree (namespace_id, book_id, title);

CREATE UNIQUE INDEX lore_entries_p3_namespace_id_book_id_title_idx ON everword.lore_entries_p3 USING btree (namespace_id, book_id, title);

CREATE INDEX memories_author ON ONLY everword.memories USING btree (namespace_id, author) WHERE (author <> ''::text);

CREATE INDEX memories_conversation ON ONLY everword.memories USING btree (namespace_id, conversation_id, seq);

CREATE INDEX memories_ending ON ONLY everword.memories USING btree (namespace_id, valid_until, source_id) WHERE ((part = 0) AND (valid_until IS NOT NULL));

CREATE INDEX memories_lexemes ON ONLY everword.memories USING gin (namespace_id, lexemes);

CREATE INDEX memories_literals ON ONLY everword.memories USING gin (namespace_id, literals public.gin_trgm_ops) WHERE (literals IS NOT NULL);

CREATE INDEX memories_p0_namespace_id_author_idx ON everword.memories_p0 USING btree (namespace_id, author) WHERE (author <> ''::text);

CREATE INDEX memories_p0_namespace_id_conversation_id_seq_idx ON everword.memories_p0 USING btree (namespace_id, conversation_id, seq);

CREATE INDEX memories_p0_namespace_id_lexemes_idx ON everword.memories_p0 USING gin (namespace_id, lexemes) WITH (gin_pending_list_limit='256');

CREATE INDEX memories_p0_namespace_id_literals_idx ON everword.memories_p0 USING gin (namespace_id, literals public.gin_trgm_ops) WITH (gin_pending_list_limit='256') WHERE (literals IS NOT NULL);

CREATE INDEX memories_time ON ONLY everword.memories USING btree (namespace_id, occurred_at, source_id, part);

CREATE INDEX memories_p0_namespace_id_occurred_at_source_id_part_idx ON everword.memories_p0 USING btree (namespace_id, occurred_at, source_id, part);

CREATE UNIQUE INDEX memories_source ON ONLY everword.memories USING btree (namespace_id, source_id, part);

CREATE UNIQUE INDEX memories_p0_namespace_id_source_id_part_idx ON everword.memories_p0 USING btree (namespace_id, source_id, part);

CREATE INDEX memories_subject ON ONLY everword.memories USING btree (namespace_id, subject) WHERE (subject <> ''::text);

CREATE INDEX memories_p0_namespace_id_subject_idx ON everword.memories_p0 USING btree (namespace_id, subject) WHERE (subject <> ''::text);

CREATE INDEX memories_tags ON ONLY everword.memories USING gin (namespace_id, tags) WITH (fastupdate=off) WHERE (tags[1] IS NOT NULL);

CREATE INDEX memories_p0_namespace_id_tags_idx ON everword.memories_p0 USING gin (namespace_id, tags) WITH (fastupdate=off) WHERE (tags[1] IS NOT NULL);

CREATE INDEX memories_p0_namespace_id_valid_until_source_id_idx ON everword.memories_p0 USING btree (namespace_id, valid_until, source_id) WHERE ((part = 0) AND (valid_until IS NOT NULL));

CREATE INDEX memories_p1_namespace_id_author_idx ON everword.memories_p1 USING btree (namespace_id, author) WHERE (author <> ''::text);

CREATE INDEX memories_p1_namespace_id_conversation_id_seq_idx ON everword.memories_p1 USING btree (namespace_id, conversation_id, seq);

CREATE INDEX memories_p1_namespace_id_lexemes_idx ON everword.memories_p1 USING gin (namespace_id, lexemes) WITH (gin_pending_list_limit='256');

CREATE INDEX memories_p1_namespace_id_literals_idx ON everword.memories_p1 USING gin (namespace_id, literals public.gin_trgm_ops) WITH (gin_pending_list_limit='256') WHERE (literals IS NOT NULL);

CREATE INDEX memories_p1_namespace_id_occurred_at_source_id_part_idx ON everword.memories_p1 USING btree (namespace_id, occurred_at, source_id, part);

CREATE UNIQUE INDEX memories_p1_namespace_id_source_id_part_idx ON everword.memories_p1 USING btree (namespace_id, source_id, part);

CREATE INDEX memories_p1_namespace_id_subject_idx ON everword.memories_p1 USING btree (namespace_id, subject) WHERE (subject <> ''::text);

CREATE INDEX memories_p1_namespace_id_tags_idx ON everword.memories_p1 USING gin (namespace_id, tags) WITH (fastupdate=off) WHERE (tags[1] IS NOT NULL);

CREATE INDEX memories_p1_namespace_id_valid_until_source_id_idx ON everword.memories_p1 USING btree (namespace_id, valid_until, source_id) WHERE ((part = 0) AND (valid_until IS NOT NULL));

CREATE INDEX memories_p2_namespace_id_author_idx ON everword.memories_p2 USING btree (namespace_id, author) WHERE (author <> ''::text);

CREATE INDEX memories_p2_namespace_id_conversation_id_seq_idx ON everword.memories_p2 USING btree (namespace_id, conversation_id, seq);

CREATE INDEX memories_p2_namespace_id_lexemes_idx ON everword.memories_p2 USING gin (namespace_id, lexemes) WITH (gin_pending_list_limit='256');

CREATE INDEX memories_p2_namespace_id_literals_idx ON everword.memories_p2 USING gin (namespace_id, literals public.gin_trgm_ops) WITH (gin_pending_list_limit='256') WHERE (literals IS NOT NULL);

CREATE INDEX memories_p2_namespace_id_occurred_at_source_id_part_idx ON everword.memories_p2 USING btree (namespace_id, occurred_at, source_id, part);

CREATE UNIQUE INDEX memories_p2_namespace_id_source_id_part_idx ON everword.memories_p2 USING btree (namespace_id, source_id, part);

CREATE INDEX memories_p2_namespace_id_subject_idx ON everword.memories_p2 USING btree (namespace_id, subject) WHERE (subject <> ''::text);

CREATE INDEX memories_p2_namespace_id_tags_idx ON everword.memories_p2 USING gin (namespace_id, tags) WITH (fastupdate=off) WHERE (tags[1] IS NOT NULL);

CREATE INDEX memories_p2_namespace_id_valid_until_source_id_idx ON everword.memories_p2 USING btree (namespace_id, valid_until, source_id) WHERE ((part = 0) AND (valid_until IS NOT NULL));

CREATE INDEX memories_p3_namespace_id_author_idx ON everword.memories_p3 USING btree (namespace_id, author) WHERE (author <> ''::text);

CREATE INDEX memories_p3_namespace_id_conversation_id_seq_idx ON everword.memories_p3 USING btree (namespace_id, conversation_id, seq);

CREATE INDEX memories_p3_namespace_id_lexemes_idx ON everword.memories_p3 USING gin (namespace_id, lexemes) WITH (gin_pending_list_limit='256');

CREATE INDEX memories_p3_namespace_id_literals_idx ON everword.memories_p3 USING gin (namespace_id, literals public.gin_trgm_ops) WITH (gin_pending_list_limit='256') WHERE (literals IS NOT NULL);

CREATE INDEX memories_p3_namespace_id_occurred_at_source_id_part_idx ON everword.memories_p3 USING btree (namespace_id, occurred_at, source_id, part);

CREATE UNIQUE INDEX memories_p3_namespace_id_source_id_part_idx ON everword.memories_p3 USING btree (namespace_id, source_id, part);

CREATE INDEX memories_p3_namespace_id_subject_idx ON everword.memories_p3 USING btree (namespace_id, subject) WHERE (subject <> ''::text);

CREATE INDEX memories_p3_namespace_id_tags_idx ON everword.memories_p3 USING gin (namespace_id, tags) WITH (fastupdate=off) WHERE (tags[1] IS NOT NULL);

CREATE INDEX memories_p3_namespace_id_valid_until_source_id_idx ON everword.memories_p3 USING btree (namespace_id, valid_until, source_id) WHERE ((part = 0) AND (valid_until IS NOT NULL));

CREATE INDEX memory_changes_by_age ON everword.memory_changes USING btree (namespace_id, changed_at);

CREATE INDEX memory_vectors_1_embedding_idx ON ONLY everword.memory_vectors_1 USING hnsw (embedding public.halfvec_cosine_ops);

CREATE INDEX memory_vectors_1_p0_embedding_idx ON everword.memory_vectors_1_p0 USING hnsw (embedding public.halfvec_cosine_ops);

CREATE INDEX memory_vectors_1_p1_embedding_idx ON everword.memory_vectors_1_p1 USING hnsw (embedding public.halfvec_cosine_ops);

CREATE INDEX memory_vectors_1_p2_embedding_idx ON everword.memory_vectors_1_p2 USING hnsw (embedding public.halfvec_cosine_ops);

CREATE INDEX memory_vectors_1_p3_embedding_idx ON everword.memory_vectors_1_p3 USING hnsw (embedding public.halfvec_cosine_ops);

CREATE INDEX messages_author ON ONLY everword.messages USING btree (namespace_id, author, id) WHERE (author <> ''::text);

CREATE UNIQUE INDEX messages_external_id ON ONLY everword.messages USING btree (namespace_id, conversation_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX messages_occurred_at ON ONLY everword.messages USING btree (namespace_id, occurred_at, id) WHERE (NOT automated);

CREATE INDEX messages_p0_namespace_id_author_id_idx ON everword.messages_p0 USING btree (namespace_id, author, id) WHERE (author <> ''::text);

CREATE UNIQUE INDEX messages_p0_namespace_id_conversation_id_external_id_idx ON everword.messages_p0 USING btree (namespace_id, conversation_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX messages_p0_namespace_id_occurred_at_id_idx ON everword.messages_p0 USING btree (namespace_id, occurred_at, id) WHERE (NOT automated);

CREATE INDEX messages_p1_namespace_id_author_id_idx ON everword.messages_p1 USING btree (namespace_id, author, id) WHERE (author <> ''::text);

CREATE UNIQUE INDEX messages_p1_namespace_id_conversation_id_external_id_idx ON everword.messages_p1 USING btree (namespace_id, conversation_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX messages_p1_namespace_id_occurred_at_id_idx ON everword.messages_p1 USING btree (namespace_id, occurred_at, id) WHERE (NOT automated);

CREATE INDEX messages_p2_namespace_id_author_id_idx ON everword.messages_p2 USING btree (namespace_id, author, id) WHERE (author <> ''::text);

CREATE UNIQUE INDEX messages_p2_namespace_id_conversation_id_external_id_idx ON everword.messages_p2 USING btree (namespace_id, conversation_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX messages_p2_namespace_id_occurred_at_id_idx ON everword.messages_p2 USING btree (namespace_id, occurred_at, id) WHERE (NOT automated);

CREATE INDEX messages_p3_namespace_id_author_id_idx ON everword.messages_p3 USING btree (namespace_id, author, id) WHERE (author <> ''::text);

CREATE UNIQUE INDEX messages_p3_namespace_id_conversation_id_external_id_idx ON everword.messages_p3 USING btree (namespace_id, conversation_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX messages_p3_namespace_id_occurred_at_id_idx ON everword.messages_p3 USING btree (namespace_id, occurred_at, id) WHERE (NOT automated);

CREATE UNIQUE INDEX model_generations_active ON everword.model_generations USING btree (state) WHERE (state = 'active'::text);

CREATE INDEX namespace_deletions_name_hash ON everword.namespace_deletions USING btree (name_hash, id);

CREATE UNIQUE INDEX note_versions_id ON ONLY everword.note_versions USING btree (namespace_id, id);

CREATE UNIQUE INDEX note_versions_p0_namespace_id_id_idx ON everword.note_versions_p0 USING btree (namespace_id, id);

CREATE UNIQUE INDEX note_versions_p1_namespace_id_id_idx ON everword.note_versions_p1 USING btree (namespace_id, id);

CREATE UNIQUE INDEX note_versions_p2_namespace_id_id_idx ON everword.note_versions_p2 USING btree (namespace_id, id);

CREATE UNIQUE INDEX note_versions_p3_namespace_id_id_idx ON everword.note_versions_p3 USING btree (namespace_id, id);

CREATE INDEX notes_conversation ON ONLY everword.notes USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX notes_key ON ONLY everword.notes USING btree (namespace_id, key_hash);

CREATE INDEX notes_kind ON ONLY everword.notes USING btree (namespace_id, kind, id);

CREATE INDEX notes_log ON ONLY everword.notes USING btree (namespace_id, log_date, id) WHERE (log_date IS NOT NULL);

CREATE INDEX notes_p0_namespace_id_conversation_id_idx ON everword.notes_p0 USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX notes_p0_namespace_id_key_hash_idx ON everword.notes_p0 USING btree (namespace_id, key_hash);

CREATE INDEX notes_p0_namespace_id_kind_id_idx ON everword.notes_p0 USING btree (namespace_id, kind, id);

CREATE INDEX notes_p0_namespace_id_log_date_id_idx ON everword.notes_p0 USING btree (namespace_id, log_date, id) WHERE (log_date IS NOT NULL);

CREATE INDEX notes_p1_namespace_id_conversation_id_idx ON everword.notes_p1 USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX notes_p1_namespace_id_key_hash_idx ON everword.notes_p1 USING btree (namespace_id, key_hash);

CREATE INDEX notes_p1_namespace_id_kind_id_idx ON everword.notes_p1 USING btree (namespace_id, kind, id);

CREATE INDEX notes_p1_namespace_id_log_date_id_idx ON everword.notes_p1 USING btree (namespace_id, log_date, id) WHERE (log_date IS NOT NULL);

CREATE INDEX notes_p2_namespace_id_conversation_id_idx ON everword.notes_p2 USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX notes_p2_namespace_id_key_hash_idx ON everword.notes_p2 USING btree (namespace_id, key_hash);

CREATE INDEX notes_p2_namespace_id_kind_id_idx ON everword.notes_p2 USING btree (namespace_id, kind, id);

CREATE INDEX notes_p2_namespace_id_log_date_id_idx ON everword.notes_p2 USING btree (namespace_id, log_date, id) WHERE (log_date IS NOT NULL);

CREATE INDEX notes_p3_namespace_id_conversation_id_idx ON everword.notes_p3 USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE UNIQUE INDEX notes_p3_namespace_id_key_hash_idx ON everword.notes_p3 USING btree (namespace_id, key_hash);

CREATE INDEX notes_p3_namespace_id_kind_id_idx ON everword.notes_p3 USING btree (namespace_id, kind, id);

CREATE INDEX notes_p3_namespace_id_log_date_id_idx ON everword.notes_p3 USING btree (namespace_id, log_date, id) WHERE (log_date IS NOT NULL);

CREATE INDEX pattern_decisions_pattern ON ONLY everword.pattern_decisions USING btree (namespace_id, pattern_id, decided_at DESC, id DESC);

CREATE INDEX pattern_decisions_p0_namespace_id_pattern_id_decided_at_id_idx ON everword.pattern_decisions_p0 USING btree (namespace_id, pattern_id, decided_at DESC, id DESC);

CREATE INDEX pattern_decisions_p1_namespace_id_pattern_id_decided_at_id_idx ON everword.pattern_decisions_p1 USING btree (namespace_id, pattern_id, decided_at DESC, id DESC);

CREATE INDEX pattern_decisions_p2_namespace_id_pattern_id_decided_at_id_idx ON everword.pattern_decisions_p2 USING btree (namespace_id, pattern_id, decided_at DESC, id DESC);

CREATE INDEX pattern_decisions_p3_namespace_id_pattern_id_decided_at_id_idx ON everword.pattern_decisions_p3 USING btree (namespace_id, pattern_id, decided_at DESC, id DESC);

CREATE INDEX pattern_outcomes_pattern ON ONLY everword.pattern_outcomes USING btree (namespace_id, pattern_id, outcome_at DESC, id DESC);

CREATE INDEX pattern_outcomes_p0_namespace_id_pattern_id_outcome_at_id_idx ON everword.pattern_outcomes_p0 USING btree (namespace_id, pattern_id, outcome_at DESC, id DESC);

CREATE INDEX pattern_outcomes_p1_namespace_id_pattern_id_outcome_at_id_idx ON everword.pattern_outcomes_p1 USING btree (namespace_id, pattern_id, outcome_at DESC, id DESC);

CREATE INDEX pattern_outcomes_p2_namespace_id_pattern_id_outcome_at_id_idx ON everword.pattern_outcomes_p2 USING btree (namespace_id, pattern_id, outcome_at DESC, id DESC);

CREATE INDEX pattern_outcomes_p3_namespace_id_pattern_id_outcome_at_id_idx ON everword.pattern_outcomes_p3 USING btree (namespace_id, pattern_id, outcome_at DESC, id DESC);

CREATE INDEX patterns_category ON ONLY everword.patterns USING btree (namespace_id, category, confidence DESC, id);

CREATE INDEX patterns_confidence ON ONLY everword.patterns USING btree (namespace_id, confidence DESC, id);

CREATE INDEX patterns_p0_namespace_id_category_confidence_id_idx ON everword.patterns_p0 USING btree (namespace_id, category, confidence DESC, id);

CREATE INDEX patterns_p0_namespace_id_confidence_id_idx ON everword.patterns_p0 USING btree (namespace_id, confidence DESC, id);

CREATE INDEX patterns_type ON ONLY everword.patterns USING btree (namespace_id, type, confidence DESC, id);

CREATE INDEX patterns_p0_namespace_id_type_confidence_id_idx ON everword.patterns_p0 USING btree (namespace_id, type, confidence DESC, id);

CREATE INDEX patterns_p1_namespace_id_category_confidence_id_idx ON everword.patterns_p1 USING btree (namespace_id, category, confidence DESC, id);

CREATE INDEX patterns_p1_namespace_id_confidence_id_idx ON everword.patterns_p1 USING btree (namespace_id, confidence DESC, id);

CREATE INDEX patterns_p1_namespace_id_type_confidence_id_idx ON everword.patterns_p1 USING btree (namespace_id, type, confidence DESC, id);

CREATE INDEX patterns_p2_namespace_id_category_confidence_id_idx ON everword.patterns_p2 USING btree (namespace_id, category, confidence DESC, id);

CREATE INDEX patterns_p2_namespace_id_confidence_id_idx ON everword.patterns_p2 USING btree (namespace_id, confidence DESC, id);

CREATE INDEX patterns_p2_namespace_id_type_confidence_id_idx ON everword.patterns_p2 USING btree (namespace_id, type, confidence DESC, id);

CREATE INDEX patterns_p3_namespace_id_category_confidence_id_idx ON everword.patterns_p3 USING btree (namespace_id, category, confidence DESC, id);

CREATE INDEX patterns_p3_namespace_id_confidence_id_idx ON everword.patterns_p3 USING btree (namespace_id, confidence DESC, id);

CREATE INDEX patterns_p3_namespace_id_type_confidence_id_idx ON everword.patterns_p3 USING btree (namespace_id, type, confidence DESC, id);

CREATE INDEX people_subject ON ONLY everword.people USING btree (namespace_id, subject, id);

CREATE INDEX people_p0_namespace_id_subject_id_idx ON everword.people_p0 USING btree (namespace_id, subject, id);

CREATE INDEX people_p1_namespace_id_subject_id_idx ON everword.people_p1 USING btree (namespace_id, subject, id);

CREATE INDEX people_p2_namespace_id_subject_id_idx ON everword.people_p2 USING btree (namespace_id, subject, id);

CREATE INDEX people_p3_namespace_id_subject_id_idx ON everword.people_p3 USING btree (namespace_id, subject, id);

CREATE UNIQUE INDEX retention_runs_night ON everword.retention_runs USING btree (namespace_id, night) WHERE (night IS NOT NULL);

CREATE UNIQUE INDEX retention_runs_running ON everword.retention_runs USING btree (namespace_id) WHERE (state = 1);

CREATE INDEX session_observations_session ON ONLY everword.session_observations USING btree (namespace_id, session_id);

CREATE INDEX session_observations_p0_namespace_id_session_id_idx ON everword.session_observations_p0 USING btree (namespace_id, session_id);

CREATE INDEX session_observations_subject ON ONLY everword.session_observations USING btree (namespace_id, subject, kind, id);

CREATE INDEX session_observations_p0_namespace_id_subject_kind_id_idx ON everword.session_observations_p0 USING btree (namespace_id, subject, kind, id);

CREATE INDEX session_observations_p1_namespace_id_session_id_idx ON everword.session_observations_p1 USING btree (namespace_id, session_id);

CREATE INDEX session_observations_p1_namespace_id_subject_kind_id_idx ON everword.session_observations_p1 USING btree (namespace_id, subject, kind, id);

CREATE INDEX session_observations_p2_namespace_id_session_id_idx ON everword.session_observations_p2 USING btree (namespace_id, session_id);

CREATE INDEX session_observations_p2_namespace_id_subject_kind_id_idx ON everword.session_observations_p2 USING btree (namespace_id, subject, kind, id);

CREATE INDEX session_observations_p3_namespace_id_session_id_idx ON everword.session_observations_p3 USING btree (namespace_id, session_id);

CREATE INDEX session_observations_p3_namespace_id_subject_kind_id_idx ON everword.session_observations_p3 USING btree (namespace_id, subject, kind, id);

CREATE INDEX sleep_sessions_parked ON ONLY everword.sleep_sessions USING btree (namespace_id, conversation_id, first_seq) WHERE (state = 4);

CREATE INDEX sleep_sessions_p0_namespace_id_conversation_id_first_seq_idx ON everword.sleep_sessions_p0 USING btree (namespace_id, conversation_id, first_seq) WHERE (state = 4);

CREATE INDEX sleep_sessions_processed ON ONLY everword.sleep_sessions USING btree (namespace_id, processed_at);

CREATE INDEX sleep_sessions_p0_namespace_id_processed_at_idx ON everword.sleep_sessions_p0 USING btree (namespace_id, processed_at);

CREATE INDEX sleep_sessions_started ON ONLY everword.sleep_sessions USING btree (namespace_id, started_at);

CREATE INDEX sleep_sessions_p0_namespace_id_started_at_idx ON everword.sleep_sessions_p0 USING btree (namespace_id, started_at);

CREATE INDEX sleep_sessions_topics ON ONLY everword.sleep_sessions USING btree (namespace_id, started_at) WHERE (topics <> '{}'::text[]);

CREATE INDEX sleep_sessions_p0_namespace_id_started_at_idx1 ON everword.sleep_sessions_p0 USING btree (namespace_id, started_at) WHERE (topics <> '{}'::text[]);

CREATE INDEX sleep_sessions_stored ON ONLY everword.sleep_sessions USING btree (namespace_id, stored_at);

CREATE INDEX sleep_sessions_p0_namespace_id_stored_at_idx ON everword.sleep_sessions_p0 USING btree (namespace_id, stored_at);

CREATE INDEX sleep_sessions_waiting ON ONLY everword.sleep_sessions USING btree (namespace_id, subject, started_at) WHERE (state = 1);

CREATE INDEX sleep_sessions_p0_namespace_id_subject_started_at_idx ON everword.sleep_sessions_p0 USING btree (namespace_id, subject, started_at) WHERE (state = 1);

CREATE INDEX sleep_sessions_subject ON ONLY everword.sleep_sessions USING btree (namespace_id, subject, started_at) WHERE (state = ANY (ARRAY[1, 2]));

CREATE INDEX sleep_sessions_p0_namespace_id_subject_started_at_idx1 ON everword.sleep_sessions_p0 USING btree (namespace_id, subject, started_at) WHERE (state = ANY (ARRAY[1, 2]));

CREATE INDEX sleep_sessions_p1_namespace_id_conversation_id_first_seq_idx ON everword.sleep_sessions_p1 USING btree (namespace_id, conversation_id, first_seq) WHERE (state = 4);

CREATE INDEX sleep_sessions_p1_namespace_id_processed_at_idx ON everword.sleep_sessions_p1 USING btree (namespace_id, processed_at);

CREATE INDEX sleep_sessions_p1_namespace_id_started_at_idx ON everword.sleep_sessions_p1 USING btree (namespace_id, started_at);

CREATE INDEX sleep_sessions_p1_namespace_id_started_at_idx1 ON everword.sleep_sessions_p1 USING btree (namespace_id, started_at) WHERE (topics <> '{}'::text[]);

CREATE INDEX sleep_sessions_p1_namespace_id_stored_at_idx ON everword.sleep_sessions_p1 USING btree (namespace_id, stored_at);

CREATE INDEX sleep_sessions_p1_namespace_id_subject_started_at_idx ON everword.sleep_sessions_p1 USING btree (namespace_id, subject, started_at) WHERE (state = 1);

CREATE INDEX sleep_sessions_p1_namespace_id_subject_started_at_idx1 ON everword.sleep_sessions_p1 USING btree (namespace_id, subject, started_at) WHERE (state = ANY (ARRAY[1, 2]));

CREATE INDEX sleep_sessions_p2_namespace_id_conversation_id_first_seq_idx ON everword.sleep_sessions_p2 USING btree (namespace_id, conversation_id, first_seq) WHERE (state = 4);

CREATE INDEX sleep_sessions_p2_namespace_id_processed_at_idx ON everword.sleep_sessions_p2 USING btree (namespace_id, processed_at);

CREATE INDEX sleep_sessions_p2_namespace_id_started_at_idx ON everword.sleep_sessions_p2 USING btree (namespace_id, started_at);

CREATE INDEX sleep_sessions_p2_namespace_id_started_at_idx1 ON everword.sleep_sessions_p2 USING btree (namespace_id, started_at) WHERE (topics <> '{}'::text[]);

CREATE INDEX sleep_sessions_p2_namespace_id_stored_at_idx ON everword.sleep_sessions_p2 USING btree (namespace_id, stored_at);

CREATE INDEX sleep_sessions_p2_namespace_id_subject_started_at_idx ON everword.sleep_sessions_p2 USING btree (namespace_id, subject, started_at) WHERE (state = 1);

CREATE INDEX sleep_sessions_p2_namespace_id_subject_started_at_idx1 ON everword.sleep_sessions_p2 USING btree (namespace_id, subject, started_at) WHERE (state = ANY (ARRAY[1, 2]));

CREATE INDEX sleep_sessions_p3_namespace_id_conversation_id_first_seq_idx ON everword.sleep_sessions_p3 USING btree (namespace_id, conversation_id, first_seq) WHERE (state = 4);

CREATE INDEX sleep_sessions_p3_namespace_id_processed_at_idx ON everword.sleep_sessions_p3 USING btree (namespace_id, processed_at);

CREATE INDEX sleep_sessions_p3_namespace_id_started_at_idx ON everword.sleep_sessions_p3 USING btree (namespace_id, started_at);

CREATE INDEX sleep_sessions_p3_namespace_id_started_at_idx1 ON everword.sleep_sessions_p3 USING btree (namespace_id, started_at) WHERE (topics <> '{}'::text[]);

CREATE INDEX sleep_sessions_p3_namespace_id_stored_at_idx ON everword.sleep_sessions_p3 USING btree (namespace_id, stored_at);

CREATE INDEX sleep_sessions_p3_namespace_id_subject_started_at_idx ON everword.sleep_sessions_p3 USING btree (namespace_id, subject, started_at) WHERE (state = 1);

CREATE INDEX sleep_sessions_p3_namespace_id_subject_started_at_idx1 ON everword.sleep_sessions_p3 USING btree (namespace_id, subject, started_at) WHERE (state = ANY (ARRAY[1, 2]));

CREATE INDEX strategies_open ON ONLY everword.strategies USING btree (namespace_id, subject, created_at DESC, id) WHERE (state = 1);

CREATE INDEX strategies_p0_namespace_id_subject_created_at_id_idx ON everword.strategies_p0 USING btree (namespace_id, subject, created_at DESC, id) WHERE (state = 1);

CREATE INDEX strategies_subject ON ONLY everword.strategies USING btree (namespace_id, subject, id);

CREATE INDEX strategies_p0_namespace_id_subject_id_idx ON everword.strategies_p0 USING btree (namespace_id, subject, id);

CREATE INDEX strategies_p1_namespace_id_subject_created_at_id_idx ON everword.strategies_p1 USING btree (namespace_id, subject, created_at DESC, id) WHERE (state = 1);

CREATE INDEX strategies_p1_namespace_id_subject_id_idx ON everword.strategies_p1 USING btree (namespace_id, subject, id);

CREATE INDEX strategies_p2_namespace_id_subject_created_at_id_idx ON everword.strategies_p2 USING btree (namespace_id, subject, created_at DESC, id) WHERE (state = 1);

CREATE INDEX strategies_p2_namespace_id_subject_id_idx ON everword.strategies_p2 USING btree (namespace_id, subject, id);

CREATE INDEX strategies_p3_namespace_id_subject_created_at_id_idx ON everword.strategies_p3 USING btree (namespace_id, subject, created_at DESC, id) WHERE (state = 1);

CREATE INDEX strategies_p3_namespace_id_subject_id_idx ON everword.strategies_p3 USING btree (namespace_id, subject, id);

CREATE UNIQUE INDEX summaries_conversation ON ONLY everword.summaries USING btree (namespace_id, conversation_id, level, first_seq) WHERE (conversation_id IS NOT NULL);

CREATE INDEX summaries_level ON ONLY everword.summaries USING btree (namespace_id, level, latest_at, id);

CREATE UNIQUE INDEX summaries_name ON ONLY everword.summaries USING btree (namespace_id, name) WHERE (name <> ''::text);

CREATE INDEX summaries_written_by ON ONLY everword.summaries USING btree (level, model, prompt_version, namespace_id);

CREATE INDEX summaries_p0_level_model_prompt_version_namespace_id_idx ON everword.summaries_p0 USING btree (level, model, prompt_version, namespace_id);

CREATE UNIQUE INDEX summaries_p0_namespace_id_conversation_id_level_first_seq_idx ON everword.summaries_p0 USING btree (namespace_id, conversation_id, level, first_seq) WHERE (conversation_id IS NOT NULL);

CREATE INDEX summaries_stale ON ONLY everword.summaries USING btree (namespace_id, level) WHERE stale;

CREATE INDEX summaries_p0_namespace_id_level_idx ON everword.summaries_p0 USING btree (namespace_id, level) WHERE stale;

CREATE INDEX summaries_p0_namespace_id_level_latest_at_id_idx ON everword.summaries_p0 USING btree (namespace_id, level, latest_at, id);

CREATE INDEX summaries_review ON ONLY everword.summaries USING btree (namespace_id, level, latest_at, id) WHERE needs_review;

CREATE INDEX summaries_p0_namespace_id_level_latest_at_id_idx1 ON everword.summaries_p0 USING btree (namespace_id, level, latest_at, id) WHERE needs_review;

CREATE UNIQUE INDEX summaries_period ON ONLY everword.summaries USING btree (namespace_id, level, period, instance) WHERE (period IS NOT NULL);

CREATE UNIQUE INDEX summaries_p0_namespace_id_level_period_instance_idx ON everword.summaries_p0 USING btree (namespace_id, level, period, instance) WHERE (period IS NOT NULL);

CREATE UNIQUE INDEX summaries_p0_namespace_id_name_idx ON everword.summaries_p0 USING btree (namespace_id, name) WHERE (name <> ''::text);

CREATE INDEX summaries_parent ON ONLY everword.summaries USING btree (namespace_id, parent_id) WHERE (parent_id IS NOT NULL);

CREATE INDEX summaries_p0_namespace_id_parent_id_idx ON everword.summaries_p0 USING btree (namespace_id, parent_id) WHERE (parent_id IS NOT NULL);

CREATE INDEX summaries_p1_level_model_prompt_version_namespace_id_idx ON everword.summaries_p1 USING btree (level, model, prompt_version, namespace_id);

CREATE UNIQUE INDEX summaries_p1_namespace_id_conversation_id_level_first_seq_idx ON everword.summaries_p1 USING btree (namespace_id, conversation_id, level, first_seq) WHERE (conversation_id IS NOT NULL);

CREATE INDEX summaries_p1_namespace_id_level_idx ON everword.summaries_p1 USING btree (namespace_id, level) WHERE stale;

CREATE INDEX summaries_p1_namespace_id_level_latest_at_id_idx ON everword.summaries_p1 USING btree (namespace_id, level, latest_at, id);

CREATE INDEX summaries_p1_namespace_id_level_latest_at_id_idx1 ON everword.summaries_p1 USING btree (namespace_id, level, latest_at, id) WHERE needs_review;

CREATE UNIQUE INDEX summaries_p1_namespace_id_level_period_instance_idx ON everword.summaries_p1 USING btree (namespace_id, level, period, instance) WHERE (period IS NOT NULL);

CREATE UNIQUE INDEX summaries_p1_namespace_id_name_idx ON everword.summaries_p1 USING btree (namespace_id, name) WHERE (name <> ''::text);

CREATE INDEX summaries_p1_namespace_id_parent_id_idx ON everword.summaries_p1 USING btree (namespace_id, parent_id) WHERE (parent_id IS NOT NULL);

CREATE INDEX summaries_p2_level_model_prompt_version_namespace_id_idx ON everword.summaries_p2 USING btree (level, model, prompt_version, namespace_id);

CREATE UNIQUE INDEX summaries_p2_namespace_id_conversation_id_level_first_seq_idx ON everword.summaries_p2 USING btree (namespace_id, conversation_id, level, first_seq) WHERE (conversation_id IS NOT NULL);

CREATE INDEX summaries_p2_namespace_id_level_idx ON everword.summaries_p2 USING btree (namespace_id, level) WHERE stale;

CREATE INDEX summaries_p2_namespace_id_level_latest_at_id_idx ON everword.summaries_p2 USING btree (namespace_id, level, latest_at, id);

CREATE INDEX summaries_p2_namespace_id_level_latest_at_id_idx1 ON everword.summaries_p2 USING btree (namespace_id, level, latest_at, id) WHERE needs_review;

CREATE UNIQUE INDEX summaries_p2_namespace_id_level_period_instance_idx ON everword.summaries_p2 USING btree (namespace_id, level, period, instance) WHERE (period IS NOT NULL);

CREATE UNIQUE INDEX summaries_p2_namespace_id_name_idx ON everword.summaries_p2 USING btree (namespace_id, name) WHERE (name <> ''::text);

CREATE INDEX summaries_p2_namespace_id_parent_id_idx ON everword.summaries_p2 USING btree (namespace_id, parent_id) WHERE (parent_id IS NOT NULL);

CREATE INDEX summaries_p3_level_model_prompt_version_namespace_id_idx ON everword.summaries_p3 USING btree (level, model, prompt_version, namespace_id);

CREATE UNIQUE INDEX summaries_p3_namespace_id_conversation_id_level_first_seq_idx ON everword.summaries_p3 USING btree (namespace_id, conversation_id, level, first_seq) WHERE (conversation_id IS NOT NULL);

CREATE INDEX summaries_p3_namespace_id_level_idx ON everword.summaries_p3 USING btree (namespace_id, level) WHERE stale;

CREATE INDEX summaries_p3_namespace_id_level_latest_at_id_idx ON everword.summaries_p3 USING btree (namespace_id, level, latest_at, id);

CREATE INDEX summaries_p3_namespace_id_level_latest_at_id_idx1 ON everword.summaries_p3 USING btree (namespace_id, level, latest_at, id) WHERE needs_review;

CREATE UNIQUE INDEX summaries_p3_namespace_id_level_period_instance_idx ON everword.summaries_p3 USING btree (namespace_id, level, period, instance) WHERE (period IS NOT NULL);

CREATE UNIQUE INDEX summaries_p3_namespace_id_name_idx ON everword.summaries_p3 USING btree (namespace_id, name) WHERE (name <> ''::text);

CREATE INDEX summaries_p3_namespace_id_parent_id_idx ON everword.summaries_p3 USING btree (namespace_id, parent_id) WHERE (parent_id IS NOT NULL);

CREATE UNIQUE INDEX summary_sources_child ON ONLY everword.summary_sources USING btree (namespace_id, child_id) WHERE (child_id IS NOT NULL);

CREATE UNIQUE INDEX summary_sources_message ON ONLY everword.summary_sources USING btree (namespace_id, message_id, axis) WHERE (message_id IS NOT NULL);

CREATE UNIQUE INDEX summary_sources_p0_namespace_id_child_id_idx ON everword.summary_sources_p0 USING btree (namespace_id, child_id) WHERE (child_id IS NOT NULL);

CREATE UNIQUE INDEX summary_sources_p0_namespace_id_message_id_axis_idx ON everword.summary_sources_p0 USING btree (namespace_id, message_id, axis) WHERE (message_id IS NOT NULL);

CREATE UNIQUE INDEX summary_sources_p1_namespace_id_child_id_idx ON everword.summary_sources_p1 USING btree (namespace_id, child_id) WHERE (child_id IS NOT NULL);

CREATE UNIQUE INDEX summary_sources_p1_namespace_id_message_id_axis_idx ON everword.summary_sources_p1 USING btree (namespace_id, message_id, axis) WHERE (message_id IS NOT NULL);

CREATE UNIQUE INDEX summary_sources_p2_namespace_id_child_id_idx ON everword.summary_sources_p2 USING btree (namespace_id, child_id) WHERE (child_id IS NOT NULL);

CREATE UNIQUE INDEX summary_sources_p2_namespace_id_message_id_axis_idx ON everword.summary_sources_p2 USING btree (namespace_id, message_id, axis) WHERE (message_id IS NOT NULL);

CREATE UNIQUE INDEX summary_sources_p3_namespace_id_child_id_idx ON everword.summary_sources_p3 USING btree (namespace_id, child_id) WHERE (child_id IS NOT NULL);

CREATE UNIQUE INDEX summary_sources_p3_namespace_id_message_id_axis_idx ON everword.summary_sources_p3 USING btree (namespace_id, message_id, axis) WHERE (message_id IS NOT NULL);

CREATE INDEX tool_sentence_queue_pending ON everword.tool_sentence_queue USING btree (namespace_id, not_before) WHERE (state = 'pending'::text);

CREATE INDEX topic_pages_cited ON ONLY everword.topic_pages USING gin (namespace_id, source_ids) WITH (fastupdate=off);

CREATE INDEX topic_pages_p0_namespace_id_source_ids_idx ON everword.topic_pages_p0 USING gin (namespace_id, source_ids) WITH (fastupdate=off);

CREATE INDEX topic_pages_title ON ONLY everword.topic_pages USING btree (namespace_id, title, node_id);

CREATE INDEX topic_pages_p0_namespace_id_title_node_id_idx ON everword.topic_pages_p0 USING btree (namespace_id, title, node_id);

CREATE INDEX topic_pages_p1_namespace_id_source_ids_idx ON everword.topic_pages_p1 USING gin (namespace_id, source_ids) WITH (fastupdate=off);

CREATE INDEX topic_pages_p1_namespace_id_title_node_id_idx ON everword.topic_pages_p1 USING btree (namespace_id, title, node_id);

CREATE INDEX topic_pages_p2_namespace_id_source_ids_idx ON everword.topic_pages_p2 USING gin (namespace_id, source_ids) WITH (fastupdate=off);

CREATE INDEX topic_pages_p2_namespace_id_title_node_id_idx ON everword.topic_pages_p2 USING btree (namespace_id, title, node_id);

CREATE INDEX topic_pages_p3_namespace_id_source_ids_idx ON everword.topic_pages_p3 USING gin (namespace_id, source_ids) WITH (fastupdate=off);

CREATE INDEX topic_pages_p3_namespace_id_title_node_id_idx ON everword.topic_pages_p3 USING btree (namespace_id, title, node_id);

CREATE INDEX topic_sources_source ON ONLY everword.topic_sources USING btree (namespace_id, source_id);

CREATE INDEX topic_sources_p0_namespace_id_source_id_idx ON everword.topic_sources_p0 USING btree (namespace_id, source_id);

CREATE INDEX topic_sources_p1_namespace_id_source_id_idx ON everword.topic_sources_p1 USING btree (namespace_id, source_id);

CREATE INDEX topic_sources_p2_namespace_id_source_id_idx ON everword.topic_sources_p2 USING btree (namespace_id, source_id);

CREATE INDEX topic_sources_p3_namespace_id_source_id_idx ON everword.topic_sources_p3 USING btree (namespace_id, source_id);

CREATE INDEX usage_ledger_batch_id ON everword.usage_ledger USING btree (namespace_id, batch_id, id) WHERE (batch_id IS NOT NULL);

CREATE INDEX usage_ledger_called_at ON everword.usage_ledger USING btree (namespace_id, called_at);

CREATE UNIQUE INDEX user_models_current ON everword.user_models USING btree (namespace_id, subject, dimension) WHERE (held_until IS NULL);

CREATE INDEX user_models_subject ON everword.user_models USING btree (namespace_id, subject, dimension, held_from);

ALTER INDEX everword.checkpoint_counters_pkey ATTACH PARTITION everword.checkpoint_counters_p0_pkey;

ALTER INDEX everword.checkpoint_counters_pkey ATTACH PARTITION everword.checkpoint_counters_p1_pkey;

ALTER INDEX everword.checkpoint_counters_pkey ATTACH PARTITION everword.checkpoint_counters_p2_pkey;

ALTER INDEX everword.checkpoint_counters_pkey ATTACH PARTITION everword.checkpoint_counters_p3_pkey;

ALTER INDEX everword.checkpoints_version ATTACH PARTITION everword.checkpoints_p0_namespace_id_conversation_id_name_version_idx;

ALTER INDEX everword.checkpoints_order ATTACH PARTITION everword.checkpoints_p0_namespace_id_conversation_id_version_idx;

ALTER INDEX everword.checkpoints_pkey ATTACH PARTITION everword.checkpoints_p0_pkey;

ALTER INDEX everword.checkpoints_version ATTACH PARTITION everword.checkpoints_p1_namespace_id_conversation_id_name_version_idx;

ALTER INDEX everword.checkpoints_order ATTACH PARTITION everword.checkpoints_p1_namespace_id_conversation_id_version_idx;

ALTER INDEX everword.checkpoints_pkey ATTACH PARTITION everword.checkpoints_p1_pkey;

ALTER INDEX everword.checkpoints_version ATTACH PARTITION everword.checkpoints_p2_namespace_id_conversation_id_name_version_idx;

ALTER INDEX everword.checkpoints_order ATTACH PARTITION everword.checkpoints_p2_namespace_id_conversation_id_version_idx;

ALTER INDEX everword.checkpoints_pkey ATTACH PARTITION everword.checkpoints_p2_pkey;

ALTER INDEX everword.checkpoints_version ATTACH PARTITION everword.checkpoints_p3_namespace_id_conversation_id_name_version_idx;

ALTER INDEX everword.checkpoints_order ATTACH PARTITION everword.checkpoints_p3_namespace_id_conversation_id_version_idx;

ALTER INDEX everword.checkpoints_pkey ATTACH PARTITION everword.checkpoints_p3_pkey;

ALTER INDEX everword.conversations_namespace_id_channel_agent_session_key_key ATTACH PARTITION everword.conversations_p0_namespace_id_channel_agent_session_key_key;

ALTER INDEX everword.conversations_client_session ATTACH PARTITION everword.conversations_p0_namespace_id_client_session_id_id_idx;

ALTER INDEX everword.conversations_erasure ATTACH PARTITION everword.conversations_p0_namespace_id_erasure_id_idx;

ALTER INDEX everword.conversations_pkey ATTACH PARTITION everword.conversations_p0_pkey;

ALTER INDEX everword.conversations_namespace_id_channel_agent_session_key_key ATTACH PARTITION everword.conversations_p1_namespace_id_channel_agent_session_key_key;

ALTER INDEX everword.conversations_client_session ATTACH PARTITION everword.conversations_p1_namespace_id_client_session_id_id_idx;

ALTER INDEX everword.conversations_erasure ATTACH PARTITION everword.conversations_p1_namespace_id_erasure_id_idx;

ALTER INDEX everword.conversations_pkey ATTACH PARTITION everword.conversations_p1_pkey;

ALTER INDEX everword.conversations_namespace_id_channel_agent_session_key_key ATTACH PARTITION everword.conversations_p2_namespace_id_channel_agent_session_key_key;

ALTER INDEX everword.conversations_client_session ATTACH PARTITION everword.conversations_p2_namespace_id_client_session_id_id_idx;

ALTER INDEX everword.conversations_erasure ATTACH PARTITION everword.conversations_p2_namespace_id_erasure_id_idx;

ALTER INDEX everword.conversations_pkey ATTACH PARTITION everword.conversations_p2_pkey;

ALTER INDEX everword.conversations_namespace_id_channel_agent_session_key_key ATTACH PARTITION everword.conversations_p3_namespace_id_channel_agent_session_key_key;

ALTER INDEX everword.conversations_client_session ATTACH PARTITION everword.conversations_p3_namespace_id_client_session_id_id_idx;

ALTER INDEX everword.conversations_erasure ATTACH PARTITION everword.conversations_p3_namespace_id_erasure_id_idx;

ALTER INDEX everword.conversations_pkey ATTACH PARTITION everword.conversations_p3_pkey;

ALTER INDEX everword.document_chunks_place ATTACH PARTITION everword.document_chunks_p0_namespace_id_document_id_place_idx;

ALTER INDEX everword.document_chunks_pkey ATTACH PARTITION everword.document_chunks_p0_pkey;

ALTER INDEX everword.document_chunks_place ATTACH PARTITION everword.document_chunks_p1_namespace_id_document_id_place_idx;

ALTER INDEX everword.document_chunks_pkey ATTACH PARTITION everword.document_chunks_p1_pkey;

ALTER INDEX everword.document_chunks_place ATTACH PARTITION everword.document_chunks_p2_namespace_id_document_id_place_idx;

ALTER INDEX everword.document_chunks_pkey ATTACH PARTITION everword.document_chunks_p2_pkey;

ALTER INDEX everword.document_chunks_place ATTACH PARTITION everword.document_chunks_p3_namespace_id_document_id_place_idx;

ALTER INDEX everword.document_chunks_pkey ATTACH PARTITION everword.document_chunks_p3_pkey;

ALTER INDEX everword.document_versions_id ATTACH PARTITION everword.document_versions_p0_namespace_id_id_idx;

ALTER INDEX everword.document_versions_pkey ATTACH PARTITION everword.document_versions_p0_pkey;

ALTER INDEX everword.document_versions_id ATTACH PARTITION everword.document_versions_p1_namespace_id_id_idx;

ALTER INDEX everword.document_versions_pkey ATTACH PARTITION everword.document_versions_p1_pkey;

ALTER INDEX everword.document_versions_id ATTACH PARTITION everword.document_versions_p2_namespace_id_id_idx;

ALTER INDEX everword.document_versions_pkey ATTACH PARTITION everword.document_versions_p2_pkey;

ALTER INDEX everword.document_versions_id ATTACH PARTITION everword.document_versions_p3_namespace_id_id_idx;

ALTER INDEX everword.document_versions_pkey ATTACH PARTITION everword.document_versions_p3_pkey;

ALTER INDEX everword.documents_conversation ATTACH PARTITION everword.documents_p0_namespace_id_conversation_id_idx;

ALTER INDEX everword.documents_key ATTACH PARTITION everword.documents_p0_namespace_id_key_hash_idx;

ALTER INDEX everword.documents_kind ATTACH PARTITION everword.documents_p0_namespace_id_kind_id_idx;

ALTER INDEX everword.documents_pkey ATTACH PARTITION everword.documents_p0_pkey;

ALTER INDEX everword.documents_conversation ATTACH PARTITION everword.documents_p1_namespace_id_conversation_id_idx;

ALTER INDEX everword.documents_key ATTACH PARTITION everword.documents_p1_namespace_id_key_hash_idx;

ALTER INDEX everword.documents_kind ATTACH PARTITION everword.documents_p1_namespace_id_kind_id_idx;

ALTER INDEX everword.documents_pkey ATTACH PARTITION everword.documents_p1_pkey;

ALTER INDEX everword.documents_conversation ATTACH PARTITION everword.documents_p2_namespace_id_conversation_id_idx;

ALTER INDEX everword.documents_key ATTACH PARTITION everword.documents_p2_namespace_id_key_hash_idx;

ALTER INDEX everword.documents_kind ATTACH PARTITION everword.documents_p2_namespace_id_kind_id_idx;

ALTER INDEX everword.documents_pkey ATTACH PARTITION everword.documents_p2_pkey;

ALTER INDEX everword.documents_conversation ATTACH PARTITION everword.documents_p3_namespace_id_conversation_id_idx;

ALTER INDEX everword.documents_key ATTACH PARTITION everword.documents_p3_namespace_id_key_hash_idx;

ALTER INDEX everword.documents_kind ATTACH PARTITION everword.documents_p3_namespace_id_kind_id_idx;

ALTER INDEX everword.documents_pkey ATTACH PARTITION everword.documents_p3_pkey;

ALTER INDEX everword.events_subject ATTACH PARTITION everword.events_p0_namespace_id_subject_id_idx;

ALTER INDEX everword.events_pkey ATTACH PARTITION everword.events_p0_pkey;

ALTER INDEX everword.events_subject ATTACH PARTITION everword.events_p1_namespace_id_subject_id_idx;

ALTER INDEX everword.events_pkey ATTACH PARTITION everword.events_p1_pkey;

ALTER INDEX everword.events_subject ATTACH PARTITION everword.events_p2_namespace_id_subject_id_idx;

ALTER INDEX everword.events_pkey ATTACH PARTITION everword.events_p2_pkey;

ALTER INDEX everword.events_subject ATTACH PARTITION everword.events_p3_namespace_id_subject_id_idx;

ALTER INDEX everword.events_pkey ATTACH PARTITION everword.events_p3_pkey;

ALTER INDEX everword.fact_changes_fact ATTACH PARTITION everword.fact_changes_p0_namespace_id_fact_id_changed_at_id_idx;

ALTER INDEX everword.fact_changes_other ATTACH PARTITION everword.fact_changes_p0_namespace_id_other_fact_id_idx;

ALTER INDEX everword.fact_changes_pkey ATTACH PARTITION everword.fact_changes_p0_pkey;

ALTER INDEX everword.fact_changes_fact ATTACH PARTITION everword.fact_changes_p1_namespace_id_fact_id_changed_at_id_idx;

ALTER INDEX everword.fact_changes_other ATTACH PARTITION everword.fact_changes_p1_namespace_id_other_fact_id_idx;

ALTER INDEX everword.fact_changes_pkey ATTACH PARTITION everword.fact_changes_p1_pkey;

ALTER INDEX everword.fact_changes_fact ATTACH PARTITION everword.fact_changes_p2_namespace_id_fact_id_changed_at_id_idx;

ALTER INDEX everword.fact_changes_other ATTACH PARTITION everword.fact_changes_p2_namespace_id_other_fact_id_idx;

ALTER INDEX everword.fact_changes_pkey ATTACH PARTITION everword.fact_changes_p2_pkey;

ALTER INDEX everword.fact_changes_fact ATTACH PARTITION everword.fact_changes_p3_namespace_id_fact_id_changed_at_id_idx;

ALTER INDEX everword.fact_changes_other ATTACH PARTITION everword.fact_changes_p3_namespace_id_other_fact_id_idx;

ALTER INDEX everword.fact_changes_pkey ATTACH PARTITION everword.fact_changes_p3_pkey;

ALTER INDEX everword.fact_disputes_new ATTACH PARTITION everword.fact_disputes_p0_namespace_id_new_fact_id_idx;

ALTER INDEX everword.fact_disputes_old ATTACH PARTITION everword.fact_disputes_p0_namespace_id_old_fact_id_idx;

ALTER INDEX everword.fact_disputes_open ATTACH PARTITION everword.fact_disputes_p0_namespace_id_old_fact_id_new_fact_id_idx;

ALTER INDEX everword.fact_disputes_pkey ATTACH PARTITION everword.fact_disputes_p0_pkey;

ALTER INDEX everword.fact_disputes_new ATTACH PARTITION everword.fact_disputes_p1_namespace_id_new_fact_id_idx;

ALTER INDEX everword.fact_disputes_old ATTACH PARTITION everword.fact_disputes_p1_namespace_id_old_fact_id_idx;

ALTER INDEX everword.fact_disputes_open ATTACH PARTITION everword.fact_disputes_p1_namespace_id_old_fact_id_new_fact_id_idx;

ALTER INDEX everword.fact_disputes_pkey ATTACH PARTITION everword.fact_disputes_p1_pkey;

ALTER INDEX everword.fact_disputes_new ATTACH PARTITION everword.fact_disputes_p2_namespace_id_new_fact_id_idx;

ALTER INDEX everword.fact_disputes_old ATTACH PARTITION everword.fact_disputes_p2_namespace_id_old_fact_id_idx;

ALTER INDEX everword.fact_disputes_open ATTACH PARTITION everword.fact_disputes_p2_namespace_id_old_fact_id_new_fact_id_idx;

ALTER INDEX everword.fact_disputes_pkey ATTACH PARTITION everword.fact_disputes_p2_pkey;

ALTER INDEX everword.fact_disputes_new ATTACH PARTITION everword.fact_disputes_p3_namespace_id_new_fact_id_idx;

ALTER INDEX everword.fact_disputes_old ATTACH PARTITION everword.fact_disputes_p3_namespace_id_old_fact_id_idx;

ALTER INDEX everword.fact_disputes_open ATTACH PARTITION everword.fact_disputes_p3_namespace_id_old_fact_id_new_fact_id_idx;

ALTER INDEX everword.fact_disputes_pkey ATTACH PARTITION everword.fact_disputes_p3_pkey;

ALTER INDEX everword.fact_edges_open ATTACH PARTITION everword.fact_edges_p0_namespace_id_from_fact_id_to_fact_id_relation_idx;

ALTER INDEX everword.fact_edges_to ATTACH PARTITION everword.fact_edges_p0_namespace_id_to_fact_id_idx;

ALTER INDEX everword.fact_edges_pkey ATTACH PARTITION everword.fact_edges_p0_pkey;

ALTER INDEX everword.fact_edges_open ATTACH PARTITION everword.fact_edges_p1_namespace_id_from_fact_id_to_fact_id_relation_idx;

ALTER INDEX everword.fact_edges_to ATTACH PARTITION everword.fact_edges_p1_namespace_id_to_fact_id_idx;

ALTER INDEX everword.fact_edges_pkey ATTACH PARTITION everword.fact_edges_p1_pkey;

ALTER INDEX everword.fact_edges_open ATTACH PARTITION everword.fact_edges_p2_namespace_id_from_fact_id_to_fact_id_relation_idx;

ALTER INDEX everword.fact_edges_to ATTACH PARTITION everword.fact_edges_p2_namespace_id_to_fact_id_idx;

ALTER INDEX everword.fact_edges_pkey ATTACH PARTITION everword.fact_edges_p2_pkey;

ALTER INDEX everword.fact_edges_open ATTACH PARTITION everword.fact_edges_p3_namespace_id_from_fact_id_to_fact_id_relation_idx;

ALTER INDEX everword.fact_edges_to ATTACH PARTITION everword.fact_edges_p3_namespace_id_to_fact_id_idx;

ALTER INDEX everword.fact_edges_pkey ATTACH PARTITION everword.fact_edges_p3_pkey;

ALTER INDEX everword.fact_evidence_namespace_id_fact_id_message_id_contradicts_key ATTACH PARTITION everword.fact_evidence_p0_namespace_id_fact_id_message_id_contradict_key;

ALTER INDEX everword.fact_evidence_message ATTACH PARTITION everword.fact_evidence_p0_namespace_id_message_id_idx;

ALTER INDEX everword.fact_evidence_pkey ATTACH PARTITION everword.fact_evidence_p0_pkey;

ALTER INDEX everword.fact_evidence_namespace_id_fact_id_message_id_contradicts_key ATTACH PARTITION everword.fact_evidence_p1_namespace_id_fact_id_message_id_contradict_key;

ALTER INDEX everword.fact_evidence_message ATTACH PARTITION everword.fact_evidence_p1_namespace_id_message_id_idx;

ALTER INDEX everword.fact_evidence_pkey ATTACH PARTITION everword.fact_evidence_p1_pkey;

ALTER INDEX everword.fact_evidence_namespace_id_fact_id_message_id_contradicts_key ATTACH PARTITION everword.fact_evidence_p2_namespace_id_fact_id_message_id_contradict_key;

ALTER INDEX everword.fact_evidence_message ATTACH PARTITION everword.fact_evidence_p2_namespace_id_message_id_idx;

ALTER INDEX everword.fact_evidence_pkey ATTACH PARTITION everword.fact_evidence_p2_pkey;

ALTER INDEX everword.fact_evidence_namespace_id_fact_id_message_id_contradicts_key ATTACH PARTITION everword.fact_evidence_p3_namespace_id_fact_id_message_id_contradict_key;

ALTER INDEX everword.fact_evidence_message ATTACH PARTITION everword.fact_evidence_p3_namespace_id_message_id_idx;

ALTER INDEX everword.fact_evidence_pkey ATTACH PARTITION everword.fact_evidence_p3_pkey;

ALTER INDEX everword.fact_intervals_fact ATTACH PARTITION everword.fact_intervals_p0_namespace_id_fact_id_valid_from_idx;

ALTER INDEX everword.fact_intervals_successor ATTACH PARTITION everword.fact_intervals_p0_namespace_id_successor_id_idx;

ALTER INDEX everword.fact_intervals_pkey ATTACH PARTITION everword.fact_intervals_p0_pkey;

ALTER INDEX everword.fact_intervals_fact ATTACH PARTITION everword.fact_intervals_p1_namespace_id_fact_id_valid_from_idx;

ALTER INDEX everword.fact_intervals_successor ATTACH PARTITION everword.fact_intervals_p1_namespace_id_successor_id_idx;

ALTER INDEX everword.fact_intervals_pkey ATTACH PARTITION everword.fact_intervals_p1_pkey;

ALTER INDEX everword.fact_intervals_fact ATTACH PARTITION everword.fact_intervals_p2_namespace_id_fact_id_valid_from_idx;

ALTER INDEX everword.fact_intervals_successor ATTACH PARTITION everword.fact_intervals_p2_namespace_id_successor_id_idx;

ALTER INDEX everword.fact_intervals_pkey ATTACH PARTITION everword.fact_intervals_p2_pkey;

ALTER INDEX everword.fact_intervals_fact ATTACH PARTITION everword.fact_intervals_p3_namespace_id_fact_id_valid_from_idx;

ALTER INDEX everword.fact_intervals_successor ATTACH PARTITION everword.fact_intervals_p3_namespace_id_successor_id_idx;

ALTER INDEX everword.fact_intervals_pkey ATTACH PARTITION everword.fact_intervals_p3_pkey;

ALTER INDEX everword.facts_subject_spelling ATTACH PARTITION everword.facts_p0_namespace_id_lower_created_at_id_idx;

ALTER INDEX everword.facts_namespace_id_subject_attribute_value_hash_key ATTACH PARTITION everword.facts_p0_namespace_id_subject_attribute_value_hash_key;

ALTER INDEX everword.facts_profile ATTACH PARTITION everword.facts_p0_namespace_id_subject_category_attribute_confidence_idx;

ALTER INDEX everword.facts_known ATTACH PARTITION everword.facts_p0_namespace_id_subject_confidence_last_seen_at_id_idx;

ALTER INDEX everword.facts_pkey ATTACH PARTITION everword.facts_p0_pkey;

ALTER INDEX everword.facts_subject_spelling ATTACH PARTITION everword.facts_p1_namespace_id_lower_created_at_id_idx;

ALTER INDEX everword.facts_namespace_id_subject_attribute_value_hash_key ATTACH PARTITION everword.facts_p1_namespace_id_subject_attribute_value_hash_key;

ALTER INDEX everword.facts_profile ATTACH PARTITION everword.facts_p1_namespace_id_subject_category_attribute_confidence_idx;

ALTER INDEX everword.facts_known ATTACH PARTITION everword.facts_p1_namespace_id_subject_confidence_last_seen_at_id_idx;

ALTER INDEX everword.facts_pkey ATTACH PARTITION everword.facts_p1_pkey;

ALTER INDEX everword.facts_subject_spelling ATTACH PARTITION everword.facts_p2_namespace_id_lower_created_at_id_idx;

ALTER INDEX everword.facts_namespace_id_subject_attribute_value_hash_key ATTACH PARTITION everword.facts_p2_namespace_id_subject_attribute_value_hash_key;

ALTER INDEX everword.facts_profile ATTACH PARTITION everword.facts_p2_namespace_id_subject_category_attribute_confidence_idx;

ALTER INDEX everword.facts_known ATTACH PARTITION everword.facts_p2_namespace_id_subject_confidence_last_seen_at_id_idx;

ALTER INDEX everword.facts_pkey ATTACH PARTITION everword.facts_p2_pkey;

ALTER INDEX everword.facts_subject_spelling ATTACH PARTITION everword.facts_p3_namespace_id_lower_created_at_id_idx;

ALTER INDEX everword.facts_namespace_id_subject_attribute_value_hash_key ATTACH PARTITION everword.facts_p3_namespace_id_subject_attribute_value_hash_key;

ALTER INDEX everword.facts_profile ATTACH PARTITION everword.facts_p3_namespace_id_subject_category_attribute_confidence_idx;

ALTER INDEX everword.facts_known ATTACH PARTITION everword.facts_p3_namespace_id_subject_confidence_last_seen_at_id_idx;

ALTER INDEX everword.facts_pkey ATTACH PARTITION everword.facts_p3_pkey;

ALTER INDEX everword.graph_edges_edge ATTACH PARTITION everword.graph_edges_p0_namespace_id_edge_id_idx;

ALTER INDEX everword.graph_edges_fact ATTACH PARTITION everword.graph_edges_p0_namespace_id_fact_id_idx;

ALTER INDEX everword.graph_edges_from ATTACH PARTITION everword.graph_edges_p0_namespace_id_from_id_confidence_id_idx;

ALTER INDEX everword.graph_edges_message ATTACH PARTITION everword.graph_edges_p0_namespace_id_message_id_idx;

ALTER INDEX everword.graph_edges_to ATTACH PARTITION everword.graph_edges_p0_namespace_id_to_id_confidence_id_idx;

ALTER INDEX everword.graph_edges_pkey ATTACH PARTITION everword.graph_edges_p0_pkey;

ALTER INDEX everword.graph_edges_edge ATTACH PARTITION everword.graph_edges_p1_namespace_id_edge_id_idx;

ALTER INDEX everword.graph_edges_fact ATTACH PARTITION everword.graph_edges_p1_namespace_id_fact_id_idx;

ALTER INDEX everword.graph_edges_from ATTACH PARTITION everword.graph_edges_p1_namespace_id_from_id_confidence_id_idx;

ALTER INDEX everword.graph_edges_message ATTACH PARTITION everword.graph_edges_p1_namespace_id_message_id_idx;

ALTER INDEX everword.graph_edges_to ATTACH PARTITION everword.graph_edges_p1_namespace_id_to_id_confidence_id_idx;

ALTER INDEX everword.graph_edges_pkey ATTACH PARTITION everword.graph_edges_p1_pkey;

ALTER INDEX everword.graph_edges_edge ATTACH PARTITION everword.graph_edges_p2_namespace_id_edge_id_idx;

ALTER INDEX everword.graph_edges_fact ATTACH PARTITION everword.graph_edges_p2_namespace_id_fact_id_idx;

ALTER INDEX everword.graph_edges_from ATTACH PARTITION everword.graph_edges_p2_namespace_id_from_id_confidence_id_idx;

ALTER INDEX everword.graph_edges_message ATTACH PARTITION everword.graph_edges_p2_namespace_id_message_id_idx;

ALTER INDEX everword.graph_edges_to ATTACH PARTITION everword.graph_edges_p2_namespace_id_to_id_confidence_id_idx;

ALTER INDEX everword.graph_edges_pkey ATTACH PARTITION everword.graph_edges_p2_pkey;

ALTER INDEX everword.graph_edges_edge ATTACH PARTITION everword.graph_edges_p3_namespace_id_edge_id_idx;

ALTER INDEX everword.graph_edges_fact ATTACH PARTITION everword.graph_edges_p3_namespace_id_fact_id_idx;

ALTER INDEX everword.graph_edges_from ATTACH PARTITION everword.graph_edges_p3_namespace_id_from_id_confidence_id_idx;

ALTER INDEX everword.graph_edges_message ATTACH PARTITION everword.graph_edges_p3_namespace_id_message_id_idx;

ALTER INDEX everword.graph_edges_to ATTACH PARTITION everword.graph_edges_p3_namespace_id_to_id_confidence_id_idx;

ALTER INDEX everword.graph_edges_pkey ATTACH PARTITION everword.graph_edges_p3_pkey;

ALTER INDEX everword.graph_names_node ATTACH PARTITION everword.graph_names_p0_namespace_id_node_id_idx;

ALTER INDEX everword.graph_names_pkey ATTACH PARTITION everword.graph_names_p0_pkey;

ALTER INDEX everword.graph_names_node ATTACH PARTITION everword.graph_names_p1_namespace_id_node_id_idx;

ALTER INDEX everword.graph_names_pkey ATTACH PARTITION everword.graph_names_p1_pkey;

ALTER INDEX everword.graph_names_node ATTACH PARTITION everword.graph_names_p2_namespace_id_node_id_idx;

ALTER INDEX everword.graph_names_pkey ATTACH PARTITION everword.graph_names_p2_pkey;

ALTER INDEX everword.graph_names_node ATTACH PARTITION everword.graph_names_p3_namespace_id_node_id_idx;

ALTER INDEX everword.graph_names_pkey ATTACH PARTITION everword.graph_names_p3_pkey;

ALTER INDEX everword.graph_node_versions_node ATTACH PARTITION everword.graph_node_versions_p0_namespace_id_node_id_known_from_idx;

ALTER INDEX everword.graph_node_versions_pkey ATTACH PARTITION everword.graph_node_versions_p0_pkey;

ALTER INDEX everword.graph_node_versions_node ATTACH PARTITION everword.graph_node_versions_p1_namespace_id_node_id_known_from_idx;

ALTER INDEX everword.graph_node_versions_pkey ATTACH PARTITION everword.graph_node_versions_p1_pkey;

ALTER INDEX everword.graph_node_versions_node ATTACH PARTITION everword.graph_node_versions_p2_namespace_id_node_id_known_from_idx;

ALTER INDEX everword.graph_node_versions_pkey ATTACH PARTITION everword.graph_node_versions_p2_pkey;

ALTER INDEX everword.graph_node_versions_node ATTACH PARTITION everword.graph_node_versions_p3_namespace_id_node_id_known_from_idx;

ALTER INDEX everword.graph_node_versions_pkey ATTACH PARTITION everword.graph_node_versions_p3_pkey;

ALTER INDEX everword.graph_nodes_merged_into ATTACH PARTITION everword.graph_nodes_p0_namespace_id_merged_into_idx;

ALTER INDEX everword.graph_nodes_anchor ATTACH PARTITION everword.graph_nodes_p0_namespace_id_subject_agent_idx;

ALTER INDEX everword.graph_nodes_pkey ATTACH PARTITION everword.graph_nodes_p0_pkey;

ALTER INDEX everword.graph_nodes_merged_into ATTACH PARTITION everword.graph_nodes_p1_namespace_id_merged_into_idx;

ALTER INDEX everword.graph_nodes_anchor ATTACH PARTITION everword.graph_nodes_p1_namespace_id_subject_agent_idx;

ALTER INDEX everword.graph_nodes_pkey ATTACH PARTITION everword.graph_nodes_p1_pkey;

ALTER INDEX everword.graph_nodes_merged_into ATTACH PARTITION everword.graph_nodes_p2_namespace_id_merged_into_idx;

ALTER INDEX everword.graph_nodes_anchor ATTACH PARTITION everword.graph_nodes_p2_namespace_id_subject_agent_idx;

ALTER INDEX everword.graph_nodes_pkey ATTACH PARTITION everword.graph_nodes_p2_pkey;

ALTER INDEX everword.graph_nodes_merged_into ATTACH PARTITION everword.graph_nodes_p3_namespace_id_merged_into_idx;

ALTER INDEX everword.graph_nodes_anchor ATTACH PARTITION everword.graph_nodes_p3_namespace_id_subject_agent_idx;

ALTER INDEX everword.graph_nodes_pkey ATTACH PARTITION everword.graph_nodes_p3_pkey;

ALTER INDEX everword.learned_evidence_namespace_id_about_id_message_id_aspect_va_key ATTACH PARTITION everword.learned_evidence_p0_namespace_id_about_id_message_id_aspect_key;

ALTER INDEX everword.learned_evidence_about ATTACH PARTITION everword.learned_evidence_p0_namespace_id_about_id_said_at_id_idx;

ALTER INDEX everword.learned_evidence_message ATTACH PARTITION everword.learned_evidence_p0_namespace_id_message_id_idx;

ALTER INDEX everword.learned_evidence_pkey ATTACH PARTITION everword.learned_evidence_p0_pkey;

ALTER INDEX everword.learned_evidence_namespace_id_about_id_message_id_aspect_va_key ATTACH PARTITION everword.learned_evidence_p1_namespace_id_about_id_message_id_aspect_key;

ALTER INDEX everword.learned_evidence_about ATTACH PARTITION everword.learned_evidence_p1_namespace_id_about_id_said_at_id_idx;

ALTER INDEX everword.learned_evidence_message ATTACH PARTITION everword.learned_evidence_p1_namespace_id_message_id_idx;

ALTER INDEX everword.learned_evidence_pkey ATTACH PARTITION everword.learned_evidence_p1_pkey;

ALTER INDEX everword.learned_evidence_namespace_id_about_id_message_id_aspect_va_key ATTACH PARTITION everword.learned_evidence_p2_namespace_id_about_id_message_id_aspect_key;

ALTER INDEX everword.learned_evidence_about ATTACH PARTITION everword.learned_evidence_p2_namespace_id_about_id_said_at_id_idx;

ALTER INDEX everword.learned_evidence_message ATTACH PARTITION everword.learned_evidence_p2_namespace_id_message_id_idx;

ALTER INDEX everword.learned_evidence_pkey ATTACH PARTITION everword.learned_evidence_p2_pkey;

ALTER INDEX everword.learned_evidence_namespace_id_about_id_message_id_aspect_va_key ATTACH PARTITION everword.learned_evidence_p3_namespace_id_about_id_message_id_aspect_key;

ALTER INDEX everword.learned_evidence_about ATTACH PARTITION everword.learned_evidence_p3_namespace_id_about_id_said_at_id_idx;

ALTER INDEX everword.learned_evidence_message ATTACH PARTITION everword.learned_evidence_p3_namespace_id_message_id_idx;

ALTER INDEX everword.learned_evidence_pkey ATTACH PARTITION everword.learned_evidence_p3_pkey;

ALTER INDEX everword.lore_books_scope ATTACH PARTITION everword.lore_books_p0_namespace_id_agent_subject_idx;

ALTER INDEX everword.lore_books_conversation ATTACH PARTITION everword.lore_books_p0_namespace_id_conversation_id_idx;

ALTER INDEX everword.lore_books_key ATTACH PARTITION everword.lore_books_p0_namespace_id_key_hash_idx;

ALTER INDEX everword.lore_books_pkey ATTACH PARTITION everword.lore_books_p0_pkey;

ALTER INDEX everword.lore_books_scope ATTACH PARTITION everword.lore_books_p1_namespace_id_agent_subject_idx;

ALTER INDEX everword.lore_books_conversation ATTACH PARTITION everword.lore_books_p1_namespace_id_conversation_id_idx;

ALTER INDEX everword.lore_books_key ATTACH PARTITION everword.lore_books_p1_namespace_id_key_hash_idx;

ALTER INDEX everword.lore_books_pkey ATTACH PARTITION everword.lore_books_p1_pkey;

ALTER INDEX everword.lore_books_scope ATTACH PARTITION everword.lore_books_p2_namespace_id_agent_subject_idx;

ALTER INDEX everword.lore_books_conversation ATTACH PARTITION everword.lore_books_p2_namespace_id_conversation_id_idx;

ALTER INDEX everword.lore_books_key ATTACH PARTITION everword.lore_books_p2_namespace_id_key_hash_idx;

ALTER INDEX everword.lore_books_pkey ATTACH PARTITION everword.lore_books_p2_pkey;

ALTER INDEX everword.lore_books_scope ATTACH PARTITION everword.lore_books_p3_namespace_id_agent_subject_idx;

ALTER INDEX everword.lore_books_conversation ATTACH PARTITION everword.lore_books_p3_namespace_id_conversation_id_idx;

ALTER INDEX everword.lore_books_key ATTACH PARTITION everword.lore_books_p3_namespace_id_key_hash_idx;

ALTER INDEX everword.lore_books_pkey ATTACH PARTITION everword.lore_books_p3_pkey;

ALTER INDEX everword.lore_entries_title ATTACH PARTITION everword.lore_entries_p0_namespace_id_book_id_title_idx;

ALTER INDEX everword.lore_entries_pkey ATTACH PARTITION everword.lore_entries_p0_pkey;

ALTER INDEX everword.lore_entries_title ATTACH PARTITION everword.lore_entries_p1_namespace_id_book_id_title_idx;

ALTER INDEX everword.lore_entries_pkey ATTACH PARTITION everword.lore_entries_p1_pkey;

ALTER INDEX everword.lore_entries_title ATTACH PARTITION everword.lore_entries_p2_namespace_id_book_id_title_idx;

ALTER INDEX everword.lore_entries_pkey ATTACH PARTITION everword.lore_entries_p2_pkey;

ALTER INDEX everword.lore_entries_title ATTACH PARTITION everword.lore_entries_p3_namespace_id_book_id_title_idx;

ALTER INDEX everword.lore_entries_pkey ATTACH PARTITION everword.lore_entries_p3_pkey;

ALTER INDEX everword.memories_author ATTACH PARTITION everword.memories_p0_namespace_id_author_idx;

ALTER INDEX everword.memories_conversation ATTACH PARTITION everword.memories_p0_namespace_id_conversation_id_seq_idx;

ALTER INDEX everword.memories_lexemes ATTACH PARTITION everword.memories_p0_namespace_id_lexemes_idx;

ALTER INDEX everword.memories_literals ATTACH PARTITION everword.memories_p0_namespace_id_literals_idx;

ALTER INDEX everword.memories_time ATTACH PARTITION everword.memories_p0_namespace_id_occurred_at_source_id_part_idx;

ALTER INDEX everword.memories_source ATTACH PARTITION everword.memories_p0_namespace_id_source_id_part_idx;

ALTER INDEX everword.memories_subject ATTACH PARTITION everword.memories_p0_namespace_id_subject_idx;

ALTER INDEX everword.memories_tags ATTACH PARTITION everword.memories_p0_namespace_id_tags_idx;

ALTER INDEX everword.memories_ending ATTACH PARTITION everword.memories_p0_namespace_id_valid_until_source_id_idx;

ALTER INDEX everword.memories_pkey ATTACH PARTITION everword.memories_p0_pkey;

ALTER INDEX everword.memories_author ATTACH PARTITION everword.memories_p1_namespace_id_author_idx;

ALTER INDEX everword.memories_conversation ATTACH PARTITION everword.memories_p1_namespace_id_conversation_id_seq_idx;

ALTER INDEX everword.memories_lexemes ATTACH PARTITION everword.memories_p1_namespace_id_lexemes_idx;

ALTER INDEX everword.memories_literals ATTACH PARTITION everword.memories_p1_namespace_id_literals_idx;

ALTER INDEX everword.memories_time ATTACH PARTITION everword.memories_p1_namespace_id_occurred_at_source_id_part_idx;

ALTER INDEX everword.memories_source ATTACH PARTITION everword.memories_p1_namespace_id_source_id_part_idx;

ALTER INDEX everword.memories_subject ATTACH PARTITION everword.memories_p1_namespace_id_subject_idx;

ALTER INDEX everword.memories_tags ATTACH PARTITION everword.memories_p1_namespace_id_tags_idx;

ALTER INDEX everword.memories_ending ATTACH PARTITION everword.memories_p1_namespace_id_valid_until_source_id_idx;

ALTER INDEX everword.memories_pkey ATTACH PARTITION everword.memories_p1_pkey;

ALTER INDEX everword.memories_author ATTACH PARTITION everword.memories_p2_namespace_id_author_idx;

ALTER INDEX everword.memories_conversation ATTACH PARTITION everword.memories_p2_namespace_id_conversation_id_seq_idx;

ALTER INDEX everword.memories_lexemes ATTACH PARTITION everword.memories_p2_namespace_id_lexemes_idx;

ALTER INDEX everword.memories_literals ATTACH PARTITION everword.memories_p2_namespace_id_literals_idx;

ALTER INDEX everword.memories_time ATTACH PARTITION everword.memories_p2_namespace_id_occurred_at_source_id_part_idx;

ALTER INDEX everword.memories_source ATTACH PARTITION everword.memories_p2_namespace_id_source_id_part_idx;

ALTER INDEX everword.memories_subject ATTACH PARTITION everword.memories_p2_namespace_id_subject_idx;

ALTER INDEX everword.memories_tags ATTACH PARTITION everword.memories_p2_namespace_id_tags_idx;

ALTER INDEX everword.memories_ending ATTACH PARTITION everword.memories_p2_namespace_id_valid_until_source_id_idx;

ALTER INDEX everword.memories_pkey ATTACH PARTITION everword.memories_p2_pkey;

ALTER INDEX everword.memories_author ATTACH PARTITION everword.memories_p3_namespace_id_author_idx;

ALTER INDEX everword.memories_conversation ATTACH PARTITION everword.memories_p3_namespace_id_conversation_id_seq_idx;

ALTER INDEX everword.memories_lexemes ATTACH PARTITION everword.memories_p3_namespace_id_lexemes_idx;

ALTER INDEX everword.memories_literals ATTACH PARTITION everword.memories_p3_namespace_id_literals_idx;

ALTER INDEX everword.memories_time ATTACH PARTITION everword.memories_p3_namespace_id_occurred_at_source_id_part_idx;

ALTER INDEX everword.memories_source ATTACH PARTITION everword.memories_p3_namespace_id_source_id_part_idx;

ALTER INDEX everword.memories_subject ATTACH PARTITION everword.memories_p3_namespace_id_subject_idx;

ALTER INDEX everword.memories_tags ATTACH PARTITION everword.memories_p3_namespace_id_tags_idx;

ALTER INDEX everword.memories_ending ATTACH PARTITION everword.memories_p3_namespace_id_valid_until_source_id_idx;

ALTER INDEX everword.memories_pkey ATTACH PARTITION everword.memories_p3_pkey;

ALTER INDEX everword.memory_vectors_1_embedding_idx ATTACH PARTITION everword.memory_vectors_1_p0_embedding_idx;

ALTER INDEX everword.memory_vectors_1_pkey ATTACH PARTITION everword.memory_vectors_1_p0_pkey;

ALTER INDEX everword.memory_vectors_1_embedding_idx ATTACH PARTITION everword.memory_vectors_1_p1_embedding_idx;

ALTER INDEX everword.memory_vectors_1_pkey ATTACH PARTITION everword.memory_vectors_1_p1_pkey;

ALTER INDEX everword.memory_vectors_1_embedding_idx ATTACH PARTITION everword.memory_vectors_1_p2_embedding_idx;

ALTER INDEX everword.memory_vectors_1_pkey ATTACH PARTITION everword.memory_vectors_1_p2_pkey;

ALTER INDEX everword.memory_vectors_1_embedding_idx ATTACH PARTITION everword.memory_vectors_1_p3_embedding_idx;

ALTER INDEX everword.memory_vectors_1_pkey ATTACH PARTITION everword.memory_vectors_1_p3_pkey;

ALTER INDEX everword.messages_author ATTACH PARTITION everword.messages_p0_namespace_id_author_id_idx;

ALTER INDEX everword.messages_external_id ATTACH PARTITION everword.messages_p0_namespace_id_conversation_id_external_id_idx;

ALTER INDEX everword.messages_namespace_id_conversation_id_seq_key ATTACH PARTITION everword.messages_p0_namespace_id_conversation_id_seq_key;

ALTER INDEX everword.messages_occurred_at ATTACH PARTITION everword.messages_p0_namespace_id_occurred_at_id_idx;

ALTER INDEX everword.messages_pkey ATTACH PARTITION everword.messages_p0_pkey;

ALTER INDEX everword.messages_author ATTACH PARTITION everword.messages_p1_namespace_id_author_id_idx;

ALTER INDEX everword.messages_external_id ATTACH PARTITION everword.messages_p1_namespace_id_conversation_id_external_id_idx;

ALTER INDEX everword.messages_namespace_id_conversation_id_seq_key ATTACH PARTITION everword.messages_p1_namespace_id_conversation_id_seq_key;

ALTER INDEX everword.messages_occurred_at ATTACH PARTITION everword.messages_p1_namespace_id_occurred_at_id_idx;

ALTER INDEX everword.messages_pkey ATTACH PARTITION everword.messages_p1_pkey;

ALTER INDEX everword.messages_author ATTACH PARTITION everword.messages_p2_namespace_id_author_id_idx;

ALTER INDEX everword.messages_external_id ATTACH PARTITION everword.messages_p2_namespace_id_conversation_id_external_id_idx;

ALTER INDEX everword.messages_namespace_id_conversation_id_seq_key ATTACH PARTITION everword.messages_p2_namespace_id_conversation_id_seq_key;

ALTER INDEX everword.messages_occurred_at ATTACH PARTITION everword.messages_p2_namespace_id_occurred_at_id_idx;

ALTER INDEX everword.messages_pkey ATTACH PARTITION everword.messages_p2_pkey;

ALTER INDEX everword.messages_author ATTACH PARTITION everword.messages_p3_namespace_id_author_id_idx;

ALTER INDEX everword.messages_external_id ATTACH PARTITION everword.messages_p3_namespace_id_conversation_id_external_id_idx;

ALTER INDEX everword.messages_namespace_id_conversation_id_seq_key ATTACH PARTITION everword.messages_p3_namespace_id_conversation_id_seq_key;

ALTER INDEX everword.messages_occurred_at ATTACH PARTITION everword.messages_p3_namespace_id_occurred_at_id_idx;

ALTER INDEX everword.messages_pkey ATTACH PARTITION everword.messages_p3_pkey;

ALTER INDEX everword.note_versions_id ATTACH PARTITION everword.note_versions_p0_namespace_id_id_idx;

ALTER INDEX everword.note_versions_pkey ATTACH PARTITION everword.note_versions_p0_pkey;

ALTER INDEX everword.note_versions_id ATTACH PARTITION everword.note_versions_p1_namespace_id_id_idx;

ALTER INDEX everword.note_versions_pkey ATTACH PARTITION everword.note_versions_p1_pkey;

ALTER INDEX everword.note_versions_id ATTACH PARTITION everword.note_versions_p2_namespace_id_id_idx;

ALTER INDEX everword.note_versions_pkey ATTACH PARTITION everword.note_versions_p2_pkey;

ALTER INDEX everword.note_versions_id ATTACH PARTITION everword.note_versions_p3_namespace_id_id_idx;

ALTER INDEX everword.note_versions_pkey ATTACH PARTITION everword.note_versions_p3_pkey;

ALTER INDEX everword.notes_conversation ATTACH PARTITION everword.notes_p0_namespace_id_conversation_id_idx;

ALTER INDEX everword.notes_key ATTACH PARTITION everword.notes_p0_namespace_id_key_hash_idx;

ALTER INDEX everword.notes_kind ATTACH PARTITION everword.notes_p0_namespace_id_kind_id_idx;

ALTER INDEX everword.notes_log ATTACH PARTITION everword.notes_p0_namespace_id_log_date_id_idx;

ALTER INDEX everword.notes_pkey ATTACH PARTITION everword.notes_p0_pkey;

ALTER INDEX everword.notes_conversation ATTACH PARTITION everword.notes_p1_namespace_id_conversation_id_idx;

ALTER INDEX everword.notes_key ATTACH PARTITION everword.notes_p1_namespace_id_key_hash_idx;

ALTER INDEX everword.notes_kind ATTACH PARTITION everword.notes_p1_namespace_id_kind_id_idx;

ALTER INDEX everword.notes_log ATTACH PARTITION everword.notes_p1_namespace_id_log_date_id_idx;

ALTER INDEX everword.notes_pkey ATTACH PARTITION everword.notes_p1_pkey;

ALTER INDEX everword.notes_conversation ATTACH PARTITION everword.notes_p2_namespace_id_conversation_id_idx;

ALTER INDEX everword.notes_key ATTACH PARTITION everword.notes_p2_namespace_id_key_hash_idx;

ALTER INDEX everword.notes_kind ATTACH PARTITION everword.notes_p2_namespace_id_kind_id_idx;

ALTER INDEX everword.notes_log ATTACH PARTITION everword.notes_p2_namespace_id_log_date_id_idx;

ALTER INDEX everword.notes_pkey ATTACH PARTITION everword.notes_p2_pkey;

ALTER INDEX everword.notes_conversation ATTACH PARTITION everword.notes_p3_namespace_id_conversation_id_idx;

ALTER INDEX everword.notes_key ATTACH PARTITION everword.notes_p3_namespace_id_key_hash_idx;

ALTER INDEX everword.notes_kind ATTACH PARTITION everword.notes_p3_namespace_id_kind_id_idx;

ALTER INDEX everword.notes_log ATTACH PARTITION everword.notes_p3_namespace_id_log_date_id_idx;

ALTER INDEX everword.notes_pkey ATTACH PARTITION everword.notes_p3_pkey;

ALTER INDEX everword.pattern_decisions_pattern ATTACH PARTITION everword.pattern_decisions_p0_namespace_id_pattern_id_decided_at_id_idx;

ALTER INDEX everword.pattern_decisions_pkey ATTACH PARTITION everword.pattern_decisions_p0_pkey;

ALTER INDEX everword.pattern_decisions_pattern ATTACH PARTITION everword.pattern_decisions_p1_namespace_id_pattern_id_decided_at_id_idx;

ALTER INDEX everword.pattern_decisions_pkey ATTACH PARTITION everword.pattern_decisions_p1_pkey;

ALTER INDEX everword.pattern_decisions_pattern ATTACH PARTITION everword.pattern_decisions_p2_namespace_id_pattern_id_decided_at_id_idx;

ALTER INDEX everword.pattern_decisions_pkey ATTACH PARTITION everword.pattern_decisions_p2_pkey;

ALTER INDEX everword.pattern_decisions_pattern ATTACH PARTITION everword.pattern_decisions_p3_namespace_id_pattern_id_decided_at_id_idx;

ALTER INDEX everword.pattern_decisions_pkey ATTACH PARTITION everword.pattern_decisions_p3_pkey;

ALTER INDEX everword.pattern_outcomes_pattern ATTACH PARTITION everword.pattern_outcomes_p0_namespace_id_pattern_id_outcome_at_id_idx;

ALTER INDEX everword.pattern_outcomes_pkey ATTACH PARTITION everword.pattern_outcomes_p0_pkey;

ALTER INDEX everword.pattern_outcomes_pattern ATTACH PARTITION everword.pattern_outcomes_p1_namespace_id_pattern_id_outcome_at_id_idx;

ALTER INDEX everword.pattern_outcomes_pkey ATTACH PARTITION everword.pattern_outcomes_p1_pkey;

ALTER INDEX everword.pattern_outcomes_pattern ATTACH PARTITION everword.pattern_outcomes_p2_namespace_id_pattern_id_outcome_at_id_idx;

ALTER INDEX everword.pattern_outcomes_pkey ATTACH PARTITION everword.pattern_outcomes_p2_pkey;

ALTER INDEX everword.pattern_outcomes_pattern ATTACH PARTITION everword.pattern_outcomes_p3_namespace_id_pattern_id_outcome_at_id_idx;

ALTER INDEX everword.pattern_outcomes_pkey ATTACH PARTITION everword.pattern_outcomes_p3_pkey;

ALTER INDEX everword.patterns_category ATTACH PARTITION everword.patterns_p0_namespace_id_category_confidence_id_idx;

ALTER INDEX everword.patterns_confidence ATTACH PARTITION everword.patterns_p0_namespace_id_confidence_id_idx;

ALTER INDEX everword.patterns_namespace_id_entity_key_type_data_hash_key ATTACH PARTITION everword.patterns_p0_namespace_id_entity_key_type_data_hash_key;

ALTER INDEX everword.patterns_type ATTACH PARTITION everword.patterns_p0_namespace_id_type_confidence_id_idx;

ALTER INDEX everword.patterns_pkey ATTACH PARTITION everword.patterns_p0_pkey;

ALTER INDEX everword.patterns_category ATTACH PARTITION everword.patterns_p1_namespace_id_category_confidence_id_idx;

ALTER INDEX everword.patterns_confidence ATTACH PARTITION everword.patterns_p1_namespace_id_confidence_id_idx;

ALTER INDEX everword.patterns_namespace_id_entity_key_type_data_hash_key ATTACH PARTITION everword.patterns_p1_namespace_id_entity_key_type_data_hash_key;

ALTER INDEX everword.patterns_type ATTACH PARTITION everword.patterns_p1_namespace_id_type_confidence_id_idx;

ALTER INDEX everword.patterns_pkey ATTACH PARTITION everword.patterns_p1_pkey;

ALTER INDEX everword.patterns_category ATTACH PARTITION everword.patterns_p2_namespace_id_category_confidence_id_idx;

ALTER INDEX everword.patterns_confidence ATTACH PARTITION everword.patterns_p2_namespace_id_confidence_id_idx;

ALTER INDEX everword.patterns_namespace_id_entity_key_type_data_hash_key ATTACH PARTITION everword.patterns_p2_namespace_id_entity_key_type_data_hash_key;

ALTER INDEX everword.patterns_type ATTACH PARTITION everword.patterns_p2_namespace_id_type_confidence_id_idx;

ALTER INDEX everword.patterns_pkey ATTACH PARTITION everword.patterns_p2_pkey;

ALTER INDEX everword.patterns_category ATTACH PARTITION everword.patterns_p3_namespace_id_category_confidence_id_idx;

ALTER INDEX everword.patterns_confidence ATTACH PARTITION everword.patterns_p3_namespace_id_confidence_id_idx;

ALTER INDEX everword.patterns_namespace_id_entity_key_type_data_hash_key ATTACH PARTITION everword.patterns_p3_namespace_id_entity_key_type_data_hash_key;

ALTER INDEX everword.patterns_type ATTACH PARTITION everword.patterns_p3_namespace_id_type_confidence_id_idx;

ALTER INDEX everword.patterns_pkey ATTACH PARTITION everword.patterns_p3_pkey;

ALTER INDEX everword.people_subject ATTACH PARTITION everword.people_p0_namespace_id_subject_id_idx;

ALTER INDEX everword.people_pkey ATTACH PARTITION everword.people_p0_pkey;

ALTER INDEX everword.people_subject ATTACH PARTITION everword.people_p1_namespace_id_subject_id_idx;

ALTER INDEX everword.people_pkey ATTACH PARTITION everword.people_p1_pkey;

ALTER INDEX everword.people_subject ATTACH PARTITION everword.people_p2_namespace_id_subject_id_idx;

ALTER INDEX everword.people_pkey ATTACH PARTITION everword.people_p2_pkey;

ALTER INDEX everword.people_subject ATTACH PARTITION everword.people_p3_namespace_id_subject_id_idx;

ALTER INDEX everword.people_pkey ATTACH PARTITION everword.people_p3_pkey;

ALTER INDEX everword.session_observations_session ATTACH PARTITION everword.session_observations_p0_namespace_id_session_id_idx;

ALTER INDEX everword.session_observations_subject ATTACH PARTITION everword.session_observations_p0_namespace_id_subject_kind_id_idx;

ALTER INDEX everword.session_observations_pkey ATTACH PARTITION everword.session_observations_p0_pkey;

ALTER INDEX everword.session_observations_session ATTACH PARTITION everword.session_observations_p1_namespace_id_session_id_idx;

ALTER INDEX everword.session_observations_subject ATTACH PARTITION everword.session_observations_p1_namespace_id_subject_kind_id_idx;

ALTER INDEX everword.session_observations_pkey ATTACH PARTITION everword.session_observations_p1_pkey;

ALTER INDEX everword.session_observations_session ATTACH PARTITION everword.session_observations_p2_namespace_id_session_id_idx;

ALTER INDEX everword.session_observations_subject ATTACH PARTITION everword.session_observations_p2_namespace_id_subject_kind_id_idx;

ALTER INDEX everword.session_observations_pkey ATTACH PARTITION everword.session_observations_p2_pkey;

ALTER INDEX everword.session_observations_session ATTACH PARTITION everword.session_observations_p3_namespace_id_session_id_idx;

ALTER INDEX everword.session_observations_subject ATTACH PARTITION everword.session_observations_p3_namespace_id_subject_kind_id_idx;

ALTER INDEX everword.session_observations_pkey ATTACH PARTITION everword.session_observations_p3_pkey;

ALTER INDEX everword.sleep_sessions_parked ATTACH PARTITION everword.sleep_sessions_p0_namespace_id_conversation_id_first_seq_idx;

ALTER INDEX everword.sleep_sessions_namespace_id_conversation_id_first_seq_key ATTACH PARTITION everword.sleep_sessions_p0_namespace_id_conversation_id_first_seq_key;

ALTER INDEX everword.sleep_sessions_processed ATTACH PARTITION everword.sleep_sessions_p0_namespace_id_processed_at_idx;

ALTER INDEX everword.sleep_sessions_started ATTACH PARTITION everword.sleep_sessions_p0_namespace_id_started_at_idx;

ALTER INDEX everword.sleep_sessions_topics ATTACH PARTITION everword.sleep_sessions_p0_namespace_id_started_at_idx1;

ALTER INDEX everword.sleep_sessions_stored ATTACH PARTITION everword.sleep_sessions_p0_namespace_id_stored_at_idx;

ALTER INDEX everword.sleep_sessions_waiting ATTACH PARTITION everword.sleep_sessions_p0_namespace_id_subject_started_at_idx;

ALTER INDEX everword.sleep_sessions_subject ATTACH PARTITION everword.sleep_sessions_p0_namespace_id_subject_started_at_idx1;

ALTER INDEX everword.sleep_sessions_pkey ATTACH PARTITION everword.sleep_sessions_p0_pkey;

ALTER INDEX everword.sleep_sessions_parked ATTACH PARTITION everword.sleep_sessions_p1_namespace_id_conversation_id_first_seq_idx;

ALTER INDEX everword.sleep_sessions_namespace_id_conversation_id_first_seq_key ATTACH PARTITION everword.sleep_sessions_p1_namespace_id_conversation_id_first_seq_key;

ALTER INDEX everword.sleep_sessions_processed ATTACH PARTITION everword.sleep_sessions_p1_namespace_id_processed_at_idx;

ALTER INDEX everword.sleep_sessions_started ATTACH PARTITION everword.sleep_sessions_p1_namespace_id_started_at_idx;

ALTER INDEX everword.sleep_sessions_topics ATTACH PARTITION everword.sleep_sessions_p1_namespace_id_started_at_idx1;

ALTER INDEX everword.sleep_sessions_stored ATTACH PARTITION everword.sleep_sessions_p1_namespace_id_stored_at_idx;

ALTER INDEX everword.sleep_sessions_waiting ATTACH PARTITION everword.sleep_sessions_p1_namespace_id_subject_started_at_idx;

ALTER INDEX everword.sleep_sessions_subject ATTACH PARTITION everword.sleep_sessions_p1_namespace_id_subject_started_at_idx1;

ALTER INDEX everword.sleep_sessions_pkey ATTACH PARTITION everword.sleep_sessions_p1_pkey;

ALTER INDEX everword.sleep_sessions_parked ATTACH PARTITION everword.sleep_sessions_p2_namespace_id_conversation_id_first_seq_idx;

ALTER INDEX everword.sleep_sessions_namespace_id_conversation_id_first_seq_key ATTACH PARTITION everword.sleep_sessions_p2_namespace_id_conversation_id_first_seq_key;

ALTER INDEX everword.sleep_sessions_processed ATTACH PARTITION everword.sleep_sessions_p2_namespace_id_processed_at_idx;

ALTER INDEX everword.sleep_sessions_started ATTACH PARTITION everword.sleep_sessions_p2_namespace_id_started_at_idx;

ALTER INDEX everword.sleep_sessions_topics ATTACH PARTITION everword.sleep_sessions_p2_namespace_id_started_at_idx1;

ALTER INDEX everword.sleep_sessions_stored ATTACH PARTITION everword.sleep_sessions_p2_namespace_id_stored_at_idx;

ALTER INDEX everword.sleep_sessions_waiting ATTACH PARTITION everword.sleep_sessions_p2_namespace_id_subject_started_at_idx;

ALTER INDEX everword.sleep_sessions_subject ATTACH PARTITION everword.sleep_sessions_p2_namespace_id_subject_started_at_idx1;

ALTER INDEX everword.sleep_sessions_pkey ATTACH PARTITION everword.sleep_sessions_p2_pkey;

ALTER INDEX everword.sleep_sessions_parked ATTACH PARTITION everword.sleep_sessions_p3_namespace_id_conversation_id_first_seq_idx;

ALTER INDEX everword.sleep_sessions_namespace_id_conversation_id_first_seq_key ATTACH PARTITION everword.sleep_sessions_p3_namespace_id_conversation_id_first_seq_key;

ALTER INDEX everword.sleep_sessions_processed ATTACH PARTITION everword.sleep_sessions_p3_namespace_id_processed_at_idx;

ALTER INDEX everword.sleep_sessions_started ATTACH PARTITION everword.sleep_sessions_p3_namespace_id_started_at_idx;

ALTER INDEX everword.sleep_sessions_topics ATTACH PARTITION everword.sleep_sessions_p3_namespace_id_started_at_idx1;

ALTER INDEX everword.sleep_sessions_stored ATTACH PARTITION everword.sleep_sessions_p3_namespace_id_stored_at_idx;

ALTER INDEX everword.sleep_sessions_waiting ATTACH PARTITION everword.sleep_sessions_p3_namespace_id_subject_started_at_idx;

ALTER INDEX everword.sleep_sessions_subject ATTACH PARTITION everword.sleep_sessions_p3_namespace_id_subject_started_at_idx1;

ALTER INDEX everword.sleep_sessions_pkey ATTACH PARTITION everword.sleep_sessions_p3_pkey;

ALTER INDEX everword.strategies_namespace_id_about_id_kind_occasion_key ATTACH PARTITION everword.strategies_p0_namespace_id_about_id_kind_occasion_key;

ALTER INDEX everword.strategies_open ATTACH PARTITION everword.strategies_p0_namespace_id_subject_created_at_id_idx;

ALTER INDEX everword.strategies_subject ATTACH PARTITION everword.strategies_p0_namespace_id_subject_id_idx;

ALTER INDEX everword.strategies_pkey ATTACH PARTITION everword.strategies_p0_pkey;

ALTER INDEX everword.strategies_namespace_id_about_id_kind_occasion_key ATTACH PARTITION everword.strategies_p1_namespace_id_about_id_kind_occasion_key;

ALTER INDEX everword.strategies_open ATTACH PARTITION everword.strategies_p1_namespace_id_subject_created_at_id_idx;

ALTER INDEX everword.strategies_subject ATTACH PARTITION everword.strategies_p1_namespace_id_subject_id_idx;

ALTER INDEX everword.strategies_pkey ATTACH PARTITION everword.strategies_p1_pkey;

ALTER INDEX everword.strategies_namespace_id_about_id_kind_occasion_key ATTACH PARTITION everword.strategies_p2_namespace_id_about_id_kind_occasion_key;

ALTER INDEX everword.strategies_open ATTACH PARTITION everword.strategies_p2_namespace_id_subject_created_at_id_idx;

ALTER INDEX everword.strategies_subject ATTACH PARTITION everword.strategies_p2_namespace_id_subject_id_idx;

ALTER INDEX everword.strategies_pkey ATTACH PARTITION everword.strategies_p2_pkey;

ALTER INDEX everword.strategies_namespace_id_about_id_kind_occasion_key ATTACH PARTITION everword.strategies_p3_namespace_id_about_id_kind_occasion_key;

ALTER INDEX everword.strategies_open ATTACH PARTITION everword.strategies_p3_namespace_id_subject_created_at_id_idx;

ALTER INDEX everword.strategies_subject ATTACH PARTITION everword.strategies_p3_namespace_id_subject_id_idx;

ALTER INDEX everword.strategies_pkey ATTACH PARTITION everword.strategies_p3_pkey;

ALTER INDEX everword.summaries_written_by ATTACH PARTITION everword.summaries_p0_level_model_prompt_version_namespace_id_idx;

ALTER INDEX everword.summaries_conversation ATTACH PARTITION everword.summaries_p0_namespace_id_conversation_id_level_first_seq_idx;

ALTER INDEX everword.summaries_stale ATTACH PARTITION everword.summaries_p0_namespace_id_level_idx;

ALTER INDEX everword.summaries_level ATTACH PARTITION everword.summaries_p0_namespace_id_level_latest_at_id_idx;

ALTER INDEX everword.summaries_review ATTACH PARTITION everword.summaries_p0_namespace_id_level_latest_at_id_idx1;

ALTER INDEX everword.summaries_period ATTACH PARTITION everword.summaries_p0_namespace_id_level_period_instance_idx;

ALTER INDEX everword.summaries_name ATTACH PARTITION everword.summaries_p0_namespace_id_name_idx;

ALTER INDEX everword.summaries_parent ATTACH PARTITION everword.summaries_p0_namespace_id_parent_id_idx;

ALTER INDEX everword.summaries_pkey ATTACH PARTITION everword.summaries_p0_pkey;

ALTER INDEX everword.summaries_written_by ATTACH PARTITION everword.summaries_p1_level_model_prompt_version_namespace_id_idx;

ALTER INDEX everword.summaries_conversation ATTACH PARTITION everword.summaries_p1_namespace_id_conversation_id_level_first_seq_idx;

ALTER INDEX everword.summaries_stale ATTACH PARTITION everword.summaries_p1_namespace_id_level_idx;

ALTER INDEX everword.summaries_level ATTACH PARTITION everword.summaries_p1_namespace_id_level_latest_at_id_idx;

ALTER INDEX everword.summaries_review ATTACH PARTITION everword.summaries_p1_namespace_id_level_latest_at_id_idx1;

ALTER INDEX everword.summaries_period ATTACH PARTITION everword.summaries_p1_namespace_id_level_period_instance_idx;

ALTER INDEX everword.summaries_name ATTACH PARTITION everword.summaries_p1_namespace_id_name_idx;

ALTER INDEX everword.summaries_parent ATTACH PARTITION everword.summaries_p1_namespace_id_parent_id_idx;

ALTER INDEX everword.summaries_pkey ATTACH PARTITION everword.summaries_p1_pkey;

ALTER INDEX everword.summaries_written_by ATTACH PARTITION everword.summaries_p2_level_model_prompt_version_namespace_id_idx;

ALTER INDEX everword.summaries_conversation ATTACH PARTITION everword.summaries_p2_namespace_id_conversation_id_level_first_seq_idx;

ALTER INDEX everword.summaries_stale ATTACH PARTITION everword.summaries_p2_namespace_id_level_idx;

ALTER INDEX everword.summaries_level ATTACH PARTITION everword.summaries_p2_namespace_id_level_latest_at_id_idx;

ALTER INDEX everword.summaries_review ATTACH PARTITION everword.summaries_p2_namespace_id_level_latest_at_id_idx1;

ALTER INDEX everword.summaries_period ATTACH PARTITION everword.summaries_p2_namespace_id_level_period_instance_idx;

ALTER INDEX everword.summaries_name ATTACH PARTITION everword.summaries_p2_namespace_id_name_idx;

ALTER INDEX everword.summaries_parent ATTACH PARTITION everword.summaries_p2_namespace_id_parent_id_idx;

ALTER INDEX everword.summaries_pkey ATTACH PARTITION everword.summaries_p2_pkey;

ALTER INDEX everword.summaries_written_by ATTACH PARTITION everword.summaries_p3_level_model_prompt_version_namespace_id_idx;

ALTER INDEX everword.summaries_conversation ATTACH PARTITION everword.summaries_p3_namespace_id_conversation_id_level_first_seq_idx;

ALTER INDEX everword.summaries_stale ATTACH PARTITION everword.summaries_p3_namespace_id_level_idx;

ALTER INDEX everword.summaries_level ATTACH PARTITION everword.summaries_p3_namespace_id_level_latest_at_id_idx;

ALTER INDEX everword.summaries_review ATTACH PARTITION everword.summaries_p3_namespace_id_level_latest_at_id_idx1;

ALTER INDEX everword.summaries_period ATTACH PARTITION everword.summaries_p3_namespace_id_level_period_instance_idx;

ALTER INDEX everword.summaries_name ATTACH PARTITION everword.summaries_p3_namespace_id_name_idx;

ALTER INDEX everword.summaries_parent ATTACH PARTITION everword.summaries_p3_namespace_id_parent_id_idx;

ALTER INDEX everword.summaries_pkey ATTACH PARTITION everword.summaries_p3_pkey;

ALTER INDEX everword.summary_sources_child ATTACH PARTITION everword.summary_sources_p0_namespace_id_child_id_idx;

ALTER INDEX everword.summary_sources_message ATTACH PARTITION everword.summary_sources_p0_namespace_id_message_id_axis_idx;

ALTER INDEX everword.summary_sources_pkey ATTACH PARTITION everword.summary_sources_p0_pkey;

ALTER INDEX everword.summary_sources_child ATTACH PARTITION everword.summary_sources_p1_namespace_id_child_id_idx;

ALTER INDEX everword.summary_sources_message ATTACH PARTITION everword.summary_sources_p1_namespace_id_message_id_axis_idx;

ALTER INDEX everword.summary_sources_pkey ATTACH PARTITION everword.summary_sources_p1_pkey;

ALTER INDEX everword.summary_sources_child ATTACH PARTITION everword.summary_sources_p2_namespace_id_child_id_idx;

ALTER INDEX everword.summary_sources_message ATTACH PARTITION everword.summary_sources_p2_namespace_id_message_id_axis_idx;

ALTER INDEX everword.summary_sources_pkey ATTACH PARTITION everword.summary_sources_p2_pkey;

ALTER INDEX everword.summary_sources_child ATTACH PARTITION everword.summary_sources_p3_namespace_id_child_id_idx;

ALTER INDEX everword.summary_sources_message ATTACH PARTITION everword.summary_sources_p3_namespace_id_message_id_axis_idx;

ALTER INDEX everword.summary_sources_pkey ATTACH PARTITION everword.summary_sources_p3_pkey;

ALTER INDEX everword.themes_namespace_id_place_key ATTACH PARTITION everword.themes_p0_namespace_id_place_key;

ALTER INDEX everword.themes_pkey ATTACH PARTITION everword.themes_p0_pkey;

ALTER INDEX everword.themes_namespace_id_place_key ATTACH PARTITION everword.themes_p1_namespace_id_place_key;

ALTER INDEX everword.themes_pkey ATTACH PARTITION everword.themes_p1_pkey;

ALTER INDEX everword.themes_namespace_id_place_key ATTACH PARTITION everword.themes_p2_namespace_id_place_key;

ALTER INDEX everword.themes_pkey ATTACH PARTITION everword.themes_p2_pkey;

ALTER INDEX everword.themes_namespace_id_place_key ATTACH PARTITION everword.themes_p3_namespace_id_place_key;

ALTER INDEX everword.themes_pkey ATTACH PARTITION everword.themes_p3_pkey;

ALTER INDEX everword.tool_sentences_pkey ATTACH PARTITION everword.tool_sentences_p0_pkey;

ALTER INDEX everword.tool_sentences_pkey ATTACH PARTITION everword.tool_sentences_p1_pkey;

ALTER INDEX everword.tool_sentences_pkey ATTACH PARTITION everword.tool_sentences_p2_pkey;

ALTER INDEX everword.tool_sentences_pkey ATTACH PARTITION everword.tool_sentences_p3_pkey;

ALTER INDEX everword.topic_pages_namespace_id_id_key ATTACH PARTITION everword.topic_pages_p0_namespace_id_id_key;

ALTER INDEX everword.topic_pages_cited ATTACH PARTITION everword.topic_pages_p0_namespace_id_source_ids_idx;

ALTER INDEX everword.topic_pages_title ATTACH PARTITION everword.topic_pages_p0_namespace_id_title_node_id_idx;

ALTER INDEX everword.topic_pages_pkey ATTACH PARTITION everword.topic_pages_p0_pkey;

ALTER INDEX everword.topic_pages_namespace_id_id_key ATTACH PARTITION everword.topic_pages_p1_namespace_id_id_key;

ALTER INDEX everword.topic_pages_cited ATTACH PARTITION everword.topic_pages_p1_namespace_id_source_ids_idx;

ALTER INDEX everword.topic_pages_title ATTACH PARTITION everword.topic_pages_p1_namespace_id_title_node_id_idx;

ALTER INDEX everword.topic_pages_pkey ATTACH PARTITION everword.topic_pages_p1_pkey;

ALTER INDEX everword.topic_pages_namespace_id_id_key ATTACH PARTITION everword.topic_pages_p2_namespace_id_id_key;

ALTER INDEX everword.topic_pages_cited ATTACH PARTITION everword.topic_pages_p2_namespace_id_source_ids_idx;

ALTER INDEX everword.topic_pages_title ATTACH PARTITION everword.topic_pages_p2_namespace_id_title_node_id_idx;

ALTER INDEX everword.topic_pages_pkey ATTACH PARTITION everword.topic_pages_p2_pkey;

ALTER INDEX everword.topic_pages_namespace_id_id_key ATTACH PARTITION everword.topic_pages_p3_namespace_id_id_key;

ALTER INDEX everword.topic_pages_cited ATTACH PARTITION everword.topic_pages_p3_namespace_id_source_ids_idx;

ALTER INDEX everword.topic_pages_title ATTACH PARTITION everword.topic_pages_p3_namespace_id_title_node_id_idx;

ALTER INDEX everword.topic_pages_pkey ATTACH PARTITION everword.topic_pages_p3_pkey;

ALTER INDEX everword.topic_sources_source ATTACH PARTITION everword.topic_sources_p0_namespace_id_source_id_idx;

ALTER INDEX everword.topic_sources_pkey ATTACH PARTITION everword.topic_sources_p0_pkey;

ALTER INDEX everword.topic_sources_source ATTACH PARTITION everword.topic_sources_p1_namespace_id_source_id_idx;

ALTER INDEX everword.topic_sources_pkey ATTACH PARTITION everword.topic_sources_p1_pkey;

ALTER INDEX everword.topic_sources_source ATTACH PARTITION everword.topic_sources_p2_namespace_id_source_id_idx;

ALTER INDEX everword.topic_sources_pkey ATTACH PARTITION everword.topic_sources_p2_pkey;

ALTER INDEX everword.topic_sources_source ATTACH PARTITION everword.topic_sources_p3_namespace_id_source_id_idx;

ALTER INDEX everword.topic_sources_pkey ATTACH PARTITION everword.topic_sources_p3_pkey;

CREATE STATISTICS everword.memories_p0_author (dependencies) ON namespace_id, author FROM everword.memories_p0;

CREATE STATISTICS everword.memories_p0_subject (dependencies) ON namespace_id, subject FROM everword.memories_p0;

CREATE STATISTICS everword.memories_p1_author (dependencies) ON namespace_id, author FROM everword.memories_p1;

CREATE STATISTICS everword.memories_p1_subject (dependencies) ON namespace_id, subject FROM everword.memories_p1;

CREATE STATISTICS everword.memories_p2_author (dependencies) ON namespace_id, author FROM everword.memories_p2;

CREATE STATISTICS everword.memories_p2_subject (dependencies) ON namespace_id, subject FROM everword.memories_p2;

CREATE STATISTICS everword.memories_p3_author (dependencies) ON namespace_id, author FROM everword.memories_p3;

CREATE STATISTICS everword.memories_p3_subject (dependencies) ON namespace_id, subject FROM everword.memories_p3;

CREATE TRIGGER close_deployment AFTER INSERT ON everword.api_keys FOR EACH STATEMENT EXECUTE FUNCTION everword.close_deployment_with_key();

CREATE TRIGGER hold_source BEFORE INSERT ON everword.fact_evidence FOR EACH ROW WHEN ((new.message_id IS NOT NULL)) EXECUTE FUNCTION everword.hold_source();

CREATE TRIGGER hold_source BEFORE INSERT ON everword.graph_edges FOR EACH ROW WHEN ((new.message_id IS NOT NULL)) EXECUTE FUNCTION everword.hold_source();

CREATE TRIGGER memories_added AFTER INSERT ON everword.memories REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION everword.log_memory_changes();

CREATE TRIGGER memories_changed AFTER UPDATE ON everword.memories REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION everword.log_memory_changes();

CREATE TRIGGER memories_removed AFTER DELETE ON everword.memories REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION everword.log_memory_changes();

ALTER TABLE ONLY everword.advisor_grants
    ADD CONSTRAINT advisor_grants_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.api_keys
    ADD CONSTRAINT api_keys_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.append_requests
    ADD CONSTRAINT append_requests_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.author_names
    ADD CONSTRAINT author_names_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.budget_events
    ADD CONSTRAINT budget_events_namespace_id_budget_id_fkey FOREIGN KEY (namespace_id, budget_id) REFERENCES everword.budgets(namespace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY everword.budget_spending
    ADD CONSTRAINT budget_spending_namespace_id_budget_id_fkey FOREIGN KEY (namespace_id, budget_id) REFERENCES everword.budgets(namespace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY everword.budgets
    ADD CONSTRAINT budgets_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.calendar_pending
    ADD CONSTRAINT calendar_pending_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.calibrations
    ADD CONSTRAINT calibrations_generation_id_fkey FOREIGN KEY (generation_id) REFERENCES everword.model_generations(id) ON DELETE CASCADE;

ALTER TABLE everword.checkpoint_counters
    ADD CONSTRAINT checkpoint_counters_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);

ALTER TABLE everword.checkpoints
    ADD CONSTRAINT checkpoints_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);

ALTER TABLE ONLY everword.compaction_progress
    ADD CONSTRAINT compaction_progress_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);

ALTER TABLE ONLY everword.compaction_progress
    ADD CONSTRAINT compaction_progress_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.conversations
    ADD CONSTRAINT conversations_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.corpus_counts
    ADD CONSTRAINT corpus_counts_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.document_chunks
    ADD CONSTRAINT document_chunks_namespace_id_document_id_fkey FOREIGN KEY (namespace_id, document_id) REFERENCES everword.documents(namespace_id, id);

ALTER TABLE everword.document_versions
    ADD CONSTRAINT document_versions_namespace_id_document_id_fkey FOREIGN KEY (namespace_id, document_id) REFERENCES everword.documents(namespace_id, id);

ALTER TABLE everword.documents
    ADD CONSTRAINT documents_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);

ALTER TABLE everword.documents
    ADD CONSTRAINT documents_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.embedding_pauses
    ADD CONSTRAINT embedding_pauses_generation_id_fkey FOREIGN KEY (generation_id) REFERENCES everword.model_generations(id) ON DELETE CASCADE;

ALTER TABLE ONLY everword.embedding_pauses
    ADD CONSTRAINT embedding_pauses_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.embedding_queue
    ADD CONSTRAINT embedding_queue_generation_id_fkey FOREIGN KEY (generation_id) REFERENCES everword.model_generations(id);

ALTER TABLE ONLY everword.embedding_queue
    ADD CONSTRAINT embedding_queue_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.erased_external_ids
    ADD CONSTRAINT erased_external_ids_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.erasures
    ADD CONSTRAINT erasures_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.events
    ADD CONSTRAINT events_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.fact_changes
    ADD CONSTRAINT fact_changes_namespace_id_fact_id_fkey FOREIGN KEY (namespace_id, fact_id) REFERENCES everword.facts(namespace_id, id);

ALTER TABLE everword.fact_disputes
    ADD CONSTRAINT fact_disputes_namespace_id_new_fact_id_fkey FOREIGN KEY (namespace_id, new_fact_id) REFERENCES everword.facts(namespace_id, id);

ALTER TABLE everword.fact_disputes
    ADD CONSTRAINT fact_disputes_namespace_id_old_fact_id_fkey FOREIGN KEY (namespace_id, old_fact_id) REFERENCES everword.facts(namespace_id, id);

ALTER TABLE everword.fact_edges
    ADD CONSTRAINT fact_edges_namespace_id_from_fact_id_fkey FOREIGN KEY (namespace_id, from_fact_id) REFERENCES everword.facts(namespace_id, id);

ALTER TABLE everword.fact_edges
    ADD CONSTRAINT fact_edges_namespace_id_to_fact_id_fkey FOREIGN KEY (namespace_id, to_fact_id) REFERENCES everword.facts(namespace_id, id);

ALTER TABLE everword.fact_evidence
    ADD CONSTRAINT fact_evidence_namespace_id_fact_id_fkey FOREIGN KEY (namespace_id, fact_id) REFERENCES everword.facts(namespace_id, id);

ALTER TABLE everword.fact_intervals
    ADD CONSTRAINT fact_intervals_namespace_id_fact_id_fkey FOREIGN KEY (namespace_id, fact_id) REFERENCES everword.facts(namespace_id, id);

ALTER TABLE everword.facts
    ADD CONSTRAINT facts_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.graph_edges
    ADD CONSTRAINT graph_edges_namespace_id_fact_id_fkey FOREIGN KEY (namespace_id, fact_id) REFERENCES everword.facts(namespace_id, id);

ALTER TABLE everword.graph_edges
    ADD CONSTRAINT graph_edges_namespace_id_from_id_fkey FOREIGN KEY (namespace_id, from_id) REFERENCES everword.graph_nodes(namespace_id, id);

ALTER TABLE everword.graph_edges
    ADD CONSTRAINT graph_edges_namespace_id_to_id_fkey FOREIGN KEY (namespace_id, to_id) REFERENCES everword.graph_nodes(namespace_id, id);

ALTER TABLE everword.graph_names
    ADD CONSTRAINT graph_names_namespace_id_node_id_fkey FOREIGN KEY (namespace_id, node_id) REFERENCES everword.graph_nodes(namespace_id, id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE everword.graph_node_versions
    ADD CONSTRAINT graph_node_versions_namespace_id_node_id_fkey FOREIGN KEY (namespace_id, node_id) REFERENCES everword.graph_nodes(namespace_id, id);

ALTER TABLE everword.graph_nodes
    ADD CONSTRAINT graph_nodes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.importance_suggestions
    ADD CONSTRAINT importance_suggestions_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.index_changes
    ADD CONSTRAINT index_changes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.jobs
    ADD CONSTRAINT jobs_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.lore_books
    ADD CONSTRAINT lore_books_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);

ALTER TABLE everword.lore_books
    ADD CONSTRAINT lore_books_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.lore_entries
    ADD CONSTRAINT lore_entries_namespace_id_book_id_fkey FOREIGN KEY (namespace_id, book_id) REFERENCES everword.lore_books(namespace_id, id);

ALTER TABLE everword.memories
    ADD CONSTRAINT memories_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.memory_changes
    ADD CONSTRAINT memory_changes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.memory_classes
    ADD CONSTRAINT memory_classes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.memory_use
    ADD CONSTRAINT memory_use_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.memory_vectors_1
    ADD CONSTRAINT memory_vectors_1_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.messages
    ADD CONSTRAINT messages_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);

ALTER TABLE ONLY everword.namespace_imports
    ADD CONSTRAINT namespace_imports_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.namespace_usage
    ADD CONSTRAINT namespace_usage_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.note_versions
    ADD CONSTRAINT note_versions_namespace_id_note_id_fkey FOREIGN KEY (namespace_id, note_id) REFERENCES everword.notes(namespace_id, id);

ALTER TABLE everword.notes
    ADD CONSTRAINT notes_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);

ALTER TABLE everword.notes
    ADD CONSTRAINT notes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.pattern_decisions
    ADD CONSTRAINT pattern_decisions_namespace_id_pattern_id_fkey FOREIGN KEY (namespace_id, pattern_id) REFERENCES everword.patterns(namespace_id, id);

ALTER TABLE everword.pattern_outcomes
    ADD CONSTRAINT pattern_outcomes_namespace_id_pattern_id_fkey FOREIGN KEY (namespace_id, pattern_id) REFERENCES everword.patterns(namespace_id, id);

ALTER TABLE ONLY everword.pattern_thresholds
    ADD CONSTRAINT pattern_thresholds_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.patterns
    ADD CONSTRAINT patterns_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.people
    ADD CONSTRAINT people_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.retention_policies
    ADD CONSTRAINT retention_policies_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.retention_runs
    ADD CONSTRAINT retention_runs_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.session_observations
    ADD CONSTRAINT session_observations_namespace_id_session_id_fkey FOREIGN KEY (namespace_id, session_id) REFERENCES everword.sleep_sessions(namespace_id, id);

ALTER TABLE ONLY everword.sleep_nights
    ADD CONSTRAINT sleep_nights_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.sleep_sessions
    ADD CONSTRAINT sleep_sessions_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);

ALTER TABLE everword.strategies
    ADD CONSTRAINT strategies_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.strategy_offers
    ADD CONSTRAINT strategy_offers_namespace_id_strategy_id_fkey FOREIGN KEY (namespace_id, strategy_id) REFERENCES everword.strategies(namespace_id, id);

ALTER TABLE everword.summaries
    ADD CONSTRAINT summaries_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.summary_sources
    ADD CONSTRAINT summary_sources_namespace_id_child_id_fkey FOREIGN KEY (namespace_id, child_id) REFERENCES everword.summaries(namespace_id, id);

ALTER TABLE everword.summary_sources
    ADD CONSTRAINT summary_sources_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.summary_sources
    ADD CONSTRAINT summary_sources_namespace_id_message_id_fkey FOREIGN KEY (namespace_id, message_id) REFERENCES everword.messages(namespace_id, id) ON DELETE RESTRICT;

ALTER TABLE everword.summary_sources
    ADD CONSTRAINT summary_sources_namespace_id_summary_id_fkey FOREIGN KEY (namespace_id, summary_id) REFERENCES everword.summaries(namespace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY everword.summary_voices
    ADD CONSTRAINT summary_voices_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.themes
    ADD CONSTRAINT themes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.tool_sentence_queue
    ADD CONSTRAINT tool_sentence_queue_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.tool_sentences
    ADD CONSTRAINT tool_sentences_namespace_id_message_id_fkey FOREIGN KEY (namespace_id, message_id) REFERENCES everword.messages(namespace_id, id);

ALTER TABLE ONLY everword.topic_changes
    ADD CONSTRAINT topic_changes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.topic_pages
    ADD CONSTRAINT topic_pages_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.topic_pages
    ADD CONSTRAINT topic_pages_namespace_id_node_id_fkey FOREIGN KEY (namespace_id, node_id) REFERENCES everword.graph_nodes(namespace_id, id);

ALTER TABLE everword.topic_sources
    ADD CONSTRAINT topic_sources_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.topic_sources
    ADD CONSTRAINT topic_sources_namespace_id_node_id_fkey FOREIGN KEY (namespace_id, node_id) REFERENCES everword.graph_nodes(namespace_id, id);

ALTER TABLE ONLY everword.trajectories
    ADD CONSTRAINT trajectories_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.usage_ledger
    ADD CONSTRAINT usage_ledger_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE ONLY everword.user_models
    ADD CONSTRAINT user_models_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);

ALTER TABLE everword.advisor_grants ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.append_requests ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.author_names ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.budget_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.budget_spending ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.budgets ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.calendar_pending ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.checkpoint_counters ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.checkpoints ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.compaction_progress ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.conversations ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.document_chunks ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.document_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.documents ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.erased_external_ids ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.erasures ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.events ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.fact_changes ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.fact_disputes ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.fact_edges ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.fact_evidence ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.fact_intervals ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.facts ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.graph_edges ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.graph_names ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.graph_node_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.graph_nodes ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.importance_suggestions ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.index_changes ENABLE ROW LEVEL SECURITY;

CREATE POLICY isolation ON everword.advisor_grants USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.append_requests USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.author_names USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.budget_events USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.budget_spending USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.budgets USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.calendar_pending USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.checkpoint_counters USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.checkpoints USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.compaction_progress USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.conversations USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.document_chunks USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.document_versions USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.documents USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.erased_external_ids USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.erasures USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.events USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.fact_changes USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.fact_disputes USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.fact_edges USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.fact_evidence USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.fact_intervals USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.facts USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.graph_edges USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.graph_names USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.graph_node_versions USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.graph_nodes USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.importance_suggestions USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.index_changes USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.learned_changes USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.learned_evidence USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.lore_books USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.lore_entries USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.memories USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.memory_changes USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.memory_classes USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.memory_use USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.memory_vectors_1 USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.messages USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.namespace_imports USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.note_versions USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.notes USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.pattern_decisions USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.pattern_outcomes USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.pattern_thresholds USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.patterns USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.people USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.retention_policies USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.retention_runs USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.session_observations USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.sleep_nights USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.sleep_sessions USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.strategies USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.strategy_offers USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.summaries USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.summary_sources USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.summary_voices USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.themes USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.tool_sentences USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.topic_changes USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.topic_pages USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.topic_sources USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.trajectories USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.usage_ledger USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

CREATE POLICY isolation ON everword.user_models USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));

ALTER TABLE everword.learned_changes ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.learned_evidence ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.lore_books ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.lore_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.memories ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.memory_changes ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.memory_classes ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.memory_use ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.memory_vectors_1 ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.namespace_imports ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.note_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.notes ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.pattern_decisions ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.pattern_outcomes ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.pattern_thresholds ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.patterns ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.people ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.retention_policies ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.retention_runs ENABLE ROW LEVEL SECURITY;

CREATE POLICY scope ON everword.advisor_grants AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.budget_events AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.checkpoint_counters AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.checkpoints AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.conversations AS RESTRICTIVE TO everword_scoped USING (everword.in_scope(agent, subject));

CREATE POLICY scope ON everword.document_chunks AS RESTRICTIVE TO everword_scoped USING ((EXISTS ( SELECT
   FROM everword.documents o
  WHERE ((o.namespace_id = document_chunks.namespace_id) AND (o.id = document_chunks.document_id)))));

CREATE POLICY scope ON everword.document_versions AS RESTRICTIVE TO everword_scoped USING ((EXISTS ( SELECT
   FROM everword.documents o
  WHERE ((o.namespace_id = document_versions.namespace_id) AND (o.id = document_versions.document_id)))));

CREATE POLICY scope ON everword.documents AS RESTRICTIVE TO everword_scoped USING (everword.in_scope(agent, subject));

CREATE POLICY scope ON everword.erasures AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.events AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.fact_changes AS RESTRICTIVE TO everword_scoped USING ((EXISTS ( SELECT
   FROM everword.facts o
  WHERE ((o.namespace_id = fact_changes.namespace_id) AND (o.id = fact_changes.fact_id)))));

CREATE POLICY scope ON everword.fact_disputes AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.fact_edges AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.fact_evidence AS RESTRICTIVE TO everword_scoped USING (((EXISTS ( SELECT
   FROM everword.facts f
  WHERE ((f.namespace_id = fact_evidence.namespace_id) AND (f.id = fact_evidence.fact_id)))) AND ((conversation_id IS NULL) OR (EXISTS ( SELECT
   FROM everword.conversations c
  WHERE ((c.namespace_id = fact_evidence.namespace_id) AND (c.id = fact_evidence.conversation_id)))))));

CREATE POLICY scope ON everword.fact_intervals AS RESTRICTIVE TO everword_scoped USING ((EXISTS ( SELECT
   FROM everword.facts o
  WHERE ((o.namespace_id = fact_intervals.namespace_id) AND (o.id = fact_intervals.fact_id)))));

CREATE POLICY scope ON everword.facts AS RESTRICTIVE TO everword_scoped USING (everword.in_scope(agent, subject));

CREATE POLICY scope ON everword.graph_edges AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.graph_names AS RESTRICTIVE TO everword_scoped USING (everword.in_scope(agent, subject));

CREATE POLICY scope ON everword.graph_node_versions AS RESTRICTIVE TO everword_scoped USING ((EXISTS ( SELECT
   FROM everword.graph_nodes o
  WHERE ((o.namespace_id = graph_node_versions.namespace_id) AND (o.id = graph_node_versions.node_id)))));

CREATE POLICY scope ON everword.graph_nodes AS RESTRICTIVE TO everword_scoped USING (everword.in_scope(agent, subject));

CREATE POLICY scope ON everword.learned_changes AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.learned_evidence AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.lore_books AS RESTRICTIVE TO everword_scoped USING (everword.in_scope(agent, subject));

CREATE POLICY scope ON everword.lore_entries AS RESTRICTIVE TO everword_scoped USING ((EXISTS ( SELECT
   FROM everword.lore_books o
  WHERE ((o.namespace_id = lore_entries.namespace_id) AND (o.id = lore_entries.book_id)))));

CREATE POLICY scope ON everword.memories AS RESTRICTIVE TO everword_scoped USING (everword.in_scope(agent, subject));

CREATE POLICY scope ON everword.memory_changes AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.memory_vectors_1 AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.messages AS RESTRICTIVE TO everword_scoped USING ((EXISTS ( SELECT
   FROM everword.conversations o
  WHERE ((o.namespace_id = messages.namespace_id) AND (o.id = messages.conversation_id)))));

CREATE POLICY scope ON everword.namespace_imports AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.note_versions AS RESTRICTIVE TO everword_scoped USING ((EXISTS ( SELECT
   FROM everword.notes o
  WHERE ((o.namespace_id = note_versions.namespace_id) AND (o.id = note_versions.note_id)))));

CREATE POLICY scope ON everword.notes AS RESTRICTIVE TO everword_scoped USING (everword.in_scope(agent, subject));

CREATE POLICY scope ON everword.pattern_decisions AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.pattern_outcomes AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.pattern_thresholds AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.patterns AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.people AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.retention_policies AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.retention_runs AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.session_observations AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.sleep_nights AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.sleep_sessions AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.strategies AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.strategy_offers AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.summaries AS RESTRICTIVE TO everword_scoped USING (everword.in_scope(agent, subject));

CREATE POLICY scope ON everword.summary_sources AS RESTRICTIVE TO everword_scoped USING ((EXISTS ( SELECT
   FROM everword.summaries o
  WHERE ((o.namespace_id = summary_sources.namespace_id) AND (o.id = summary_sources.summary_id)))));

CREATE POLICY scope ON everword.summary_voices AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.themes AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.tool_sentences AS RESTRICTIVE TO everword_scoped USING ((EXISTS ( SELECT
   FROM everword.messages o
  WHERE ((o.namespace_id = tool_sentences.namespace_id) AND (o.id = tool_sentences.message_id)))));

CREATE POLICY scope ON everword.topic_changes AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.topic_pages AS RESTRICTIVE TO everword_scoped USING (everword.in_scope(agent, subject));

CREATE POLICY scope ON everword.topic_sources AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.trajectories AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.usage_ledger AS RESTRICTIVE TO everword_scoped USING (false);

CREATE POLICY scope ON everword.user_models AS RESTRICTIVE TO everword_scoped USING (false);

ALTER TABLE everword.session_observations ENABLE ROW LEVEL SECURITY;

CREATE POLICY shown ON everword.conversations AS RESTRICTIVE USING ((erasure_id IS NULL));

CREATE POLICY shown ON everword.messages AS RESTRICTIVE FOR SELECT USING ((( SELECT (COALESCE(current_setting('everword.hides'::text, true), ''::text) = ANY (ARRAY[''::text, '0'::text]))) OR (NOT everword.hidden_message(namespace_id, conversation_id, author, recorded_at))));

CREATE POLICY shown ON everword.summaries AS RESTRICTIVE FOR SELECT USING (((conversation_id IS NULL) OR ( SELECT (COALESCE(current_setting('everword.hides'::text, true), ''::text) = ANY (ARRAY[''::text, '0'::text]))) OR (NOT everword.hidden_conversation(namespace_id, conversation_id))));

ALTER TABLE everword.sleep_nights ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.sleep_sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.strategies ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.strategy_offers ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.summaries ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.summary_sources ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.summary_voices ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.themes ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.tool_sentences ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.topic_changes ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.topic_pages ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.topic_sources ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.trajectories ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.usage_ledger ENABLE ROW LEVEL SECURITY;

ALTER TABLE everword.user_models ENABLE ROW LEVEL SECURITY;

CREATE POLICY written ON everword.summaries AS RESTRICTIVE FOR SELECT TO everword_ingest, everword_search USING ((NOT hidden));

GRANT USAGE ON SCHEMA everword TO everword_ingest;
GRANT USAGE ON SCHEMA everword TO everword_search;
GRANT USAGE ON SCHEMA everword TO everword_compactor;
GRANT USAGE ON SCHEMA everword TO everword_embedder;

GRANT USAGE ON SCHEMA everword_scoped TO everword_scoped;

REVOKE ALL ON FUNCTION everword.add_budget_events(reached jsonb, batch uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.add_budget_events(reached jsonb, batch uuid) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.agent_of(conversation uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.agent_of(conversation uuid) TO everword_ingest;
GRANT ALL ON FUNCTION everword.agent_of(conversation uuid) TO everword_search;
GRANT ALL ON FUNCTION everword.agent_of(conversation uuid) TO everword_compactor;
GRANT ALL ON FUNCTION everword.agent_of(conversation uuid) TO everword_embedder;

REVOKE ALL ON FUNCTION everword.api_keys_exist() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.api_keys_exist() TO everword_ingest;
GRANT ALL ON FUNCTION everword.api_keys_exist() TO everword_search;
GRANT ALL ON FUNCTION everword.api_keys_exist() TO everword_compactor;
GRANT ALL ON FUNCTION everword.api_keys_exist() TO everword_embedder;

REVOKE ALL ON FUNCTION everword.authenticate_any_key(hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.authenticate_any_key(hash bytea) TO everword_ingest;
GRANT ALL ON FUNCTION everword.authenticate_any_key(hash bytea) TO everword_search;
GRANT ALL ON FUNCTION everword.authenticate_any_key(hash bytea) TO everword_compactor;
GRANT ALL ON FUNCTION everword.authenticate_any_key(hash bytea) TO everword_embedder;

REVOKE ALL ON FUNCTION everword.authenticate_key(hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.authenticate_key(hash bytea) TO everword_ingest;
GRANT ALL ON FUNCTION everword.authenticate_key(hash bytea) TO everword_search;
GRANT ALL ON FUNCTION everword.authenticate_key(hash bytea) TO everword_compactor;
GRANT ALL ON FUNCTION everword.authenticate_key(hash bytea) TO everword_embedder;

REVOKE ALL ON FUNCTION everword.authenticate_unscoped_key(hash bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.backfill_generation(generation bigint, batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.backfill_generation(generation bigint, batch integer) TO everword_embedder;

REVOKE ALL ON FUNCTION everword.begin_erasure(erasure_id uuid, of_kind smallint, id_ uuid, name_ text, asked_by text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.begin_erasure(erasure_id uuid, of_kind smallint, id_ uuid, name_ text, asked_by text) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.begin_namespace_deletion(name_ text, key_id uuid, asked_by text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.begin_namespace_deletion(name_ text, key_id uuid, asked_by text) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.budget_is_reached(cost numeric, tokens bigint, max_cost numeric, max_tokens bigint, percent integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.budget_is_reached(cost numeric, tokens bigint, max_cost numeric, max_tokens bigint, percent integer) TO everword_ingest;
GRANT ALL ON FUNCTION everword.budget_is_reached(cost numeric, tokens bigint, max_cost numeric, max_tokens bigint, percent integer) TO everword_search;
GRANT ALL ON FUNCTION everword.budget_is_reached(cost numeric, tokens bigint, max_cost numeric, max_tokens bigint, percent integer) TO everword_compactor;
GRANT ALL ON FUNCTION everword.budget_is_reached(cost numeric, tokens bigint, max_cost numeric, max_tokens bigint, percent integer) TO everword_embedder;

REVOKE ALL ON FUNCTION everword.changed_topics(batch integer, parked interval) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.changed_topics(batch integer, parked interval) TO everword_compactor;

REVOKE ALL ON FUNCTION everword.close_deployment() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.close_deployment() TO everword_ingest;
GRANT ALL ON FUNCTION everword.close_deployment() TO everword_search;
GRANT ALL ON FUNCTION everword.close_deployment() TO everword_compactor;
GRANT ALL ON FUNCTION everword.close_deployment() TO everword_embedder;

REVOKE ALL ON FUNCTION everword.close_deployment_with_key() FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.close_derived_passages(sources uuid[], until timestamp with time zone, disbelieved timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.close_derived_passages(sources uuid[], until timestamp with time zone, disbelieved timestamp with time zone) TO everword_compactor;
GRANT ALL ON FUNCTION everword.close_derived_passages(sources uuid[], until timestamp with time zone, disbelieved timestamp with time zone) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.count_deleted_rows(target bigint, relation text, erased bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.count_erased(erasure_id uuid, did jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.count_namespace_rows(target bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.count_namespace_rows(target bigint) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.count_passages(sources uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.count_rows(of_target text, ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.create_partitions(parent text) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.create_vector_table(generation bigint, indexed boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.document_exists(id_ uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.document_exists(id_ uuid) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.drop_derived_passages(sources uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.drop_derived_passages(sources uuid[]) TO everword_compactor;
GRANT ALL ON FUNCTION everword.drop_derived_passages(sources uuid[]) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.drop_vector_table(generation bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.erase_batch(erasure_id uuid, batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.erase_batch(erasure_id uuid, batch integer) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.erase_facts(ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.erase_memories(of_target text, gone uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.erase_messages(gone uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.erase_namespace_rows(target bigint, batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.erase_namespace_rows(target bigint, batch integer) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.erase_rows(of_target text, ids uuid[], names text[], spared text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.erasing_namespace() FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.export_rows(record_ text, after_ jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.export_rows(record_ text, after_ jsonb) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.fact_nodes(facts uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.fence_jobs(conversations uuid[], pause interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.find_erased_ids(channel_ text, agent_ text, session_key_ text, external_ids text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.find_erased_ids(channel_ text, agent_ text, session_key_ text, external_ids text[]) TO everword_ingest;

GRANT SELECT,INSERT ON TABLE everword.erasures TO everword_ingest;

GRANT UPDATE(attempts) ON TABLE everword.erasures TO everword_ingest;

GRANT UPDATE(error) ON TABLE everword.erasures TO everword_ingest;

GRANT UPDATE(updated_at) ON TABLE everword.erasures TO everword_ingest;

REVOKE ALL ON FUNCTION everword.finish_erasure(erasure everword.erasures) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.finish_namespace_deletion(target bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.forget_author_names(names text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.forget_author_names(names text[]) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.forget_errors(conversations uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.forget_requests(gone uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.forget_sessions(conversations uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.forget_topic_sources(sources uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.forget_topic_sources(sources uuid[]) TO everword_ingest;
GRANT ALL ON FUNCTION everword.forget_topic_sources(sources uuid[]) TO everword_compactor;

GRANT ALL ON FUNCTION everword.has_pgvector() TO everword_search;

REVOKE ALL ON FUNCTION everword.hidden_conversation(namespace bigint, conversation uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.hidden_conversation(namespace bigint, conversation uuid) TO everword_ingest;
GRANT ALL ON FUNCTION everword.hidden_conversation(namespace bigint, conversation uuid) TO everword_search;
GRANT ALL ON FUNCTION everword.hidden_conversation(namespace bigint, conversation uuid) TO everword_compactor;
GRANT ALL ON FUNCTION everword.hidden_conversation(namespace bigint, conversation uuid) TO everword_embedder;

REVOKE ALL ON FUNCTION everword.hidden_message(namespace bigint, conversation uuid, speaker text, recorded timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.hidden_message(namespace bigint, conversation uuid, speaker text, recorded timestamp with time zone) TO everword_ingest;
GRANT ALL ON FUNCTION everword.hidden_message(namespace bigint, conversation uuid, speaker text, recorded timestamp with time zone) TO everword_search;
GRANT ALL ON FUNCTION everword.hidden_message(namespace bigint, conversation uuid, speaker text, recorded timestamp with time zone) TO everword_compactor;
GRANT ALL ON FUNCTION everword.hidden_message(namespace bigint, conversation uuid, speaker text, recorded timestamp with time zone) TO everword_embedder;

REVOKE ALL ON FUNCTION everword.hidden_passage(namespace bigint, conversation uuid, speaker text, passage bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.hidden_passage(namespace bigint, conversation uuid, speaker text, passage bigint) TO everword_ingest;
GRANT ALL ON FUNCTION everword.hidden_passage(namespace bigint, conversation uuid, speaker text, passage bigint) TO everword_search;
GRANT ALL ON FUNCTION everword.hidden_passage(namespace bigint, conversation uuid, speaker text, passage bigint) TO everword_compactor;
GRANT ALL ON FUNCTION everword.hidden_passage(namespace bigint, conversation uuid, speaker text, passage bigint) TO everword_embedder;

REVOKE ALL ON FUNCTION everword.hold_source() FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.idle_retention() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.idle_retention() TO everword_ingest;

REVOKE ALL ON FUNCTION everword.import_rows(record_ text, rows_ jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.import_rows(record_ text, rows_ jsonb) TO everword_ingest;

GRANT ALL ON FUNCTION everword.in_scope(agent text, subject text) TO everword_scoped;

REVOKE ALL ON FUNCTION everword.index_vectors(generation bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.install_pgvector() FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.isolate_table(isolated text) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.log_index_change(removed bigint[], closed bigint[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.log_memory_changes() FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.may_have_read(job_subject text, conversations uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.merge_erased(one jsonb, other jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.merged_node(node_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.month_of(moment timestamp with time zone, time_zone text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.month_of(moment timestamp with time zone, time_zone text) TO everword_ingest;
GRANT ALL ON FUNCTION everword.month_of(moment timestamp with time zone, time_zone text) TO everword_search;
GRANT ALL ON FUNCTION everword.month_of(moment timestamp with time zone, time_zone text) TO everword_compactor;
GRANT ALL ON FUNCTION everword.month_of(moment timestamp with time zone, time_zone text) TO everword_embedder;

REVOKE ALL ON FUNCTION everword.namespace_name_hash(name_ text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.namespace_name_hash(name_ text) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.newer_erasure() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.newer_erasure() TO everword_ingest;

REVOKE ALL ON FUNCTION everword.nightless_namespaces(batch integer, parked interval) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.nightless_namespaces(batch integer, parked interval) TO everword_compactor;

REVOKE ALL ON FUNCTION everword.outdated_summaries(at_level smallint, current_model text, current_version integer, batch integer, parked_since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.outdated_summaries(at_level smallint, current_model text, current_version integer, batch integer, parked_since timestamp with time zone) TO everword_compactor;

REVOKE ALL ON FUNCTION everword.pending_periods(batch integer, quiet interval, longest interval) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.pending_periods(batch integer, quiet interval, longest interval) TO everword_compactor;

REVOKE ALL ON FUNCTION everword.preview_erasure(of_kind smallint, id_ uuid, name_ text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.preview_erasure(of_kind smallint, id_ uuid, name_ text) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.price_usage(of_model text, of_provider text, called_at timestamp with time zone, input_tokens bigint, cached_tokens bigint, output_tokens bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.prune_append_requests(keep interval, batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.prune_append_requests(keep interval, batch integer) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.prune_usage(keep interval, batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.prune_usage(keep interval, batch integer) TO everword_compactor;

REVOKE ALL ON FUNCTION everword.record_namespace_deletion(target bigint, key_id uuid, asked_by text) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.record_usage(records jsonb, batch uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.record_usage(records jsonb, batch uuid) TO everword_ingest;
GRANT ALL ON FUNCTION everword.record_usage(records jsonb, batch uuid) TO everword_search;
GRANT ALL ON FUNCTION everword.record_usage(records jsonb, batch uuid) TO everword_compactor;
GRANT ALL ON FUNCTION everword.record_usage(records jsonb, batch uuid) TO everword_embedder;

REVOKE ALL ON FUNCTION everword.remove_loose_nodes(nodes uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.remove_messages(gone uuid[], learned_stays boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.remove_passages(sources uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.retire(of_kind smallint, gone uuid[], keep_quotes boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.retire(of_kind smallint, gone uuid[], keep_quotes boolean) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.retire_conversations(ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.running_erasures(batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.running_erasures(batch integer) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.running_retention(batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.running_retention(batch integer) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.salted_hash(VARIADIC parts text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.scope_table(scoped text, condition text) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.spend_grant(hash bytea, spends boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.spend_grant(hash bytea, spends boolean) TO everword_ingest;
GRANT ALL ON FUNCTION everword.spend_grant(hash bytea, spends boolean) TO everword_search;
GRANT ALL ON FUNCTION everword.spend_grant(hash bytea, spends boolean) TO everword_compactor;
GRANT ALL ON FUNCTION everword.spend_grant(hash bytea, spends boolean) TO everword_embedder;

REVOKE ALL ON FUNCTION everword.target_messages(erasure everword.erasures) FROM PUBLIC;

GRANT SELECT ON TABLE everword.transfer_rules TO everword_ingest;

REVOKE ALL ON FUNCTION everword.transferred_columns(rule everword.transfer_rules) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.transferred_columns(rule everword.transfer_rules) TO everword_ingest;

REVOKE ALL ON FUNCTION everword.upgrade_vector_tables() FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.with_merged_nodes(ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.withdraw_derived(gone uuid[], axes smallint[], learned_stays boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.withdraw_facts(gone uuid[], since timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.withdraw_learned(gone uuid[], subjects text[], since timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.withdraw_nodes(direct uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.withdraw_pages(sources uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.withdraw_summaries(gone uuid[], axes smallint[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.withdraw_target(erasure everword.erasures, OUT did jsonb, OUT message_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION everword.withdraw_themes(since timestamp with time zone) FROM PUBLIC;

GRANT INSERT,DELETE ON TABLE everword.advisor_grants TO everword_ingest;

GRANT SELECT(namespace_id) ON TABLE everword.advisor_grants TO everword_ingest;

GRANT SELECT(id) ON TABLE everword.advisor_grants TO everword_ingest;

GRANT SELECT(repo) ON TABLE everword.advisor_grants TO everword_ingest;

GRANT SELECT(issue) ON TABLE everword.advisor_grants TO everword_ingest;

GRANT SELECT(max_calls) ON TABLE everword.advisor_grants TO everword_ingest;

GRANT SELECT(used_calls) ON TABLE everword.advisor_grants TO everword_ingest;

GRANT SELECT(expires_at) ON TABLE everword.advisor_grants TO everword_ingest;

GRANT SELECT(created_at) ON TABLE everword.advisor_grants TO everword_ingest;

GRANT INSERT ON TABLE everword.api_keys TO everword_ingest;

GRANT SELECT(id) ON TABLE everword.api_keys TO everword_ingest;

GRANT SELECT(namespace_id) ON TABLE everword.api_keys TO everword_ingest;

GRANT SELECT(role) ON TABLE everword.api_keys TO everword_ingest;

GRANT SELECT(description) ON TABLE everword.api_keys TO everword_ingest;

GRANT SELECT(created_at) ON TABLE everword.api_keys TO everword_ingest;

GRANT SELECT(revoked_at),UPDATE(revoked_at) ON TABLE everword.api_keys TO everword_ingest;

GRANT SELECT(expires_at),UPDATE(expires_at) ON TABLE everword.api_keys TO everword_ingest;

GRANT SELECT(last_used_at) ON TABLE everword.api_keys TO everword_ingest;

GRANT SELECT(agent),INSERT(agent) ON TABLE everword.api_keys TO everword_ingest;

GRANT SELECT(subject),INSERT(subject) ON TABLE everword.api_keys TO everword_ingest;

GRANT SELECT,INSERT ON TABLE everword.append_requests TO everword_ingest;

GRANT UPDATE(message_ids) ON TABLE everword.append_requests TO everword_ingest;

GRANT INSERT ON TABLE everword.author_names TO everword_ingest;
GRANT SELECT ON TABLE everword.author_names TO everword_search;
GRANT INSERT ON TABLE everword.author_names TO everword_compactor;

GRANT SELECT ON TABLE everword.budget_events TO everword_ingest;

GRANT SELECT,INSERT,DELETE ON TABLE everword.budget_spending TO everword_ingest;
GRANT SELECT ON TABLE everword.budget_spending TO everword_search;
GRANT SELECT ON TABLE everword.budget_spending TO everword_compactor;
GRANT SELECT ON TABLE everword.budget_spending TO everword_embedder;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.budgets TO everword_ingest;
GRANT SELECT ON TABLE everword.budgets TO everword_search;
GRANT SELECT ON TABLE everword.budgets TO everword_compactor;
GRANT SELECT ON TABLE everword.budgets TO everword_embedder;

GRANT INSERT ON TABLE everword.calendar_pending TO everword_ingest;
GRANT SELECT,INSERT,DELETE ON TABLE everword.calendar_pending TO everword_compactor;
GRANT SELECT ON TABLE everword.calendar_pending TO everword_search;

GRANT SELECT ON TABLE everword.calibrations TO everword_search;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.checkpoint_counters TO everword_ingest;

GRANT SELECT,INSERT,DELETE ON TABLE everword.checkpoints TO everword_ingest;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.compaction_progress TO everword_compactor;
GRANT SELECT ON TABLE everword.compaction_progress TO everword_ingest;
GRANT SELECT ON TABLE everword.compaction_progress TO everword_search;

GRANT INSERT(namespace_id) ON TABLE everword.compaction_progress TO everword_ingest;

GRANT INSERT(conversation_id) ON TABLE everword.compaction_progress TO everword_ingest;

GRANT INSERT(sleep_wanted_seq),UPDATE(sleep_wanted_seq) ON TABLE everword.compaction_progress TO everword_ingest;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.conversations TO everword_ingest;
GRANT SELECT ON TABLE everword.conversations TO everword_search;
GRANT SELECT ON TABLE everword.conversations TO everword_compactor;

GRANT SELECT ON TABLE everword.corpus_counts TO everword_search;
GRANT SELECT,INSERT ON TABLE everword.corpus_counts TO everword_compactor;
GRANT SELECT ON TABLE everword.corpus_counts TO everword_embedder;
GRANT SELECT,INSERT,DELETE ON TABLE everword.corpus_counts TO everword_ingest;

GRANT UPDATE(id) ON TABLE everword.corpus_counts TO everword_ingest;

GRANT SELECT ON TABLE everword.deployment TO everword_ingest;
GRANT SELECT ON TABLE everword.deployment TO everword_search;
GRANT SELECT ON TABLE everword.deployment TO everword_compactor;
GRANT SELECT ON TABLE everword.deployment TO everword_embedder;

GRANT SELECT,INSERT,DELETE ON TABLE everword.document_chunks TO everword_ingest;
GRANT SELECT ON TABLE everword.document_chunks TO everword_search;

GRANT SELECT,INSERT ON TABLE everword.document_versions TO everword_ingest;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.documents TO everword_ingest;
GRANT SELECT ON TABLE everword.documents TO everword_search;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.embedding_pauses TO everword_embedder;
GRANT SELECT,DELETE ON TABLE everword.embedding_pauses TO everword_ingest;

GRANT SELECT,INSERT ON TABLE everword.embedding_queue TO everword_ingest;
GRANT SELECT ON TABLE everword.embedding_queue TO everword_search;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.embedding_queue TO everword_compactor;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.embedding_queue TO everword_embedder;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.events TO everword_compactor;
GRANT SELECT ON TABLE everword.events TO everword_ingest;
GRANT SELECT ON TABLE everword.events TO everword_search;

GRANT UPDATE(title) ON TABLE everword.events TO everword_ingest;

GRANT UPDATE(starts_at) ON TABLE everword.events TO everword_ingest;

GRANT UPDATE(ends_at) ON TABLE everword.events TO everword_ingest;

GRANT UPDATE(importance) ON TABLE everword.events TO everword_ingest;

GRANT UPDATE(decay_days) ON TABLE everword.events TO everword_ingest;

GRANT UPDATE(expires_at) ON TABLE everword.events TO everword_ingest;

GRANT UPDATE(status) ON TABLE everword.events TO everword_ingest;

GRANT UPDATE(mention_count) ON TABLE everword.events TO everword_ingest;

GRANT UPDATE(first_seen_at) ON TABLE everword.events TO everword_ingest;

GRANT UPDATE(last_seen_at) ON TABLE everword.events TO everword_ingest;

GRANT UPDATE(ruling) ON TABLE everword.events TO everword_ingest;

GRANT UPDATE(ruled_at) ON TABLE everword.events TO everword_ingest;

GRANT SELECT,INSERT ON TABLE everword.fact_changes TO everword_ingest;
GRANT SELECT,INSERT ON TABLE everword.fact_changes TO everword_compactor;
GRANT SELECT ON TABLE everword.fact_changes TO everword_search;

GRANT SELECT,INSERT ON TABLE everword.fact_disputes TO everword_compactor;
GRANT SELECT,INSERT ON TABLE everword.fact_disputes TO everword_ingest;
GRANT SELECT ON TABLE everword.fact_disputes TO everword_search;

GRANT UPDATE(settled_at) ON TABLE everword.fact_disputes TO everword_compactor;
GRANT UPDATE(settled_at) ON TABLE everword.fact_disputes TO everword_ingest;

GRANT UPDATE(outcome) ON TABLE everword.fact_disputes TO everword_compactor;
GRANT UPDATE(outcome) ON TABLE everword.fact_disputes TO everword_ingest;

GRANT UPDATE(decided_by) ON TABLE everword.fact_disputes TO everword_compactor;
GRANT UPDATE(decided_by) ON TABLE everword.fact_disputes TO everword_ingest;

GRANT UPDATE(reason) ON TABLE everword.fact_disputes TO everword_compactor;
GRANT UPDATE(reason) ON TABLE everword.fact_disputes TO everword_ingest;

GRANT SELECT,INSERT ON TABLE everword.fact_edges TO everword_compactor;
GRANT SELECT ON TABLE everword.fact_edges TO everword_ingest;
GRANT SELECT ON TABLE everword.fact_edges TO everword_search;

GRANT UPDATE(confidence) ON TABLE everword.fact_edges TO everword_compactor;

GRANT UPDATE(reason) ON TABLE everword.fact_edges TO everword_compactor;

GRANT UPDATE(valid_until) ON TABLE everword.fact_edges TO everword_compactor;
GRANT UPDATE(valid_until) ON TABLE everword.fact_edges TO everword_ingest;

GRANT UPDATE(known_until) ON TABLE everword.fact_edges TO everword_compactor;
GRANT UPDATE(known_until) ON TABLE everword.fact_edges TO everword_ingest;

GRANT SELECT,INSERT ON TABLE everword.fact_evidence TO everword_ingest;
GRANT SELECT,INSERT ON TABLE everword.fact_evidence TO everword_compactor;
GRANT SELECT ON TABLE everword.fact_evidence TO everword_search;

GRANT SELECT,INSERT ON TABLE everword.fact_intervals TO everword_ingest;
GRANT SELECT,INSERT ON TABLE everword.fact_intervals TO everword_compactor;
GRANT SELECT ON TABLE everword.fact_intervals TO everword_search;

GRANT UPDATE(known_until) ON TABLE everword.fact_intervals TO everword_ingest;
GRANT UPDATE(known_until) ON TABLE everword.fact_intervals TO everword_compactor;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.facts TO everword_ingest;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.facts TO everword_compactor;
GRANT SELECT ON TABLE everword.facts TO everword_search;

GRANT SELECT,INSERT ON TABLE everword.graph_edges TO everword_ingest;
GRANT SELECT,INSERT ON TABLE everword.graph_edges TO everword_compactor;
GRANT SELECT ON TABLE everword.graph_edges TO everword_search;

GRANT UPDATE(known_until) ON TABLE everword.graph_edges TO everword_ingest;
GRANT UPDATE(known_until) ON TABLE everword.graph_edges TO everword_compactor;

GRANT UPDATE(ended_by) ON TABLE everword.graph_edges TO everword_ingest;
GRANT UPDATE(ended_by) ON TABLE everword.graph_edges TO everword_compactor;

GRANT UPDATE(end_reason) ON TABLE everword.graph_edges TO everword_ingest;
GRANT UPDATE(end_reason) ON TABLE everword.graph_edges TO everword_compactor;

GRANT SELECT,INSERT ON TABLE everword.graph_names TO everword_ingest;
GRANT SELECT ON TABLE everword.graph_names TO everword_search;
GRANT SELECT,INSERT ON TABLE everword.graph_names TO everword_compactor;

GRANT UPDATE(node_id) ON TABLE everword.graph_names TO everword_ingest;

GRANT SELECT,INSERT ON TABLE everword.graph_node_versions TO everword_ingest;
GRANT SELECT ON TABLE everword.graph_node_versions TO everword_search;
GRANT SELECT,INSERT ON TABLE everword.graph_node_versions TO everword_compactor;

GRANT UPDATE(known_until) ON TABLE everword.graph_node_versions TO everword_ingest;
GRANT UPDATE(known_until) ON TABLE everword.graph_node_versions TO everword_compactor;

GRANT UPDATE(ended_by) ON TABLE everword.graph_node_versions TO everword_ingest;
GRANT UPDATE(ended_by) ON TABLE everword.graph_node_versions TO everword_compactor;

GRANT UPDATE(end_reason) ON TABLE everword.graph_node_versions TO everword_ingest;
GRANT UPDATE(end_reason) ON TABLE everword.graph_node_versions TO everword_compactor;

GRANT SELECT,INSERT ON TABLE everword.graph_nodes TO everword_ingest;
GRANT SELECT ON TABLE everword.graph_nodes TO everword_search;
GRANT SELECT,INSERT ON TABLE everword.graph_nodes TO everword_compactor;

GRANT UPDATE(merged_into) ON TABLE everword.graph_nodes TO everword_ingest;

GRANT UPDATE(last_seen_at) ON TABLE everword.graph_nodes TO everword_ingest;
GRANT UPDATE(last_seen_at) ON TABLE everword.graph_nodes TO everword_compactor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.importance_suggestions TO everword_compactor;
GRANT SELECT ON TABLE everword.importance_suggestions TO everword_search;

GRANT SELECT ON TABLE everword.index_changes TO everword_search;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.jobs TO everword_ingest;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.jobs TO everword_compactor;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.jobs TO everword_embedder;
GRANT SELECT ON TABLE everword.jobs TO everword_search;

GRANT SELECT,INSERT ON TABLE everword.learned_changes TO everword_compactor;
GRANT SELECT,INSERT ON TABLE everword.learned_changes TO everword_ingest;
GRANT SELECT ON TABLE everword.learned_changes TO everword_search;

GRANT SELECT,INSERT ON TABLE everword.learned_evidence TO everword_compactor;
GRANT SELECT ON TABLE everword.learned_evidence TO everword_ingest;
GRANT SELECT ON TABLE everword.learned_evidence TO everword_search;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.lore_books TO everword_ingest;
GRANT SELECT ON TABLE everword.lore_books TO everword_search;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.lore_entries TO everword_ingest;
GRANT SELECT ON TABLE everword.lore_entries TO everword_search;

GRANT USAGE ON SEQUENCE everword.memory_ids TO everword_ingest;
GRANT USAGE ON SEQUENCE everword.memory_ids TO everword_compactor;

GRANT INSERT ON TABLE everword.memories TO everword_ingest;
GRANT INSERT ON TABLE everword.memories TO everword_compactor;

GRANT SELECT(namespace_id) ON TABLE everword.memories TO everword_ingest;

GRANT SELECT(id) ON TABLE everword.memories TO everword_ingest;
GRANT SELECT(id) ON TABLE everword.memories TO everword_compactor;

GRANT SELECT(source_id) ON TABLE everword.memories TO everword_ingest;

GRANT SELECT(part) ON TABLE everword.memories TO everword_ingest;

GRANT UPDATE(importance_class) ON TABLE everword.memories TO everword_ingest;

GRANT SELECT(content) ON TABLE everword.memories TO everword_ingest;
GRANT SELECT(content) ON TABLE everword.memories TO everword_compactor;

GRANT SELECT(lexeme_count) ON TABLE everword.memories TO everword_ingest;
GRANT SELECT(lexeme_count) ON TABLE everword.memories TO everword_compactor;

GRANT SELECT ON TABLE everword.memory_changes TO everword_search;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.memory_classes TO everword_ingest;
GRANT SELECT ON TABLE everword.memory_classes TO everword_search;
GRANT SELECT ON TABLE everword.memory_classes TO everword_compactor;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.memory_use TO everword_ingest;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.memory_use TO everword_search;

GRANT INSERT ON TABLE everword.memory_vectors_1 TO everword_embedder;

GRANT SELECT(namespace_id) ON TABLE everword.memory_vectors_1 TO everword_embedder;

GRANT SELECT(memory_id) ON TABLE everword.memory_vectors_1 TO everword_embedder;

GRANT SELECT(embedding),UPDATE(embedding) ON TABLE everword.memory_vectors_1 TO everword_embedder;

GRANT SELECT,INSERT ON TABLE everword.messages TO everword_ingest;
GRANT SELECT ON TABLE everword.messages TO everword_search;
GRANT SELECT ON TABLE everword.messages TO everword_compactor;

GRANT SELECT ON TABLE everword.model_generations TO everword_ingest;
GRANT SELECT ON TABLE everword.model_generations TO everword_search;
GRANT SELECT ON TABLE everword.model_generations TO everword_compactor;
GRANT SELECT ON TABLE everword.model_generations TO everword_embedder;

GRANT UPDATE(background_mean) ON TABLE everword.model_generations TO everword_embedder;

GRANT UPDATE(background_deviation) ON TABLE everword.model_generations TO everword_embedder;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.model_prices TO everword_ingest;
GRANT SELECT ON TABLE everword.model_prices TO everword_embedder;

GRANT SELECT ON TABLE everword.namespace_deletions TO everword_ingest;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.namespace_imports TO everword_ingest;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.namespace_usage TO everword_ingest;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.namespace_usage TO everword_search;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.namespace_usage TO everword_compactor;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.namespaces TO everword_ingest;
GRANT SELECT ON TABLE everword.namespaces TO everword_search;
GRANT SELECT ON TABLE everword.namespaces TO everword_compactor;
GRANT SELECT ON TABLE everword.namespaces TO everword_embedder;

GRANT SELECT,INSERT ON TABLE everword.note_versions TO everword_ingest;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.notes TO everword_ingest;
GRANT SELECT ON TABLE everword.notes TO everword_search;

GRANT SELECT,INSERT ON TABLE everword.pattern_decisions TO everword_ingest;

GRANT SELECT,INSERT ON TABLE everword.pattern_outcomes TO everword_ingest;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.pattern_thresholds TO everword_ingest;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.patterns TO everword_ingest;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.people TO everword_compactor;
GRANT SELECT ON TABLE everword.people TO everword_ingest;
GRANT SELECT ON TABLE everword.people TO everword_search;

GRANT UPDATE(name) ON TABLE everword.people TO everword_ingest;

GRANT UPDATE(aliases) ON TABLE everword.people TO everword_ingest;

GRANT UPDATE(relation) ON TABLE everword.people TO everword_ingest;

GRANT UPDATE(status) ON TABLE everword.people TO everword_ingest;

GRANT UPDATE(mention_count) ON TABLE everword.people TO everword_ingest;

GRANT UPDATE(first_seen_at) ON TABLE everword.people TO everword_ingest;

GRANT UPDATE(last_seen_at) ON TABLE everword.people TO everword_ingest;

GRANT UPDATE(ruling) ON TABLE everword.people TO everword_ingest;

GRANT UPDATE(ruled_at) ON TABLE everword.people TO everword_ingest;

GRANT SELECT ON TABLE everword.retained_document_versions TO everword_ingest;

GRANT SELECT ON TABLE everword.retained_facts TO everword_ingest;

GRANT SELECT ON TABLE everword.retained_history TO everword_ingest;

GRANT SELECT ON TABLE everword.retained_messages TO everword_ingest;

GRANT SELECT ON TABLE everword.retained_note_versions TO everword_ingest;

GRANT SELECT ON TABLE everword.retained_notes TO everword_ingest;

GRANT SELECT ON TABLE everword.retained_patterns TO everword_ingest;

GRANT SELECT ON TABLE everword.retained TO everword_ingest;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.retention_policies TO everword_ingest;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.retention_runs TO everword_ingest;

GRANT SELECT ON TABLE everword.schema_migrations TO everword_ingest;
GRANT SELECT ON TABLE everword.schema_migrations TO everword_search;
GRANT SELECT ON TABLE everword.schema_migrations TO everword_compactor;
GRANT SELECT ON TABLE everword.schema_migrations TO everword_embedder;

GRANT SELECT,INSERT ON TABLE everword.session_observations TO everword_compactor;
GRANT SELECT ON TABLE everword.session_observations TO everword_search;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.sleep_nights TO everword_compactor;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.sleep_sessions TO everword_compactor;
GRANT SELECT ON TABLE everword.sleep_sessions TO everword_search;

GRANT SELECT,INSERT ON TABLE everword.strategies TO everword_compactor;
GRANT SELECT ON TABLE everword.strategies TO everword_ingest;
GRANT SELECT ON TABLE everword.strategies TO everword_search;

GRANT UPDATE(state) ON TABLE everword.strategies TO everword_compactor;
GRANT UPDATE(state) ON TABLE everword.strategies TO everword_ingest;

GRANT UPDATE(ended_at) ON TABLE everword.strategies TO everword_compactor;
GRANT UPDATE(ended_at) ON TABLE everword.strategies TO everword_ingest;

GRANT SELECT ON TABLE everword.strategy_offers TO everword_compactor;
GRANT SELECT ON TABLE everword.strategy_offers TO everword_ingest;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.strategy_offers TO everword_search;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.summaries TO everword_compactor;
GRANT SELECT ON TABLE everword.summaries TO everword_search;
GRANT SELECT,INSERT ON TABLE everword.summaries TO everword_ingest;

GRANT SELECT,INSERT,DELETE ON TABLE everword.summary_sources TO everword_compactor;
GRANT SELECT ON TABLE everword.summary_sources TO everword_search;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.summary_voices TO everword_compactor;

GRANT SELECT,INSERT,DELETE ON TABLE everword.themes TO everword_compactor;
GRANT SELECT ON TABLE everword.themes TO everword_search;

GRANT INSERT ON TABLE everword.tool_sentence_queue TO everword_ingest;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.tool_sentence_queue TO everword_compactor;
GRANT SELECT ON TABLE everword.tool_sentence_queue TO everword_search;

GRANT SELECT,INSERT,UPDATE ON TABLE everword.tool_sentences TO everword_compactor;
GRANT SELECT ON TABLE everword.tool_sentences TO everword_search;

GRANT INSERT ON TABLE everword.topic_changes TO everword_ingest;
GRANT SELECT,INSERT,DELETE ON TABLE everword.topic_changes TO everword_compactor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.topic_pages TO everword_compactor;
GRANT SELECT ON TABLE everword.topic_pages TO everword_search;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.topic_sources TO everword_compactor;
GRANT SELECT ON TABLE everword.topic_sources TO everword_search;

GRANT SELECT,INSERT ON TABLE everword.trajectories TO everword_compactor;
GRANT SELECT ON TABLE everword.trajectories TO everword_search;

GRANT SELECT(namespace_id) ON TABLE everword.trajectories TO everword_ingest;

GRANT SELECT(id) ON TABLE everword.trajectories TO everword_ingest;

GRANT SELECT ON TABLE everword.usage_ledger TO everword_compactor;
GRANT SELECT ON TABLE everword.usage_ledger TO everword_ingest;

GRANT SELECT,INSERT ON TABLE everword.user_models TO everword_compactor;
GRANT SELECT ON TABLE everword.user_models TO everword_search;

GRANT SELECT(namespace_id) ON TABLE everword.user_models TO everword_ingest;

GRANT SELECT(id) ON TABLE everword.user_models TO everword_ingest;

GRANT UPDATE(held_from) ON TABLE everword.user_models TO everword_compactor;

GRANT UPDATE(held_until) ON TABLE everword.user_models TO everword_compactor;

GRANT UPDATE(last_seen_at) ON TABLE everword.user_models TO everword_compactor;

GRANT UPDATE(supporting) ON TABLE everword.user_models TO everword_compactor;

GRANT SELECT,INSERT ON TABLE everword.visible_memories TO everword_ingest;
GRANT SELECT ON TABLE everword.visible_memories TO everword_search;
GRANT SELECT,INSERT ON TABLE everword.visible_memories TO everword_compactor;
GRANT SELECT ON TABLE everword.visible_memories TO everword_embedder;

GRANT UPDATE(importance_class) ON TABLE everword.visible_memories TO everword_ingest;

GRANT SELECT ON TABLE everword.visible_vectors_1 TO everword_search;
GRANT SELECT ON TABLE everword.visible_vectors_1 TO everword_compactor;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.visible_vectors_1 TO everword_embedder;

GRANT SELECT ON TABLE everword_scoped.visible_memories TO everword_search_scoped;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword_scoped.visible_memories TO everword_ingest_scoped;
