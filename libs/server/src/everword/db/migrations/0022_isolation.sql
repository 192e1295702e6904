-- What keeps namespaces apart is isolation everywhere; a fencing token is what a job has.

-- squawk-ignore ban-drop-function
DROP FUNCTION fence_table(text);
CREATE FUNCTION isolate_table(isolated text) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', isolated);
    -- The setting is '' and not NULL after the first transaction of a pooled connection.
    EXECUTE format(
        'CREATE POLICY isolation ON %I USING '
        '(namespace_id = nullif(current_setting(''everword.namespace_id'', true), '''')::bigint)',
        isolated
    );
END $$;
COMMENT ON FUNCTION isolate_table IS 'Let service roles see only rows of the namespace that their transaction is set to.';
REVOKE ALL ON FUNCTION isolate_table FROM PUBLIC;

DO $$
DECLARE
    isolated text;
BEGIN
    FOR isolated IN SELECT tablename FROM pg_policies
                     WHERE schemaname = 'everword' AND policyname = 'fence' ORDER BY tablename
    LOOP
        EXECUTE format('ALTER POLICY fence ON %I RENAME TO isolation', isolated);
    END LOOP;
    EXECUTE replace(pg_get_functiondef('create_vector_table'::regproc), 'fence_table', 'isolate_table');
END $$;

COMMENT ON TABLE namespaces IS 'Tenants. Holds no content, so it is not isolated.';
COMMENT ON TABLE corpus_counts IS
    'What is stored, and BM25''s statistics: the sum over a namespace''s rows. Every write adds a row, and a background '
    'task folds them into one: a counter row that each write updates would halve throughput. Counters only, so they are not '
    'isolated.';
