-- Statements of WatchMemories. Every one filters by namespace.

-- fragment state --
-- The attributes of a memory that watchers filter by, with its validity.
m.source_id AS id, m.kind, m.conversation_id, m.agent, m.subject, m.channel, m.instance, m.author, m.role, m.tags, m.automated,
m.occurred_at, :ended AS ended, extract(epoch FROM m.valid_until)::float8 AS expires_at, coalesce(m.valid_until <= now(), false) AS expired

-- fragment ended --
-- The condition that a memory was superseded or rejected. The second part applies to facts, which have a `known_from`;
-- notes have none.
(m.known_until IS NOT NULL OR coalesce(m.valid_until <= m.known_from, false))

-- read_clock --
-- Return when the transaction began, in seconds since 1970.
SELECT extract(epoch FROM now())::float8;

-- number_changes --
-- Number the changes that were committed before, and return the last number. A standby only reads numbers.
SELECT number_changes(%(namespace_id)s);

-- list_changes --
-- Changes after a number, in order.
SELECT c.number, c.memory_ids
  FROM memory_changes c
 WHERE c.namespace_id = %(namespace_id)s AND c.number > %(after)s
 ORDER BY c.number
 LIMIT %(limit)s;

-- list_states --
-- The states of the memories that exist.
SELECT :state
  FROM visible_memories m
 WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(memory_ids)s) AND m.part = 0;

-- list_expired --
-- Memories that expire after a position and until a moment, in order of time: notes, and facts whose end was known in
-- advance.
SELECT :state
  FROM visible_memories m
 WHERE m.namespace_id = %(namespace_id)s AND m.part = 0
   AND (m.valid_until, m.source_id) > (to_timestamp(%(expired_at)s::float8), %(expired_id)s::uuid)
   AND m.valid_until <= to_timestamp(%(until_at)s::float8) AND NOT :ended
 ORDER BY m.valid_until, m.source_id
 LIMIT %(limit)s;
