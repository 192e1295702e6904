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
SELECT c.namespace_id, c.id, %(through)s
  FROM conversations c
 WHERE c.namespace_id = %(namespace_id)s AND c.id = %(conversation_id)s
ON CONFLICT (namespace_id, conversation_id) DO UPDATE
   SET learned_seq = excluded.learned_seq
 WHERE p.learned_seq = %(after)s
RETURNING conversation_id;

-- list_earlier_messages --
-- Return messages sent before another one that it may correct, in the order in which they were sent: the latest of its
-- conversation, the latest of the subject's other conversations, and those that share words with it. Without a subject,
-- other conversations are searched for messages of the same author.
WITH corrector AS MATERIALIZED (
    SELECT m.conversation_id, m.seq, m.author, m.occurred_at, m.agent, m.subject
      FROM messages m
     WHERE m.namespace_id = %(namespace_id)s AND m.id = %(message_id)s
), near AS (
    SELECT m.id
      FROM corrector c
     CROSS JOIN LATERAL (
           SELECT id FROM messages
            WHERE namespace_id = %(namespace_id)s AND conversation_id = c.conversation_id AND seq < c.seq
            ORDER BY seq DESC LIMIT %(near)s) AS m
), recent AS (
    SELECT m.id
      FROM corrector c
     CROSS JOIN LATERAL (
           SELECT id FROM conversations
            WHERE namespace_id = %(namespace_id)s AND subject = c.subject AND agent = c.agent AND turn_count > 0
              AND id <> c.conversation_id AND %(elsewhere)s
            ORDER BY last_message_at DESC LIMIT 4) AS other
     CROSS JOIN LATERAL (
           SELECT id FROM messages
            WHERE namespace_id = %(namespace_id)s AND conversation_id = other.id AND occurred_at < c.occurred_at
              AND (c.subject <> '' OR author = c.author)
            ORDER BY seq DESC LIMIT 12) AS m
), alike AS (
    SELECT m.source_id AS id
      FROM corrector c
     CROSS JOIN LATERAL (
           SELECT source_id FROM visible_memories
            WHERE namespace_id = %(namespace_id)s AND lexemes @@ %(words)s::tsquery AND kind = {message_kind} AND part = 0
              AND occurred_at < c.occurred_at AND subject = c.subject AND conversation_id <> c.conversation_id
              AND (c.subject <> '' OR author = c.author)
            ORDER BY occurred_at DESC LIMIT %(near)s) AS m
     WHERE %(elsewhere)s
)
SELECT m.id, m.seq, m.author, m.content, m.occurred_at, m.role = 2 AS said
  FROM (SELECT id FROM near UNION SELECT id FROM recent UNION SELECT id FROM alike) AS found
 CROSS JOIN LATERAL (
       SELECT * FROM messages WHERE namespace_id = %(namespace_id)s AND id = found.id OFFSET 0) AS m
 WHERE m.role IN (2, 3) AND NOT m.automated AND m.tool_name = '' AND m.content <> ''
 ORDER BY m.occurred_at, m.id;

-- lock_sources --
-- Lock messages until the commit, unless they are missing. Fails if one is being erased.
SELECT lock_sources(%(namespace_id)s, %(message_ids)s::uuid[], true);

-- insert_corrections --
-- Store corrections; a restoration only of a message that was corrected before. The messages are locked.
INSERT INTO message_corrections (namespace_id, message_id, corrected_id, kind, value, current_value, corrected_at, recorded_at,
                                 agent, subject, corrected_agent, corrected_subject)
SELECT t.namespace_id, c.message_id, c.corrected_id, c.kind, c.value, c.current_value, m.occurred_at, %(now)s, m.agent, m.subject,
       o.agent, o.subject
  FROM tenants t
 CROSS JOIN unnest(%(message_ids)s::uuid[], %(corrected_ids)s::uuid[], %(kinds)s::smallint[], %(values)s::text[],
                   %(current_values)s::text[]) AS c (message_id, corrected_id, kind, value, current_value)
  JOIN messages m ON m.namespace_id = t.namespace_id AND m.id = c.message_id
  JOIN messages o ON o.namespace_id = t.namespace_id AND o.id = c.corrected_id
 WHERE t.namespace_id = %(namespace_id)s
   AND (c.kind < 3 OR EXISTS (SELECT 1 FROM message_corrections e
                               WHERE e.namespace_id = %(namespace_id)s AND e.corrected_id = c.corrected_id))
    ON CONFLICT (namespace_id, corrected_id, message_id) DO NOTHING;

-- list_stated_facts --
-- Return the current facts that messages state.
SELECT DISTINCT e.message_id, f.subject, f.attribute, f.value, f.several
  FROM fact_evidence e
  JOIN facts f ON f.namespace_id = %(namespace_id)s AND f.id = e.fact_id
 WHERE e.namespace_id = %(namespace_id)s AND e.message_id = ANY(%(message_ids)s) AND NOT e.contradicts
   AND EXISTS (SELECT FROM fact_intervals i
                WHERE i.namespace_id = %(namespace_id)s AND i.fact_id = f.id AND i.known_until IS NULL AND i.valid_until IS NULL)
 ORDER BY f.subject, f.attribute, f.value, e.message_id;
