-- A deployment that ever had a key stays closed to callers without one, though its keys were erased with their namespace.

ALTER TABLE deployment ADD COLUMN closed boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN deployment.closed IS
    'Whether there ever was a key. From then on every call needs one, also once no key is left.';
UPDATE deployment SET closed = EXISTS (SELECT FROM api_keys);

CREATE FUNCTION close_deployment() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    UPDATE deployment SET closed = true WHERE NOT closed
$$;
COMMENT ON FUNCTION close_deployment IS 'Let nobody in without a key from now on. Only the owner of the schema can undo it.';
REVOKE ALL ON FUNCTION close_deployment FROM PUBLIC;
GRANT EXECUTE ON FUNCTION close_deployment
    TO everword_ingest, everword_search, everword_compactor, everword_embedder;

CREATE FUNCTION close_deployment_with_key() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
BEGIN
    PERFORM close_deployment();
    RETURN NULL;
END $$;
COMMENT ON FUNCTION close_deployment_with_key IS 'A deployment is closed by the transaction that makes its first key.';
REVOKE ALL ON FUNCTION close_deployment_with_key FROM PUBLIC;
CREATE TRIGGER close_deployment AFTER INSERT ON api_keys
    FOR EACH STATEMENT EXECUTE FUNCTION close_deployment_with_key();

-- Also for services that were started before this migration.
CREATE OR REPLACE FUNCTION api_keys_exist() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT closed FROM deployment
$$;
