-- Taking a namespace out whole, and putting it in elsewhere: a record for each row, in one order, under the ids that it has.

-- squawk-ignore ban-drop-constraint
ALTER TABLE namespaces DROP CONSTRAINT namespaces_state_check;
-- squawk-ignore constraint-missing-not-valid
ALTER TABLE namespaces ADD CONSTRAINT namespaces_state_check CHECK (state IN ('active', 'importing', 'deleting'));

-- Hashes of what was erased go along, and are to tell the same elsewhere: so they have a secret of the namespace.
ALTER TABLE namespaces ADD COLUMN erasure_salt bytea;
ALTER TABLE namespaces ALTER COLUMN erasure_salt SET DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
UPDATE namespaces n SET erasure_salt = DEFAULT
 WHERE NOT EXISTS (SELECT FROM erasures e WHERE e.namespace_id = n.id)
   AND NOT EXISTS (SELECT FROM erased_external_ids e WHERE e.namespace_id = n.id);
COMMENT ON COLUMN namespaces.erasure_salt IS
    'What names of erased things are hashed with. NULL where some were hashed with the secret of the deployment: these tell '
    'nothing elsewhere.';

CREATE OR REPLACE FUNCTION salted_hash(variadic parts text[]) RETURNS bytea
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT CASE WHEN n.erasure_salt IS NULL THEN sha256(d.token_secret || convert_to(to_jsonb(parts)::text, 'UTF8'))
                ELSE sha256(n.erasure_salt || convert_to(to_jsonb(parts[2:])::text, 'UTF8')) END
      FROM deployment d LEFT JOIN namespaces n ON n.id = parts[1]::bigint
$$;
COMMENT ON FUNCTION salted_hash IS
    'SHA-256 of texts with the secret of the namespace whose id is the first one: nobody without it can try what they were.';

CREATE TABLE namespace_imports (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    lines bigint NOT NULL CHECK (lines >= 0),
    digest bytea NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    PRIMARY KEY (namespace_id)
);
COMMENT ON TABLE namespace_imports IS 'How far the import is that a namespace comes from.';
COMMENT ON COLUMN namespace_imports.lines IS 'Lines of the file that are stored, from the first on.';
COMMENT ON COLUMN namespace_imports.digest IS 'SHA-256 of these lines: another file does not go on where one was broken off.';
SELECT isolate_table('namespace_imports');
GRANT SELECT, INSERT, UPDATE ON namespace_imports TO everword_ingest;
INSERT INTO erasure_rules (target, place, relation, key_column, only_where, goes_on, remark) VALUES
    ('kept', 19, 'namespace_imports', '', 'true', NULL, 'A count and a hash.');

-- A sum of rows that come and go.
CREATE VIEW transferred_counts AS
SELECT namespace_id, sum(conversations)::bigint AS conversations, sum(messages)::bigint AS messages, sum(turns)::bigint AS turns,
       sum(passages)::bigint AS passages, sum(lexemes)::bigint AS lexemes, sum(content_bytes)::bigint AS content_bytes,
       sum(dropped)::bigint AS dropped
  FROM corpus_counts
 GROUP BY namespace_id;

-- What is in an export: a kind of memory adds its tables here, or to what is left.
CREATE TABLE transfer_rules (
    relation text NOT NULL PRIMARY KEY,
    place integer NOT NULL UNIQUE,
    record text UNIQUE,
    keys text[] NOT NULL DEFAULT '{}',
    omitted text[] NOT NULL DEFAULT '{}',
    only_where text NOT NULL DEFAULT 'true',
    source text,
    page integer NOT NULL DEFAULT 500 CHECK (page > 0),
    remark text NOT NULL DEFAULT ''
);
COMMENT ON TABLE transfer_rules IS
    'The rows of `relation` are records of an export, in the order of `place` and then of `keys`: all columns but the namespace and '
    'those `omitted`. One without a record is left out, and the remark says why.';
COMMENT ON COLUMN transfer_rules.source IS 'What they are read from, where that is not the relation.';
COMMENT ON COLUMN transfer_rules.page IS 'Rows that are read at once: few where each may be large.';
GRANT SELECT ON transfer_rules TO everword_ingest;

