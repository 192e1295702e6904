-- Statements that read the summary DAG.
--
-- In all of them, a filter that is NULL admits everything, and texts are cut to max_chars characters, or complete if it
-- is NULL.

-- get_summaries --
-- Nodes in the order of the given ids, with the number of items directly below each.
SELECT s.id, s.level, s.conversation_id, s.parent_id, s.previous_id,
       left(s.content, coalesce(%(max_chars)s, 2147483647)) AS content,
       coalesce(length(s.content) > %(max_chars)s, false) AS content_truncated, s.name, s.title, s.instance, s.period,
       s.message_count, s.earliest_at, s.latest_at, s.first_seq, s.last_seq, s.token_count, s.model, s.prompt_version,
       s.revision, s.stale, s.needs_review, s.faithfulness, s.created_at, s.revised_at,
       (SELECT count(*) FROM summary_sources
         WHERE namespace_id = %(namespace_id)s AND summary_id = s.id) AS below
  FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS wanted (id, place)
  JOIN summaries s ON s.namespace_id = %(namespace_id)s AND s.id = wanted.id
 ORDER BY wanted.place;

-- find_named --
-- The node with a name.
SELECT id FROM summaries WHERE namespace_id = %(namespace_id)s AND name = %(name)s AND name <> '';

-- read_children --
-- The child nodes of nodes, in order, with the number of items below each child: the first `most` of each node after a
-- position.
SELECT wanted.id AS above_id, source.ordinal, c.id, c.level, c.conversation_id, c.parent_id, c.previous_id,
       left(c.content, coalesce(%(max_chars)s, 2147483647)) AS content,
       coalesce(length(c.content) > %(max_chars)s, false) AS content_truncated, c.name, c.title, c.instance, c.period,
       c.message_count, c.earliest_at, c.latest_at, c.first_seq, c.last_seq, c.token_count, c.model, c.prompt_version,
       c.revision, c.stale, c.needs_review, c.faithfulness, c.created_at, c.revised_at,
       (SELECT count(*) FROM summary_sources
         WHERE namespace_id = %(namespace_id)s AND summary_id = c.id) AS below
  FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS wanted (id, place)
 CROSS JOIN LATERAL (
       SELECT ordinal, child_id FROM summary_sources
        WHERE namespace_id = %(namespace_id)s AND summary_id = wanted.id AND child_id IS NOT NULL
          AND ordinal > %(after)s
        ORDER BY ordinal LIMIT %(most)s) AS source
  JOIN summaries c ON c.namespace_id = %(namespace_id)s AND c.id = source.child_id
 ORDER BY wanted.place, source.ordinal
 LIMIT %(limit)s;

-- read_sources --
-- The source messages of nodes, in order: the first `most` of each node after a position, read from the messages table,
-- because not all are indexed.
SELECT wanted.id AS above_id, source.ordinal, m.id, m.conversation_id, m.seq, c.agent, c.subject, c.channel, m.instance, m.author, m.role,
       m.tags, coalesce(class.importance_class, m.importance_class) AS importance_class, m.automated, m.occurred_at,
       coalesce(u.use_count, 0) AS use_count, u.last_used_at,
       left(m.content, %(max_chars)s + 1) AS content,
       (SELECT left(string_agg(nullif(block ->> 'text', ''), E'\n' ORDER BY place), %(max_chars)s + 1)
          FROM jsonb_array_elements(m.content_blocks) WITH ORDINALITY AS blocks (block, place)) AS blocks,
       m.tool_name, left(m.tool_args, %(max_chars)s + 1) AS tool_args,
       left(m.tool_result, %(max_chars)s + 1) AS tool_result, coalesce(t.content, '') AS synthesized_content,
       coalesce(m.external_id, '') AS external_id,
       CASE WHEN length(m.metadata::text) <= %(max_metadata_chars)s THEN m.metadata END AS metadata,
       coalesce(length(m.metadata::text) > %(max_metadata_chars)s, false) AS metadata_omitted,
       m.role = 4 OR m.tool_name <> ''
       OR coalesce((channel_policy(policies.of_channels, c.channel) ->> 'untrusted')::boolean, false) AS untrusted,
       coalesce(nullif(c.title, ''), c.session_key) AS conversation_name
  FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS wanted (id, place)
 CROSS JOIN (SELECT channel_policies AS of_channels FROM namespaces WHERE id = %(namespace_id)s) AS policies
 CROSS JOIN LATERAL (
       SELECT ordinal, message_id FROM summary_sources
        WHERE namespace_id = %(namespace_id)s AND summary_id = wanted.id AND message_id IS NOT NULL
          AND ordinal > %(after)s
        ORDER BY ordinal LIMIT %(most)s) AS source
  JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.id = source.message_id
  JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = m.conversation_id
  LEFT JOIN memory_classes class ON class.namespace_id = %(namespace_id)s AND class.memory_id = m.id
  LEFT JOIN memory_use u ON u.namespace_id = %(namespace_id)s AND u.memory_id = m.id
  LEFT JOIN tool_sentences t ON t.namespace_id = %(namespace_id)s AND t.message_id = m.id
 ORDER BY wanted.place, source.ordinal
 LIMIT %(limit)s;

