-- Statements that store messages. Each is limited to one namespace.

-- find_external_messages --
-- Return messages of a conversation by the caller's ids, with hashes of their texts, because a thousand texts may be
-- gigabytes.
SELECT id, seq, external_id, role, author, tool_name, sha256(convert_to(content, 'UTF8')) AS content_hash,
       sha256(convert_to(tool_args, 'UTF8')) AS tool_args_hash, sha256(convert_to(tool_result, 'UTF8')) AS tool_result_hash
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s
   AND external_id = ANY(%(external_ids)b::text[]);

-- find_messages --
-- Return the sequence numbers of messages that an earlier call of a request stored.
SELECT id, seq FROM messages WHERE namespace_id = %(namespace_id)s AND id = ANY(%(message_ids)s);

-- advance_conversation --
-- Add new messages to the counts of a conversation, and set the title if it is empty.
UPDATE conversations
   SET last_seq = last_seq + %(messages)s,
       turn_count = turn_count + %(turns)s,
       last_message_at = greatest(last_message_at, %(last_message_at)s),
       title = CASE WHEN title = '' THEN %(title)s ELSE title END,
       updated_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(conversation_id)s;

-- insert_messages --
-- Store messages. The arrays are in the order of the sequence. They are sent in binary form: in text form, every
-- character is checked for quoting.
INSERT INTO messages (namespace_id, conversation_id, id, seq, role, author, instance, content, content_blocks, tags,
                      importance_class, automated, tool_name, tool_args, tool_result, metadata, token_count,
                      external_id, parent_id, occurred_at, agent, subject)
SELECT c.namespace_id, c.id, m.id, m.seq, m.role, m.author, m.instance, m.content, m.content_blocks,
       m.tags::text[], m.importance_class, m.automated, m.tool_name, m.tool_args, m.tool_result, m.metadata,
       m.token_count, m.external_id, m.parent_id, m.occurred_at, %(agent)s, %(subject)s
  FROM conversations c
 CROSS JOIN unnest(%(id)b::uuid[], %(seq)b::bigint[], %(role)b::smallint[], %(author)b::text[], %(instance)b::text[],
              %(content)b::text[], %(content_blocks)b::jsonb[], %(tags)b::text[], %(importance_class)b::smallint[],
              %(automated)b::boolean[], %(tool_name)b::text[], %(tool_args)b::text[], %(tool_result)b::text[],
              %(metadata)b::jsonb[], %(token_count)b::integer[], %(external_id)b::text[], %(parent_id)b::uuid[],
              %(occurred_at)b::timestamptz[])
    AS m (id, seq, role, author, instance, content, content_blocks, tags, importance_class, automated, tool_name,
          tool_args, tool_result, metadata, token_count, external_id, parent_id, occurred_at)
 WHERE c.namespace_id = %(namespace_id)s AND c.id = %(conversation_id)s;

-- enqueue_days --
-- Enqueue messages of a conversation for the calendar.
SELECT enqueue_days(%(namespace_id)s, %(days)b::date[], array_fill(%(subject)s::text, ARRAY[cardinality(%(days)b::date[])]),
                    %(instances)b::text[], array_fill(%(conversation_id)s::uuid, ARRAY[cardinality(%(days)b::date[])]),
                    %(seqs)b::bigint[]);

-- enqueue_sentences --
-- Enqueue tool calls without text, so that they get a sentence.
INSERT INTO tool_sentence_queue (namespace_id, message_id)
SELECT t.namespace_id, calls.message_id
  FROM tenants t CROSS JOIN unnest(%(message_ids)s::uuid[]) AS calls (message_id)
 WHERE t.namespace_id = %(namespace_id)s;
