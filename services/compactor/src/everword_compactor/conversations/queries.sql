-- Statements of compaction along conversations: of its jobs and of its RPCs.

-- read_compacted --
-- Return a conversation with its summarised position.
SELECT c.id, c.agent, c.subject, c.channel, c.title, c.last_seq, coalesce(p.summarised_seq, 0) AS summarised_seq,
       coalesce(p.wanted_seq, 0) AS wanted_seq
  FROM conversations c
  LEFT JOIN compaction_progress p ON p.namespace_id = c.namespace_id AND p.conversation_id = c.id
 WHERE c.namespace_id = %(namespace_id)s AND c.id = %(conversation_id)s;

-- next_messages --
-- Return the next messages with text to summarise, without automated ones.
SELECT seq, recorded_at, coalesce(metadata->>'phase', '') AS phase,
       octet_length(content) + octet_length(tool_name) + octet_length(tool_args) + octet_length(tool_result)
       + coalesce(octet_length(content_blocks::text), 0) AS bytes
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND seq > %(after)s
   AND seq <= %(through)s AND NOT automated
   AND (content ~ '\S' OR tool_name ~ '\S' OR tool_args ~ '\S' OR tool_result ~ '\S'
        OR coalesce(jsonb_path_exists(content_blocks, '$[*].text ? (@ like_regex "\\S")'), false))
 ORDER BY seq
 LIMIT %(limit)s;

-- advance_progress --
-- Advance the summarised position of a conversation. No row if another transaction advanced it first.
INSERT INTO compaction_progress AS p (namespace_id, conversation_id, summarised_seq)
SELECT c.namespace_id, c.id, %(through)s
  FROM conversations c
 WHERE c.namespace_id = %(namespace_id)s AND c.id = %(conversation_id)s
ON CONFLICT (namespace_id, conversation_id) DO UPDATE
   SET summarised_seq = excluded.summarised_seq
 WHERE p.summarised_seq = %(after)s
RETURNING conversation_id;

-- read_orphans --
-- Return the nodes of a level without a parent, in order, after the last node that has one. No rows while a node of the
-- level is hidden, because it must be rewritten after an erasure.
SELECT id, level, content, conversation_id, agent, channel, instance, message_count, earliest_at, latest_at, first_seq,
       last_seq, needs_review
  FROM summaries
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND level = %(level)s
   AND parent_id IS NULL
   AND NOT EXISTS (SELECT FROM summaries h
                    WHERE h.namespace_id = %(namespace_id)s AND h.conversation_id = %(conversation_id)s
                      AND h.level = %(level)s AND h.hidden)
   AND first_seq > coalesce((SELECT above.last_seq FROM summaries above
                              WHERE above.namespace_id = %(namespace_id)s
                                AND above.conversation_id = %(conversation_id)s AND above.level = %(level)s + 1
                              ORDER BY above.first_seq DESC LIMIT 1), 0)
 ORDER BY first_seq
 LIMIT %(limit)s;

-- read_children --
-- Return the source nodes of a node, in order.
SELECT c.id, c.level, c.content, c.conversation_id, c.agent, c.channel, c.instance, c.message_count, c.earliest_at,
       c.latest_at, c.first_seq, c.last_seq, c.needs_review
  FROM summary_sources s
  JOIN summaries c ON c.namespace_id = s.namespace_id AND c.id = s.child_id
 WHERE s.namespace_id = %(namespace_id)s AND s.summary_id = %(id)s
 ORDER BY s.ordinal;

-- read_outdated --
-- Return nodes of a conversation that are due to be rewritten, lower levels first: stale nodes, and nodes from another
-- model or an older prompt, except those already tried. The extractive fallback never replaces a language model's text.
-- A node above a hidden node, whose text was erased, waits until that one is rewritten.
SELECT id, level, first_seq, last_seq, revision
  FROM summaries
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s
   AND (model = 'extractive' OR %(model)s <> 'extractive')
   AND (stale OR model <> %(model)s OR prompt_version < (%(versions)s::integer[])[level])
   AND id <> ALL(%(tried)s)
   AND NOT EXISTS (SELECT FROM summary_sources s
                     JOIN summaries below ON below.namespace_id = s.namespace_id AND below.id = s.child_id
                    WHERE s.namespace_id = %(namespace_id)s AND s.summary_id = summaries.id AND below.hidden)
 ORDER BY level, first_seq
 LIMIT %(limit)s;

-- outdated_conversations --
-- Return conversations with nodes of a level from another model or an older prompt.
SELECT DISTINCT namespace_id, conversation_id
  FROM outdated_summaries(%(level)s::smallint, %(model)s, %(version)s, %(limit)s, '-infinity')
 ORDER BY namespace_id, conversation_id;

-- page_conversations --
-- Return the next conversations by id, with the number of messages without a leaf, and whether a job is scheduled.
SELECT page.id, page.last_seq, page.last_seq - coalesce(p.summarised_seq, 0) AS waiting,
       coalesce(j.state IN ('pending', 'running'), false) AS scheduled
  FROM (SELECT id, last_seq FROM conversations
         WHERE namespace_id = %(namespace_id)s AND id > %(after)s ORDER BY id LIMIT %(limit)s) AS page
  -- LATERAL with LIMIT forces one index lookup per row: right after a bulk import, the planner's statistics know of no
  -- jobs yet.
  LEFT JOIN LATERAL (SELECT summarised_seq FROM compaction_progress
                      WHERE namespace_id = %(namespace_id)s AND conversation_id = page.id LIMIT 1) AS p ON true
  LEFT JOIN LATERAL (SELECT state FROM jobs
                      WHERE namespace_id = %(namespace_id)s AND task = 'compact' AND subject = page.id::text
                      LIMIT 1) AS j ON true
 ORDER BY page.id;

