-- Statements on jobs. They read ids, states and counters only. Reads may cross namespaces; each lock or write is
-- limited to one.

-- enqueue --
-- Make jobs of a namespace due, in the given order; returns how many were changed.
SELECT enqueue_jobs(%(namespace_id)s, %(tasks)s::text[], %(subjects)s::text[], %(delays_s)s::float8[],
                    %(trace_context)s::jsonb, %(postpone)s, %(only_idle)s, %(retry_failed_after_s)s::float8);

-- find_unpublished --
-- Return due jobs whose wake-up was not sent. Jobs of different namespaces and tasks take turns, within a window of the
-- oldest jobs.
SELECT namespace_id, id AS job_id
  FROM (SELECT namespace_id, id, row_number() OVER (PARTITION BY namespace_id, task ORDER BY not_before, id) AS turn
          FROM (SELECT id, namespace_id, task, not_before FROM jobs
                 WHERE state = 'pending' AND published_at IS NULL AND not_before <= now()
                 ORDER BY not_before, id LIMIT %(window)s) AS waiting) AS in_turn
 ORDER BY turn, id LIMIT %(batch)s;

-- claim_publications --
-- Mark a namespace's due jobs as published, skipping locked ones. The new fencing token makes the wake-up's RQ id
-- unique, because RQ drops a wake-up with a known id.
UPDATE jobs
   SET fence = fence + 1, published_at = now()
 WHERE namespace_id = %(namespace_id)s
   AND id IN (SELECT id FROM jobs
               WHERE namespace_id = %(namespace_id)s AND id = ANY (%(job_ids)s::bigint[])
                 AND state = 'pending' AND published_at IS NULL AND not_before <= now() FOR UPDATE SKIP LOCKED)
RETURNING namespace_id, id AS job_id, task, fence, trace_context;

-- republish_due --
-- Publish a job that is due again right after its worker finished, without waiting for the publisher.
UPDATE jobs
   SET fence = fence + 1, published_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s
   AND state = 'pending' AND published_at IS NULL AND not_before <= now()
RETURNING namespace_id, id AS job_id, task, fence, trace_context;

-- release_publications --
-- Reset jobs of a namespace whose wake-ups could not be sent.
UPDATE jobs
   SET published_at = NULL
  FROM unnest(%(job_ids)s::bigint[], %(fences)s::bigint[]) AS sent (job_id, fence)
 WHERE jobs.namespace_id = %(namespace_id)s AND jobs.id = sent.job_id AND jobs.fence = sent.fence
   AND jobs.state = 'pending';

-- next_turn --
-- Return the next namespace, in a circular order after `after`, that has published due jobs of a task; NULL if none has.
SELECT next_turn(%(task)s, %(after)s);

