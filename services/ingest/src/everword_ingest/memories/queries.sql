-- Statements of IngestService on single memories of any kind. Each is limited to one namespace.

-- insert_significant --
-- Store a significant memory, which a caller wrote and calendar summaries never consolidate. No row if its name is
-- taken.
INSERT INTO summaries (namespace_id, id, level, agent, subject, instance, name, title, previous_id, content,
                       message_count, earliest_at, latest_at, token_count)
SELECT t.namespace_id, %(id)s, 8, %(agent)s, %(subject)s, %(instance)s, %(name)s, %(title)s,
       (SELECT s.id FROM summaries s
         WHERE s.namespace_id = %(namespace_id)s AND s.level = 8 AND s.instance = %(instance)s
         ORDER BY s.latest_at DESC, s.id DESC LIMIT 1),
       %(content)s, 0, %(occurred_at)s, %(occurred_at)s, %(token_count)s
  FROM tenants t
 WHERE t.namespace_id = %(namespace_id)s
ON CONFLICT (namespace_id, name) WHERE name <> '' DO NOTHING
RETURNING id;

-- insert_memory_use --
-- Count one use of each memory. The ids are sorted, so that concurrent calls lock rows in the same order.
INSERT INTO memory_use (namespace_id, memory_id, use_count, last_used_at)
SELECT t.namespace_id, used.id, 1, now()
  FROM tenants t
 CROSS JOIN unnest(%(memory_ids)s::uuid[]) AS used (id)
 WHERE t.namespace_id = %(namespace_id)s
ON CONFLICT (namespace_id, memory_id) DO UPDATE
   SET use_count = memory_use.use_count + 1, last_used_at = excluded.last_used_at;

-- find_memory_ids --
-- Return which of these memories exist.
SELECT source_id AS id
  FROM visible_memories
 WHERE namespace_id = %(namespace_id)s AND source_id = ANY(%(memory_ids)s) AND part = 0;

-- lock_note_row --
-- Lock a note until the end of the transaction, because its passages are missing while it is rewritten. No row if the
-- memory is not a note.
SELECT version FROM notes WHERE namespace_id = %(namespace_id)s AND id = %(memory_id)s FOR NO KEY UPDATE;

-- insert_memory_class --
-- Store the class that a caller gave to a memory.
INSERT INTO memory_classes (namespace_id, memory_id, importance_class)
VALUES (%(namespace_id)s, %(memory_id)s, %(importance_class)s)
ON CONFLICT (namespace_id, memory_id) DO UPDATE
   SET importance_class = excluded.importance_class, set_at = excluded.set_at;

-- update_memory_class --
-- Set the importance class of a memory's passages in the index, and return whether it has any.
SELECT update_memory_class(%(namespace_id)s, %(memory_id)s, %(importance_class)s::smallint);

-- pending_vectors --
-- Return whether a passage up to an id still waits for a vector. Without `derived`, derived text in its first minute is
-- ignored: its `not_before` is one minute after it was enqueued.
SELECT EXISTS (
    SELECT FROM embedding_queue
     WHERE namespace_id = %(namespace_id)s AND memory_id <= %(memory_id)s AND state = 'pending'
       AND (%(derived)s OR not_before <> enqueued_at + interval '1 minute'));

-- open_jobs --
-- Return whether a namespace has open background work. A job scheduled for later, such as Sleep of an active
-- conversation, does not count, but a retry after a failure does.
SELECT EXISTS (
    SELECT FROM jobs
     WHERE namespace_id = %(namespace_id)s
       AND (state = 'running' OR (state = 'pending' AND (not_before <= now() OR attempts > 0))));
