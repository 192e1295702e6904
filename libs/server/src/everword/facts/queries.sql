-- Statements that write facts, and reads of the written facts. Facts are written only here.

-- lock_keys --
-- Lock these attributes of subjects until the end of the transaction, always in the same order, so that the second of
-- two writers sees the first one's facts.
SELECT hold_lock(%(namespace_id)s, k.part)
  FROM (SELECT DISTINCT lock_part('facts', subject || E'\n' || attribute) AS part
          FROM unnest(%(subject)s::text[], %(attribute)s::text[]) AS given (subject, attribute)
         ORDER BY part) AS k;

-- believed_since --
-- Return the time from which this write is believed. It is later than all writes of earlier lock holders.
SELECT clock_timestamp() AS now;

-- find_facts --
-- Return facts by subject and attribute; with `value_hash`, only those with one value.
SELECT f.id, f.subject, f.category, f.attribute, f.value, f.several, f.source, f.hypothesis, f.state, f.confidence, f.lifetime_days,
       f.first_seen_at, f.last_seen_at, f.supporting, f.contradicting, f.agent, f.ruling, f.ruled_at, f.verdict, f.verdict_at,
       f.is_anchor, f.value_hash
  FROM unnest(%(subject)s::text[], %(attribute)s::text[]) AS k (subject, attribute)
 CROSS JOIN LATERAL (
       SELECT * FROM facts
        WHERE namespace_id = %(namespace_id)s AND subject = k.subject AND attribute = k.attribute
          AND (%(value_hash)s::bytea IS NULL OR value_hash = %(value_hash)s)
       OFFSET 0) AS f
 ORDER BY f.id;

-- find_spellings --
-- Return for each name the spelling of a subject with facts that equals it or differs only in letter case. An equal
-- subject is preferred, then the oldest.
SELECT n.name, f.subject AS spelling
  FROM unnest(%(names)s::text[]) AS n (name)
 CROSS JOIN LATERAL (
       SELECT k.subject FROM (
           (SELECT subject, 0 AS rank FROM facts
             WHERE namespace_id = %(namespace_id)s AND subject = n.name ORDER BY attribute, value_hash LIMIT 1)
            UNION ALL
           (SELECT subject, 1 AS rank FROM facts
             WHERE namespace_id = %(namespace_id)s AND lower(translate(subject, U&'\0130\0131\0307', 'Ii'))
                   = lower(translate(n.name, U&'\0130\0131\0307', 'Ii'))
             ORDER BY created_at, id LIMIT 1)) AS k
        ORDER BY k.rank LIMIT 1) AS f;

-- get_fact --
-- Return a fact.
SELECT id, subject, category, attribute, value, several, source, hypothesis, state, confidence, lifetime_days, first_seen_at,
       last_seen_at, supporting, contradicting, agent, ruling, ruled_at, verdict, verdict_at,
       is_anchor, value_hash
  FROM facts
 WHERE namespace_id = %(namespace_id)s AND id = %(fact_id)s;

-- find_believed_intervals --
-- Return the current intervals of facts, in the order of time.
SELECT id, fact_id, valid_from AS since, valid_until AS until, successor_id
  FROM fact_intervals
 WHERE namespace_id = %(namespace_id)s AND fact_id = ANY(%(fact_ids)s) AND known_until IS NULL
 ORDER BY valid_from, id;

-- insert_facts --
-- Store new facts.
INSERT INTO facts (namespace_id, id, subject, category, attribute, value, value_hash, several, source, hypothesis, state,
                   confidence, lifetime_days, first_seen_at, last_seen_at, agent)
SELECT t.namespace_id, f.id, f.subject, f.category, f.attribute, f.value, f.value_hash, f.several, f.source, f.hypothesis, f.state,
       0, f.lifetime_days, f.first_seen_at, f.first_seen_at, f.agent
  FROM tenants t
 CROSS JOIN unnest(%(id)s::uuid[], %(subject)s::text[], %(category)s::text[], %(attribute)s::text[], %(value)s::text[],
              %(value_hash)s::bytea[], %(several)s::boolean[], %(source)s::smallint[], %(hypothesis)s::boolean[],
              %(state)s::smallint[], %(lifetime_days)s::integer[], %(first_seen_at)s::timestamptz[], %(agent)s::text[])
       AS f (id, subject, category, attribute, value, value_hash, several, source, hypothesis, state, lifetime_days,
             first_seen_at, agent)
 WHERE t.namespace_id = %(namespace_id)s;

