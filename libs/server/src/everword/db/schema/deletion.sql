-- Deletion of a namespace with all its rows, and the permanent record of it.

CREATE TABLE namespace_deletions (
    id uuid PRIMARY KEY,
    deleted_id bigint NOT NULL UNIQUE,
    name_hash bytea NOT NULL,
    api_key_id uuid,
    requested_by text NOT NULL DEFAULT '',
    counts jsonb NOT NULL DEFAULT '{}',
    requested_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);
COMMENT ON TABLE namespace_deletions IS
    'Deleted namespaces with time, requester and row counts, but no content. Kept for ever; written by functions only.';
COMMENT ON COLUMN namespace_deletions.deleted_id IS 'The id of the deleted namespace; it is not reused.';
COMMENT ON COLUMN namespace_deletions.name_hash IS 'SHA-256 of the name, salted with the deployment''s secret.';
COMMENT ON COLUMN namespace_deletions.api_key_id IS 'The key of the call. NULL for EVERWORD_ADMIN_KEY, and if no key was required.';
CREATE INDEX namespace_deletions_name_hash ON namespace_deletions (name_hash, id);
GRANT SELECT ON namespace_deletions TO everword_ingest;

CREATE FUNCTION namespace_name_hash(name_ text) RETURNS bytea
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT sha256(token_secret || convert_to(to_jsonb(ARRAY['namespace', name_])::text, 'UTF8')) FROM deployment
$$;
COMMENT ON FUNCTION namespace_name_hash IS 'Return the hash that the record of a deletion keeps instead of the name.';

CREATE FUNCTION find_namespace_hold(name_ text) RETURNS uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    target constant bigint := (SELECT id FROM namespaces WHERE name = name_ AND state = 'active');
BEGIN
    RETURN (SELECT id FROM legal_holds WHERE namespace_id = target ORDER BY id LIMIT 1);
END $$;
COMMENT ON FUNCTION find_namespace_hold IS
    'Return a legal hold of an active namespace; unfinished imports and deletions can be deleted whatever they contain.';

CREATE FUNCTION begin_namespace_deletion(name_ text, key_id uuid, asked_by text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    target bigint;
BEGIN
    UPDATE namespaces SET state = 'deleting' WHERE name = name_ RETURNING id INTO target;
    -- The id is a UUIDv7: milliseconds, then random bits, with the version and the variant set.
    INSERT INTO namespace_deletions (id, deleted_id, name_hash, api_key_id, requested_by)
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
                      substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1),
                  'hex')::uuid,
           n.id, namespace_name_hash(n.name), key_id, asked_by
      FROM namespaces n WHERE n.id = target
        ON CONFLICT (deleted_id) DO NOTHING;
    RETURN target;
END $$;
COMMENT ON FUNCTION begin_namespace_deletion IS 'Hide a namespace, record its deletion, and return its id; NULL if there is no such namespace.';

CREATE FUNCTION count_namespace_rows(name_ text) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    target constant bigint := (SELECT id FROM namespaces WHERE name = name_);
    relation name;
    found_rows bigint;
    counts jsonb := '{}';
BEGIN
    IF target IS NULL THEN
        RETURN NULL;
    END IF;
    -- From the catalogue, so that a table without a row in transfer_rules shows up.
    FOR relation IN
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace_id'
         WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
           AND c.relname <> 'tenants' LOOP
        EXECUTE format('SELECT count(*) FROM %1$I WHERE namespace_id = $1', relation) INTO found_rows USING target;
        IF found_rows > 0 THEN
            counts := counts || jsonb_build_object(relation, found_rows);
        END IF;
    END LOOP;
    RETURN counts;
END $$;
COMMENT ON FUNCTION count_namespace_rows IS
    'Return the number of rows of a namespace by table, in one snapshot, or NULL if there is no such namespace. Takes no locks.';

CREATE FUNCTION erase_namespace_rows(target bigint, batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    erased bigint;
    child text;
BEGIN
    IF NOT EXISTS (SELECT FROM namespaces WHERE id = target AND state = 'deleting') THEN
        RETURN 0;
    END IF;
    -- One table per call keeps the transaction short. The order of an import, parents before children, is reversed.
    FOR child IN SELECT relation
                   FROM (SELECT 'memory_vectors_' || id AS relation, NULL AS place FROM model_generations
                          UNION ALL
                         -- The namespace's own row, as in `namespaces`, is deleted last.
                         SELECT relation, place FROM transfer_rules WHERE relation <> 'tenants') AS tables
                  ORDER BY place DESC NULLS FIRST, relation LOOP
        -- The rows of a namespace are in one partition, so no two have the same ctid.
        EXECUTE format('DELETE FROM %1$I WHERE namespace_id = $1 AND ctid IN '
                       '(SELECT ctid FROM %1$I WHERE namespace_id = $1 LIMIT $2)', child) USING target, batch;
        GET DIAGNOSTICS erased = ROW_COUNT;
        IF erased > 0 THEN
            UPDATE namespace_deletions SET counts = merge_erased(counts, jsonb_build_object(child, erased)) WHERE deleted_id = target;
            RETURN erased;
        END IF;
    END LOOP;
    DELETE FROM tenants WHERE namespace_id = target;
    DELETE FROM namespaces WHERE id = target;
    UPDATE namespace_deletions SET finished_at = clock_timestamp() WHERE deleted_id = target AND finished_at IS NULL;
    RETURN 0;
END $$;
COMMENT ON FUNCTION erase_namespace_rows IS 'Delete up to `batch` rows of a namespace in deletion; return 0 when the namespace is gone.';

GRANT EXECUTE ON FUNCTION namespace_name_hash, find_namespace_hold, begin_namespace_deletion, count_namespace_rows,
    erase_namespace_rows TO everword_ingest;
