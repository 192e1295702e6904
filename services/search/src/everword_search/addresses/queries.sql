-- Statements that find what is at an address, and what is in a directory. Every one names its namespace.

-- find_message_at --
-- The message at a place of a conversation.
SELECT id FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND seq = %(seq)s;

-- find_note_key --
-- The note with a key.
SELECT id FROM notes WHERE namespace_id = %(namespace_id)s AND key_hash = %(key_hash)s;

-- find_interval --
-- The interval in which a fact holds, or held last.
SELECT id FROM fact_intervals
 WHERE namespace_id = %(namespace_id)s AND fact_id = %(fact_id)s AND known_until IS NULL
 ORDER BY valid_from DESC
 LIMIT 1;

-- find_version --
-- What is known of a node.
SELECT id FROM graph_node_versions
 WHERE namespace_id = %(namespace_id)s AND node_id = %(node_id)s AND known_until IS NULL
 ORDER BY known_from DESC
 LIMIT 1;

-- read_conversations --
-- Conversations as directories, the latest made first, or the one with an id: with the beginning of the summary, or the first
-- words of a conversation without one. A list shows no words of conversations of kept-out channels.
SELECT c.id, c.title, c.session_key, c.last_message_at,
       CASE WHEN %(conversation_id)s::uuid IS NULL AND NOT publishes_summaries(policies.of_channels, c.channel) THEN ''
            ELSE coalesce(top.content, first.content, '') END AS lead,
       coalesce(first.is_tools OR (channel_policy(policies.of_channels, c.channel) ->> 'untrusted')::boolean, false) AS untrusted
  FROM conversations c
 CROSS JOIN (SELECT channel_policies AS of_channels FROM namespaces WHERE id = %(namespace_id)s) AS policies
  LEFT JOIN LATERAL (
       SELECT left(content, %(chars)s) AS content FROM summaries
        WHERE namespace_id = %(namespace_id)s AND conversation_id = c.id AND NOT needs_review
        ORDER BY level DESC, first_seq DESC
        LIMIT 1) AS top ON true
  LEFT JOIN LATERAL (
       SELECT left(content, %(chars)s) AS content, role = 4 OR tool_name <> '' AS is_tools FROM messages
        WHERE namespace_id = %(namespace_id)s AND conversation_id = c.id AND seq <= 20 AND NOT automated AND content <> ''
        ORDER BY seq
        LIMIT 1) AS first ON top.content IS NULL
 WHERE c.namespace_id = %(namespace_id)s AND (%(conversation_id)s::uuid IS NULL OR c.id = %(conversation_id)s)
   AND (%(after)s::uuid IS NULL OR c.id < %(after)s)
 ORDER BY c.id DESC
 LIMIT %(limit)s;

-- list_messages --
-- Messages of a conversation, in their order.
SELECT id, seq FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(parent)s AND seq > coalesce(%(after)s::bigint, 0)
 ORDER BY seq
 LIMIT %(limit)s;

-- list_conversation_summaries --
-- Summaries of a conversation, the latest made first.
SELECT id, 0::bigint AS seq FROM summaries
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(parent)s AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_summaries --
-- Summaries of no conversation: along the calendar, and what is significant.
SELECT id, 0::bigint AS seq FROM summaries
 WHERE namespace_id = %(namespace_id)s AND conversation_id IS NULL AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_notes --
-- Notes that stand, the latest made first.
SELECT id, 0::bigint AS seq FROM notes
 WHERE namespace_id = %(namespace_id)s AND version > 0 AND deleted_at IS NULL
   AND (expires_at IS NULL OR expires_at > now()) AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_facts --
-- Facts that hold, the latest made first: each interval in which one holds is a memory.
SELECT id, 0::bigint AS seq FROM fact_intervals
 WHERE namespace_id = %(namespace_id)s AND known_until IS NULL AND (valid_until IS NULL OR valid_until > now())
   AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_nodes --
-- Nodes of the graph, the latest made first: each version of what is known of one is a memory.
SELECT id, 0::bigint AS seq FROM graph_node_versions
 WHERE namespace_id = %(namespace_id)s AND known_until IS NULL AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_chunks --
-- Chunks of documents as they stand, the latest made first.
SELECT id, 0::bigint AS seq FROM document_chunks
 WHERE namespace_id = %(namespace_id)s AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_lore --
-- Entries of lorebooks, the latest made first.
SELECT id, 0::bigint AS seq FROM lore_entries
 WHERE namespace_id = %(namespace_id)s AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_topics --
-- Pages about topics, the latest made first.
SELECT id, 0::bigint AS seq FROM topic_pages
 WHERE namespace_id = %(namespace_id)s AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;