-- read_review_flags --
-- For each node: does it need review, and does it cover a period of a day or more?
SELECT id, needs_review, period IS NOT NULL AS is_of_period
  FROM summaries
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(ids)s);

-- list_summaries_newest --
-- Nodes of some levels, latest first, of one conversation or of all whose summaries may be used elsewhere: as many as
-- fit into max_bytes, but at least one. Each level is read in index order.
WITH page AS (
    SELECT s.*, left(s.content, coalesce(%(max_chars)s, 2147483647)) AS beginning
      FROM unnest(%(levels)s::smallint[]) AS wanted (level)
     CROSS JOIN (SELECT channel_policies AS of_channels FROM namespaces WHERE id = %(namespace_id)s) AS policies
     CROSS JOIN LATERAL (
           SELECT * FROM summaries
            WHERE namespace_id = %(namespace_id)s AND level = wanted.level
              AND (latest_at, id) < (%(after_latest_at)s, %(after_id)s)
              AND CASE WHEN %(conversation_id)s::uuid IS NULL
                       THEN conversation_id IS NULL OR publishes_summaries(policies.of_channels, channel)
                       ELSE conversation_id = %(conversation_id)s END
              AND (%(since)s::timestamptz IS NULL OR latest_at >= %(since)s)
              AND (%(before)s::timestamptz IS NULL OR earliest_at < %(before)s)
              AND (NOT %(only_needing_review)s OR needs_review)
            ORDER BY latest_at DESC, id DESC
            LIMIT %(limit)s) AS s
     ORDER BY s.latest_at DESC, s.id DESC
     LIMIT %(limit)s
)
SELECT id, level, conversation_id, parent_id, previous_id, beginning AS content,
       coalesce(length(content) > %(max_chars)s, false) AS content_truncated, name, title, instance, period, message_count,
       earliest_at, latest_at, first_seq, last_seq, token_count, model, prompt_version, revision, stale, needs_review,
       faithfulness, created_at, revised_at, available
  FROM (SELECT *, octet_length(beginning) AS size, count(*) OVER () AS available,
               sum(octet_length(beginning)) OVER (ORDER BY latest_at DESC, id DESC) AS size_so_far FROM page) AS sized
 WHERE size_so_far <= %(max_bytes)s OR size_so_far = size
 ORDER BY latest_at DESC, id DESC;

