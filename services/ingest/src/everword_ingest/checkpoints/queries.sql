-- Statements of checkpoints. Each is limited to one namespace.

-- fragment columns --
-- A checkpoint without its state.
c.id, c.conversation_id, c.name, c.version, c.parent_id, c.media_type, c.state_bytes, c.metadata, c.created_at

-- find_conversation --
-- Return the id of a conversation; no row if it does not exist.
SELECT id FROM conversations WHERE namespace_id = %(namespace_id)s AND id = %(conversation_id)s;

-- next_version --
-- Return the next version of a conversation. Its counter stays locked until the end of the transaction, so that writers
-- are serialised.
INSERT INTO checkpoint_counters AS c (namespace_id, conversation_id, version)
VALUES (%(namespace_id)s, %(conversation_id)s, 1)
ON CONFLICT (namespace_id, conversation_id) DO UPDATE SET version = c.version + 1
RETURNING version;

-- find_latest --
-- Return the latest checkpoint of a name.
SELECT c.id, c.version, c.body_hash, c.conversation_id
  FROM checkpoints c
 WHERE c.namespace_id = %(namespace_id)s AND c.conversation_id = %(conversation_id)s AND c.name = %(name)s
 ORDER BY c.version DESC
 LIMIT 1;

-- find_checkpoint --
-- Return a checkpoint by its id.
SELECT c.id, c.version, c.body_hash, c.conversation_id
  FROM checkpoints c
 WHERE c.namespace_id = %(namespace_id)s AND c.id = %(checkpoint_id)s;

-- count_names --
-- Count the checkpoint names of a conversation. Each name has at most a hundred versions.
SELECT count(DISTINCT c.name)
  FROM checkpoints c
 WHERE c.namespace_id = %(namespace_id)s AND c.conversation_id = %(conversation_id)s;

-- insert_checkpoint --
-- Store a checkpoint.
INSERT INTO checkpoints (namespace_id, conversation_id, id, name, version, parent_id, media_type, state, state_bytes, metadata,
                         body_hash)
VALUES (%(namespace_id)s, %(conversation_id)s, %(id)s, %(name)s, %(version)s, %(parent_id)s, %(media_type)s, %(state)s,
        %(state_bytes)s, %(metadata)s, %(body_hash)s);

-- drop_oldest --
-- Delete the versions of a name that exceed its limits on number and total bytes. The latest version always stays.
WITH placed AS (
    SELECT c.id, row_number() OVER latest AS place, sum(c.state_bytes) OVER latest AS bytes
      FROM checkpoints c
     WHERE c.namespace_id = %(namespace_id)s AND c.conversation_id = %(conversation_id)s AND c.name = %(name)s
    WINDOW latest AS (ORDER BY c.version DESC)
)
DELETE FROM checkpoints c
 USING placed p
 WHERE c.namespace_id = %(namespace_id)s AND c.id = p.id AND p.place > 1
   AND (p.place > %(max_versions)s OR p.bytes > %(max_bytes)s);

-- get_checkpoint --
-- Return a checkpoint with its state.
SELECT :columns, c.state FROM checkpoints c WHERE c.namespace_id = %(namespace_id)s AND c.id = %(checkpoint_id)s;

-- list_checkpoints --
-- Return all versions, or those of one name, the latest first.
SELECT :columns
  FROM checkpoints c
 WHERE c.namespace_id = %(namespace_id)s AND c.conversation_id = %(conversation_id)s
   AND (%(name)s::text IS NULL OR c.name = %(name)s)
   AND (%(before_version)s::bigint IS NULL OR c.version < %(before_version)s)
   AND (%(all_versions)s OR NOT EXISTS (
           SELECT FROM checkpoints later
            WHERE later.namespace_id = %(namespace_id)s AND later.conversation_id = c.conversation_id AND later.name = c.name
              AND later.version > c.version))
 ORDER BY c.version DESC
 LIMIT %(limit)s;

-- delete_checkpoints --
-- Delete one checkpoint by its id, those of a name, or those of a conversation.
DELETE FROM checkpoints c
 WHERE c.namespace_id = %(namespace_id)s
   AND (c.id = %(checkpoint_id)s::uuid OR c.conversation_id = %(conversation_id)s::uuid)
   AND (%(name)s::text IS NULL OR c.name = %(name)s)
RETURNING c.id;
