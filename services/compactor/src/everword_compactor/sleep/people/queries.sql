-- Statements for the data that Sleep reads in addition to facts.

-- read_events --
-- Return the most recently mentioned events of subjects.
SELECT title, category
  FROM events
 WHERE namespace_id = %(namespace_id)s AND subject = ANY(%(subjects)s) AND ruling IS DISTINCT FROM 1
 ORDER BY last_seen_at DESC, id
 LIMIT %(limit)s;

-- read_turns --
-- Return the latest messages that users wrote in sessions of a subject, the earliest first.
SELECT id, conversation_id, subject, author, content, occurred_at
  FROM (
       SELECT m.id, m.conversation_id, c.subject, m.author, m.content, m.occurred_at
         FROM (SELECT conversation_id, first_seq, last_seq
                 FROM sleep_sessions
                WHERE namespace_id = %(namespace_id)s AND subject = %(subject)s AND state IN (1, 2)
                ORDER BY started_at DESC, id
                LIMIT %(sessions)s) AS s
         JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.conversation_id = s.conversation_id
                        AND m.seq BETWEEN s.first_seq AND s.last_seq
         JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = m.conversation_id
        WHERE m.role = 2 AND NOT m.automated AND m.tool_name = '' AND m.content <> ''
          AND (c.subject <> '' OR m.author IN ('', %(subject)s))
        ORDER BY m.occurred_at DESC, m.id DESC
        LIMIT %(limit)s) AS latest
 ORDER BY occurred_at, id;

-- count_sessions --
-- Count the processed sessions of a subject.
SELECT count(*)
  FROM sleep_sessions
 WHERE namespace_id = %(namespace_id)s AND subject = %(subject)s AND state IN (1, 2);

-- read_trajectory --
-- Return the latest version of a subject's trajectory.
SELECT id, subject, version, phase, direction, stability, anchors, volatile_areas, momentum, predicted_shifts, summary, sessions,
       model, prompt_version, created_at
  FROM trajectories
 WHERE namespace_id = %(namespace_id)s AND subject = %(subject)s
 ORDER BY version DESC
 LIMIT 1;

-- has_changed --
-- Return whether a fact of a subject in these categories was changed by one of these actions since a time: for example
-- replaced, ended, corrected or confirmed.
SELECT EXISTS (
       SELECT FROM fact_changes c
         JOIN facts f ON f.namespace_id = %(namespace_id)s AND f.id = c.fact_id
        WHERE c.namespace_id = %(namespace_id)s AND f.subject = %(subject)s AND f.category = ANY(%(categories)s)
          AND c.changed_at > %(since)s AND c.action = ANY(%(actions)s));

-- read_words --
-- Return the latest quotes that support each of several facts.
SELECT f.id AS fact_id, e.message_id, e.conversation_id, e.quote, e.said_at
  FROM unnest(%(fact_ids)s::uuid[]) AS f (id)
 CROSS JOIN LATERAL (
       SELECT message_id, conversation_id, quote, said_at
         FROM fact_evidence
        WHERE namespace_id = %(namespace_id)s AND fact_id = f.id AND NOT contradicts AND message_id IS NOT NULL
          AND conversation_id IS NOT NULL AND quote <> ''
        ORDER BY said_at DESC, id
        LIMIT %(limit)s) AS e;
