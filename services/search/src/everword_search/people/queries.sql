-- Statements that read what Sleep learned about subjects, other than facts.

-- list_learned_evidence --
-- The evidence for learned items, oldest first, at most `limit` per item.
SELECT about_id, aspect, value, message_id, conversation_id, quote, said_at
  FROM (
       SELECT about_id, aspect, value, message_id, conversation_id, quote, said_at, id,
              row_number() OVER (PARTITION BY about_id ORDER BY said_at, id) AS place
         FROM learned_evidence
        WHERE namespace_id = %(namespace_id)s AND about_id = ANY(%(about_ids)s)) AS e
 WHERE place <= %(limit)s
 ORDER BY about_id, said_at, id;

-- list_learned_changes --
-- The audit trail of a learned item, oldest first.
SELECT changed_at, actor, action, reason
  FROM learned_changes
 WHERE namespace_id = %(namespace_id)s AND about_id = %(about_id)s
 ORDER BY changed_at, id
 LIMIT %(limit)s;

-- read_user_model --
-- The traits of how a subject communicates, with past ones on request.
SELECT id, dimension, value, held_from, held_until, supporting
  FROM user_models
 WHERE namespace_id = %(namespace_id)s AND subject = %(subject)s AND (%(include_past)s OR held_until IS NULL)
 ORDER BY dimension, held_from, id
 LIMIT %(limit)s;

-- read_trajectory --
-- The trajectory of a subject: the latest version, or the given one.
SELECT id, subject, version, phase, direction, stability, anchors, volatile_areas, momentum, predicted_shifts, summary, sessions,
       model, prompt_version, created_at
  FROM trajectories
 WHERE namespace_id = %(namespace_id)s AND subject = %(subject)s AND (%(version)s::integer = 0 OR version = %(version)s)
 ORDER BY version DESC
 LIMIT 1;

-- find_mentioned_people --
-- People mentioned by subjects, the most recently mentioned first.
SELECT id, subject, name, aliases, relation, status, last_seen_at
  FROM people
 WHERE namespace_id = %(namespace_id)s AND subject = ANY(%(subjects)s) AND ruling IS DISTINCT FROM 1
 ORDER BY last_seen_at DESC, id
 LIMIT %(limit)s;

-- read_details --
-- The latest details about each person, earliest first.
SELECT wanted.about_id, e.value, e.said_at
  FROM unnest(%(about_ids)s::uuid[]) AS wanted (about_id)
 CROSS JOIN LATERAL (
       SELECT value, said_at
         FROM learned_evidence
        WHERE namespace_id = %(namespace_id)s AND about_id = wanted.about_id AND aspect = 'detail'
        ORDER BY said_at DESC, id
        LIMIT %(limit)s) AS e
 ORDER BY wanted.about_id, e.said_at;

-- find_current_events --
-- Upcoming and recent events of subjects, most important first.
SELECT id, subject, title, category, starts_at, importance
  FROM events
 WHERE namespace_id = %(namespace_id)s AND subject = ANY(%(subjects)s) AND ruling IS DISTINCT FROM 1 AND status = 1
   AND expires_at > now()
 ORDER BY importance DESC, last_seen_at DESC, id
 LIMIT %(limit)s;

-- find_style --
-- The current traits of how subjects communicate.
SELECT subject, dimension, value
  FROM user_models
 WHERE namespace_id = %(namespace_id)s AND subject = ANY(%(subjects)s) AND held_until IS NULL
 ORDER BY subject, dimension;

-- find_offers --
-- Open questions that were not offered recently or too often, newest first.
SELECT s.id, s.kind, s.topic, s.question, s.reason, s.created_at
  FROM strategies s
  LEFT JOIN strategy_offers o ON o.namespace_id = %(namespace_id)s AND o.strategy_id = s.id
 WHERE s.namespace_id = %(namespace_id)s AND s.subject = ANY(%(subjects)s) AND s.state = 1
   AND (o.strategy_id IS NULL OR (o.offer_count < %(max_offers)s AND o.last_offered_at < %(offered_before)s))
 ORDER BY s.created_at DESC, s.id
 LIMIT %(limit)s;

-- count_offers --
-- Count that questions were offered. The ids are sorted, so that concurrent calls lock rows in the same order.
INSERT INTO strategy_offers AS o (namespace_id, strategy_id, offer_count, last_offered_at)
SELECT s.namespace_id, s.id, 1, now()
  FROM strategies s
 WHERE s.namespace_id = %(namespace_id)s AND s.id = ANY(%(strategy_ids)s)
 ORDER BY s.id
    ON CONFLICT (namespace_id, strategy_id) DO UPDATE
   SET offer_count = o.offer_count + 1, last_offered_at = excluded.last_offered_at;

-- list_sessions --
-- The sessions that Sleep has read, by their ids: all, those of some subjects, or those of a conversation.
SELECT id, conversation_id, first_seq, last_seq, subject, state, coalesce(error, '') AS error, topics, started_at, ended_at
  FROM sleep_sessions
 WHERE namespace_id = %(namespace_id)s AND (%(subjects)s::text[] IS NULL OR subject = ANY(%(subjects)s))
   AND (%(conversation_id)s::uuid IS NULL OR conversation_id = %(conversation_id)s)
   AND (%(after_id)s::uuid IS NULL OR id > %(after_id)s)
 ORDER BY id
 LIMIT %(limit)s;

-- read_session_observations --
-- Up to `limit` observations of each session.
SELECT o.session_id, o.subject, o.about, o.attribute, o.value, o.hypothesis, o.message_ids, o.quotes
  FROM unnest(%(session_ids)s::uuid[]) AS wanted (id)
 CROSS JOIN LATERAL (
       SELECT * FROM session_observations
        WHERE namespace_id = %(namespace_id)s AND session_id = wanted.id
        ORDER BY id
        LIMIT %(limit)s) AS o
 ORDER BY o.session_id, o.id;
