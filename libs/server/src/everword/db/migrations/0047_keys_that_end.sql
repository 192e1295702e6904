-- Let API keys end by themselves, and tell when each was used last.

ALTER TABLE api_keys
    ADD COLUMN expires_at timestamptz,
    ADD COLUMN last_used_at timestamptz;
COMMENT ON COLUMN api_keys.last_used_at IS 'To a minute or so: a key in use is written once a minute, however many calls it makes.';
GRANT SELECT (expires_at, last_used_at), UPDATE (expires_at) ON api_keys TO everword_ingest;

CREATE OR REPLACE FUNCTION authenticate_key(hash bytea)
RETURNS TABLE (api_key_id uuid, role smallint, namespace_id bigint, namespace_name text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    SELECT k.id, k.role, n.id AS namespace_id, n.name, k.last_used_at INTO key
      FROM api_keys k LEFT JOIN namespaces n ON n.id = k.namespace_id AND n.state = 'active'
     WHERE k.key_hash = hash AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now())
       AND (k.namespace_id IS NULL OR n.id IS NOT NULL);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF (key.last_used_at IS NULL OR key.last_used_at < now() - interval '1 minute')
       AND NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' THEN
        -- Whoever finds the row taken leaves it to the other: nobody waits to be let in.
        UPDATE api_keys SET last_used_at = now()
         WHERE id = (SELECT id FROM api_keys WHERE key_hash = hash FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN QUERY SELECT key.id, key.role, key.namespace_id, key.name;
END $$;
