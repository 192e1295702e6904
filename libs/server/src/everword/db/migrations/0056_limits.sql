-- Limits of a namespace, and what it has used of them.

ALTER TABLE namespaces
    ADD COLUMN requests_per_minute integer NOT NULL DEFAULT 0,
    ADD COLUMN messages_per_minute integer NOT NULL DEFAULT 0,
    ADD COLUMN stored_bytes bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN namespaces.requests_per_minute IS 'The most calls in a minute of the clock, over all processes; 0 is no limit.';
COMMENT ON COLUMN namespaces.messages_per_minute IS 'The most messages that are stored in a minute of the clock; 0 is no limit.';
COMMENT ON COLUMN namespaces.stored_bytes IS 'The most bytes of text that are stored; 0 is no limit.';

CREATE TABLE namespace_usage (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    minute timestamptz NOT NULL,
    requests bigint NOT NULL DEFAULT 0,
    messages bigint NOT NULL DEFAULT 0,
    stored_bytes bigint NOT NULL DEFAULT 0,
    measured_at timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (namespace_id)
);
COMMENT ON TABLE namespace_usage IS
    'What namespaces that have limits have used of them. Each server process counts by itself, and adds what it counted now and '
    'then. Counters only, so they are not isolated.';
COMMENT ON COLUMN namespace_usage.minute IS 'The minute that `requests` and `messages` are of.';
COMMENT ON COLUMN namespace_usage.measured_at IS 'When ingest last summed up `stored_bytes`.';
GRANT SELECT, INSERT, UPDATE ON namespace_usage TO everword_ingest, everword_search, everword_compactor;

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''embedding_queue'', ',
                    '''embedding_queue'', ''namespace_usage'', ');
END $$;
INSERT INTO erasure_rules (target, place, relation, key_column, only_where, goes_on, remark) VALUES
    ('kept', 57, 'namespace_usage', '', 'true', NULL, 'Counters only.');
INSERT INTO transfer_rules (place, record, relation, keys, remark) VALUES
    (257, NULL, 'namespace_usage', '{}', 'What was used of the limits of a deployment.');