-- Erasures are first: before anything else is stored, it is known whether the file is older than one.
INSERT INTO transfer_rules (place, record, relation, keys, remark) VALUES
    (1, 'erasure', 'erasures', '{id}', 'The record of an erasure.'),
    (2, 'erased_external_id', 'erased_external_ids', '{hash}', 'What is not to come back.'),
    (3, 'erased_request', 'append_requests', '{request_id}', 'As above, by the id of the call that stored it; for 8 days.'),
    (10, 'summary_voice', 'summary_voices', '{updated_at}', 'In whose voice summaries are.'),
    (11, 'retention_policy', 'retention_policies', '{kind}', ''),
    (12, 'retention_run', 'retention_runs', '{id}', 'What policies have removed.'),
    (13, 'budget', 'budgets', '{id}', ''),
    (14, 'budget_spending', 'budget_spending', '{budget_id,period}', 'What was spent of a budget in a period.'),
    (15, 'budget_event', 'budget_events', '{id}', 'When a budget was nearly or wholly spent.'),
    (16, 'pattern_threshold', 'pattern_thresholds', '{type}', ''),
    (20, 'conversation', 'conversations', '{id}', ''),
    (21, 'message', 'messages', '{id}', ''),
    (22, 'tool_sentence', 'tool_sentences', '{message_id}', 'What a tool call did, in words.'),
    (23, 'pending_sentence', 'tool_sentence_queue', '{message_id}', 'A tool call that is to be put into words.'),
    (24, 'progress', 'compaction_progress', '{conversation_id}', 'How far a conversation was summed up and learned from.'),
    (30, 'summary', 'summaries', '{id}', 'Of conversations, of days to years, and what is significant.'),
    (31, 'summary_source', 'summary_sources', '{summary_id,ordinal}', ''),
    (32, 'pending_period', 'calendar_pending', '{id}', 'What is still to go into a day, a week, a month or a year.'),
    (40, 'fact', 'facts', '{id}', ''),
    (41, 'fact_interval', 'fact_intervals', '{id}', 'When a fact held, and when that was believed.'),
    (42, 'fact_evidence', 'fact_evidence', '{id}', ''),
    (43, 'fact_change', 'fact_changes', '{id}', 'The history of a fact, corrections among it.'),
    (44, 'fact_dispute', 'fact_disputes', '{id}', ''),
    (45, 'fact_edge', 'fact_edges', '{id}', 'How facts bear on each other.'),
    (50, 'session', 'sleep_sessions', '{id}', 'A session that was learned from.'),
    (51, 'observation', 'session_observations', '{id}', ''),
    (52, 'night', 'sleep_nights', '{night}', 'The last night that was slept.'),
    (60, 'person', 'people', '{id}', ''),
    (61, 'event', 'events', '{id}', ''),
    (62, 'user_model', 'user_models', '{id}', ''),
    (63, 'trajectory', 'trajectories', '{id}', 'A snapshot of where somebody''s life is going.'),
    (64, 'strategy', 'strategies', '{id}', ''),
    (65, 'strategy_offer', 'strategy_offers', '{strategy_id}', ''),
    (66, 'learned_evidence', 'learned_evidence', '{id}', 'What people, events and the like rest on.'),
    (67, 'learned_change', 'learned_changes', '{id}', ''),
    (70, 'node', 'graph_nodes', '{id}', ''),
    (71, 'node_version', 'graph_node_versions', '{id}', ''),
    (72, 'node_name', 'graph_names', '{label_hash,type,agent,subject}', 'What a node is found by.'),
    (73, 'edge', 'graph_edges', '{id}', ''),
    (74, 'topic_page', 'topic_pages', '{node_id}', ''),
    (75, 'topic_source', 'topic_sources', '{node_id,source_id}', ''),
    (76, 'topic_change', 'topic_changes', '{id}', 'What changed since the pages were written.'),
    (77, 'theme', 'themes', '{id}', ''),
    (80, 'pattern', 'patterns', '{id}', ''),
    (81, 'pattern_outcome', 'pattern_outcomes', '{id}', ''),
    (82, 'pattern_decision', 'pattern_decisions', '{id}', ''),
    (83, 'note', 'notes', '{id}', ''),
    (84, 'note_version', 'note_versions', '{note_id,version}', ''),
    (85, 'document', 'documents', '{id}', 'Workspace files among them.'),
    (86, 'document_version', 'document_versions', '{document_id,version}', ''),
    (87, 'document_chunk', 'document_chunks', '{id}', ''),
    (88, 'lore_book', 'lore_books', '{id}', ''),
    (89, 'lore_entry', 'lore_entries', '{id}', ''),
    (90, 'checkpoint_counter', 'checkpoint_counters', '{conversation_id}', 'The last version of a checkpoint.'),
    (91, 'checkpoint', 'checkpoints', '{id}', ''),
    (92, 'usage', 'usage_ledger', '{id}', 'What a call of a model cost.'),
    (96, 'memory_use', 'memory_use', '{memory_id}', ''),
    (97, 'memory_class', 'memory_classes', '{memory_id}', 'How much a memory matters, as a caller said.'),
    (98, 'importance_suggestion', 'importance_suggestions', '{memory_id}', ''),
    (99, 'author_name', 'author_names', '{name}', 'A word that names somebody who spoke.'),
    (100, 'passage', 'memories', '{id}', 'A row of the index, without its vectors.'),
    (101, 'count', 'corpus_counts', '{messages}', 'Sums that ranking and statistics go by.'),
    (102, 'job', 'jobs', '{task,subject}', 'Background work on a conversation, on sentences for tool calls, or on themes.'),
    (201, NULL, 'embedding_queue', '{}', 'Rebuilt by the import: every passage is due for its vectors.'),
    (202, NULL, 'index_changes', '{}', 'What caches of another deployment have to learn.'),
    (203, NULL, 'memory_changes', '{}', 'What watchers have to be told, for a day.'),
    (204, NULL, 'api_keys', '{}', 'Credentials.'),
    (205, NULL, 'advisor_grants', '{}', 'Credentials.'),
    (206, NULL, 'namespace_imports', '{}', 'Where a namespace came from.');
