-- Statements on sentences for tool calls. The queue has no row level security, so each statement filters by namespace.

-- claim_calls --
-- Claim tool calls with pending sentences, the longest waiting first. Attempts are numbered, and only the result of the
-- latest one is accepted; `not_before` is the lease.
UPDATE tool_sentence_queue q
   SET attempts = q.attempts + 1, not_before = now() + make_interval(secs => %(lease_s)s)
  FROM (SELECT message_id
          FROM tool_sentence_queue
         WHERE namespace_id = %(namespace_id)s AND state = 'pending' AND not_before <= now()
         ORDER BY not_before, message_id
         LIMIT %(limit)s FOR UPDATE SKIP LOCKED) AS due
 WHERE q.namespace_id = %(namespace_id)s AND q.message_id = due.message_id
RETURNING q.message_id, q.attempts;

-- extend_claims --
-- Extend the leases of tool calls while a model writes their sentences.
UPDATE tool_sentence_queue q
   SET not_before = now() + make_interval(secs => %(lease_s)s)
  FROM unnest(%(message_ids)s::uuid[], %(attempts)s::integer[]) AS held (message_id, attempts)
 WHERE q.namespace_id = %(namespace_id)s AND q.message_id = held.message_id AND q.attempts = held.attempts;

-- read_calls --
-- Return tool calls with the columns that their passages depend on.
SELECT id, author, occurred_at, content, content_blocks, tool_name, tool_args, tool_result
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(message_ids)s)
 ORDER BY id;

-- complete_calls --
-- Delete tool calls from the queue whose sentences were made, and return those whose latest attempt this is. A stale
-- worker gets no rows back, and must store nothing.
DELETE FROM tool_sentence_queue q
 USING unnest(%(message_ids)s::uuid[], %(attempts)s::integer[]) AS done (message_id, attempts)
 WHERE q.namespace_id = %(namespace_id)s AND q.message_id = done.message_id AND q.attempts = done.attempts
RETURNING q.message_id;

-- release_calls --
-- Release tool calls after a failure that they did not cause: the attempt does not count. They are due at once, because
-- their job pauses.
UPDATE tool_sentence_queue q
   SET attempts = greatest(q.attempts - 1, 0), not_before = now(), error = %(error)s
  FROM unnest(%(message_ids)s::uuid[], %(attempts)s::integer[]) AS held (message_id, attempts)
 WHERE q.namespace_id = %(namespace_id)s AND q.message_id = held.message_id AND q.attempts = held.attempts;

-- fail_call --
-- Record why a tool call got no sentence. It is retried after a pause, or parked if this attempt was the final one.
UPDATE tool_sentence_queue
   SET state = CASE WHEN %(final)s THEN 'failed' ELSE 'pending' END,
       not_before = now() + make_interval(secs => %(pause_s)s), error = %(error)s
 WHERE namespace_id = %(namespace_id)s AND message_id = %(message_id)s AND attempts = %(attempts)s;

-- next_due --
-- Return the time when the next tool call of a namespace is due; NULL if no sentence is pending.
SELECT min(not_before) FROM tool_sentence_queue WHERE namespace_id = %(namespace_id)s AND state = 'pending';

-- upsert_sentences --
-- Store sentences, in the order of the messages' ids, and return the ids of the messages whose sentence was stored. A
-- template never replaces a sentence that a model wrote.
INSERT INTO tool_sentences AS kept (namespace_id, message_id, content, model, prompt_version, agent, subject)
SELECT t.namespace_id, s.message_id, s.content, s.model, s.prompt_version, coalesce(m.agent, ''), coalesce(m.subject, '')
  FROM tenants t
 CROSS JOIN unnest(%(message_ids)s::uuid[], %(contents)s::text[], %(models)s::text[], %(prompt_versions)s::integer[])
    AS s (message_id, content, model, prompt_version)
  LEFT JOIN messages m ON m.namespace_id = t.namespace_id AND m.id = s.message_id
 WHERE t.namespace_id = %(namespace_id)s
    ON CONFLICT (namespace_id, message_id) DO UPDATE
   SET content = excluded.content, model = excluded.model, prompt_version = excluded.prompt_version, created_at = excluded.created_at
 WHERE kept.model = %(template)s OR excluded.model <> %(template)s
RETURNING message_id;

-- last_message --
-- Return the last id of the next batch of messages; no row if there are no more.
SELECT id
  FROM (SELECT id FROM messages
         WHERE namespace_id = %(namespace_id)s AND id > %(after)s ORDER BY id LIMIT %(limit)s) AS batch
 ORDER BY id DESC
 LIMIT 1;

-- find_missing_sentences --
-- Return the tool calls of a batch without text and without an up-to-date sentence, parked ones included, unless their
-- sentence is pending.
SELECT m.id
  FROM messages m
  LEFT JOIN tool_sentences s ON s.namespace_id = %(namespace_id)s AND s.message_id = m.id
  LEFT JOIN tool_sentence_queue q ON q.namespace_id = %(namespace_id)s AND q.message_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND m.id > %(after)s AND m.id <= %(last)s
   AND m.tool_name <> '' AND NOT m.automated AND m.content !~ '\S'
   AND NOT coalesce(m.content_blocks @? '$[*].text ? (@ like_regex "\\S")', false)
   AND q.state IS DISTINCT FROM 'pending'
   AND (s.message_id IS NULL OR q.state = 'failed' OR s.prompt_version < %(prompt_version)s
        OR (s.model = %(template)s AND %(with_model)s))
 ORDER BY m.id
 LIMIT %(limit)s;

-- enqueue_sentences --
-- Enqueue tool calls, parked ones included; returns the calls that were not pending before.
INSERT INTO tool_sentence_queue AS queued (namespace_id, message_id)
SELECT t.namespace_id, calls.message_id
  FROM tenants t CROSS JOIN unnest(%(message_ids)s::uuid[]) AS calls (message_id)
 WHERE t.namespace_id = %(namespace_id)s
    ON CONFLICT (namespace_id, message_id) DO UPDATE
   SET state = 'pending', attempts = 0, not_before = excluded.not_before, error = NULL
 WHERE queued.state = 'failed'
RETURNING message_id;

-- has_pending_sentences --
-- Return whether a sentence is pending in the namespace.
SELECT EXISTS (SELECT FROM tool_sentence_queue WHERE namespace_id = %(namespace_id)s AND state = 'pending');

-- list_parked_calls --
-- Return parked tool calls with their errors.
SELECT message_id, coalesce(error, '') AS error
  FROM tool_sentence_queue
 WHERE namespace_id = %(namespace_id)s AND state = 'failed'
 ORDER BY message_id
 LIMIT %(limit)s;
