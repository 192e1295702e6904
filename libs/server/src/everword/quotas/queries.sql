-- Statements on the limits of namespaces: ids and counters only.

-- fold_usage --
-- Add a process's counts for a namespace with limits, and return the limits with the counts of all processes in this
-- minute. Counts may be negative, to undo earlier counts of requests that stored nothing.
WITH counted AS MATERIALIZED (
    SELECT id, requests_per_minute, messages_per_minute, stored_bytes AS most_bytes
      FROM namespaces WHERE id = %(namespace_id)s AND state = 'active'
), added AS (
    INSERT INTO namespace_usage AS u (namespace_id, minute, requests, messages)
    SELECT id, date_trunc('minute', now()), greatest(%(requests)s::bigint, 0), greatest(%(messages)s::bigint, 0) FROM counted
     WHERE requests_per_minute > 0 OR messages_per_minute > 0 OR most_bytes > 0
        ON CONFLICT (namespace_id) DO UPDATE
       -- A statement that began in the previous minute adds nothing, so that the current minute's counts stay.
       SET minute = greatest(u.minute, excluded.minute),
           requests = CASE WHEN u.minute > excluded.minute THEN u.requests
                           WHEN u.minute = excluded.minute THEN greatest(u.requests + %(requests)s::bigint, 0)
                           ELSE excluded.requests END,
           messages = CASE WHEN u.minute > excluded.minute THEN u.messages
                           WHEN u.minute = excluded.minute THEN greatest(u.messages + %(messages)s::bigint, 0)
                           ELSE excluded.messages END
    RETURNING requests, messages, stored_bytes
)
SELECT c.id AS namespace_id, c.requests_per_minute, c.messages_per_minute, c.most_bytes AS max_stored_bytes,
       coalesce(a.requests, 0) AS requests, coalesce(a.messages, 0) AS messages, coalesce(a.stored_bytes, 0) AS stored_bytes,
       60 - extract(epoch FROM clock_timestamp() - date_trunc('minute', now()))::float8 AS ends_in_s
  FROM counted c LEFT JOIN added a ON true;
