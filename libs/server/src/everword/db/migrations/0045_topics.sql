-- What became of facts, for the graph that follows from them and for the pages about persons, places and things.

CREATE TABLE topic_changes (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id bigint GENERATED ALWAYS AS IDENTITY,
    fact_id uuid,
    leaf_id uuid,
    node_id uuid,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    CHECK (num_nonnulls(fact_id, leaf_id, node_id) = 1)
);
COMMENT ON TABLE topic_changes IS
    'Facts, leaves and nodes that changed and were not looked at yet: a row exactly while it is pending. Rows and not a flag: writers never wait for each '
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

CREATE TABLE topic_sources (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    node_id uuid NOT NULL,
    source_id uuid NOT NULL,
    kind smallint NOT NULL CHECK (kind IN (2, 4)),
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, node_id, source_id),
    FOREIGN KEY (namespace_id, node_id) REFERENCES graph_nodes (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE topic_sources IS
    'What is known to be about a node of the graph, of its own subject alone: leaves (kind 2), and facts (kind 4).';
COMMENT ON COLUMN topic_sources.changed_at IS 'When the source was last seen to have changed: what was written of it before is out of date.';
CREATE INDEX topic_sources_source ON topic_sources (namespace_id, source_id);
SELECT create_partitions('topic_sources');
SELECT isolate_table('topic_sources');

CREATE TABLE topic_pages (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    node_id uuid NOT NULL,
    id uuid NOT NULL,
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    title text NOT NULL CHECK (title <> ''),
    type text NOT NULL,
    content text NOT NULL CHECK (content <> ''),
    sections jsonb NOT NULL DEFAULT '[]',
    source_ids uuid[] NOT NULL,
    source_kinds smallint[] NOT NULL,
    revision integer NOT NULL DEFAULT 1,
    model text NOT NULL DEFAULT '',
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, node_id),
    UNIQUE (namespace_id, id),
    CHECK (cardinality(source_ids) = cardinality(source_kinds)),
    FOREIGN KEY (namespace_id, node_id) REFERENCES graph_nodes (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE topic_pages IS
    'A page about a node of the graph, which stands for its sources and supersedes none: replaced under its id as these change. '
    'Names that a node had, and nodes that were merged into it, lead to it by graph_names and merged_into.';
COMMENT ON COLUMN topic_pages.sections IS 'What a language model wrote: an array of {heading, text, sources}, of which all were checked.';
COMMENT ON COLUMN topic_pages.source_ids IS 'What it cites: [1] is the first. The text of a source that is erased may stand in the page.';
COMMENT ON COLUMN topic_pages.source_kinds IS 'Of source_ids: leaves (2), and facts (4).';
CREATE INDEX topic_pages_title ON topic_pages (namespace_id, title, node_id);
SELECT create_partitions('topic_pages');
SELECT isolate_table('topic_pages');
GRANT SELECT, INSERT, UPDATE, DELETE ON topic_sources, topic_pages TO everword_compactor;
GRANT SELECT ON topic_sources, topic_pages TO everword_search;

CREATE FUNCTION forget_topic_sources(sources uuid[]) RETURNS bigint
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
        DELETE FROM topic_pages WHERE namespace_id = namespace AND node_id = ANY(nodes) RETURNING id
    )
    SELECT coalesce(array_agg(id), '{}') INTO pages FROM gone;
    PERFORM drop_derived_passages(pages);
    DELETE FROM topic_changes WHERE namespace_id = namespace AND (fact_id = ANY(sources) OR leaf_id = ANY(sources));
    INSERT INTO topic_changes (namespace_id, node_id) SELECT namespace, id FROM unnest(nodes) AS n (id);
    RETURN cardinality(pages);
END $$;
COMMENT ON FUNCTION forget_topic_sources IS
    'Take out the pages that were made of facts or leaves which are erased, in the namespace that the transaction is set to, and make '
    'them due to be written anew of what is left; returns how many pages there were.';
REVOKE ALL ON FUNCTION forget_topic_sources FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_topic_sources TO everword_ingest, everword_compactor;

-- What is sure already has its relations as well.
INSERT INTO topic_changes (namespace_id, fact_id)
SELECT namespace_id, id FROM facts WHERE state IN (2, 3);

-- Pages (kind 8) are taken out of the index when they are replaced; what was said (kind 1) never is.
DO $$
BEGIN
    EXECUTE regexp_replace(pg_get_functiondef('drop_derived_passages'::regproc), 'kind IN \(([0-9, ]+)\)',
                           'kind IN (\1, 8)');
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ',
                    '''usage_ledger'', ''topic_changes'', ''topic_pages'', ''topic_sources'', ');
END $$;
