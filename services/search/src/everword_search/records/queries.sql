-- Statements on stored records: by id and in pages.

-- caught_up --
-- True if this server has a write: a primary always does, a replica once it has replayed the write's position.
SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= %(lsn)s::pg_lsn
  FROM tenants
 WHERE namespace_id = %(namespace_id)s;

-- read_memories --
-- Memories in the order of the given ids, each with the beginning of its text, assembled from passages, and one
-- passage. max_parts passages always contain the first max_chars characters. The sentence for a tool call is passage
-- -1: it is searchable, but no part of the text. The end of a long tool result is not indexed and is appended. Expired
-- notes are left out.
SELECT m.source_id AS id, m.kind,
       left(m.content || coalesce(rest.content, '') || coalesce(said.unindexed, ''), coalesce(%(max_chars)s, 2147483647))
       AS content, m.conversation_id, m.seq, m.agent, m.subject, m.channel, m.instance, m.author, m.role, m.tags, m.importance_class, m.automated,
       m.occurred_at, coalesce(u.use_count, 0) AS use_count, u.last_used_at,
       coalesce(rest.parts >= %(max_parts)s
                OR length(m.content) + coalesce(rest.length, 0) + coalesce(length(said.unindexed), 0) > %(max_chars)s, false)
       AS content_truncated,
       CASE wanted.passage_id WHEN m.id THEN m.content
            ELSE coalesce((SELECT content FROM visible_memories
                            WHERE namespace_id = %(namespace_id)s AND id = wanted.passage_id), '') END AS passage,
       coalesce(sentence.content, '') AS synthesized_content, coalesce(said.external_id, '') AS external_id,
       coalesce(said.tool_name, '') AS tool_name, coalesce(said.token_count, 0) AS token_count,
       CASE WHEN said.metadata_chars <= coalesce(%(max_metadata_chars)s, 2147483647) THEN said.metadata END AS metadata,
       coalesce(said.metadata_chars > %(max_metadata_chars)s, false) AS metadata_omitted,
       coalesce(node.level, 0::smallint) AS summary_level, node.period, coalesce(note.key, '') AS note_key,
       coalesce(note.kind, '') AS note_kind, part_of.document_id, coalesce(part_of.title, '') AS document_title,
       coalesce(part_of.headings, '{}') AS headings, coalesce(part_of.page, 0) AS page,
       coalesce(part_of.kind = 2, false) AS of_workspace, coalesce(talk.name, '') AS conversation_name,
       m.role = 4 OR coalesce(said.tool_name, '') <> ''
       OR coalesce((channel_policy(policies.of_channels, m.channel) ->> 'untrusted')::boolean, false) AS untrusted
  FROM unnest(%(source_ids)b::uuid[], %(passage_ids)b::bigint[]) WITH ORDINALITY AS wanted (source_id, passage_id, place)
 CROSS JOIN (SELECT channel_policies AS of_channels FROM namespaces WHERE id = %(namespace_id)s) AS policies
 CROSS JOIN LATERAL (
       SELECT * FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND source_id = wanted.source_id AND part = 0
          AND (kind NOT IN {expiring_kinds} OR valid_until IS NULL OR valid_until > now())
       OFFSET 0) AS m
 CROSS JOIN LATERAL (
       SELECT string_agg(content, '' ORDER BY part) AS content, sum(length(content)) AS length, count(*) AS parts
         FROM (SELECT content, part FROM visible_memories
                WHERE namespace_id = %(namespace_id)s AND source_id = wanted.source_id AND part > 0
                ORDER BY part LIMIT %(max_parts)s::bigint) AS further) AS rest
  LEFT JOIN LATERAL (
       SELECT use_count, last_used_at FROM memory_use
        WHERE namespace_id = %(namespace_id)s AND memory_id = wanted.source_id
       OFFSET 0) AS u ON true
  LEFT JOIN LATERAL (
       SELECT content FROM tool_sentences
        WHERE namespace_id = %(namespace_id)s AND message_id = wanted.source_id
       OFFSET 0) AS sentence ON true
  LEFT JOIN LATERAL (
       -- The size in bytes is known without reading the text; the number of characters is not.
       SELECT external_id, tool_name, token_count, metadata, length(metadata::text) AS metadata_chars,
              CASE WHEN octet_length(tool_result) > %(indexed_chars)s
                        AND coalesce(%(max_chars)s, 2147483647) >= %(indexed_chars)s
                   THEN substr(tool_result, %(indexed_chars)s + 1) END AS unindexed
         FROM messages
        WHERE m.kind = {message_kind} AND namespace_id = %(namespace_id)s AND id = wanted.source_id
       OFFSET 0) AS said ON true
  LEFT JOIN LATERAL (
       SELECT level, period FROM summaries
        WHERE m.kind = {summary_kind} AND namespace_id = %(namespace_id)s AND id = wanted.source_id
       OFFSET 0) AS node ON true
  LEFT JOIN LATERAL (
       SELECT key, kind FROM notes
        WHERE m.kind = {note_kind} AND namespace_id = %(namespace_id)s AND id = wanted.source_id
       OFFSET 0) AS note ON true
  LEFT JOIN LATERAL (
       SELECT c.document_id, d.title, d.kind, c.headings, c.page
         FROM document_chunks c
         JOIN documents d ON d.namespace_id = %(namespace_id)s AND d.id = c.document_id
        WHERE m.kind = {chunk_kind} AND c.namespace_id = %(namespace_id)s AND c.id = wanted.source_id
       OFFSET 0) AS part_of ON true
  LEFT JOIN LATERAL (
       SELECT coalesce(nullif(title, ''), session_key) AS name FROM conversations
        WHERE namespace_id = %(namespace_id)s AND id = m.conversation_id
       OFFSET 0) AS talk ON true
 ORDER BY wanted.place;

