-- lore_entries --
-- Entries of lorebooks.
SELECT m.id, {lore_kind} AS kind,
       coalesce((SELECT p.occurred_at FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = 0),
                m.updated_at) AS occurred_at, b.conversation_id, NULL::bigint AS seq, b.agent, b.subject,
       coalesce(c.channel, '') AS channel, '' AS instance, '' AS author, 0 AS role, '{}'::text[] AS tags,
       coalesce(k.importance_class, 0) AS importance_class, false AS automated, m.content AS text, m.title,
       NULL::timestamptz AS valid_from, NULL::timestamptz AS valid_until, NULL::timestamptz AS known_from,
       NULL::timestamptz AS known_until, NULL::jsonb AS parts, NULL AS sentence
  FROM lore_entries m
  JOIN lore_books b ON b.namespace_id = %(namespace_id)s AND b.id = m.book_id
  LEFT JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = b.conversation_id
  LEFT JOIN memory_classes k ON k.namespace_id = %(namespace_id)s AND k.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND :chosen;
