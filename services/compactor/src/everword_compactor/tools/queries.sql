-- Statements on sentences for tool calls. The queue has no fence, so every one names its namespace.

-- claim_calls --
-- Take tool calls that are owed a sentence, the longest waiting first. Each attempt has a number, and only the latest one's
-- result counts; not_before is the lease.
UPDATE tool_sentence_queue q
   SET attempts = q.attempts + 1, not_before = now() + make_interval(secs => %(lease_s)s)
  FROM (SELECT message_id
          FROM tool_sentence_queue
         WHERE namespace_id = %(namespace_id)s AND state = 'owed' AND not_before <= now()
         ORDER BY not_before, message_id
         LIMIT %(limit)s FOR UPDATE SKIP LOCKED) AS due
 WHERE q.namespace_id = %(namespace_id)s AND q.message_id = due.message_id
RETURNING q.message_id, q.attempts;

-- extend_claims --
-- Keep tool calls while a model is asked about them.
UPDATE tool_sentence_queue q
   SET not_before = now() + make_interval(secs => %(lease_s)s)
  FROM unnest(%(message_ids)s::uuid[], %(attempts)s::integer[]) AS held (message_id, attempts)
 WHERE q.namespace_id = %(namespace_id)s AND q.message_id = held.message_id AND q.attempts = held.attempts;

-- read_calls --
-- Messages that call a tool, with what their place in the index depends on.
SELECT id, author, occurred_at, content, content_blocks, tool_name, tool_args, tool_result
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(message_ids)s)
 ORDER BY id;

-- settle_calls --
-- Take tool calls off the queue whose sentences are there; returns those whose latest attempt this is. A stale worker gets
-- nothing back, and must store nothing.
DELETE FROM tool_sentence_queue q
 USING unnest(%(message_ids)s::uuid[], %(attempts)s::integer[]) AS done (message_id, attempts)
 WHERE q.namespace_id = %(namespace_id)s AND q.message_id = done.message_id AND q.attempts = done.attempts
RETURNING q.message_id;

-- release_calls --
-- Give tool calls back after a failure that is not theirs: the attempt does not count. The job's pause is theirs.
UPDATE tool_sentence_queue q
   SET attempts = greatest(q.attempts - 1, 0), not_before = now(), error = %(error)s
  FROM unnest(%(message_ids)s::uuid[], %(attempts)s::integer[]) AS held (message_id, attempts)
 WHERE q.namespace_id = %(namespace_id)s AND q.message_id = held.message_id AND q.attempts = held.attempts;

-- fail_call --
-- Record why a tool call got no sentence: another attempt after a pause, or none any more.
UPDATE tool_sentence_queue
   SET state = CASE WHEN %(final)s THEN 'failed' ELSE 'owed' END,
       not_before = now() + make_interval(secs => %(pause_s)s), error = %(error)s
 WHERE namespace_id = %(namespace_id)s AND message_id = %(message_id)s AND attempts = %(attempts)s;

-- next_due --
-- When the next tool call of a namespace can be taken; NULL where none is owed a sentence.
SELECT min(not_before) FROM tool_sentence_queue WHERE namespace_id = %(namespace_id)s AND state = 'owed';

-- upsert_sentences --
-- Keep sentences, in the order of the messages' ids, and return whose were kept: what a model wrote does not give way to a
-- template.
INSERT INTO tool_sentences AS kept (namespace_id, message_id, content, model, prompt_version)
SELECT %(namespace_id)s, s.message_id, s.content, s.model, s.prompt_version
  FROM unnest(%(message_ids)s::uuid[], %(contents)s::text[], %(models)s::text[], %(prompt_versions)s::integer[])
    AS s (message_id, content, model, prompt_version)
    ON CONFLICT (namespace_id, message_id) DO UPDATE
   SET content = excluded.content, model = excluded.model, prompt_version = excluded.prompt_version, created_at = now()
 WHERE kept.model = %(template)s OR excluded.model <> %(template)s
RETURNING message_id;

-- drop_sentence_passages --
-- Take earlier sentences of these messages out of the index.
SELECT drop_derived_passages(%(message_ids)s::uuid[]);

