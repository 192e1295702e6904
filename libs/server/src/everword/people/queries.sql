-- Statements that write people, events, user models, trajectories and strategies. These are written only here.

-- lock_subject --
-- Lock the learned data of a subject until the end of the transaction, so that the second of two writers sees the first
-- one's rows.
SELECT hold_lock(%(namespace_id)s, lock_part('people', %(subject)s));

-- find_people --
-- Return all people that a subject has mentioned.
SELECT id, name, aliases, relation, ruling, ruled_at
  FROM people
 WHERE namespace_id = %(namespace_id)s AND subject = %(subject)s
 ORDER BY id;

-- upsert_person --
-- Insert or update a person.
INSERT INTO people AS p (namespace_id, id, subject, name, aliases, relation, status, mention_count, first_seen_at, last_seen_at)
VALUES (%(namespace_id)s, %(id)s, %(subject)s, %(name)s, %(aliases)s, %(relation)s, %(status)s, %(mention_count)s,
        %(first_seen_at)s, %(last_seen_at)s)
    ON CONFLICT (namespace_id, id) DO UPDATE
   SET name = excluded.name, aliases = excluded.aliases, relation = excluded.relation, status = excluded.status,
       mention_count = excluded.mention_count, first_seen_at = excluded.first_seen_at, last_seen_at = excluded.last_seen_at;

-- find_events --
-- Return events of a subject that begin, or were last mentioned, in a span of time.
SELECT id, title, category, starts_at, last_seen_at, ruling, ruled_at
  FROM events
 WHERE namespace_id = %(namespace_id)s AND subject = %(subject)s
   AND (starts_at BETWEEN %(since)s AND %(until)s OR last_seen_at BETWEEN %(since)s AND %(until)s)
 ORDER BY id;

-- upsert_event --
-- Insert or update an event.
INSERT INTO events AS e (namespace_id, id, subject, title, category, starts_at, ends_at, importance, decay_days, expires_at, status,
                         mention_count, first_seen_at, last_seen_at)
VALUES (%(namespace_id)s, %(id)s, %(subject)s, %(title)s, %(category)s, %(starts_at)s, %(ends_at)s, %(importance)s, %(decay_days)s,
        %(expires_at)s, %(status)s, %(mention_count)s, %(first_seen_at)s, %(last_seen_at)s)
    ON CONFLICT (namespace_id, id) DO UPDATE
   SET title = excluded.title, starts_at = excluded.starts_at, ends_at = excluded.ends_at, importance = excluded.importance,
       decay_days = excluded.decay_days, expires_at = excluded.expires_at, status = excluded.status,
       mention_count = excluded.mention_count, first_seen_at = excluded.first_seen_at, last_seen_at = excluded.last_seen_at;

-- insert_learned_evidence --
-- Store evidence, and return the ids of new rows. Evidence that a message already gave is skipped.
INSERT INTO learned_evidence (namespace_id, id, about_id, aspect, value, value_hash, message_id, conversation_id, quote, said_at,
                              recorded_at)
SELECT t.namespace_id, e.id, %(about_id)s, e.aspect, e.value, e.value_hash, e.message_id, e.conversation_id, e.quote, e.said_at,
       now()
  FROM tenants t
 CROSS JOIN unnest(%(ids)s::uuid[], %(aspects)s::text[], %(values)s::text[], %(value_hashes)s::bytea[], %(message_ids)s::uuid[],
              %(conversation_ids)s::uuid[], %(quotes)s::text[], %(said_at)s::timestamptz[])
       AS e (id, aspect, value, value_hash, message_id, conversation_id, quote, said_at)
 WHERE t.namespace_id = %(namespace_id)s
    ON CONFLICT (namespace_id, about_id, message_id, aspect, value_hash) DO NOTHING
RETURNING id;

-- read_learned_evidence --
-- Return the evidence of a person, event or user model value, in the order of time.
SELECT e.aspect, e.value, e.message_id, e.said_at, coalesce(c.channel, '') AS channel
  FROM learned_evidence e
  LEFT JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = e.conversation_id
 WHERE e.namespace_id = %(namespace_id)s AND e.about_id = %(about_id)s
 ORDER BY e.said_at, e.id;

