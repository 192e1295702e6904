-- Statements of learning from users' messages.

-- read_learned --
-- Return a conversation with the position up to which facts were learned from it.
SELECT c.id, c.subject, c.agent, c.channel, c.last_seq, coalesce(p.learned_seq, 0) AS learned_seq, n.time_zone AS zone
  FROM conversations c
  JOIN namespaces n ON n.id = %(namespace_id)s
  LEFT JOIN compaction_progress p ON p.namespace_id = c.namespace_id AND p.conversation_id = c.id
 WHERE c.namespace_id = %(namespace_id)s AND c.id = %(conversation_id)s;

-- list_speakers --
-- Return the users who wrote in a range of a conversation, by name.
SELECT DISTINCT author
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND seq > %(after)s AND seq <= %(through)s
   AND role = 2 AND NOT automated AND tool_name = '' AND author <> ''
 ORDER BY author;

-- next_learnable_messages --
-- Return the next messages of a conversation, in order; `said` is true if a user wrote the message.
SELECT id, seq, author, content, occurred_at, role = 2 AND NOT automated AND tool_name = '' AS said
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND seq > %(after)s
 ORDER BY seq
 LIMIT %(limit)s;

-- advance_learned --
-- Advance the position up to which facts were learned. No row if another transaction advanced it first.
INSERT INTO compaction_progress AS p (namespace_id, conversation_id, learned_seq)
SELECT %(namespace_id)s, c.id, %(through)s
  FROM conversations c
 WHERE c.namespace_id = %(namespace_id)s AND c.id = %(conversation_id)s
ON CONFLICT (namespace_id, conversation_id) DO UPDATE
   SET learned_seq = excluded.learned_seq
 WHERE p.learned_seq = %(after)s
RETURNING conversation_id;
