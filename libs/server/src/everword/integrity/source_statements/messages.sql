-- messages --
-- Messages of channels that are indexed.
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
        -- A message indexed before the policy was set keeps its passages.
        OR EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = 0))
   AND :chosen;
