-- Checks of conversations, and of messages and checkpoints in them.

-- sequence --
-- over: conversations by id
-- holds: The messages of a conversation have the sequence numbers 1 to last_seq, each once. Gaps come only from removed
--        messages.
-- do: Messages are lost: restore them from a backup.
SELECT c.id::text AS id,
       format('last_seq is %%s, but there are %%s messages with seq %%s to %%s', c.last_seq, m.messages, m.first, m.last) AS detail
  FROM conversations c
 CROSS JOIN LATERAL (SELECT count(*) AS messages, min(seq) AS first, max(seq) AS last FROM messages
                      WHERE namespace_id = %(namespace_id)s AND conversation_id = c.id) AS m
 WHERE c.namespace_id = %(namespace_id)s AND c.id > %(after)s AND c.id <= %(last)s
   AND (m.first < 1 OR m.last > c.last_seq
        OR m.messages <> c.last_seq
           AND NOT EXISTS (SELECT FROM erasures WHERE namespace_id = %(namespace_id)s AND counts ? 'messages')
           AND NOT EXISTS (SELECT FROM retention_runs WHERE namespace_id = %(namespace_id)s AND row_counts ? 'messages'));

-- hidden_conversations --
-- over: conversations by id
-- holds: A conversation is hidden only while an erasure of it is in progress.
-- do: Erase the conversation again: `everword erase conversation`.
SELECT c.id::text AS id, 'hidden by an erasure that has ended or does not exist' AS detail
  FROM conversations c
 WHERE c.namespace_id = %(namespace_id)s AND c.id > %(after)s AND c.id <= %(last)s AND c.erasure_id IS NOT NULL
   AND NOT EXISTS (SELECT FROM erasures e
                    WHERE e.namespace_id = %(namespace_id)s AND e.id = c.erasure_id AND e.state = 1);

-- erased_conversations --
-- over: conversations by id
-- holds: No conversation exists that was erased, or whose subject was erased after its creation.
-- do: An older backup was restored, or the erasure failed: erase the conversation or subject again.
SELECT c.id::text AS id, 'was erased at ' || e.requested_at AS detail
  FROM conversations c
  JOIN namespaces n ON n.id = %(namespace_id)s
 CROSS JOIN LATERAL (VALUES (2, c.id::text), (3, c.subject)) AS named (kind, target)
  JOIN erasures e ON e.namespace_id = %(namespace_id)s AND e.kind = named.kind
   AND e.target_hash = salted_hash(n.erasure_salt, named.kind::text, named.target)
   AND e.state = 2 AND e.requested_at > c.created_at
 WHERE c.namespace_id = %(namespace_id)s AND c.id > %(after)s AND c.id <= %(last)s AND c.erasure_id IS NULL;

-- progress --
-- over: compaction_progress by conversation_id
-- holds: No conversation is summarised, flushed, learned from or processed by Sleep beyond its last_seq.
-- do: Set the position to the conversation's last_seq.
SELECT p.conversation_id::text AS id, format('watermarks reach %%s, but last_seq is %%s', marks.furthest, c.last_seq) AS detail
  FROM compaction_progress p
  JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = p.conversation_id
 CROSS JOIN LATERAL (SELECT greatest(p.summarised_seq, p.flushed_seq, p.learned_seq, p.slept_seq) AS furthest) AS marks
 WHERE p.namespace_id = %(namespace_id)s AND p.conversation_id > %(after)s AND p.conversation_id <= %(last)s
   AND marks.furthest > c.last_seq;

-- checkpoints --
-- over: checkpoints by id
-- holds: A checkpoint's version does not exceed the conversation's version counter.
-- do: Set the conversation's row of checkpoint_counters to its highest version.
SELECT k.id::text AS id, format('version %%s, but the counter is %%s', k.version, coalesce(n.version, 0)) AS detail
  FROM checkpoints k
  LEFT JOIN checkpoint_counters n ON n.namespace_id = %(namespace_id)s AND n.conversation_id = k.conversation_id
 WHERE k.namespace_id = %(namespace_id)s AND k.id > %(after)s AND k.id <= %(last)s AND k.version > coalesce(n.version, 0);

-- messages_indexed --
-- over: messages by id
-- holds: Every message is in the index, unless its channel's policy excludes it.
-- do: `everword rebuild`.
SELECT m.id::text AS id, 'has no passage' AS detail
  FROM messages m
  JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = m.conversation_id
  JOIN namespaces n ON n.id = %(namespace_id)s
 WHERE m.namespace_id = %(namespace_id)s AND m.id > %(after)s AND m.id <= %(last)s
   AND coalesce((channel_policy(n.channel_policies, c.channel) ->> 'index')::boolean, true)
   AND NOT EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = 0);

