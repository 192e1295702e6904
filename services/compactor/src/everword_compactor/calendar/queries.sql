-- Statements of the calendar: of its jobs, of their scheduling, and of its RPCs.

-- find_subject --
-- Return the subject with a SHA-256 digest among the pending rows and nodes of a period.
SELECT subject
  FROM (SELECT subject FROM calendar_pending
         WHERE namespace_id = %(namespace_id)s AND level = %(level)s AND period = %(period)s
         UNION ALL
        SELECT subject FROM summaries
         WHERE namespace_id = %(namespace_id)s AND level = %(level)s AND period = %(period)s) AS known
 WHERE encode(sha256(convert_to(subject, 'UTF8')), 'hex') = %(digest)s
 LIMIT 1;

-- pending_instances --
-- Return the instances with pending rows in a period.
SELECT DISTINCT instance
  FROM calendar_pending
 WHERE namespace_id = %(namespace_id)s AND level = %(level)s AND period = %(period)s AND subject = %(subject)s
 ORDER BY instance;

-- pending_rows --
-- Return the ids of the rows pending for a node in this transaction's snapshot. A row committed later is not included,
-- even if its id is lower.
SELECT id
  FROM calendar_pending
 WHERE namespace_id = %(namespace_id)s AND level = %(level)s AND period = %(period)s AND subject = %(subject)s
   AND instance = %(instance)s
 ORDER BY id;

-- read_pending_messages --
-- Return the messages pending for a day, except those already assigned to another day.
SELECT m.id, m.seq, m.conversation_id, c.agent, c.channel, m.role, m.author, m.instance,
       m.content, m.content_blocks, m.tool_name, m.tool_args, m.tool_result, m.occurred_at
  FROM calendar_pending o
 CROSS JOIN LATERAL unnest(o.seqs) AS pending (seq)
  JOIN messages m ON m.namespace_id = o.namespace_id AND m.conversation_id = o.conversation_id AND m.seq = pending.seq
  JOIN conversations c ON c.namespace_id = m.namespace_id AND c.id = m.conversation_id
  LEFT JOIN summary_sources s ON s.namespace_id = m.namespace_id AND s.message_id = m.id AND s.axis = 2
 WHERE o.namespace_id = %(namespace_id)s AND o.id = ANY(%(pending_ids)s)
   AND (s.summary_id IS NULL OR s.summary_id = %(id)s);

-- delete_pending --
-- Delete exactly the pending rows that a node was made from.
DELETE FROM calendar_pending WHERE namespace_id = %(namespace_id)s AND id = ANY(%(pending_ids)s);

-- enqueue_period --
-- Enqueue the period above a new or rewritten node.
INSERT INTO calendar_pending (namespace_id, level, period, subject)
VALUES (%(namespace_id)s, %(level)s, %(period)s, %(subject)s);

-- read_period --
-- Return the nodes of a period, without their text: one per instance for a day, a single one for longer periods.
SELECT id, level, conversation_id, first_seq, last_seq, period, instance, parent_id, message_count, earliest_at,
       latest_at, token_count, model, prompt_version, revision, stale, needs_review
  FROM summaries
 WHERE namespace_id = %(namespace_id)s AND level = %(level)s AND period = %(period)s AND subject = %(subject)s
 ORDER BY instance;

-- read_parts --
-- Return the nodes of a subject and a level whose periods begin within a range of days, in order, with their text.
SELECT id, level, content, conversation_id, agent, channel, instance, message_count, earliest_at, latest_at, first_seq,
       last_seq
  FROM summaries
 WHERE namespace_id = %(namespace_id)s AND level = %(level)s AND subject = %(subject)s
   AND period >= %(since)s AND period < %(before)s AND NOT hidden
 ORDER BY period, instance;

-- read_unsupported --
-- Return the claims of nodes that their sources do not support.
SELECT faithfulness -> 'unsupported' AS unsupported
  FROM summaries
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(summary_ids)s) AND needs_review
 ORDER BY id;

-- pending_periods --
-- Return the earliest pending periods of each namespace and level that have ended by a moment. A period that already has
-- a node is included only if nothing was enqueued for `quiet_s`, or if a row has been pending for `longest_s`.
SELECT namespace_id, time_zone, day_cutoff_minutes, level, period, subject
  FROM pending_periods(%(limit)s, make_interval(secs => %(quiet_s)s), make_interval(secs => %(longest_s)s),
                       %(moment)s::timestamptz);

