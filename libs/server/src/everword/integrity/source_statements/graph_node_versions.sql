-- graph_node_versions --
-- Current and former versions of graph nodes.
SELECT m.id, {node_kind} AS kind,
       coalesce((SELECT p.occurred_at FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = 0),
                m.known_from) AS occurred_at, NULL::uuid AS conversation_id, NULL::bigint AS seq, n.agent, n.subject,
       '' AS channel, '' AS instance, '' AS author, 0 AS role, '{}'::text[] AS tags, coalesce(k.importance_class, 0) AS importance_class,
       false AS automated, m.label AS text, m.type AS title, NULL::timestamptz AS valid_from, NULL::timestamptz AS valid_until,
       m.known_from, m.known_until, jsonb_build_array(m.description, m.aliases) AS parts, NULL AS sentence
  FROM graph_node_versions m
  JOIN graph_nodes n ON n.namespace_id = %(namespace_id)s AND n.id = m.node_id
  LEFT JOIN memory_classes k ON k.namespace_id = %(namespace_id)s AND k.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND :chosen;
