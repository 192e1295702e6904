-- What happened to memories is written down, for whoever watches them.

CREATE TABLE memory_changes (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id bigint GENERATED ALWAYS AS IDENTITY,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    memory_ids uuid[] NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, xid, id)
);
COMMENT ON TABLE memory_changes IS
    'Memories that came, were changed, closed or taken out, for a day. Whoever knows them as of a snapshot asks for the changes '
    'that the snapshot does not show: none is missed, in whichever order transactions end.';
CREATE INDEX memory_changes_by_age ON memory_changes (namespace_id, changed_at);
SELECT isolate_table('memory_changes');
GRANT SELECT ON memory_changes TO everword_search;

CREATE FUNCTION log_memory_changes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
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
COMMENT ON FUNCTION log_memory_changes() IS 'Write down which memories a statement has added, changed or taken out.';
REVOKE ALL ON FUNCTION log_memory_changes FROM PUBLIC;
CREATE TRIGGER memories_added AFTER INSERT ON memories REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION log_memory_changes();
CREATE TRIGGER memories_changed AFTER UPDATE ON memories REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION log_memory_changes();
CREATE TRIGGER memories_removed AFTER DELETE ON memories REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION log_memory_changes();

DO $$
BEGIN
    -- After memories, whose going is a change too.
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ',
                    '''usage_ledger'', ''memory_changes'', ');
END $$;
