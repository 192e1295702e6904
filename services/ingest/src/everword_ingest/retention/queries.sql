-- Statements of retention. Deletions are functions of the tables' owner.

-- list_policies --
-- Return the policies of a namespace.
SELECT kind, keep_days, keep_importance, max_per_run, keep_quotes, whole_conversations
  FROM retention_policies
 WHERE namespace_id = %(namespace_id)s
 ORDER BY kind;

-- set_policy --
-- Set the policy of a kind.
INSERT INTO retention_policies (namespace_id, kind, keep_days, keep_importance, max_per_run, keep_quotes, whole_conversations)
VALUES (%(namespace_id)s, %(kind)s, %(keep_days)s, %(keep_importance)s, %(max_per_run)s, %(keep_quotes)s,
        %(whole_conversations)s)
    ON CONFLICT (namespace_id, kind) DO UPDATE
   SET keep_days = excluded.keep_days, keep_importance = excluded.keep_importance, max_per_run = excluded.max_per_run,
       keep_quotes = excluded.keep_quotes, whole_conversations = excluded.whole_conversations, set_at = excluded.set_at;

-- delete_policy --
-- Delete the policy of a kind, so that its items never expire.
DELETE FROM retention_policies WHERE namespace_id = %(namespace_id)s AND kind = %(kind)s;

-- preview_retained --
-- Count the expired items of a kind that a run would delete, and the kept ones: pinned, or on legal hold. Return the first
-- ids to be deleted.
SELECT count, pinned, on_hold, coalesce(samples, '{}') AS samples
  FROM preview_retained(%(namespace_id)s, %(kind)s::smallint, %(highest)s::smallint, %(until)s, %(whole_conversations)s,
                        %(everything)s, %(subjects)s, %(conversations)s, %(limit)s::integer);

-- page_notes --
-- Return the next expired notes of some importances, in the order of their ids.
SELECT id
  FROM retained_notes
 WHERE namespace_id = %(namespace_id)s AND active_at < %(until)s AND importance BETWEEN %(lowest)s AND %(highest)s
   AND NOT pinned AND (subject = ANY(%(subjects)s) OR conversation_id = ANY(%(conversations)s)) IS NOT TRUE
   AND id > %(after_id)s
 ORDER BY id
 LIMIT %(limit)s;

-- page_note_versions --
-- Return the next expired versions of notes of some importances, in the order of their ids. Each table is restricted to the
-- namespace, so one node of a distributed database answers; the view would look for the next versions on all nodes.
SELECT v.id
  FROM note_versions v
  JOIN notes n ON n.namespace_id = %(namespace_id)s AND n.id = v.note_id
 CROSS JOIN LATERAL (SELECT l.written_at FROM note_versions l
                      WHERE l.namespace_id = %(namespace_id)s AND l.note_id = v.note_id AND l.version > v.version
                      ORDER BY l.version LIMIT 1) AS later
 WHERE v.namespace_id = %(namespace_id)s AND later.written_at < %(until)s AND v.importance BETWEEN %(lowest)s AND %(highest)s
   AND (v.subject = ANY(%(subjects)s) OR n.conversation_id = ANY(%(conversations)s)) IS NOT TRUE
   AND v.id > %(after_id)s
 ORDER BY v.id
 LIMIT %(limit)s;

-- page_document_versions --
-- Return the next expired versions of documents of some importances, in the order of their ids, as page_note_versions does.
SELECT v.id
  FROM document_versions v
  JOIN documents d ON d.namespace_id = %(namespace_id)s AND d.id = v.document_id
 CROSS JOIN LATERAL (SELECT l.written_at FROM document_versions l
                      WHERE l.namespace_id = %(namespace_id)s AND l.document_id = v.document_id AND l.version > v.version
                      ORDER BY l.version LIMIT 1) AS later
 WHERE v.namespace_id = %(namespace_id)s AND later.written_at < %(until)s AND 3 BETWEEN %(lowest)s AND %(highest)s
   AND (v.subject = ANY(%(subjects)s) OR d.conversation_id = ANY(%(conversations)s)) IS NOT TRUE
   AND v.id > %(after_id)s
 ORDER BY v.id
 LIMIT %(limit)s;