-- insert_learned_change --
-- Add an entry to the audit trail.
INSERT INTO learned_changes (namespace_id, id, about_id, changed_at, actor, action, reason)
VALUES (%(namespace_id)s, %(id)s, %(about_id)s, clock_timestamp(), %(actor)s, %(action)s, %(reason)s);

-- find_user_model --
-- Return the current communication style of a subject, by dimension.
SELECT id, dimension, value, held_from, last_seen_at, supporting
  FROM user_models
 WHERE namespace_id = %(namespace_id)s AND subject = %(subject)s AND held_until IS NULL
 ORDER BY dimension;

-- insert_trait --
-- Store a value of a dimension, current from `held_from` on.
INSERT INTO user_models (namespace_id, id, subject, dimension, value, held_from, last_seen_at, supporting)
VALUES (%(namespace_id)s, %(id)s, %(subject)s, %(dimension)s, %(value)s, %(held_from)s, %(last_seen_at)s, %(supporting)s);

-- support_trait --
-- Update the times and the number of supporting messages of a value.
UPDATE user_models
   SET held_from = least(held_from, %(held_from)s), last_seen_at = greatest(last_seen_at, %(last_seen_at)s),
       supporting = (SELECT count(DISTINCT message_id) FROM learned_evidence
                      WHERE namespace_id = %(namespace_id)s AND about_id = %(id)s)
 WHERE namespace_id = %(namespace_id)s AND id = %(id)s;

-- end_trait --
-- End a value.
UPDATE user_models
   SET held_until = %(held_until)s
 WHERE namespace_id = %(namespace_id)s AND id = %(id)s AND held_until IS NULL;

-- find_trajectory --
-- Return the latest trajectory of a subject.
SELECT id, subject, version, phase, direction, stability, anchors, volatile_areas, momentum, predicted_shifts, summary, sessions,
       model, prompt_version, created_at
  FROM trajectories
 WHERE namespace_id = %(namespace_id)s AND subject = %(subject)s
 ORDER BY version DESC
 LIMIT 1;

-- insert_trajectory --
-- Store a version of a subject's trajectory.
INSERT INTO trajectories (namespace_id, id, subject, version, phase, direction, stability, anchors, volatile_areas, momentum,
                          predicted_shifts, summary, sessions, model, prompt_version, created_at)
VALUES (%(namespace_id)s, %(id)s, %(subject)s, %(version)s, %(phase)s, %(direction)s, %(stability)s, %(anchors)s,
        %(volatile_areas)s, %(momentum)s, %(predicted_shifts)s, %(summary)s, %(sessions)s, %(model)s, %(prompt_version)s,
        %(created_at)s);

-- find_expired --
-- Return facts that got no evidence within their expected lifetime and have no question about it. Facts that ended for
-- another reason are excluded.
SELECT f.id AS fact_id, f.subject, f.attribute, f.value, f.last_seen_at AS occasion, f.supporting, '' AS earlier
  FROM facts f
 WHERE f.namespace_id = %(namespace_id)s AND f.subject = %(subject)s AND f.state <> 4
   AND f.last_seen_at + f.lifetime_days * interval '24 hours' <= %(now)s
   AND EXISTS (
       SELECT FROM fact_intervals i
        WHERE i.namespace_id = %(namespace_id)s AND i.fact_id = f.id AND i.known_until IS NULL AND i.successor_id IS NULL
          AND (i.valid_until IS NULL OR i.valid_until = f.last_seen_at + f.lifetime_days * interval '24 hours'))
   AND NOT EXISTS (
       SELECT FROM strategies s
        WHERE s.namespace_id = %(namespace_id)s AND s.about_id = f.id AND s.kind = 1 AND s.occasion = f.last_seen_at)
 ORDER BY f.last_seen_at DESC, f.id
 LIMIT %(limit)s;

