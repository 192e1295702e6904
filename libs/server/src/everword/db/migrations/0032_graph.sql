-- The graph: who and what there is, how they are related, when that holds, and since when it is known.

CREATE TABLE graph_nodes (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    anchor smallint CHECK (anchor BETWEEN 1 AND 2),
    merged_into uuid,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE graph_nodes IS
    'Persons, places and things. What is known of one stands in its versions; whoever writes about it holds its row.';
COMMENT ON COLUMN graph_nodes.anchor IS 'The agent itself (1), or the user (2).';
COMMENT ON COLUMN graph_nodes.merged_into IS 'The node that it turned out to be.';
CREATE INDEX graph_nodes_anchor ON graph_nodes (namespace_id, subject, agent) WHERE anchor IS NOT NULL;
SELECT create_partitions('graph_nodes');
SELECT isolate_table('graph_nodes');

CREATE TABLE graph_names (
    namespace_id bigint NOT NULL,
    label_hash bytea NOT NULL,
    type text NOT NULL,
    agent text NOT NULL,
    subject text NOT NULL,
    node_id uuid NOT NULL,
    PRIMARY KEY (namespace_id, label_hash, type, agent, subject),
    FOREIGN KEY (namespace_id, node_id) REFERENCES graph_nodes (namespace_id, id) DEFERRABLE INITIALLY DEFERRED
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE graph_names IS
    'The node that a label and a type mean to an agent and a subject: of two writers of the same name the second finds the node '
    'of the first. Labels that a node had go on to mean it.';
COMMENT ON COLUMN graph_names.label_hash IS 'SHA-256 of the label without regard to case and spaces.';
CREATE INDEX graph_names_node ON graph_names (namespace_id, node_id);
SELECT create_partitions('graph_names');
SELECT isolate_table('graph_names');

CREATE TABLE graph_node_versions (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    node_id uuid NOT NULL,
    label text NOT NULL CHECK (label <> ''),
    type text NOT NULL CHECK (type <> ''),
    description text NOT NULL DEFAULT '',
    aliases text[] NOT NULL DEFAULT '{}',
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    source smallint NOT NULL CHECK (source BETWEEN 1 AND 3),
    reason text NOT NULL DEFAULT '',
    known_from timestamptz NOT NULL,
    known_until timestamptz,
    ended_by smallint CHECK (ended_by BETWEEN 1 AND 3),
    end_reason text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, node_id) REFERENCES graph_nodes (namespace_id, id),
    CHECK (known_until >= known_from)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE graph_node_versions IS
    'What was known of a node from known_from until known_until. A row only ever gets its end. Each is a memory in the index.';
COMMENT ON COLUMN graph_node_versions.source IS 'Values equal proto GraphSource.';
CREATE INDEX graph_node_versions_node ON graph_node_versions (namespace_id, node_id, known_from);
SELECT create_partitions('graph_node_versions');
SELECT isolate_table('graph_node_versions');

CREATE TABLE graph_edges (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    edge_id uuid NOT NULL,
    from_id uuid NOT NULL,
    to_id uuid NOT NULL,
    type text NOT NULL CHECK (type <> ''),
    label text NOT NULL DEFAULT '',
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    source smallint NOT NULL CHECK (source BETWEEN 1 AND 3),
    message_id uuid,
    quote text NOT NULL DEFAULT '',
    fact_id uuid,
    valid_from timestamptz,
    valid_until timestamptz,
    reason text NOT NULL DEFAULT '',
    known_from timestamptz NOT NULL,
    known_until timestamptz,
    ended_by smallint CHECK (ended_by BETWEEN 1 AND 3),
    end_reason text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, from_id) REFERENCES graph_nodes (namespace_id, id),
    FOREIGN KEY (namespace_id, to_id) REFERENCES graph_nodes (namespace_id, id),
    FOREIGN KEY (namespace_id, fact_id) REFERENCES facts (namespace_id, id),
    CHECK (valid_until >= valid_from),
    CHECK (known_until >= known_from)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE graph_edges IS
    'When a relation holds, as it was known from known_from until known_until. A row only ever gets its end. Several rows that are '
    'known at once are several times in which the same edge holds.';
COMMENT ON COLUMN graph_edges.edge_id IS 'The edge that it is a time of.';
COMMENT ON COLUMN graph_edges.fact_id IS
    'The fact that it holds with. While that is believed to hold at no time at all, its row has an empty interval.';
-- The surest first: of a node with very many relations, only the first are read.
CREATE INDEX graph_edges_from ON graph_edges (namespace_id, from_id, confidence DESC, id DESC);
CREATE INDEX graph_edges_to ON graph_edges (namespace_id, to_id, confidence DESC, id DESC);
CREATE INDEX graph_edges_edge ON graph_edges (namespace_id, edge_id);
CREATE INDEX graph_edges_fact ON graph_edges (namespace_id, fact_id) WHERE fact_id IS NOT NULL AND known_until IS NULL;
SELECT create_partitions('graph_edges');
SELECT isolate_table('graph_edges');

GRANT SELECT, INSERT ON graph_nodes, graph_names, graph_node_versions, graph_edges TO everword_ingest;
GRANT UPDATE (last_seen_at, merged_into) ON graph_nodes TO everword_ingest;
GRANT UPDATE (node_id) ON graph_names TO everword_ingest;
GRANT UPDATE (known_until, ended_by, end_reason) ON graph_node_versions, graph_edges TO everword_ingest;
-- Whoever writes facts ends the edges that hold with them.
GRANT SELECT, INSERT ON graph_edges TO everword_compactor;
GRANT UPDATE (known_until, ended_by, end_reason) ON graph_edges TO everword_compactor;
GRANT SELECT ON graph_nodes, graph_names, graph_node_versions, graph_edges TO everword_search;

-- Nodes (kind 6) change, as facts do.
DO $$
DECLARE
    changed text;
BEGIN
    FOREACH changed IN ARRAY ARRAY['drop_derived_passages', 'close_derived_passages'] LOOP
        EXECUTE regexp_replace(pg_get_functiondef(changed::regproc), 'kind IN \(([0-9, ]*)\)', 'kind IN (\1, 6)', 'g');
    END LOOP;
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ',
                    '''usage_ledger'', ''graph_edges'', ''graph_node_versions'', ''graph_names'', ''graph_nodes'', ');
END $$;
