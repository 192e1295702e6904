-- The transcript: what people and agents wrote. Services may add to it, never change it.

CREATE TABLE conversations (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    session_key text NOT NULL,
    agent text NOT NULL DEFAULT '',
    channel text NOT NULL DEFAULT '',
    channel_id text NOT NULL DEFAULT '',
    bot_identity text NOT NULL DEFAULT '',
    instance text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    client_session_id text NOT NULL DEFAULT '',
    title text NOT NULL DEFAULT '',
    settings jsonb,
    active boolean NOT NULL DEFAULT true,
    last_seq bigint NOT NULL DEFAULT 0,
    turn_count bigint NOT NULL DEFAULT 0,
    last_message_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    UNIQUE (namespace_id, channel, agent, session_key)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE conversations IS 'A session_key of an agent on a channel.';
COMMENT ON COLUMN conversations.last_seq IS
    'The sequence number of the latest message, which is also how many there are. Its row lock orders concurrent appends.';
SELECT create_partitions('conversations');
SELECT fence_table('conversations');
GRANT SELECT, INSERT, UPDATE ON conversations TO everword_ingest;
GRANT SELECT ON conversations TO everword_search, everword_compactor;

CREATE TABLE messages (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    seq bigint NOT NULL,
    role smallint NOT NULL,
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
    PRIMARY KEY (namespace_id, id),
    UNIQUE (namespace_id, conversation_id, seq),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE messages IS 'Every message as it was sent. Append-only by grants.';
COMMENT ON COLUMN messages.importance_class IS 'As sent; memory_classes holds what was said later.';
-- Makes an import resumable: a message comes under one external id once.
CREATE UNIQUE INDEX messages_external_id ON messages (namespace_id, conversation_id, external_id)
    WHERE external_id IS NOT NULL;
SELECT create_partitions('messages');
SELECT fence_table('messages');
GRANT SELECT, INSERT ON messages TO everword_ingest;
GRANT SELECT ON messages TO everword_search, everword_compactor;

CREATE TABLE append_requests (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    request_id text NOT NULL,
    body_hash bytea NOT NULL,
    conversation_id uuid,
    message_ids uuid[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, request_id)
);
COMMENT ON TABLE append_requests IS
    'Which request ids were used, with what body and what result: inserted first, so that of two equal calls one waits.';
CREATE INDEX append_requests_created_at ON append_requests (created_at);
SELECT fence_table('append_requests');
GRANT SELECT, INSERT, UPDATE (message_ids) ON append_requests TO everword_ingest;

CREATE FUNCTION prune_append_requests(keep interval, batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    WITH pruned AS (
        DELETE FROM append_requests
         WHERE (namespace_id, request_id) IN (
               SELECT namespace_id, request_id FROM append_requests
                WHERE created_at < now() - keep ORDER BY created_at LIMIT batch)
        RETURNING 1)
    SELECT count(*) FROM pruned
$$;
COMMENT ON FUNCTION prune_append_requests IS 'Forget at most `batch` request ids older than `keep`; returns how many.';
REVOKE ALL ON FUNCTION prune_append_requests FROM PUBLIC;
GRANT EXECUTE ON FUNCTION prune_append_requests TO everword_ingest;