UPDATE transfer_rules SET omitted = '{id}' WHERE record IN ('budget_event', 'pending_period', 'topic_change', 'usage', 'passage');
UPDATE transfer_rules SET omitted = '{erasure_id,erased_key}' WHERE record = 'conversation';
UPDATE transfer_rules SET omitted = '{through_passage}' WHERE record = 'erasure';
UPDATE transfer_rules SET omitted = '{id}', source = 'transferred_counts' WHERE record = 'count';
UPDATE transfer_rules
   SET omitted = '{id,state,dirty_seq,done_seq,attempts,fence,lease_until,published_at,trace_context,error,created_at,'
                 'updated_at,deaths}',
       -- What else is due is found by looking at what is there.
       only_where = $$state <> 'done' AND task NOT IN ('embed', 'roll-up') AND subject NOT IN ('namespace', 'topics')$$
 WHERE record = 'job';
-- What was stored by other calls is for who repeats them, and knows where it called.
UPDATE transfer_rules SET only_where = $$body_hash = ''$$ WHERE record = 'erased_request';
UPDATE transfer_rules SET page = 100 WHERE record IN ('message', 'note_version', 'lore_entry');
UPDATE transfer_rules SET page = 4 WHERE record IN ('document_version', 'checkpoint');

CREATE FUNCTION transferred_columns(rule transfer_rules) RETURNS text[]
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
     WHERE attrelid = to_regclass(rule.relation) AND attnum > 0 AND NOT attisdropped
       AND attname <> 'namespace_id' AND attname <> ALL(rule.omitted)
$$;
COMMENT ON FUNCTION transferred_columns IS 'The fields of a record, in their order.';

