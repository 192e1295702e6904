-- Statements on nodes of the summary DAG of any axis.

-- node_namespace --
-- Return the settings of a namespace that its nodes depend on; no row once the namespace is being deleted.
SELECT id, time_zone, day_cutoff_minutes, text_search_config::text AS text_search_config, channel_policies, credentials,
       sleep_atomicity, quarantine
  FROM namespaces
 WHERE id = %(namespace_id)s AND state = 'active';

-- get_voice --
-- Return the person or agent in whose voice summaries are written; no row if none was set.
SELECT identity, user_name, pronouns, channel_instructions, handles
  FROM summary_voices
 WHERE namespace_id = %(namespace_id)s;

-- insert_summary --
-- Store a node. No row if its place already has a node, because another worker stored it first.
INSERT INTO summaries (namespace_id, id, level, conversation_id, first_seq, last_seq, period, agent, subject, channel,
                       instance, name, title, previous_id, content, message_count, earliest_at, latest_at, token_count, model,
                       prompt_version, needs_review, faithfulness)
SELECT t.namespace_id, %(id)s, %(level)s, %(conversation_id)s, %(first_seq)s, %(last_seq)s, %(period)s, %(agent)s,
        %(subject)s, %(channel)s, %(instance)s, %(name)s, %(title)s,
       CASE WHEN %(conversation_id)s::uuid IS NULL
            THEN (SELECT s.id FROM summaries s
                   WHERE s.namespace_id = %(namespace_id)s AND s.level = %(level)s AND s.subject = %(subject)s
                     AND s.instance = %(instance)s
                   ORDER BY s.latest_at DESC, s.id DESC LIMIT 1)
            ELSE (SELECT s.id FROM summaries s
                   WHERE s.namespace_id = %(namespace_id)s AND s.conversation_id = %(conversation_id)s
                   ORDER BY s.latest_at DESC, s.id DESC LIMIT 1) END,
        %(content)s, %(message_count)s, %(earliest_at)s, %(latest_at)s, %(token_count)s, %(model)s, %(prompt_version)s,
        %(needs_review)s, %(faithfulness)s
  FROM tenants t
 WHERE t.namespace_id = %(namespace_id)s
ON CONFLICT DO NOTHING
RETURNING id;

-- revise_summary --
-- Rewrite a node in its place and under its id. No row if another worker rewrote it since it was read.
UPDATE summaries
   SET content = %(content)s, last_seq = %(last_seq)s, title = %(title)s, message_count = %(message_count)s,
       earliest_at = %(earliest_at)s, latest_at = %(latest_at)s, token_count = %(token_count)s, model = %(model)s,
       prompt_version = %(prompt_version)s, needs_review = %(needs_review)s, faithfulness = %(faithfulness)s,
       stale = false, hidden = false, revision = revision + 1, revised_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(id)s AND revision = %(revision)s
RETURNING id;

-- delete_summary_sources --
-- Delete the sources of a node before it is rewritten.
DELETE FROM summary_sources WHERE namespace_id = %(namespace_id)s AND summary_id = %(id)s;

-- insert_summary_sources --
-- Link a node to its sources, in order.
INSERT INTO summary_sources (namespace_id, summary_id, ordinal, axis, message_id, child_id, agent, subject)
SELECT t.namespace_id, %(id)s, source.ordinal, %(axis)s, source.message_id, source.child_id, coalesce(n.agent, ''),
       coalesce(n.subject, '')
  FROM tenants t
 CROSS JOIN unnest(%(message_ids)s::uuid[], %(child_ids)s::uuid[]) WITH ORDINALITY AS source (message_id, child_id, ordinal)
  LEFT JOIN summaries n ON n.namespace_id = t.namespace_id AND n.id = %(id)s
 WHERE t.namespace_id = %(namespace_id)s;

-- set_parent --
-- Link nodes to the node above them.
UPDATE summaries
   SET parent_id = %(id)s
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(child_ids)s) AND parent_id IS DISTINCT FROM %(id)s;

-- mark_stale --
-- Mark the node above as stale, because one of its sources has changed.
UPDATE summaries
   SET stale = true
 WHERE namespace_id = %(namespace_id)s
   AND id = (SELECT parent_id FROM summaries WHERE namespace_id = %(namespace_id)s AND id = %(id)s);

-- read_message_sources --
-- Return messages of a conversation by sequence number, in order, with their authors. Automated messages are excluded.
SELECT m.id, m.seq, m.conversation_id, c.agent, c.channel, m.role, m.author, m.instance, m.content, m.content_blocks,
       m.tool_name, m.tool_args, m.tool_result, m.occurred_at,
       coalesce(m.metadata->>'protected', '') = 'true' AS protected
  FROM messages m
  JOIN conversations c ON c.namespace_id = m.namespace_id AND c.id = m.conversation_id
 WHERE m.namespace_id = %(namespace_id)s AND m.conversation_id = %(conversation_id)s AND m.seq = ANY(%(seqs)s)
   AND NOT m.automated
 ORDER BY m.seq;

-- read_source_messages --
-- Return the messages that a node was made from, in order.
SELECT m.id, m.seq, m.conversation_id, c.agent, c.channel, m.role, m.author, m.instance,
       m.content, m.content_blocks, m.tool_name, m.tool_args, m.tool_result, m.occurred_at,
       coalesce(m.metadata->>'protected', '') = 'true' AS protected
  FROM summary_sources s
  JOIN messages m ON m.namespace_id = s.namespace_id AND m.id = s.message_id
  JOIN conversations c ON c.namespace_id = m.namespace_id AND c.id = m.conversation_id
 WHERE s.namespace_id = %(namespace_id)s AND s.summary_id = %(id)s
 ORDER BY s.ordinal;

-- read_source_nodes --
-- Return the nodes that a node was made from, in order, with their text.
SELECT c.id, c.level, c.content, c.conversation_id, c.agent, c.channel, c.instance, c.message_count, c.earliest_at,
       c.latest_at, c.first_seq, c.last_seq
  FROM summary_sources s
  JOIN summaries c ON c.namespace_id = s.namespace_id AND c.id = s.child_id AND NOT c.hidden
 WHERE s.namespace_id = %(namespace_id)s AND s.summary_id = %(id)s
 ORDER BY s.ordinal;

-- read_node --
-- Return a node without its text.
SELECT id, level, conversation_id, first_seq, last_seq, period, instance, parent_id, message_count, earliest_at,
       latest_at, token_count, model, prompt_version, revision, stale, needs_review
  FROM summaries
 WHERE namespace_id = %(namespace_id)s AND id = %(id)s;

-- read_vectors --
-- Return the existing vectors of the passages of memories, in the order of the passages.
SELECT m.source_id, v.embedding::text AS embedding
  FROM visible_memories m
  JOIN visible_vectors_:generation v ON v.namespace_id = m.namespace_id AND v.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(source_ids)s)
 ORDER BY m.source_id, m.part;

-- active_generation --
-- Return the active model generation, which searches use.
SELECT id FROM model_generations WHERE state = 'active';

-- note_leaf --
-- Enqueue a leaf, so that the topic pages of the nodes it names are updated.
INSERT INTO topic_changes (namespace_id, leaf_id) VALUES (%(namespace_id)s, %(id)s);