-- find_inferred --
-- Return facts that were inferred from enough evidence but never stated, and have no question yet.
SELECT f.id AS fact_id, f.subject, f.attribute, f.value, f.first_seen_at AS occasion, f.supporting, '' AS earlier
  FROM facts f
 WHERE f.namespace_id = %(namespace_id)s AND f.subject = %(subject)s AND f.source = 2 AND f.state IN (1, 2, 3)
   AND f.supporting >= %(least)s AND f.ruling IS NULL
   AND NOT EXISTS (
       SELECT FROM fact_evidence e
        WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = f.id AND e.source <> 2 AND NOT e.contradicts AND NOT e.hypothesis)
   AND NOT EXISTS (
       SELECT FROM strategies s WHERE s.namespace_id = %(namespace_id)s AND s.about_id = f.id AND s.kind = 3)
 ORDER BY f.id
 LIMIT %(limit)s;

-- find_changed --
-- Return facts that recently superseded others and have no question about it yet.
SELECT f.id AS fact_id, f.subject, f.attribute, f.value, i.valid_until AS occasion, f.supporting, earlier.value AS earlier
  FROM facts earlier
  JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = earlier.id AND i.known_until IS NULL
  JOIN facts f ON f.namespace_id = %(namespace_id)s AND f.id = i.successor_id
 WHERE earlier.namespace_id = %(namespace_id)s AND earlier.subject = %(subject)s AND f.state IN (1, 2, 3)
   AND i.valid_until > %(since)s AND i.valid_until <= %(now)s
   AND NOT EXISTS (
       SELECT FROM strategies s
        WHERE s.namespace_id = %(namespace_id)s AND s.about_id = f.id AND s.kind = 2 AND s.occasion = i.valid_until)
 ORDER BY i.valid_until DESC, f.id
 LIMIT %(limit)s;

-- find_unknown_people --
-- Return frequently mentioned people without a known relation to the subject.
SELECT p.id, p.subject, p.name, p.mention_count, p.first_seen_at AS occasion
  FROM people p
 WHERE p.namespace_id = %(namespace_id)s AND p.subject = %(subject)s AND p.relation = '' AND p.mention_count >= %(least)s
   AND p.ruling IS DISTINCT FROM 1
   AND NOT EXISTS (SELECT FROM strategies s WHERE s.namespace_id = %(namespace_id)s AND s.about_id = p.id AND s.kind = 4)
 ORDER BY p.mention_count DESC, p.id
 LIMIT %(limit)s;

-- find_unsupported_events --
-- Return important events that have begun, but were not mentioned since.
SELECT e.id, e.title, e.category, e.starts_at AS occasion
  FROM events e
 WHERE e.namespace_id = %(namespace_id)s AND e.subject = %(subject)s AND e.importance >= %(important)s AND e.status = 1
   AND e.ruling IS DISTINCT FROM 1 AND e.starts_at <= %(now)s AND e.last_seen_at < e.starts_at AND e.expires_at > %(now)s
   AND NOT EXISTS (
       SELECT FROM strategies s
        WHERE s.namespace_id = %(namespace_id)s AND s.about_id = e.id AND s.kind = 4 AND s.occasion = e.starts_at)
 ORDER BY e.starts_at DESC, e.id
 LIMIT %(limit)s;

-- insert_strategy --
-- Store a question, once for each occasion; returns its id if it is new.
INSERT INTO strategies (namespace_id, id, subject, kind, about_kind, about_id, occasion, topic, question, reason, state, created_at)
VALUES (%(namespace_id)s, %(id)s, %(subject)s, %(kind)s, %(about_kind)s, %(about_id)s, %(occasion)s, %(topic)s, %(question)s,
        %(reason)s, 1, %(now)s)
    ON CONFLICT (namespace_id, about_id, kind, occasion) DO NOTHING
RETURNING id;

