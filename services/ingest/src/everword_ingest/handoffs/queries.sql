-- Statements of handoffs. Each is limited to one namespace.

-- insert_grant --
-- Insert a grant, and delete some that ended over a week ago.
WITH forgotten AS (
    DELETE FROM advisor_grants
     WHERE namespace_id = %(namespace_id)s AND id IN (
           SELECT id FROM advisor_grants
            WHERE namespace_id = %(namespace_id)s AND expires_at < now() - interval '7 days'
            ORDER BY id LIMIT 100)
)
INSERT INTO advisor_grants (namespace_id, id, secret_hash, repo, issue, max_calls, expires_at)
VALUES (%(namespace_id)s, %(id)s, %(secret_hash)s, %(repo)s, %(issue)s, %(max_calls)s, now() + %(lifetime)s::interval)
RETURNING id, repo, issue, max_calls, used_calls, created_at, expires_at;

-- list_grants --
-- Return the latest unexpired grants for an issue.
SELECT id, repo, issue, max_calls, used_calls, created_at, expires_at
  FROM advisor_grants
 WHERE namespace_id = %(namespace_id)s AND repo = %(repo)s AND issue = %(issue)s AND expires_at > now()
 ORDER BY id DESC
 LIMIT %(limit)s;
