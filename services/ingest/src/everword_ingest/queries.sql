-- Statements of IngestService. Every one names its namespace.

-- insert_conversation --
-- Make and count a conversation where the key is new; returns its id only then.
WITH made AS (
    INSERT INTO conversations (namespace_id, id, session_key, agent, channel, channel_id, bot_identity, instance,
                               subject, client_session_id, title, settings)
    VALUES (%(namespace_id)s, %(id)s, %(session_key)s, %(agent)s, %(channel)s, %(channel_id)s, %(bot_identity)s,
            %(instance)s, %(subject)s, %(client_session_id)s, %(title)s, %(settings)s)
    ON CONFLICT (namespace_id, channel, agent, session_key) DO NOTHING
    RETURNING id
), counted AS (
    INSERT INTO corpus_counts (namespace_id, conversations) SELECT %(namespace_id)s, 1 FROM made
)
SELECT id FROM made;

-- find_conversation --
-- The conversation with a key.
SELECT id, session_key, agent, channel, channel_id, bot_identity, instance, subject, client_session_id, title, settings,
       active, last_seq, turn_count, last_message_at, created_at, updated_at
  FROM conversations
 WHERE namespace_id = %(namespace_id)s AND channel = %(channel)s AND agent = %(agent)s
   AND session_key = %(session_key)s;

-- lock_conversation --
-- Hold a conversation until the end of the transaction: whoever appends to it waits here, so that sequences have no
-- gaps and of two equal requests one sees the other's result. With it comes up to where it is summed up.
SELECT id, session_key, agent, channel, channel_id, bot_identity, instance, subject, client_session_id, title, settings,
       active, last_seq, turn_count, last_message_at, created_at, updated_at,
       coalesce((SELECT p.summarised_seq FROM compaction_progress p
                  WHERE p.namespace_id = %(namespace_id)s AND p.conversation_id = conversations.id), 0) AS summarised_seq
  FROM conversations
 WHERE namespace_id = %(namespace_id)s AND id = %(conversation_id)s
   FOR NO KEY UPDATE;

-- lock_conversation_by_key --
-- The same for the conversation with a key.
SELECT id, session_key, agent, channel, channel_id, bot_identity, instance, subject, client_session_id, title, settings,
       active, last_seq, turn_count, last_message_at, created_at, updated_at,
       coalesce((SELECT p.summarised_seq FROM compaction_progress p
                  WHERE p.namespace_id = %(namespace_id)s AND p.conversation_id = conversations.id), 0) AS summarised_seq
  FROM conversations
 WHERE namespace_id = %(namespace_id)s AND channel = %(channel)s AND agent = %(agent)s
   AND session_key = %(session_key)s
   FOR NO KEY UPDATE;

-- update_conversation --
-- Change what the caller may change; a field that is not named keeps its value.
UPDATE conversations
   SET title = CASE WHEN 'title' = ANY(%(fields)s) THEN %(title)s ELSE title END,
       settings = CASE WHEN 'settings' = ANY(%(fields)s) THEN %(settings)s::jsonb ELSE settings END,
       active = CASE WHEN 'active' = ANY(%(fields)s) THEN %(active)s ELSE active END,
       client_session_id = CASE WHEN 'client_session_id' = ANY(%(fields)s) THEN %(client_session_id)s
                                ELSE client_session_id END,
       updated_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(conversation_id)s
RETURNING id, session_key, agent, channel, channel_id, bot_identity, instance, subject, client_session_id, title,
          settings, active, last_seq, turn_count, last_message_at, created_at, updated_at;

-- claim_request --
-- Record a request id before anything else is written; returns it only if it is new. Of two equal requests at once, the
-- second waits here for the first.
INSERT INTO append_requests (namespace_id, request_id, body_hash, conversation_id, message_ids)
VALUES (%(namespace_id)s, %(request_id)s, %(body_hash)s, %(conversation_id)s, %(message_ids)b::uuid[])
ON CONFLICT (namespace_id, request_id) DO NOTHING
RETURNING request_id;

-- find_request --
-- What a request id was used for.
SELECT body_hash, conversation_id, message_ids
  FROM append_requests
 WHERE namespace_id = %(namespace_id)s AND request_id = %(request_id)s;

-- update_request --
-- Record the ids that a request returned, where some of its messages existed before.
UPDATE append_requests
   SET message_ids = %(message_ids)s
 WHERE namespace_id = %(namespace_id)s AND request_id = %(request_id)s;

-- find_external_messages --
-- Messages of a conversation by the caller's ids, with hashes of their texts: a thousand of them may have gigabytes.
SELECT id, seq, external_id, role, author, tool_name, sha256(convert_to(content, 'UTF8')) AS content_hash,
       sha256(convert_to(tool_args, 'UTF8')) AS tool_args_hash, sha256(convert_to(tool_result, 'UTF8')) AS tool_result_hash
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s
   AND external_id = ANY(%(external_ids)b::text[]);

