-- Statements of retention. What deletes is a function of the owner.

-- list_policies --
-- The policies of a namespace.
SELECT kind, keep_days, keep_importance, max_per_run, keep_quotes
  FROM retention_policies
 WHERE namespace_id = %(namespace_id)s
 ORDER BY kind;

-- set_policy --
-- Say how long a kind is kept.
INSERT INTO retention_policies (namespace_id, kind, keep_days, keep_importance, max_per_run, keep_quotes)
VALUES (%(namespace_id)s, %(kind)s, %(keep_days)s, %(keep_importance)s, %(max_per_run)s, %(keep_quotes)s)
    ON CONFLICT (namespace_id, kind) DO UPDATE
   SET keep_days = excluded.keep_days, keep_importance = excluded.keep_importance, max_per_run = excluded.max_per_run,
       keep_quotes = excluded.keep_quotes, set_at = excluded.set_at;

-- delete_policy --
-- Keep a kind for ever.
DELETE FROM retention_policies WHERE namespace_id = %(namespace_id)s AND kind = %(kind)s;

-- count_retained --
-- How many of a kind nothing has happened to since a time, by importance.
SELECT importance, count(*) AS count
  FROM retained
 WHERE namespace_id = %(namespace_id)s AND kind = %(kind)s AND active_at < %(until)s AND importance <= %(highest)s
 GROUP BY importance;

-- sample_retained --
-- The first ones that would go.
SELECT id
  FROM retained
 WHERE namespace_id = %(namespace_id)s AND kind = %(kind)s AND active_at < %(until)s AND importance <= %(highest)s
 ORDER BY importance, id
 LIMIT %(limit)s;

-- page_notes --
-- The next of notes of an importance, in the order of their ids.
SELECT id
  FROM retained_notes
 WHERE namespace_id = %(namespace_id)s AND active_at < %(until)s AND importance = %(importance)s
   AND id > %(after_id)s
 ORDER BY id
 LIMIT %(limit)s;

-- page_note_versions --
-- The next of what notes said before of an importance, in the order of their ids.
SELECT id
  FROM retained_note_versions
 WHERE namespace_id = %(namespace_id)s AND active_at < %(until)s AND importance = %(importance)s
   AND id > %(after_id)s
 ORDER BY id
 LIMIT %(limit)s;

-- page_document_versions --
-- The next of what documents said before of an importance, in the order of their ids.
SELECT id
  FROM retained_document_versions
 WHERE namespace_id = %(namespace_id)s AND active_at < %(until)s AND importance = %(importance)s
   AND id > %(after_id)s
 ORDER BY id
 LIMIT %(limit)s;

-- page_facts --
-- The next of facts of an importance, in the order of their ids.
SELECT id
  FROM retained_facts
 WHERE namespace_id = %(namespace_id)s AND active_at < %(until)s AND importance = %(importance)s
   AND id > %(after_id)s
 ORDER BY id
 LIMIT %(limit)s;

-- page_patterns --
-- The next of patterns of an importance, in the order of their ids.
SELECT id
  FROM retained_patterns
 WHERE namespace_id = %(namespace_id)s AND active_at < %(until)s AND importance = %(importance)s
   AND id > %(after_id)s
 ORDER BY id
 LIMIT %(limit)s;

-- page_history --
-- The next of the history of an importance, in the order of their ids.
SELECT id
  FROM retained_history
 WHERE namespace_id = %(namespace_id)s AND active_at < %(until)s AND importance = %(importance)s
   AND id > %(after_id)s
 ORDER BY id
 LIMIT %(limit)s;

-- lock_expired_conversations --
-- The next conversations to which nothing has happened since a time. Whoever appends to one waits, or was first.
SELECT id
  FROM conversations
 WHERE namespace_id = %(namespace_id)s AND greatest(last_message_at, updated_at) < %(until)s
   AND (%(after_id)s::uuid IS NULL OR id > %(after_id)s)
 ORDER BY id
 LIMIT %(limit)s
   FOR NO KEY UPDATE;

-- page_messages --
-- Messages of an importance in conversations.
SELECT id
  FROM retained_messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = ANY(%(conversation_ids)s)
   AND active_at < %(until)s AND importance = %(importance)s
 ORDER BY id
 LIMIT %(limit)s;

-- begin_run --
-- Begin a run, unless one goes on, or there was one for this night.
INSERT INTO retention_runs (namespace_id, id, night)
VALUES (%(namespace_id)s, %(run_id)s, %(night)s)
    ON CONFLICT DO NOTHING;

-- running_run --
-- The run that goes on.
SELECT id, night, state, removed, row_counts, error, started_at, finished_at
  FROM retention_runs
 WHERE namespace_id = %(namespace_id)s AND state = 1;

-- list_runs --
-- Runs, latest first.
SELECT id, night, state, removed, row_counts, error, started_at, finished_at
  FROM retention_runs
 WHERE namespace_id = %(namespace_id)s AND (%(before_id)s::uuid IS NULL OR id < %(before_id)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- lock_run --
-- Where a run is, unless somebody else is at it.
SELECT id, kind, importance, after_id, removed, started_at
  FROM retention_runs
 WHERE namespace_id = %(namespace_id)s AND id = %(run_id)s AND state = 1
   FOR UPDATE SKIP LOCKED;

-- lock_job_starts --
-- Let no job of the namespace start until the transaction ends: before any row is held that one may wait for.
SELECT pg_advisory_xact_lock(hashtextextended('start jobs', %(namespace_id)s));

-- advance_run --
-- Write down what a step removed, and where the run is now.
UPDATE retention_runs
   SET kind = %(kind)s, importance = %(importance)s, after_id = %(after_id)s, removed = %(removed)s,
       row_counts = (SELECT coalesce(jsonb_object_agg(name, rows), '{}')
                       FROM (SELECT name, sum(rows::bigint) AS rows
                               FROM (SELECT * FROM jsonb_each_text(row_counts)
                                      UNION ALL SELECT * FROM jsonb_each_text(%(row_counts)s)) AS both_of_them (name, rows)
                              GROUP BY name) AS summed
                      WHERE rows > 0),
       error = '', updated_at = clock_timestamp()
 WHERE namespace_id = %(namespace_id)s AND id = %(run_id)s;

-- finish_run --
-- Say that a run is done.
UPDATE retention_runs
   SET state = 2, after_id = NULL, finished_at = clock_timestamp()
 WHERE namespace_id = %(namespace_id)s AND id = %(run_id)s;

-- fail_run --
-- Write down why a step was not done. It is tried again.
UPDATE retention_runs
   SET error = %(error)s, updated_at = clock_timestamp()
 WHERE namespace_id = %(namespace_id)s AND id = %(run_id)s AND state = 1;

-- running_retention --
-- Runs that are not done, of all namespaces.
SELECT namespace_id, id FROM running_retention(%(limit)s);

-- idle_retention --
-- Namespaces with policies and no run that goes on.
SELECT namespace_id, time_zone, day_cutoff_minutes, set_at, night FROM idle_retention();
