-- Statements of WatchMemories. Every one names its namespace.

-- fragment state --
-- What watchers go by.
m.source_id AS id, m.kind, m.conversation_id, m.agent, m.subject, m.channel, m.instance, m.author, m.role, m.tags, m.automated,
m.occurred_at, :ended AS ended, extract(epoch FROM m.valid_until)::float8 AS expires_at, coalesce(m.valid_until <= now(), false) AS expired

-- fragment ended --
-- Whether a memory was superseded, or is not believed. Of facts it is known since when they are believed; of notes it is not.
(m.known_until IS NOT NULL OR coalesce(m.valid_until <= m.known_from, false))

-- take_snapshot --
-- Which transactions have ended by now.
SELECT pg_current_snapshot()::text AS snapshot, extract(epoch FROM now())::float8 AS taken_at;

-- list_changes --
-- Changes that one snapshot does not show and a later one does, after a place.
SELECT c.xid::text::bigint AS xid, c.id, c.memory_ids
  FROM memory_changes c
 WHERE c.namespace_id = %(namespace_id)s AND c.xid >= pg_snapshot_xmin(%(since)s::pg_snapshot)
   AND NOT pg_visible_in_snapshot(c.xid, %(since)s::pg_snapshot) AND pg_visible_in_snapshot(c.xid, %(until)s::pg_snapshot)
   AND (c.xid, c.id) > (%(xid)s::text::xid8, %(change_id)s::bigint)
 ORDER BY c.xid, c.id
 LIMIT %(limit)s;

-- list_states --
-- Those of these memories that are there.
SELECT :state
  FROM visible_memories m
 WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(memory_ids)s) AND m.part = 0;

-- list_expired --
-- What expires after a place and until a moment, in this order: notes, and facts of which it was known before when they end.
SELECT :state
  FROM visible_memories m
 WHERE m.namespace_id = %(namespace_id)s AND m.part = 0
   AND (m.valid_until, m.source_id) > (to_timestamp(%(expired_at)s::float8), %(expired_id)s::uuid)
   AND m.valid_until <= to_timestamp(%(until_at)s::float8) AND NOT :ended
 ORDER BY m.valid_until, m.source_id
 LIMIT %(limit)s;
