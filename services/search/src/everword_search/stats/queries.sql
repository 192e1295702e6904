-- Statements of GetStats. Every one filters by namespace.

-- corpus_counts --
-- Counts of the namespace's contents. The latest message is the one with the highest id, since ids grow with time.
SELECT coalesce(sum(conversations), 0)::bigint AS conversations, coalesce(sum(messages), 0)::bigint AS messages,
       coalesce(sum(turns), 0)::bigint AS turns, coalesce(sum(passages), 0)::bigint AS passages,
       coalesce(sum(content_bytes), 0)::bigint AS content_bytes,
       (SELECT recorded_at FROM messages
         WHERE namespace_id = %(namespace_id)s ORDER BY id DESC LIMIT 1) AS latest_recorded_at
  FROM corpus_counts
 WHERE namespace_id = %(namespace_id)s;

-- embedding_backlog --
-- The passages without a vector of the active generation. The oldest is the one with the lowest id.
SELECT g.provider || ':' || g.model AS model,
       (SELECT count(*) FROM (SELECT FROM embedding_queue
          WHERE namespace_id = %(namespace_id)s AND generation_id = g.id LIMIT %(limit)s) AS pending) AS pending,
       (SELECT count(*) FROM (SELECT FROM embedding_queue
          WHERE namespace_id = %(namespace_id)s AND generation_id = g.id AND state = 'failed'
          LIMIT %(limit)s) AS failed) AS failed,
       (SELECT now() - enqueued_at FROM embedding_queue
         WHERE namespace_id = %(namespace_id)s AND generation_id = g.id AND state = 'pending'
         ORDER BY memory_id LIMIT 1) AS oldest_pending
  FROM model_generations g
 WHERE g.state = 'active';

-- estimate_pending --
-- An estimate of the passages without a vector of the active generation: counted in evenly spaced ranges of ids, and
-- extrapolated from the first to the last pending id. Exact if the ranges are adjacent.
SELECT round(found.pending * greatest(1, step / %(width)s::integer))::bigint
  FROM (SELECT g.id, ends.first, (ends.last - ends.first + 1)::float8 / %(samples)s::integer AS step
          FROM model_generations g
         CROSS JOIN LATERAL (
               SELECT (SELECT memory_id FROM embedding_queue
                        WHERE namespace_id = %(namespace_id)s AND generation_id = g.id
                        ORDER BY memory_id LIMIT 1) AS first,
                      (SELECT memory_id FROM embedding_queue
                        WHERE namespace_id = %(namespace_id)s AND generation_id = g.id
                        ORDER BY memory_id DESC LIMIT 1) AS last) AS ends
         WHERE g.state = 'active') AS range
 CROSS JOIN LATERAL (
       SELECT count(*) AS pending
         FROM generate_series(0, %(samples)s::integer - 1) AS sample
        CROSS JOIN LATERAL (
              SELECT FROM embedding_queue
               WHERE namespace_id = %(namespace_id)s AND generation_id = range.id
                 AND memory_id >= range.first + ceil(sample * step)::bigint
                 AND memory_id < range.first + ceil(sample * step + least(step, %(width)s::integer))::bigint
              OFFSET 0) AS pending) AS found;

-- job_counts --
-- Job counts by task, the age of the oldest pending job, and the error of the latest failed one.
SELECT task,
       count(*) FILTER (WHERE state = 'pending' AND not_before <= now()) AS pending,
       count(*) FILTER (WHERE state = 'pending' AND not_before > now()) AS scheduled,
       count(*) FILTER (WHERE state = 'running') AS running,
       count(*) FILTER (WHERE state = 'failed') AS failed,
       now() - min(not_before) FILTER (WHERE state = 'pending' AND not_before <= now()) AS oldest_pending,
       min(not_before) FILTER (WHERE state = 'pending' AND not_before > now()) AS next_start_at,
       coalesce((array_agg(error ORDER BY updated_at DESC) FILTER (WHERE state = 'failed'))[1], '') AS sample_error
  FROM jobs
 WHERE namespace_id = %(namespace_id)s
 GROUP BY task
 ORDER BY task;
