-- What passages are made from, a statement for each kind of memory: sources that are to be in the index, with their text. Those of
-- a stretch of ids, or those with some ids, whose rows are held until the transaction ends.

-- messages --
-- What was said, in channels that are indexed.
SELECT m.id, {message_kind} AS kind, m.occurred_at, m.conversation_id, m.seq, c.agent, c.subject, c.channel, m.instance, m.author, m.role, m.tags,
       coalesce(k.importance_class, m.importance_class) AS importance_class, m.automated, m.content AS text, '' AS title,
       NULL::timestamptz AS valid_from, NULL::timestamptz AS valid_until, NULL::timestamptz AS known_from,
       NULL::timestamptz AS known_until,
       jsonb_build_array(m.content_blocks, m.tool_name, m.tool_args, m.tool_result) AS parts, s.content AS sentence
  FROM messages m
  JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = m.conversation_id
  JOIN namespaces n ON n.id = %(namespace_id)s
  LEFT JOIN memory_classes k ON k.namespace_id = %(namespace_id)s AND k.memory_id = m.id
  LEFT JOIN tool_sentences s ON s.namespace_id = %(namespace_id)s AND s.message_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND c.erasure_id IS NULL
   AND (coalesce((channel_policy(n.channel_policies, c.channel) ->> 'index')::boolean, true)
        -- What was indexed before a policy keeps its passages.
        OR EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = 0))
   AND :chosen;

-- summaries --
-- Summaries, significant memories among them, unless their channel's policy keeps them within their conversation.
SELECT m.id, {summary_kind} AS kind, m.latest_at AS occurred_at, m.conversation_id, NULL::bigint AS seq, m.agent, m.subject, m.channel, m.instance,
       '' AS author, 0 AS role, '{}'::text[] AS tags, coalesce(k.importance_class, 0) AS importance_class, false AS automated,
       m.content AS text, '' AS title, NULL::timestamptz AS valid_from, NULL::timestamptz AS valid_until,
       NULL::timestamptz AS known_from, NULL::timestamptz AS known_until, NULL::jsonb AS parts, NULL AS sentence
  FROM summaries m
  JOIN namespaces n ON n.id = %(namespace_id)s
  LEFT JOIN memory_classes k ON k.namespace_id = %(namespace_id)s AND k.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND NOT m.hidden
   AND (m.conversation_id IS NULL OR publishes_summaries(n.channel_policies, m.channel)
        -- A summary that was indexed before a policy keeps its passages.
        OR EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = 0))
   AND :chosen;

-- notes --
-- Notes as they are now.
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

-- fact_intervals --
-- When facts hold, and when that was believed.
SELECT m.id, {fact_kind} AS kind, m.valid_from AS occurred_at, NULL::uuid AS conversation_id, NULL::bigint AS seq, f.agent, f.subject,
       '' AS channel, '' AS instance, '' AS author, 0 AS role, '{}'::text[] AS tags, coalesce(k.importance_class, 0) AS importance_class,
       false AS automated, f.attribute AS text, f.value AS title, m.valid_from, m.valid_until, m.known_from, m.known_until,
       NULL::jsonb AS parts, NULL AS sentence
  FROM fact_intervals m
  JOIN facts f ON f.namespace_id = %(namespace_id)s AND f.id = m.fact_id
  LEFT JOIN memory_classes k ON k.namespace_id = %(namespace_id)s AND k.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND :chosen;

-- document_chunks --
-- Chunks of documents as these are now. One keeps who wrote it, and when, through later versions.
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

-- graph_node_versions --
-- What nodes of the graph are, and were, said to be.
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

-- topic_pages --
-- Pages about topics.
SELECT m.id, {topic_kind} AS kind,
       coalesce((SELECT p.occurred_at FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = 0),
                m.made_at) AS occurred_at, NULL::uuid AS conversation_id, NULL::bigint AS seq, m.agent, m.subject,
       '' AS channel, '' AS instance, '' AS author, 0 AS role, '{}'::text[] AS tags, coalesce(k.importance_class, 0) AS importance_class,
       false AS automated, m.content AS text, '' AS title, NULL::timestamptz AS valid_from, NULL::timestamptz AS valid_until,
       NULL::timestamptz AS known_from, NULL::timestamptz AS known_until, NULL::jsonb AS parts, NULL AS sentence
  FROM topic_pages m
  LEFT JOIN memory_classes k ON k.namespace_id = %(namespace_id)s AND k.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND :chosen;
