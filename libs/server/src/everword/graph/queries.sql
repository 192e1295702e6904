-- Statements that write the graph, and reads of the written rows. The graph is written only here.

-- fragment edge --
-- An edge in one of its validity intervals.
e.id, e.edge_id, e.from_id, e.to_id, e.type, e.label, e.confidence, e.source, e.message_id, e.quote, e.fact_id, e.valid_from,
e.valid_until

-- fragment shown_node --
-- A node in one of its versions.
n.id, v.id AS memory_id, v.label, v.type, v.description, v.aliases, v.confidence, v.source, n.agent, n.subject, n.anchor,
n.merged_into, n.first_seen_at, n.last_seen_at, v.known_from, v.known_until

-- claim_names --
-- Claim free names for new nodes, and return those claimed. The names are sorted, so that concurrent writers cannot
-- deadlock.
INSERT INTO graph_names (namespace_id, label_hash, type, agent, subject, node_id)
SELECT t.namespace_id, k.label_hash, k.type, k.agent, k.subject, k.node_id
  FROM tenants t
 CROSS JOIN unnest(%(label_hashes)s::bytea[], %(types)s::text[], %(agents)s::text[], %(subjects)s::text[], %(node_ids)s::uuid[])
       AS k (label_hash, type, agent, subject, node_id)
 WHERE t.namespace_id = %(namespace_id)s
    ON CONFLICT (namespace_id, label_hash, type, agent, subject) DO NOTHING
RETURNING label_hash, type, agent, subject, node_id;

-- find_names --
-- Return the nodes with these labels.
SELECT label_hash, type, agent, subject, node_id
  FROM graph_names
 WHERE namespace_id = %(namespace_id)s AND label_hash = ANY(%(label_hashes)s)
 ORDER BY label_hash, type, agent, subject;

-- repoint_names --
-- Move the names of nodes to another node.
UPDATE graph_names
   SET node_id = %(node_id)s
 WHERE namespace_id = %(namespace_id)s AND node_id = ANY(%(node_ids)s);

-- insert_nodes --
-- Store new nodes.
INSERT INTO graph_nodes (namespace_id, id, agent, subject, anchor, first_seen_at, last_seen_at)
SELECT t.namespace_id, n.id, n.agent, n.subject, n.anchor, statement_timestamp(), statement_timestamp()
  FROM tenants t
 CROSS JOIN unnest(%(node_ids)s::uuid[], %(agents)s::text[], %(subjects)s::text[], %(anchors)s::smallint[])
       AS n (id, agent, subject, anchor)
 WHERE t.namespace_id = %(namespace_id)s;

-- lock_nodes --
-- Lock nodes until the end of the transaction, so that writers about the same node are serialised.
SELECT id, agent, subject, anchor, merged_into
  FROM graph_nodes
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(node_ids)s)
 ORDER BY id
   FOR NO KEY UPDATE;

-- known_since --
-- Return the time from which this write is known. It is later than all writes of earlier lock holders.
SELECT clock_timestamp() AS now;

-- touch_nodes --
-- Set the time when nodes were last seen.
UPDATE graph_nodes SET last_seen_at = %(now)s WHERE namespace_id = %(namespace_id)s AND id = ANY(%(node_ids)s);

-- set_merged_into --
-- Record that nodes were merged into another one.
UPDATE graph_nodes SET merged_into = %(node_id)s WHERE namespace_id = %(namespace_id)s AND id = ANY(%(node_ids)s);

-- find_versions --
-- Return the current versions of nodes.
SELECT id, node_id, label, type, description, aliases, confidence, source
  FROM graph_node_versions
 WHERE namespace_id = %(namespace_id)s AND node_id = ANY(%(node_ids)s) AND known_until IS NULL;

-- insert_versions --
-- Store versions of nodes.
INSERT INTO graph_node_versions (namespace_id, id, node_id, label, type, description, aliases, confidence, source, reason,
                                 known_from, agent, subject)
SELECT t.namespace_id, v.id, v.node_id, v.label, v.type, v.description, v.aliases::text[], v.confidence, v.source, %(reason)s,
       %(now)s, coalesce(n.agent, ''), coalesce(n.subject, '')
  FROM tenants t
 CROSS JOIN unnest(%(ids)s::uuid[], %(node_ids)s::uuid[], %(labels)s::text[], %(types)s::text[], %(descriptions)s::text[],
              %(aliases)s::text[], %(confidences)s::float8[], %(sources)s::smallint[])
       AS v (id, node_id, label, type, description, aliases, confidence, source)
  LEFT JOIN graph_nodes n ON n.namespace_id = t.namespace_id AND n.id = v.node_id
 WHERE t.namespace_id = %(namespace_id)s;

-- enqueue_nodes --
-- Enqueue nodes, so that their topic pages are updated.
INSERT INTO topic_changes (namespace_id, id, node_id)
SELECT t.namespace_id, n.id, n.node_id
  FROM tenants t CROSS JOIN unnest(%(ids)s::uuid[], %(node_ids)s::uuid[]) AS n (id, node_id)
 WHERE t.namespace_id = %(namespace_id)s;

