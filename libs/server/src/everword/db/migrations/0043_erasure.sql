-- Erasing what was said, with everything that was derived from it. Service roles may not delete messages: one function does,
-- which the owner owns, and which ingest alone may call.

CREATE TABLE erasures (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    kind smallint NOT NULL CHECK (kind BETWEEN 1 AND 10),
    state smallint NOT NULL DEFAULT 1 CHECK (state BETWEEN 1 AND 2),
    target_id uuid,
    target_name text,
    target_hash bytea NOT NULL,
    requested_by text NOT NULL DEFAULT '',
    through_passage bigint NOT NULL DEFAULT 0,
    after_id uuid,
    counts jsonb NOT NULL DEFAULT '{}',
    attempts integer NOT NULL DEFAULT 0,
    error text,
    requested_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    PRIMARY KEY (namespace_id, id),
    CHECK ((state = 2) = (finished_at IS NOT NULL)),
    -- Once it is done, it says no more of whom or what it was about than a hash.
    CHECK (state = 1 OR target_name IS NULL)
);
COMMENT ON TABLE erasures IS
    'What was erased, when and on whose request: how many rows of which tables, and no content. A row that is not done is work.';
COMMENT ON COLUMN erasures.kind IS 'Values equal proto ErasureKind.';
COMMENT ON COLUMN erasures.state IS '1 running, 2 done.';
COMMENT ON COLUMN erasures.target_name IS 'The subject or author, for as long as it takes.';
COMMENT ON COLUMN erasures.target_hash IS 'SHA-256 of the target with the secret of the deployment: tells whether it was this one.';
COMMENT ON COLUMN erasures.through_passage IS 'Passages with higher ids came later, and stay.';
COMMENT ON COLUMN erasures.after_id IS 'Up to which message an author''s were looked for.';
COMMENT ON COLUMN erasures.counts IS 'Rows that are gone, by table.';
CREATE INDEX erasures_running ON erasures (updated_at) WHERE state = 1;
SELECT isolate_table('erasures');
GRANT SELECT, INSERT ON erasures TO everword_ingest;
GRANT UPDATE (error, attempts, updated_at) ON erasures TO everword_ingest;

CREATE TABLE erased_external_ids (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    hash bytea NOT NULL,
    erased_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, hash)
);
COMMENT ON TABLE erased_external_ids IS
    'SHA-256 of the external ids of erased messages, with the secret of the deployment and the key of the conversation: an '
    'import of the same transcript does not bring them back.';
SELECT isolate_table('erased_external_ids');

-- What belongs to a target: a kind of memory adds its tables here.
CREATE TABLE erasure_rules (
    target text NOT NULL CHECK (target IN (
        'message', 'conversation', 'subject', 'author', 'source', 'fact', 'learned', 'note', 'node', 'pattern', 'document',
        'lore_book', 'session', 'summary', 'kept')),
    place integer NOT NULL,
    relation text NOT NULL,
    key_column text NOT NULL,
    only_where text NOT NULL DEFAULT 'true',
    goes_on text,
    requested boolean NOT NULL DEFAULT false,
    remark text NOT NULL DEFAULT '',
    PRIMARY KEY (target, relation, key_column)
);
COMMENT ON TABLE erasure_rules IS
    'The rows that go with a target: those of `relation` whose `key_column` is the target, in the order of `place`. Where it goes '
    'on, their ids are targets of that name first. Where calls with request ids stored them, these forget what it was. `kept` names what holds no content of callers, and why it stays. A table '
    'that is not there yet is passed over.';
INSERT INTO erasure_rules (target, place, relation, key_column, only_where, goes_on, remark) VALUES
    ('message', 10, 'tool_sentences', 'message_id', 'true', NULL, ''),
    ('message', 11, 'tool_sentence_queue', 'message_id', 'true', NULL, ''),
    ('message', 12, 'learned_evidence', 'message_id', 'true', NULL, ''),
    ('message', 13, 'fact_evidence', 'message_id', 'true', NULL, ''),
    ('message', 14, 'graph_edges', 'message_id', 'true', NULL, ''),
    ('source', 10, 'memory_use', 'memory_id', 'true', NULL, ''),
    ('source', 11, 'memory_classes', 'memory_id', 'true', NULL, ''),
    ('source', 12, 'importance_suggestions', 'memory_id', 'true', NULL, ''),
    ('conversation', 10, 'compaction_progress', 'conversation_id', 'true', NULL, ''),
    ('conversation', 11, 'calendar_pending', 'conversation_id', 'true', NULL, ''),
    ('conversation', 12, 'sleep_sessions', 'conversation_id', 'true', 'session', ''),
    ('conversation', 13, 'notes', 'conversation_id', 'true', 'note', ''),
    ('session', 10, 'session_observations', 'session_id', 'true', NULL, ''),
    ('summary', 10, 'summary_sources', 'summary_id', 'true', NULL, ''),
    ('summary', 11, 'summary_sources', 'child_id', 'true', NULL, ''),
    ('summary', 12, 'summaries', 'id', 'true', 'source', ''),
    ('fact', 10, 'strategies', 'about_id', 'true', 'learned', ''),
    ('fact', 11, 'graph_edges', 'fact_id', 'true', NULL, ''),
    ('fact', 12, 'fact_edges', 'from_fact_id', 'true', NULL, ''),
    ('fact', 13, 'fact_edges', 'to_fact_id', 'true', NULL, ''),
    ('fact', 14, 'fact_disputes', 'old_fact_id', 'true', NULL, ''),
    ('fact', 15, 'fact_disputes', 'new_fact_id', 'true', NULL, ''),
    ('fact', 16, 'fact_changes', 'fact_id', 'true', NULL, ''),
    ('fact', 17, 'fact_changes', 'other_fact_id', 'true', NULL, ''),
    ('fact', 18, 'fact_evidence', 'fact_id', 'true', NULL, ''),
    ('fact', 19, 'fact_intervals', 'fact_id', 'true', 'source', 'Each interval is a memory.'),
    ('fact', 20, 'facts', 'id', 'true', NULL, ''),
    ('learned', 10, 'strategies', 'about_id', 'true', 'learned', ''),
    ('learned', 11, 'learned_evidence', 'about_id', 'true', NULL, ''),
    ('learned', 12, 'learned_changes', 'about_id', 'true', NULL, ''),
    ('learned', 13, 'strategy_offers', 'strategy_id', 'true', NULL, ''),
    ('learned', 14, 'strategies', 'id', 'true', NULL, ''),
    ('learned', 15, 'trajectories', 'id', 'true', NULL, ''),
    ('learned', 16, 'user_models', 'id', 'true', NULL, ''),
    ('learned', 17, 'events', 'id', 'true', NULL, ''),
    ('learned', 18, 'people', 'id', 'true', NULL, ''),
    ('note', 10, 'note_versions', 'note_id', 'true', NULL, ''),
    ('note', 11, 'notes', 'id', 'true', 'source', ''),
    ('node', 10, 'graph_edges', 'from_id', 'true', NULL, ''),
    ('node', 11, 'graph_edges', 'to_id', 'true', NULL, ''),
    ('node', 12, 'graph_node_versions', 'node_id', 'true', 'source', 'Each version is a memory.'),
    ('node', 13, 'graph_names', 'node_id', 'true', NULL, ''),
    ('node', 14, 'graph_nodes', 'id', 'true', NULL, ''),
    ('pattern', 10, 'pattern_decisions', 'pattern_id', 'true', NULL, ''),
    ('pattern', 11, 'pattern_outcomes', 'pattern_id', 'true', NULL, ''),
    ('pattern', 12, 'patterns', 'id', 'true', NULL, ''),
    ('subject', 10, 'facts', 'subject', 'true', 'fact', ''),
    ('subject', 11, 'strategies', 'subject', 'true', 'learned', ''),
    ('subject', 12, 'trajectories', 'subject', 'true', 'learned', ''),
    ('subject', 13, 'user_models', 'subject', 'true', 'learned', ''),
    ('subject', 14, 'events', 'subject', 'true', 'learned', ''),
    ('subject', 15, 'people', 'subject', 'true', 'learned', ''),
    ('subject', 16, 'graph_nodes', 'subject', 'true', 'node', ''),
    ('subject', 17, 'notes', 'subject', 'true', 'note', ''),
    ('subject', 18, 'session_observations', 'subject', 'true', NULL, ''),
    ('subject', 19, 'sleep_sessions', 'subject', 'true', 'session', ''),
    ('subject', 20, 'summaries', 'subject', 'level = 8', 'summary', 'What is significant; the others are along conversations.'),
    ('author', 10, 'note_versions', 'author', 'true', NULL, 'Versions; a note that was last written by the author goes whole.'),
    ('conversation', 14, 'documents', 'conversation_id', 'true', 'document', ''),
    ('conversation', 15, 'lore_books', 'conversation_id', 'true', 'lore_book', ''),
    ('conversation', 16, 'checkpoints', 'conversation_id', 'true', NULL, ''),
    ('conversation', 17, 'checkpoint_counters', 'conversation_id', 'true', NULL, ''),
    ('document', 10, 'document_chunks', 'document_id', 'true', 'source', 'Each chunk is a memory.'),
    ('document', 11, 'document_versions', 'document_id', 'true', NULL, ''),
    ('document', 12, 'documents', 'id', 'true', NULL, ''),
    ('lore_book', 10, 'lore_entries', 'book_id', 'true', 'source', 'Each entry is a memory.'),
    ('lore_book', 11, 'lore_books', 'id', 'true', NULL, ''),
    ('subject', 21, 'documents', 'subject', 'true', 'document', ''),
    ('subject', 22, 'lore_books', 'subject', 'true', 'lore_book', ''),
    ('author', 11, 'document_versions', 'author', 'true', NULL, 'As of notes.'),
    ('node', 1, 'topic_pages', 'node_id', 'true', 'source', 'A page is a memory.'),
    ('node', 2, 'topic_sources', 'node_id', 'true', NULL, ''),
    ('node', 3, 'topic_changes', 'node_id', 'true', NULL, ''),
    ('fact', 1, 'topic_changes', 'fact_id', 'true', NULL, ''),
    ('summary', 1, 'topic_changes', 'leaf_id', 'true', NULL, ''),
    ('kept', 16, 'budgets', '', 'true', NULL, 'Limits, and names of agents and models.'),
    ('kept', 17, 'budget_spending', '', 'true', NULL, 'Sums, by month or by the id of a run.'),
    ('kept', 18, 'budget_events', '', 'true', NULL, 'Sums, and when they were reached.'),
    ('kept', 1, 'messages', '', 'true', NULL, 'erase_messages removes them.'),
    ('kept', 2, 'memories', '', 'true', NULL, 'remove_passages removes them, with their vectors.'),
    ('kept', 3, 'conversations', '', 'true', NULL, 'finish_erasure removes them.'),
    ('kept', 4, 'themes', '', 'true', NULL, 'withdraw_derived removes those that may have been made from it.'),
    ('kept', 5, 'author_names', '', 'true', NULL, 'finish_erasure removes names that nobody has any more.'),
    ('kept', 6, 'append_requests', '', 'true', NULL, 'Ids that callers made up, for 8 days; hashes of erased bodies go.'),
    ('kept', 7, 'jobs', '', 'true', NULL, 'Ids and states; errors go.'),
    ('kept', 8, 'embedding_queue', '', 'true', NULL, 'remove_passages removes what waits.'),
    ('kept', 9, 'usage_ledger', '', 'true', NULL, 'Models, tokens and costs; forget_sessions removes whose they were.'),
    ('kept', 10, 'advisor_grants', '', 'true', NULL, 'Hashes of keys, and names of repositories.'),
    ('kept', 11, 'api_keys', '', 'true', NULL, 'Hashes of keys, and what operators call them.'),
    ('kept', 12, 'summary_voices', '', 'true', NULL, 'What an operator set for the namespace.'),
    ('kept', 13, 'pattern_thresholds', '', 'true', NULL, 'Numbers that were set for types.'),
    ('kept', 14, 'erasures', '', 'true', NULL, 'The record of erasures: counts and hashes.'),
    ('kept', 15, 'erased_external_ids', '', 'true', NULL, 'Hashes with a secret.'),
    ('kept', 16, 'retention_runs', '', 'true', NULL, 'The record of what policies removed: counts.');

