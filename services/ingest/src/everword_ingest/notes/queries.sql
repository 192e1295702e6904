-- Statements of NoteService. Each is limited to one namespace.

-- fragment columns --
-- The current version of a note, with its text up to `max_chars`.
n.id, n.key, n.agent, n.subject, n.conversation_id, n.kind, n.tags, n.importance, n.version, v.id AS version_id,
left(v.content, coalesce(%(max_chars)s::integer, 2147483647)) AS content, v.author, n.log_date, n.expires_at, n.created_at,
v.written_at

-- fragment current --
-- Condition: the note has a version, and is neither deleted nor expired.
n.version > 0 AND n.deleted_at IS NULL AND (n.expires_at IS NULL OR n.expires_at > clock_timestamp())

-- insert_note --
-- Insert a note without a version yet, if its key is new.
INSERT INTO notes (namespace_id, id, key, agent, subject, conversation_id, key_hash, log_date)
VALUES (%(namespace_id)s, %(id)s, %(key)s, %(agent)s, %(subject)s, %(conversation_id)s, %(key_hash)s, %(log_date)s)
ON CONFLICT DO NOTHING;

-- find_conversation --
-- Return the agent, subject and channel of a note's conversation.
SELECT agent, subject, channel FROM conversations WHERE namespace_id = %(namespace_id)s AND id = %(conversation_id)s;

-- find_key --
-- Return the id of the note with a key.
SELECT id FROM notes WHERE namespace_id = %(namespace_id)s AND key_hash = %(key_hash)s;

-- lock_note --
-- Lock a note until the end of the transaction, so that the second of two writers sees the first one's version.
SELECT id, key, agent, subject, conversation_id, version, log_date, expires_at, deleted_at
  FROM notes
 WHERE namespace_id = %(namespace_id)s AND id = %(note_id)s
   FOR NO KEY UPDATE;

-- get_version --
-- Return a version of a note by its number.
SELECT id, version, deleted, content, kind, tags, importance, author, expires_at, written_at
  FROM note_versions
 WHERE namespace_id = %(namespace_id)s AND note_id = %(note_id)s AND version = %(version)s;

-- find_version --
-- Return a version of a note by its id, for a repeated call.
SELECT v.note_id, v.version, v.id AS version_id, n.log_date
  FROM note_versions v
  JOIN notes n ON n.namespace_id = %(namespace_id)s AND n.id = v.note_id
 WHERE v.namespace_id = %(namespace_id)s AND v.id = %(version_id)s;

-- insert_version --
-- Add a version to a note's history.
INSERT INTO note_versions (namespace_id, note_id, version, id, deleted, content, kind, tags, importance, author, expires_at,
                           written_at, agent, subject)
SELECT t.namespace_id, %(note_id)s, %(version)s, %(id)s, %(deleted)s, %(content)s, %(kind)s, %(tags)s::text[],
       %(importance)s, %(author)s, %(expires_at)s, %(written_at)s, coalesce(n.agent, ''), coalesce(n.subject, '')
  FROM tenants t
  LEFT JOIN notes n ON n.namespace_id = t.namespace_id AND n.id = %(note_id)s
 WHERE t.namespace_id = %(namespace_id)s;

-- update_note --
-- Set the current version of a note.
UPDATE notes
   SET version = %(version)s, kind = %(kind)s, tags = %(tags)s::text[], importance = %(importance)s,
       expires_at = %(expires_at)s, deleted_at = CASE WHEN %(deleted)s THEN %(written_at)s::timestamptz END
 WHERE namespace_id = %(namespace_id)s AND id = %(note_id)s;

-- get_class --
-- Return the importance class that a caller gave to a memory.
SELECT importance_class FROM memory_classes WHERE namespace_id = %(namespace_id)s AND memory_id = %(memory_id)s;

-- get_note --
-- Return the current version of a note.
SELECT :columns
  FROM notes n
  JOIN note_versions v ON v.namespace_id = %(namespace_id)s AND v.note_id = n.id AND v.version = n.version
 WHERE n.namespace_id = %(namespace_id)s AND n.id = %(note_id)s AND :current;

-- list_notes --
-- Return notes, the latest created first: their ids grow with time.
SELECT :columns
  FROM notes n
  JOIN note_versions v ON v.namespace_id = %(namespace_id)s AND v.note_id = n.id AND v.version = n.version
 WHERE n.namespace_id = %(namespace_id)s AND :current
   AND (%(agents)s::text[] IS NULL OR n.agent = ANY(%(agents)s))
   AND (%(subjects)s::text[] IS NULL OR n.subject = ANY(%(subjects)s))
   AND (%(conversation_ids)s::uuid[] IS NULL OR n.conversation_id = ANY(%(conversation_ids)s))
   AND (%(kinds)s::text[] IS NULL OR n.kind = ANY(%(kinds)s))
   AND (%(tags)s::text[] IS NULL OR n.tags && %(tags)s)
   AND starts_with(n.key, %(key_prefix)s) AND n.importance >= %(min_importance)s
   AND (%(since)s::date IS NULL OR n.log_date >= %(since)s)
   AND (%(before)s::date IS NULL OR n.log_date < %(before)s)
   AND (%(after_id)s::uuid IS NULL OR n.id < %(after_id)s)
 ORDER BY n.id DESC
 LIMIT %(limit)s;

-- list_versions --
-- Return the versions of a note, the latest first.
SELECT id, version, deleted, content, kind, tags, importance, author, expires_at, written_at
  FROM note_versions
 WHERE namespace_id = %(namespace_id)s AND note_id = %(note_id)s
   AND (%(before_version)s::bigint IS NULL OR version < %(before_version)s)
 ORDER BY version DESC
 LIMIT %(limit)s;