-- page_facts --
-- Return the next expired facts of some importances, in the order of their ids.
SELECT id
  FROM retained_facts
 WHERE namespace_id = %(namespace_id)s AND active_at < %(until)s AND importance BETWEEN %(lowest)s AND %(highest)s
   AND NOT pinned AND (subject = ANY(%(subjects)s) OR conversation_id = ANY(%(conversations)s)) IS NOT TRUE
   AND id > %(after_id)s
 ORDER BY id
 LIMIT %(limit)s;

-- page_patterns --
-- Return the next expired patterns of some importances, in the order of their ids.
SELECT id
  FROM retained_patterns
 WHERE namespace_id = %(namespace_id)s AND active_at < %(until)s AND importance BETWEEN %(lowest)s AND %(highest)s
   AND NOT pinned AND (subject = ANY(%(subjects)s) OR conversation_id = ANY(%(conversations)s)) IS NOT TRUE
   AND id > %(after_id)s
 ORDER BY id
 LIMIT %(limit)s;

-- page_history --
-- Return the next expired history entries of some importances, in the order of their ids.
SELECT id
  FROM retained_history
 WHERE namespace_id = %(namespace_id)s AND active_at < %(until)s AND importance BETWEEN %(lowest)s AND %(highest)s
   AND NOT pinned AND (subject = ANY(%(subjects)s) OR conversation_id = ANY(%(conversations)s)) IS NOT TRUE
   AND id > %(after_id)s
 ORDER BY id
 LIMIT %(limit)s;

-- lock_expired_conversations --
-- Lock and return the next conversations without a message that was sent since a time. Concurrent appends wait for the lock.
SELECT id
  FROM conversations
 WHERE namespace_id = %(namespace_id)s AND coalesce(last_message_at, created_at) < %(until)s
   AND (%(after_id)s::uuid IS NULL OR id > %(after_id)s)
 ORDER BY id
 LIMIT %(limit)s
   FOR NO KEY UPDATE;

-- page_conversation_messages --
-- Return messages of some importances in expired conversations.
SELECT id
  FROM retained_messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = ANY(%(conversation_ids)s)
   AND importance BETWEEN %(lowest)s AND %(highest)s AND NOT pinned AND (subject = ANY(%(subjects)s) OR conversation_id = ANY(%(conversations)s)) IS NOT TRUE
 ORDER BY id
 LIMIT %(limit)s;

-- page_messages --
-- Return the next messages that were sent before a time, oldest first, and whether the policy removes them. Kept messages
-- count towards the limit, so that a step's duration does not depend on their number.
WITH page AS (
    SELECT id, occurred_at
      FROM messages
     WHERE namespace_id = %(namespace_id)s AND occurred_at < %(until)s
       AND (occurred_at, id) > (%(after_time)s::timestamptz, %(after_id)s::uuid)
     ORDER BY occurred_at, id
     LIMIT %(limit)s
)
SELECT page.id, page.occurred_at, r.id IS NOT NULL AS expired
  FROM page
  LEFT JOIN retained_messages r ON r.namespace_id = %(namespace_id)s AND r.id = page.id
                               AND r.importance BETWEEN %(lowest)s AND %(highest)s AND NOT r.pinned
                               AND (r.subject = ANY(%(subjects)s) OR r.conversation_id = ANY(%(conversations)s)) IS NOT TRUE
 ORDER BY page.occurred_at, page.id;

-- begin_run --
-- Begin a run, unless one is in progress or this night already had one.
INSERT INTO retention_runs (namespace_id, id, night)
VALUES (%(namespace_id)s, %(run_id)s, %(night)s)
    ON CONFLICT DO NOTHING;

-- running_run --
-- Return the run in progress.
SELECT id, night, state, removed, row_counts, error, started_at, finished_at
  FROM retention_runs
 WHERE namespace_id = %(namespace_id)s AND state = 1;

