-- What the compactor derives: the summary DAG along conversations and along the calendar, sentences for tool calls, and
-- what was asked of language models for it.

CREATE TABLE summaries (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    level smallint NOT NULL CHECK (level BETWEEN 1 AND 8),
    conversation_id uuid,
    first_seq bigint,
    last_seq bigint,
    period date,
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    channel text NOT NULL DEFAULT '',
    instance text NOT NULL DEFAULT '',
    title text NOT NULL DEFAULT '',
    parent_id uuid,
    previous_id uuid,
    content text NOT NULL CHECK (content <> ''),
    message_count bigint NOT NULL CHECK (message_count >= 0),
    earliest_at timestamptz NOT NULL,
    latest_at timestamptz NOT NULL,
    token_count integer NOT NULL DEFAULT 0,
    model text NOT NULL DEFAULT '',
    prompt_version integer NOT NULL DEFAULT 0,
    revision integer NOT NULL DEFAULT 1,
    stale boolean NOT NULL DEFAULT false,
    needs_review boolean NOT NULL DEFAULT false,
    faithfulness jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    revised_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    CHECK ((level BETWEEN 1 AND 3) = (conversation_id IS NOT NULL AND first_seq IS NOT NULL AND last_seq IS NOT NULL)),
    CHECK ((level BETWEEN 4 AND 7) = (period IS NOT NULL)),
    -- Weeks, months and years join instances.
    CHECK (level < 5 OR level > 7 OR instance = ''),
    CHECK (earliest_at <= latest_at)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE summaries IS
    'Nodes of the summary DAG, on two axes: leaf, branch, root (1-3) along a conversation, day, week, month, year (4-7) '
    'along the calendar, and what was recorded as significant (8), which nothing consolidates. A node keeps its id when '
    'it is written anew: revision counts that.';
COMMENT ON COLUMN summaries.first_seq IS 'Of levels 1-3: the range of the conversation that the node stands for.';
COMMENT ON COLUMN summaries.period IS 'Of levels 4-7: the first day of the period, in the namespace''s time zone.';
COMMENT ON COLUMN summaries.parent_id IS 'The node above; summary_sources holds the same link from the other end.';
COMMENT ON COLUMN summaries.previous_id IS 'The latest node of the conversation, or of the level, when this one was made.';
COMMENT ON COLUMN summaries.stale IS 'What it was made from has changed since: it is due to be written anew.';
COMMENT ON COLUMN summaries.needs_review IS 'It says something that its sources do not: see faithfulness.';
-- One node for a stretch of a conversation, and one for a period: two compactors make one DAG.
CREATE UNIQUE INDEX summaries_conversation ON summaries (namespace_id, conversation_id, level, first_seq)
    WHERE conversation_id IS NOT NULL;
CREATE UNIQUE INDEX summaries_period ON summaries (namespace_id, level, period, instance) WHERE period IS NOT NULL;
CREATE INDEX summaries_parent ON summaries (namespace_id, parent_id) WHERE parent_id IS NOT NULL;
-- Lists go through each of the levels asked for in the order of time.
CREATE INDEX summaries_level ON summaries (namespace_id, level, latest_at, id);
-- What a change of model or prompt makes out of date, found by ranges.
CREATE INDEX summaries_model ON summaries (level, model, prompt_version);
CREATE INDEX summaries_stale ON summaries (namespace_id, level) WHERE stale;
CREATE INDEX summaries_review ON summaries (namespace_id, level, latest_at, id) WHERE needs_review;
SELECT create_partitions('summaries');
SELECT fence_table('summaries');
GRANT SELECT, INSERT, UPDATE ON summaries TO everword_compactor;
GRANT SELECT ON summaries TO everword_search;
-- What is significant is written down on purpose: ingest stores it.
GRANT SELECT, INSERT ON summaries TO everword_ingest;

CREATE TABLE summary_sources (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    summary_id uuid NOT NULL,
    ordinal integer NOT NULL CHECK (ordinal > 0),
    axis smallint NOT NULL CHECK (axis BETWEEN 1 AND 2),
    message_id uuid,
    child_id uuid,
    PRIMARY KEY (namespace_id, summary_id, ordinal),
    CHECK ((message_id IS NULL) <> (child_id IS NULL)),
    FOREIGN KEY (namespace_id, summary_id) REFERENCES summaries (namespace_id, id) ON DELETE CASCADE,
    FOREIGN KEY (namespace_id, child_id) REFERENCES summaries (namespace_id, id),
    -- A message that a summary stands on does not go away unnoticed.
    FOREIGN KEY (namespace_id, message_id) REFERENCES messages (namespace_id, id) ON DELETE RESTRICT
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE summary_sources IS 'What each node was made from, in order: messages, or nodes of the level below.';
COMMENT ON COLUMN summary_sources.axis IS '1 along a conversation, 2 along the calendar.';
-- The database holds it: a message is under one leaf and one day, a node under one node above.
CREATE UNIQUE INDEX summary_sources_message ON summary_sources (namespace_id, message_id, axis) WHERE message_id IS NOT NULL;
CREATE UNIQUE INDEX summary_sources_child ON summary_sources (namespace_id, child_id) WHERE child_id IS NOT NULL;
SELECT create_partitions('summary_sources');
SELECT fence_table('summary_sources');
GRANT SELECT, INSERT, DELETE ON summary_sources TO everword_compactor;
GRANT SELECT ON summary_sources TO everword_search;

CREATE TABLE compaction_progress (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    conversation_id uuid NOT NULL,
    summarised_seq bigint NOT NULL DEFAULT 0,
    wanted_seq bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace_id, conversation_id),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id)
);
COMMENT ON TABLE compaction_progress IS
    'Up to which place each conversation is under leaves. Places have no gaps and are given under a lock, so that nothing '
    'appears behind it.';