-- insert_sentence_passages --
-- Index sentences as part -1 of their messages, owe their vectors to every live model generation, and count them. What is
-- not in the index, for its channel's sake, has no part 0, and its sentence does not get there either. A position takes two
-- bytes where a tsvector is sent, which tells how many there are.
WITH passages AS (
    INSERT INTO visible_memories (namespace_id, kind, source_id, part, conversation_id, seq, agent, subject, channel,
                                  instance, author, role, tags, importance_class, automated, occurred_at, content,
                                  lexemes, lexeme_count, literals, ranking)
    SELECT %(namespace_id)s, m.kind, m.source_id, -1, m.conversation_id, m.seq, m.agent, m.subject, m.channel,
           m.instance, m.author, m.role, m.tags, m.importance_class, m.automated, m.occurred_at, s.content, v.lexemes,
           (octet_length(tsvectorsend(v.lexemes)) - octet_length(tsvectorsend(strip(v.lexemes)))) / 2,
           s.literals, s.ranking
      FROM unnest(%(message_ids)s::uuid[], %(contents)s::text[], %(indexed_texts)s::text[], %(literals)s::text[],
                  %(rankings)s::bytea[]) AS s (message_id, content, indexed_text, literals, ranking)
      JOIN visible_memories m ON m.namespace_id = %(namespace_id)s AND m.source_id = s.message_id AND m.part = 0
     CROSS JOIN LATERAL to_tsvector(%(text_search_config)s::regconfig, s.indexed_text) AS v (lexemes)
    RETURNING id, lexeme_count
), owed AS (
    INSERT INTO embedding_queue (namespace_id, memory_id, generation_id)
    SELECT %(namespace_id)s, passages.id, generations.id
      FROM passages CROSS JOIN model_generations AS generations
     WHERE generations.state IN ('building', 'active')
     ORDER BY passages.id
)
INSERT INTO corpus_counts (namespace_id, passages, lexemes)
SELECT %(namespace_id)s, count(*), sum(lexeme_count) FROM passages HAVING count(*) > 0;

-- last_message --
-- Where the next batch of messages ends; no row where there are no more.
SELECT id
  FROM (SELECT id FROM messages
         WHERE namespace_id = %(namespace_id)s AND id > %(after)s ORDER BY id LIMIT %(limit)s) AS batch
 ORDER BY id DESC
 LIMIT 1;

-- count_unowed_sentences --
-- How many tool calls owe_sentences would make owed.
SELECT count(*)
  FROM (SELECT
          FROM messages m
          LEFT JOIN tool_sentences s ON s.namespace_id = %(namespace_id)s AND s.message_id = m.id
          LEFT JOIN tool_sentence_queue q ON q.namespace_id = %(namespace_id)s AND q.message_id = m.id
         WHERE m.namespace_id = %(namespace_id)s AND m.id > %(after)s AND m.id <= %(last)s
           AND m.tool_name <> '' AND NOT m.automated AND m.content !~ '\S'
           AND NOT coalesce(m.content_blocks @? '$[*].text ? (@ like_regex "\\S")', false)
           AND q.state IS DISTINCT FROM 'owed'
           AND (s.message_id IS NULL OR q.state = 'failed' OR s.prompt_version < %(prompt_version)s
                OR (s.model = %(template)s AND %(with_model)s))
         LIMIT %(limit)s) AS unowed;

-- owe_sentences --
-- Owe a sentence to each tool call of a batch that has no words and no sentence as it would be made now; returns how many
-- were not owed before. What was given up becomes owed again.
WITH owed AS (
    INSERT INTO tool_sentence_queue AS queued (namespace_id, message_id)
    SELECT %(namespace_id)s, m.id
      FROM messages m
      LEFT JOIN tool_sentences s ON s.namespace_id = %(namespace_id)s AND s.message_id = m.id
      LEFT JOIN tool_sentence_queue q ON q.namespace_id = %(namespace_id)s AND q.message_id = m.id
     WHERE m.namespace_id = %(namespace_id)s AND m.id > %(after)s AND m.id <= %(last)s
       AND m.tool_name <> '' AND NOT m.automated AND m.content !~ '\S'
       AND NOT coalesce(m.content_blocks @? '$[*].text ? (@ like_regex "\\S")', false)
       AND q.state IS DISTINCT FROM 'owed'
       AND (s.message_id IS NULL OR q.state = 'failed' OR s.prompt_version < %(prompt_version)s
            OR (s.model = %(template)s AND %(with_model)s))
     ORDER BY m.id
     LIMIT %(limit)s
    ON CONFLICT (namespace_id, message_id) DO UPDATE
       SET state = 'owed', attempts = 0, not_before = now(), error = NULL
     WHERE queued.state = 'failed'
    RETURNING 1
)
SELECT count(*) FROM owed;

-- schedule_sentences --
-- Mark the namespace's tool calls as due where some are owed a sentence. Jobs that were given up get another chance.
INSERT INTO jobs (namespace_id, task, subject)
SELECT %(namespace_id)s, 'tool-sentences', subject
  FROM unnest(%(subjects)s::text[]) AS subject
 WHERE EXISTS (SELECT FROM tool_sentence_queue WHERE namespace_id = %(namespace_id)s AND state = 'owed')
    ON CONFLICT (namespace_id, task, subject) DO UPDATE
   SET dirty_seq = jobs.dirty_seq + 1,
       state = CASE WHEN jobs.state = 'running' THEN 'running' ELSE 'pending' END,
       attempts = CASE WHEN jobs.state = 'running' THEN jobs.attempts ELSE 0 END,
       not_before = CASE WHEN jobs.state = 'running' THEN jobs.not_before ELSE now() END,
       published_at = CASE WHEN jobs.state = 'running' THEN jobs.published_at END,
       updated_at = now();

-- list_parked_calls --
-- Tool calls that get no sentence, and why.
SELECT message_id, coalesce(error, '') AS error
  FROM tool_sentence_queue
 WHERE namespace_id = %(namespace_id)s AND state = 'failed'
 ORDER BY message_id
 LIMIT %(limit)s;