-- start_next --
-- Start the longest waiting published job of a namespace and task, with a lease and a fencing token. Locked jobs are
-- skipped. No row while an erasure keeps jobs of the namespace from starting (see fence_jobs).
UPDATE jobs
   SET state = 'running', attempts = attempts + 1, fence = fence + 1,
       lease_until = now() + make_interval(secs => %(lease_s)s), updated_at = now()
 WHERE namespace_id = %(namespace_id)s
   AND id = (SELECT id FROM jobs
              WHERE namespace_id = %(namespace_id)s AND task = %(task)s
                AND state = 'pending' AND published_at IS NOT NULL AND not_before <= now()
                AND (SELECT t.namespace_id FROM tenants t WHERE t.namespace_id = %(namespace_id)s
                        FOR SHARE SKIP LOCKED) IS NOT NULL
              ORDER BY not_before, id LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING namespace_id, id AS job_id, task, subject, dirty_seq, fence, attempts, trace_context;

-- find_startable --
-- Return a job of a task that a worker could start, even if its row is locked; no row if there is none.
SELECT namespace_id, id AS job_id FROM jobs
 WHERE task = %(task)s AND state = 'pending' AND published_at IS NOT NULL AND not_before <= now()
 ORDER BY namespace_id, not_before, id LIMIT 1;

-- other_namespaces_wait --
-- Return whether a job of a task could be started in another namespace.
SELECT coalesce(min(namespace_id) < %(namespace_id)s OR max(namespace_id) > %(namespace_id)s, false)
  FROM jobs
 WHERE task = %(task)s AND state = 'pending' AND published_at IS NOT NULL AND not_before <= now();

-- start_job --
-- Start a due job like start_next, but also if its wake-up was not sent. Waits for a lock on its row, and for an
-- erasure in its namespace, so that the job does not read data that is being erased.
WITH held AS MATERIALIZED (
    SELECT t.namespace_id AS tenant FROM tenants t WHERE t.namespace_id = %(namespace_id)s FOR SHARE
)
UPDATE jobs
   SET state = 'running', attempts = attempts + 1, fence = fence + 1,
       lease_until = now() + make_interval(secs => %(lease_s)s), updated_at = now()
  FROM held
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND state = 'pending' AND not_before <= now()
RETURNING namespace_id, id AS job_id, task, subject, dirty_seq, fence, attempts, trace_context;

-- extend_lease --
-- Extend the lease of a job after a completed part. `attempts` and `deaths` are reset, because a later failure is a new
-- one. No row if the lease was lost.
UPDATE jobs
   SET attempts = 1, deaths = 0, lease_until = now() + make_interval(secs => %(lease_s)s)
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND fence = %(fence)s AND state = 'running'
RETURNING id;

-- beat_lease --
-- Extend the lease of a job during a long step. No row if the lease was lost.
UPDATE jobs
   SET lease_until = now() + make_interval(secs => %(lease_s)s)
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND fence = %(fence)s AND state = 'running'
RETURNING id;

-- lock_job --
-- Lock a job's row until the end of the transaction, because its results count only while it has the lease. No row if
-- the lease was lost.
SELECT id FROM jobs
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND fence = %(fence)s AND state = 'running' FOR NO KEY UPDATE;

-- finish_job --
-- Record that a job is done. It becomes pending again if new work arrived meanwhile (due at once), or if `again_at` is
-- given (due then). No row if the lease was lost, in which case another worker owns the job.
UPDATE jobs
   SET done_seq = %(dirty_seq)s,
       state = CASE WHEN dirty_seq > %(dirty_seq)s OR %(again_at)s::timestamptz IS NOT NULL
                    THEN 'pending' ELSE 'done' END,
       not_before = greatest(now(), CASE WHEN dirty_seq <= %(dirty_seq)s THEN %(again_at)s::timestamptz END),
       attempts = 0, deaths = 0, lease_until = NULL, published_at = NULL, error = NULL, updated_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND fence = %(fence)s AND state = 'running'
RETURNING state;

-- fail_job --
-- Record a failure. The job is retried after a pause, or parked after its last attempt.
UPDATE jobs
   SET state = CASE WHEN %(final)s OR attempts >= %(max_attempts)s THEN 'failed' ELSE 'pending' END,
       deaths = 0, lease_until = NULL, published_at = NULL, error = %(error)s,
       not_before = now() + make_interval(secs => %(pause_s)s), updated_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND fence = %(fence)s AND state = 'running'
RETURNING state;

-- postpone_job --
-- Postpone a job that could not be tried; no attempt is counted. If wake_postponed found it running, it is due at once.
-- No row if the lease was lost.
UPDATE jobs
   SET state = 'pending', attempts = attempts - 1, lease_until = NULL, published_at = NULL, error = %(error)s,
       not_before = now() + CASE WHEN not_before = 'infinity' THEN interval '0' ELSE make_interval(secs => %(pause_s)s) END,
       updated_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND fence = %(fence)s AND state = 'running'
RETURNING state;

-- wake_postponed --
-- Make jobs due that wait for a setting that a caller has now changed: their error names it, or was replaced by
-- 'erased'. A running job may have been refused already, so its `not_before` becomes 'infinity', and postpone_job makes
-- it due at once. Jobs are locked in the same order as elsewhere. `embed` jobs are excluded, because their passages
-- wait instead.
UPDATE jobs
   SET not_before = greatest(now(), CASE WHEN state = 'running' THEN 'infinity'::timestamptz END), updated_at = now()
 WHERE namespace_id = %(namespace_id)s
   AND id IN (SELECT id FROM jobs
               WHERE namespace_id = %(namespace_id)s AND task <> 'embed'
                 AND (state = 'pending' AND published_at IS NULL AND not_before > now() AND error IN (%(error)s, 'erased')
                      OR state = 'running')
               ORDER BY task, array_position(ARRAY['day', 'week', 'month', 'year'], split_part(subject, '/', 1)),
                        subject COLLATE "C"
                 FOR NO KEY UPDATE);

-- find_expired --
-- Return jobs whose lease has expired, the oldest first.
SELECT namespace_id, id AS job_id FROM jobs
 WHERE state = 'running' AND lease_until < now()
 ORDER BY lease_until LIMIT %(batch)s;

-- reclaim_expired --
-- Reclaim jobs of a namespace whose lease has expired. No attempt is counted, but a job whose workers died `max_deaths`
-- times is parked.
UPDATE jobs
   SET state = CASE WHEN deaths + 1 >= %(max_deaths)s THEN 'failed' ELSE 'pending' END,
       deaths = CASE WHEN deaths + 1 >= %(max_deaths)s THEN 0 ELSE deaths + 1 END,
       attempts = attempts - 1, error = 'the worker ended without a result', lease_until = NULL, published_at = NULL,
       fence = fence + 1, not_before = now(), updated_at = now()
 WHERE namespace_id = %(namespace_id)s
   AND id IN (SELECT id FROM jobs
               WHERE namespace_id = %(namespace_id)s AND id = ANY (%(job_ids)s::bigint[])
                 AND state = 'running' AND lease_until < now() FOR UPDATE SKIP LOCKED);

-- count_published --
-- Count the jobs of each task with a published wake-up.
SELECT task, count(*) AS jobs FROM jobs WHERE state = 'pending' AND published_at IS NOT NULL GROUP BY task ORDER BY task;

-- find_lost --
-- Return pending jobs of a task whose wake-ups were sent long ago, the oldest first.
SELECT namespace_id, id AS job_id FROM jobs
 WHERE state = 'pending' AND task = %(task)s AND published_at < now() - make_interval(secs => %(max_wait_s)s)
 ORDER BY published_at LIMIT %(batch)s;

-- republish_lost --
-- Mark jobs of a namespace whose wake-ups were sent long ago as unpublished, so that they are sent again.
UPDATE jobs
   SET published_at = NULL
 WHERE namespace_id = %(namespace_id)s
   AND id IN (SELECT id FROM jobs
               WHERE namespace_id = %(namespace_id)s AND id = ANY (%(job_ids)s::bigint[]) AND state = 'pending'
                 AND published_at < now() - make_interval(secs => %(max_wait_s)s) FOR UPDATE SKIP LOCKED);

-- find_done --
-- Return jobs that were done long ago, the oldest first.
SELECT namespace_id, id AS job_id FROM jobs
 WHERE state = 'done' AND updated_at < now() - make_interval(secs => %(keep_s)s)
 ORDER BY updated_at LIMIT %(batch)s;

-- prune_done --
-- Delete jobs of a namespace that were done long ago.
DELETE FROM jobs
 WHERE namespace_id = %(namespace_id)s
   AND id IN (SELECT id FROM jobs
               WHERE namespace_id = %(namespace_id)s AND id = ANY (%(job_ids)s::bigint[])
                 AND state = 'done' AND updated_at < now() - make_interval(secs => %(keep_s)s) FOR UPDATE SKIP LOCKED);
