-- What became of facts, for the graph that follows from them and for the pages about persons, places and things.

CREATE TABLE topic_changes (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id bigint GENERATED ALWAYS AS IDENTITY,
    fact_id uuid,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id)
);
COMMENT ON TABLE topic_changes IS
    'What changed and was not looked at yet: a row exactly while it is pending. Rows and not a flag: writers never wait for each '
    'other, and nothing that is committed late can be missed.';
SELECT isolate_table('topic_changes');
GRANT INSERT ON topic_changes TO everword_ingest;
GRANT SELECT, INSERT, DELETE ON topic_changes TO everword_compactor;

-- Whoever learns facts writes the relations that follow from them.
GRANT SELECT, INSERT ON graph_nodes, graph_names, graph_node_versions TO everword_compactor;
GRANT UPDATE (last_seen_at) ON graph_nodes TO everword_compactor;
GRANT UPDATE (known_until, ended_by, end_reason) ON graph_node_versions TO everword_compactor;

CREATE FUNCTION changed_topics(batch integer, parked interval) RETURNS TABLE (namespace_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
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
COMMENT ON FUNCTION changed_topics IS
    'Namespaces with changes that nobody is to look at: ids only. One whose job was given up for less than `parked` is left out.';
REVOKE ALL ON FUNCTION changed_topics FROM PUBLIC;
GRANT EXECUTE ON FUNCTION changed_topics TO everword_compactor;

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ',
                    '''usage_ledger'', ''topic_changes'', ');
END $$;