-- find_fact_quotes --
-- Return the latest quotes that support a fact.
SELECT e.message_id, e.conversation_id, e.quote, e.said_at
  FROM fact_evidence e
 WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = %(about_id)s AND e.message_id IS NOT NULL
   AND e.conversation_id IS NOT NULL AND e.quote <> '' AND NOT e.contradicts
 ORDER BY e.said_at DESC, e.id
 LIMIT %(limit)s;

-- find_learned_quotes --
-- Return the latest quotes about a person or event.
SELECT e.message_id, e.conversation_id, e.quote, e.said_at
  FROM learned_evidence e
 WHERE e.namespace_id = %(namespace_id)s AND e.about_id = %(about_id)s
 ORDER BY e.said_at DESC, e.id
 LIMIT %(limit)s;

-- answer_strategies --
-- Mark questions about facts as answered by later messages: a fact to verify was mentioned again or ended, an inferred
-- one was stated.
UPDATE strategies s
   SET state = 3, ended_at = %(now)s
  FROM facts f
 WHERE s.namespace_id = %(namespace_id)s AND s.subject = %(subject)s AND s.state = 1 AND s.about_kind = 1
   AND f.namespace_id = %(namespace_id)s AND f.id = s.about_id
   AND (f.state = 4
        OR s.kind = 1 AND (f.last_seen_at > s.occasion OR EXISTS (
            SELECT 1 FROM fact_intervals i
             WHERE i.namespace_id = %(namespace_id)s AND i.fact_id = f.id AND i.known_until IS NULL AND i.successor_id IS NOT NULL))
        OR s.kind = 3 AND (f.state = 5 OR f.ruling IS NOT NULL OR EXISTS (
            SELECT 1 FROM fact_evidence e
             WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = f.id AND e.source <> 2 AND NOT e.contradicts
               AND NOT e.hypothesis)));

-- answer_deepening --
-- Mark questions about people and events as answered by later messages.
UPDATE strategies s
   SET state = 3, ended_at = %(now)s
 WHERE s.namespace_id = %(namespace_id)s AND s.subject = %(subject)s AND s.state = 1 AND s.kind = 4
   AND (EXISTS (SELECT FROM people p
                 WHERE p.namespace_id = %(namespace_id)s AND p.id = s.about_id AND (p.relation <> '' OR p.ruling IS NOT NULL))
        OR EXISTS (SELECT FROM events e
                    WHERE e.namespace_id = %(namespace_id)s AND e.id = s.about_id
                      AND (e.last_seen_at > s.occasion OR e.status <> 1 OR e.ruling IS NOT NULL)));

-- rule_person --
-- Set or clear a user's ruling that a person is not known, or that the relation is over.
UPDATE people
   SET ruling = %(ruling)s, ruled_at = CASE WHEN %(ruling)s::smallint IS NOT NULL THEN %(now)s::timestamptz END, status = %(status)s
 WHERE namespace_id = %(namespace_id)s AND id = %(id)s;

-- rule_event --
-- Set or clear a user's ruling that an event never happened, or that it is over.
UPDATE events
   SET ruling = %(ruling)s, ruled_at = CASE WHEN %(ruling)s::smallint IS NOT NULL THEN %(now)s::timestamptz END, status = %(status)s
 WHERE namespace_id = %(namespace_id)s AND id = %(id)s;

-- end_strategy --
-- Close a question that was answered or is not to be asked.
UPDATE strategies
   SET state = %(state)s, ended_at = statement_timestamp()
 WHERE namespace_id = %(namespace_id)s AND id = %(id)s AND state = 1;

-- fragment person_columns --
-- A person, as returned to callers.
p.id, p.subject, p.name, p.aliases, p.relation, p.status, p.mention_count, p.first_seen_at, p.last_seen_at, p.ruling, p.ruled_at

-- fragment event_columns --
-- An event, as returned to callers.
e.id, e.subject, e.title, e.category, e.starts_at, e.ends_at, e.importance, e.decay_days, e.expires_at, e.status,
e.mention_count, e.first_seen_at, e.last_seen_at, e.ruling, e.ruled_at, e.expires_at <= now() AS is_expired

