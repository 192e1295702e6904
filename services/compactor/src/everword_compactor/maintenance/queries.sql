-- Statements of MaintenanceService. Jobs and the queue have no row level security, so each statement filters by
-- namespace.

-- count_jobs --
-- Count the jobs of each task by state; task '' selects all tasks.
SELECT task,
       count(*) FILTER (WHERE state = 'pending' AND not_before <= now()) AS pending,
       count(*) FILTER (WHERE state = 'pending' AND not_before > now()) AS scheduled,
       count(*) FILTER (WHERE state = 'running') AS running,
       count(*) FILTER (WHERE state = 'failed') AS failed,
       now() - min(not_before) FILTER (WHERE state = 'pending' AND not_before <= now()) AS oldest_pending,
       min(not_before) FILTER (WHERE state = 'pending' AND not_before > now()) AS next_start_at,
       coalesce((array_agg(error ORDER BY updated_at DESC) FILTER (WHERE state = 'failed'))[1], '') AS sample_error
  FROM jobs
 WHERE namespace_id = %(namespace_id)s AND (%(task)s = '' OR task = %(task)s)
 GROUP BY task
 ORDER BY task;

-- list_failed_jobs --
-- Return the latest parked jobs.
SELECT task, subject, attempts, coalesce(error, '') AS error, updated_at AS failed_at
  FROM jobs
 WHERE namespace_id = %(namespace_id)s AND state = 'failed' AND (%(task)s = '' OR task = %(task)s)
 ORDER BY updated_at DESC, id DESC
 LIMIT %(limit)s;

-- list_model_steps --
-- Return the steps that asked the language model in the last hour, the latest first.
SELECT task AS step, count(*) AS calls, count(*) FILTER (WHERE outcome = 'timed_out') AS timeouts,
       coalesce(sum(output_tokens) / nullif(sum(seconds), 0), 0)::float8 AS tokens_per_second,
       max(called_at) AS last_called_at
  FROM usage_ledger
 WHERE namespace_id = %(namespace_id)s AND called_at > now() - interval '1 hour' AND own
 GROUP BY task
 ORDER BY last_called_at DESC, task;

-- estimate_sleep --
-- Return the seconds that the model needs for the waiting jobs of Sleep: as many for each as for a session of the last
-- day. NULL without such jobs or sessions.
SELECT (spent.seconds * waiting.jobs / nullif(done.sessions, 0))::float8
  FROM (SELECT nullif(count(*), 0) AS jobs
          FROM jobs
         WHERE namespace_id = %(namespace_id)s AND task = 'sleep' AND state IN ('pending', 'running')) AS waiting,
       (SELECT count(*) AS sessions
          FROM sleep_sessions
         WHERE namespace_id = %(namespace_id)s AND stored_at > now() - interval '1 day' AND model <> '') AS done,
       (SELECT nullif(sum(seconds), 0) AS seconds
          FROM usage_ledger
         WHERE namespace_id = %(namespace_id)s AND called_at > now() - interval '1 day' AND own
           AND starts_with(task, 'sleep-')) AS spent;

-- list_parked_passages --
-- Return parked passages with their errors.
SELECT m.source_id AS memory_id, m.part, coalesce(q.error, '') AS error
  FROM embedding_queue q
  JOIN visible_memories m ON m.namespace_id = %(namespace_id)s AND m.id = q.memory_id
 WHERE q.namespace_id = %(namespace_id)s AND q.state = 'failed'
 ORDER BY q.memory_id
 LIMIT %(limit)s;

-- count_failed_jobs --
-- Count the jobs that retry_failed_jobs would retry.
SELECT count(*)
  FROM (SELECT
          FROM jobs
         WHERE namespace_id = %(namespace_id)s AND state = 'failed' AND (%(task)s = '' OR task = %(task)s)
           AND (%(error_contains)s = '' OR strpos(error, %(error_contains)s) > 0)
         LIMIT %(limit)s) AS failed;

-- retry_failed_jobs --
-- Make failed jobs pending as if they had never been tried, and return their number. `published_at` is cleared, so that
-- the publisher publishes them again. Jobs are locked in the same order as elsewhere, to avoid deadlocks: an append
-- locks the `embed` job first, and scheduling of periods goes from days to years.
WITH failed AS MATERIALIZED (
    SELECT id
      FROM jobs
     WHERE namespace_id = %(namespace_id)s AND state = 'failed' AND (%(task)s = '' OR task = %(task)s)
       AND (%(error_contains)s = '' OR strpos(error, %(error_contains)s) > 0)
     ORDER BY task <> 'embed', task, array_position(ARRAY['day', 'week', 'month', 'year'], split_part(subject, '/', 1)),
              subject COLLATE "C"
     LIMIT %(limit)s
       FOR NO KEY UPDATE
), retried AS (
    UPDATE jobs
       SET state = 'pending', attempts = 0, not_before = now(), published_at = NULL, lease_until = NULL,
           updated_at = now()
      FROM failed
     WHERE jobs.namespace_id = %(namespace_id)s AND jobs.id = failed.id
    RETURNING 1
)
SELECT count(*) FROM retried;

-- last_passage --
-- Return the last id of the next batch of passages; NULL if there are no more.
SELECT max(id)
  FROM (SELECT id FROM visible_memories
         WHERE namespace_id = %(namespace_id)s AND id > %(after)s ORDER BY id LIMIT %(limit)s) AS batch;

-- live_generations --
-- Return the model generations that get vectors.
SELECT id FROM model_generations WHERE state IN ('building', 'active') ORDER BY id;

-- namespaces_with_old_usage --
-- Return the namespaces with old rows of the usage ledger.
SELECT namespaces_with_old_usage(%(keep)s::interval);

-- prune_usage --
-- Delete old rows of a namespace's usage ledger.
SELECT prune_usage(%(namespace_id)s, %(keep)s::interval, %(batch)s);
