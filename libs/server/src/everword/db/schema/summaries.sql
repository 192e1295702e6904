-- The summary DAG along conversations and along the calendar, and sentences for tool calls.

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
    name text NOT NULL DEFAULT '',
    hidden boolean NOT NULL DEFAULT false,
    PRIMARY KEY (namespace_id, id),
    CHECK ((level BETWEEN 1 AND 3) = (conversation_id IS NOT NULL AND first_seq IS NOT NULL AND last_seq IS NOT NULL)),
    CHECK ((level BETWEEN 4 AND 7) = (period IS NOT NULL)),
    -- Weeks, months and years cover all instances.
    CHECK (level < 5 OR level > 7 OR instance = ''),
    CHECK (earliest_at <= latest_at)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE summaries IS 'Levels 1-3 leaf, branch, root of a conversation; 4-7 day to year; 8 significant. Ids stay when rewritten.';
COMMENT ON COLUMN summaries.first_seq IS 'For levels 1-3: the range of the conversation that the node covers.';
COMMENT ON COLUMN summaries.period IS 'For levels 4-7: the first day of the period, in the namespace''s time zone.';
COMMENT ON COLUMN summaries.subject IS 'For levels 4-7: the subject of the calendar; empty in a shared calendar.';
COMMENT ON COLUMN summaries.parent_id IS 'The node above; summary_sources holds the same link from the other end.';
COMMENT ON COLUMN summaries.previous_id IS 'The latest earlier node of the conversation, or of the level, at the time of creation.';
COMMENT ON COLUMN summaries.stale IS 'Whether its sources have changed and it must be rewritten.';
COMMENT ON COLUMN summaries.needs_review IS 'Whether it has claims that its sources do not support; see faithfulness.';
COMMENT ON COLUMN summaries.name IS 'Unique: `2024-03-05`, `2024-03-05/phone@mira`, `2024-W10@mira`, `2024-03-05 · The heron`. Empty for levels 1-3.';
COMMENT ON COLUMN summaries.hidden IS 'Whether a source was erased. The text is blank until it is rewritten.';
-- One node per range of a conversation and per period, so that two compactors build one DAG.
CREATE UNIQUE INDEX summaries_conversation ON summaries (namespace_id, conversation_id, level, first_seq) WHERE conversation_id IS NOT NULL;
CREATE UNIQUE INDEX summaries_period ON summaries (namespace_id, level, period, subject, instance) WHERE period IS NOT NULL;
CREATE INDEX summaries_parent ON summaries (namespace_id, parent_id) WHERE parent_id IS NOT NULL;
-- Lists read each level in the order of time.
CREATE INDEX summaries_level ON summaries (namespace_id, level, latest_at, id);
-- Also finds the days of a subject's week among those of many subjects.
CREATE INDEX summaries_subject ON summaries (namespace_id, level, subject, latest_at, id);
-- Finds weeks, months and years that are missing above a node.
CREATE INDEX summaries_orphans ON summaries (namespace_id, level) WHERE parent_id IS NULL AND level BETWEEN 4 AND 6;
CREATE INDEX summaries_stale ON summaries (namespace_id, level) WHERE stale;
CREATE INDEX summaries_review ON summaries (namespace_id, level, latest_at, id) WHERE needs_review;
-- Outdated nodes are found by namespace, so that a namespace with many does not delay the others.
CREATE INDEX summaries_written_by ON summaries (level, model, prompt_version, namespace_id);
CREATE UNIQUE INDEX summaries_name ON summaries (namespace_id, name) WHERE name <> '';
SELECT create_partitions('summaries'), isolate_table('summaries', 'in_scope(agent, subject)',
    'NOT hidden AND is_shown(conversation_id)');
-- A hidden summary is visible to the compactor only, which rewrites it.
ALTER POLICY isolation ON summaries TO everword_ingest, everword_search, everword_embedder;
CREATE POLICY isolation_of_writers ON summaries TO everword_compactor
    USING (namespace_id = nullif(current_setting('everword.namespace_id', true), '')::bigint AND is_shown(conversation_id))
    WITH CHECK (namespace_id = nullif(current_setting('everword.namespace_id', true), '')::bigint);
