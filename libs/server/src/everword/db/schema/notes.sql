-- Notes: values under keys, captured notes and daily logs. All versions of a note are stored.

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
COMMENT ON TABLE notes IS 'Current state of notes. The text is in note_versions and, unless deleted or expired, in the index.';
COMMENT ON COLUMN notes.key IS 'Unique name within agent, subject and conversation; empty for a note without a key.';
COMMENT ON COLUMN notes.key_hash IS 'SHA-256 of key, agent, subject and conversation, which can exceed an index entry; NULL without a key.';
COMMENT ON COLUMN notes.version IS 'Latest version in note_versions. Its row lock orders concurrent writers.';
COMMENT ON COLUMN notes.log_date IS 'The day of an entry of a daily log.';
COMMENT ON COLUMN notes.expires_at IS 'From then on the note counts as deleted.';
CREATE UNIQUE INDEX notes_key ON notes (namespace_id, key_hash);
-- By the first characters of keys, in any locale. An entry has room for the longest key, of 2,048 bytes.
CREATE INDEX notes_key_prefix ON notes (namespace_id, key text_pattern_ops) WHERE key <> '';
CREATE INDEX notes_log ON notes (namespace_id, log_date, id) WHERE log_date IS NOT NULL;
CREATE INDEX notes_kind ON notes (namespace_id, kind, id);
CREATE INDEX notes_open_tasks ON notes (namespace_id, subject, agent, id)
    WHERE kind IN ('handoff', 'task') AND deleted_at IS NULL AND conversation_id IS NULL;
CREATE INDEX notes_conversation ON notes (namespace_id, conversation_id) WHERE conversation_id IS NOT NULL;
SELECT create_partitions('notes'), isolate_table('notes', 'in_scope(agent, subject)');
GRANT SELECT, INSERT, UPDATE ON notes TO everword_ingest;
GRANT SELECT ON notes TO everword_search;
INSERT INTO erasure_targets VALUES ('note', 5), ('note_version', 18);
INSERT INTO erasure_rules VALUES
    ('conversation', 13, 'notes', 'conversation_id', 'note'),
    ('note', 11, 'notes', 'id', 'source'),
    ('subject', 17, 'notes', 'subject', 'note');
INSERT INTO transfer_rules VALUES ('notes', 83, 'note', '{id}');

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
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, note_id, version),
    FOREIGN KEY (namespace_id, note_id) REFERENCES notes (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE note_versions IS 'Every version of every note. Append-only by grants.';
COMMENT ON COLUMN note_versions.agent IS 'With `subject`, those of the note: scoped keys see the row by them.';
CREATE UNIQUE INDEX note_versions_id ON note_versions (namespace_id, id);
SELECT create_partitions('note_versions'), isolate_table('note_versions', 'in_scope(agent, subject)');
GRANT SELECT, INSERT ON note_versions TO everword_ingest;
INSERT INTO erasure_rules VALUES
    ('author', 10, 'note_versions', 'author', NULL, 'Versions; a note that was last written by the author goes whole.', 'true',
     true),
    ('note', 10, 'note_versions', 'note_id', NULL, '', 'true', true),
    ('note_version', 10, 'note_versions', 'id', NULL, 'A former version.', 'true', true);
INSERT INTO transfer_rules VALUES ('note_versions', 84, 'note_version', '{note_id,version}', '', '{}', 'true', NULL, 100);
