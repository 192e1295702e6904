-- The transcript: messages of people and agents. Services may add rows, but never change them.

CREATE TABLE messages (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    seq bigint NOT NULL,
    role smallint NOT NULL CHECK (role BETWEEN 1 AND 4),
    author text NOT NULL DEFAULT '',
    instance text NOT NULL DEFAULT '',
    content text NOT NULL,
    content_blocks jsonb,
    tags text[] NOT NULL DEFAULT '{}',
    importance_class smallint NOT NULL DEFAULT 0,
    automated boolean NOT NULL DEFAULT false,
    tool_name text NOT NULL DEFAULT '',
    tool_args text NOT NULL DEFAULT '',
    tool_result text NOT NULL DEFAULT '',
    metadata jsonb,
    token_count integer NOT NULL DEFAULT 0,
    external_id text,
    parent_id uuid,
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, id),
    UNIQUE (namespace_id, conversation_id, seq),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE messages IS 'Every message as it was sent. Append-only by grants.';
COMMENT ON COLUMN messages.agent IS 'With `subject`, those of the conversation: scoped keys see the row by them.';
COMMENT ON COLUMN messages.importance_class IS 'As sent; later changes are in memory_classes.';
-- Makes an import resumable: an external id is stored once.
CREATE UNIQUE INDEX messages_external_id ON messages (namespace_id, conversation_id, external_id) WHERE external_id IS NOT NULL;
-- Finds messages of a range of days that the calendar has missed, and the oldest messages for retention.
CREATE INDEX messages_occurred_at ON messages (namespace_id, occurred_at, id);
CREATE INDEX messages_author ON messages (namespace_id, author, id) WHERE author <> '';
-- Messages of erased authors are hidden by name, because transactions that began before the erasure may still add some.
SELECT create_partitions('messages'), isolate_table('messages', 'in_scope(agent, subject)',
    'is_shown(conversation_id, author, recorded_at)');
GRANT SELECT, INSERT ON messages TO everword_ingest;
GRANT SELECT ON messages TO everword_search, everword_compactor;
-- Allows lock_sources to lock rows. The policy admits one namespace, so the column cannot be changed.
GRANT UPDATE (namespace_id) ON messages TO everword_ingest, everword_compactor;
INSERT INTO erasure_targets VALUES ('message', 1);
INSERT INTO erasure_rules VALUES ('kept', 1, 'messages', '', NULL, 'remove_messages deletes them.');
INSERT INTO transfer_rules VALUES ('messages', 21, 'message', '{id}', '', '{}', 'true', NULL, 100);

CREATE FUNCTION lock_sources(namespace bigint, sources uuid[], may_be_gone boolean) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    hides constant text := coalesce(current_setting('everword.hides', true), '');
    locked bigint;
    missing boolean;
BEGIN
    SELECT count(*) INTO locked
      FROM (SELECT m.id FROM messages m WHERE m.namespace_id = namespace AND m.id = ANY(sources) ORDER BY m.id FOR KEY SHARE) AS found;
    missing := locked < (SELECT count(DISTINCT source.id) FROM unnest(sources) AS source (id));
    IF missing AND may_be_gone THEN
        -- A message that is missing now may also be hidden by an erasure, which has not deleted it yet.
        SET LOCAL everword.hides = '0';
        SELECT count(*) > locked INTO missing FROM messages m WHERE m.namespace_id = namespace AND m.id = ANY(sources);
        EXECUTE format('SET LOCAL everword.hides = %L', hides);
    END IF;
    IF missing THEN
        -- The error makes the caller repeat the call, which then fails because the message does not exist.
        RAISE EXCEPTION 'the message is being erased' USING ERRCODE = 'serialization_failure';
    END IF;
END $$;
COMMENT ON FUNCTION lock_sources IS
    'Lock messages until the commit, or fail if one is being erased. Transactions that store rows derived from messages call it. '
    'With `may_be_gone`, messages may be missing: copied rows can outlive messages that a retention policy deleted.';

GRANT EXECUTE ON FUNCTION lock_sources TO everword_ingest, everword_compactor;

CREATE TABLE message_corrections (
    namespace_id bigint NOT NULL,
    message_id uuid NOT NULL,
    corrected_id uuid NOT NULL,
    kind smallint NOT NULL CHECK (kind BETWEEN 1 AND 3),
    value text NOT NULL DEFAULT '',
    current_value text NOT NULL DEFAULT '',
    corrected_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    corrected_agent text NOT NULL DEFAULT '',
    corrected_subject text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, corrected_id, message_id),
    FOREIGN KEY (namespace_id, message_id) REFERENCES messages (namespace_id, id),
    FOREIGN KEY (namespace_id, corrected_id) REFERENCES messages (namespace_id, id),
    CHECK (message_id <> corrected_id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE message_corrections IS
    'Messages that correct or update an earlier message, found without a language model. The latest row of a message counts.';
COMMENT ON COLUMN message_corrections.kind IS
    '1 another value replaced what it says, 2 it was wrong, 3 its value is current again.';
COMMENT ON COLUMN message_corrections.value IS 'The outdated words of the corrected message; empty if unknown.';
COMMENT ON COLUMN message_corrections.current_value IS 'The words of the correction that replace them; empty if unknown.';
COMMENT ON COLUMN message_corrections.corrected_at IS 'When the correction was sent.';
COMMENT ON COLUMN message_corrections.agent IS
    'With `subject` and those of the corrected message, those of the conversations: scoped keys see the row by all four.';
CREATE INDEX message_corrections_message ON message_corrections (namespace_id, message_id);
SELECT create_partitions('message_corrections'), isolate_table('message_corrections',
    'in_scope(agent, subject) AND in_scope(corrected_agent, corrected_subject)');
GRANT SELECT ON message_corrections TO everword_search;
GRANT SELECT, INSERT ON message_corrections TO everword_compactor;
INSERT INTO erasure_rules VALUES
    ('message', 14, 'message_corrections', 'message_id'), ('message', 15, 'message_corrections', 'corrected_id');
INSERT INTO transfer_rules VALUES
    ('message_corrections', 25, 'message_correction', '{corrected_id,message_id}', 'Message that corrects an earlier one.');
