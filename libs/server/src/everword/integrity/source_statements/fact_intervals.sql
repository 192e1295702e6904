-- fact_intervals --
-- Validity intervals of facts, with the times in which they were believed.
SELECT m.id, {fact_kind} AS kind, m.valid_from AS occurred_at, NULL::uuid AS conversation_id, NULL::bigint AS seq, f.agent, f.subject,
       '' AS channel, '' AS instance, '' AS author, 0 AS role, '{}'::text[] AS tags, coalesce(k.importance_class, 0) AS importance_class,
       false AS automated, f.attribute AS text, f.value AS title, m.valid_from, m.valid_until, m.known_from, m.known_until,
       NULL::jsonb AS parts, NULL AS sentence
  FROM fact_intervals m
  JOIN facts f ON f.namespace_id = %(namespace_id)s AND f.id = m.fact_id
  LEFT JOIN memory_classes k ON k.namespace_id = %(namespace_id)s AND k.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND :chosen;
