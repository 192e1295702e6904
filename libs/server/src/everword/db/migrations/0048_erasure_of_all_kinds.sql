-- A page goes with whatever it cites, also with what its topic has lost since it was written.

-- Pages are few, and made anew by night.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX topic_pages_cited ON topic_pages USING gin (namespace_id, source_ids) WITH (fastupdate = off);

CREATE OR REPLACE FUNCTION forget_topic_sources(sources uuid[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
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
