-- Statements that read facts.

-- fragment columns --
-- A fact with one of its intervals.
f.id, f.subject, f.category, f.attribute, f.value, f.source, f.hypothesis, f.state, f.confidence, f.lifetime_days,
f.last_seen_at, f.supporting, f.contradicting, i.id AS memory_id, i.valid_from, i.valid_until, i.known_from, i.known_until,
i.successor_id,
(coalesce((SELECT true FROM fact_disputes d
            WHERE d.namespace_id = %(namespace_id)s AND d.old_fact_id = f.id AND d.opened_at <= coalesce(%(known_at)s::timestamptz, now())
              AND (d.settled_at IS NULL OR d.settled_at > coalesce(%(known_at)s::timestamptz, now()))
            LIMIT 1), false)
OR (f.contradicting > 0
    AND coalesce((SELECT true FROM fact_evidence e
                   WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = f.id AND e.contradicts AND e.said_at > f.last_seen_at
                     AND e.recorded_at <= coalesce(%(known_at)s::timestamptz, now())
                     AND e.recorded_at > greatest(f.ruled_at, (SELECT max(d.settled_at) FROM fact_disputes d
                                                                WHERE d.namespace_id = %(namespace_id)s AND d.old_fact_id = f.id),
                                                  '-infinity')
                   LIMIT 1), false))) AS disputed

-- fragment in_effect --
-- The condition that a fact is valid at `valid_at` and known at `known_at` in the interval `i`. A current fact is
-- neither rejected nor closed, so its state excludes most facts without reading intervals.
(f.state <= 3 OR %(valid_at)s::timestamptz IS NOT NULL OR %(known_at)s::timestamptz IS NOT NULL)
AND i.valid_from <= coalesce(%(valid_at)s, now())
AND (i.valid_until IS NULL OR i.valid_until > coalesce(%(valid_at)s, now()))
AND i.known_from <= coalesce(%(known_at)s, now())
AND (i.known_until IS NULL OR i.known_until > coalesce(%(known_at)s, now()))

-- fragment in_unnamed --
-- True if a fact was learned in a conversation that names no subject. The subquery is evaluated per fact; with an
-- EXISTS, PostgreSQL would read all evidence of the namespace.
coalesce((SELECT true FROM fact_evidence e
            JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = e.conversation_id
           WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = f.id AND NOT e.contradicts AND c.subject = ''
           LIMIT 1), false)

-- get_profile --
-- The facts about a subject that are valid at one moment, as known at another.
SELECT :columns
  FROM facts f
  JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = f.id
 WHERE f.namespace_id = %(namespace_id)s AND f.subject = %(subject)s
   AND (%(categories)s::text[] IS NULL OR f.category = ANY(%(categories)s))
   AND (%(attributes)s::text[] IS NULL OR f.attribute = ANY(%(attributes)s))
   AND (%(include_expired)s OR f.last_seen_at + f.lifetime_days * interval '1 day' > coalesce(%(valid_at)s::timestamptz, now()))
   AND :in_effect
 ORDER BY f.category, f.attribute, f.confidence DESC, f.id
 LIMIT %(limit)s;

-- count_profile --
-- The number of a profile's facts, counted up to `limit`.
SELECT count(*)
  FROM (SELECT
          FROM facts f
          JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = f.id
         WHERE f.namespace_id = %(namespace_id)s AND f.subject = %(subject)s
           AND (%(categories)s::text[] IS NULL OR f.category = ANY(%(categories)s))
           AND (%(attributes)s::text[] IS NULL OR f.attribute = ANY(%(attributes)s))
           AND (%(include_expired)s
                OR f.last_seen_at + f.lifetime_days * interval '1 day' > coalesce(%(valid_at)s::timestamptz, now()))
           AND :in_effect
         LIMIT %(limit)s) AS held;

