-- Statements that write facts, and show what was written: no other ones write them.

-- lock_key --
-- Hold what is said of a subject's attribute until the end of the transaction: of two writes the second sees what the first did.
SELECT pg_advisory_xact_lock(hashtextextended(%(subject)s || E'\n' || %(attribute)s, %(namespace_id)s));

-- believed_since --
-- The time that this write is believed from: after whatever an earlier holder of the lock wrote.
SELECT clock_timestamp() AS now;

-- find_facts --
-- Facts of a subject's attribute; with `value_hash`, only that of one value.
SELECT id, subject, category, attribute, value, several, source, hypothesis, state, confidence, lifetime_days, first_seen_at,
       last_seen_at, supporting, contradicting, agent, ruling, ruled_at, verdict, verdict_at,
       is_anchor, value_hash
  FROM facts
 WHERE namespace_id = %(namespace_id)s AND subject = %(subject)s AND attribute = %(attribute)s
   AND (%(value_hash)s::bytea IS NULL OR value_hash = %(value_hash)s)
 ORDER BY id;

-- get_fact --
-- A fact.
SELECT id, subject, category, attribute, value, several, source, hypothesis, state, confidence, lifetime_days, first_seen_at,
       last_seen_at, supporting, contradicting, agent, ruling, ruled_at, verdict, verdict_at,
       is_anchor, value_hash
  FROM facts
 WHERE namespace_id = %(namespace_id)s AND id = %(fact_id)s;

-- find_believed --
-- The intervals in which facts are believed to hold, in the order of time.
SELECT id, fact_id, valid_from AS since, valid_until AS until, successor_id
  FROM fact_intervals
 WHERE namespace_id = %(namespace_id)s AND fact_id = ANY(%(fact_ids)s) AND known_until IS NULL
 ORDER BY valid_from, id;

-- insert_fact --
-- Write down a fact that is new.
INSERT INTO facts (namespace_id, id, subject, category, attribute, value, value_hash, several, source, hypothesis, state,
                   confidence, lifetime_days, first_seen_at, last_seen_at, agent)
VALUES (%(namespace_id)s, %(id)s, %(subject)s, %(category)s, %(attribute)s, %(value)s, %(value_hash)s, %(several)s, %(source)s,
        %(hypothesis)s, %(state)s, 0, %(lifetime_days)s, %(seen_at)s, %(seen_at)s, %(agent)s);

-- update_fact --
-- Bring up to date what follows from a fact's intervals and evidence.
UPDATE facts
   SET state = %(state)s, confidence = %(confidence)s, supporting = %(supporting)s, contradicting = %(contradicting)s,
       source = %(source)s, hypothesis = %(hypothesis)s, first_seen_at = %(first_seen_at)s, last_seen_at = %(last_seen_at)s,
       lifetime_days = %(lifetime_days)s, ruling = %(ruling)s, ruled_at = %(ruled_at)s, verdict = %(verdict)s,
       verdict_at = %(verdict_at)s, is_anchor = %(is_anchor)s
 WHERE namespace_id = %(namespace_id)s AND id = %(id)s;

-- insert_intervals --
-- Believe in intervals.
INSERT INTO fact_intervals (namespace_id, id, fact_id, valid_from, valid_until, known_from, successor_id)
SELECT %(namespace_id)s, i.id, i.fact_id, i.valid_from, i.valid_until, %(now)s, i.successor_id
  FROM unnest(%(ids)s::uuid[], %(fact_ids)s::uuid[], %(valid_from)s::timestamptz[], %(valid_until)s::timestamptz[],
              %(successor_ids)s::uuid[]) AS i (id, fact_id, valid_from, valid_until, successor_id);

-- disbelieve_intervals --
-- Believe in intervals no longer.
UPDATE fact_intervals
   SET known_until = %(now)s
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(ids)s) AND known_until IS NULL;

-- insert_evidence --
-- Add evidence; what is there already, of the same message, is not added again.
INSERT INTO fact_evidence (namespace_id, id, fact_id, message_id, conversation_id, contradicts, source, hypothesis, quote, reason,
                           said_at, recorded_at)