UPDATE erasure_rules SET requested = true
 WHERE target <> 'kept' AND relation IN ('note_versions', 'document_versions', 'lore_books', 'lore_entries', 'checkpoints');

ALTER TABLE namespaces ADD COLUMN hides integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN namespaces.hides IS
    'How many erasures are at work whose rows are hidden until they are gone. Mostly none, and then no read looks for them.';

ALTER TABLE conversations ADD COLUMN erasure_id uuid, ADD COLUMN erased_key bytea;
COMMENT ON COLUMN conversations.erasure_id IS 'The erasure that it goes with: no service sees it any more.';
COMMENT ON COLUMN conversations.erased_key IS 'SHA-256 of the key that it had, with the secret of the deployment.';
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX conversations_erasure ON conversations (namespace_id, erasure_id) WHERE erasure_id IS NOT NULL;

ALTER TABLE summaries ADD COLUMN hidden boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN summaries.hidden IS 'What it was made from was erased in part: its words are gone, and it is due to be written anew.';

-- What rests on a message is found by it.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX graph_edges_message ON graph_edges (namespace_id, message_id) WHERE message_id IS NOT NULL;

CREATE FUNCTION hidden_conversation(namespace bigint, conversation uuid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT EXISTS (SELECT FROM conversations
                    WHERE namespace_id = namespace AND id = conversation AND erasure_id IS NOT NULL)
$$;
COMMENT ON FUNCTION hidden_conversation IS 'Whether a conversation is being erased.';

CREATE FUNCTION hidden_message(namespace bigint, conversation uuid, speaker text, recorded timestamptz) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT hidden_conversation(namespace, conversation)
        OR EXISTS (SELECT FROM erasures
                    WHERE namespace_id = namespace AND state = 1 AND kind = 4 AND target_name = speaker
                      AND requested_at >= recorded)
$$;
COMMENT ON FUNCTION hidden_message IS 'Whether a message is being erased.';

CREATE FUNCTION hidden_passage(namespace bigint, conversation uuid, speaker text, passage bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT conversation IS NOT NULL
       AND (hidden_conversation(namespace, conversation)
            OR EXISTS (SELECT FROM erasures
                        WHERE namespace_id = namespace AND state = 1 AND kind = 4 AND target_name = speaker
                          AND through_passage >= passage))
$$;
COMMENT ON FUNCTION hidden_passage IS 'Whether a passage is of what is being erased.';
REVOKE ALL ON FUNCTION hidden_conversation, hidden_message, hidden_passage FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hidden_conversation, hidden_message, hidden_passage
    TO everword_ingest, everword_search, everword_compactor, everword_embedder;

-- Whether a namespace hides anything is known once a transaction, and asked once a statement.
CREATE OR REPLACE VIEW visible_memories AS
SELECT namespace_id, id, kind, source_id, part, conversation_id, seq, agent, subject, channel, instance, author, role, tags,
       importance_class, automated, occurred_at, content, lexemes, lexeme_count, literals, ranking,
       valid_from, valid_until, known_from, known_until
  FROM memories
 WHERE namespace_id = nullif(current_setting('everword.namespace_id', true), '')::bigint
   AND ((SELECT coalesce(current_setting('everword.hides', true), '') IN ('', '0'))
        OR NOT hidden_passage(namespace_id, conversation_id, author, id))
  WITH LOCAL CHECK OPTION;

CREATE POLICY shown ON messages AS RESTRICTIVE FOR SELECT USING (
    (SELECT coalesce(current_setting('everword.hides', true), '') IN ('', '0'))
    OR NOT hidden_message(namespace_id, conversation_id, author, recorded_at));
CREATE POLICY shown ON conversations AS RESTRICTIVE USING (erasure_id IS NULL);
CREATE POLICY shown ON summaries AS RESTRICTIVE FOR SELECT USING (
    conversation_id IS NULL
    OR (SELECT coalesce(current_setting('everword.hides', true), '') IN ('', '0'))
    OR NOT hidden_conversation(namespace_id, conversation_id));
-- The compactor writes them anew.
CREATE POLICY written ON summaries AS RESTRICTIVE FOR SELECT TO everword_search, everword_ingest USING (NOT hidden);

-- The steps of erasing. Only the functions at the end may be called by a service; these work in the namespace that the
-- transaction is set to.

CREATE FUNCTION erasing_namespace() RETURNS bigint
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT nullif(current_setting('everword.namespace_id', true), '')::bigint
$$;
COMMENT ON FUNCTION erasing_namespace IS 'The namespace that the transaction is set to.';

CREATE FUNCTION salted_hash(variadic parts text[]) RETURNS bytea
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT sha256(token_secret || convert_to(to_jsonb(parts)::text, 'UTF8')) FROM deployment
$$;
COMMENT ON FUNCTION salted_hash IS 'SHA-256 of texts with the secret of the deployment: nobody without it can try what they were.';

CREATE FUNCTION merge_erased(one jsonb, other jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = everword, pg_temp AS $$
    -- Counts are added up, lists of ids joined.
    SELECT coalesce(jsonb_object_agg(key, value), '{}')
      FROM (SELECT key,
                   CASE WHEN jsonb_typeof((array_agg(value))[1]) = 'number' THEN to_jsonb(sum(value::text::numeric) FILTER (WHERE jsonb_typeof(value) = 'number'))
                        ELSE (SELECT coalesce(jsonb_agg(DISTINCT each), '[]') FROM unnest(array_agg(value)) AS list, jsonb_array_elements(list) AS each) END AS value
              FROM (SELECT * FROM jsonb_each(one) UNION ALL SELECT * FROM jsonb_each(other)) AS both_of_them (key, value)
             GROUP BY key) AS merged
$$;
COMMENT ON FUNCTION merge_erased IS 'What two steps did, together.';

CREATE FUNCTION remove_passages(sources uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    removed bigint[];
    words bigint;
    generation bigint;
    vectors bigint;
    authors text[];
    counts jsonb;
BEGIN
    WITH gone AS (
        DELETE FROM memories WHERE namespace_id = namespace AND source_id = ANY(sources) RETURNING id, lexeme_count, author
    )
    SELECT coalesce(array_agg(id ORDER BY id), '{}'), coalesce(sum(lexeme_count), 0),
           array_agg(DISTINCT author) FILTER (WHERE author <> '')
      INTO removed, words, authors FROM gone;
    IF cardinality(removed) = 0 THEN
        RETURN '{}';
    END IF;
    counts := jsonb_build_object('memories', cardinality(removed));
    -- First the queue: a worker that is storing a vector holds its row, and what comes after it sees the vector.
    DELETE FROM embedding_queue WHERE namespace_id = namespace AND memory_id = ANY(removed);
    FOR generation IN SELECT id FROM model_generations ORDER BY id LOOP
        EXECUTE format('DELETE FROM %I WHERE namespace_id = $1 AND memory_id = ANY($2)', 'memory_vectors_' || generation)
          USING namespace, removed;
        GET DIAGNOSTICS vectors = ROW_COUNT;
        IF vectors > 0 THEN
            counts := merge_erased(counts, jsonb_build_object('memory_vectors_' || generation, vectors));
        END IF;
    END LOOP;
    INSERT INTO corpus_counts (namespace_id, passages, dropped, lexemes)
    VALUES (namespace, -cardinality(removed), cardinality(removed), -words);
    PERFORM log_index_change(removed, '{}');
    RETURN counts || jsonb_build_object('authors_gone', coalesce(
        (SELECT jsonb_agg(one) FROM unnest(authors) AS one
          WHERE NOT EXISTS (SELECT FROM memories m WHERE m.namespace_id = namespace AND m.author = one)), '[]'));
END $$;
COMMENT ON FUNCTION remove_passages IS 'Take memories out of the index with their vectors, whatever their kind; copies of the index follow.';

CREATE FUNCTION erase_rows(of_target text, ids uuid[], names text[], spared text[] DEFAULT '{}') RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    rule erasure_rules;
    key_type text;
    matches text;
    further uuid[];
    gone bigint;
    counts jsonb := '{}';
BEGIN
    IF of_target = 'source' THEN
        counts := remove_passages(ids);
    ELSIF of_target IN ('fact', 'node', 'pattern') THEN
        -- A call that is repeated would look for what it stored.
        PERFORM forget_requests(ids);
    END IF;
    FOR rule IN SELECT * FROM erasure_rules
                 WHERE target = of_target AND to_regclass(relation) IS NOT NULL AND NOT relation = ANY(spared)
                 ORDER BY place LOOP
        further := NULL;
        SELECT format_type(atttypid, NULL) INTO key_type
          FROM pg_attribute WHERE attrelid = rule.relation::regclass AND attname = rule.key_column;
        matches := format(CASE key_type WHEN 'uuid' THEN '%1$I = ANY($2)' WHEN 'uuid[]' THEN '%1$I && $2'
                                        ELSE '%1$I = ANY($3)' END || ' AND (%2$s)', rule.key_column, rule.only_where);
        IF rule.goes_on IS NOT NULL OR rule.requested THEN
            EXECUTE format('SELECT array_agg(id) FROM %I WHERE namespace_id = $1 AND %s', rule.relation, matches)
               INTO further USING namespace, ids, names;
            IF rule.requested AND further IS NOT NULL THEN
                PERFORM forget_requests(further);
            END IF;
            IF rule.goes_on IS NOT NULL AND further IS NOT NULL AND (rule.goes_on <> of_target OR NOT further <@ ids) THEN
                counts := merge_erased(counts, erase_rows(rule.goes_on, further, '{}'));
            END IF;
        END IF;
        EXECUTE format('DELETE FROM %I WHERE namespace_id = $1 AND %s', rule.relation, matches) USING namespace, ids, names;
        GET DIAGNOSTICS gone = ROW_COUNT;
        IF gone > 0 THEN
            counts := merge_erased(counts, jsonb_build_object(rule.relation, gone));
        END IF;
    END LOOP;
    RETURN counts;
END $$;
COMMENT ON FUNCTION erase_rows IS
    'Delete what erasure_rules say belongs to targets: those with these ids, or these names. Spared tables stay as they are. '
    'Returns how many rows of which tables.';

CREATE FUNCTION withdraw_pages(sources uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    IF to_regprocedure('forget_topic_sources(uuid[])') IS NOT NULL THEN
        EXECUTE 'SELECT forget_topic_sources($1)' USING sources;
    END IF;
END $$;
COMMENT ON FUNCTION withdraw_pages IS 'Take out the pages about topics that were made from facts or leaves; they are made anew.';

CREATE FUNCTION forget_sessions(conversations uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    UPDATE usage_ledger SET session_key = '', conversation_id = NULL
     WHERE namespace_id = erasing_namespace() AND conversation_id = ANY(conversations);
    -- Agents may report a session without saying of which conversation it was.
    UPDATE usage_ledger u SET session_key = ''
      FROM conversations c
     WHERE c.namespace_id = erasing_namespace() AND c.id = ANY(conversations) AND u.namespace_id = erasing_namespace()
       AND u.session_key = c.session_key AND u.agent IN ('', c.agent);
END $$;
COMMENT ON FUNCTION forget_sessions IS
    'Forget of which conversations calls were, in the ledger of what models cost; while these have their keys.';

CREATE FUNCTION withdraw_nodes(direct uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    covering uuid[];
    empty uuid[];
    removed uuid[] := '{}';
    counts jsonb;
BEGIN
    IF direct IS NULL THEN
        RETURN '{}';
    END IF;
    WITH RECURSIVE above (id) AS (
        SELECT unnest(direct)
         UNION
        SELECT s.parent_id FROM above JOIN summaries s ON s.namespace_id = namespace AND s.id = above.id
         WHERE s.parent_id IS NOT NULL
    )
    SELECT array_agg(id) INTO covering FROM above;
    -- In the order of ids, as whoever else holds several.
    PERFORM id FROM summaries WHERE namespace_id = namespace AND id = ANY(covering) ORDER BY id FOR UPDATE;
    PERFORM withdraw_pages(covering);
    counts := remove_passages(covering);
    -- From below upwards: what has nothing left that it could be made from goes.
    LOOP
        SELECT array_agg(id) INTO empty
          FROM summaries n
         WHERE n.namespace_id = namespace AND n.id = ANY(covering) AND NOT n.id = ANY(removed)
           AND NOT EXISTS (SELECT FROM summary_sources s WHERE s.namespace_id = namespace AND s.summary_id = n.id);
        EXIT WHEN empty IS NULL;
        counts := merge_erased(counts, erase_rows('summary', empty, '{}'));
        removed := removed || empty;
    END LOOP;
    -- The others keep their ids and places, and no word. Whoever is writing one anew has read an older revision.
    UPDATE summaries
       SET content = '[erased]', title = CASE WHEN level < 4 THEN '' ELSE title END, hidden = true, stale = true,
           needs_review = true, faithfulness = NULL, model = 'extractive', prompt_version = 0, token_count = 0,
           revision = revision + 1
     WHERE namespace_id = namespace AND id = ANY(covering) AND NOT id = ANY(removed);
    INSERT INTO calendar_pending (namespace_id, level, period, instance, conversation_id)
    SELECT namespace, n.level, n.period, n.instance,
           CASE WHEN n.level = 4 THEN (SELECT m.conversation_id FROM summary_sources s
                                         JOIN messages m ON m.namespace_id = namespace AND m.id = s.message_id
                                        WHERE s.namespace_id = namespace AND s.summary_id = n.id LIMIT 1) END
      FROM summaries n
     WHERE n.namespace_id = namespace AND n.id = ANY(covering) AND n.level BETWEEN 4 AND 7 AND NOT n.id = ANY(removed)
       AND NOT EXISTS (SELECT FROM calendar_pending p
                        WHERE p.namespace_id = namespace AND p.level = n.level AND p.period = n.period
                          AND p.instance = n.instance);
    RETURN counts || jsonb_build_object(
        'summaries_withdrawn', cardinality(covering) - cardinality(removed),
        'conversations_to_compact', coalesce((SELECT jsonb_agg(DISTINCT conversation_id) FROM summaries
                                     WHERE namespace_id = namespace AND id = ANY(covering) AND conversation_id IS NOT NULL), '[]'));
END $$;
COMMENT ON FUNCTION withdraw_nodes IS
    'Take the words out of summaries and of those above them, and hide them until they are written anew.';

CREATE FUNCTION withdraw_summaries(gone uuid[], axes smallint[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    direct uuid[];
BEGIN
    WITH lost AS (
        DELETE FROM summary_sources s USING unnest(gone) AS erased (id)
         WHERE s.namespace_id = namespace AND s.message_id = erased.id AND s.axis = ANY(axes) RETURNING s.summary_id
    )
    SELECT array_agg(DISTINCT summary_id) INTO direct FROM lost;
    RETURN withdraw_nodes(direct);
END $$;
COMMENT ON FUNCTION withdraw_summaries IS 'Withdraw the summaries that cover messages, along these axes.';

CREATE FUNCTION withdraw_facts(gone uuid[], since timestamptz) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    touched uuid[];
    dead uuid[];
    nodes uuid[];
    further uuid[];
    counts jsonb := '{}';
    lost bigint;
BEGIN
    WITH lost AS (
        DELETE FROM fact_evidence e USING unnest(gone) AS erased (id)
         WHERE e.namespace_id = namespace AND e.message_id = erased.id RETURNING e.fact_id
    )
    SELECT array_agg(DISTINCT fact_id), count(*) INTO touched, lost FROM lost;
    IF touched IS NOT NULL THEN
        counts := jsonb_build_object('fact_evidence', lost);
    END IF;
    SELECT coalesce(array_agg(f.id), '{}') INTO dead
      FROM facts f
     WHERE f.namespace_id = namespace AND f.id = ANY(coalesce(touched, '{}'))
       AND NOT EXISTS (SELECT FROM fact_evidence e
                        WHERE e.namespace_id = namespace AND e.fact_id = f.id AND NOT e.contradicts);
    SELECT array_agg(DISTINCT node) INTO nodes
      FROM (SELECT g.id, g.from_id, g.to_id FROM unnest(gone) AS erased (id)
              JOIN graph_edges g ON g.namespace_id = namespace AND g.message_id = erased.id
             UNION
            SELECT id, from_id, to_id FROM graph_edges WHERE namespace_id = namespace AND fact_id = ANY(dead)) AS edge
     CROSS JOIN LATERAL (VALUES (edge.from_id), (edge.to_id)) AS ends (node);
    counts := merge_erased(counts, erase_facts(dead));
    WITH lost AS (
        DELETE FROM graph_edges g USING unnest(gone) AS erased (id)
         WHERE g.namespace_id = namespace AND g.message_id = erased.id RETURNING 1
    )
    SELECT count(*) INTO lost FROM lost;
    counts := merge_erased(counts, jsonb_build_object('graph_edges', lost));
    -- A node that nothing else relates to anything was known from these words alone.
    SELECT array_agg(n.id) INTO further
      FROM graph_nodes n
     WHERE n.namespace_id = namespace AND n.id = ANY(nodes) AND n.anchor IS NULL
       AND NOT EXISTS (SELECT FROM graph_edges g WHERE g.namespace_id = namespace AND g.from_id = n.id)
       AND NOT EXISTS (SELECT FROM graph_edges g WHERE g.namespace_id = namespace AND g.to_id = n.id);
    IF further IS NOT NULL THEN
        counts := merge_erased(counts, erase_rows('node', further, '{}'));
    END IF;
    PERFORM withdraw_pages(coalesce(touched, '{}'));
    -- What was said about the others since may repeat the words.
    UPDATE fact_changes SET reason = ''
     WHERE namespace_id = namespace AND fact_id = ANY(touched) AND changed_at >= since AND reason <> '';
    UPDATE fact_disputes SET reason = ''
     WHERE namespace_id = namespace AND (old_fact_id = ANY(touched) OR new_fact_id = ANY(touched)) AND reason <> '';
    UPDATE fact_edges SET reason = ''
     WHERE namespace_id = namespace AND (from_fact_id = ANY(touched) OR to_fact_id = ANY(touched)) AND reason <> '';
    RETURN merge_erased(counts, jsonb_build_object('facts_to_weigh', coalesce(
        (SELECT jsonb_agg(id) FROM unnest(touched) AS id WHERE NOT id = ANY(dead)), '[]')));
END $$;
COMMENT ON FUNCTION withdraw_facts IS
    'Take evidence away: facts and relations that rested on nothing else go; those that are left are to be weighed anew.';

CREATE FUNCTION erase_facts(ids uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    opened jsonb;
BEGIN
    IF cardinality(ids) = 0 THEN
        RETURN '{}';
    END IF;
    PERFORM withdraw_pages(ids);
    WITH freed AS (
        UPDATE fact_intervals SET successor_id = NULL
         WHERE namespace_id = namespace AND successor_id = ANY(ids) AND NOT fact_id = ANY(ids)
        RETURNING id, fact_id, known_until
    )
    SELECT jsonb_build_object('intervals_to_open', coalesce(jsonb_agg(id), '[]'), 'facts_to_weigh',
                              coalesce(jsonb_agg(DISTINCT fact_id), '[]'))
      INTO opened FROM freed WHERE known_until IS NULL;
    RETURN merge_erased(opened, erase_rows('fact', ids, '{}'));
END $$;
COMMENT ON FUNCTION erase_facts IS
    'Delete facts with all that is about them. What they took the place of did not end then, as far as anybody knows.';

CREATE FUNCTION withdraw_learned(gone uuid[], subjects text[], since timestamptz) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    touched uuid[];
    dead uuid[];
    lost bigint;
    counts jsonb := '{}';
BEGIN
    WITH lost AS (
        DELETE FROM learned_evidence e USING unnest(gone) AS erased (id)
         WHERE e.namespace_id = namespace AND e.message_id = erased.id RETURNING e.about_id
    )
    SELECT coalesce(array_agg(DISTINCT about_id), '{}'), count(*) INTO touched, lost FROM lost;
    -- Questions and trajectories are written by a model from all that it was shown: one that may have seen the words goes.
    SELECT coalesce(array_agg(id), '{}') INTO dead
      FROM (SELECT id FROM strategies WHERE namespace_id = namespace AND id = ANY(touched)
             UNION
            SELECT id FROM trajectories
             WHERE namespace_id = namespace AND (id = ANY(touched) OR subject = ANY(subjects) AND created_at >= since)
             UNION
            SELECT about.id
              FROM (SELECT id FROM people WHERE namespace_id = namespace AND id = ANY(touched)
                     UNION ALL
                    SELECT id FROM events WHERE namespace_id = namespace AND id = ANY(touched)
                     UNION ALL
                    SELECT id FROM user_models WHERE namespace_id = namespace AND id = ANY(touched)) AS about
             WHERE NOT EXISTS (SELECT FROM learned_evidence e
                                WHERE e.namespace_id = namespace AND e.about_id = about.id)) AS gone_with_it;
    IF cardinality(touched) > 0 THEN
        counts := jsonb_build_object('learned_evidence', lost);
    END IF;
    IF cardinality(dead) > 0 THEN
        counts := merge_erased(counts, erase_rows('learned', dead, '{}'));
    END IF;
    UPDATE user_models u
       SET supporting = kept.messages, held_from = kept.first, last_seen_at = kept.last
      FROM (SELECT about_id, count(DISTINCT message_id) AS messages, min(said_at) AS first, max(said_at) AS last
              FROM learned_evidence WHERE namespace_id = namespace AND about_id = ANY(touched) GROUP BY about_id) AS kept
     WHERE u.namespace_id = namespace AND u.id = kept.about_id;
    UPDATE learned_changes SET reason = ''
     WHERE namespace_id = namespace AND about_id = ANY(touched) AND reason <> '';
    RETURN counts || jsonb_build_object(
        'people_to_fold', coalesce((SELECT jsonb_agg(id) FROM people WHERE namespace_id = namespace AND id = ANY(touched)), '[]'),
        'events_to_fold', coalesce((SELECT jsonb_agg(id) FROM events WHERE namespace_id = namespace AND id = ANY(touched)), '[]'));
END $$;
COMMENT ON FUNCTION withdraw_learned IS
    'Take evidence away from what Sleep learned: what rested on nothing else goes; people and events that are left are to be folded anew.';

CREATE FUNCTION withdraw_derived(gone uuid[], axes smallint[], learned_stays boolean DEFAULT false) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    since timestamptz;
    subjects text[];
    counts jsonb;
    lost bigint;
BEGIN
    SELECT min(m.recorded_at), array_agg(DISTINCT c.subject) INTO since, subjects
      FROM unnest(gone) AS erased (id)
      JOIN messages m ON m.namespace_id = namespace AND m.id = erased.id
      JOIN conversations c ON c.namespace_id = namespace AND c.id = m.conversation_id;
    IF since IS NULL THEN
        RETURN '{}';
    END IF;
    counts := withdraw_summaries(gone, axes);
    IF NOT learned_stays THEN
        counts := merge_erased(counts, withdraw_facts(gone, since));
        counts := merge_erased(counts, withdraw_learned(gone, subjects, since));
    END IF;
    -- What was observed in sessions that hold the messages.
    WITH touched AS (
        SELECT s.id AS session_id, erased.id AS message_id FROM unnest(gone) AS erased (id)
          JOIN messages m ON m.namespace_id = namespace AND m.id = erased.id
          JOIN sleep_sessions s ON s.namespace_id = namespace AND s.conversation_id = m.conversation_id
                               AND m.seq BETWEEN s.first_seq AND s.last_seq
    ), cleared AS (
        UPDATE sleep_sessions SET topics = '{}', error = NULL
         WHERE namespace_id = namespace AND id IN (SELECT session_id FROM touched)
    ), lost AS (
        DELETE FROM session_observations o USING touched
         WHERE o.namespace_id = namespace AND o.session_id = touched.session_id AND touched.message_id = ANY(o.message_ids)
        RETURNING 1
    )
    SELECT count(*) INTO lost FROM lost;
    counts := merge_erased(counts, jsonb_build_object('session_observations', lost));
    IF learned_stays THEN
        RETURN counts;
    END IF;
    -- Themes are made of a sample of all there is: those since then may have seen it, and are made anew by night.
    WITH lost AS (DELETE FROM themes WHERE namespace_id = namespace AND made_at >= since RETURNING 1)
    SELECT count(*) INTO lost FROM lost;
    counts := merge_erased(counts, jsonb_build_object('themes', lost));
    UPDATE jobs SET error = 'erased' WHERE namespace_id = namespace AND error IS NOT NULL AND error <> 'erased'
                                       AND updated_at >= since;
    RETURN counts;
END $$;
COMMENT ON FUNCTION withdraw_derived IS
    'Take away what was derived from messages, but for what is theirs alone; where what was learned stays, but for that as well.';

CREATE FUNCTION forget_requests(gone uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    UPDATE append_requests r
       SET body_hash = '', message_ids = '{}'
      FROM (SELECT DISTINCT q.request_id
              FROM append_requests q
             CROSS JOIN LATERAL unnest(q.message_ids) AS stored (id)
              JOIN unnest(gone) AS erased (id) ON erased.id = stored.id
             WHERE q.namespace_id = erasing_namespace()) AS about_them
     WHERE r.namespace_id = erasing_namespace() AND r.request_id = about_them.request_id;
END $$;
COMMENT ON FUNCTION forget_requests IS
    'Forget what calls were about that stored these: the ids of the calls stay, so that a repeated one stores nothing.';

CREATE FUNCTION fence_jobs() RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    -- As if their workers had fallen silent: what these have read is not stored, and another attempt reads what is left.
    UPDATE jobs
       SET state = 'pending', attempts = greatest(attempts - 1, 0), lease_until = NULL, published_at = NULL, fence = fence + 1,
           not_before = now(), updated_at = now()
     WHERE id IN (SELECT id FROM jobs WHERE namespace_id = erasing_namespace() AND state = 'running' AND task <> 'embed'
                   ORDER BY id FOR UPDATE);
END $$;
COMMENT ON FUNCTION fence_jobs IS 'Take running jobs away from workers that may have read what is erased.';

REVOKE ALL ON FUNCTION erasing_namespace, salted_hash, merge_erased, remove_passages, erase_rows, withdraw_pages, forget_sessions, withdraw_nodes, withdraw_summaries,
    withdraw_facts, erase_facts, withdraw_learned, withdraw_derived, forget_requests, fence_jobs FROM PUBLIC;

-- What ingest may call.

CREATE FUNCTION remove_messages(gone uuid[], learned_stays boolean) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    counts jsonb;
    lost bigint;
    turns bigint;
    bytes bigint;
    titled uuid[];
BEGIN
    IF cardinality(gone) > 5000 THEN
        RAISE EXCEPTION 'at most 5000 messages at once';
    END IF;
    -- Whoever writes to these conversations, or rests on these messages, is waited for, and waits.
    PERFORM id FROM conversations WHERE namespace_id = namespace AND id IN (
        SELECT conversation_id FROM messages WHERE namespace_id = namespace AND id = ANY(gone)) ORDER BY id FOR NO KEY UPDATE;
    PERFORM id FROM messages WHERE namespace_id = namespace AND id = ANY(gone) ORDER BY id FOR UPDATE;
    counts := withdraw_derived(gone, '{1,2}', learned_stays);
    counts := merge_erased(counts, erase_rows('source', gone, '{}'));
    counts := merge_erased(counts, erase_rows('message', gone, '{}', CASE WHEN learned_stays
                                   THEN '{fact_evidence,learned_evidence,graph_edges}' ELSE '{}' END::text[]));
    INSERT INTO erased_external_ids (namespace_id, hash)
    SELECT DISTINCT namespace, sha256(coalesce(c.erased_key, salted_hash(namespace::text, c.channel, c.agent, c.session_key))
                             || convert_to(m.external_id, 'UTF8'))
      FROM messages m JOIN conversations c ON c.namespace_id = namespace AND c.id = m.conversation_id
     WHERE m.namespace_id = namespace AND m.id = ANY(gone) AND m.external_id IS NOT NULL AND NOT learned_stays
        ON CONFLICT DO NOTHING;
    -- A title that was taken from one of them; every summary of the conversation was written under it.
    WITH untitled AS (
        UPDATE conversations c SET title = ''
          FROM messages m
         WHERE c.namespace_id = namespace AND c.title <> '' AND m.namespace_id = namespace AND m.conversation_id = c.id
           AND m.id = ANY(gone) AND m.role = 2
           AND starts_with(btrim(regexp_replace(m.content, '\s+', ' ', 'g')),
                           split_part(rtrim(c.title, '…'), '[credential removed]', 1))
        RETURNING c.id
    )
    SELECT array_agg(s.id) INTO titled
      FROM untitled JOIN summaries s ON s.namespace_id = namespace AND s.conversation_id = untitled.id AND NOT s.hidden;
    counts := merge_erased(counts, withdraw_nodes(titled));
    WITH lost AS (
        DELETE FROM messages WHERE namespace_id = namespace AND id = ANY(gone)
        RETURNING conversation_id, automated,
                  octet_length(content) + octet_length(tool_args) + octet_length(tool_result)
                  + coalesce((SELECT sum(octet_length(block ->> 'text') + octet_length(block ->> 'json'))
                                FROM jsonb_array_elements(content_blocks) AS block), 0) AS size
    ), counted AS (
        UPDATE conversations c SET turn_count = greatest(turn_count - lost.turns, 0)
          FROM (SELECT conversation_id, count(*) FILTER (WHERE NOT automated) AS turns FROM lost GROUP BY 1) AS lost
         WHERE c.namespace_id = namespace AND c.id = lost.conversation_id
    )
    SELECT count(*), count(*) FILTER (WHERE NOT automated), coalesce(sum(size), 0) INTO lost, turns, bytes FROM lost;
    IF lost > 0 THEN
        INSERT INTO corpus_counts (namespace_id, messages, turns, content_bytes) VALUES (namespace, -lost, -turns, -bytes);
    END IF;
    RETURN merge_erased(counts, jsonb_build_object('messages', lost));
END $$;
COMMENT ON FUNCTION remove_messages IS
    'Delete messages for an erasure, or for a policy, by which what was learned stays, and which lets them come again.';
REVOKE ALL ON FUNCTION remove_messages FROM PUBLIC;

CREATE FUNCTION erase_messages(gone uuid[]) RETURNS jsonb
LANGUAGE sql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT remove_messages(gone, false)
$$;
COMMENT ON FUNCTION erase_messages IS
    'Delete messages with all that was derived from them, at most 5,000 at once; returns how many rows of which tables, and what '
    'is to be made anew.';

CREATE FUNCTION erase_memories(of_target text, gone uuid[]) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
BEGIN
    IF of_target = 'fact' THEN
        RETURN erase_facts(gone);
    ELSIF of_target NOT IN ('note', 'learned', 'node', 'pattern', 'document') THEN
        RAISE EXCEPTION 'nothing of this kind is erased by its id: %', of_target;
    END IF;
    RETURN erase_rows(of_target, gone, '{}');
END $$;
COMMENT ON FUNCTION erase_memories IS
    'Delete notes, facts, what Sleep learned, nodes of the graph or patterns, by their ids, with all that is about them.';

CREATE FUNCTION target_messages(erasure erasures) RETURNS SETOF uuid
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT m.id FROM messages m WHERE erasure.kind = 1 AND m.namespace_id = erasure.namespace_id AND m.id = erasure.target_id
     UNION ALL
    SELECT m.id FROM conversations c JOIN messages m ON m.namespace_id = c.namespace_id AND m.conversation_id = c.id
     WHERE erasure.kind = 2 AND c.namespace_id = erasure.namespace_id AND c.id = erasure.target_id
     UNION ALL
    SELECT m.id FROM conversations c JOIN messages m ON m.namespace_id = c.namespace_id AND m.conversation_id = c.id
     WHERE erasure.kind = 3 AND c.namespace_id = erasure.namespace_id AND c.subject = erasure.target_name
     UNION ALL
    SELECT m.id FROM messages m
     WHERE erasure.kind = 4 AND m.namespace_id = erasure.namespace_id AND m.author = erasure.target_name
       AND m.recorded_at <= erasure.requested_at
$$;
COMMENT ON FUNCTION target_messages IS 'The messages that belong to the target of an erasure.';
REVOKE ALL ON FUNCTION target_messages FROM PUBLIC;

CREATE FUNCTION begin_erasure(
    erasure_id uuid, of_kind smallint, id_ uuid, name_ text, asked_by text)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    erasure erasures;
    messages_of_it uuid[];
    marked uuid[];
    others uuid[];
    did jsonb := '{}';
BEGIN
    INSERT INTO erasures (namespace_id, id, kind, target_id, target_name, target_hash, requested_by, through_passage)
    VALUES (namespace, erasure_id, of_kind, id_, name_, salted_hash(namespace::text, of_kind::text, coalesce(id_::text, name_)),
            asked_by, (SELECT last_value FROM memory_ids))
    RETURNING * INTO erasure;
    PERFORM fence_jobs();
    IF of_kind IN (2, 3) THEN
        -- Whoever appends is waited for. The key is free at once, for a conversation that begins anew.
        PERFORM c.id FROM conversations c
          WHERE c.namespace_id = namespace AND (c.id = id_ OR of_kind = 3 AND c.subject = name_) ORDER BY c.id FOR UPDATE;
        SELECT coalesce(array_agg(c.id), '{}') INTO marked FROM conversations c
         WHERE c.namespace_id = namespace AND c.erasure_id IS NULL AND (c.id = id_ OR of_kind = 3 AND c.subject = name_);
        PERFORM forget_sessions(marked);
        WITH held AS (
            UPDATE conversations c
               SET erasure_id = begin_erasure.erasure_id, session_key = 'erased/' || c.id, title = '', settings = NULL, channel_id = '',
                   bot_identity = '', client_session_id = '',
                   erased_key = salted_hash(namespace::text, c.channel, c.agent, c.session_key)
             WHERE c.namespace_id = namespace AND c.erasure_id IS NULL
               AND (of_kind = 2 AND c.id = id_ OR of_kind = 3 AND c.subject = name_)
            RETURNING c.id
        )
        SELECT coalesce(array_agg(id), '{}') INTO marked FROM held;
        did := merge_erased(did, jsonb_build_object('conversations', cardinality(marked)));
        did := merge_erased(did, erase_rows('conversation', marked, '{}'));
        SELECT array_agg(id) INTO others FROM summaries WHERE namespace_id = namespace AND conversation_id = ANY(marked);
        PERFORM withdraw_pages(others);
        DELETE FROM jobs WHERE namespace_id = namespace AND subject = ANY(SELECT unnest(marked)::text);
    END IF;
    UPDATE namespaces SET hides = hides + 1 WHERE id = namespace;
    SELECT coalesce(array_agg(id), '{}') INTO messages_of_it FROM target_messages(erasure) AS id;
    -- Along conversations that are hidden as a whole, nothing has to be looked for.
    did := merge_erased(did, withdraw_derived(messages_of_it, CASE WHEN of_kind IN (2, 3) THEN '{2}' ELSE '{1,2}' END::smallint[]));
    PERFORM forget_requests(messages_of_it);
    IF of_kind = 3 THEN
        did := merge_erased(did, erase_rows('subject', '{}', ARRAY[name_]));
    ELSIF of_kind = 4 THEN
        SELECT array_agg(n.id) INTO others
          FROM notes n JOIN note_versions v ON v.namespace_id = namespace AND v.note_id = n.id AND v.version = n.version
         WHERE n.namespace_id = namespace AND v.author = name_;
        IF others IS NOT NULL THEN
            did := merge_erased(did, erase_rows('note', others, '{}'));
        END IF;
        IF to_regclass('documents') IS NOT NULL THEN
            EXECUTE 'SELECT array_agg(d.id) FROM documents d JOIN document_versions v '
                    'ON v.namespace_id = $1 AND v.document_id = d.id AND v.version = d.version '
                    'WHERE d.namespace_id = $1 AND v.author = $2' INTO others USING namespace, name_;
            IF others IS NOT NULL THEN
                did := merge_erased(did, erase_rows('document', others, '{}'));
            END IF;
        END IF;
        did := merge_erased(did, erase_rows('author', '{}', ARRAY[name_]));
    ELSIF of_kind > 4 THEN
        did := merge_erased(did, erase_memories(CASE of_kind WHEN 5 THEN 'note' WHEN 6 THEN 'fact' WHEN 7 THEN 'learned'
                                                             WHEN 8 THEN 'node' WHEN 9 THEN 'pattern' ELSE 'document' END,
                                                ARRAY[id_]));
    END IF;
    PERFORM count_erased(erasure_id, did);
    RETURN did || jsonb_build_object('messages_left', cardinality(messages_of_it));
END $$;
COMMENT ON FUNCTION begin_erasure IS
    'Write down an erasure, hide its target from every read, and take away what was derived across messages. The messages '
    'themselves, which no service sees any more, are left to erase_batch.';

CREATE FUNCTION count_erased(erasure_id uuid, did jsonb) RETURNS void
LANGUAGE sql SET search_path = everword, pg_temp AS $$
    UPDATE erasures
       SET counts = merge_erased(counts, (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(did)
                                           WHERE jsonb_typeof(value) = 'number' AND value <> '0')),
           attempts = 0, error = NULL, updated_at = clock_timestamp()
     WHERE namespace_id = erasing_namespace() AND id = erasure_id
$$;
COMMENT ON FUNCTION count_erased IS 'Add to what an erasure has done.';
REVOKE ALL ON FUNCTION count_erased FROM PUBLIC;

CREATE FUNCTION erase_batch(erasure_id uuid, batch integer) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    erasure erasures;
    next_ones uuid[];
    last_one uuid;
    seen bigint;
    did jsonb := '{}';
    over boolean;
BEGIN
    -- Who holds the row is at it; a second one finds it taken, and does nothing.
    SELECT * INTO erasure FROM erasures
     WHERE namespace_id = namespace AND id = erasure_id AND state = 1 FOR UPDATE SKIP LOCKED;
    IF erasure.id IS NULL THEN
        RETURN '{"done": true}';
    END IF;
    IF erasure.kind = 4 THEN
        -- An author's lie between others': so it goes from message to message, a bounded number of them at a time.
        WITH page AS (
            SELECT m.id, m.author, m.recorded_at FROM messages m
             WHERE m.namespace_id = namespace AND (erasure.after_id IS NULL OR m.id > erasure.after_id)
             ORDER BY m.id LIMIT greatest(batch * 10, 5000)
        ), wanted AS (
            SELECT id FROM page WHERE author = erasure.target_name AND recorded_at <= erasure.requested_at
             ORDER BY id LIMIT batch
        )
        SELECT array_agg(id), (SELECT count(*) FROM page),
               CASE WHEN count(*) = batch THEN (array_agg(id ORDER BY id DESC))[1]
                    ELSE (SELECT id FROM page ORDER BY id DESC LIMIT 1) END
          INTO next_ones, seen, last_one FROM wanted;
        over := seen < greatest(batch * 10, 5000) AND coalesce(cardinality(next_ones), 0) < batch;
        UPDATE erasures SET after_id = coalesce(last_one, after_id) WHERE namespace_id = namespace AND id = erasure_id;
    ELSE
        SELECT array_agg(id) INTO next_ones
          FROM (SELECT m.id FROM messages m WHERE erasure.kind = 1 AND m.namespace_id = namespace AND m.id = erasure.target_id
                 UNION ALL
                SELECT m.id FROM conversations c
                 CROSS JOIN LATERAL (SELECT id FROM messages
                                      WHERE namespace_id = namespace AND conversation_id = c.id ORDER BY seq LIMIT batch) AS m
                 WHERE c.namespace_id = namespace AND c.erasure_id = erasure.id
                 LIMIT batch) AS page;
        over := coalesce(cardinality(next_ones), 0) < batch;
    END IF;
    IF next_ones IS NOT NULL THEN
        did := erase_messages(next_ones);
        PERFORM count_erased(erasure_id, did);
    END IF;
    IF over THEN
        did := merge_erased(did, finish_erasure(erasure));
    END IF;
    RETURN did || jsonb_build_object('done', over);
END $$;
COMMENT ON FUNCTION erase_batch IS
    'Delete up to `batch` messages of an erasure with all that was derived from them; `done` once nothing is left. Whatever ends '
    'it in the middle, the next call goes on.';

CREATE FUNCTION finish_erasure(erasure erasures) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    marked uuid[];
    others uuid[];
    did jsonb := '{}';
BEGIN
    SELECT array_agg(id) INTO marked FROM conversations WHERE namespace_id = namespace AND erasure_id = erasure.id;
    IF marked IS NOT NULL THEN
        PERFORM forget_sessions(marked);
        SELECT array_agg(id) INTO others FROM summaries WHERE namespace_id = namespace AND conversation_id = ANY(marked);
        IF others IS NOT NULL THEN
            did := merge_erased(did, erase_rows('summary', others, '{}'));
        END IF;
        did := merge_erased(did, erase_rows('conversation', marked, '{}'));
        UPDATE append_requests SET body_hash = '', message_ids = '{}', conversation_id = NULL
         WHERE namespace_id = namespace AND conversation_id = ANY(marked);
        DELETE FROM conversations WHERE namespace_id = namespace AND id = ANY(marked);
        DELETE FROM jobs WHERE namespace_id = namespace AND subject = ANY(SELECT unnest(marked)::text);
        INSERT INTO corpus_counts (namespace_id, conversations) VALUES (namespace, -cardinality(marked));
    END IF;
    UPDATE namespaces SET hides = greatest(hides - 1, 0) WHERE id = namespace;
    PERFORM count_erased(erasure.id, did);
    UPDATE erasures SET state = 2, target_name = NULL, target_id = NULL, after_id = NULL, finished_at = clock_timestamp()
     WHERE namespace_id = namespace AND id = erasure.id;
    RETURN did;
END $$;
COMMENT ON FUNCTION finish_erasure IS 'Delete what is left of a target, and the words that named it.';
REVOKE ALL ON FUNCTION finish_erasure FROM PUBLIC;

CREATE FUNCTION hold_source() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    source messages;
BEGIN
    SELECT * INTO source FROM messages WHERE namespace_id = NEW.namespace_id AND id = NEW.message_id FOR KEY SHARE;
    -- As if it had lost against the erasure: who repeats the call is told that there is no such message.
    IF source.id IS NULL OR hidden_message(source.namespace_id, source.conversation_id, source.author, source.recorded_at) THEN
        RAISE EXCEPTION 'the message is being erased' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION hold_source IS
    'Whoever rests something on a message, beside the jobs that erasures take from their workers, holds it until it is written: an '
    'erasure waits, and finds it, or was first, and nothing is written.';
REVOKE ALL ON FUNCTION hold_source FROM PUBLIC;
CREATE TRIGGER hold_source BEFORE INSERT ON fact_evidence
    FOR EACH ROW WHEN (NEW.message_id IS NOT NULL) EXECUTE FUNCTION hold_source();
CREATE TRIGGER hold_source BEFORE INSERT ON graph_edges
    FOR EACH ROW WHEN (NEW.message_id IS NOT NULL) EXECUTE FUNCTION hold_source();

CREATE FUNCTION running_erasures(batch integer) RETURNS TABLE (namespace_id bigint, id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT e.namespace_id, e.id FROM erasures e JOIN namespaces n ON n.id = e.namespace_id AND n.state = 'active'
     WHERE e.state = 1 ORDER BY e.updated_at LIMIT batch
$$;
COMMENT ON FUNCTION running_erasures IS 'Erasures that are not done, of all namespaces: ids only.';

CREATE FUNCTION find_erased_ids(channel_ text, agent_ text, session_key_ text, external_ids text[]) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT wanted.id
      FROM (SELECT salted_hash(erasing_namespace()::text, channel_, agent_, session_key_) AS key) AS conversation
     CROSS JOIN unnest(external_ids) AS wanted (id)
      JOIN erased_external_ids e ON e.namespace_id = erasing_namespace()
                                AND e.hash = sha256(conversation.key || convert_to(wanted.id, 'UTF8'))
$$;
COMMENT ON FUNCTION find_erased_ids IS 'Which of these external ids of a conversation were erased.';

CREATE FUNCTION document_exists(id_ uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    found_it boolean := false;
BEGIN
    IF to_regclass('documents') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM documents WHERE namespace_id = $1 AND id = $2)'
           INTO found_it USING erasing_namespace(), id_;
    END IF;
    RETURN found_it;
END $$;
COMMENT ON FUNCTION document_exists IS 'Whether there is a document of this id, in a schema that has documents.';

CREATE FUNCTION preview_erasure(of_kind smallint, id_ uuid, name_ text) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    erasure erasures;
    gone uuid[];
    touched uuid[];
    dead uuid[];
    about text;
    target_ids uuid[] := ARRAY[id_];
    target_names text[] := ARRAY[name_];
    rule erasure_rules;
    found_rows bigint;
    counts jsonb := '{}';
BEGIN
    erasure.namespace_id := namespace;
    erasure.kind := of_kind;
    erasure.target_id := id_;
    erasure.target_name := name_;
    erasure.requested_at := now();
    SELECT coalesce(array_agg(id), '{}') INTO gone FROM target_messages(erasure) AS id;
    SELECT coalesce(array_agg(DISTINCT e.fact_id), '{}') INTO touched
      FROM unnest(gone) AS erased (id) JOIN fact_evidence e ON e.namespace_id = namespace AND e.message_id = erased.id;
    SELECT coalesce(array_agg(id), '{}') INTO dead
      FROM unnest(touched) AS fact (id)
     WHERE NOT EXISTS (SELECT FROM fact_evidence e
                        WHERE e.namespace_id = namespace AND e.fact_id = fact.id AND NOT e.contradicts
                          AND (e.message_id IS NULL OR NOT EXISTS (SELECT FROM unnest(gone) AS erased (id) WHERE erased.id = e.message_id)));
    counts := jsonb_build_object(
        'messages', cardinality(gone),
        'memories', (SELECT count(*) FROM unnest(gone) AS erased (id)
                       JOIN memories m ON m.namespace_id = namespace AND m.source_id = erased.id),
        'summaries', (WITH RECURSIVE above (id) AS (
                          SELECT s.summary_id FROM unnest(gone) AS erased (id)
                            JOIN summary_sources s ON s.namespace_id = namespace AND s.message_id = erased.id
                           UNION
                          SELECT s.parent_id FROM above JOIN summaries s ON s.namespace_id = namespace AND s.id = above.id
                           WHERE s.parent_id IS NOT NULL)
                      SELECT count(*) FROM above),
        'learned_evidence', (SELECT count(*) FROM unnest(gone) AS erased (id)
                               JOIN learned_evidence e ON e.namespace_id = namespace AND e.message_id = erased.id));
    about := CASE of_kind WHEN 1 THEN 'message' WHEN 2 THEN 'conversation' WHEN 3 THEN 'subject' WHEN 4 THEN 'author'
                          WHEN 5 THEN 'note' WHEN 6 THEN 'fact' WHEN 7 THEN 'learned' WHEN 8 THEN 'node' WHEN 9 THEN 'pattern'
                          ELSE 'document' END;
    FOR rule IN SELECT * FROM erasure_rules WHERE target = about AND to_regclass(relation) IS NOT NULL ORDER BY place LOOP
        EXECUTE format('SELECT count(*) FROM %I WHERE namespace_id = $1 AND %s AND (%s)', rule.relation,
                       format(CASE WHEN about IN ('subject', 'author') THEN '%I = ANY($3)' ELSE '%I = ANY($2)' END,
                              rule.key_column), rule.only_where)
           INTO found_rows USING namespace, target_ids, target_names;
        counts := merge_erased(counts, jsonb_build_object(rule.relation, found_rows));
    END LOOP;
    RETURN counts || jsonb_build_object(
        'facts_gone', (SELECT count(*) FROM facts f
                        WHERE f.namespace_id = namespace
                          AND (f.id = ANY(dead) OR of_kind = 3 AND f.subject = name_ OR of_kind = 6 AND f.id = id_)),
        'facts_losing_evidence', (SELECT count(*) FROM facts f
                                   WHERE f.namespace_id = namespace AND f.id = ANY(touched) AND NOT f.id = ANY(dead)
                                     AND (of_kind <> 3 OR f.subject <> name_)),
        'sample_ids', (SELECT coalesce(jsonb_agg(id), '[]') FROM (SELECT id FROM unnest(gone) AS id LIMIT 5) AS few));
END $$;
COMMENT ON FUNCTION preview_erasure IS 'What an erasure would take: rows by table, and a few ids of messages.';

CREATE FUNCTION forget_author_names(names text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    -- From one author to the next in the index, however much each has said.
    WITH RECURSIVE author (name) AS (
        (SELECT author FROM memories WHERE namespace_id = erasing_namespace() AND author > '' ORDER BY author LIMIT 1)
         UNION ALL
        SELECT next.author FROM author
         CROSS JOIN LATERAL (SELECT author FROM memories
                              WHERE namespace_id = erasing_namespace() AND author > author.name
                              ORDER BY author LIMIT 1) AS next
    )
    DELETE FROM author_names
     WHERE namespace_id = erasing_namespace() AND name = ANY(names)
       AND NOT EXISTS (SELECT FROM author WHERE strpos(lower(author.name), author_names.name) > 0)
$$;
COMMENT ON FUNCTION forget_author_names IS 'Forget those of these words that name nobody any more.';

REVOKE ALL ON FUNCTION document_exists, forget_author_names, erase_messages, erase_memories, begin_erasure, erase_batch, running_erasures, find_erased_ids,
    preview_erasure FROM PUBLIC;
GRANT EXECUTE ON FUNCTION document_exists, forget_author_names, erase_messages, erase_memories, begin_erasure, erase_batch, running_erasures, find_erased_ids,
    preview_erasure TO everword_ingest;
GRANT SELECT (namespace_id, id) ON user_models, trajectories TO everword_ingest;
-- Who folds people and events anew from the evidence that is left.
GRANT UPDATE (name, aliases, relation, mention_count, first_seen_at, last_seen_at) ON people TO everword_ingest;
GRANT UPDATE (title, starts_at, ends_at, importance, decay_days, expires_at, mention_count, first_seen_at, last_seen_at)
    ON events TO everword_ingest;

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ',
                    '''usage_ledger'', ''erasures'', ''erased_external_ids'', ');
END $$;
