-- Statements that write conversations. Each is limited to one namespace.

-- insert_conversation --
-- Insert a conversation if its key is new; no row otherwise.
INSERT INTO conversations (namespace_id, id, session_key, agent, channel, channel_id, bot_identity, instance, subject,
                           client_session_id, task_id, title, settings)
VALUES (%(namespace_id)s, %(id)s, %(session_key)s, %(agent)s, %(channel)s, %(channel_id)s, %(bot_identity)s,
        %(instance)s, %(subject)s, %(client_session_id)s, %(task_id)s, %(title)s, %(settings)s)
ON CONFLICT (namespace_id, channel, agent, session_key) DO NOTHING
RETURNING id;

-- count_conversation --
-- Count a new conversation.
INSERT INTO corpus_counts (namespace_id, conversations) VALUES (%(namespace_id)s, 1);

-- find_conversation --
-- Return the conversation with a key.
SELECT id, session_key, agent, channel, channel_id, bot_identity, instance, subject, client_session_id, task_id, title,
       settings, active, last_seq, turn_count, last_message_at, created_at, updated_at
  FROM conversations
 WHERE namespace_id = %(namespace_id)s AND channel = %(channel)s AND agent = %(agent)s
   AND session_key = %(session_key)s;

-- lock_conversation --
-- Lock a conversation until the end of the transaction, and return it with its summarised position. Concurrent appends
-- wait here, so that sequence numbers have no gaps, and the second of two equal requests sees the first one's result.
SELECT id, session_key, agent, channel, channel_id, bot_identity, instance, subject, client_session_id, task_id, title,
       settings, active, last_seq, turn_count, last_message_at, created_at, updated_at,
       coalesce((SELECT p.summarised_seq FROM compaction_progress p
                  WHERE p.namespace_id = %(namespace_id)s AND p.conversation_id = conversations.id), 0) AS summarised_seq
  FROM conversations
 WHERE namespace_id = %(namespace_id)s AND id = %(conversation_id)s
   FOR NO KEY UPDATE;

-- lock_conversation_by_key --
-- Lock and return a conversation by its key instead.
SELECT id, session_key, agent, channel, channel_id, bot_identity, instance, subject, client_session_id, task_id, title,
       settings, active, last_seq, turn_count, last_message_at, created_at, updated_at,
       coalesce((SELECT p.summarised_seq FROM compaction_progress p
                  WHERE p.namespace_id = %(namespace_id)s AND p.conversation_id = conversations.id), 0) AS summarised_seq
  FROM conversations
 WHERE namespace_id = %(namespace_id)s AND channel = %(channel)s AND agent = %(agent)s
   AND session_key = %(session_key)s
   FOR NO KEY UPDATE;

-- update_conversation --
-- Update the fields named in `fields`; the others keep their values.
UPDATE conversations
   SET title = CASE WHEN 'title' = ANY(%(fields)s) THEN %(title)s ELSE title END,
       settings = CASE WHEN 'settings' = ANY(%(fields)s) THEN %(settings)s::jsonb ELSE settings END,
       active = CASE WHEN 'active' = ANY(%(fields)s) THEN %(active)s ELSE active END,
       client_session_id = CASE WHEN 'client_session_id' = ANY(%(fields)s) THEN %(client_session_id)s
                                ELSE client_session_id END,
       task_id = CASE WHEN 'task_id' = ANY(%(fields)s) THEN %(task_id)s ELSE task_id END,
       updated_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(conversation_id)s
RETURNING id, session_key, agent, channel, channel_id, bot_identity, instance, subject, client_session_id, task_id,
          title, settings, active, last_seq, turn_count, last_message_at, created_at, updated_at;

-- find_earlier_sessions --
-- Return other conversations with the same subject, agent and channel whose sessions still wait for Sleep, and which had
-- no message for `rested_s` seconds; with 0, also the active ones. Only the 20 most recently active conversations of the
-- subject and agent are checked.
SELECT latest.id
  FROM (SELECT c.id, c.channel
          FROM conversations c
         WHERE c.namespace_id = %(namespace_id)s AND c.subject = %(subject)s AND c.agent = %(agent)s AND c.turn_count > 0
           AND c.last_message_at <= CASE WHEN %(rested_s)s = 0 THEN 'infinity' ELSE now() - make_interval(secs => %(rested_s)s) END
         ORDER BY c.last_message_at DESC LIMIT 20) AS latest
  -- A job waits for `idle_s` seconds after the latest stored message, whatever time the message has.
  JOIN jobs j ON j.namespace_id = %(namespace_id)s AND j.task = 'sleep' AND j.subject = latest.id::text
             AND j.state = 'pending' AND j.not_before <= now() + make_interval(secs => %(idle_s)s - %(rested_s)s)
 WHERE latest.channel = %(channel)s AND latest.id <> %(conversation_id)s
 ORDER BY latest.id;

-- end_sessions --
-- Mark the sessions of conversations as finished; return whether each has messages that Sleep has not processed.
INSERT INTO compaction_progress AS p (namespace_id, conversation_id, sleep_wanted_seq)
SELECT c.namespace_id, c.id, c.last_seq
  FROM conversations c
 WHERE c.namespace_id = %(namespace_id)s AND c.id = ANY(%(conversation_ids)s::uuid[])
 ORDER BY c.id
    ON CONFLICT (namespace_id, conversation_id) DO UPDATE
   SET sleep_wanted_seq = greatest(p.sleep_wanted_seq, excluded.sleep_wanted_seq)
RETURNING p.slept_seq < p.sleep_wanted_seq AS waits;