-- fragment strategy_columns --
-- A question, as returned to callers.
s.id, s.subject, s.kind, s.about_kind, s.about_id, s.topic, s.question, s.reason,
CASE WHEN s.state = 1 AND o.strategy_id IS NOT NULL THEN 2 ELSE s.state END AS state, s.created_at, s.ended_at,
coalesce(o.offer_count, 0) AS offer_count, o.last_offered_at

-- show_person --
-- Return a person.
SELECT :person_columns FROM people p WHERE p.namespace_id = %(namespace_id)s AND p.id = %(id)s;

-- show_event --
-- Return an event.
SELECT :event_columns FROM events e WHERE e.namespace_id = %(namespace_id)s AND e.id = %(id)s;

-- show_strategy --
-- Return a question.
SELECT :strategy_columns
  FROM strategies s
  LEFT JOIN strategy_offers o ON o.namespace_id = %(namespace_id)s AND o.strategy_id = s.id
 WHERE s.namespace_id = %(namespace_id)s AND s.id = %(id)s;

-- list_people --
-- Return people by id, oldest first.
SELECT :person_columns
  FROM people p
 WHERE p.namespace_id = %(namespace_id)s AND (%(subjects)s::text[] IS NULL OR p.subject = ANY(%(subjects)s))
   AND (%(everything)s OR p.ruling IS DISTINCT FROM 1)
   AND (%(after_id)s::uuid IS NULL OR p.id > %(after_id)s)
 ORDER BY p.id
 LIMIT %(limit)s;

-- list_events --
-- Return events by id, oldest first.
SELECT :event_columns
  FROM events e
 WHERE e.namespace_id = %(namespace_id)s AND (%(subjects)s::text[] IS NULL OR e.subject = ANY(%(subjects)s))
   AND (%(everything)s OR (e.ruling IS DISTINCT FROM 1 AND e.status = 1 AND e.expires_at > now()))
   AND (%(after_id)s::uuid IS NULL OR e.id > %(after_id)s)
 ORDER BY e.id
 LIMIT %(limit)s;

-- list_strategies --
-- Return questions by id, oldest first.
SELECT :strategy_columns
  FROM strategies s
  LEFT JOIN strategy_offers o ON o.namespace_id = %(namespace_id)s AND o.strategy_id = s.id
 WHERE s.namespace_id = %(namespace_id)s AND (%(subjects)s::text[] IS NULL OR s.subject = ANY(%(subjects)s))
   AND (%(everything)s OR s.state = 1)
   AND (%(after_id)s::uuid IS NULL OR s.id > %(after_id)s)
 ORDER BY s.id
 LIMIT %(limit)s;

-- find_ruled_people --
-- Return people with users' rulings about them.
SELECT id, ruling, ruled_at FROM people WHERE namespace_id = %(namespace_id)s AND id = ANY(%(ids)s) ORDER BY id;

-- find_ruled_events --
-- Return events with users' rulings about them.
SELECT id, ruling, ruled_at FROM events WHERE namespace_id = %(namespace_id)s AND id = ANY(%(ids)s) ORDER BY id;

-- refold_person --
-- Update a person from the remaining evidence.
UPDATE people
   SET name = %(name)s, aliases = %(aliases)s, relation = %(relation)s, status = %(status)s, mention_count = %(mention_count)s,
       first_seen_at = %(first_seen_at)s, last_seen_at = %(last_seen_at)s
 WHERE namespace_id = %(namespace_id)s AND id = %(id)s;

-- refold_event --
-- Update an event from the remaining evidence.
UPDATE events
   SET title = %(title)s, starts_at = %(starts_at)s, ends_at = %(ends_at)s, importance = %(importance)s,
       decay_days = %(decay_days)s, expires_at = %(expires_at)s, status = %(status)s, mention_count = %(mention_count)s,
       first_seen_at = %(first_seen_at)s, last_seen_at = %(last_seen_at)s
 WHERE namespace_id = %(namespace_id)s AND id = %(id)s;
