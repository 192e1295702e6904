-- Statements that resolve addresses and list directories. Every one filters by namespace.

-- find_note_key --
-- The id of the note with a key.
SELECT id FROM notes WHERE namespace_id = %(namespace_id)s AND key_hash = %(key_hash)s;

-- find_interval --
-- The memory of a fact's current interval, or of its latest one.
SELECT id FROM fact_intervals
 WHERE namespace_id = %(namespace_id)s AND fact_id = %(fact_id)s AND known_until IS NULL
 ORDER BY valid_from DESC
 LIMIT 1;

-- find_version --
-- The memory of a node's current version.
SELECT id FROM graph_node_versions
 WHERE namespace_id = %(namespace_id)s AND node_id = %(node_id)s AND known_until IS NULL
 ORDER BY known_from DESC
 LIMIT 1;

-- read_conversations --
-- Conversations as directory entries, newest first, or the one with an id; with the beginning of its summary, or its
-- first words if it has none. A list shows no words of conversations of kept-out channels.
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
-- Messages of a conversation, in order.
SELECT id, seq FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(parent)s AND seq > coalesce(%(after)s::bigint, 0)
 ORDER BY seq
 LIMIT %(limit)s;

-- list_conversation_summaries --
-- Summaries of a conversation, newest first.
SELECT id, 0::bigint AS seq FROM summaries
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(parent)s AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_summaries --
-- Summaries outside conversations, newest first: calendar periods and significant events.
SELECT id, 0::bigint AS seq FROM summaries
 WHERE namespace_id = %(namespace_id)s AND conversation_id IS NULL AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_notes --
-- Valid notes, newest first.
SELECT id, 0::bigint AS seq FROM notes
 WHERE namespace_id = %(namespace_id)s AND version > 0 AND deleted_at IS NULL
   AND (expires_at IS NULL OR expires_at > now()) AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_facts --
-- Current facts, newest first; each interval of validity is a memory.
SELECT id, 0::bigint AS seq FROM fact_intervals
 WHERE namespace_id = %(namespace_id)s AND known_until IS NULL AND (valid_until IS NULL OR valid_until > now())
   AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_nodes --
-- Nodes of the graph, newest first; each version of a node is a memory.
SELECT id, 0::bigint AS seq FROM graph_node_versions
 WHERE namespace_id = %(namespace_id)s AND known_until IS NULL AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_chunks --
-- Chunks of current documents, newest first.
SELECT id, 0::bigint AS seq FROM document_chunks
 WHERE namespace_id = %(namespace_id)s AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_lore --
-- Lorebook entries, newest first.
SELECT id, 0::bigint AS seq FROM lore_entries
 WHERE namespace_id = %(namespace_id)s AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_topics --
-- Topic pages, newest first.
SELECT id, 0::bigint AS seq FROM topic_pages
 WHERE namespace_id = %(namespace_id)s AND (%(after)s::uuid IS NULL OR id < %(after)s)
 ORDER BY id DESC
 LIMIT %(limit)s;