-- request_leaves --
-- Request leaves up to a position of each conversation, even if there are few messages. The ids are sorted.
INSERT INTO compaction_progress AS p (namespace_id, conversation_id, wanted_seq)
SELECT c.namespace_id, c.id, wanted.seq
  FROM unnest(%(conversation_ids)s::uuid[], %(seqs)s::bigint[]) AS wanted (id, seq)
  JOIN conversations c ON c.id = wanted.id
 WHERE c.namespace_id = %(namespace_id)s
 ORDER BY c.id
ON CONFLICT (namespace_id, conversation_id) DO UPDATE
   SET wanted_seq = excluded.wanted_seq
 WHERE p.wanted_seq < excluded.wanted_seq;

-- compaction_job --
-- Return the state of a conversation's job; no row if there is none. `is_open`: a worker runs it, or its first attempt
-- is due now. `is_failing`: its latest attempt failed. `is_given_up`: it is parked.
SELECT state = 'failed' AS is_abandoned,
       state = 'running' OR (state = 'pending' AND attempts = 0 AND not_before <= now()) AS is_open,
       state = 'failed' OR attempts > CASE state WHEN 'running' THEN 1 ELSE 0 END AS is_failing
  FROM jobs
 WHERE namespace_id = %(namespace_id)s AND task = 'compact' AND subject = %(subject)s;

-- count_tokens --
-- Sum the tokens of the messages of a conversation between two positions, or of `only_ids` alone. Callers' token counts
-- are used; without one, a quarter of the bytes.
SELECT coalesce(sum(CASE WHEN token_count > 0 THEN token_count
                         ELSE (octet_length(content) + octet_length(tool_name) + octet_length(tool_args)
                               + octet_length(tool_result) + coalesce(octet_length(content_blocks::text), 0) + 3) / 4
                    END), 0)::bigint
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND seq > %(after)s
   AND seq <= %(through)s AND (%(only_ids)s::uuid[] IS NULL OR id = ANY(%(only_ids)s));

-- read_flushed --
-- Return the position up to which a conversation was flushed, and the tokens of the summaries and kept messages that
-- replaced that part in the agent's context; no row if it was never flushed.
SELECT flushed_seq AS through, flushed_tokens AS tokens
  FROM compaction_progress
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s;

-- read_phase_start --
-- Return the position before the first message of a phase, if the phase has messages on both sides of a position, or has
-- not ended there; otherwise NULL. A phase is a run of messages with the same `phase` in their metadata; automated
-- messages are ignored.
SELECT CASE WHEN latest.phase <> '' AND coalesce(next.phase, latest.phase) = latest.phase THEN
         coalesce((SELECT m.seq FROM messages m
                    WHERE m.namespace_id = %(namespace_id)s AND m.conversation_id = %(conversation_id)s
                      AND m.seq < %(through)s AND NOT m.automated AND coalesce(m.metadata->>'phase', '') <> latest.phase
                    ORDER BY m.seq DESC LIMIT 1), 0)
       END AS before
  FROM (SELECT coalesce(metadata->>'phase', '') AS phase
          FROM messages
         WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND seq <= %(through)s
           AND NOT automated
         ORDER BY seq DESC LIMIT 1) AS latest
  LEFT JOIN LATERAL (SELECT coalesce(metadata->>'phase', '') AS phase
                       FROM messages
                      WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s
                        AND seq > %(through)s AND NOT automated
                      ORDER BY seq LIMIT 1) AS next ON true;

-- mark_flushed --
-- Store the position up to which a conversation was flushed. Does nothing if it was flushed further meanwhile.
UPDATE compaction_progress
   SET flushed_seq = %(through)s, flushed_tokens = %(tokens)s
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND flushed_seq <= %(through)s;

-- read_node_ranges --
-- Return the nodes of a conversation up to a position, without their text.
SELECT id, level, first_seq, last_seq, parent_id, needs_review
  FROM summaries
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND last_seq <= %(through)s
 ORDER BY first_seq, level DESC;

-- verbatim_messages --
-- Return the messages of a conversation up to a position that no summary replaces: system messages, messages protected by
-- the caller or by their metadata, and messages in gaps without a trusted summary, which are marked `is_unconfirmed`.
SELECT m.id,
       m.role <> 1 AND NOT m.id = ANY(%(protected_ids)s)
       AND coalesce(m.metadata->>'protected', '') <> 'true' AS is_unconfirmed
  FROM messages m
 WHERE m.namespace_id = %(namespace_id)s AND m.conversation_id = %(conversation_id)s AND m.seq <= %(through)s
   AND (m.role = 1 OR m.id = ANY(%(protected_ids)s) OR m.metadata->>'protected' = 'true'
        OR (NOT m.automated
            AND EXISTS (SELECT FROM unnest(%(first_seqs)s::bigint[], %(last_seqs)s::bigint[]) AS gap (first_seq, last_seq)
                         WHERE m.seq BETWEEN gap.first_seq AND gap.last_seq)))
 ORDER BY m.seq;

-- read_summaries --
-- Return whole nodes, ordered by the messages that they cover.
SELECT id, level, conversation_id, parent_id, previous_id, content, false AS content_truncated, name, title, subject, instance, period, message_count, earliest_at,
       latest_at, first_seq, last_seq, token_count, model, prompt_version, revision, stale, needs_review, faithfulness,
       created_at, revised_at
  FROM summaries
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(summary_ids)s)
 ORDER BY first_seq, level DESC, id;
