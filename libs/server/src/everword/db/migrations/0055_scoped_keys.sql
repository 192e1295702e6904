-- Let a key be bound to an agent, a subject, or both: a call with it sees and writes what is theirs alone.
-- Such calls take a role of their own. Policies hold for it alone, so that all other calls cost what they did.

ALTER TABLE api_keys
    ADD COLUMN agent text NOT NULL DEFAULT '',
    ADD COLUMN subject text NOT NULL DEFAULT '',
    -- squawk-ignore constraint-missing-not-valid
    ADD CONSTRAINT api_keys_scope_check CHECK (role < 3 OR (agent = '' AND subject = ''));
COMMENT ON COLUMN api_keys.agent IS 'The agent that it is bound to; empty where it is to none.';
COMMENT ON COLUMN api_keys.subject IS 'The user that it is bound to; empty where it is to none.';
GRANT SELECT (agent, subject), INSERT (agent, subject) ON api_keys TO everword_ingest;

-- A function of the old name follows.
-- squawk-ignore renaming-object
ALTER FUNCTION authenticate_key(bytea) RENAME TO authenticate_unscoped_key;

CREATE FUNCTION authenticate_any_key(hash bytea)
RETURNS TABLE (api_key_id uuid, role smallint, namespace_id bigint, namespace_name text, agent text, subject text)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT a.api_key_id, a.role, a.namespace_id, a.namespace_name, k.agent, k.subject
      FROM authenticate_unscoped_key(hash) a JOIN api_keys k ON k.id = a.api_key_id
$$;
COMMENT ON FUNCTION authenticate_any_key IS 'Whom the key with this hash belongs to, and what it is bound to; no row where it is unknown or has ended.';

-- Servers of the release before know of no scopes: to them, such a key is none.
CREATE FUNCTION authenticate_key(hash bytea)
RETURNS TABLE (api_key_id uuid, role smallint, namespace_id bigint, namespace_name text)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT api_key_id, role, namespace_id, namespace_name FROM authenticate_any_key(hash) WHERE agent = '' AND subject = ''
$$;
REVOKE ALL ON FUNCTION authenticate_unscoped_key, authenticate_any_key, authenticate_key
    FROM PUBLIC, everword_ingest, everword_search, everword_compactor, everword_embedder;
GRANT EXECUTE ON FUNCTION authenticate_any_key, authenticate_key
    TO everword_ingest, everword_search, everword_compactor, everword_embedder;

-- everword_scoped is whom the policies are for. Its members do what their services do.
DO $$
DECLARE
    service text;
    login name;
BEGIN
    BEGIN
        CREATE ROLE everword_scoped NOLOGIN;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;
    END;
    FOREACH service IN ARRAY ARRAY['everword_ingest', 'everword_search'] LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', service || '_scoped');
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
        BEGIN
            EXECUTE format('GRANT %I, everword_scoped TO %I', service, service || '_scoped');
        EXCEPTION WHEN unique_violation THEN
            NULL;
        END;
        -- Whoever may act as the service may act so for a scoped caller.
        FOR login IN SELECT m.rolname FROM pg_auth_members a JOIN pg_roles m ON m.oid = a.member
                      WHERE a.roleid = service::regrole AND m.rolcanlogin LOOP
            EXECUTE format('GRANT %I TO %I', service || '_scoped', login);
        END LOOP;
    END LOOP;
END $$;

CREATE FUNCTION in_scope(agent text, subject text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce(nullif(current_setting('everword.agent', true), '') = agent, true)
       AND coalesce(nullif(current_setting('everword.subject', true), '') = subject, true)
       AND concat(current_setting('everword.agent', true), current_setting('everword.subject', true)) <> ''
$$;
COMMENT ON FUNCTION in_scope IS 'Whether what belongs to an agent and a subject is within what the transaction is bound to; nothing is where that is nothing.';
GRANT EXECUTE ON FUNCTION in_scope TO everword_scoped;

CREATE FUNCTION scope_table(scoped text, condition text) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    EXECUTE format('DROP POLICY IF EXISTS scope ON %I', scoped);
    EXECUTE format('CREATE POLICY scope ON %I AS RESTRICTIVE TO everword_scoped USING (%s)', scoped, condition);
END $$;
COMMENT ON FUNCTION scope_table IS 'Let scoped calls see and write the rows of an isolated table that meet a condition.';
REVOKE ALL ON FUNCTION scope_table FROM PUBLIC;

-- What is isolated is closed to scoped calls until it is said what belongs to whom.
CREATE OR REPLACE FUNCTION isolate_table(isolated text) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
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

SELECT scope_table(tablename, 'false') FROM pg_policies WHERE schemaname = 'everword' AND policyname = 'isolation';

SELECT scope_table(owned, 'in_scope(agent, subject)')
  FROM unnest(ARRAY['conversations', 'documents', 'facts', 'graph_names', 'graph_nodes', 'lore_books', 'notes', 'summaries',
                    'topic_pages']) AS owned;

-- What belongs to something, belongs to whom that does.
SELECT scope_table(part, format(
           'EXISTS (SELECT FROM %1$I o WHERE o.namespace_id = %2$I.namespace_id AND o.id = %2$I.%3$I)', whole, part, reference))
  FROM (VALUES ('messages', 'conversations', 'conversation_id'),
               ('tool_sentences', 'messages', 'message_id'),
               ('note_versions', 'notes', 'note_id'),
               ('document_versions', 'documents', 'document_id'),
               ('document_chunks', 'documents', 'document_id'),
               ('lore_entries', 'lore_books', 'book_id'),
               ('fact_intervals', 'facts', 'fact_id'),
               ('fact_changes', 'facts', 'fact_id'),
               ('graph_node_versions', 'graph_nodes', 'node_id'),
               ('summary_sources', 'summaries', 'summary_id')) AS parts (part, whole, reference);
SELECT scope_table('fact_evidence',
    'EXISTS (SELECT FROM facts f WHERE f.namespace_id = fact_evidence.namespace_id AND f.id = fact_evidence.fact_id) '
    'AND (conversation_id IS NULL OR EXISTS (SELECT FROM conversations c '
    'WHERE c.namespace_id = fact_evidence.namespace_id AND c.id = fact_evidence.conversation_id))');

-- Ids, places, counts, limits, and words of names alone: what writes and ranking go by, and no call returns.
DO $$
DECLARE
    plain text;
BEGIN
    FOREACH plain IN ARRAY ARRAY['append_requests', 'author_names', 'budgets', 'budget_spending', 'calendar_pending',
                                 'compaction_progress', 'erased_external_ids', 'importance_suggestions', 'index_changes',
                                 'memory_classes', 'memory_use'] LOOP
        EXECUTE format('DROP POLICY scope ON %I', plain);
    END LOOP;
END $$;

-- Scoped calls look for tables here first. What is searched by text operators is reached only through a view.
CREATE SCHEMA everword_scoped;
GRANT USAGE ON SCHEMA everword_scoped TO everword_scoped;
CREATE VIEW everword_scoped.visible_memories AS
SELECT * FROM everword.visible_memories WHERE everword.in_scope(agent, subject)
WITH CASCADED CHECK OPTION;
COMMENT ON VIEW everword_scoped.visible_memories IS 'The memories of what the transaction is bound to.';
GRANT SELECT ON everword_scoped.visible_memories TO everword_search_scoped;
GRANT SELECT, INSERT, UPDATE, DELETE ON everword_scoped.visible_memories TO everword_ingest_scoped;
