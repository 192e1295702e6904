-- Statements of Sleep: its stages' reads, and the writes of its transaction other than facts.

-- fragment message --
-- A message with its full content.
m.id, m.seq, m.role, m.author, m.content, m.occurred_at, m.tool_name, m.automated

-- fragment known_fact --
-- A current fact.
f.id, f.subject, f.attribute, f.value, f.category, f.state, f.source, f.confidence, f.supporting AS mentions, f.several,
f.first_seen_at, f.last_seen_at, f.lifetime_days, f.ruling, f.hypothesis, f.is_anchor

-- fragment observation --
-- An observation of a session, with the quotes that support it.
o.id, o.session_id, s.conversation_id, o.subject, o.about, o.attribute, o.value, o.hypothesis, o.message_ids, o.seqs,
o.quotes, o.said_at

-- fragment unread_by_model --
-- Sessions with results that another model, or none, has made.
s.state IN (1, 2) AND s.model <> %(model)s
   AND (%(conversation_id)s::uuid IS NULL OR s.conversation_id = %(conversation_id)s)
   AND (%(since)s::timestamptz IS NULL OR s.ended_at >= %(since)s)
   AND (%(subject)s::text IS NULL
        OR EXISTS (SELECT FROM conversations c
                    WHERE c.namespace_id = %(namespace_id)s AND c.id = s.conversation_id AND c.subject = %(subject)s))
   AND EXISTS (SELECT FROM messages f
                WHERE f.namespace_id = %(namespace_id)s AND f.conversation_id = s.conversation_id AND f.seq = s.first_seq)

-- read_sleep_progress --
-- Return a conversation, the position up to which Sleep has processed it, and the position up to which its sessions
-- count as finished.
SELECT c.id, c.agent, c.channel, c.subject, c.last_seq, coalesce(p.slept_seq, 0) AS slept_seq,
       coalesce(p.sleep_wanted_seq, 0) AS wanted_seq
  FROM conversations c
  LEFT JOIN compaction_progress p ON p.namespace_id = c.namespace_id AND p.conversation_id = c.id
 WHERE c.namespace_id = %(namespace_id)s AND c.id = %(conversation_id)s;

-- read_messages --
-- Return messages of a conversation after one position and up to another, in order, with the times when they were
-- stored.
SELECT :message, m.recorded_at
  FROM messages m
 WHERE m.namespace_id = %(namespace_id)s AND m.conversation_id = %(conversation_id)s AND m.seq > %(after)s
   AND m.seq <= %(through)s
 ORDER BY m.seq
 LIMIT %(limit)s;

-- list_unread --
-- Return the sessions of a conversation that are parked, or to be read again.
SELECT id, first_seq, last_seq
  FROM sleep_sessions
 WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND state IN (4, 5)
 ORDER BY first_seq;

-- sleep_backlog --
-- Return the next conversations, with the position up to which Sleep has processed each.
SELECT c.id, c.last_seq, coalesce(p.slept_seq, 0) AS slept_seq,
       EXISTS (SELECT FROM sleep_sessions s
                WHERE s.namespace_id = %(namespace_id)s AND s.conversation_id = c.id AND s.state IN (4, 5)) AS has_unread
  FROM conversations c
  LEFT JOIN compaction_progress p ON p.namespace_id = c.namespace_id AND p.conversation_id = c.id
 WHERE c.namespace_id = %(namespace_id)s AND c.id > %(after)s
   AND (%(subject)s::text IS NULL OR c.subject = %(subject)s)
 ORDER BY c.id
 LIMIT %(limit)s;

-- resting_conversations --
-- Return active conversations, whose Sleep job waits for a pause in the conversation.
SELECT subject::uuid AS id
  FROM jobs
 WHERE namespace_id = %(namespace_id)s AND task = 'sleep' AND state = 'pending' AND not_before > now()
   AND subject <> 'namespace'
 ORDER BY not_before
 LIMIT %(limit)s;

-- read_profile --
-- Return the current facts of subjects, without superseded ones, the most recently mentioned first.
SELECT :known_fact
  FROM facts f
 WHERE f.namespace_id = %(namespace_id)s AND f.subject = ANY(%(subjects)s) AND f.state IN (1, 2, 3)
   AND EXISTS (SELECT FROM fact_intervals i
                WHERE i.namespace_id = %(namespace_id)s AND i.fact_id = f.id AND i.known_until IS NULL
                  AND (i.valid_until IS NULL OR i.valid_until > %(now)s))
 ORDER BY f.last_seen_at DESC, f.id
 LIMIT %(limit)s;

