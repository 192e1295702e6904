-- Nodes that were merged into one go with it: they are what it was called before.

-- squawk-ignore require-concurrent-index-creation
CREATE INDEX graph_nodes_merged_into ON graph_nodes (namespace_id, merged_into) WHERE merged_into IS NOT NULL;

CREATE FUNCTION with_merged_nodes(ids uuid[]) RETURNS uuid[]
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    WITH RECURSIVE below (id) AS (
        SELECT unnest(ids)
         UNION
        SELECT n.id FROM below JOIN graph_nodes n ON n.namespace_id = erasing_namespace() AND n.merged_into = below.id
    )
    SELECT array_agg(id) FROM below
$$;
COMMENT ON FUNCTION with_merged_nodes IS 'Nodes, and those that were merged into them.';

CREATE FUNCTION merged_node(node_id uuid) RETURNS uuid
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
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
COMMENT ON FUNCTION merged_node IS
    'What a node became by being merged. The agent and the user are more than what was merged into them: not they.';
REVOKE ALL ON FUNCTION with_merged_nodes, merged_node FROM PUBLIC;

DO $$
DECLARE
    namespace bigint;
    lost uuid[];
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_rows'::regproc),
        E'    IF of_target = ''source'' THEN\n',
        E'    IF of_target = ''node'' THEN\n'
        '        -- Nobody merges anything into them from now on.\n'
        '        PERFORM FROM graph_nodes WHERE namespace_id = namespace AND id = ANY(ids) ORDER BY id FOR UPDATE;\n'
        '        ids := with_merged_nodes(ids);\n'
        '    END IF;\n'
        '    IF of_target = ''source'' THEN\n');
    EXECUTE replace(pg_get_functiondef('erase_memories'::regproc),
        E'    END IF;\n    RETURN erase_rows(of_target, gone, ''{}'');',
        E'    END IF;\n'
        '    IF of_target = ''node'' THEN\n'
        '        gone := ARRAY(SELECT merged_node(id) FROM unnest(gone) AS id);\n'
        '    END IF;\n'
        '    RETURN erase_rows(of_target, gone, ''{}'');');
    -- What was left behind until now.
    FOR namespace, lost IN
        SELECT n.namespace_id, array_agg(n.id) FROM graph_nodes n
         WHERE n.merged_into IS NOT NULL
           AND NOT EXISTS (SELECT FROM graph_nodes o WHERE o.namespace_id = n.namespace_id AND o.id = n.merged_into)
         GROUP BY 1 LOOP
        PERFORM set_config('everword.namespace_id', namespace::text, true);
        PERFORM erase_rows('node', lost, '{}');
    END LOOP;
    PERFORM set_config('everword.namespace_id', '', true);
END $$;
