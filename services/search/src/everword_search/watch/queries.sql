-- Statements of WatchMemories. Every one names its namespace.

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
-- Whether these memories do not hold any more, or are not believed.
SELECT m.source_id AS id, coalesce(m.valid_until <= now() OR m.known_until <= now(), false) AS ended
  FROM visible_memories m
 WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(memory_ids)s) AND m.part = 0;