-- sentences --
-- over: messages by id
-- holds: Every tool call without text has a sentence in the index, or is queued to get one.
-- do: `everword rebuild` indexes an existing sentence; `everword backfill tool-sentences` enqueues a missing one.
SELECT m.id::text AS id,
       CASE WHEN s.message_id IS NULL THEN 'has no sentence, and is not queued for one' ELSE 'its sentence is not in the index' END AS detail
  FROM messages m
  LEFT JOIN tool_sentences s ON s.namespace_id = %(namespace_id)s AND s.message_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND m.id > %(after)s AND m.id <= %(last)s
   AND (s.message_id IS NOT NULL OR m.content = '' AND m.content_blocks IS NULL AND m.tool_name <> '')
   AND NOT EXISTS (SELECT FROM tool_sentence_queue q WHERE q.namespace_id = %(namespace_id)s AND q.message_id = m.id)
   AND EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = 0)
   AND NOT EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = m.id AND p.part = -1);

-- leaves_missing --
-- over: messages by id
-- holds: Every message up to its conversation's summarised position is the source of a leaf, unless it has no text, is
--        automated, or is being erased.
-- do: `everword backfill summaries`.
SELECT m.id::text AS id, format('seq %%s of %%s that are summarised, but no leaf covers it', m.seq, p.summarised_seq) AS detail
  FROM messages m
  JOIN compaction_progress p ON p.namespace_id = %(namespace_id)s AND p.conversation_id = m.conversation_id
 WHERE m.namespace_id = %(namespace_id)s AND m.id > %(after)s AND m.id <= %(last)s
   AND m.seq <= p.summarised_seq AND NOT m.automated
   AND NOT EXISTS (SELECT FROM summary_sources s
                    WHERE s.namespace_id = %(namespace_id)s AND s.message_id = m.id AND s.axis = 1)
   AND NOT EXISTS (SELECT 1 FROM conversations h
                    WHERE h.namespace_id = %(namespace_id)s AND h.id = m.conversation_id AND h.erasure_id IS NOT NULL)
   AND NOT EXISTS (SELECT 1 FROM erasures h
                    WHERE h.namespace_id = %(namespace_id)s AND h.state = 1 AND h.kind = 4
                      AND h.target_name = m.author AND h.requested_at >= m.recorded_at)
   AND (m.content ~ '\S' OR m.tool_name ~ '\S' OR m.tool_args ~ '\S' OR m.tool_result ~ '\S'
        OR coalesce(jsonb_path_exists(m.content_blocks, '$[*].text ? (@ like_regex "\\S")'), false));

-- days_missing --
-- over: messages by id
-- holds: Every message for the calendar is the source of a day's summary, or pending for one, unless it is being
--        erased.
-- do: `everword rebuild`, or `everword backfill summaries`.
SELECT m.id::text AS id, 'no day covers it, and none is queued' AS detail
  FROM messages m
  JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = m.conversation_id
  JOIN namespaces n ON n.id = %(namespace_id)s
 WHERE m.namespace_id = %(namespace_id)s AND m.id > %(after)s AND m.id <= %(last)s AND NOT m.automated
   AND coalesce((channel_policy(n.channel_policies, c.channel) ->> 'roll_up')::boolean, true)
   AND NOT EXISTS (SELECT FROM summary_sources s
                    WHERE s.namespace_id = %(namespace_id)s AND s.message_id = m.id AND s.axis = 2)
   AND NOT EXISTS (SELECT FROM calendar_pending o
                    WHERE o.namespace_id = %(namespace_id)s AND o.conversation_id = m.conversation_id AND m.seq = ANY(o.seqs))
   AND NOT EXISTS (SELECT 1 FROM conversations h
                    WHERE h.namespace_id = %(namespace_id)s AND h.id = m.conversation_id AND h.erasure_id IS NOT NULL)
   AND NOT EXISTS (SELECT 1 FROM erasures h
                    WHERE h.namespace_id = %(namespace_id)s AND h.state = 1 AND h.kind = 4
                      AND h.target_name = m.author AND h.requested_at >= m.recorded_at)
   AND (m.content ~ '\S' OR m.tool_name ~ '\S' OR m.tool_args ~ '\S' OR m.tool_result ~ '\S'
        OR coalesce(jsonb_path_exists(m.content_blocks, '$[*].text ? (@ like_regex "\\S")'), false));

-- erased_messages --
-- over: messages by id
-- holds: No message exists that was erased, or whose author was erased after it was stored.
-- do: An older backup was restored, or the erasure failed: erase the message or author again.
SELECT m.id::text AS id, 'was erased at ' || e.requested_at AS detail
  FROM messages m
  JOIN namespaces n ON n.id = %(namespace_id)s
 CROSS JOIN LATERAL (VALUES (1, m.id::text), (4, nullif(m.author, ''))) AS named (kind, target)
  JOIN erasures e ON e.namespace_id = %(namespace_id)s AND e.kind = named.kind
   AND e.target_hash = salted_hash(n.erasure_salt, named.kind::text, named.target)
   AND e.state = 2 AND e.requested_at >= m.recorded_at
 WHERE m.namespace_id = %(namespace_id)s AND m.id > %(after)s AND m.id <= %(last)s;
