-- State that agents save for a conversation, as opaque bytes that are neither indexed nor searched.

CREATE TABLE checkpoint_counters (
    namespace_id bigint NOT NULL,
    conversation_id uuid NOT NULL,
    version bigint NOT NULL CHECK (version > 0),
    PRIMARY KEY (namespace_id, conversation_id),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE checkpoint_counters IS
    'Latest checkpoint version of a conversation; no version is used twice. Its row lock orders writers.';
SELECT create_partitions('checkpoint_counters'), isolate_table('checkpoint_counters');
GRANT SELECT, INSERT, UPDATE ON checkpoint_counters TO everword_ingest;
INSERT INTO erasure_targets VALUES ('checkpoint', 15);
INSERT INTO erasure_rules VALUES ('conversation', 17, 'checkpoint_counters', 'conversation_id');
INSERT INTO transfer_rules VALUES
    ('checkpoint_counters', 90, 'checkpoint_counter', '{conversation_id}', 'The last version of a checkpoint.');

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
COMMENT ON TABLE checkpoints IS 'State saved by agents, as opaque bytes. Rows never change; old versions are deleted.';
COMMENT ON COLUMN checkpoints.name IS 'Name of the state, unique in the conversation; empty for a single unnamed state.';
COMMENT ON COLUMN checkpoints.version IS 'Position among all checkpoints of the conversation; grows within a name.';
COMMENT ON COLUMN checkpoints.parent_id IS 'The checkpoint it was made from, which may be deleted.';
COMMENT ON COLUMN checkpoints.body_hash IS 'SHA-256 of the request: an id may be saved again only with the same body.';
CREATE UNIQUE INDEX checkpoints_version ON checkpoints (namespace_id, conversation_id, name, version);
CREATE INDEX checkpoints_order ON checkpoints (namespace_id, conversation_id, version);
SELECT create_partitions('checkpoints'), isolate_table('checkpoints');
GRANT SELECT, INSERT, DELETE ON checkpoints TO everword_ingest;
INSERT INTO erasure_rules VALUES
    ('checkpoint', 10, 'checkpoints', 'id', NULL, '', 'true', true),
    ('conversation', 16, 'checkpoints', 'conversation_id', NULL, '', 'true', true);
INSERT INTO transfer_rules VALUES ('checkpoints', 91, 'checkpoint', '{id}', '', '{}', 'true', NULL, 4);