SELECT %(namespace_id)s, e.id, %(fact_id)s, e.message_id, e.conversation_id, e.contradicts, %(source)s, %(hypothesis)s, e.quote,
       e.reason, e.said_at, %(now)s
  FROM unnest(%(ids)s::uuid[], %(message_ids)s::uuid[], %(conversation_ids)s::uuid[], %(contradicts)s::boolean[],
              %(quotes)s::text[], %(reasons)s::text[], %(said_at)s::timestamptz[])
       AS e (id, message_id, conversation_id, contradicts, quote, reason, said_at)
    ON CONFLICT (namespace_id, fact_id, message_id, contradicts) DO NOTHING;

-- weigh_evidence --
-- The evidence of facts, as it counts, and when it was first and last heard of.
SELECT fact_id, conversation_id, contradicts, source, hypothesis, said_at
  FROM fact_evidence
 WHERE namespace_id = %(namespace_id)s AND fact_id = ANY(%(fact_ids)s)
 ORDER BY fact_id, id;

-- find_said --
-- Messages that are given as evidence.
SELECT id, conversation_id, content, tool_result, occurred_at AS said_at
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(message_ids)s);

-- insert_changes --
-- Add entries to the audit trail. What follows from their facts is due.
WITH added AS (
    INSERT INTO fact_changes (namespace_id, id, fact_id, changed_at, actor, action, state, reason, other_fact_id)
    SELECT %(namespace_id)s, c.id, c.fact_id, %(now)s, %(actor)s, c.action, f.state, %(reason)s, c.other_fact_id
      FROM unnest(%(ids)s::uuid[], %(fact_ids)s::uuid[], %(actions)s::text[], %(other_fact_ids)s::uuid[])
           AS c (id, fact_id, action, other_fact_id)
      JOIN facts f ON f.namespace_id = %(namespace_id)s AND f.id = c.fact_id
    RETURNING fact_id
)
INSERT INTO topic_changes (namespace_id, fact_id)
SELECT DISTINCT %(namespace_id)s, fact_id FROM added;

-- open_dispute --
-- Mark two facts as a pair that contradict each other; such a pair is marked once until it is settled.
INSERT INTO fact_disputes (namespace_id, id, old_fact_id, new_fact_id, opened_at)
VALUES (%(namespace_id)s, %(id)s, %(old_fact_id)s, %(new_fact_id)s, %(now)s)
    ON CONFLICT (namespace_id, old_fact_id, new_fact_id) WHERE settled_at IS NULL DO NOTHING;

-- settle_dispute --
-- Settle a dispute. No row where it is settled already.
UPDATE fact_disputes
   SET settled_at = %(now)s, outcome = %(outcome)s, decided_by = %(decided_by)s, reason = %(reason)s
 WHERE namespace_id = %(namespace_id)s AND id = %(dispute_id)s AND settled_at IS NULL
RETURNING id;

-- close_edges --
-- Close the edges of facts that do not hold any more.
UPDATE fact_edges
   SET known_until = %(now)s, valid_until = coalesce(valid_until, greatest(valid_from, least(%(now)s, c.until)))
  FROM unnest(%(fact_ids)s::uuid[], %(until)s::timestamptz[]) AS c (fact_id, until)
 WHERE namespace_id = %(namespace_id)s AND known_until IS NULL AND (from_fact_id = c.fact_id OR to_fact_id = c.fact_id);

-- show_facts --
-- Facts with the latest interval in which they are believed to hold; of what is not, the latest one that was.
SELECT f.id, f.subject, f.category, f.attribute, f.value, f.source, f.hypothesis, f.state, f.confidence, f.lifetime_days,
       f.last_seen_at, f.supporting, f.contradicting, i.id AS memory_id, i.valid_from, i.valid_until, i.known_from, i.known_until,
       i.successor_id
  FROM facts f
  LEFT JOIN LATERAL (
       SELECT id, valid_from, valid_until, known_from, known_until, successor_id
         FROM fact_intervals
        WHERE namespace_id = %(namespace_id)s AND fact_id = f.id
        ORDER BY known_until IS NULL DESC, valid_from DESC, known_from DESC
        LIMIT 1) AS i ON true
 WHERE f.namespace_id = %(namespace_id)s AND f.id = ANY(%(fact_ids)s)
 ORDER BY f.id;