-- list_summaries_oldest --
-- Nodes of some levels, earliest first, of one conversation or of all whose summaries may be used elsewhere: as many as
-- fit into max_bytes, but at least one. Each level is read in index order.
WITH page AS (
    SELECT s.*, left(s.content, coalesce(%(max_chars)s, 2147483647)) AS beginning
      FROM unnest(%(levels)s::smallint[]) AS wanted (level)
     CROSS JOIN (SELECT channel_policies AS of_channels FROM namespaces WHERE id = %(namespace_id)s) AS policies
     CROSS JOIN LATERAL (
           SELECT * FROM summaries
            WHERE namespace_id = %(namespace_id)s AND level = wanted.level
              AND (latest_at, id) > (%(after_latest_at)s, %(after_id)s)
              AND CASE WHEN %(conversation_id)s::uuid IS NULL
                       THEN conversation_id IS NULL OR publishes_summaries(policies.of_channels, channel)
                       ELSE conversation_id = %(conversation_id)s END
              AND (%(since)s::timestamptz IS NULL OR latest_at >= %(since)s)
              AND (%(before)s::timestamptz IS NULL OR earliest_at < %(before)s)
              AND (NOT %(only_needing_review)s OR needs_review)
            ORDER BY latest_at, id
            LIMIT %(limit)s) AS s
     ORDER BY s.latest_at, s.id
     LIMIT %(limit)s
)
SELECT id, level, conversation_id, parent_id, previous_id, beginning AS content,
       coalesce(length(content) > %(max_chars)s, false) AS content_truncated, name, title, instance, period, message_count,
       earliest_at, latest_at, first_seq, last_seq, token_count, model, prompt_version, revision, stale, needs_review,
       faithfulness, created_at, revised_at, available
  FROM (SELECT *, octet_length(beginning) AS size, count(*) OVER () AS available,
               sum(octet_length(beginning)) OVER (ORDER BY latest_at, id) AS size_so_far FROM page) AS sized
 WHERE size_so_far <= %(max_bytes)s OR size_so_far = size
 ORDER BY latest_at, id;

-- top_summaries --
-- The latest topmost nodes of a conversation that need no review, latest first. Each level is read in index order.
SELECT s.id, wanted.level, s.content, s.latest_at, s.first_seq, s.last_seq
  FROM generate_series(1, 3) AS wanted (level)
 CROSS JOIN LATERAL (
       SELECT id, content, latest_at, first_seq, last_seq FROM summaries
        WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND level = wanted.level
          AND parent_id IS NULL AND NOT needs_review
        ORDER BY first_seq DESC
        LIMIT %(limit)s) AS s
 ORDER BY s.first_seq DESC
 LIMIT %(limit)s;

-- summary_counts --
-- Counts of summaries by level, each up to a limit.
SELECT wanted.level, count(s.stale) AS summaries, count(*) FILTER (WHERE s.stale) AS stale,
       count(*) FILTER (WHERE s.needs_review) AS needs_review
  FROM generate_series(1, 8) AS wanted (level)
 CROSS JOIN LATERAL (
       SELECT stale, needs_review FROM summaries
        WHERE namespace_id = %(namespace_id)s AND level = wanted.level LIMIT %(limit)s) AS s
 GROUP BY wanted.level
 ORDER BY wanted.level;

-- summary_backlog --
-- Counts of messages, periods and tool calls that wait for summaries or sentences, each up to a limit. Messages wait if
-- their position is after the last summarised one.
SELECT waiting.messages, waiting.conversations, periods.pending AS periods, periods.oldest AS oldest_period,
       sentences.pending AS sentences, sentences.failed AS failed_sentences
  FROM (SELECT coalesce(sum(missing), 0)::bigint AS messages, count(*) AS conversations
          FROM (SELECT c.last_seq - coalesce(p.summarised_seq, 0) AS missing
                  FROM conversations c
                  LEFT JOIN compaction_progress p ON p.namespace_id = %(namespace_id)s AND p.conversation_id = c.id
                 WHERE c.namespace_id = %(namespace_id)s AND c.last_seq > coalesce(p.summarised_seq, 0)
                 LIMIT %(limit)s) AS behind) AS waiting
 CROSS JOIN (SELECT count(DISTINCT (level, period, instance)) AS pending, min(period) AS oldest
               FROM (SELECT level, period, instance FROM calendar_pending
                      WHERE namespace_id = %(namespace_id)s LIMIT %(limit)s) AS rows) AS periods
 CROSS JOIN (SELECT count(*) FILTER (WHERE state = 'pending') AS pending, count(*) FILTER (WHERE state = 'failed') AS failed
               FROM (SELECT state FROM tool_sentence_queue
                      WHERE namespace_id = %(namespace_id)s LIMIT %(limit)s) AS rows) AS sentences;