GRANT SELECT, INSERT ON summaries TO everword_ingest;
GRANT SELECT ON summaries TO everword_search;
GRANT SELECT, INSERT, UPDATE ON summaries TO everword_compactor;
INSERT INTO erasure_targets VALUES ('summary', 11);
INSERT INTO erasure_rules VALUES
    ('subject', 20, 'summaries', 'subject', 'summary', 'What is significant; the others are along conversations.', 'level = 8',
     true),
    ('summary', 12, 'summaries', 'id', 'source', '', 'true', false);
INSERT INTO transfer_rules VALUES ('summaries', 30, 'summary', '{id}', 'Summaries of conversations and periods, and significant memories.');

CREATE TABLE summary_sources (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    summary_id uuid NOT NULL,
    ordinal integer NOT NULL CHECK (ordinal > 0),
    axis smallint NOT NULL CHECK (axis BETWEEN 1 AND 2),
    message_id uuid,
    child_id uuid,
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, summary_id, ordinal),
    CHECK ((message_id IS NULL) <> (child_id IS NULL)),
    FOREIGN KEY (namespace_id, summary_id) REFERENCES summaries (namespace_id, id) ON DELETE CASCADE,
    FOREIGN KEY (namespace_id, child_id) REFERENCES summaries (namespace_id, id),
    -- A message cannot be deleted while a summary has it as its source.
    FOREIGN KEY (namespace_id, message_id) REFERENCES messages (namespace_id, id) ON DELETE RESTRICT
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE summary_sources IS 'Sources of each node in order: messages, or nodes of the level below.';
COMMENT ON COLUMN summary_sources.agent IS 'With `subject`, those of the summary: scoped keys see the row by them.';
COMMENT ON COLUMN summary_sources.axis IS '1 along a conversation, 2 along the calendar.';
-- A message is under one leaf and one day, and a node under one parent.
CREATE UNIQUE INDEX summary_sources_message ON summary_sources (namespace_id, message_id, axis) WHERE message_id IS NOT NULL;
CREATE UNIQUE INDEX summary_sources_child ON summary_sources (namespace_id, child_id) WHERE child_id IS NOT NULL;
SELECT create_partitions('summary_sources'), isolate_table('summary_sources', 'in_scope(agent, subject)');
GRANT SELECT ON summary_sources TO everword_search;
GRANT SELECT, INSERT, DELETE ON summary_sources TO everword_compactor;
INSERT INTO erasure_rules VALUES
    ('message', 9, 'summary_sources', 'message_id'),
    ('summary', 10, 'summary_sources', 'summary_id'),
    ('summary', 11, 'summary_sources', 'child_id');
INSERT INTO transfer_rules VALUES ('summary_sources', 31, 'summary_source', '{summary_id,ordinal}');

CREATE FUNCTION outdated_summaries(
    at_level smallint, current_model text, current_version integer, batch integer, parked_since timestamptz)