-- update_facts --
-- Update the columns of facts that are computed from their intervals and evidence.
UPDATE facts
   SET state = f.state, confidence = f.confidence, supporting = f.supporting, contradicting = f.contradicting,
       source = f.source, hypothesis = f.hypothesis, first_seen_at = f.first_seen_at, last_seen_at = f.last_seen_at,
       lifetime_days = f.lifetime_days, ruling = f.ruling, ruled_at = f.ruled_at, verdict = f.verdict,
       verdict_at = f.verdict_at, is_anchor = f.is_anchor
  FROM unnest(%(id)s::uuid[], %(state)s::smallint[], %(confidence)s::float8[], %(supporting)s::integer[],
              %(contradicting)s::integer[], %(source)s::smallint[], %(hypothesis)s::boolean[], %(first_seen_at)s::timestamptz[],
              %(last_seen_at)s::timestamptz[], %(lifetime_days)s::integer[], %(ruling)s::smallint[],
              %(ruled_at)s::timestamptz[], %(verdict)s::smallint[], %(verdict_at)s::timestamptz[], %(is_anchor)s::boolean[])
       AS f (id, state, confidence, supporting, contradicting, source, hypothesis, first_seen_at, last_seen_at, lifetime_days,
             ruling, ruled_at, verdict, verdict_at, is_anchor)
 WHERE facts.namespace_id = %(namespace_id)s AND facts.id = f.id;

-- insert_intervals --
-- Store intervals of facts, believed from now on.
INSERT INTO fact_intervals (namespace_id, id, fact_id, valid_from, valid_until, known_from, successor_id, agent, subject)
SELECT t.namespace_id, i.id, i.fact_id, i.valid_from, i.valid_until, %(now)s, i.successor_id, coalesce(f.agent, ''),
       coalesce(f.subject, '')
  FROM tenants t
 CROSS JOIN unnest(%(ids)s::uuid[], %(fact_ids)s::uuid[], %(valid_from)s::timestamptz[], %(valid_until)s::timestamptz[],
              %(successor_ids)s::uuid[]) AS i (id, fact_id, valid_from, valid_until, successor_id)
  LEFT JOIN facts f ON f.namespace_id = t.namespace_id AND f.id = i.fact_id
 WHERE t.namespace_id = %(namespace_id)s;

-- disbelieve_intervals --
-- End the belief in intervals.
UPDATE fact_intervals
   SET known_until = %(now)s
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(ids)s) AND known_until IS NULL;

-- lock_sources --
-- Lock messages until the commit, so that no erasure deletes one without the rows that the transaction derives from it.
-- Fails if a message is being erased, or, without `may_be_gone`, is missing.
SELECT lock_sources(%(namespace_id)s, %(message_ids)s::uuid[], %(may_be_gone)s);

-- insert_evidence --
-- Store evidence; a fact has at most one supporting and one contradicting row per message. The messages are locked.
INSERT INTO fact_evidence (namespace_id, id, fact_id, message_id, conversation_id, contradicts, source, hypothesis, quote, reason,
                           said_at, recorded_at, agent, subject, conversation_agent, conversation_subject)
SELECT t.namespace_id, e.id, e.fact_id, e.message_id, e.conversation_id, e.contradicts, e.source, e.hypothesis, e.quote,
       e.reason, e.said_at, %(now)s, coalesce(f.agent, ''), coalesce(f.subject, ''), coalesce(c.agent, ''), coalesce(c.subject, '')
  FROM tenants t
 CROSS JOIN unnest(%(ids)s::uuid[], %(fact_ids)s::uuid[], %(message_ids)s::uuid[], %(conversation_ids)s::uuid[],
              %(contradicts)s::boolean[], %(sources)s::smallint[], %(hypotheses)s::boolean[], %(quotes)s::text[],
              %(reasons)s::text[], %(said_at)s::timestamptz[])
       AS e (id, fact_id, message_id, conversation_id, contradicts, source, hypothesis, quote, reason, said_at)
  LEFT JOIN facts f ON f.namespace_id = t.namespace_id AND f.id = e.fact_id
  LEFT JOIN conversations c ON c.namespace_id = t.namespace_id AND c.id = e.conversation_id
 WHERE t.namespace_id = %(namespace_id)s
    ON CONFLICT (namespace_id, fact_id, message_id, contradicts) DO NOTHING;

