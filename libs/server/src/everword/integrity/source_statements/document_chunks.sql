-- document_chunks --
-- Chunks of the current versions of documents. A chunk keeps its author and time in later versions.
SELECT m.id, {chunk_kind} AS kind, coalesce(p.occurred_at, v.written_at) AS occurred_at, d.conversation_id, NULL::bigint AS seq,
       coalesce(c.agent, d.agent) AS agent, coalesce(c.subject, d.subject) AS subject, coalesce(c.channel, '') AS channel,
       '' AS instance, coalesce(p.author, v.author) AS author, 0 AS role, 'document:' || d.id || v.tags AS tags,
       coalesce(k.importance_class, 0) AS importance_class, false AS automated,
       substr(v.content, m.start_char::integer + 1, (m.end_char - m.start_char)::integer) AS text, d.title,
       NULL::timestamptz AS valid_from, NULL::timestamptz AS valid_until, NULL::timestamptz AS known_from,
       NULL::timestamptz AS known_until, jsonb_build_array(m.headings, encode(m.digest, 'hex'), p.id IS NOT NULL) AS parts, NULL AS sentence
  FROM document_chunks m
  JOIN documents d ON d.namespace_id = %(namespace_id)s AND d.id = m.document_id
  JOIN document_versions v ON v.namespace_id = %(namespace_id)s AND v.document_id = d.id AND v.version = d.version
  LEFT JOIN memories p ON p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = 0
  LEFT JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = d.conversation_id
  LEFT JOIN memory_classes k ON k.namespace_id = %(namespace_id)s AND k.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND :chosen;