-- list_runs --
-- Return runs, latest first.
SELECT id, night, state, removed, row_counts, error, started_at, finished_at
  FROM retention_runs
 WHERE namespace_id = %(namespace_id)s AND (%(before_id)s::uuid IS NULL OR id < %(before_id)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- lock_run --
-- Lock and return the progress of a run; no row if another worker has locked it.
SELECT id, kind, importance, after_time, after_id, removed, started_at
  FROM retention_runs
 WHERE namespace_id = %(namespace_id)s AND id = %(run_id)s AND state = 1
   FOR UPDATE SKIP LOCKED;

-- lock_job_starts --
-- Prevent jobs of the namespace from starting until the end of the transaction. This lock is taken before any row lock
-- that a job may wait for.
SELECT 1 AS locked FROM tenants WHERE namespace_id = %(namespace_id)s FOR UPDATE;

-- advance_run --
-- Store the number of rows that a step removed, and the progress of the run.
UPDATE retention_runs
   SET kind = %(kind)s, importance = %(importance)s, after_time = %(after_time)s, after_id = %(after_id)s,
       removed = %(removed)s,
       row_counts = (SELECT coalesce(jsonb_object_agg(name, rows), '{}')
                       FROM (SELECT name, sum(rows::bigint) AS rows
                               FROM (SELECT * FROM jsonb_each_text(row_counts)
                                      UNION ALL SELECT * FROM jsonb_each_text(%(row_counts)s)) AS both_of_them (name, rows)
                              GROUP BY name) AS summed
                      WHERE rows > 0),
       error = '', updated_at = statement_timestamp()
 WHERE namespace_id = %(namespace_id)s AND id = %(run_id)s;

-- finish_run --
-- Mark a run as done.
UPDATE retention_runs
   SET state = 2, after_time = NULL, after_id = NULL, finished_at = statement_timestamp()
 WHERE namespace_id = %(namespace_id)s AND id = %(run_id)s;

-- fail_run --
-- Record why a step failed. It is retried.
UPDATE retention_runs
   SET error = %(error)s, updated_at = statement_timestamp()
 WHERE namespace_id = %(namespace_id)s AND id = %(run_id)s AND state = 1;

-- running_retention --
-- Return unfinished runs of all namespaces.
SELECT namespace_id, id FROM running_retention(%(limit)s);

-- idle_retention --
-- Return namespaces with policies and no run in progress.
SELECT namespace_id, time_zone, day_cutoff_minutes, set_at, night FROM idle_retention();

-- find_hold --
-- Return the legal hold with this scope and reason; no row if there is none.
SELECT id, subject, conversation_id, reason, created_at
  FROM legal_holds
 WHERE namespace_id = %(namespace_id)s AND reason = %(reason)s
   AND subject IS NOT DISTINCT FROM %(subject)s AND conversation_id IS NOT DISTINCT FROM %(conversation_id)s
 LIMIT 1;

-- insert_hold --
-- Store a legal hold.
INSERT INTO legal_holds (namespace_id, id, subject, conversation_id, reason)
VALUES (%(namespace_id)s, %(hold_id)s, %(subject)s, %(conversation_id)s, %(reason)s)
RETURNING id, subject, conversation_id, reason, created_at;

-- lock_conversation --
-- Lock a conversation against its deletion; no row if it does not exist.
SELECT id FROM conversations WHERE namespace_id = %(namespace_id)s AND id = %(conversation_id)s FOR KEY SHARE;

-- list_holds --
-- Return legal holds, oldest first.
SELECT id, subject, conversation_id, reason, created_at
  FROM legal_holds
 WHERE namespace_id = %(namespace_id)s AND (%(after_id)s::uuid IS NULL OR id > %(after_id)s)
 ORDER BY id
 LIMIT %(limit)s;

-- delete_hold --
-- Delete a legal hold, and return it; no row if it does not exist.
DELETE FROM legal_holds
 WHERE namespace_id = %(namespace_id)s AND id = %(hold_id)s
RETURNING id, subject, conversation_id, reason, created_at;

-- list_held --
-- Return whether a hold keeps the whole namespace, and the subjects and conversations on hold.
SELECT coalesce(bool_or(num_nonnulls(subject, conversation_id) = 0), false) AS everything,
       coalesce(array_agg(DISTINCT subject) FILTER (WHERE subject IS NOT NULL), '{}') AS subjects,
       coalesce(array_agg(DISTINCT conversation_id) FILTER (WHERE conversation_id IS NOT NULL), '{}') AS conversations
  FROM legal_holds
 WHERE namespace_id = %(namespace_id)s;