-- known_topics --
-- Return topics of past sessions, the latest first.
SELECT topic
  FROM (SELECT unnest(topics) AS topic, started_at
          FROM (SELECT topics, started_at FROM sleep_sessions
                 WHERE namespace_id = %(namespace_id)s AND topics <> '{}'
                 ORDER BY started_at DESC LIMIT 200) AS latest) AS named
 GROUP BY topic
 ORDER BY max(started_at) DESC, topic
 LIMIT %(limit)s;

-- closing_subjects --
-- Return subjects with sessions that the closing steps have not processed; at night also subjects with open disputes,
-- or with current facts that got no evidence within their lifetime.
SELECT subject FROM sleep_sessions WHERE namespace_id = %(namespace_id)s AND state = 1
 UNION
SELECT f.subject
  FROM fact_disputes d
  JOIN facts f ON f.namespace_id = %(namespace_id)s AND f.id = d.new_fact_id
 WHERE d.namespace_id = %(namespace_id)s AND d.settled_at IS NULL AND %(at_night)s
 UNION
SELECT f.subject
  FROM facts f
 WHERE f.namespace_id = %(namespace_id)s AND %(at_night)s AND f.state IN (1, 2, 3)
   AND f.last_seen_at + f.lifetime_days * interval '1 day' < %(now)s
 ORDER BY subject;

-- waiting_sessions --
-- Return sessions of a subject that the closing steps have not processed, the earliest first.
SELECT id, conversation_id, subject, first_seq, last_seq, started_at, ended_at, topics
  FROM sleep_sessions
 WHERE namespace_id = %(namespace_id)s AND subject = %(subject)s AND state = 1
 ORDER BY started_at, id
 LIMIT %(limit)s;

-- read_observations --
-- Return the observations of sessions, in the order of the sessions.
SELECT :observation
  FROM session_observations o
  JOIN sleep_sessions s ON s.namespace_id = %(namespace_id)s AND s.id = o.session_id
 WHERE o.namespace_id = %(namespace_id)s AND o.session_id = ANY(%(session_ids)s)
 ORDER BY s.started_at, o.id;

-- touched_facts --
-- Return facts with evidence in messages of these sessions.
SELECT DISTINCT e.fact_id
  FROM sleep_sessions s
  JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.conversation_id = s.conversation_id
                 AND m.seq BETWEEN s.first_seq AND s.last_seq
  JOIN fact_evidence e ON e.namespace_id = %(namespace_id)s AND e.message_id = m.id
 WHERE s.namespace_id = %(namespace_id)s AND s.id = ANY(%(session_ids)s)
 ORDER BY e.fact_id;

-- count_sessions --
-- Count the sessions, by channel, in which suspected facts of a subject were stated, or inferred if they never were
-- stated. A session that follows another one without a pause is not counted separately: only a night or a flush divided
-- them.
SELECT e.fact_id, c.channel, greatest(1, count(DISTINCT s.id) FILTER (WHERE NOT EXISTS (
           SELECT FROM sleep_sessions p
            WHERE p.namespace_id = %(namespace_id)s AND p.conversation_id = s.conversation_id
              AND p.last_seq = s.first_seq - 1 AND p.ended_at > s.started_at - make_interval(secs => %(idle_s)s)))) AS sessions
  FROM facts f
  JOIN fact_evidence e ON e.namespace_id = %(namespace_id)s AND e.fact_id = f.id AND e.source = f.source
                      AND NOT e.contradicts AND NOT e.hypothesis
  JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.id = e.message_id
  JOIN sleep_sessions s ON s.namespace_id = %(namespace_id)s AND s.conversation_id = m.conversation_id
                       AND m.seq BETWEEN s.first_seq AND s.last_seq
  JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = m.conversation_id
 WHERE f.namespace_id = %(namespace_id)s AND f.subject = %(subject)s AND f.state = 1 AND f.supporting > 1
   AND f.source IN (1, 2)
 GROUP BY e.fact_id, c.channel
 ORDER BY e.fact_id, c.channel;

