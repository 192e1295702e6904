-- API keys, and grants for a limited number of calls.

CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    namespace_id bigint REFERENCES namespaces (id),
    key_hash bytea NOT NULL UNIQUE,
    role smallint NOT NULL CHECK (role BETWEEN 1 AND 3),
    description text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    expires_at timestamptz,
    last_used_at timestamptz,
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    -- An operator's key opens every namespace, so it cannot be bound to an agent or a subject.
    CONSTRAINT api_keys_scope_check CHECK (role < 3 OR (agent = '' AND subject = '')),
    -- A call with an operator's key names its namespace; every other key is bound to one.
    CHECK ((role = 3) = (namespace_id IS NULL))
);
COMMENT ON TABLE api_keys IS 'SHA-256 of 256-bit random keys. Revoked keys stay, so that a closed deployment stays closed.';
COMMENT ON COLUMN api_keys.last_used_at IS 'Accurate to a minute: a key in use is written once a minute.';
COMMENT ON COLUMN api_keys.agent IS 'The agent that the key is bound to; empty for any.';
COMMENT ON COLUMN api_keys.subject IS 'The subject that the key is bound to; empty for any.';
CREATE INDEX api_keys_namespace_id ON api_keys (namespace_id);
GRANT SELECT (id, namespace_id, role, description, created_at, revoked_at, expires_at, last_used_at, agent, subject), INSERT,
    UPDATE (revoked_at, expires_at) ON api_keys TO everword_ingest;
INSERT INTO erasure_rules VALUES ('kept', 11, 'api_keys', '', NULL, 'Hashes and descriptions of keys.');
INSERT INTO transfer_rules VALUES ('api_keys', 204, NULL, '{}', 'Credentials.');

CREATE FUNCTION authenticate_key(hash bytea)
RETURNS TABLE(api_key_id uuid, role smallint, namespace_id bigint, namespace_name text, agent text, subject text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    SELECT k.id, k.role, n.id AS namespace_id, n.name, k.agent, k.subject, k.last_used_at INTO key
      FROM api_keys k LEFT JOIN namespaces n ON n.id = k.namespace_id AND n.state = 'active'
     WHERE k.key_hash = hash AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now())
       AND (k.namespace_id IS NULL OR n.id IS NOT NULL);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF (key.last_used_at IS NULL OR key.last_used_at < now() - interval '1 minute')
       AND NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' THEN
        -- If another call has locked the row, that call writes the time. No call waits for authentication.
        UPDATE api_keys SET last_used_at = now()
         WHERE id = (SELECT id FROM api_keys WHERE key_hash = hash FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN QUERY SELECT key.id, key.role, key.namespace_id, key.name, key.agent, key.subject;
END $$;
COMMENT ON FUNCTION authenticate_key IS
    'Return role and scope of the key with this hash; no row if unknown or ended. Nothing else reads keys.';

CREATE FUNCTION api_keys_exist() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT closed FROM deployment
$$;
COMMENT ON FUNCTION api_keys_exist IS 'Return whether a key was ever created: from then on every call needs one.';

CREATE FUNCTION close_deployment() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    UPDATE deployment SET closed = true WHERE NOT closed
$$;
COMMENT ON FUNCTION close_deployment IS
    'Require a key for every call from now on; statements that add keys call it. Only the owner of the schema can undo it.';

CREATE TABLE advisor_grants (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    secret_hash bytea NOT NULL,
    repo text NOT NULL,
    issue text NOT NULL,
    max_calls integer NOT NULL CHECK (max_calls > 0),
    used_calls integer NOT NULL DEFAULT 0 CHECK (used_calls BETWEEN 0 AND max_calls),
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id)
);
COMMENT ON TABLE advisor_grants IS 'Keys for a limited number of calls, with the calls made. Deleted a week after they end.';
COMMENT ON COLUMN advisor_grants.secret_hash IS 'SHA-256 of 256 random bits, as of API keys.';
CREATE UNIQUE INDEX advisor_grants_secret_hash ON advisor_grants (secret_hash);
SELECT isolate_table('advisor_grants');
GRANT SELECT (namespace_id, id, repo, issue, max_calls, used_calls, expires_at, created_at), INSERT, DELETE ON advisor_grants TO
    everword_ingest;
INSERT INTO erasure_rules VALUES ('kept', 10, 'advisor_grants', '', NULL, 'Hashes of keys, and names of repositories.');
INSERT INTO transfer_rules VALUES ('advisor_grants', 205, NULL, '{}', 'Credentials.');

CREATE FUNCTION spend_grant(hash bytea, spends boolean)
RETURNS TABLE(namespace_id bigint, namespace_name text, max_calls integer, allowed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
#variable_conflict use_column
DECLARE
    spent boolean;
BEGIN
    UPDATE advisor_grants SET used_calls = used_calls + 1
     WHERE secret_hash = hash AND spends AND used_calls < max_calls AND expires_at > now();
    spent := FOUND;
    RETURN QUERY
    SELECT n.id, n.name, g.max_calls, spent OR NOT spends
      FROM advisor_grants g JOIN namespaces n ON n.id = g.namespace_id AND n.state = 'active'
     WHERE g.secret_hash = hash AND g.expires_at > now();
END $$;
COMMENT ON FUNCTION spend_grant IS
    'Count a call if it `spends`; return the grant''s namespace and whether a call was left. No row if unknown.';

GRANT EXECUTE ON FUNCTION authenticate_key, api_keys_exist, close_deployment, spend_grant TO
    everword_ingest, everword_search, everword_compactor, everword_embedder;