-- find_known --
-- The facts about subjects that are valid at one moment, as known at another, most confident first, with the latest
-- messages that state them. With `unnamed`, only facts learned in conversations that name no subject.
SELECT held.*, coalesce(said.message_ids, '{}') AS message_ids, coalesce(said.quotes, '{}') AS quotes
  FROM unnest(%(subjects)s::text[]) AS wanted (subject),
       LATERAL (
        SELECT :columns
          FROM facts f
          JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = f.id
         WHERE f.namespace_id = %(namespace_id)s AND f.subject = wanted.subject
           AND (%(agents)s::text[] IS NULL OR f.agent = ANY(%(agents)s))
           AND (%(first_seen)s::timestamptz IS NULL OR f.first_seen_at <= %(first_seen)s)
           AND f.last_seen_at + f.lifetime_days * interval '1 day' > coalesce(%(valid_at)s::timestamptz, now())
           AND :in_effect
           AND (%(since)s::timestamptz IS NULL OR i.valid_from >= %(since)s)
           AND (%(before)s::timestamptz IS NULL OR i.valid_from < %(before)s)
           AND (NOT %(unnamed)s OR f.subject = %(user)s OR :in_unnamed)
         ORDER BY f.confidence DESC, f.last_seen_at DESC, f.id
         LIMIT %(limit)s) AS held
  LEFT JOIN LATERAL (
       SELECT array_agg(e.message_id) AS message_ids, array_agg(e.quote) AS quotes
         FROM (SELECT message_id, quote
                 FROM fact_evidence
                WHERE namespace_id = %(namespace_id)s AND fact_id = held.id AND message_id IS NOT NULL AND NOT contradicts
                ORDER BY said_at DESC, id
                LIMIT %(max_messages)s) AS e) AS said ON true
 ORDER BY held.confidence DESC, held.last_seen_at DESC, held.id
 LIMIT %(limit)s;

-- find_own --
-- The memories of the most confident facts about the speakers of conversations that name no subject. Validity is not
-- checked here; the search's filter does that.
SELECT i.id AS memory_id
  FROM unnest(%(subjects)s::text[]) AS wanted (subject),
       LATERAL (
        SELECT f.id
          FROM facts f
         WHERE f.namespace_id = %(namespace_id)s AND f.subject = wanted.subject AND (f.subject = %(user)s OR :in_unnamed)
         ORDER BY f.confidence DESC, f.last_seen_at DESC, f.id
         LIMIT %(limit)s) AS own
  JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = own.id
 WHERE i.known_until IS NULL OR i.known_until > %(known_at)s::timestamptz;

-- list_facts --
-- Facts in order of their ids: those valid at one moment as known at another, or all.
SELECT :columns
  FROM facts f
  LEFT JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = f.id
 WHERE f.namespace_id = %(namespace_id)s
   AND (%(subjects)s::text[] IS NULL OR f.subject = ANY(%(subjects)s))
   AND (%(attributes)s::text[] IS NULL OR f.attribute = ANY(%(attributes)s))
   AND (%(states)s::smallint[] IS NULL OR f.state = ANY(%(states)s))
   AND (%(everything)s OR (
        i.valid_from <= coalesce(%(valid_at)s::timestamptz, now())
        AND (i.valid_until IS NULL OR i.valid_until > coalesce(%(valid_at)s, now()))
        AND i.known_from <= coalesce(%(known_at)s::timestamptz, now())
        AND (i.known_until IS NULL OR i.known_until > coalesce(%(known_at)s, now()))))
   AND (%(after_id)s::uuid IS NULL OR (f.id, coalesce(i.id, f.id)) > (%(after_id)s, %(after_interval)s::uuid))
 ORDER BY f.id, coalesce(i.id, f.id)
 LIMIT %(limit)s;

-- list_history --
-- Every value that an attribute of a subject ever had, including rejected ones.
SELECT :columns
  FROM facts f
  LEFT JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = f.id
 WHERE f.namespace_id = %(namespace_id)s AND f.subject = %(subject)s AND f.attribute = %(attribute)s
 ORDER BY i.valid_from NULLS LAST, i.known_from, i.id
 LIMIT %(limit)s;