-- find_messages --
-- Where messages stand that an earlier call of a request stored.
SELECT id, seq FROM messages WHERE namespace_id = %(namespace_id)s AND id = ANY(%(message_ids)s);

-- highest_passage --
-- The highest id of a passage of messages that an earlier call of a request stored.
SELECT coalesce(max(id), 0)
  FROM visible_memories
 WHERE namespace_id = %(namespace_id)s AND source_id = ANY(%(message_ids)s);

-- advance_conversation --
-- Count new messages in, and take a title from the first where there is none.
UPDATE conversations
   SET last_seq = last_seq + %(messages)s,
       turn_count = turn_count + %(turns)s,
       last_message_at = %(last_message_at)s,
       title = CASE WHEN title = '' THEN %(title)s ELSE title END,
       updated_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(conversation_id)s;

-- insert_messages --
-- Store messages. The arrays are in the order of the sequence, and binary: as text, every character is looked at for quotes.
INSERT INTO messages (namespace_id, conversation_id, id, seq, role, author, instance, content, content_blocks, tags,
                      importance_class, automated, tool_name, tool_args, tool_result, metadata, token_count,
                      external_id, parent_id, occurred_at)
SELECT %(namespace_id)s, %(conversation_id)s, m.id, m.seq, m.role, m.author, m.instance, m.content, m.content_blocks,
       m.tags::text[], m.importance_class, m.automated, m.tool_name, m.tool_args, m.tool_result, m.metadata,
       m.token_count, m.external_id, m.parent_id, m.occurred_at
  FROM unnest(%(id)b::uuid[], %(seq)b::bigint[], %(role)b::smallint[], %(author)b::text[], %(instance)b::text[],
              %(content)b::text[], %(content_blocks)b::jsonb[], %(tags)b::text[], %(importance_class)b::smallint[],
              %(automated)b::boolean[], %(tool_name)b::text[], %(tool_args)b::text[], %(tool_result)b::text[],
              %(metadata)b::jsonb[], %(token_count)b::integer[], %(external_id)b::text[], %(parent_id)b::uuid[],
              %(occurred_at)b::timestamptz[])
    AS m (id, seq, role, author, instance, content, content_blocks, tags, importance_class, automated, tool_name,
          tool_args, tool_result, metadata, token_count, external_id, parent_id, occurred_at);

-- enqueue_days --
-- Enqueue what was said for the calendar: a row for each day and instance, with the places of the messages.
INSERT INTO calendar_pending (namespace_id, level, period, instance, conversation_id, seqs)
SELECT %(namespace_id)s, 4, said.day, said.instance, %(conversation_id)s, array_agg(said.seq ORDER BY said.seq)
  FROM unnest(%(days)b::date[], %(instances)b::text[], %(seqs)b::bigint[]) AS said (day, instance, seq)
 GROUP BY said.day, said.instance
 ORDER BY said.day, said.instance;

-- enqueue_sentences --
-- Enqueue sentences of tool calls without words.
INSERT INTO tool_sentence_queue (namespace_id, message_id)
SELECT %(namespace_id)s, message_id FROM unnest(%(message_ids)s::uuid[]) AS message_id;

-- insert_significant --
-- Keep a memory that was written down on purpose, which calendar summaries never consolidate. No row where its name is
-- another's.
INSERT INTO summaries (namespace_id, id, level, agent, subject, instance, name, title, previous_id, content,
                       message_count, earliest_at, latest_at, token_count)
VALUES (%(namespace_id)s, %(id)s, 8, %(agent)s, %(subject)s, %(instance)s, %(name)s, %(title)s,
        (SELECT id FROM summaries
          WHERE namespace_id = %(namespace_id)s AND level = 8 AND instance = %(instance)s
          ORDER BY latest_at DESC, id DESC LIMIT 1),
        %(content)s, 0, %(occurred_at)s, %(occurred_at)s, %(token_count)s)
ON CONFLICT (namespace_id, name) WHERE name <> '' DO NOTHING
RETURNING id;

-- insert_memory_use --
-- Count one use of each memory. The ids are sorted, so that concurrent calls lock rows in the same order.
INSERT INTO memory_use (namespace_id, memory_id, use_count, last_used_at)
SELECT %(namespace_id)s, memory_id, 1, now() FROM unnest(%(memory_ids)s::uuid[]) AS memory_id
ON CONFLICT (namespace_id, memory_id) DO UPDATE
   SET use_count = memory_use.use_count + 1, last_used_at = now();

-- find_memory_ids --
-- Which of these memories exist.
SELECT source_id AS id
  FROM visible_memories
 WHERE namespace_id = %(namespace_id)s AND source_id = ANY(%(memory_ids)s) AND part = 0;

-- hold_note --
-- Hold a note until the end of the transaction: while it is written again, its passages are not there. Nothing of what is none.
SELECT version FROM notes WHERE namespace_id = %(namespace_id)s AND id = %(memory_id)s FOR NO KEY UPDATE;