-- read_surroundings --
-- The passages of memories around one passage of each, at most `reach` before and after it, in order.
SELECT wanted.source_id AS memory_id, near.part, near.part - matching.part AS distance, near.content
  FROM unnest(%(source_ids)b::uuid[], %(passage_ids)b::bigint[], %(reaches)b::bigint[])
       WITH ORDINALITY AS wanted (source_id, passage_id, reach, place)
 CROSS JOIN LATERAL (
       SELECT part FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND id = wanted.passage_id
       OFFSET 0) AS matching
 CROSS JOIN LATERAL (
       SELECT part, content FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND source_id = wanted.source_id
          AND part BETWEEN greatest(matching.part - wanted.reach, 0) AND matching.part + wanted.reach
       OFFSET 0) AS near
 WHERE matching.part >= 0
 ORDER BY wanted.place, near.part;

-- memory_bytes --
-- The total size in bytes of the texts of memories, including tool results that are too long for the index.
SELECT (SELECT coalesce(sum(octet_length(content)), 0)
          FROM visible_memories
         WHERE namespace_id = %(namespace_id)s AND source_id = ANY(%(source_ids)b))
       + (SELECT coalesce(sum(octet_length(tool_result)), 0)
            FROM messages
           WHERE namespace_id = %(namespace_id)s AND id = ANY(%(source_ids)b)
             AND octet_length(tool_result) > %(indexed_chars)s);

-- get_message --
-- A message by its id.
SELECT id, conversation_id, seq, role, author, instance, content, content_blocks, tags, importance_class, automated,
       tool_name, tool_args, tool_result, metadata, token_count, external_id, parent_id, occurred_at, recorded_at,
       coalesce((SELECT s.content FROM tool_sentences s
                  WHERE s.namespace_id = %(namespace_id)s AND s.message_id = messages.id), '') AS synthesized_content
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND id = %(message_id)s;

-- find_message --
-- The id of a conversation's message with an external id.
SELECT id
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND external_id = %(external_id)s;

-- find_message_at --
-- The id of the message at a position of a conversation.
SELECT id FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND seq = %(seq)s;

-- get_conversation --
-- A conversation by its id.
SELECT id, session_key, agent, channel, channel_id, bot_identity, instance, subject, client_session_id, task_id, title,
       settings, active, last_seq, turn_count, last_message_at, created_at, updated_at
  FROM conversations
 WHERE namespace_id = %(namespace_id)s AND id = %(conversation_id)s;

-- find_conversation --
-- A conversation by its key.
SELECT id, session_key, agent, channel, channel_id, bot_identity, instance, subject, client_session_id, task_id, title,
       settings, active, last_seq, turn_count, last_message_at, created_at, updated_at
  FROM conversations
 WHERE namespace_id = %(namespace_id)s AND channel = %(channel)s AND agent = %(agent)s
   AND session_key = %(session_key)s;

-- list_conversations --
-- Conversations, newest first; their ids grow with time.
SELECT id, session_key, agent, channel, channel_id, bot_identity, instance, subject, client_session_id, task_id, title,
       settings, active, last_seq, turn_count, last_message_at, created_at, updated_at
  FROM conversations
 WHERE namespace_id = %(namespace_id)s AND id < %(after_id)s
   AND (%(agents)s::text[] IS NULL OR agent = ANY(%(agents)s))
   AND (%(channels)s::text[] IS NULL OR channel = ANY(%(channels)s))
   AND (%(subjects)s::text[] IS NULL OR subject = ANY(%(subjects)s))
   AND (%(active)s::boolean IS NULL OR active = %(active)s)
   AND (%(client_session_ids)s::text[] IS NULL
        OR client_session_id <> '' AND client_session_id = ANY(%(client_session_ids)s))
   AND (%(task_ids)s::text[] IS NULL OR task_id <> '' AND task_id = ANY(%(task_ids)s))
 ORDER BY id DESC
 LIMIT %(limit)s;

