-- Statements on the limits of namespaces: ids and counters only.

-- list_limits --
-- Return the limits of a namespace, and the current minute with the seconds until it ends; no row if it was deleted.
SELECT id AS namespace_id, requests_per_minute, messages_per_minute, stored_bytes AS max_stored_bytes,
       date_trunc('minute', now()) AS minute,
       60 - extract(epoch FROM clock_timestamp() - date_trunc('minute', now()))::float8 AS ends_in_s
  FROM namespaces WHERE id = %(namespace_id)s AND state = 'active';

-- fold_usage --
-- Add a process's counts of a minute for a namespace with limits, and return the counts of all processes. Counts may be
-- negative, to undo earlier counts of requests that stored nothing.
INSERT INTO namespace_usage AS u (namespace_id, minute, requests, messages)
SELECT t.namespace_id, %(minute)s::timestamptz, greatest(%(requests)s::bigint, 0), greatest(%(messages)s::bigint, 0)
  FROM tenants t WHERE t.namespace_id = %(namespace_id)s
    ON CONFLICT (namespace_id) DO UPDATE
   -- Counts of an earlier minute are not added, so that the current minute's counts stay.
   SET minute = greatest(u.minute, excluded.minute),
       requests = CASE WHEN u.minute > excluded.minute THEN u.requests
                       WHEN u.minute = excluded.minute THEN greatest(u.requests + %(requests)s::bigint, 0)
                       ELSE excluded.requests END,
       messages = CASE WHEN u.minute > excluded.minute THEN u.messages
                       WHEN u.minute = excluded.minute THEN greatest(u.messages + %(messages)s::bigint, 0)
                       ELSE excluded.messages END
RETURNING namespace_id, requests, messages, stored_bytes;
