-- Services write the index and its vectors in the tables themselves, which have policies: views are read. What is granted on
-- the views stays for servers of the release before.

SELECT scope_table('memories', 'in_scope(agent, subject)');
COMMENT ON TABLE memories IS
    'One row per passage of anything that can be searched. Services write it, and read it through visible_memories only: behind '
    'a row-level policy no index would serve the text operators.';
-- What a write returns or finds rows by is read, too.
GRANT INSERT, SELECT (namespace_id, id, source_id, part, lexeme_count, content), UPDATE (importance_class) ON memories
    TO everword_ingest;
GRANT INSERT, SELECT (id, lexeme_count, content) ON memories TO everword_compactor;

DO $$
DECLARE
    vectors text;
BEGIN
    FOR vectors IN SELECT 'memory_vectors_' || id FROM model_generations ORDER BY id LOOP
        EXECUTE format('GRANT SELECT (namespace_id, memory_id, embedding), INSERT, UPDATE (embedding) ON %I TO everword_embedder',
                       vectors);
    END LOOP;
    EXECUTE replace(pg_get_functiondef('create_vector_table'::regproc),
        'EXECUTE format(''GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO everword_embedder'', visible);',
        'EXECUTE format(''GRANT SELECT ON %I TO everword_embedder'', visible);' || E'\n    '
        'EXECUTE format(''GRANT SELECT (namespace_id, memory_id, embedding), INSERT, UPDATE (embedding) ON %I TO everword_embedder'','
        || E'\n                   vectors);');
END $$;