COMMENT ON COLUMN compaction_progress.wanted_seq IS 'Up to which place a caller asked for leaves, however few messages.';
SELECT fence_table('compaction_progress');
GRANT SELECT, INSERT, UPDATE ON compaction_progress TO everword_compactor;
GRANT SELECT ON compaction_progress TO everword_ingest, everword_search;

CREATE TABLE calendar_owed (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id bigint GENERATED ALWAYS AS IDENTITY,
    level smallint NOT NULL CHECK (level BETWEEN 4 AND 7),
    period date NOT NULL,
    instance text NOT NULL DEFAULT '',
    conversation_id uuid,
    seqs bigint[] NOT NULL DEFAULT '{}',
    owed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    CHECK ((level = 4) = (conversation_id IS NOT NULL))
);
COMMENT ON TABLE calendar_owed IS
    'What the calendar has not summed up yet: a row exactly while a period owes something. Every append adds one for each '
    'day that it touches, with the places of the messages; rows go in the transaction that stores the node. Rows and not a '
    'flag: appends never wait for each other, and nothing that is committed late can be missed.';
CREATE INDEX calendar_owed_period ON calendar_owed (namespace_id, level, period, owed_at);
-- Who looks for messages that nobody owes goes from message to message.
CREATE INDEX calendar_owed_conversation ON calendar_owed (namespace_id, conversation_id, period) WHERE level = 4;
SELECT fence_table('calendar_owed');
GRANT INSERT ON calendar_owed TO everword_ingest;
GRANT SELECT, INSERT, DELETE ON calendar_owed TO everword_compactor;
GRANT SELECT ON calendar_owed TO everword_search;
-- The messages of a range of days, for whoever looks for those that the calendar has missed. A partitioned table has no
-- concurrent way; appends wait for some seconds where there are millions.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX messages_occurred_at ON messages (namespace_id, occurred_at, id) WHERE NOT automated;

CREATE FUNCTION owed_periods(batch integer, quiet interval, longest interval)
RETURNS TABLE (namespace_id bigint, time_zone text, day_cutoff_minutes integer, level smallint, period date)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT n.id, n.time_zone, n.day_cutoff_minutes, owed.level, owed.period
      FROM namespaces n
     CROSS JOIN LATERAL (
           -- From one period to the next: a day with many rows costs no more than one with few.
           WITH RECURSIVE step AS (
               (SELECT o.level, o.period FROM calendar_owed o WHERE o.namespace_id = n.id
                 ORDER BY o.level, o.period LIMIT 1)
               UNION ALL
               SELECT following.level, following.period
                 FROM step
                CROSS JOIN LATERAL (
                      SELECT o.level, o.period FROM calendar_owed o
                       WHERE o.namespace_id = n.id AND (o.level, o.period) > (step.level, step.period)
                       ORDER BY o.level, o.period LIMIT 1) AS following
           )
           SELECT step.level, step.period
             FROM step
            WHERE NOT EXISTS (SELECT FROM summaries s
                               WHERE s.namespace_id = n.id AND s.level = step.level AND s.period = step.period)
               OR now() - longest >= (SELECT min(o.owed_at) FROM calendar_owed o
                                       WHERE o.namespace_id = n.id AND o.level = step.level AND o.period = step.period)
               OR now() - quiet >= (SELECT max(o.owed_at) FROM calendar_owed o
                                     WHERE o.namespace_id = n.id AND o.level = step.level AND o.period = step.period)
            LIMIT batch) AS owed
     WHERE n.state = 'active'
$$;
COMMENT ON FUNCTION owed_periods IS
    'The earliest periods of each namespace that owe something, at most `batch` each: dates only, for whoever schedules. '
    'One that was written before is left out until nothing was owed for `quiet`, or something for `longest`.';