RETURNS TABLE(namespace_id bigint, conversation_id uuid, period date, subject text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    -- Each minute starts at another namespace, in case more namespaces have outdated nodes than fit into a batch.
    first constant bigint := (SELECT floor(extract(epoch FROM now()) / 60)::bigint * 7919 % (max(n.id) + 1) FROM namespaces n);
    written_by text := '';
    version integer := -1;
    turns bigint[];
    turn bigint;
BEGIN
    -- Skips through the index from writer to writer, so that the cost does not depend on the number of nodes.
    LOOP
        SELECT s.model, s.prompt_version INTO written_by, version
          FROM summaries s
         WHERE s.level = at_level AND (s.model, s.prompt_version) > (written_by, version)
         ORDER BY s.model, s.prompt_version LIMIT 1;
        EXIT WHEN NOT FOUND;
        -- Extractive summaries do not replace those of a language model.
        CONTINUE WHEN CASE WHEN written_by = current_model THEN version >= current_version
                           ELSE current_model = 'extractive' END;
        turns := ARRAY(
            SELECT t.namespace_id
              FROM tenants t JOIN namespaces n ON n.id = t.namespace_id AND n.state = 'active'
             WHERE EXISTS (SELECT 1 FROM summaries s
                            WHERE s.namespace_id = t.namespace_id AND s.level = at_level AND s.model = written_by
                              AND s.prompt_version = version)
             ORDER BY t.namespace_id < first, t.namespace_id LIMIT batch);
        FOREACH turn IN ARRAY turns LOOP
            RETURN QUERY
            SELECT s.namespace_id, s.conversation_id, s.period, s.subject
              FROM summaries s
             WHERE s.namespace_id = turn AND s.level = at_level AND s.model = written_by AND s.prompt_version = version
               -- Failed jobs wait until `parked_since`, so that they do not delay the others.
               AND NOT EXISTS (SELECT 1 FROM jobs j
                                WHERE j.namespace_id = turn AND j.state = 'failed' AND j.updated_at > parked_since
                                  AND j.task = CASE WHEN at_level < 4 THEN 'compact' ELSE 'roll-up' END
                                  AND j.subject = CASE at_level
                                                  WHEN 4 THEN to_char(s.period, '"day/"YYYY-MM-DD')
                                                  WHEN 5 THEN to_char(s.period, '"week/"IYYY"-W"IW')
                                                  WHEN 6 THEN to_char(s.period, '"month/"YYYY-MM')
                                                  WHEN 7 THEN to_char(s.period, '"year/"YYYY')
                                                  ELSE s.conversation_id::text END
                                               || CASE WHEN at_level < 4 OR s.subject = '' THEN ''
                                                       ELSE '/' || encode(sha256(convert_to(s.subject, 'UTF8')), 'hex') END)
             LIMIT (batch - 1) / cardinality(turns) + 1;
        END LOOP;
    END LOOP;
END $$;
COMMENT ON FUNCTION outdated_summaries IS
    'Return nodes of a level by another model or older prompt, not parked: ids and dates. At most `batch` for each such model and '
    'prompt, shared by their namespaces.';

CREATE TABLE compaction_progress (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    conversation_id uuid NOT NULL,
    summarised_seq bigint NOT NULL DEFAULT 0,
    wanted_seq bigint NOT NULL DEFAULT 0,
    flushed_seq bigint NOT NULL DEFAULT 0,
    flushed_tokens bigint NOT NULL DEFAULT 0,
    learned_seq bigint NOT NULL DEFAULT 0,
    slept_seq bigint NOT NULL DEFAULT 0,
    sleep_wanted_seq bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace_id, conversation_id),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id)
);
COMMENT ON TABLE compaction_progress IS
    'Positions up to which a conversation was processed. Sequence numbers have no gaps and are assigned under a lock.';
COMMENT ON COLUMN compaction_progress.wanted_seq IS 'Position up to which a caller requested leaves, even if there are few messages.';
COMMENT ON COLUMN compaction_progress.flushed_seq IS 'Position up to which FlushConversation replaced messages by summaries.';
COMMENT ON COLUMN compaction_progress.flushed_tokens IS 'Tokens of these summaries and of the kept messages.';
COMMENT ON COLUMN compaction_progress.learned_seq IS 'Position up to which facts were learned.';
COMMENT ON COLUMN compaction_progress.slept_seq IS 'Position up to which Sleep made sessions.';
COMMENT ON COLUMN compaction_progress.sleep_wanted_seq IS 'Position up to which sessions count as finished, even if they are recent.';
SELECT isolate_table('compaction_progress', NULL);
GRANT SELECT, INSERT, UPDATE (sleep_wanted_seq) ON compaction_progress TO everword_ingest;
GRANT SELECT ON compaction_progress TO everword_search;
GRANT SELECT, INSERT, UPDATE ON compaction_progress TO everword_compactor;
INSERT INTO erasure_rules VALUES ('conversation', 10, 'compaction_progress', 'conversation_id');
INSERT INTO transfer_rules VALUES
    ('compaction_progress', 24, 'progress', '{conversation_id}', 'Watermarks of a conversation for summaries and learning.');

CREATE TABLE calendar_pending (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id bigint GENERATED ALWAYS AS IDENTITY,
    level smallint NOT NULL CHECK (level BETWEEN 4 AND 7),
    period date NOT NULL,
    subject text NOT NULL DEFAULT '',
    instance text NOT NULL DEFAULT '',
    conversation_id uuid,
    seqs bigint[] NOT NULL DEFAULT '{}',
    enqueued_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    CHECK ((level = 4) = (conversation_id IS NOT NULL))
);
COMMENT ON TABLE calendar_pending IS
    'Pending work of the calendar. Each append adds rows, so appends never wait and late commits are not missed.';