-- weigh_evidence --
-- Return the evidence of facts with its time, channel, role and tool.
SELECT e.fact_id, e.conversation_id, e.contradicts, e.source, e.hypothesis, e.said_at, coalesce(c.channel, '') AS channel,
       coalesce(m.role, 0::smallint) AS role, coalesce(m.tool_name, '') AS tool_name
  FROM fact_evidence e
  LEFT JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = e.conversation_id
  LEFT JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.id = e.message_id
 WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = ANY(%(fact_ids)s)
 ORDER BY e.fact_id, e.id;

-- find_voices --
-- Return the distinct origins of the evidence of facts.
SELECT DISTINCT e.fact_id, e.contradicts, e.source, coalesce(c.channel, '') AS channel, coalesce(m.role, 0::smallint) AS role,
       coalesce(m.tool_name, '') AS tool_name
  FROM fact_evidence e
  LEFT JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = e.conversation_id
  LEFT JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.id = e.message_id
 WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = ANY(%(fact_ids)s);

-- find_evidence_messages --
-- Return the messages that a caller gave as evidence.
SELECT m.id, m.conversation_id, m.content, m.tool_result, m.occurred_at AS said_at, c.channel, m.role, m.tool_name
  FROM messages m
  JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = m.conversation_id
 WHERE m.namespace_id = %(namespace_id)s AND m.id = ANY(%(message_ids)s);

-- insert_changes --
-- Add entries to the audit trail.
INSERT INTO fact_changes (namespace_id, id, fact_id, changed_at, actor, action, state, reason, other_fact_id, agent, subject)
SELECT f.namespace_id, c.id, c.fact_id, %(now)s, %(actor)s, c.action, f.state, %(reason)s, c.other_fact_id, f.agent, f.subject
  FROM unnest(%(ids)s::uuid[], %(fact_ids)s::uuid[], %(actions)s::text[], %(other_fact_ids)s::uuid[])
       AS c (id, fact_id, action, other_fact_id)
  JOIN facts f ON f.namespace_id = %(namespace_id)s AND f.id = c.fact_id;

-- enqueue_facts --
-- Enqueue changed facts, so that topic pages are updated.
INSERT INTO topic_changes (namespace_id, id, fact_id)
SELECT t.namespace_id, c.id, c.fact_id
  FROM tenants t CROSS JOIN unnest(%(ids)s::uuid[], %(fact_ids)s::uuid[]) AS c (id, fact_id)
 WHERE t.namespace_id = %(namespace_id)s;

-- open_disputes --
-- Record disputes between pairs of facts; a pair has at most one open dispute.
INSERT INTO fact_disputes (namespace_id, id, old_fact_id, new_fact_id, opened_at)
SELECT t.namespace_id, d.id, d.old_fact_id, d.new_fact_id, %(now)s
  FROM tenants t
 CROSS JOIN unnest(%(ids)s::uuid[], %(old_fact_ids)s::uuid[], %(new_fact_ids)s::uuid[]) AS d (id, old_fact_id, new_fact_id)
 WHERE t.namespace_id = %(namespace_id)s
    ON CONFLICT (namespace_id, old_fact_id, new_fact_id) WHERE settled_at IS NULL DO NOTHING;

-- settle_dispute --
-- Settle a dispute. No row if it is settled already.
UPDATE fact_disputes
   SET settled_at = %(now)s, outcome = %(outcome)s, decided_by = %(decided_by)s, reason = %(reason)s
 WHERE namespace_id = %(namespace_id)s AND id = %(dispute_id)s AND settled_at IS NULL
RETURNING id;

-- find_open_disputes --
-- Return the open disputes of a fact.
SELECT id, old_fact_id AS old_id, new_fact_id AS new_id
  FROM fact_disputes
 WHERE namespace_id = %(namespace_id)s AND (old_fact_id = %(fact_id)s OR new_fact_id = %(fact_id)s) AND settled_at IS NULL
 ORDER BY opened_at, id;

