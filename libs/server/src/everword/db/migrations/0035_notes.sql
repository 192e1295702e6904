-- What is written down on purpose: values under keys, captured notes and daily logs. A note changes, and keeps its history.

CREATE TABLE notes (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    key text NOT NULL DEFAULT '',
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    conversation_id uuid,
    key_hash bytea,
    kind text NOT NULL DEFAULT '',
    tags text[] NOT NULL DEFAULT '{}',
    importance smallint NOT NULL DEFAULT 3 CHECK (importance BETWEEN 1 AND 5),
    version bigint NOT NULL DEFAULT 0,
    log_date date,
    expires_at timestamptz,
    deleted_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE notes IS
    'Notes as they stand. What one says is in note_versions, and in the index while it is neither deleted nor expired.';
COMMENT ON COLUMN notes.key IS 'What callers know it by, within agent, subject and conversation; empty for a note without a key.';
COMMENT ON COLUMN notes.key_hash IS
    'SHA-256 of key, agent, subject and conversation, which may be longer than what an index takes; NULL without a key.';
COMMENT ON COLUMN notes.version IS 'The latest one in note_versions. Its row lock orders concurrent writers.';
COMMENT ON COLUMN notes.log_date IS 'The day of an entry of a daily log.';
COMMENT ON COLUMN notes.expires_at IS 'From then on it is as if it were deleted.';
CREATE UNIQUE INDEX notes_key ON notes (namespace_id, key_hash);
CREATE INDEX notes_log ON notes (namespace_id, log_date, id) WHERE log_date IS NOT NULL;
CREATE INDEX notes_kind ON notes (namespace_id, kind, id);
SELECT create_partitions('notes');
SELECT isolate_table('notes');

CREATE TABLE note_versions (
    namespace_id bigint NOT NULL,
    note_id uuid NOT NULL,
    version bigint NOT NULL CHECK (version > 0),
    id uuid NOT NULL,
    deleted boolean NOT NULL DEFAULT false,
    content text NOT NULL,
    kind text NOT NULL DEFAULT '',
    tags text[] NOT NULL DEFAULT '{}',
    importance smallint NOT NULL DEFAULT 3,
    author text NOT NULL DEFAULT '',
    expires_at timestamptz,
    written_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, note_id, version),
    FOREIGN KEY (namespace_id, note_id) REFERENCES notes (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE note_versions IS 'Everything that notes ever said, in order. Append-only by grants.';
CREATE UNIQUE INDEX note_versions_id ON note_versions (namespace_id, id);
SELECT create_partitions('note_versions');
SELECT isolate_table('note_versions');

GRANT SELECT, INSERT, UPDATE ON notes TO everword_ingest;
GRANT SELECT, INSERT ON note_versions TO everword_ingest;
GRANT SELECT ON notes TO everword_search;

-- Notes (kind 3) are taken out of the index when they are replaced or deleted; what was said (kind 1) never is.
DO $$
BEGIN
    EXECUTE regexp_replace(pg_get_functiondef('drop_derived_passages'::regproc), 'kind IN \(([0-9, ]+)\)',
                           'kind IN (\1, 3)');
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ',
                    '''usage_ledger'', ''note_versions'', ''notes'', ');
END $$;
GRANT EXECUTE ON FUNCTION drop_derived_passages TO everword_ingest;