CREATE INDEX calendar_pending_period ON calendar_pending (namespace_id, level, period, subject, enqueued_at);
-- For the question whether a message is pending.
CREATE INDEX calendar_pending_conversation ON calendar_pending (namespace_id, conversation_id, period) WHERE level = 4;
SELECT isolate_table('calendar_pending', NULL);
GRANT INSERT ON calendar_pending TO everword_ingest;
GRANT SELECT ON calendar_pending TO everword_search;
GRANT SELECT, INSERT, DELETE ON calendar_pending TO everword_compactor;
INSERT INTO erasure_rules VALUES
    ('conversation', 11, 'calendar_pending', 'conversation_id'),
    ('subject', 23, 'calendar_pending', 'subject');
INSERT INTO transfer_rules VALUES
    ('calendar_pending', 32, 'pending_period', '{id}', 'Message that still goes into the summary of a period.', '{id}');

CREATE FUNCTION enqueue_days(
    namespace bigint, days date[], subject_list text[], instances text[], conversations uuid[], seq_list bigint[])
RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    said record;
BEGIN
    FOR said IN
        SELECT m.day, m.subject, m.instance, m.conversation_id, array_agg(m.seq ORDER BY m.seq) AS seqs
          FROM unnest(days, subject_list, instances, conversations, seq_list) AS m (day, subject, instance, conversation_id, seq)
         GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    LOOP
        INSERT INTO calendar_pending (namespace_id, level, period, subject, instance, conversation_id, seqs)
        VALUES (namespace, 4, said.day, said.subject, said.instance, said.conversation_id, said.seqs);
    END LOOP;
END $$;
COMMENT ON FUNCTION enqueue_days IS
    'Enqueue messages for their days: a row for each day, subject, instance and conversation, with the messages'' sequence numbers.';
GRANT EXECUTE ON FUNCTION enqueue_days TO everword_ingest, everword_compactor;

CREATE FUNCTION enqueue_lost_periods(namespace bigint) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    lost record;
BEGIN
    FOR lost IN
        SELECT found.level, found.period, found.subject
          FROM (SELECT s.level + 1 AS level, s.subject,
                       CASE s.level WHEN 4 THEN date_trunc('week', s.period)
                                    WHEN 5 THEN date_trunc('month', s.period + 3)
                                    ELSE date_trunc('year', s.period) END::date AS period
                  FROM summaries s
                 WHERE s.namespace_id = namespace AND s.level BETWEEN 4 AND 6 AND s.parent_id IS NULL AND NOT s.hidden
                 UNION
                SELECT s.level, s.subject, s.period
                  FROM summaries s
                 WHERE s.namespace_id = namespace AND s.level BETWEEN 5 AND 7 AND s.stale) AS found
         WHERE NOT EXISTS (SELECT 1 FROM calendar_pending p
                            WHERE p.namespace_id = namespace AND p.level = found.level AND p.period = found.period
                              AND p.subject = found.subject)
    LOOP
        INSERT INTO calendar_pending (namespace_id, level, period, subject)
        VALUES (namespace, lost.level, lost.period, lost.subject);
    END LOOP;
END $$;
COMMENT ON FUNCTION enqueue_lost_periods IS
    'Enqueue weeks, months and years that are missing above a node, or stale, although nothing is pending for them.';
GRANT EXECUTE ON FUNCTION enqueue_lost_periods TO everword_compactor;

