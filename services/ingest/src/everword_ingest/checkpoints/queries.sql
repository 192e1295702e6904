-- Statements of checkpoints. Every one names its namespace.

-- fragment columns --
-- What is known of a checkpoint, beside its state.
c.id, c.conversation_id, c.name, c.version, c.parent_id, c.media_type, c.state_bytes, c.metadata, c.created_at

-- find_conversation --
-- Whether a conversation is there.
SELECT id FROM conversations WHERE namespace_id = %(namespace_id)s AND id = %(conversation_id)s;

-- next_version --
-- The next version of a conversation, whose counter is held until the end of the transaction: writers come one after the other.
INSERT INTO checkpoint_counters AS c (namespace_id, conversation_id, version)
VALUES (%(namespace_id)s, %(conversation_id)s, 1)
ON CONFLICT (namespace_id, conversation_id) DO UPDATE SET version = c.version + 1
RETURNING version;

-- find_latest --
-- The latest checkpoint of a name.
SELECT c.id, c.version, c.body_hash, c.conversation_id
  FROM checkpoints c
 WHERE c.namespace_id = %(namespace_id)s AND c.conversation_id = %(conversation_id)s AND c.name = %(name)s
 ORDER BY c.version DESC
 LIMIT 1;

-- find_checkpoint --
-- A checkpoint by its id.
SELECT c.id, c.version, c.body_hash, c.conversation_id
  FROM checkpoints c
 WHERE c.namespace_id = %(namespace_id)s AND c.id = %(checkpoint_id)s;

-- count_names --
-- How many names a conversation has. A name has a hundred versions at most.
SELECT count(DISTINCT c.name)
  FROM checkpoints c
 WHERE c.namespace_id = %(namespace_id)s AND c.conversation_id = %(conversation_id)s;

-- insert_checkpoint --
-- Save state.
INSERT INTO checkpoints (namespace_id, conversation_id, id, name, version, parent_id, media_type, state, state_bytes, metadata,
                         body_hash)
VALUES (%(namespace_id)s, %(conversation_id)s, %(id)s, %(name)s, %(version)s, %(parent_id)s, %(media_type)s, %(state)s,
        %(state_bytes)s, %(metadata)s, %(body_hash)s);

-- drop_oldest --
-- Delete what is over the limits of a name: versions, and bytes together. The latest always stays.
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
-- A checkpoint with its state.
SELECT :columns, c.state FROM checkpoints c WHERE c.namespace_id = %(namespace_id)s AND c.id = %(checkpoint_id)s;

-- list_checkpoints --
-- Every version, or those of one name, the latest first.
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
-- Delete one by its id, those of a name, or those of a conversation.
DELETE FROM checkpoints c
 WHERE c.namespace_id = %(namespace_id)s
   AND (c.id = %(checkpoint_id)s::uuid OR c.conversation_id = %(conversation_id)s::uuid)
   AND (%(name)s::text IS NULL OR c.name = %(name)s)
RETURNING c.id;
