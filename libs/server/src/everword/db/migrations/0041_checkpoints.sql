-- Opaque state of agents, saved on purpose per conversation: neither indexed nor searched.

CREATE TABLE checkpoint_counters (
    namespace_id bigint NOT NULL,
    conversation_id uuid NOT NULL,
    version bigint NOT NULL CHECK (version > 0),
    PRIMARY KEY (namespace_id, conversation_id),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE checkpoint_counters IS
    'The latest version that a conversation gave to a checkpoint. Its row lock orders concurrent writers; a version is never given twice.';
SELECT create_partitions('checkpoint_counters');
SELECT isolate_table('checkpoint_counters');

CREATE TABLE checkpoints (
    namespace_id bigint NOT NULL,
    conversation_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL DEFAULT '',
    version bigint NOT NULL CHECK (version > 0),
    parent_id uuid,
    media_type text NOT NULL DEFAULT '',
    state bytea NOT NULL,
    state_bytes integer NOT NULL CHECK (state_bytes >= 0),
    metadata jsonb,
    body_hash bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE checkpoints IS 'State that agents saved, as bytes that nobody reads but they. Never changed; old versions go.';
COMMENT ON COLUMN checkpoints.name IS 'Which state of the conversation it is; empty where there is one alone.';
COMMENT ON COLUMN checkpoints.version IS 'Its place among all checkpoints of the conversation. Grows within a name.';
COMMENT ON COLUMN checkpoints.parent_id IS 'What it was made from. That one may be gone.';
COMMENT ON COLUMN checkpoints.body_hash IS 'SHA-256 of what was sent: the same id is saved again with the same body alone.';
CREATE UNIQUE INDEX checkpoints_version ON checkpoints (namespace_id, conversation_id, name, version);
CREATE INDEX checkpoints_order ON checkpoints (namespace_id, conversation_id, version);
SELECT create_partitions('checkpoints');
SELECT isolate_table('checkpoints');

GRANT SELECT, INSERT, UPDATE ON checkpoint_counters TO everword_ingest;
GRANT SELECT, INSERT, DELETE ON checkpoints TO everword_ingest;

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ',
                    '''usage_ledger'', ''checkpoints'', ''checkpoint_counters'', ');
END $$;