-- list_messages_newest --
-- Messages of a conversation, newest first: as many as fit into max_bytes, but at least one.
WITH page AS (
    SELECT *, octet_length(content) + octet_length(tool_args) + octet_length(tool_result)
              + coalesce(octet_length(content_blocks::text), 0) + coalesce(octet_length(metadata::text), 0) AS size
      FROM messages
     WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND seq < %(after_seq)s
     ORDER BY seq DESC
     LIMIT %(limit)s
)
SELECT id, conversation_id, seq, role, author, instance, content, content_blocks, tags, importance_class, automated,
       tool_name, tool_args, tool_result, metadata, token_count, external_id, parent_id, occurred_at, recorded_at,
       available, coalesce((SELECT s.content FROM tool_sentences s
                             WHERE s.namespace_id = %(namespace_id)s AND s.message_id = sized.id), '')
                  AS synthesized_content
  FROM (SELECT *, sum(size) OVER (ORDER BY seq DESC) AS size_so_far, count(*) OVER () AS available FROM page) AS sized
 WHERE size_so_far <= %(max_bytes)s OR size_so_far = size
 ORDER BY seq DESC;

-- list_messages_oldest --
-- Messages of a conversation, oldest first: as many as fit into max_bytes, but at least one.
WITH page AS (
    SELECT *, octet_length(content) + octet_length(tool_args) + octet_length(tool_result)
              + coalesce(octet_length(content_blocks::text), 0) + coalesce(octet_length(metadata::text), 0) AS size
      FROM messages
     WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND seq > %(after_seq)s
     ORDER BY seq
     LIMIT %(limit)s
)
SELECT id, conversation_id, seq, role, author, instance, content, content_blocks, tags, importance_class, automated,
       tool_name, tool_args, tool_result, metadata, token_count, external_id, parent_id, occurred_at, recorded_at,
       available, coalesce((SELECT s.content FROM tool_sentences s
                             WHERE s.namespace_id = %(namespace_id)s AND s.message_id = sized.id), '')
                  AS synthesized_content
  FROM (SELECT *, sum(size) OVER (ORDER BY seq) AS size_so_far, count(*) OVER () AS available FROM page) AS sized
 WHERE size_so_far <= %(max_bytes)s OR size_so_far = size
 ORDER BY seq;

-- recent_turns --
-- The latest messages of a conversation that are not automated, newest first: as many as fit into max_bytes, but at
-- least one.
WITH page AS (
    SELECT *, octet_length(content) + octet_length(tool_args) + octet_length(tool_result)
              + coalesce(octet_length(content_blocks::text), 0) + coalesce(octet_length(metadata::text), 0) AS size
      FROM messages
     WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND NOT automated
     ORDER BY seq DESC
     LIMIT %(limit)s
)
SELECT id, conversation_id, seq, role, author, instance, content, content_blocks, tags, importance_class, automated,
       tool_name, tool_args, tool_result, metadata, token_count, external_id, parent_id, occurred_at, recorded_at,
       available
  FROM (SELECT *, sum(size) OVER (ORDER BY seq DESC) AS size_so_far, count(*) OVER () AS available FROM page) AS sized
 WHERE size_so_far <= %(max_bytes)s OR size_so_far = size
 ORDER BY seq DESC;

-- latest_user_message --
-- The latest message of a user in the conversation.
SELECT id, conversation_id, seq, role, author, instance, content, content_blocks, tags, importance_class, automated,
       tool_name, tool_args, tool_result, metadata, token_count, external_id, parent_id, occurred_at, recorded_at
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND NOT automated AND role = %(role)s
 ORDER BY seq DESC
 LIMIT 1;

-- insert_memory_use --
-- Count one use of each memory. The ids are sorted, so that concurrent calls lock rows in the same order.
INSERT INTO memory_use (namespace_id, memory_id, use_count, last_used_at)
SELECT t.namespace_id, used.id, 1, now()
  FROM tenants t
 CROSS JOIN unnest(%(memory_ids)s::uuid[]) AS used (id)
 WHERE t.namespace_id = %(namespace_id)s
ON CONFLICT (namespace_id, memory_id) DO UPDATE
   SET use_count = memory_use.use_count + 1, last_used_at = excluded.last_used_at;

-- use_custom_plans --
-- Plan the following statements of the transaction for their parameters, since the best plan depends on the filter, and
-- set their timeout. Also set the minimum similarity of literals that counts as a match.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
       set_config('statement_timeout', %(statement_timeout)s, true),
       set_config('pg_trgm.word_similarity_threshold', %(similarity)s, true),
       send_settings();

-- use_generic_plans --
-- Plan each of the following statements of the transaction once per connection, and set their timeout. Statements by
-- words or ids always use the same plan, and planning them would take as long as running them.
-- Citus cannot plan some of them without their parameters.
SELECT set_config('plan_cache_mode', CASE WHEN current_setting('citus.shard_count', true) IS NOT NULL THEN 'auto' ELSE 'force_generic_plan' END, true),
       set_config('statement_timeout', %(statement_timeout)s, true),
       send_settings();
