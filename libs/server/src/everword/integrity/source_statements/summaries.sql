-- summaries --
-- Summaries, significant memories included, unless the channel's policy limits them to their conversation.
SELECT m.id, {summary_kind} AS kind, m.latest_at AS occurred_at, m.conversation_id, NULL::bigint AS seq, m.agent, m.subject, m.channel, m.instance,
       '' AS author, 0 AS role, '{}'::text[] AS tags, coalesce(k.importance_class, 0) AS importance_class, false AS automated,
       m.content AS text, '' AS title, NULL::timestamptz AS valid_from, NULL::timestamptz AS valid_until,
       NULL::timestamptz AS known_from, NULL::timestamptz AS known_until, NULL::jsonb AS parts, NULL AS sentence
  FROM summaries m
  JOIN namespaces n ON n.id = %(namespace_id)s
  LEFT JOIN memory_classes k ON k.namespace_id = %(namespace_id)s AND k.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND NOT m.hidden
   AND (m.conversation_id IS NULL OR publishes_summaries(n.channel_policies, m.channel)
        -- A summary indexed before the policy was set keeps its passages.
        OR EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = 0))
   AND :chosen;