-- read_evidence --
-- Return evidence of facts, in the order of time.
SELECT e.fact_id, e.message_id, e.conversation_id, e.contradicts, e.source, e.hypothesis, e.quote, e.reason, e.said_at,
       coalesce(c.channel, '') AS channel, coalesce(m.role, 0::smallint) AS role, coalesce(m.tool_name, '') AS tool_name
  FROM fact_evidence e
  LEFT JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = e.conversation_id
  LEFT JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.id = e.message_id
 WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = ANY(%(fact_ids)s)
 ORDER BY e.fact_id, e.said_at, e.id;

-- recent_summaries --
-- Return summaries of conversations about a subject whose channels publish them, the latest first.
SELECT coalesce(c.channel, '') AS channel, s.content, s.latest_at
  FROM summaries s
  JOIN namespaces n ON n.id = %(namespace_id)s
  LEFT JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = s.conversation_id
 WHERE s.namespace_id = %(namespace_id)s AND s.level = 1 AND s.subject = ANY(%(subjects)s) AND s.latest_at >= %(since)s
   AND NOT s.hidden AND publishes_summaries(n.channel_policies, s.channel)
 ORDER BY s.latest_at DESC, s.id
 LIMIT %(limit)s;

-- open_disputes --
-- Return open disputes between facts of a subject, with both facts.
SELECT d.id, d.opened_at, o.id AS old_id, n.id AS new_id, o.subject, o.attribute, n.attribute AS new_attribute,
       o.value AS old_value, n.value AS new_value, o.supporting AS old_mentions, n.supporting AS new_mentions,
       o.last_seen_at AS old_last_seen_at, n.first_seen_at AS new_first_seen_at,
       n.last_seen_at AS new_last_seen_at, o.ruling AS old_ruling, n.ruling AS new_ruling,
       o.state AS old_state, n.state AS new_state, n.hypothesis AS new_hypothesis, n.source AS new_source
  FROM fact_disputes d
  JOIN facts o ON o.namespace_id = %(namespace_id)s AND o.id = d.old_fact_id
  JOIN facts n ON n.namespace_id = %(namespace_id)s AND n.id = d.new_fact_id
 WHERE d.namespace_id = %(namespace_id)s AND d.settled_at IS NULL AND o.subject = %(subject)s
 ORDER BY d.opened_at, d.id
 LIMIT %(limit)s;

-- read_timeline --
-- Return the intervals of all values of an attribute.
SELECT f.value, f.state, i.valid_from, i.valid_until
  FROM facts f
  JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = f.id AND i.known_until IS NULL
 WHERE f.namespace_id = %(namespace_id)s AND f.subject = %(subject)s AND f.attribute = %(attribute)s
 ORDER BY i.valid_from, i.id
 LIMIT 100;

-- read_around --
-- Return messages that are evidence of facts, with some messages before and after each.
SELECT :message
  FROM messages m
 WHERE m.namespace_id = %(namespace_id)s
   AND m.id IN (SELECT a.id
                  FROM (SELECT conversation_id, seq FROM messages
                         WHERE namespace_id = %(namespace_id)s
                           AND id IN (SELECT message_id FROM fact_evidence
                                       WHERE namespace_id = %(namespace_id)s AND fact_id = ANY(%(fact_ids)s))
                         ORDER BY occurred_at DESC LIMIT 20) AS e
                  JOIN messages a ON a.namespace_id = %(namespace_id)s AND a.conversation_id = e.conversation_id
                                 AND a.seq BETWEEN e.seq - %(around)s AND e.seq + %(around)s)
 ORDER BY m.occurred_at, m.seq;

-- expired_facts --
-- Return current facts of a subject that got no evidence within their lifetime; disputed facts are excluded.
SELECT :known_fact
  FROM facts f
 WHERE f.namespace_id = %(namespace_id)s AND f.subject = %(subject)s AND f.state IN (1, 2, 3) AND f.ruling IS DISTINCT FROM 1
   AND f.last_seen_at + f.lifetime_days * interval '1 day' < %(now)s
   AND EXISTS (SELECT FROM fact_intervals i
                WHERE i.namespace_id = %(namespace_id)s AND i.fact_id = f.id AND i.known_until IS NULL
                  AND (i.valid_until IS NULL OR i.valid_until > %(now)s))
   AND NOT EXISTS (SELECT FROM fact_disputes d
                    WHERE d.namespace_id = %(namespace_id)s AND d.settled_at IS NULL
                      AND (d.old_fact_id = f.id OR d.new_fact_id = f.id))
 ORDER BY f.last_seen_at, f.id
 LIMIT %(limit)s;

