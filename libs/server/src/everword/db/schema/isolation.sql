-- Isolation of namespaces from each other, and of scoped calls from the rest of their namespace.

CREATE FUNCTION erasing_namespace() RETURNS bigint
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT nullif(current_setting('everword.namespace_id', true), '')::bigint
$$;
COMMENT ON FUNCTION erasing_namespace IS 'Return the namespace that the transaction is set to, the current namespace.';

CREATE FUNCTION in_scope(agent text, subject text) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT coalesce(nullif(current_setting('everword.agent', true), '') = agent, true)
       AND coalesce(nullif(current_setting('everword.subject', true), '') = subject, true)
       AND concat(current_setting('everword.agent', true), current_setting('everword.subject', true)) <> ''
$$;
COMMENT ON FUNCTION in_scope IS 'Return whether an agent and subject are in the scope of the transaction; false if it has no scope.';

CREATE FUNCTION isolate_table(isolated text, scope text DEFAULT 'false') RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', isolated);
    -- The setting is '' and not NULL after the first transaction of a pooled connection.
    EXECUTE format(
        'CREATE POLICY isolation ON %I USING '
        '(namespace_id = nullif(current_setting(''everword.namespace_id'', true), '''')::bigint)',
        isolated
    );
    IF scope IS NOT NULL THEN
        EXECUTE format('CREATE POLICY scope ON %I AS RESTRICTIVE TO everword_scoped USING (%s)', isolated, scope);
    END IF;
END $$;
COMMENT ON FUNCTION isolate_table IS
    'Show rows of the current namespace only; to scoped calls, those that meet `scope` (NULL: all of them).';

GRANT EXECUTE ON FUNCTION in_scope TO everword_scoped;