-- end_versions --
-- End current versions of nodes.
UPDATE graph_node_versions
   SET known_until = %(now)s, ended_by = %(source)s, end_reason = %(reason)s
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(ids)s) AND known_until IS NULL;

-- find_edges --
-- Return the current edges between pairs of nodes, in the order of time.
SELECT :edge
  FROM graph_edges e
  JOIN unnest(%(from_ids)s::uuid[], %(to_ids)s::uuid[], %(types)s::text[]) AS k (from_id, to_id, type)
    ON e.from_id = k.from_id AND e.to_id = k.to_id AND e.type = k.type
 WHERE e.namespace_id = %(namespace_id)s AND e.known_until IS NULL
 ORDER BY e.edge_id, e.valid_from NULLS FIRST, e.id;

-- find_edge --
-- Return the current intervals of an edge, in the order of time.
SELECT :edge
  FROM graph_edges e
 WHERE e.namespace_id = %(namespace_id)s AND e.edge_id = %(edge_id)s AND e.known_until IS NULL
 ORDER BY e.valid_from NULLS FIRST, e.id;

-- lock_edges_of_nodes --
-- Lock the current edges of nodes until the end of the transaction, and return them in the order of their ids.
SELECT :edge
  FROM graph_edges e
 WHERE e.namespace_id = %(namespace_id)s AND (e.from_id = ANY(%(node_ids)s) OR e.to_id = ANY(%(node_ids)s))
   AND e.known_until IS NULL
 ORDER BY e.id
   FOR NO KEY UPDATE;

-- insert_edges --
-- Store intervals of edges. Their messages are locked.
INSERT INTO graph_edges (namespace_id, id, edge_id, from_id, to_id, type, label, confidence, source, message_id, quote, fact_id,
                         valid_from, valid_until, reason, known_from)
SELECT t.namespace_id, e.id, e.edge_id, e.from_id, e.to_id, e.type, e.label, e.confidence, e.source, e.message_id, e.quote,
       e.fact_id, e.valid_from, e.valid_until, %(reason)s, %(now)s
  FROM tenants t
 CROSS JOIN unnest(%(ids)s::uuid[], %(edge_ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[], %(types)s::text[],
              %(labels)s::text[], %(confidences)s::float8[], %(sources)s::smallint[], %(message_ids)s::uuid[],
              %(quotes)s::text[], %(fact_ids)s::uuid[], %(valid_from)s::timestamptz[], %(valid_until)s::timestamptz[])
       AS e (id, edge_id, from_id, to_id, type, label, confidence, source, message_id, quote, fact_id, valid_from, valid_until)
 WHERE t.namespace_id = %(namespace_id)s;

-- end_edges --
-- End current intervals of edges.
UPDATE graph_edges
   SET known_until = %(now)s, ended_by = %(source)s, end_reason = %(reason)s
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(ids)s) AND known_until IS NULL;

-- end_edges_of_node --
-- End all current edges of a node, and return their number. Rows are locked in the order of their ids.
WITH held AS MATERIALIZED (
    SELECT id, edge_id
      FROM graph_edges
     WHERE namespace_id = %(namespace_id)s AND (from_id = %(node_id)s OR to_id = %(node_id)s) AND known_until IS NULL
     ORDER BY id
       FOR NO KEY UPDATE
), ended AS (
    UPDATE graph_edges
       SET known_until = %(now)s, ended_by = %(source)s, end_reason = %(reason)s
     WHERE namespace_id = %(namespace_id)s AND id IN (SELECT id FROM held)
)
SELECT count(DISTINCT edge_id) FROM held;

-- show_nodes --
-- Return nodes in their latest versions.
SELECT :shown_node
  FROM graph_nodes n
 CROSS JOIN LATERAL (
       SELECT * FROM graph_node_versions
        WHERE namespace_id = %(namespace_id)s AND node_id = n.id
        ORDER BY known_until IS NULL DESC, known_from DESC, id DESC
        LIMIT 1) AS v
 WHERE n.namespace_id = %(namespace_id)s AND n.id = ANY(%(node_ids)s)
 ORDER BY n.id;

-- show_edges --
-- Return the latest current intervals of edges, with the labels of both ends.
SELECT DISTINCT ON (e.edge_id) :edge, e.known_from, e.known_until, f.label AS from_label, t.label AS to_label
  FROM graph_edges e
  JOIN graph_node_versions f ON f.namespace_id = %(namespace_id)s AND f.node_id = e.from_id AND f.known_until IS NULL
  JOIN graph_node_versions t ON t.namespace_id = %(namespace_id)s AND t.node_id = e.to_id AND t.known_until IS NULL
 WHERE e.namespace_id = %(namespace_id)s AND e.edge_id = ANY(%(edge_ids)s) AND e.known_until IS NULL
 ORDER BY e.edge_id, e.valid_from DESC NULLS LAST, e.id DESC;
