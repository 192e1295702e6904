-- Pages about nodes of the graph, and the themes of a namespace.

CREATE TABLE topic_changes (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL DEFAULT uuidv7(),
    fact_id uuid,
    leaf_id uuid,
    node_id uuid,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    CHECK (num_nonnulls(fact_id, leaf_id, node_id) = 1)
);
COMMENT ON TABLE topic_changes IS 'Unprocessed changes of facts, leaves and nodes. Rows instead of a flag, so that writers never wait for each other.';
SELECT isolate_table('topic_changes');
GRANT INSERT ON topic_changes TO everword_ingest;
GRANT SELECT, INSERT, DELETE ON topic_changes TO everword_compactor;
INSERT INTO erasure_targets VALUES ('topic', 16), ('theme', 17), ('cited', NULL);
INSERT INTO erasure_rules VALUES
    ('cited', 11, 'topic_changes', 'fact_id'),
    ('cited', 12, 'topic_changes', 'leaf_id'),
    ('fact', 1, 'topic_changes', 'fact_id'),
    ('node', 3, 'topic_changes', 'node_id'),
    ('summary', 1, 'topic_changes', 'leaf_id');
INSERT INTO transfer_rules VALUES ('topic_changes', 76, 'topic_change', '{id}', 'Changes since the pages were written.', '{id}');

CREATE FUNCTION changed_topics(batch integer, parked interval) RETURNS TABLE(namespace_id bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    parked_since constant timestamptz := now() - parked;
BEGIN
    RETURN QUERY
    SELECT t.namespace_id
      FROM tenants t JOIN namespaces n ON n.id = t.namespace_id AND n.state = 'active'
     WHERE EXISTS (SELECT 1 FROM topic_changes c WHERE c.namespace_id = t.namespace_id)
       AND NOT EXISTS (SELECT 1 FROM jobs j
                        WHERE j.namespace_id = t.namespace_id AND j.task = 'learn' AND j.subject = 'topics'
                          AND (j.state IN ('pending', 'running') OR j.state = 'failed' AND j.updated_at > parked_since))
     ORDER BY t.namespace_id LIMIT batch;
END $$;
COMMENT ON FUNCTION changed_topics IS 'Return namespaces with changes and no job scheduled, or failed for less than `parked`: ids only.';

CREATE TABLE topic_sources (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    node_id uuid NOT NULL,
    source_id uuid NOT NULL,
    kind smallint NOT NULL CHECK (kind IN (2, 4)),
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, node_id, source_id),
    FOREIGN KEY (namespace_id, node_id) REFERENCES graph_nodes (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE topic_sources IS 'Leaves (kind 2) and facts (kind 4) about a node of the graph, of its own subject only.';
COMMENT ON COLUMN topic_sources.changed_at IS 'When the source was last seen to change; older pages are outdated.';
CREATE INDEX topic_sources_source ON topic_sources (namespace_id, source_id);
SELECT create_partitions('topic_sources'), isolate_table('topic_sources');
GRANT SELECT ON topic_sources TO everword_search;
GRANT SELECT, INSERT, UPDATE, DELETE ON topic_sources TO everword_compactor;
INSERT INTO erasure_rules VALUES
    ('cited', 10, 'topic_sources', 'source_id', NULL, 'Facts and leaves that pages were made from.'),
    ('node', 2, 'topic_sources', 'node_id', NULL, '');
INSERT INTO transfer_rules VALUES ('topic_sources', 75, 'topic_source', '{node_id,source_id}');

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
COMMENT ON TABLE topic_pages IS 'A page about a node of the graph, replaced under its id. Former names and merged nodes lead to it.';
COMMENT ON COLUMN topic_pages.sections IS 'Written by a language model and checked: an array of {heading, text, sources}.';
COMMENT ON COLUMN topic_pages.source_ids IS 'Cited sources; [1] is the first. If one is erased, the page may repeat its text.';
COMMENT ON COLUMN topic_pages.source_kinds IS 'Kinds of source_ids: 2 leaf, 4 fact.';
CREATE INDEX topic_pages_title ON topic_pages (namespace_id, title, node_id);
-- Pages are few, so an immediate update of the index is cheap.
CREATE INDEX topic_pages_cited ON topic_pages USING gin (namespace_id, source_ids) WITH (fastupdate = off);
SELECT create_partitions('topic_pages'), isolate_table('topic_pages', 'in_scope(agent, subject)');
GRANT SELECT (namespace_id, node_id, id) ON topic_pages TO everword_ingest;
GRANT SELECT ON topic_pages TO everword_search;
GRANT SELECT, INSERT, UPDATE, DELETE ON topic_pages TO everword_compactor;
INSERT INTO erasure_rules VALUES
    ('node', 1, 'topic_pages', 'node_id', 'source', 'A page is a memory.'),
    ('topic', 10, 'topic_pages', 'id', 'source', 'A page is a memory.');
INSERT INTO transfer_rules VALUES ('topic_pages', 74, 'topic_page', '{node_id}');

CREATE FUNCTION pages_made_of(namespace bigint, sources uuid[]) RETURNS TABLE(id uuid, node_id uuid)
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT p.id, p.node_id FROM topic_pages p WHERE p.namespace_id = namespace AND p.source_ids && sources
     UNION
    SELECT p.id, p.node_id
      FROM topic_sources s JOIN topic_pages p ON p.namespace_id = namespace AND p.node_id = s.node_id
     WHERE s.namespace_id = namespace AND s.source_id = ANY(sources);
END $$;
COMMENT ON FUNCTION pages_made_of IS 'Return the pages that cite these facts or leaves, or whose topic has one of them as a source.';

CREATE TABLE themes (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    place smallint NOT NULL,
    label text NOT NULL,
    words text[] NOT NULL,
    size integer NOT NULL,
    sampled integer NOT NULL,
    source_ids uuid[] NOT NULL,
    generation_id smallint NOT NULL,
    model text NOT NULL DEFAULT '',
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    UNIQUE (namespace_id, place)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE themes IS 'Topics of a namespace; all of them are replaced at once.';
COMMENT ON COLUMN themes.source_ids IS 'Memories nearest to the centre of the theme, nearest first.';
COMMENT ON COLUMN themes.generation_id IS 'The generation whose vectors it was made from.';
COMMENT ON COLUMN themes.model IS 'The language model that wrote the label; empty if words were chosen.';
SELECT create_partitions('themes'), isolate_table('themes');
GRANT SELECT (namespace_id, id) ON themes TO everword_ingest;
GRANT SELECT ON themes TO everword_search;
GRANT SELECT, INSERT, DELETE ON themes TO everword_compactor;
INSERT INTO erasure_rules VALUES
    ('theme', 10, 'themes', 'id', NULL, ''),
    ('kept', 4, 'themes', '', NULL, 'withdraw_derived removes those that may have been made from it.');
INSERT INTO transfer_rules VALUES ('themes', 77, 'theme', '{id}');

GRANT EXECUTE ON FUNCTION changed_topics TO everword_compactor;