-- end_disputes --
-- Settle the open disputes about a fact that ended: its successor is accepted, other values stay as they are.
UPDATE fact_disputes
   SET settled_at = %(now)s, outcome = CASE WHEN new_fact_id = %(successor_id)s THEN 1 ELSE 3 END, decided_by = 'rule',
       reason = %(reason)s
 WHERE namespace_id = %(namespace_id)s AND old_fact_id = %(old_fact_id)s AND settled_at IS NULL;

-- close_edges --
-- Close the edges of facts that are no longer current.
UPDATE fact_edges
   SET known_until = %(now)s, valid_until = coalesce(valid_until, greatest(valid_from, least(%(now)s, c.until)))
  FROM unnest(%(fact_ids)s::uuid[], %(until)s::timestamptz[]) AS c (fact_id, until)
 WHERE namespace_id = %(namespace_id)s AND known_until IS NULL AND (from_fact_id = c.fact_id OR to_fact_id = c.fact_id);

-- lock_edges --
-- Lock the current graph edges of facts until the end of the transaction, and return them in the order of their ids.
SELECT id, edge_id, fact_id, message_id, valid_from, valid_until
  FROM graph_edges
 WHERE namespace_id = %(namespace_id)s AND fact_id = ANY(%(fact_ids)s) AND known_until IS NULL
 ORDER BY id
   FOR NO KEY UPDATE;

-- end_edges --
-- End intervals of graph edges, because the intervals of their facts changed.
UPDATE graph_edges
   SET known_until = %(now)s, ended_by = 3, end_reason = 'its fact'
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(ids)s);

-- copy_edges --
-- Store further intervals of graph edges. The messages of the edges are locked.
INSERT INTO graph_edges (namespace_id, id, edge_id, from_id, to_id, type, label, confidence, source, message_id, quote, fact_id,
                         valid_from, valid_until, reason, known_from)
SELECT e.namespace_id, c.id, e.edge_id, e.from_id, e.to_id, e.type, e.label, e.confidence, e.source, e.message_id, e.quote,
       e.fact_id, c.valid_from, c.valid_until, 'its fact', %(now)s
  FROM unnest(%(ids)s::uuid[], %(copied_ids)s::uuid[], %(valid_from)s::timestamptz[], %(valid_until)s::timestamptz[])
       AS c (id, copied_id, valid_from, valid_until)
  JOIN graph_edges e ON e.namespace_id = %(namespace_id)s AND e.id = c.copied_id;

-- show_facts --
-- Return facts with their latest current interval, or the latest former interval if no current one exists.
SELECT f.id, f.subject, f.category, f.attribute, f.value, f.source, f.hypothesis, f.state, f.confidence, f.lifetime_days,
       f.last_seen_at, f.supporting, f.contradicting, i.id AS memory_id, i.valid_from, i.valid_until, i.known_from, i.known_until,
       i.successor_id,
       (coalesce((SELECT true FROM fact_disputes d
                    WHERE d.namespace_id = %(namespace_id)s AND d.old_fact_id = f.id AND d.opened_at <= now()
                      AND (d.settled_at IS NULL OR d.settled_at > now())
                    LIMIT 1), false)
        OR (f.contradicting > 0
            AND coalesce((SELECT true FROM fact_evidence e
                           WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = f.id AND e.contradicts AND e.said_at > f.last_seen_at
                             AND e.recorded_at <= now()
                             AND e.recorded_at > greatest(f.ruled_at, (SELECT max(d.settled_at) FROM fact_disputes d
                                                                        WHERE d.namespace_id = %(namespace_id)s AND d.old_fact_id = f.id),
                                                          '-infinity')
                           LIMIT 1), false))) AS disputed
  FROM facts f
  LEFT JOIN LATERAL (
       SELECT id, valid_from, valid_until, known_from, known_until, successor_id
         FROM fact_intervals
        WHERE namespace_id = %(namespace_id)s AND fact_id = f.id
        ORDER BY known_until IS NULL DESC, valid_from DESC, known_from DESC
        LIMIT 1) AS i ON true
 WHERE f.namespace_id = %(namespace_id)s AND f.id = ANY(%(fact_ids)s)
 ORDER BY f.id;
