-- notes --
-- Current versions of notes.
SELECT m.id, {note_kind} AS kind,
       coalesce((SELECT p.occurred_at FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = 0),
                v.written_at) AS occurred_at, m.conversation_id, NULL::bigint AS seq,
       coalesce(c.agent, m.agent) AS agent, coalesce(c.subject, m.subject) AS subject,
       coalesce(c.channel, '') AS channel, '' AS instance, v.author, 0 AS role,
       v.tags || CASE WHEN v.kind <> '' AND NOT v.kind = ANY(v.tags) THEN ARRAY[v.kind] ELSE '{}' END AS tags,
       coalesce(k.importance_class, 0) AS importance_class, false AS automated, v.content AS text, m.key AS title,
       NULL::timestamptz AS valid_from, m.expires_at AS valid_until, NULL::timestamptz AS known_from,
       NULL::timestamptz AS known_until, NULL::jsonb AS parts, NULL AS sentence
  FROM notes m
  JOIN note_versions v ON v.namespace_id = %(namespace_id)s AND v.note_id = m.id AND v.version = m.version
  LEFT JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = m.conversation_id
  LEFT JOIN memory_classes k ON k.namespace_id = %(namespace_id)s AND k.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND m.deleted_at IS NULL AND :chosen;