-- insert_memory_class --
-- Keep the class that a caller gave to a memory.
INSERT INTO memory_classes (namespace_id, memory_id, importance_class)
VALUES (%(namespace_id)s, %(memory_id)s, %(importance_class)s)
ON CONFLICT (namespace_id, memory_id) DO UPDATE
   SET importance_class = excluded.importance_class, set_at = now();

-- update_memory_class --
-- Give the passages of a memory their class in the index.
UPDATE memories
   SET importance_class = %(importance_class)s
 WHERE namespace_id = %(namespace_id)s AND source_id = %(memory_id)s
RETURNING part;

-- pending_vectors --
-- Whether a passage up to an id still waits for a vector.
SELECT EXISTS (
    SELECT FROM embedding_queue
     WHERE namespace_id = %(namespace_id)s AND memory_id <= %(memory_id)s AND state = 'pending');

-- open_jobs --
-- Whether background work of a namespace is open. What waits for its time, as a conversation does until nothing more is
-- said, is not; what waits after a failure is.
SELECT EXISTS (
    SELECT FROM jobs
     WHERE namespace_id = %(namespace_id)s
       AND (state = 'running' OR (state = 'pending' AND (not_before <= now() OR attempts > 0))));

-- find_crowded --
-- Namespaces with many rows of counts. It goes through those of all namespaces, a second for five million.
SELECT namespace_id FROM corpus_counts GROUP BY namespace_id HAVING count(*) >= %(rows)s LIMIT %(limit)s;

-- list_unmeasured --
-- Namespaces that may hold so much text, and of which nobody has measured lately how much they hold.
SELECT n.id AS namespace_id FROM namespaces n
 WHERE n.stored_bytes > 0 AND n.state = 'active'
   AND NOT EXISTS (SELECT FROM namespace_usage u
                    WHERE u.namespace_id = n.id AND u.measured_at > now() - make_interval(secs => %(measured_s)s::float8));

-- measure_stored --
-- Sum up the text that a namespace holds: what messages say, and all versions of notes and documents.
INSERT INTO namespace_usage AS u (namespace_id, minute, stored_bytes, measured_at)
SELECT %(namespace_id)s, date_trunc('minute', now()),
       (SELECT coalesce(sum(content_bytes), 0) FROM corpus_counts WHERE namespace_id = %(namespace_id)s)
       + (SELECT coalesce(sum(octet_length(content)), 0) FROM note_versions WHERE namespace_id = %(namespace_id)s)
       + (SELECT coalesce(sum(octet_length(content)), 0) FROM document_versions WHERE namespace_id = %(namespace_id)s),
       now()
    ON CONFLICT (namespace_id) DO UPDATE SET stored_bytes = excluded.stored_bytes, measured_at = excluded.measured_at
RETURNING stored_bytes;

-- fold_corpus_counts --
-- Fold the counts of a namespace into one row; returns how many rows there were, at most `limit`. Those that another
-- process folds are left to it.
WITH picked AS (
    SELECT id FROM corpus_counts
     WHERE namespace_id = %(namespace_id)s
     ORDER BY id LIMIT %(limit)s FOR UPDATE SKIP LOCKED
), folded AS (
    DELETE FROM corpus_counts c USING picked p
     WHERE c.namespace_id = %(namespace_id)s AND c.id = p.id AND (SELECT count(*) > 1 FROM picked)
    RETURNING c.*
), kept AS (
    INSERT INTO corpus_counts (namespace_id, conversations, messages, turns, passages, dropped, lexemes, content_bytes)
    SELECT %(namespace_id)s, sum(conversations), sum(messages), sum(turns), sum(passages), sum(dropped), sum(lexemes),
           sum(content_bytes)
      FROM folded HAVING count(*) > 0
)
SELECT count(*) FROM folded;

-- prune_append_requests --
-- Forget request ids that are older than what callers were promised.
SELECT prune_append_requests(%(keep)s::interval, %(batch)s);

-- end_earlier_sessions --
-- Let the sessions of a person's other conversations with an agent on a channel count as finished: of those that are going to
-- sleep once they rest, the ones that were talked in last are looked at.
WITH resting AS MATERIALIZED (
    SELECT subject::uuid AS id
      FROM jobs
     WHERE namespace_id = %(namespace_id)s AND task = 'sleep' AND state = 'pending' AND subject <> 'namespace'
     ORDER BY not_before DESC LIMIT 20
)
INSERT INTO compaction_progress AS p (namespace_id, conversation_id, sleep_wanted_seq)
SELECT %(namespace_id)s, c.id, c.last_seq
  FROM resting
  JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = resting.id
 WHERE c.agent = %(agent)s AND c.channel = %(channel)s AND c.subject = %(subject)s AND c.id <> %(conversation_id)s
 ORDER BY c.id
    ON CONFLICT (namespace_id, conversation_id) DO UPDATE SET sleep_wanted_seq = excluded.sleep_wanted_seq
RETURNING p.conversation_id AS id;