-- read_edges --
-- Return current edges between facts of a subject, the highest confidence first.
SELECT e.id, e.from_fact_id, e.to_fact_id, e.relation, e.confidence
  FROM fact_edges e
  JOIN facts f ON f.namespace_id = %(namespace_id)s AND f.id = e.from_fact_id
 WHERE e.namespace_id = %(namespace_id)s AND f.subject = %(subject)s AND e.known_until IS NULL
 ORDER BY e.confidence DESC, e.id
 LIMIT %(limit)s;

-- moment --
-- Return the time of a transaction that locks no facts.
SELECT clock_timestamp() AS now;

-- lock_vector_jobs --
-- Lock the embedding jobs that new passages make due, in the same order as every other writer.
SELECT id
  FROM jobs
 WHERE namespace_id = %(namespace_id)s AND task = 'embed'
 ORDER BY subject
   FOR NO KEY UPDATE;

-- insert_session --
-- Store a session. One that is parked or to be read again is overwritten; no row if the session is stored already.
INSERT INTO sleep_sessions AS s (namespace_id, id, conversation_id, first_seq, last_seq, subject, state, topics, started_at,
                                 ended_at, model, error)
VALUES (%(namespace_id)s, %(id)s, %(conversation_id)s, %(first_seq)s, %(last_seq)s, %(subject)s, %(state)s, %(topics)s,
        %(started_at)s, %(ended_at)s, %(model)s, %(error)s)
    ON CONFLICT (namespace_id, conversation_id, first_seq) DO UPDATE
   SET state = excluded.state, subject = excluded.subject, topics = excluded.topics, model = excluded.model,
       error = excluded.error, stored_at = excluded.stored_at
 WHERE s.state IN (4, 5)
RETURNING id;

-- delete_observations --
-- Delete the observations of a session that is read again.
DELETE FROM session_observations WHERE namespace_id = %(namespace_id)s AND session_id = %(session_id)s;

-- insert_observations --
-- Store an observation of a session.
INSERT INTO session_observations (namespace_id, id, session_id, subject, about, attribute, value, hypothesis, message_ids,
                                  seqs, quotes, said_at)
VALUES (%(namespace_id)s, %(id)s, %(session_id)s, %(subject)s, %(about)s, %(attribute)s, %(value)s, %(hypothesis)s,
        %(message_ids)s, %(seqs)s, %(quotes)s, %(said_at)s);

-- advance_sleep_progress --
-- Advance the position up to which sessions were made. No row if another transaction advanced it first.
INSERT INTO compaction_progress AS p (namespace_id, conversation_id, slept_seq)
SELECT c.namespace_id, c.id, %(through)s
  FROM conversations c
 WHERE c.namespace_id = %(namespace_id)s AND c.id = %(conversation_id)s
ON CONFLICT (namespace_id, conversation_id) DO UPDATE
   SET slept_seq = excluded.slept_seq
 WHERE p.slept_seq = %(after)s
RETURNING conversation_id;

-- request_sleep --
-- Mark the sessions of each conversation as finished up to its latest message.
INSERT INTO compaction_progress AS p (namespace_id, conversation_id, sleep_wanted_seq)
SELECT c.namespace_id, c.id, c.last_seq
  FROM conversations c
 WHERE c.namespace_id = %(namespace_id)s AND c.id = ANY(%(conversation_ids)s::uuid[])
 ORDER BY c.id
ON CONFLICT (namespace_id, conversation_id) DO UPDATE
   SET sleep_wanted_seq = excluded.sleep_wanted_seq
 WHERE p.sleep_wanted_seq < excluded.sleep_wanted_seq;

-- finish_sessions --
-- Mark sessions as processed; failed steps are added to those of the session.
UPDATE sleep_sessions
   SET state = 2, processed_at = %(now)s, error = nullif(coalesce(error || coalesce('; ' || %(error)s::text, ''), %(error)s::text), '')
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(session_ids)s) AND state = 1;

