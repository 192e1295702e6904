-- Conversations, and the request ids of writes.

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
    task_id text NOT NULL DEFAULT '',
    title text NOT NULL DEFAULT '',
    settings jsonb CHECK (jsonb_typeof(settings) = 'object'),
    active boolean NOT NULL DEFAULT true,
    last_seq bigint NOT NULL DEFAULT 0,
    turn_count bigint NOT NULL DEFAULT 0,
    last_message_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    erasure_id uuid,
    erased_key bytea,
    PRIMARY KEY (namespace_id, id),
    UNIQUE (namespace_id, channel, agent, session_key)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE conversations IS 'One row per namespace, channel, agent and session_key.';
COMMENT ON COLUMN conversations.task_id IS 'The caller''s id of the task that it belongs to; several conversations may have the same.';
COMMENT ON COLUMN conversations.last_seq IS 'Sequence number of the latest message. Its row lock orders concurrent appends.';
COMMENT ON COLUMN conversations.erasure_id IS 'The erasure that deletes the conversation; from then on it is hidden.';
COMMENT ON COLUMN conversations.erased_key IS 'Salted SHA-256 of the key that an erased conversation had.';
CREATE INDEX conversations_client_session ON conversations (namespace_id, client_session_id, id) WHERE client_session_id <> '';
CREATE INDEX conversations_task ON conversations (namespace_id, task_id, id) WHERE task_id <> '';
CREATE INDEX conversations_erasure ON conversations (namespace_id, erasure_id) WHERE erasure_id IS NOT NULL;
-- Finds the latest conversations of an agent and subject, except conversations with automated messages only.
CREATE INDEX conversations_latest ON conversations (namespace_id, subject, agent, last_message_at DESC) WHERE turn_count > 0;
-- A conversation that is being erased is hidden from every service.
SELECT create_partitions('conversations'), isolate_table('conversations', 'in_scope(agent, subject)', 'erasure_id IS NULL');
GRANT SELECT, INSERT, UPDATE ON conversations TO everword_ingest;
GRANT SELECT ON conversations TO everword_search, everword_compactor;
GRANT SELECT (namespace_id, id, agent, session_key) ON conversations TO everword_embedder;
INSERT INTO erasure_targets VALUES ('conversation', 2);
INSERT INTO erasure_rules VALUES ('kept', 3, 'conversations', '', NULL, 'finish_erasure removes them.');
INSERT INTO transfer_rules VALUES ('conversations', 20, 'conversation', '{id}', '', '{erasure_id,erased_key}');

CREATE FUNCTION hidden_conversations(namespace bigint) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
BEGIN
    RETURN (SELECT coalesce(string_agg(c.id::text, ','), 'none') FROM conversations c
             WHERE c.namespace_id = namespace AND c.erasure_id IS NOT NULL);
END $$;
COMMENT ON FUNCTION hidden_conversations IS 'Return the ids of conversations that are being erased.';

CREATE FUNCTION hidden_authors(namespace bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
BEGIN
    RETURN (SELECT coalesce(jsonb_object_agg(target_name, jsonb_build_array(requested_at, through_passage)), '{}')
              FROM (SELECT target_name, max(requested_at) AS requested_at, max(through_passage) AS through_passage
                      FROM erasures
                     WHERE namespace_id = namespace AND state = 1 AND kind = 4 GROUP BY target_name) AS erased);
END $$;
COMMENT ON FUNCTION hidden_authors IS
    'Return authors whose messages are being erased, each with the time of the latest request and the last passage before it.';

CREATE FUNCTION is_shown(conversation uuid, speaker text DEFAULT '', recorded timestamptz DEFAULT '-infinity') RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    -- Most rows need the first comparison only. The planner expects nearly all rows to satisfy IS NOT NULL. If there
    -- are many ids, strpos in their text is faster than a search in an array.
    SELECT CASE WHEN current_setting('everword.hides', true) = '0' THEN true
                WHEN conversation IS NULL OR coalesce(current_setting('everword.hides', true), '') = '' THEN true
                WHEN strpos(nullif(current_setting('everword.hidden_conversations', true), ''), conversation::text) = 0
                 AND coalesce((nullif(current_setting('everword.hidden_authors', true), '')::jsonb -> speaker ->> 0)::timestamptz
                              < recorded, true) THEN true
           END IS NOT NULL
$$;
COMMENT ON FUNCTION is_shown IS
    'Return whether rows of a conversation or speaker are visible: false if an erasure of it was in progress when the transaction '
    'began. Reads only settings, so that policies can call it.';

CREATE TABLE append_requests (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    request_id text NOT NULL,
    body_hash bytea NOT NULL,
    conversation_id uuid,
    message_ids uuid[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, request_id)
);
COMMENT ON TABLE append_requests IS 'Request ids with body hash and result. They are inserted first, so that the second of two equal calls waits.';
CREATE INDEX append_requests_created_at ON append_requests (created_at);
SELECT isolate_table('append_requests', NULL);
GRANT SELECT, INSERT, UPDATE (message_ids) ON append_requests TO everword_ingest;
INSERT INTO erasure_rules VALUES
    ('kept', 6, 'append_requests', '', NULL, 'Ids that callers made up, for 8 days; hashes of erased bodies go.');
INSERT INTO transfer_rules VALUES
    ('append_requests', 3, 'erased_request', '{request_id}', 'As above, by the id of the call that stored it; for 8 days.', '{}',
     $$body_hash = ''$$);

CREATE FUNCTION old_append_requests(keep interval, batch integer) RETURNS TABLE(namespace_id bigint, request_ids text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT r.namespace_id, array_agg(r.request_id)
      FROM (SELECT a.namespace_id, a.request_id FROM append_requests a
             WHERE a.created_at < now() - keep ORDER BY a.created_at LIMIT batch) AS r
     GROUP BY 1
$$;
COMMENT ON FUNCTION old_append_requests IS 'Return at most `batch` request ids older than `keep`, by namespace.';

CREATE FUNCTION prune_append_requests(namespace bigint, request_ids text[], keep interval) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    pruned bigint;
BEGIN
    DELETE FROM append_requests a
     WHERE a.namespace_id = namespace AND a.request_id = ANY(request_ids) AND a.created_at < now() - keep;
    GET DIAGNOSTICS pruned = ROW_COUNT;
    RETURN pruned;
END $$;
COMMENT ON FUNCTION prune_append_requests IS 'Delete those of these request ids that are older than `keep`; return how many.';

GRANT EXECUTE ON FUNCTION hidden_conversations, hidden_authors, is_shown TO
    everword_ingest, everword_search, everword_compactor, everword_embedder;
GRANT EXECUTE ON FUNCTION old_append_requests, prune_append_requests TO everword_ingest;
