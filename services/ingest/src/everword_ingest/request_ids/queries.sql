-- Statements on the request ids that make writes repeatable. Each is limited to one namespace.

-- claim_request --
-- Store a request id before any other write; no row if the id exists. The second of two equal concurrent requests waits
-- here for the first.
INSERT INTO append_requests (namespace_id, request_id, body_hash, conversation_id, message_ids)
VALUES (%(namespace_id)s, %(request_id)s, %(body_hash)s, %(conversation_id)s, %(message_ids)b::uuid[])
ON CONFLICT (namespace_id, request_id) DO NOTHING
RETURNING request_id;

-- find_request --
-- Return the recorded body hash and result of a request id.
SELECT body_hash, conversation_id, message_ids
  FROM append_requests
 WHERE namespace_id = %(namespace_id)s AND request_id = %(request_id)s;

-- update_request --
-- Replace the ids that a request returned, if some of its messages existed before.
UPDATE append_requests
   SET message_ids = %(message_ids)s
 WHERE namespace_id = %(namespace_id)s AND request_id = %(request_id)s;

-- highest_passage --
-- Return the highest id of a passage of messages that an earlier call of a request stored.
SELECT coalesce(max(id), 0)
  FROM visible_memories
 WHERE namespace_id = %(namespace_id)s AND source_id = ANY(%(message_ids)s);