-- list_evidence --
-- The evidence for and against a fact, oldest first.
SELECT e.message_id, e.conversation_id, e.quote, e.contradicts, e.source, e.reason, e.said_at,
       e.source <> 4 AND (coalesce(m.role = 4 OR m.tool_name <> '', false)
       OR coalesce((channel_policy(n.channel_policies, c.channel) ->> 'untrusted')::boolean, false)) AS untrusted
  FROM fact_evidence e
  JOIN namespaces n ON n.id = %(namespace_id)s
  LEFT JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = e.conversation_id
  LEFT JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.id = e.message_id
 WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = %(fact_id)s
 ORDER BY e.said_at, e.id
 LIMIT %(limit)s;

-- list_changes --
-- The audit trail of a fact, oldest first.
SELECT changed_at, actor, action, state, reason, other_fact_id
  FROM fact_changes
 WHERE namespace_id = %(namespace_id)s AND fact_id = %(fact_id)s
 ORDER BY changed_at, id
 LIMIT %(limit)s;

-- list_links --
-- Links of a fact with others: current ones before ended ones, most confident first.
SELECT e.from_fact_id, e.to_fact_id, e.relation, e.confidence, e.reason, e.valid_from, e.valid_until
  FROM fact_edges e
 WHERE e.namespace_id = %(namespace_id)s AND (e.from_fact_id = %(fact_id)s OR e.to_fact_id = %(fact_id)s)
 ORDER BY e.known_until IS NULL DESC, e.confidence DESC, e.id
 LIMIT %(limit)s;

-- find_linked --
-- Current links between the given facts if exactly one side shares words with the query, most confident first. Words
-- are compared in the namespace's language, and only for linked facts.
SELECT e.from_fact_id, e.to_fact_id, e.relation, e.confidence, first.words && asked.words AS from_named
  FROM namespaces n
 CROSS JOIN LATERAL (SELECT tsvector_to_array(to_tsvector(n.text_search_config, %(query)s)) AS words OFFSET 0) AS asked
 CROSS JOIN LATERAL (
       SELECT * FROM fact_edges
        WHERE namespace_id = %(namespace_id)s AND from_fact_id = ANY(%(fact_ids)s) AND to_fact_id = ANY(%(fact_ids)s)
          AND known_until IS NULL
       OFFSET 0) AS e
 CROSS JOIN LATERAL (
       SELECT tsvector_to_array(to_tsvector(n.text_search_config, replace(attribute, '_', ' ') || ' ' || value)) AS words
         FROM facts WHERE namespace_id = %(namespace_id)s AND id = e.from_fact_id OFFSET 0) AS first
 CROSS JOIN LATERAL (
       SELECT tsvector_to_array(to_tsvector(n.text_search_config, replace(attribute, '_', ' ') || ' ' || value)) AS words
         FROM facts WHERE namespace_id = %(namespace_id)s AND id = e.to_fact_id OFFSET 0) AS second
 WHERE n.id = %(namespace_id)s AND (first.words && asked.words) <> (second.words && asked.words)
 ORDER BY e.confidence DESC, e.id
 LIMIT %(limit)s;

-- list_disputes --
-- Disputes of a fact, oldest first.
SELECT id, old_fact_id, new_fact_id, opened_at, settled_at, outcome, decided_by, reason
  FROM fact_disputes
 WHERE namespace_id = %(namespace_id)s AND (old_fact_id = %(fact_id)s OR new_fact_id = %(fact_id)s)
 ORDER BY opened_at, id
 LIMIT %(limit)s;

-- list_open_disputes --
-- Open disputes of all facts, or of the facts of some subjects, in the order of their ids.
SELECT d.id, d.old_fact_id, d.new_fact_id, d.opened_at, d.settled_at, d.outcome, d.decided_by, d.reason
  FROM fact_disputes d
  JOIN facts f ON f.namespace_id = %(namespace_id)s AND f.id = d.old_fact_id
 WHERE d.namespace_id = %(namespace_id)s AND d.settled_at IS NULL
   AND (%(subjects)s::text[] IS NULL OR f.subject = ANY(%(subjects)s))
   AND (%(after_id)s::uuid IS NULL OR d.id > %(after_id)s)
 ORDER BY d.id
 LIMIT %(limit)s;

-- list_themes --
-- The themes of a namespace, largest first.
SELECT id, label, words, size, sampled, source_ids, model, made_at
  FROM themes
 WHERE namespace_id = %(namespace_id)s
 ORDER BY place;