-- outdated_periods --
-- Return periods with nodes of a level from another model or an older prompt, one row per node. Periods parked less
-- than `parked_s` ago are excluded.
SELECT namespace_id, period, subject
  FROM outdated_summaries(%(level)s::smallint, %(model)s, %(version)s, %(limit)s,
                          now() - make_interval(secs => %(parked_s)s));

-- open_roll_ups --
-- Return the periods of a namespace with an open job, and those whose job was parked recently.
SELECT subject, state = 'failed' AS is_parked
  FROM jobs
 WHERE namespace_id = %(namespace_id)s AND task = 'roll-up'
   AND (state IN ('pending', 'running')
        OR state = 'failed' AND updated_at > now() - make_interval(secs => %(parked_s)s));

-- list_pending --
-- Return the pending periods of a namespace.
SELECT DISTINCT level, period, subject
  FROM calendar_pending
 WHERE namespace_id = %(namespace_id)s
 ORDER BY level, period, subject;

-- page_messages --
-- Return a page of messages between two times, in order, and whether each is missing: neither in a daily summary nor
-- pending, although it should be in one. Empty messages, and channels excluded by their policy, are never missing;
-- automated messages are not on the page. The neighbouring days are checked too, because the time zone may have changed
-- since a message was enqueued.
WITH page AS MATERIALIZED (
    SELECT m.id, m.conversation_id, m.seq, m.subject, m.instance, m.occurred_at
      FROM messages m
     WHERE m.namespace_id = %(namespace_id)s AND NOT m.automated AND m.occurred_at < %(before)s
       AND (m.occurred_at, m.id) > (%(after_occurred_at)s::timestamptz, %(after_id)s::uuid)
     ORDER BY m.occurred_at, m.id LIMIT %(limit)s
), span AS (
    SELECT min(occurred_at)::date - 2 AS first, max(occurred_at)::date + 2 AS last FROM page
), pending AS MATERIALIZED (
    SELECT said.conversation_id, o.seq
      FROM (SELECT DISTINCT conversation_id FROM page) AS said
     CROSS JOIN span
     CROSS JOIN LATERAL (
           SELECT unnest(seqs) AS seq
             FROM calendar_pending
            WHERE namespace_id = %(namespace_id)s AND level = 4 AND conversation_id = said.conversation_id
              AND period BETWEEN span.first AND span.last
           OFFSET 0) AS o
), checked AS MATERIALIZED (
    -- IN instead of a join: if the planner expects a short page, as it does for the latest messages, a join becomes a
    -- nested loop.
    SELECT page.*, (page.conversation_id, page.seq) IN (SELECT conversation_id, seq FROM pending) AS is_pending FROM page
)
SELECT page.id, page.conversation_id, page.seq, page.subject, page.instance, page.occurred_at,
       goes_in.id IS NOT NULL AS is_missing
  FROM checked AS page
  LEFT JOIN LATERAL (SELECT summary_id FROM summary_sources
                      WHERE namespace_id = %(namespace_id)s AND message_id = page.id AND axis = 2 LIMIT 1) AS s ON true
  -- The message's text is read only if all other conditions say that it is missing.
  LEFT JOIN LATERAL (SELECT m.id
                       FROM messages m
                       JOIN conversations c ON c.namespace_id = m.namespace_id AND c.id = m.conversation_id
                      WHERE NOT page.is_pending AND s.summary_id IS NULL
                        AND m.namespace_id = %(namespace_id)s AND m.id = page.id
                        AND coalesce((channel_policy(%(policies)s, c.channel) ->> 'roll_up')::boolean, true)
                        AND (m.content ~ '\S' OR m.tool_name ~ '\S' OR m.tool_args ~ '\S' OR m.tool_result ~ '\S'
                             OR coalesce(jsonb_path_exists(m.content_blocks, '$[*].text ? (@ like_regex "\\S")'), false))
                      LIMIT 1) AS goes_in ON true
 ORDER BY page.occurred_at, page.id;

-- enqueue_messages --
-- Enqueue messages for their days.
SELECT enqueue_days(%(namespace_id)s, %(days)s::date[], %(subjects)s::text[], %(instances)s::text[],
                    %(conversation_ids)s::uuid[], %(seqs)s::bigint[]);

-- active_namespaces --
-- Return the ids of a page of namespaces.
SELECT id FROM namespaces WHERE id > %(after)s AND state = 'active' ORDER BY id LIMIT %(limit)s;

-- enqueue_lost_periods --
-- Enqueue weeks, months and years that are missing above a node, or stale, although nothing is pending for them.
SELECT enqueue_lost_periods(%(namespace_id)s);
