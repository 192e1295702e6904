-- Nodes that were merged are one: whoever erases it erases what it was called before.

-- squawk-ignore require-concurrent-index-creation
CREATE INDEX graph_nodes_merged_into ON graph_nodes (namespace_id, merged_into) WHERE merged_into IS NOT NULL;

CREATE FUNCTION merged_nodes(ids uuid[]) RETURNS uuid[]
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    WITH RECURSIVE one (id) AS (
        SELECT unnest(ids)
         UNION
        SELECT near.id FROM one CROSS JOIN LATERAL (
            SELECT n.merged_into FROM graph_nodes n
             WHERE n.namespace_id = erasing_namespace() AND n.id = one.id AND n.merged_into IS NOT NULL
             UNION ALL
            SELECT n.id FROM graph_nodes n WHERE n.namespace_id = erasing_namespace() AND n.merged_into = one.id) AS near (id)
    )
    SELECT array_agg(id) FROM one
$$;
COMMENT ON FUNCTION merged_nodes IS 'Nodes, those that were merged into them, and those that they were merged into.';
REVOKE ALL ON FUNCTION merged_nodes FROM PUBLIC;

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_memories'::regproc),
        E'    END IF;\n    RETURN erase_rows(of_target, gone, ''{}'');',
        E'    END IF;\n'
        '    RETURN erase_rows(of_target, CASE WHEN of_target = ''node'' THEN merged_nodes(gone) ELSE gone END, ''{}'');');
END $$;
