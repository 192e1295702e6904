-- Statements on jobs: ids, states and counters only. Reads may cross namespaces; what locks or changes rows does so in one.

-- enqueue --
-- Make jobs of a namespace due, in the order in which they are given. A worker that is at one sees from dirty_seq that there is
-- more; one that was given up gets another chance by new work; one that waits for its time is due earlier, or with `postpone`
-- later. A pause after a failure stays. With `only_idle` none is touched that somebody is at, that failed or
-- that waits for a dependency, but for what was given up so long ago.
INSERT INTO jobs (namespace_id, task, subject, not_before, trace_context)
SELECT %(namespace_id)s, due.task, due.subject, now() + make_interval(secs => due.delay_s), %(trace_context)s
  FROM unnest(%(tasks)s::text[], %(subjects)s::text[], %(delays_s)s::float8[])
       WITH ORDINALITY AS due (task, subject, delay_s, place)
 ORDER BY due.place
    ON CONFLICT (namespace_id, task, subject) DO UPDATE
   SET dirty_seq = jobs.dirty_seq + 1,
       state = CASE WHEN jobs.state = 'running' THEN 'running' ELSE 'pending' END,
       attempts = CASE WHEN jobs.state IN ('done', 'failed') THEN 0 ELSE jobs.attempts END,
       error = CASE WHEN jobs.state IN ('done', 'failed') THEN NULL ELSE jobs.error END,
       not_before = CASE WHEN jobs.state IN ('done', 'failed') THEN excluded.not_before
                         WHEN jobs.state = 'pending' AND jobs.attempts = 0 AND jobs.not_before > now()
                         THEN CASE WHEN %(postpone)s THEN excluded.not_before
                                   ELSE least(jobs.not_before, excluded.not_before) END
                         ELSE jobs.not_before END,
       published_at = CASE WHEN jobs.state IN ('done', 'failed')
                                OR jobs.state = 'pending' AND jobs.attempts = 0 AND jobs.not_before > now()
                           THEN NULL ELSE jobs.published_at END,
       trace_context = excluded.trace_context,
       updated_at = now()
 WHERE NOT %(only_idle)s OR jobs.state = 'done'
    OR jobs.state = 'pending' AND jobs.attempts = 0 AND jobs.error IS NULL AND jobs.not_before > excluded.not_before
    OR jobs.state = 'failed' AND jobs.updated_at <= now() - make_interval(secs => %(retry_failed_after_s)s::float8);

-- find_unpublished --
-- Jobs that are due and whose wake-up is not on its way, by namespace: those of one namespace and task in turn with those of
-- others, as far as a window reaches.
SELECT namespace_id, array_agg(id) AS job_ids
  FROM (SELECT namespace_id, id
          FROM (SELECT namespace_id, id, row_number() OVER (PARTITION BY namespace_id, task ORDER BY not_before, id) AS turn
                  FROM (SELECT id, namespace_id, task, not_before FROM jobs
                         WHERE state = 'pending' AND published_at IS NULL AND not_before <= now()
                         ORDER BY not_before, id LIMIT %(window)s) AS waiting) AS in_turn
         ORDER BY turn, id LIMIT %(batch)s) AS due
 GROUP BY namespace_id
 ORDER BY namespace_id;

-- claim_publications --
-- Take those of a namespace's jobs that are still due and that nobody holds. The fencing token makes each wake-up's RQ id new:
-- RQ loses a wake-up whose id it has seen.
UPDATE jobs
   SET fence = fence + 1, published_at = now()
 WHERE namespace_id = %(namespace_id)s
   AND id IN (SELECT id FROM jobs
               WHERE namespace_id = %(namespace_id)s AND id = ANY (%(job_ids)s::bigint[])
                 AND state = 'pending' AND published_at IS NULL AND not_before <= now() FOR UPDATE SKIP LOCKED)
RETURNING namespace_id, id AS job_id, task, fence, trace_context;

-- republish_due --
-- Take a job that is due again when its worker has just been at it: its wake-up waits for no publisher.
UPDATE jobs
   SET fence = fence + 1, published_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s
   AND state = 'pending' AND published_at IS NULL AND not_before <= now()
RETURNING namespace_id, id AS job_id, task, fence, trace_context;

-- release_publications --
-- Give jobs of a namespace back whose wake-ups could not be sent.
UPDATE jobs
   SET published_at = NULL
  FROM unnest(%(job_ids)s::bigint[], %(fences)s::bigint[]) AS sent (job_id, fence)
 WHERE jobs.namespace_id = %(namespace_id)s AND jobs.id = sent.job_id AND jobs.fence = sent.fence
   AND jobs.state = 'pending';

