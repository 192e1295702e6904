-- Statements of AdminService on API keys. They work across namespaces, like their caller, and read no content.

-- insert_api_key --
-- Store a key by the hash of its secret. No row if it would leave the deployment without a valid admin key, because the
-- first key closes the deployment to calls without one.
WITH added AS (
    INSERT INTO api_keys (id, namespace_id, key_hash, role, agent, subject, description, expires_at)
    SELECT %(id)s, %(namespace_id)s, %(key_hash)s, %(role)s, %(agent)s, %(subject)s, %(description)s, %(expires_at)s
     WHERE %(role)s = 3 OR %(operated)s OR EXISTS (SELECT FROM api_keys
                   WHERE role = 3 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))
    RETURNING created_at
)
SELECT added.created_at FROM added CROSS JOIN LATERAL close_deployment();

-- fragment key --
-- A key without its secret, and the name of its namespace.
k.id, coalesce(n.name, '') AS namespace, k.role, k.agent, k.subject, k.description, k.created_at, k.revoked_at,
k.expires_at, k.last_used_at

-- list_api_keys --
-- Return keys by id, the oldest first, after `after`; namespace '' selects all.
SELECT :key
  FROM api_keys k LEFT JOIN namespaces n ON n.id = k.namespace_id
 WHERE k.id > %(after)s AND n.state IS DISTINCT FROM 'deleting' AND (%(namespace)s = '' OR n.name = %(namespace)s)
 ORDER BY k.id
 LIMIT %(limit)s;

-- get_api_keys --
-- Return these keys by id, the oldest first, except keys of namespaces that are being deleted.
SELECT :key
  FROM api_keys k LEFT JOIN namespaces n ON n.id = k.namespace_id
 WHERE k.id = ANY(%(ids)s::uuid[]) AND n.state IS DISTINCT FROM 'deleting'
 ORDER BY k.id;

-- revoke_api_key --
-- Revoke a key. Revoking it again keeps the first time.
UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = %(id)s;

-- rotate_api_key --
-- Limit the life of a valid key to the overlap, and insert a new key with the same rights and the same original
-- lifetime. No row if the key is not valid.
WITH good AS (
    SELECT id, expires_at - created_at AS lasts FROM api_keys
     WHERE id = %(id)s AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
       FOR UPDATE
), old AS (
    UPDATE api_keys k SET expires_at = least(k.expires_at, now() + %(overlap)s)
      FROM good WHERE k.id = good.id
    RETURNING k.namespace_id, k.role, k.agent, k.subject, k.description, good.lasts
), new AS (
    INSERT INTO api_keys (id, namespace_id, key_hash, role, agent, subject, description, expires_at)
    SELECT %(new_id)s, old.namespace_id, %(key_hash)s, old.role, old.agent, old.subject, old.description,
           least(now() + old.lasts, '9999-12-31 23:59:59Z') -- the end of what an answer can say
      FROM old
    RETURNING id
)
SELECT new.id FROM new CROSS JOIN LATERAL close_deployment();