CREATE FUNCTION pending_periods(batch integer, quiet interval, longest interval, moment timestamptz)
RETURNS TABLE(namespace_id bigint, time_zone text, day_cutoff_minutes integer, level smallint, period date, subject text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    quiet_since constant timestamptz := now() - quiet;
    waiting_since constant timestamptz := now() - longest;
BEGIN
    RETURN QUERY
    SELECT due.namespace_id, due.time_zone, due.day_cutoff_minutes, due.level, due.period, due.subject
      FROM (SELECT pending.namespace_id, n.time_zone, n.day_cutoff_minutes, pending.level, pending.period, pending.subject,
                   row_number() OVER (PARTITION BY pending.namespace_id, pending.level
                                          ORDER BY pending.period, pending.subject) AS place
              FROM (SELECT p.namespace_id, p.level, p.period, p.subject, min(p.enqueued_at) AS first_at,
                           max(p.enqueued_at) AS last_at
                      FROM calendar_pending p
                     GROUP BY 1, 2, 3, 4) AS pending
              JOIN namespaces n ON n.id = pending.namespace_id AND n.state = 'active'
             -- Tomorrow, because the caller knows changes of clocks better; it checks each period itself.
             CROSS JOIN LATERAL (
                   SELECT (moment AT TIME ZONE n.time_zone - make_interval(mins => n.day_cutoff_minutes))::date + 1 AS day
                   ) AS local
              LEFT JOIN summaries s ON s.namespace_id = pending.namespace_id AND s.level = pending.level
                                   AND s.period = pending.period AND s.subject = pending.subject
                                   AND pending.last_at > quiet_since AND pending.first_at > waiting_since
             WHERE s.id IS NULL
               -- A month or year may end three days before its last one.
               AND pending.period < CASE pending.level WHEN 4 THEN local.day
                                                       WHEN 5 THEN date_trunc('week', local.day)::date
                                                       WHEN 6 THEN date_trunc('month', local.day + 3)::date
                                                       ELSE date_trunc('year', local.day + 3)::date END) AS due
     WHERE due.place <= batch;
END $$;
COMMENT ON FUNCTION pending_periods IS
    'Return the earliest pending periods, `batch` per namespace and level; written ones after `quiet`, at most `longest`.';

CREATE TABLE summary_voices (
    namespace_id bigint PRIMARY KEY REFERENCES namespaces (id),
    identity text NOT NULL DEFAULT '',
    user_name text NOT NULL DEFAULT '',
    pronouns text NOT NULL DEFAULT '',
    channel_instructions jsonb NOT NULL DEFAULT '{}',
    handles jsonb NOT NULL DEFAULT '{}',
    updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE summary_voices IS 'The identity in whose first person summaries are written, and the names of people.';
SELECT isolate_table('summary_voices');
GRANT SELECT ON summary_voices TO everword_compactor;
GRANT SELECT, INSERT, UPDATE ON summary_voices TO everword_ingest;
INSERT INTO erasure_rules VALUES ('kept', 12, 'summary_voices', '', NULL, 'Settings of the operator for the namespace.');
INSERT INTO transfer_rules VALUES ('summary_voices', 10, 'summary_voice', '{updated_at}', 'Voice of summaries.');

CREATE TABLE tool_sentences (
    namespace_id bigint NOT NULL,
    message_id uuid NOT NULL,
    content text NOT NULL CHECK (content <> ''),
    model text NOT NULL,
    prompt_version integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, message_id),
    FOREIGN KEY (namespace_id, message_id) REFERENCES messages (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE tool_sentences IS 'A sentence about a tool call whose message has no text; part -1 of the message in the index.';
COMMENT ON COLUMN tool_sentences.agent IS 'With `subject`, those of the conversation: scoped keys see the row by them.';
SELECT create_partitions('tool_sentences'), isolate_table('tool_sentences', 'in_scope(agent, subject)');
GRANT SELECT ON tool_sentences TO everword_search;
GRANT SELECT, INSERT, UPDATE ON tool_sentences TO everword_compactor;
INSERT INTO erasure_rules VALUES ('message', 10, 'tool_sentences', 'message_id');
INSERT INTO transfer_rules VALUES ('tool_sentences', 22, 'tool_sentence', '{message_id}', 'Sentence for a tool call.');

CREATE TABLE tool_sentence_queue (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    message_id uuid NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN (
        'pending', -- waits for its sentence
        'failed'   -- given up, with an error
    )),
    attempts integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT now(),
    error text,
    enqueued_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, message_id)
);
COMMENT ON TABLE tool_sentence_queue IS 'Sentences of tool calls that are pending or failed. Not isolated: ids and states only.';
CREATE INDEX tool_sentence_queue_pending ON tool_sentence_queue (namespace_id, not_before) WHERE state = 'pending';
GRANT INSERT ON tool_sentence_queue TO everword_ingest;
GRANT SELECT ON tool_sentence_queue TO everword_search;
GRANT SELECT, INSERT, UPDATE, DELETE ON tool_sentence_queue TO everword_compactor;
INSERT INTO erasure_rules VALUES ('message', 11, 'tool_sentence_queue', 'message_id');
INSERT INTO transfer_rules VALUES
    ('tool_sentence_queue', 23, 'pending_sentence', '{message_id}', 'Tool call that still needs a sentence.');

GRANT EXECUTE ON FUNCTION outdated_summaries, pending_periods TO everword_compactor;
