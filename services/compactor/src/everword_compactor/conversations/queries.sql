-- Statements of compaction along conversations: those of its jobs, and those of the RPCs that ask for it.

-- read_compacted --
-- A conversation as it is summed up, and how far that is.
SELECT c.id, c.agent, c.subject, c.channel, c.title, c.last_seq, coalesce(p.summarised_seq, 0) AS summarised_seq,
       coalesce(p.wanted_seq, 0) AS wanted_seq
  FROM conversations c
  LEFT JOIN compaction_progress p ON p.namespace_id = c.namespace_id AND p.conversation_id = c.id
 WHERE c.namespace_id = %(namespace_id)s AND c.id = %(conversation_id)s;

-- next_messages --
-- The next messages that can be summed up: those that somebody wrote, and that say something.
SELECT seq, recorded_at,
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
-- Move on how far a conversation is under leaves. No row where somebody else did.
INSERT INTO compaction_progress AS p (namespace_id, conversation_id, summarised_seq)
SELECT %(namespace_id)s, c.id, %(through)s
  FROM conversations c
 WHERE c.namespace_id = %(namespace_id)s AND c.id = %(conversation_id)s
ON CONFLICT (namespace_id, conversation_id) DO UPDATE
   SET summarised_seq = excluded.summarised_seq
 WHERE p.summarised_seq = %(after)s
RETURNING conversation_id;

-- read_orphans --
-- Nodes of a level that are under no node yet, in order. They follow those that are. None while one of them is to be written again
-- since a message was erased.
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
-- The nodes that a node was made from, in order.
SELECT c.id, c.level, c.content, c.conversation_id, c.agent, c.channel, c.instance, c.message_count, c.earliest_at,
       c.latest_at, c.first_seq, c.last_seq, c.needs_review
  FROM summary_sources s
  JOIN summaries c ON c.namespace_id = s.namespace_id AND c.id = s.child_id
 WHERE s.namespace_id = %(namespace_id)s AND s.summary_id = %(id)s
 ORDER BY s.ordinal;

-- read_outdated --
-- Nodes of a conversation that are due to be written again, lower ones first: those made from what changed, by another
-- model, or from an older prompt, without those that were tried already. Nothing of a language model gives way to sentences that were chosen without one.
-- One that stands on a node whose words were erased waits for that.
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
-- Conversations with nodes of a level that another model wrote, or that come from an older prompt.
SELECT DISTINCT namespace_id, conversation_id
  FROM outdated_summaries(%(level)s::smallint, %(model)s, %(version)s, %(limit)s, '-infinity')
 ORDER BY namespace_id, conversation_id;

-- page_conversations --
-- The next conversations by id, with how much of each waits for a leaf, and whether that is scheduled.
SELECT page.id, page.last_seq, page.last_seq - coalesce(p.summarised_seq, 0) AS waiting,
       coalesce(j.state IN ('pending', 'running'), false) AS scheduled
  FROM (SELECT id, last_seq FROM conversations
         WHERE namespace_id = %(namespace_id)s AND id > %(after)s ORDER BY id LIMIT %(limit)s) AS page
  -- Looked up one by one, whatever the statistics say: after a bulk import they know of no jobs yet.
  LEFT JOIN LATERAL (SELECT summarised_seq FROM compaction_progress
                      WHERE namespace_id = %(namespace_id)s AND conversation_id = page.id LIMIT 1) AS p ON true
  LEFT JOIN LATERAL (SELECT state FROM jobs
                      WHERE namespace_id = %(namespace_id)s AND task = 'compact' AND subject = page.id::text
                      LIMIT 1) AS j ON true
 ORDER BY page.id;

-- request_leaves --
-- Ask for leaves up to a place of each conversation, however few messages. The ids are sorted.
INSERT INTO compaction_progress AS p (namespace_id, conversation_id, wanted_seq)
SELECT %(namespace_id)s, c.id, wanted.seq
  FROM unnest(%(conversation_ids)s::uuid[], %(seqs)s::bigint[]) AS wanted (id, seq)
  JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = wanted.id
 ORDER BY c.id
ON CONFLICT (namespace_id, conversation_id) DO UPDATE
   SET wanted_seq = excluded.wanted_seq
 WHERE p.wanted_seq < excluded.wanted_seq;

-- compaction_job --
-- How the job of a conversation stands; no row where there is none. It is open while somebody is at it, or is to be at
-- once, and fails where its latest attempt did.
SELECT state = 'failed' AS is_abandoned,
       state = 'running' OR (state = 'pending' AND attempts = 0 AND not_before <= now()) AS is_open,
       state = 'failed' OR attempts > CASE state WHEN 'running' THEN 1 ELSE 0 END AS is_failing
  FROM jobs
 WHERE namespace_id = %(namespace_id)s AND task = 'compact' AND subject = %(subject)s;

-- count_tokens --
-- The length of the messages of a conversation between two places, in tokens, or of those that are kept alone: as callers
-- counted them, or a quarter of the bytes.
SELECT coalesce(sum(CASE WHEN token_count > 0 THEN token_count
                         ELSE (octet_length(content) + octet_length(tool_name) + octet_length(tool_args)
                               + octet_length(tool_result) + coalesce(octet_length(content_blocks::text), 0) + 3) / 4
                    END), 0)::bigint
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND seq > %(after)s
   AND seq <= %(through)s AND (%(only_ids)s::uuid[] IS NULL OR id = ANY(%(only_ids)s));

-- read_flushed --
-- How far a conversation was flushed, and what an agent's context holds of that since; no row where it never was.
SELECT flushed_seq AS through, flushed_tokens AS tokens
  FROM compaction_progress
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s;

-- mark_flushed --
-- Say how far a conversation was flushed. No row has the place where it was flushed further meanwhile.
UPDATE compaction_progress
   SET flushed_seq = %(through)s, flushed_tokens = %(tokens)s
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND flushed_seq <= %(through)s;

-- read_node_ranges --
-- The nodes of a conversation up to a place, without their text.
SELECT id, level, first_seq, last_seq, parent_id, needs_review
  FROM summaries
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND last_seq <= %(through)s
 ORDER BY first_seq, level DESC;

-- verbatim_messages --
-- The messages of a conversation up to a place that no summary takes the place of: the system's, protected ones, and
-- those in stretches that no trusted summary stands for, which are in doubt.
SELECT m.id, m.role <> 1 AND NOT m.id = ANY(%(protected_ids)s) AS is_unconfirmed
  FROM messages m
 WHERE m.namespace_id = %(namespace_id)s AND m.conversation_id = %(conversation_id)s AND m.seq <= %(through)s
   AND (m.role = 1 OR m.id = ANY(%(protected_ids)s)
        OR (NOT m.automated
            AND EXISTS (SELECT FROM unnest(%(first_seqs)s::bigint[], %(last_seqs)s::bigint[]) AS gap (first_seq, last_seq)
                         WHERE m.seq BETWEEN gap.first_seq AND gap.last_seq)))
 ORDER BY m.seq;

-- read_summaries --
-- Whole nodes, in the order of what they stand for.
SELECT id, level, conversation_id, parent_id, previous_id, content, false AS content_truncated, name, title, instance, period, message_count, earliest_at,
       latest_at, first_seq, last_seq, token_count, model, prompt_version, revision, stale, needs_review, faithfulness,
       created_at, revised_at
  FROM summaries
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(summary_ids)s)
 ORDER BY first_seq, level DESC, id;
