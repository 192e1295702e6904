-- Statements that read the graph.

-- fragment shown_node --
-- A node with one of its versions.
n.id, v.id AS memory_id, v.label, v.type, v.description, v.aliases, v.confidence, v.source, n.agent, n.subject, n.anchor,
n.merged_into, n.first_seen_at, n.last_seen_at, v.known_from, v.known_until

-- fragment edge --
-- A relation with one of its intervals.
e.id, e.edge_id, e.from_id, e.to_id, e.type, e.label, e.confidence, e.source, e.message_id, e.quote, e.fact_id, e.valid_from,
e.valid_until, e.known_from, e.known_until

-- fragment in_view --
-- The condition that the view includes a node.
(%(agents)s::text[] IS NULL OR n.agent = ANY(%(agents)s)) AND (%(subjects)s::text[] IS NULL OR n.subject = ANY(%(subjects)s))

-- fragment version_known --
-- The condition that a version was known at the view's moment.
v.known_from <= coalesce(%(known_at)s::timestamptz, now()) AND (v.known_until IS NULL OR v.known_until > coalesce(%(known_at)s, now()))

-- fragment edge_known --
-- The condition that a relation was known at the view's moment.
e.known_from <= coalesce(%(known_at)s::timestamptz, now()) AND (e.known_until IS NULL OR e.known_until > coalesce(%(known_at)s, now()))

-- fragment edge_in_effect --
-- The condition that a relation is valid at the view's moment.
(e.valid_from IS NULL OR e.valid_from <= coalesce(%(valid_at)s::timestamptz, now()))
AND (e.valid_until IS NULL OR e.valid_until > coalesce(%(valid_at)s, now()))

-- has_graph --
-- True if the namespace has a node.
SELECT EXISTS (SELECT FROM graph_nodes WHERE namespace_id = %(namespace_id)s);

-- find_named --
-- The nodes in the view that have one of the labels.
SELECT k.label_hash, n.id AS node_id, n.anchor
  FROM graph_names k
  JOIN graph_nodes n ON n.namespace_id = %(namespace_id)s AND n.id = k.node_id
 WHERE k.namespace_id = %(namespace_id)s AND k.label_hash = ANY(%(label_hashes)s) AND :in_view
 ORDER BY n.last_seen_at DESC, n.id
 LIMIT %(limit)s;

-- find_versions --
-- The node of each memory that is a version of one.
SELECT v.id AS memory_id, v.node_id
  FROM graph_node_versions v
 WHERE v.namespace_id = %(namespace_id)s AND v.id = ANY(%(memory_ids)s);

-- read_nodes --
-- Nodes as known at the view's moment.
SELECT :shown_node
  FROM graph_nodes n
 CROSS JOIN LATERAL (
       SELECT * FROM graph_node_versions v
        WHERE v.namespace_id = %(namespace_id)s AND v.node_id = n.id AND :version_known
        LIMIT 1) AS v
 WHERE n.namespace_id = %(namespace_id)s AND n.id = ANY(%(node_ids)s) AND :in_view;

-- list_versions --
-- All versions of a node, oldest first.
SELECT :shown_node
  FROM graph_nodes n
  JOIN graph_node_versions v ON v.namespace_id = %(namespace_id)s AND v.node_id = n.id
 WHERE n.namespace_id = %(namespace_id)s AND n.id = %(node_id)s
 ORDER BY v.known_from, v.id
 LIMIT %(limit)s;

-- list_nodes --
-- Nodes in order of their ids.
SELECT :shown_node
  FROM graph_nodes n
 CROSS JOIN LATERAL (
       SELECT * FROM graph_node_versions v
        WHERE v.namespace_id = %(namespace_id)s AND v.node_id = n.id AND :version_known
        LIMIT 1) AS v
 WHERE n.namespace_id = %(namespace_id)s AND :in_view
   AND (%(types)s::text[] IS NULL OR v.type = ANY(%(types)s))
   AND (%(node_ids)s::uuid[] IS NULL OR n.id = ANY(%(node_ids)s))
   AND (%(after_id)s::uuid IS NULL OR n.id > %(after_id)s)
 ORDER BY n.id
 LIMIT %(limit)s;

-- follow_edges --
-- Valid relations of nodes in the view, most confident and latest first, at most `fan_out` per node and direction. If a
-- node has many relations, only the first `examined` are read, even if the view includes few of them.
SELECT f.place, e.*
  FROM unnest(%(node_ids)s::uuid[]) WITH ORDINALITY AS f (id, place)
 CROSS JOIN LATERAL (
       (SELECT :edge, n.id AS other_id, n.anchor AS other_anchor
          FROM (SELECT * FROM graph_edges e
                 WHERE e.namespace_id = %(namespace_id)s AND e.from_id = f.id AND :edge_known AND :edge_in_effect
                   AND (%(types)s::text[] IS NULL OR e.type = ANY(%(types)s))
                 ORDER BY e.confidence DESC, e.id DESC
                 LIMIT %(examined)s) AS e
          JOIN graph_nodes n ON n.namespace_id = %(namespace_id)s AND n.id = e.to_id
         WHERE :in_view
         ORDER BY e.confidence DESC, e.id DESC
         LIMIT %(fan_out)s)
       UNION ALL
       (SELECT :edge, n.id AS other_id, n.anchor AS other_anchor
          FROM (SELECT * FROM graph_edges e
                 WHERE e.namespace_id = %(namespace_id)s AND e.to_id = f.id AND e.from_id <> f.id AND :edge_known AND :edge_in_effect
                   AND (%(types)s::text[] IS NULL OR e.type = ANY(%(types)s))
                 ORDER BY e.confidence DESC, e.id DESC
                 LIMIT %(examined)s) AS e
          JOIN graph_nodes n ON n.namespace_id = %(namespace_id)s AND n.id = e.from_id
         WHERE :in_view
         ORDER BY e.confidence DESC, e.id DESC
         LIMIT %(fan_out)s)) AS e
 ORDER BY f.place, e.confidence DESC, e.id DESC;

-- list_edges --
-- Relations between nodes in the view, in order of their ids.
SELECT :edge, n.id AS other_id, n.anchor AS other_anchor, 1::bigint AS place
  FROM graph_edges e
  JOIN graph_nodes n ON n.namespace_id = %(namespace_id)s AND n.id = e.to_id
 WHERE e.namespace_id = %(namespace_id)s AND :edge_known AND (%(include_ended)s OR :edge_in_effect) AND :in_view
   AND EXISTS (SELECT FROM graph_nodes n WHERE n.namespace_id = %(namespace_id)s AND n.id = e.from_id AND :in_view)
   AND (e.valid_from IS NULL OR e.valid_until IS NULL OR e.valid_from < e.valid_until)
   AND (%(after_id)s::uuid IS NULL OR e.id > %(after_id)s)
 ORDER BY e.id
 LIMIT %(limit)s;

-- now --
-- The start of the transaction; the export reads everything as of this moment.
SELECT now() AS now;
