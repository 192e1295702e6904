-- Conversations are found by the id that their client keeps for its own use. Most have none.

-- squawk-ignore require-concurrent-index-creation
CREATE INDEX conversations_client_session ON conversations (namespace_id, client_session_id, id)
    WHERE client_session_id <> '';
