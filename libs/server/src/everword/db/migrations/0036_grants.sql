-- Leave for one run of an advisor: a key that opens a namespace for a number of calls.

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
COMMENT ON TABLE advisor_grants IS 'Keys for a number of calls, and how many were made. Forgotten a week after they end.';
COMMENT ON COLUMN advisor_grants.secret_hash IS 'SHA-256 of 256 random bits, as of API keys.';
CREATE UNIQUE INDEX advisor_grants_secret_hash ON advisor_grants (secret_hash);
SELECT isolate_table('advisor_grants');
GRANT SELECT (namespace_id, id, repo, issue, max_calls, used_calls, expires_at, created_at), INSERT, DELETE
    ON advisor_grants TO everword_ingest;

CREATE FUNCTION spend_grant(hash bytea, spends boolean)
RETURNS TABLE (namespace_id bigint, namespace_name text, max_calls integer, allowed boolean)
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
    'Count a call of the grant with this hash, if it `spends`: whose it is, and whether there was a call left; no row where it is '
    'unknown or has ended.';
REVOKE ALL ON FUNCTION spend_grant FROM PUBLIC;
GRANT EXECUTE ON FUNCTION spend_grant TO everword_ingest, everword_search, everword_compactor, everword_embedder;

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ',
                    '''usage_ledger'', ''advisor_grants'', ');
END $$;
