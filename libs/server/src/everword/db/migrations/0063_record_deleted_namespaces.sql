-- What a namespace holds is counted before it is deleted, and a record of the deletion stays when the namespace is gone.

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
    'Which namespaces were deleted, when and by whom, with counts and without content. Of the deployment, not of a namespace: it stays '
    'for good. Functions of the owner alone write it.';
COMMENT ON COLUMN namespace_deletions.deleted_id IS 'The id that the namespace had. No other one gets it.';
COMMENT ON COLUMN namespace_deletions.name_hash IS 'SHA-256 of the name with the secret of the deployment: tells whether it was this one.';
COMMENT ON COLUMN namespace_deletions.api_key_id IS
    'The key of the call that began it. NULL for EVERWORD_ADMIN_KEY, and where no key was asked for.';
CREATE INDEX namespace_deletions_name_hash ON namespace_deletions (name_hash, id);
GRANT SELECT ON namespace_deletions TO everword_ingest;

CREATE FUNCTION namespace_name_hash(name_ text) RETURNS bytea
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT sha256(token_secret || convert_to(to_jsonb(ARRAY['namespace', name_])::text, 'UTF8')) FROM deployment
$$;
COMMENT ON FUNCTION namespace_name_hash IS 'What the record of a deletion has in place of the name of the namespace.';

CREATE FUNCTION record_namespace_deletion(target bigint, key_id uuid DEFAULT NULL, asked_by text DEFAULT '') RETURNS void
LANGUAGE sql SET search_path = everword, pg_temp AS $$
    -- The id is a UUIDv7: the milliseconds, then what is random, with the bits that say so.
    INSERT INTO namespace_deletions (id, deleted_id, name_hash, api_key_id, requested_by)
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
                      substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1),
                  'hex')::uuid,
           n.id, namespace_name_hash(n.name), key_id, asked_by
      FROM namespaces n WHERE n.id = target
        ON CONFLICT (deleted_id) DO NOTHING
$$;
COMMENT ON FUNCTION record_namespace_deletion IS 'Write down that a namespace is being deleted, unless that was done before.';

CREATE FUNCTION begin_namespace_deletion(name_ text, key_id uuid, asked_by text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    target bigint;
BEGIN
    UPDATE namespaces SET state = 'deleting' WHERE name = name_ RETURNING id INTO target;
    PERFORM record_namespace_deletion(target, key_id, asked_by);
    RETURN target;
END $$;
COMMENT ON FUNCTION begin_namespace_deletion IS
    'Make a namespace invisible for everyone, and write that down; returns its id, also where that was done before, and NULL where '
    'there is no such namespace.';

CREATE FUNCTION count_deleted_rows(target bigint, relation text, erased bigint) RETURNS void
LANGUAGE sql SET search_path = everword, pg_temp AS $$
    UPDATE namespace_deletions SET counts = merge_erased(counts, jsonb_build_object(relation, erased)) WHERE deleted_id = target
$$;
COMMENT ON FUNCTION count_deleted_rows IS 'Write down how many rows of a table a step of a deletion has erased.';

CREATE FUNCTION finish_namespace_deletion(target bigint) RETURNS void
LANGUAGE sql SET search_path = everword, pg_temp AS $$
    UPDATE namespace_deletions SET finished_at = clock_timestamp() WHERE deleted_id = target AND finished_at IS NULL
$$;
COMMENT ON FUNCTION finish_namespace_deletion IS 'Write down that nothing of a namespace is left.';

CREATE FUNCTION count_namespace_rows(target bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    relation name;
    found_rows bigint;
    counts jsonb := '{}';
BEGIN
    -- From the catalogue, not from the list of what is erased: what one forgets, the other shows.
    FOR relation IN
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace_id'
         WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition LOOP
        EXECUTE format('SELECT count(*) FROM %1$I WHERE namespace_id = $1', relation) INTO found_rows USING target;
        IF found_rows > 0 THEN
            counts := counts || jsonb_build_object(relation, found_rows);
        END IF;
    END LOOP;
    RETURN counts;
END $$;
COMMENT ON FUNCTION count_namespace_rows IS 'How many rows of which tables a namespace has, as of one moment. It waits for nobody.';

REVOKE ALL ON FUNCTION namespace_name_hash, record_namespace_deletion, begin_namespace_deletion, count_deleted_rows,
                       finish_namespace_deletion, count_namespace_rows FROM PUBLIC;
GRANT EXECUTE ON FUNCTION namespace_name_hash, begin_namespace_deletion, count_namespace_rows TO everword_ingest;

DO $$
DECLARE
    after text := pg_get_functiondef('erase_namespace_rows'::regproc);
BEGIN
    -- A service of the last release begins a deletion without the record.
    after := replace(after,
        E'    -- Children before parents;',
        E'    PERFORM record_namespace_deletion(target);\n'
        '    -- Children before parents;');
    after := replace(after,
        E'            RETURN erased;\n',
        E'            PERFORM count_deleted_rows(target, child, erased);\n'
        '            RETURN erased;\n');
    after := replace(after,
        E'    DELETE FROM namespaces WHERE id = target;\n',
        E'    DELETE FROM namespaces WHERE id = target;\n'
        '    PERFORM finish_namespace_deletion(target);\n');
    IF after !~ 'PERFORM record_.*PERFORM count_.*PERFORM finish_' THEN
        RAISE EXCEPTION 'erase_namespace_rows is not what this migration was written for';
    END IF;
    EXECUTE after;
END $$;
