-- Checks of a namespace as a whole.

-- counters --
-- over: namespace
-- holds: The sums of corpus_counts equal the counted rows.
-- do: `everword rebuild`.
SELECT name AS id, format('the sum is %%s, but there are %%s', coalesce(counted, 0), coalesce(there, 0)) AS detail
  FROM (SELECT sum(conversations) AS conversations, sum(messages) AS messages, sum(turns) AS turns, sum(passages) AS passages,
               sum(lexemes) AS lexemes, sum(content_bytes) AS content_bytes
          FROM corpus_counts WHERE namespace_id = %(namespace_id)s) AS c
 CROSS JOIN (SELECT count(*) AS conversations, sum(turn_count) AS turns
               FROM conversations WHERE namespace_id = %(namespace_id)s) AS n
 CROSS JOIN (SELECT count(*) AS messages,
                    sum(octet_length(content) + octet_length(tool_args) + octet_length(tool_result)
                        + coalesce((SELECT sum(octet_length(b ->> 'text') + octet_length(b ->> 'json'))
                                      FROM jsonb_array_elements(content_blocks) AS b), 0)) AS bytes
               FROM messages WHERE namespace_id = %(namespace_id)s) AS m
 CROSS JOIN (SELECT count(*) AS passages, sum(lexeme_count) AS lexemes
               FROM memories WHERE namespace_id = %(namespace_id)s) AS p
 CROSS JOIN LATERAL (VALUES ('conversations', c.conversations, n.conversations), ('messages', c.messages, m.messages),
                            ('turns', c.turns, n.turns), ('passages', c.passages, p.passages),
                            ('lexemes', c.lexemes, p.lexemes), ('bytes', c.content_bytes, m.bytes))
    AS pair (name, counted, there)
 WHERE coalesce(counted, 0) <> coalesce(there, 0);

-- places_empty --
-- over: namespace
-- holds: Conversations do not have more gaps in their sequence numbers than messages were erased or removed by
--        policies.
-- do: Messages are lost: restore them from a backup.
SELECT 'conversations' AS id, format('%%s gaps, but %%s messages were removed', c.places - m.messages, gone.messages) AS detail
  FROM (SELECT coalesce(sum(last_seq), 0) AS places FROM conversations WHERE namespace_id = %(namespace_id)s) AS c
 CROSS JOIN (SELECT count(*) AS messages FROM messages WHERE namespace_id = %(namespace_id)s) AS m
 CROSS JOIN (SELECT coalesce(sum(messages), 0) AS messages
               FROM (SELECT (counts ->> 'messages')::numeric AS messages FROM erasures WHERE namespace_id = %(namespace_id)s
                      UNION ALL
                     SELECT (row_counts ->> 'messages')::numeric FROM retention_runs
                      WHERE namespace_id = %(namespace_id)s) AS removed) AS gone
 WHERE c.places - m.messages > gone.messages;

-- jobs --
-- over: namespace
-- holds: A job's state agrees with its lease and its counters of work. If its subject is a conversation, the
--        conversation exists.
-- do: `everword retry-failed`. If the violation stays, delete the row; a sweep or the next write creates the job again.
SELECT j.id::text AS id, j.task || ' ' || j.subject || ': ' || wrong AS detail
  FROM jobs j
  LEFT JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id::text = j.subject
 CROSS JOIN LATERAL (VALUES
       ('unknown state ' || j.state, j.state NOT IN ('pending', 'running', 'done', 'failed')),
       ('running without a lease', j.state = 'running' AND j.lease_until IS NULL),
       ('running an hour after its lease', j.state = 'running' AND j.lease_until < now() - interval '1 hour'),
       ('has done more than there was', j.done_seq > j.dirty_seq),
       ('done, and knows of more', j.state = 'done' AND j.done_seq < j.dirty_seq),
       ('its conversation is missing', j.subject ~ '^[0-9a-f]{8}-[0-9a-f-]{27}$' AND c.id IS NULL))
    AS found (wrong, is_so)
 WHERE j.namespace_id = %(namespace_id)s AND is_so;

-- work_forgotten --
-- over: namespace
-- holds: Work that has been due for an hour has a job that is not done; a parked job counts.
-- do: Check that the workers and the compactor run: `everword queue-status`, `everword retry-failed`.
SELECT due.task AS id, due.what || ' since ' || due.since AS detail
  FROM (SELECT 'embed' AS task, 'vectors are pending' AS what, min(not_before) AS since
          FROM embedding_queue WHERE namespace_id = %(namespace_id)s AND state = 'pending'
         UNION ALL
        SELECT 'tool-sentences', 'sentences are pending', min(not_before)
          FROM tool_sentence_queue WHERE namespace_id = %(namespace_id)s AND state = 'pending'
         UNION ALL
        SELECT 'learn', 'changes of topics wait', min(changed_at) FROM topic_changes WHERE namespace_id = %(namespace_id)s)
    AS due
 WHERE due.since < now() - interval '1 hour'
   AND NOT EXISTS (SELECT FROM jobs j WHERE j.namespace_id = %(namespace_id)s AND j.task = due.task AND j.state <> 'done');

-- erasures_stuck --
-- over: namespace
-- holds: No unfinished erasure has been inactive for an hour.
-- do: Check that ingest runs; `everword erasures` shows the error.
SELECT id::text AS id, 'no progress for an hour: ' || coalesce(error, 'no error') AS detail
  FROM erasures
 WHERE namespace_id = %(namespace_id)s AND state = 1 AND updated_at < now() - interval '1 hour';
