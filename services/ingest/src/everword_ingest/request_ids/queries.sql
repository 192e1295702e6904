-- Statements on the request ids that make writes repeatable. Every one names its namespace.

-- claim_request --
-- Record a request id before anything else is written; returns it only if it is new. Of two equal requests at once, the
-- second waits here for the first.
INSERT INTO append_requests (namespace_id, request_id, body_hash, conversation_id, message_ids)
VALUES (%(namespace_id)s, %(request_id)s, %(body_hash)s, %(conversation_id)s, %(message_ids)b::uuid[])
ON CONFLICT (namespace_id, request_id) DO NOTHING
RETURNING request_id;

-- find_request --
-- What a request id was used for.
SELECT body_hash, conversation_id, message_ids
  FROM append_requests
 WHERE namespace_id = %(namespace_id)s AND request_id = %(request_id)s;

-- update_request --
-- Record the ids that a request returned, where some of its messages existed before.
UPDATE append_requests
   SET message_ids = %(message_ids)s
 WHERE namespace_id = %(namespace_id)s AND request_id = %(request_id)s;

-- highest_passage --
-- The highest id of a passage of messages that an earlier call of a request stored.
SELECT coalesce(max(id), 0)
  FROM visible_memories
 WHERE namespace_id = %(namespace_id)s AND source_id = ANY(%(message_ids)s);