REVOKE ALL ON FUNCTION owed_periods FROM PUBLIC;
GRANT EXECUTE ON FUNCTION owed_periods TO everword_compactor;

CREATE FUNCTION outdated_summaries(
    at_level smallint, current_model text, current_version integer, batch integer, parked_since timestamptz)
RETURNS TABLE (namespace_id bigint, conversation_id uuid, period date)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    -- Nothing of a language model gives way to sentences that were chosen without one.
    SELECT s.namespace_id, s.conversation_id, s.period
      FROM (SELECT * FROM summaries
             WHERE level = at_level AND model < current_model AND current_model <> 'extractive'
             UNION ALL
            SELECT * FROM summaries
             WHERE level = at_level AND model > current_model AND current_model <> 'extractive'
             UNION ALL
            SELECT * FROM summaries
             WHERE level = at_level AND model = current_model AND prompt_version < current_version) AS s
      JOIN namespaces n ON n.id = s.namespace_id AND n.state = 'active'
     -- What was given up waits for its cause to go; it must not keep the rest waiting.
     WHERE NOT EXISTS (SELECT FROM jobs j
                        WHERE j.namespace_id = s.namespace_id AND j.state = 'failed' AND j.updated_at > parked_since
                          AND j.task = CASE WHEN at_level < 4 THEN 'compact' ELSE 'roll-up' END
                          AND j.subject = CASE at_level
                                          WHEN 4 THEN to_char(s.period, '"day/"YYYY-MM-DD')
                                          WHEN 5 THEN to_char(s.period, '"week/"IYYY"-W"IW')
                                          WHEN 6 THEN to_char(s.period, '"month/"YYYY-MM')
                                          WHEN 7 THEN to_char(s.period, '"year/"YYYY')
                                          ELSE s.conversation_id::text END)
     LIMIT batch
$$;
COMMENT ON FUNCTION outdated_summaries IS
    'Where nodes of a level were written by another model or from an older prompt, a row a node: ids and dates only. What '
    'was given up after `parked_since` is left out.';
REVOKE ALL ON FUNCTION outdated_summaries FROM PUBLIC;
GRANT EXECUTE ON FUNCTION outdated_summaries TO everword_compactor;

CREATE TABLE summary_voices (
    namespace_id bigint PRIMARY KEY REFERENCES namespaces (id),
    identity text NOT NULL DEFAULT '',
    user_name text NOT NULL DEFAULT '',
    pronouns text NOT NULL DEFAULT '',
    channel_instructions jsonb NOT NULL DEFAULT '{}',
    updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE summary_voices IS
    'Whose memories calendar summaries are: where there is an identity, they are written in the first person.';
SELECT fence_table('summary_voices');
GRANT SELECT, INSERT, UPDATE ON summary_voices TO everword_compactor;

CREATE TABLE tool_sentences (
    namespace_id bigint NOT NULL,
    message_id uuid NOT NULL,
    content text NOT NULL CHECK (content <> ''),
    model text NOT NULL,
    prompt_version integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, message_id),
    FOREIGN KEY (namespace_id, message_id) REFERENCES messages (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE tool_sentences IS
    'What a tool call did, in a sentence, where its message has no words. The message itself never changes. In the index '
    'the sentence is part -1 of its message. Automated messages get none.';
COMMENT ON COLUMN memories.part IS
    'Which passage of its source, from 0; -1 is a sentence about a tool call, and no part of its text.';
SELECT create_partitions('tool_sentences');
SELECT fence_table('tool_sentences');
GRANT SELECT, INSERT, UPDATE ON tool_sentences TO everword_compactor;
GRANT SELECT ON tool_sentences TO everword_search;

CREATE TABLE tool_sentence_queue (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    message_id uuid NOT NULL,
    state text NOT NULL DEFAULT 'owed' CHECK (state IN (
        'owed',  -- waits for its sentence
        'failed' -- given up, with an error
    )),
    attempts integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT now(),
    error text,
    enqueued_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, message_id)
);
COMMENT ON TABLE tool_sentence_queue IS 'A row exactly while a tool call is owed its sentence. Ids and states only, so no fence.';
CREATE INDEX tool_sentence_queue_owed ON tool_sentence_queue (namespace_id, not_before) WHERE state = 'owed';
GRANT INSERT ON tool_sentence_queue TO everword_ingest;
GRANT SELECT, INSERT, UPDATE, DELETE ON tool_sentence_queue TO everword_compactor;
GRANT SELECT ON tool_sentence_queue TO everword_search;

CREATE TABLE usage_ledger (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id bigint GENERATED ALWAYS AS IDENTITY,
    task text NOT NULL,
    model text NOT NULL,
    endpoint text NOT NULL DEFAULT '',
    input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    outcome text NOT NULL,
    seconds double precision NOT NULL,
    called_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id)
);
COMMENT ON TABLE usage_ledger IS 'What language models were asked for a namespace, call by call, with what it cost.';
CREATE INDEX usage_ledger_called_at ON usage_ledger (namespace_id, called_at);
SELECT fence_table('usage_ledger');
GRANT INSERT ON usage_ledger TO everword_compactor, everword_search;
GRANT SELECT ON usage_ledger TO everword_compactor;

