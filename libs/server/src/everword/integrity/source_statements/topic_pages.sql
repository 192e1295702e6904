-- topic_pages --
-- Topic pages.
SELECT m.id, {topic_kind} AS kind,
       coalesce((SELECT p.occurred_at FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = 0),
                m.made_at) AS occurred_at, NULL::uuid AS conversation_id, NULL::bigint AS seq, m.agent, m.subject,
       '' AS channel, '' AS instance, '' AS author, 0 AS role, '{}'::text[] AS tags, coalesce(k.importance_class, 0) AS importance_class,
       false AS automated, m.content AS text, '' AS title, NULL::timestamptz AS valid_from, NULL::timestamptz AS valid_until,
       NULL::timestamptz AS known_from, NULL::timestamptz AS known_until, NULL::jsonb AS parts, NULL AS sentence
  FROM topic_pages m
  LEFT JOIN memory_classes k ON k.namespace_id = %(namespace_id)s AND k.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND :chosen;
