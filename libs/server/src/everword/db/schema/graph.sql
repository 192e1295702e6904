-- The graph of persons, places and things: relations with their validity, and the times when they were known.

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
COMMENT ON TABLE graph_nodes IS 'Persons, places and things; graph_node_versions describe them. Writers lock the row.';
COMMENT ON COLUMN graph_nodes.anchor IS 'The agent itself (1), or the user (2).';
COMMENT ON COLUMN graph_nodes.merged_into IS 'The node that it was merged into.';
CREATE INDEX graph_nodes_anchor ON graph_nodes (namespace_id, subject, agent) WHERE anchor IS NOT NULL;
CREATE INDEX graph_nodes_merged_into ON graph_nodes (namespace_id, merged_into) WHERE merged_into IS NOT NULL;
SELECT create_partitions('graph_nodes'), isolate_table('graph_nodes', 'in_scope(agent, subject)');
GRANT SELECT, INSERT, UPDATE (merged_into, last_seen_at) ON graph_nodes TO everword_ingest;
GRANT SELECT ON graph_nodes TO everword_search;
GRANT SELECT, INSERT, UPDATE (last_seen_at) ON graph_nodes TO everword_compactor;
INSERT INTO erasure_targets VALUES ('node', 8), ('edge', 12);
INSERT INTO erasure_rules VALUES ('node', 14, 'graph_nodes', 'id', NULL), ('subject', 16, 'graph_nodes', 'subject', 'node');
INSERT INTO transfer_rules VALUES ('graph_nodes', 70, 'node', '{id}');

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
COMMENT ON TABLE graph_names IS 'Maps labels and types to nodes, per agent and subject. Former labels stay.';
COMMENT ON COLUMN graph_names.label_hash IS 'SHA-256 of the label, ignoring case and spaces.';
CREATE INDEX graph_names_node ON graph_names (namespace_id, node_id);
SELECT create_partitions('graph_names'), isolate_table('graph_names', 'in_scope(agent, subject)');
GRANT SELECT, INSERT, UPDATE (node_id) ON graph_names TO everword_ingest;
GRANT SELECT ON graph_names TO everword_search;
GRANT SELECT, INSERT ON graph_names TO everword_compactor;
INSERT INTO erasure_rules VALUES ('node', 13, 'graph_names', 'node_id');
INSERT INTO transfer_rules VALUES ('graph_names', 72, 'node_name', '{label_hash,type,agent,subject}', 'Label of a node.');

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
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, node_id) REFERENCES graph_nodes (namespace_id, id),
    CHECK (known_until >= known_from)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE graph_node_versions IS
    'Description of a node, valid from known_from until known_until; only the end changes. Each is a memory.';
COMMENT ON COLUMN graph_node_versions.agent IS 'With `subject`, those of the node: scoped keys see the row by them.';
COMMENT ON COLUMN graph_node_versions.source IS 'Values equal proto GraphSource.';
CREATE INDEX graph_node_versions_node ON graph_node_versions (namespace_id, node_id, known_from);
SELECT create_partitions('graph_node_versions'), isolate_table('graph_node_versions', 'in_scope(agent, subject)');
GRANT SELECT, INSERT, UPDATE (known_until, ended_by, end_reason) ON graph_node_versions TO everword_ingest, everword_compactor;
GRANT SELECT ON graph_node_versions TO everword_search;
INSERT INTO erasure_rules VALUES ('node', 12, 'graph_node_versions', 'node_id', 'source', 'Each version is a memory.');
INSERT INTO transfer_rules VALUES ('graph_node_versions', 71, 'node_version', '{id}');

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
COMMENT ON TABLE graph_edges IS 'Validity of a relation, as known from known_from until known_until; only known_until changes. See edge_id.';
COMMENT ON COLUMN graph_edges.edge_id IS 'The relation. Current rows with the same edge_id are its separate periods of validity.';
COMMENT ON COLUMN graph_edges.fact_id IS 'The fact that it is derived from. If the fact was never valid, the edge has an empty interval.';
-- Highest confidence first, because only the first edges of a node with very many are read.
CREATE INDEX graph_edges_from ON graph_edges (namespace_id, from_id, confidence DESC, id DESC);
CREATE INDEX graph_edges_to ON graph_edges (namespace_id, to_id, confidence DESC, id DESC);
CREATE INDEX graph_edges_edge ON graph_edges (namespace_id, edge_id);
-- An erasure finds edges by their message.
CREATE INDEX graph_edges_message ON graph_edges (namespace_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX graph_edges_fact ON graph_edges (namespace_id, fact_id) WHERE fact_id IS NOT NULL;
SELECT create_partitions('graph_edges'), isolate_table('graph_edges');
GRANT SELECT, INSERT, UPDATE (known_until, ended_by, end_reason) ON graph_edges TO everword_ingest, everword_compactor;
GRANT SELECT ON graph_edges TO everword_search;
INSERT INTO erasure_rules VALUES
    ('edge', 10, 'graph_edges', 'edge_id', NULL, 'All versions of a relation.'),
    ('fact', 11, 'graph_edges', 'fact_id', NULL, ''),
    ('message', 14, 'graph_edges', 'message_id', NULL, ''),
    ('node', 10, 'graph_edges', 'from_id', NULL, ''),
    ('node', 11, 'graph_edges', 'to_id', NULL, '');
INSERT INTO transfer_rules VALUES ('graph_edges', 73, 'edge', '{id}');

CREATE FUNCTION with_merged_nodes(namespace bigint, ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
BEGIN
    RETURN (WITH RECURSIVE below (id) AS (
                SELECT unnest(ids)
                 UNION
                SELECT n.id FROM below JOIN graph_nodes n ON n.namespace_id = namespace AND n.merged_into = below.id
            )
            SELECT array_agg(id) FROM below);
END $$;
COMMENT ON FUNCTION with_merged_nodes IS 'Return nodes with all nodes that were merged into them.';

CREATE FUNCTION merged_node(namespace bigint, node_id uuid) RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
BEGIN
    RETURN (WITH RECURSIVE above (id, steps) AS (
                SELECT node_id, 0
                 UNION ALL
                SELECT o.id, above.steps + 1
                  FROM above
                  JOIN graph_nodes n ON n.namespace_id = namespace AND n.id = above.id
                  JOIN graph_nodes o ON o.namespace_id = n.namespace_id AND o.id = n.merged_into AND o.anchor IS NULL
            ) CYCLE id SET comes_again USING path
            SELECT id FROM above WHERE NOT comes_again ORDER BY steps DESC LIMIT 1);
END $$;
COMMENT ON FUNCTION merged_node IS 'Return the node that a node was merged into. Nodes of the agent and the user are not followed.';