-- insert_edge --
-- Link two current facts; if the same link exists, its confidence and reason are replaced.
INSERT INTO fact_edges AS e (namespace_id, id, from_fact_id, to_fact_id, relation, confidence, reason, valid_from, known_from)
SELECT f.namespace_id, %(id)s, f.id, other.id, %(relation)s, %(confidence)s, %(reason)s, %(valid_from)s, %(now)s
  FROM facts f
  JOIN facts other ON other.namespace_id = f.namespace_id AND other.id = %(to_fact_id)s AND other.state IN (1, 2, 3)
 WHERE f.namespace_id = %(namespace_id)s AND f.id = %(from_fact_id)s AND f.state IN (1, 2, 3)
    ON CONFLICT (namespace_id, from_fact_id, to_fact_id, relation) WHERE known_until IS NULL
    DO UPDATE SET confidence = excluded.confidence, reason = excluded.reason
        WHERE e.confidence <> excluded.confidence;

-- read_night --
-- Return the latest day for which the nightly Sleep was done; no row if it never ran.
SELECT night FROM sleep_nights WHERE namespace_id = %(namespace_id)s;

-- record_night --
-- Record that the nightly Sleep for a day is done.
INSERT INTO sleep_nights AS n (namespace_id, night) VALUES (%(namespace_id)s, %(night)s)
    ON CONFLICT (namespace_id) DO UPDATE SET night = excluded.night WHERE n.night < excluded.night;

-- nightless_namespaces --
-- Return namespaces with facts but without a scheduled nightly Sleep.
SELECT namespace_id FROM nightless_namespaces(%(limit)s, make_interval(secs => %(parked_s)s));

-- find_conversation --
-- Return the id of a conversation; no row if it does not exist.
SELECT id FROM conversations WHERE namespace_id = %(namespace_id)s AND id = %(conversation_id)s;

-- count_jobs --
-- Count Sleep jobs: running or due ones, failed ones, and those postponed until a model is available.
SELECT count(*) FILTER (WHERE state = 'running'
                           OR state = 'pending' AND (not_before <= now() + interval '1 second' OR attempts > 0)) AS pending,
       count(*) FILTER (WHERE state = 'failed') AS failed,
       count(*) FILTER (WHERE state = 'pending' AND error IS NOT NULL AND attempts = 0
                          AND not_before > now() + interval '1 second') AS postponed
  FROM jobs
 WHERE namespace_id = %(namespace_id)s AND task = 'sleep'
   AND (%(subjects)s::text[] IS NULL OR subject = ANY(%(subjects)s));

-- count_since --
-- Count the sessions that were stored, processed and skipped since a time, and all that are parked or to be read again.
SELECT count(*) FILTER (WHERE state IN (1, 2) AND stored_at >= %(since)s) AS stored,
       count(*) FILTER (WHERE processed_at >= %(since)s) AS processed,
       count(*) FILTER (WHERE state = 3 AND stored_at >= %(since)s) AS skipped,
       count(*) FILTER (WHERE state = 4) AS parked, count(*) FILTER (WHERE state = 5) AS to_read_again
  FROM sleep_sessions
 WHERE namespace_id = %(namespace_id)s AND (stored_at >= %(since)s OR processed_at >= %(since)s OR state IN (4, 5));

-- estimate_rereading --
-- Count the sessions that a model has not read, and their messages and tokens. Without a token count, four characters
-- count as one.
SELECT count(*) AS sessions, count(*) FILTER (WHERE s.model = '') AS without_model,
       coalesce(sum(said.messages), 0)::bigint AS messages, coalesce(sum(said.tokens), 0)::bigint AS tokens
  FROM sleep_sessions s
 CROSS JOIN LATERAL (SELECT count(*) AS messages, sum(coalesce(nullif(m.token_count, 0), length(m.content) / 4)) AS tokens
                       FROM messages m
                      WHERE m.namespace_id = %(namespace_id)s AND m.conversation_id = s.conversation_id
                        AND m.seq BETWEEN s.first_seq AND s.last_seq AND m.role IN (2, 3) AND NOT m.automated) AS said
 WHERE s.namespace_id = %(namespace_id)s AND :unread_by_model;

-- request_rereading --
-- Mark some sessions that a model has not read as to be read again; return their conversations.
UPDATE sleep_sessions
   SET state = 5, processed_at = NULL
 WHERE namespace_id = %(namespace_id)s
   AND id IN (SELECT s.id FROM sleep_sessions s WHERE s.namespace_id = %(namespace_id)s AND :unread_by_model LIMIT %(limit)s)
RETURNING conversation_id;

-- price_rereading --
-- Return the cost of a model call of this size today; no row if the model has no price.
SELECT cost, currency
  FROM price_usage(%(model)s, '', now(), %(input_tokens)s::bigint, 0, %(output_tokens)s::bigint);