CREATE FUNCTION prune_usage(keep interval, batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    WITH pruned AS (
        DELETE FROM usage_ledger
         WHERE (namespace_id, id) IN (
               SELECT n.id, old.id
                 FROM namespaces n
                CROSS JOIN LATERAL (
                      SELECT u.id FROM usage_ledger u
                       WHERE u.namespace_id = n.id AND u.called_at < now() - keep
                       ORDER BY u.called_at LIMIT batch FOR UPDATE SKIP LOCKED) AS old
                LIMIT batch)
        RETURNING 1)
    SELECT count(*) FROM pruned
$$;
COMMENT ON FUNCTION prune_usage IS 'Forget at most `batch` calls of language models older than `keep`; returns how many.';
REVOKE ALL ON FUNCTION prune_usage FROM PUBLIC;
GRANT EXECUTE ON FUNCTION prune_usage TO everword_compactor;

-- Summaries and sentences are in the index beside what they are made from.
GRANT USAGE ON SEQUENCE memory_ids TO everword_compactor;
GRANT INSERT ON visible_memories TO everword_compactor;
GRANT INSERT ON corpus_counts TO everword_compactor;

CREATE FUNCTION drop_derived_passages(sources uuid[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    dropped bigint[];
    words bigint;
    generation bigint;
BEGIN
    -- Never what was said: only passages of summaries (kind 2), and the sentences of tool calls (part -1).
    WITH gone AS (
        DELETE FROM memories
         WHERE namespace_id = namespace AND source_id = ANY(sources) AND (kind = 2 OR part = -1)
        RETURNING id, lexeme_count
    )
    SELECT coalesce(array_agg(id ORDER BY id), '{}'), coalesce(sum(lexeme_count), 0) INTO dropped, words FROM gone;
    IF cardinality(dropped) = 0 THEN
        RETURN 0;
    END IF;
    DELETE FROM embedding_queue WHERE namespace_id = namespace AND memory_id = ANY(dropped);
    FOR generation IN SELECT id FROM model_generations ORDER BY id LOOP
        EXECUTE format('DELETE FROM %I WHERE namespace_id = $1 AND memory_id = ANY($2)', 'memory_vectors_' || generation)
          USING namespace, dropped;
    END LOOP;
    INSERT INTO corpus_counts (namespace_id, passages, lexemes) VALUES (namespace, -cardinality(dropped), -words);
    RETURN cardinality(dropped);
END $$;
COMMENT ON FUNCTION drop_derived_passages IS
    'Take what background work wrote of these memories out of the index, in the namespace that the transaction is set to; '
    'returns how many passages.';
REVOKE ALL ON FUNCTION drop_derived_passages FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_derived_passages TO everword_compactor;

-- Erasing a namespace now erases all of that too.
CREATE OR REPLACE FUNCTION erase_namespace_rows(target bigint, batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    erased bigint;
    child text;
    children text[] := ARRAY['embedding_queue', 'memory_use', 'memory_classes', 'importance_suggestions', 'memories',
                             'author_names', 'usage_ledger', 'tool_sentence_queue', 'tool_sentences', 'calendar_owed',
                             'compaction_progress', 'summary_voices', 'summary_sources', 'summaries', 'messages',
                             'append_requests', 'conversations', 'jobs', 'corpus_counts', 'api_keys'];
BEGIN
    IF NOT EXISTS (SELECT FROM namespaces WHERE id = target AND state = 'deleting') THEN
        RETURN 0;
    END IF;
    -- Children before parents; one table a call keeps the transaction short.
    FOREACH child IN ARRAY ARRAY(SELECT 'memory_vectors_' || id FROM model_generations ORDER BY id) || children LOOP
        EXECUTE format(
            'DELETE FROM %1$I WHERE namespace_id = $1 AND (tableoid, ctid) IN '
            '(SELECT tableoid, ctid FROM %1$I WHERE namespace_id = $1 LIMIT $2)', child
        ) USING target, batch;
        GET DIAGNOSTICS erased = ROW_COUNT;
        IF erased > 0 THEN
            RETURN erased;
        END IF;
    END LOOP;
    DELETE FROM namespaces WHERE id = target;
    RETURN 0;
END $$;
