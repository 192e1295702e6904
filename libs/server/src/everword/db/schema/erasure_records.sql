-- The records of erasures, and hashes of erased ids, which must not be imported again. The functions that erase are in
-- erasure.sql.

CREATE TABLE erasures (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    kind smallint NOT NULL REFERENCES erasure_targets (kind),
    state smallint NOT NULL DEFAULT 1 CHECK (state BETWEEN 1 AND 2),
    target_id uuid,
    target_name text,
    target_hash bytea NOT NULL,
    requested_by text NOT NULL DEFAULT '',
    through_passage bigint NOT NULL DEFAULT 0,
    counts jsonb NOT NULL DEFAULT '{}',
    attempts integer NOT NULL DEFAULT 0,
    error text,
    requested_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    matched_rows bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace_id, id),
    CHECK ((state = 2) = (finished_at IS NOT NULL)),
    -- Once an erasure is done, its target is stored as a hash only.
    CHECK (state = 1 OR target_name IS NULL)
);
COMMENT ON TABLE erasures IS 'Erasures with time, requester and row counts, and no content. Unfinished ones are continued by ingest.';
COMMENT ON COLUMN erasures.kind IS 'Values equal proto ErasureKind.';
COMMENT ON COLUMN erasures.state IS '1 running, 2 done.';
COMMENT ON COLUMN erasures.target_name IS 'The subject or author; NULL once the erasure is done.';
COMMENT ON COLUMN erasures.target_hash IS 'Salted SHA-256 of the target. It can be compared with a given target.';
COMMENT ON COLUMN erasures.through_passage IS 'Passages with higher ids are newer than the erasure and stay.';
COMMENT ON COLUMN erasures.counts IS 'Deleted rows by table.';
COMMENT ON COLUMN erasures.matched_rows IS 'Rows that matched the target, with messages; exact once it is done, 0 if nothing matched.';
CREATE INDEX erasures_running ON erasures (updated_at) WHERE state = 1;
SELECT isolate_table('erasures');
GRANT SELECT, INSERT, UPDATE (attempts, error, updated_at) ON erasures TO everword_ingest;
INSERT INTO erasure_rules VALUES ('kept', 14, 'erasures', '', NULL, 'The record of erasures: counts and hashes.');
INSERT INTO transfer_rules VALUES ('erasures', 1, 'erasure', '{id}', 'The record of an erasure.', '{through_passage}');

CREATE FUNCTION erasure_salt(namespace bigint) RETURNS bytea
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
BEGIN
    RETURN (SELECT n.erasure_salt FROM namespaces n WHERE n.id = namespace);
END $$;
COMMENT ON FUNCTION erasure_salt IS 'Return the salt of the hashes of a namespace.';

CREATE FUNCTION salted_hash(salt bytea, VARIADIC parts text[]) RETURNS bytea
LANGUAGE sql IMMUTABLE SET search_path = everword, pg_temp AS $$
    SELECT sha256(salt || convert_to(to_jsonb(parts)::text, 'UTF8'))
$$;
COMMENT ON FUNCTION salted_hash IS 'Return SHA-256 of texts with the salt of their namespace.';
GRANT EXECUTE ON FUNCTION salted_hash TO everword_ingest;

CREATE TABLE erased_external_ids (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    hash bytea NOT NULL,
    erased_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, hash)
);
COMMENT ON TABLE erased_external_ids IS 'Salted SHA-256 of external ids of erased messages; these are stored again only with `allow_erased`.';
SELECT isolate_table('erased_external_ids', NULL);
GRANT SELECT ON erased_external_ids TO everword_ingest;
INSERT INTO erasure_rules VALUES ('kept', 15, 'erased_external_ids', '', NULL, 'Hashes with a secret.');
INSERT INTO transfer_rules VALUES ('erased_external_ids', 2, 'erased_external_id', '{hash}', 'Hash of an erased external id, to reject its return.');