-- next_turn --
-- The namespace that comes next after one with jobs of a task whose wake-ups were sent: the first one after the last.
(SELECT namespace_id FROM jobs
  WHERE task = %(task)s AND state = 'pending' AND published_at IS NOT NULL AND not_before <= now()
    AND namespace_id > %(after)s
  ORDER BY namespace_id LIMIT 1)
UNION ALL
(SELECT namespace_id FROM jobs
  WHERE task = %(task)s AND state = 'pending' AND published_at IS NOT NULL AND not_before <= now()
    AND namespace_id <= %(after)s
  ORDER BY namespace_id LIMIT 1)
LIMIT 1;

-- start_next --
-- Take the longest waiting one of a namespace's jobs of a task whose wake-ups were sent, with a lease and a fencing token.
-- What others hold is left out, and so is all where no job may start now, since something is being erased (fence_jobs).
UPDATE jobs
   SET state = 'running', attempts = attempts + 1, fence = fence + 1,
       lease_until = now() + make_interval(secs => %(lease_s)s), updated_at = now()
 WHERE namespace_id = %(namespace_id)s
   AND id = (SELECT id FROM jobs
              WHERE namespace_id = %(namespace_id)s AND task = %(task)s
                AND state = 'pending' AND published_at IS NOT NULL AND not_before <= now()
                AND pg_try_advisory_xact_lock_shared(hashtextextended('start jobs', namespace_id))
              ORDER BY not_before, id LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING namespace_id, id AS job_id, task, subject, dirty_seq, fence, attempts, trace_context;

-- find_startable --
-- A job of a task that a worker could start, whoever holds its row; no row where there is none.
SELECT namespace_id, id AS job_id FROM jobs
 WHERE task = %(task)s AND state = 'pending' AND published_at IS NOT NULL AND not_before <= now()
 ORDER BY namespace_id, not_before, id LIMIT 1;

-- other_namespaces_wait --
-- Whether another namespace's job of a task could be started.
SELECT EXISTS (SELECT FROM jobs
                WHERE task = %(task)s AND state = 'pending' AND published_at IS NOT NULL AND not_before <= now()
                  AND namespace_id < %(namespace_id)s)
    OR EXISTS (SELECT FROM jobs
                WHERE task = %(task)s AND state = 'pending' AND published_at IS NOT NULL AND not_before <= now()
                  AND namespace_id > %(namespace_id)s);

-- start_job --
-- Take a job that is due, as start_next does; its wake-up need not have been sent. Waits for whoever holds its row, and
-- until jobs may start in its namespace: what is being erased meanwhile, it does not read.
WITH wanted AS MATERIALIZED (
    SELECT id, pg_advisory_xact_lock_shared(hashtextextended('start jobs', namespace_id))
      FROM jobs WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND state = 'pending'
)
UPDATE jobs
   SET state = 'running', attempts = attempts + 1, fence = fence + 1,
       lease_until = now() + make_interval(secs => %(lease_s)s), updated_at = now()
  FROM wanted
 WHERE namespace_id = %(namespace_id)s AND jobs.id = wanted.id AND state = 'pending' AND not_before <= now()
RETURNING namespace_id, jobs.id AS job_id, task, subject, dirty_seq, fence, attempts, trace_context;

-- extend_lease --
-- Keep a job that takes longer, of which a part is done for good: attempts and deaths count again, as what fails next is not
-- what failed before. No row where the lease was lost.
UPDATE jobs
   SET attempts = 1, deaths = 0, lease_until = now() + make_interval(secs => %(lease_s)s)
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND fence = %(fence)s AND state = 'running'
RETURNING id;

-- beat_lease --
-- Keep a job while a long step of it goes on. No row where the lease was lost.
UPDATE jobs
   SET lease_until = now() + make_interval(secs => %(lease_s)s)
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND fence = %(fence)s AND state = 'running'
RETURNING id;

-- lock_job --
-- Hold a job's row until the transaction ends: what it stores counts only while the lease does. No row where it was lost.
SELECT id FROM jobs
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND fence = %(fence)s AND state = 'running' FOR NO KEY UPDATE;

-- finish_job --
-- Record what was done. What became due meanwhile makes the job pending again, at once; what will become due, at its
-- time. No row where the lease was lost: then the result belongs to somebody else.
UPDATE jobs
   SET done_seq = %(dirty_seq)s,
       state = CASE WHEN dirty_seq > %(dirty_seq)s OR %(again_at)s::timestamptz IS NOT NULL
                    THEN 'pending' ELSE 'done' END,
       not_before = CASE WHEN dirty_seq > %(dirty_seq)s THEN now() ELSE coalesce(%(again_at)s::timestamptz, now()) END,
       attempts = 0, deaths = 0, lease_until = NULL, published_at = NULL, error = NULL, updated_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND fence = %(fence)s AND state = 'running'
RETURNING state;

-- fail_job --
-- Record a failure: another attempt after a pause, or none any more.
UPDATE jobs
   SET state = CASE WHEN %(final)s OR attempts >= %(max_attempts)s THEN 'failed' ELSE 'pending' END,
       deaths = 0, lease_until = NULL, published_at = NULL, error = %(error)s,
       not_before = now() + make_interval(secs => %(pause_s)s), updated_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND fence = %(fence)s AND state = 'running'
RETURNING state;

-- postpone_job --
-- Give a job back that could not be tried: it counts as no attempt. What wake_postponed found at work is due at once. No row
-- where the lease was lost.
UPDATE jobs
   SET state = 'pending', attempts = attempts - 1, lease_until = NULL, published_at = NULL, error = %(error)s,
       not_before = now() + CASE WHEN not_before = 'infinity' THEN interval '0' ELSE make_interval(secs => %(pause_s)s) END,
       updated_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(job_id)s AND fence = %(fence)s AND state = 'running'
RETURNING state;

-- wake_postponed --
-- Make jobs due that wait for what a caller has now changed, as their error says, or said before an erasure blanked it. A
-- running job may have been refused already: 'infinity' tells postpone_job to make it due at once. They are locked in the
-- order in which others lock several. Of the task `embed` none waits: its passages do.
UPDATE jobs
   SET not_before = CASE WHEN state = 'running' THEN 'infinity'::timestamptz ELSE now() END, updated_at = now()
 WHERE namespace_id = %(namespace_id)s
   AND id IN (SELECT id FROM jobs
               WHERE namespace_id = %(namespace_id)s AND task <> 'embed'
                 AND (state = 'pending' AND published_at IS NULL AND not_before > now() AND error IN (%(error)s, 'erased')
                      OR state = 'running')
               ORDER BY task, array_position(ARRAY['day', 'week', 'month', 'year'], split_part(subject, '/', 1)),
                        subject COLLATE "C"
                 FOR NO KEY UPDATE);

-- find_expired --
-- Jobs whose worker fell silent, by namespace: those whose leases ran out first.
SELECT namespace_id, array_agg(id) AS job_ids
  FROM (SELECT namespace_id, id FROM jobs WHERE state = 'running' AND lease_until < now()
         ORDER BY lease_until LIMIT %(batch)s) AS expired
 GROUP BY namespace_id
 ORDER BY namespace_id;

-- reclaim_expired --
-- Take jobs of a namespace back whose worker fell silent. That counts as no attempt; a job that kills its worker each time is
-- given up all the same.
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
-- How many jobs of each task have wake-ups on their way.
SELECT task, count(*) AS jobs FROM jobs WHERE state = 'pending' AND published_at IS NOT NULL GROUP BY task ORDER BY task;

-- find_lost --
-- Jobs of a task whose wake-ups were sent long before now, by namespace: the oldest first.
SELECT namespace_id, array_agg(id) AS job_ids
  FROM (SELECT namespace_id, id FROM jobs
         WHERE state = 'pending' AND task = %(task)s AND published_at < now() - make_interval(secs => %(max_wait_s)s)
         ORDER BY published_at LIMIT %(batch)s) AS lost
 GROUP BY namespace_id
 ORDER BY namespace_id;

-- republish_lost --
-- Send wake-ups of a namespace's jobs again that were sent long before now.
UPDATE jobs
   SET published_at = NULL
 WHERE namespace_id = %(namespace_id)s
   AND id IN (SELECT id FROM jobs
               WHERE namespace_id = %(namespace_id)s AND id = ANY (%(job_ids)s::bigint[]) AND state = 'pending'
                 AND published_at < now() - make_interval(secs => %(max_wait_s)s) FOR UPDATE SKIP LOCKED);

-- find_done --
-- Jobs that were done long ago, by namespace: the oldest first.
SELECT namespace_id, array_agg(id) AS job_ids
  FROM (SELECT namespace_id, id FROM jobs
         WHERE state = 'done' AND updated_at < now() - make_interval(secs => %(keep_s)s)
         ORDER BY updated_at LIMIT %(batch)s) AS old
 GROUP BY namespace_id
 ORDER BY namespace_id;

-- prune_done --
-- Forget jobs of a namespace that were done long ago.
DELETE FROM jobs
 WHERE namespace_id = %(namespace_id)s
   AND id IN (SELECT id FROM jobs
               WHERE namespace_id = %(namespace_id)s AND id = ANY (%(job_ids)s::bigint[])
                 AND state = 'done' AND updated_at < now() - make_interval(secs => %(keep_s)s) FOR UPDATE SKIP LOCKED);
