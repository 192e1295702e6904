-- Isolation of namespaces from each other, and of scoped calls from the rest of their namespace.

CREATE FUNCTION erasing_namespace() RETURNS bigint
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT nullif(current_setting('everword.namespace_id', true), '')::bigint
$$;
COMMENT ON FUNCTION erasing_namespace IS 'Return the namespace that the transaction is set to, the current namespace.';

CREATE FUNCTION in_scope(agent text, subject text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(nullif(current_setting('everword.agent', true), '') = agent, true)
       AND coalesce(nullif(current_setting('everword.subject', true), '') = subject, true)
       AND concat(current_setting('everword.agent', true), current_setting('everword.subject', true)) <> ''
$$;
COMMENT ON FUNCTION in_scope IS 'Return whether an agent and subject are in the scope of the transaction; false if it has no scope.';

CREATE FUNCTION isolate_table(isolated text, scope text DEFAULT 'false', shown text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    -- The setting is '' and not NULL after the first transaction of a pooled connection.
    own constant text := 'namespace_id = nullif(current_setting(''everword.namespace_id'', true), '''')::bigint';
    scoped constant text := concat_ws(' AND ', own, '(' || scope || ')');
BEGIN
    -- One permissive policy for a role: Citus drops the word RESTRICTIVE, and policies of a role are joined by OR.
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', isolated);
    EXECUTE format('CREATE POLICY isolation ON %I TO everword_ingest, everword_search, everword_compactor, everword_embedder '
                   'USING (%s) WITH CHECK (%s)', isolated, concat_ws(' AND ', own, '(' || shown || ')'), own);
    -- Without a policy, a role sees and adds nothing.
    IF scope IS DISTINCT FROM 'false' THEN
        EXECUTE format('CREATE POLICY scope ON %I TO everword_scoped USING (%s) WITH CHECK (%s)',
                       isolated, concat_ws(' AND ', scoped, '(' || shown || ')'), scoped);
    END IF;
END $$;
COMMENT ON FUNCTION isolate_table IS
    'Show rows of the current namespace that are `shown`; to scoped calls, those that meet `scope` (NULL: all, false: none).';

GRANT EXECUTE ON FUNCTION in_scope TO everword_scoped;

CREATE FUNCTION begin_namespace(namespace bigint, timeout text) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    hiding integer;
BEGIN
    SELECT t.hides INTO hiding FROM tenants t WHERE t.namespace_id = namespace;
    PERFORM set_config('everword.namespace_id', namespace::text, true), set_config('statement_timeout', timeout, true),
            set_config('everword.hides', coalesce(hiding::text, ''), true);
    IF hiding > 0 THEN
        PERFORM set_config('everword.hidden_conversations', hidden_conversations(namespace), true),
                set_config('everword.hidden_authors', hidden_authors(namespace)::text, true);
    END IF;
END $$;
COMMENT ON FUNCTION begin_namespace IS
    'Bind the transaction to a namespace, and set the conversations and authors that are being erased. The settings end with it.';
GRANT EXECUTE ON FUNCTION begin_namespace TO everword_ingest, everword_search, everword_compactor, everword_embedder;

CREATE FUNCTION send_settings() RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    name text;
    value text;
BEGIN
    IF current_setting('citus.shard_count', true) IS NULL THEN
        RETURN; -- there is one server
    END IF;
    -- Citus sends nodes the text of SET LOCAL, which takes no parameters; set_config() changes this node only.
    FOREACH name IN ARRAY ARRAY['everword.namespace_id', 'everword.hides', 'everword.hidden_conversations', 'everword.hidden_authors',
                                'everword.agent', 'everword.subject', 'statement_timeout', 'pg_trgm.word_similarity_threshold',
                                'hnsw.iterative_scan', 'hnsw.ef_search', 'hnsw.max_scan_tuples'] LOOP
        value := current_setting(name, true);
        IF value IS NOT NULL THEN
            EXECUTE format('SET LOCAL %s = %L', name, value);
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION send_settings IS 'Send the settings of the transaction to the nodes, if the database is distributed.';
GRANT EXECUTE ON FUNCTION send_settings TO everword_ingest, everword_search, everword_compactor, everword_embedder;
