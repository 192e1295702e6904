-- Statements that count and read summaries for status reports and audits.

-- count_summaries --
-- Count the summaries of each level by model, with the numbers of stale ones and of those that need review. Each level
-- is counted up to a limit.
SELECT wanted.level, s.model, count(*) AS summaries, count(*) FILTER (WHERE s.stale) AS stale,
       count(*) FILTER (WHERE s.needs_review) AS needs_review
  FROM generate_series(1, 8) AS wanted (level)
 CROSS JOIN LATERAL (
       SELECT model, stale, needs_review FROM summaries
        WHERE namespace_id = %(namespace_id)s AND level = wanted.level LIMIT %(limit)s) AS s
 GROUP BY wanted.level, s.model
 ORDER BY wanted.level, s.model;

-- count_pending --
-- Return how many messages, periods and tool calls wait for a summary or sentence, each counted up to a limit. Messages
-- are counted by sequence number, from the end of the last leaf.
SELECT waiting.messages, waiting.conversations, periods.pending AS periods, periods.oldest AS oldest_period,
       sentences.pending AS sentences
  FROM (SELECT coalesce(sum(missing), 0)::bigint AS messages, count(*) AS conversations
          FROM (SELECT c.last_seq - coalesce(p.summarised_seq, 0) AS missing
                  FROM conversations c
                  LEFT JOIN compaction_progress p ON p.namespace_id = %(namespace_id)s AND p.conversation_id = c.id
                 WHERE c.namespace_id = %(namespace_id)s AND c.last_seq > coalesce(p.summarised_seq, 0)
                 LIMIT %(limit)s) AS behind) AS waiting
 CROSS JOIN (SELECT count(DISTINCT (level, period, subject, instance)) AS pending, min(period) AS oldest
               FROM (SELECT level, period, subject, instance FROM calendar_pending
                      WHERE namespace_id = %(namespace_id)s LIMIT %(limit)s) AS walk) AS periods
 CROSS JOIN (SELECT count(*) AS pending
               FROM (SELECT FROM tool_sentence_queue
                      WHERE namespace_id = %(namespace_id)s AND state = 'pending' LIMIT %(limit)s) AS walk) AS sentences;

-- sum_usage --
-- Sum the tokens that language models read and wrote for a namespace in the last 24 hours.
SELECT coalesce(sum(input_tokens), 0)::bigint AS input_tokens, coalesce(sum(output_tokens), 0)::bigint AS output_tokens
  FROM usage_ledger
 WHERE namespace_id = %(namespace_id)s AND called_at > now() - interval '24 hours' AND own AND task <> 'embed';

-- list_audited --
-- Return a page of nodes with sources, in the order of their ids, of one conversation or of all conversations that
-- publish summaries. A page holds at least one node, and more while they fit into a number of bytes. Nodes that must be
-- rewritten after an erasure are excluded.
WITH page AS (
    SELECT s.* FROM summaries s
      JOIN namespaces n ON n.id = %(namespace_id)s
     WHERE s.namespace_id = %(namespace_id)s AND s.id > %(after_id)s AND s.level < 8 AND NOT s.hidden
       AND CASE WHEN %(conversation_id)s::uuid IS NULL
                THEN s.conversation_id IS NULL OR publishes_summaries(n.channel_policies, s.channel)
                ELSE s.conversation_id = %(conversation_id)s END
     ORDER BY s.id
     LIMIT %(limit)s
), sized AS (
    SELECT page.*, sources.size, count(*) OVER () AS available, sum(sources.size) OVER (ORDER BY page.id) AS size_so_far
      FROM page
     CROSS JOIN LATERAL (
           -- The length of a text is read without the text.
           SELECT coalesce(sum(coalesce(octet_length(c.content), 0) + coalesce(octet_length(m.content), 0)
                               + coalesce(octet_length(m.tool_args), 0) + coalesce(octet_length(m.tool_result), 0)
                               + coalesce(pg_column_size(m.content_blocks), 0)), 0)::bigint AS size
             FROM summary_sources s
             LEFT JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.id = s.message_id
             LEFT JOIN summaries c ON c.namespace_id = %(namespace_id)s AND c.id = s.child_id
            WHERE s.namespace_id = %(namespace_id)s AND s.summary_id = page.id) AS sources
)
SELECT id, level, conversation_id, parent_id, previous_id, content, false AS content_truncated, name, title, subject, instance, period,
       message_count, earliest_at, latest_at, first_seq, last_seq, token_count, model, prompt_version, revision, stale,
       needs_review, faithfulness, created_at, revised_at, agent, channel, available,
       size
  FROM sized
 WHERE size_so_far <= %(max_bytes)s OR size_so_far = size
 ORDER BY id;

-- read_audited_nodes --
-- Return the sources of a node that are nodes themselves, in order, with their links to the node above.
SELECT c.id, c.level, c.content, c.conversation_id, c.agent, c.channel, c.instance, c.message_count, c.earliest_at,
       c.latest_at, c.first_seq, c.last_seq, c.parent_id, coalesce(c.faithfulness -> 'unsupported', '[]') AS unsupported
  FROM summary_sources s
  JOIN summaries c ON c.namespace_id = %(namespace_id)s AND c.id = s.child_id
 WHERE s.namespace_id = %(namespace_id)s AND s.summary_id = %(id)s
 ORDER BY s.ordinal;

-- read_revision --
-- Return the revision of a node; no row if the node does not exist.
SELECT revision FROM summaries WHERE namespace_id = %(namespace_id)s AND id = %(id)s;