CREATE FUNCTION export_rows(record_ text, after_ jsonb) RETURNS TABLE (line text, key jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    rule transfer_rules;
    keys text;
    ordered text;
    later text := '';
BEGIN
    SELECT * INTO STRICT rule FROM transfer_rules WHERE record = record_;
    -- Texts are sorted alike in every database.
    SELECT string_agg(format('t.%I', k.name), ', ' ORDER BY k.place),
           string_agg(format('t.%I', k.name) || k.collated, ', ' ORDER BY k.place),
           format(' AND (%s) > (%s)', string_agg(format('t.%I', k.name) || k.collated, ', ' ORDER BY k.place),
                  string_agg(format('($2->>%s)::%s', k.place - 1, k.type), ', ' ORDER BY k.place))
           -- An index helps as far as its first column.
           || coalesce(max(format(' AND t.%I >= ($2->>0)::%s', k.name, k.type)) FILTER (WHERE k.place = 1 AND k.collated = ''), '')
      INTO keys, ordered, later
      FROM (SELECT name, place, format_type(a.atttypid, a.atttypmod) AS type,
                   CASE WHEN a.atttypid = 'text'::regtype THEN ' COLLATE "C"' ELSE '' END AS collated
              FROM unnest(rule.keys) WITH ORDINALITY AS k (name, place)
              JOIN pg_attribute a ON a.attrelid = to_regclass(coalesce(rule.source, rule.relation)) AND a.attname = k.name) AS k;
    RETURN QUERY EXECUTE format(
        'SELECT %1$L || row_to_json((SELECT c FROM (SELECT %2$s) AS c))::text || ''}'', jsonb_build_array(%3$s)'
        '  FROM %4$I t WHERE t.namespace_id = $1 AND (%5$s)%6$s ORDER BY %7$s LIMIT %8$s',
        format('{"%s":', record_), (SELECT string_agg(format('t.%I', c), ', ') FROM unnest(transferred_columns(rule)) AS c),
        keys, coalesce(rule.source, rule.relation), rule.only_where, CASE WHEN after_ IS NULL THEN '' ELSE later END, ordered,
        rule.page)
    USING erasing_namespace(), after_;
END $$;
COMMENT ON FUNCTION export_rows IS
    'Lines of the next records of a kind, after the one with a key, in the namespace that the transaction is set to.';

CREATE FUNCTION import_rows(record_ text, rows_ jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    rule transfer_rules;
    fields text[];
    columns text;
    broken bigint;
    unknown text;
BEGIN
    SELECT * INTO STRICT rule FROM transfer_rules WHERE record = record_;
    PERFORM FROM namespaces WHERE id = namespace AND state = 'importing' FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the namespace is not being imported' USING ERRCODE = 'serialization_failure';
    END IF;
    -- What an older file lacks gets its default.
    SELECT coalesce(array_agg(c ORDER BY place), '{}') INTO fields
      FROM unnest(transferred_columns(rule)) WITH ORDINALITY AS t (c, place)
     WHERE rows_ #> ARRAY['0', c] IS NOT NULL;
    SELECT e.place, (SELECT k FROM jsonb_object_keys(e.value) AS k WHERE k <> ALL(transferred_columns(rule)) LIMIT 1)
      INTO broken, unknown
      FROM jsonb_array_elements(rows_) WITH ORDINALITY AS e (value, place)
     WHERE NOT e.value ?& fields OR (SELECT count(*) FROM jsonb_object_keys(e.value)) <> cardinality(fields)
     ORDER BY e.place
     LIMIT 1;
    IF broken IS NOT NULL OR fields = '{}' THEN
        RAISE EXCEPTION '%', coalesce('this version of Everword does not know its field ' || unknown,
                                      'it does not have the fields ' || array_to_string(transferred_columns(rule), ', '))
              USING ERRCODE = 'invalid_parameter_value', DETAIL = coalesce(broken, 1);
    END IF;
    SELECT string_agg(format('%I', c), ', ') INTO columns FROM unnest(fields) AS c;
    -- Numbers that a table gives out itself are given out in the order of the file.
    EXECUTE format(
        'INSERT INTO %1$I (namespace_id, %2$s) SELECT $1, %2$s '
        '  FROM jsonb_populate_recordset(NULL::%1$I, $2) WITH ORDINALITY AS r ORDER BY r.ordinality', rule.relation, columns)
    USING namespace, rows_;
    IF record_ = 'passage' THEN
        -- Of another version, or cut off, it would be read for something else.
        IF EXISTS (SELECT FROM jsonb_to_recordset(rows_) AS r (ranking bytea)
                    WHERE r.ranking IS NOT NULL
                      AND (octet_length(r.ranking) < 8 OR octet_length(r.ranking) % 4 <> 0 OR get_byte(r.ranking, 0) <> 1)) THEN
            RAISE EXCEPTION 'ranking is no ranking record of version 1' USING ERRCODE = 'invalid_parameter_value';
        END IF;
        INSERT INTO embedding_queue (namespace_id, memory_id, generation_id)
        SELECT namespace, m.id, g.id
          FROM jsonb_to_recordset(rows_) AS r (source_id uuid, part integer)
          JOIN memories m ON m.namespace_id = namespace AND m.source_id = r.source_id AND m.part = r.part AND m.content <> ''
         CROSS JOIN model_generations g
         WHERE g.state IN ('building', 'active')
         ORDER BY m.id;
    END IF;
    RETURN jsonb_array_length(rows_);
END $$;
COMMENT ON FUNCTION import_rows IS
    'Store records of a kind in the namespace that the transaction is set to, which is being imported, and return how many. The '
    'vectors of passages become due.';
CREATE FUNCTION newer_erasure() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT n.name
      FROM namespaces own
      -- Copies of a namespace have its secret, and its age.
      JOIN namespaces n ON n.erasure_salt IS NOT DISTINCT FROM own.erasure_salt AND n.created_at = own.created_at
                       AND n.id <> own.id AND n.state <> 'deleting'
     WHERE own.id = erasing_namespace()
       AND EXISTS (SELECT FROM erasures e
                    WHERE e.namespace_id = n.id
                      AND NOT EXISTS (SELECT FROM erasures o WHERE o.namespace_id = own.id AND o.id = e.id))
     ORDER BY n.id
     LIMIT 1
$$;
COMMENT ON FUNCTION newer_erasure IS
    'The name of a copy of the namespace that the transaction is set to, where something was erased and is not here.';
REVOKE ALL ON FUNCTION export_rows, import_rows, transferred_columns, newer_erasure FROM PUBLIC;
GRANT EXECUTE ON FUNCTION export_rows, import_rows, transferred_columns, newer_erasure TO everword_ingest;

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ',
                    '''usage_ledger'', ''namespace_imports'', ');
END $$;
