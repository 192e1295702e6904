-- What an erasure looks for it finds by an index, and no step reads the namespace again; a preview does what the erasure does, and
-- undoes it.

-- squawk-ignore require-concurrent-index-creation
CREATE INDEX messages_author ON messages (namespace_id, author, id) WHERE author <> '';
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX notes_conversation ON notes (namespace_id, conversation_id) WHERE conversation_id IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX fact_intervals_successor ON fact_intervals (namespace_id, successor_id) WHERE successor_id IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX fact_changes_other ON fact_changes (namespace_id, other_fact_id) WHERE other_fact_id IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX jobs_with_errors ON jobs (namespace_id) WHERE error IS NOT NULL;
-- Relations that ended follow from a fact as well.
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX graph_edges_fact;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX graph_edges_fact ON graph_edges (namespace_id, fact_id) WHERE fact_id IS NOT NULL;

-- An author's messages are found by the index.
-- squawk-ignore ban-drop-column
ALTER TABLE erasures DROP COLUMN after_id;

CREATE OR REPLACE FUNCTION target_messages(erasure erasures) RETURNS SETOF uuid
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
     WHERE erasure.kind = 4 AND m.namespace_id = erasure.namespace_id AND m.author = erasure.target_name AND m.author <> ''
       AND m.recorded_at <= erasure.requested_at
$$;

CREATE OR REPLACE FUNCTION remove_passages(sources uuid[]) RETURNS jsonb
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
          WHERE NOT EXISTS (SELECT FROM memories m WHERE m.namespace_id = namespace AND m.author = one AND m.author <> '')), '[]'));
END $$;

CREATE OR REPLACE FUNCTION withdraw_summaries(gone uuid[], axes smallint[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    titled uuid[];
    direct uuid[];
    lost bigint;
BEGIN
    -- A title that was taken from one of them; every summary of the conversation was written under it.
    WITH untitled AS (
        UPDATE conversations c SET title = ''
          FROM unnest(gone) AS erased (id)
          JOIN messages m ON m.namespace_id = namespace AND m.id = erased.id AND m.role = 2
         WHERE c.namespace_id = namespace AND c.id = m.conversation_id AND c.title <> ''
           AND starts_with(btrim(regexp_replace(m.content, '\s+', ' ', 'g')),
                           split_part(rtrim(c.title, '…'), '[credential removed]', 1))
        RETURNING c.id
    )
    SELECT array_agg(s.id) INTO titled
      FROM untitled JOIN summaries s ON s.namespace_id = namespace AND s.conversation_id = untitled.id AND NOT s.hidden;
    -- Those of a conversation that is hidden as a whole go with it.
    WITH lost AS (
        DELETE FROM summary_sources s USING unnest(gone) AS erased (id)
         WHERE s.namespace_id = namespace AND s.message_id = erased.id AND s.axis = ANY(axes) RETURNING s.summary_id
    )
    SELECT array_agg(DISTINCT s.id) || titled, count(*) INTO direct, lost
      FROM lost
      LEFT JOIN summaries s ON s.namespace_id = namespace AND s.id = lost.summary_id
                           AND (s.conversation_id IS NULL OR NOT hidden_conversation(namespace, s.conversation_id));
    RETURN merge_erased(jsonb_build_object('summary_sources', lost), withdraw_nodes(nullif(array_remove(direct, NULL), '{}')));
END $$;

CREATE FUNCTION withdraw_target(erasure erasures, OUT did jsonb, OUT message_ids uuid[])
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    marked uuid[];
    others uuid[];
BEGIN
    did := '{}';
    IF erasure.kind IN (2, 3) THEN
        -- Whoever appends is waited for. The key is free at once, for a conversation that begins anew.
        PERFORM c.id FROM conversations c
          WHERE c.namespace_id = namespace AND (c.id = erasure.target_id OR erasure.kind = 3 AND c.subject = erasure.target_name) ORDER BY c.id FOR UPDATE;
        SELECT coalesce(array_agg(c.id), '{}') INTO marked FROM conversations c
         WHERE c.namespace_id = namespace AND c.erasure_id IS NULL AND (c.id = erasure.target_id OR erasure.kind = 3 AND c.subject = erasure.target_name);
        PERFORM forget_sessions(marked);
        WITH held AS (
            UPDATE conversations c
               SET erasure_id = erasure.id, session_key = 'erased/' || c.id, title = '', settings = NULL, channel_id = '',
                   bot_identity = '', client_session_id = '',
                   erased_key = salted_hash(namespace::text, c.channel, c.agent, c.session_key)
             WHERE c.namespace_id = namespace AND c.erasure_id IS NULL
               AND (erasure.kind = 2 AND c.id = erasure.target_id OR erasure.kind = 3 AND c.subject = erasure.target_name)
            RETURNING c.id
        )
        SELECT coalesce(array_agg(id), '{}') INTO marked FROM held;
        did := merge_erased(did, jsonb_build_object('conversations', cardinality(marked)));
        did := merge_erased(did, erase_rows('conversation', marked, '{}'));
        SELECT array_agg(id) INTO others FROM summaries WHERE namespace_id = namespace AND conversation_id = ANY(marked);
        PERFORM withdraw_pages(others);
        DELETE FROM jobs WHERE namespace_id = namespace AND subject = ANY(SELECT unnest(marked)::text);
    END IF;
    SELECT coalesce(array_agg(id), '{}') INTO message_ids FROM target_messages(erasure) AS id;
    -- Along conversations that are hidden as a whole, nothing has to be looked for.
    did := merge_erased(did, withdraw_derived(message_ids, CASE WHEN erasure.kind IN (2, 3) THEN '{2}' ELSE '{1,2}' END::smallint[]));
    PERFORM forget_requests(message_ids);
    IF erasure.kind = 3 THEN
        did := merge_erased(did, erase_rows('subject', '{}', ARRAY[erasure.target_name]));
    ELSIF erasure.kind = 4 THEN
        SELECT array_agg(n.id) INTO others
          FROM notes n JOIN note_versions v ON v.namespace_id = namespace AND v.note_id = n.id AND v.version = n.version
         WHERE n.namespace_id = namespace AND v.author = erasure.target_name;
        IF others IS NOT NULL THEN
            did := merge_erased(did, erase_rows('note', others, '{}'));
        END IF;
        IF to_regclass('documents') IS NOT NULL THEN
            EXECUTE 'SELECT array_agg(d.id) FROM documents d JOIN document_versions v '
                    'ON v.namespace_id = $1 AND v.document_id = d.id AND v.version = d.version '
                    'WHERE d.namespace_id = $1 AND v.author = $2' INTO others USING namespace, erasure.target_name;
            IF others IS NOT NULL THEN
                did := merge_erased(did, erase_rows('document', others, '{}'));
            END IF;
        END IF;
        did := merge_erased(did, erase_rows('author', '{}', ARRAY[erasure.target_name]));
    ELSIF erasure.kind > 4 THEN
        did := merge_erased(did, erase_memories(CASE erasure.kind WHEN 5 THEN 'note' WHEN 6 THEN 'fact' WHEN 7 THEN 'learned'
                                                             WHEN 8 THEN 'node' WHEN 9 THEN 'pattern' ELSE 'document' END,
                                                ARRAY[erasure.target_id]));
    END IF;
END $$;
COMMENT ON FUNCTION withdraw_target IS
    'Hide what an erasure is about, and take away all of it but its messages, whose ids are returned, and the summaries of hidden '
    'conversations.';
REVOKE ALL ON FUNCTION withdraw_target FROM PUBLIC;

CREATE OR REPLACE FUNCTION begin_erasure(
    erasure_id uuid, of_kind smallint, id_ uuid, name_ text, asked_by text)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    erasure erasures;
    messages_of_it uuid[];
    did jsonb;
BEGIN
    INSERT INTO erasures (namespace_id, id, kind, target_id, target_name, target_hash, requested_by, through_passage)
    VALUES (namespace, erasure_id, of_kind, id_, name_, salted_hash(namespace::text, of_kind::text, coalesce(id_::text, name_)),
            asked_by, (SELECT last_value FROM memory_ids))
    RETURNING * INTO erasure;
    PERFORM fence_jobs();
    PERFORM forget_errors();
    SELECT * INTO did, messages_of_it FROM withdraw_target(erasure);
    UPDATE namespaces SET hides = hides + 1 WHERE id = namespace;
    PERFORM count_erased(erasure_id, did);
    RETURN did || jsonb_build_object('messages_left', cardinality(messages_of_it));
END $$;

CREATE OR REPLACE FUNCTION erase_batch(erasure_id uuid, batch integer) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    erasure erasures;
    next_ones uuid[];
    did jsonb := '{}';
    over boolean;
BEGIN
    -- Who holds the row is at it; a second one finds it taken, and does nothing.
    SELECT * INTO erasure FROM erasures
     WHERE namespace_id = namespace AND id = erasure_id AND state = 1 FOR UPDATE SKIP LOCKED;
    IF erasure.id IS NULL THEN
        RETURN '{"done": true}';
    END IF;
    SELECT array_agg(id) INTO next_ones
      FROM (SELECT m.id FROM messages m WHERE erasure.kind = 1 AND m.namespace_id = namespace AND m.id = erasure.target_id
             UNION ALL
            SELECT page.id
              FROM (SELECT m.id FROM messages m
                     WHERE erasure.kind = 4 AND m.namespace_id = namespace AND m.author = erasure.target_name AND m.author <> ''
                       AND m.recorded_at <= erasure.requested_at
                     ORDER BY m.id LIMIT batch) AS page
             UNION ALL
            SELECT m.id FROM conversations c
             CROSS JOIN LATERAL (SELECT id FROM messages
                                  WHERE namespace_id = namespace AND conversation_id = c.id ORDER BY seq LIMIT batch) AS m
             WHERE c.namespace_id = namespace AND c.erasure_id = erasure.id
             LIMIT batch) AS page;
    over := coalesce(cardinality(next_ones), 0) < batch;
    IF next_ones IS NOT NULL THEN
        did := erase_messages(next_ones);
        PERFORM count_erased(erasure_id, did);
    END IF;
    IF over THEN
        did := merge_erased(did, finish_erasure(erasure));
    END IF;
    RETURN did || jsonb_build_object('done', over);
END $$;

CREATE OR REPLACE FUNCTION finish_erasure(erasure erasures) RETURNS jsonb
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
    UPDATE erasures SET state = 2, target_name = NULL, target_id = NULL, finished_at = clock_timestamp()
     WHERE namespace_id = namespace AND id = erasure.id;
    RETURN did;
END $$;

CREATE OR REPLACE FUNCTION retire_conversations(ids uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    each uuid;
    removed uuid[];
    counts jsonb := '{}';
BEGIN
    FOREACH each IN ARRAY coalesce(ids, '{}') LOOP
        CONTINUE WHEN EXISTS (SELECT FROM messages WHERE namespace_id = namespace AND conversation_id = each)
                   OR EXISTS (SELECT FROM notes WHERE namespace_id = namespace AND conversation_id = each)
                   OR EXISTS (SELECT FROM documents WHERE namespace_id = namespace AND conversation_id = each)
                   OR EXISTS (SELECT FROM summaries WHERE namespace_id = namespace AND conversation_id = each);
        BEGIN
            counts := merge_erased(counts, erase_rows('conversation', ARRAY[each], '{}'));
            DELETE FROM conversations WHERE namespace_id = namespace AND id = each;
            removed := removed || each;
        EXCEPTION WHEN foreign_key_violation THEN
            NULL; -- something else belongs to it: it stays, without its messages
        END;
    END LOOP;
    IF removed IS NOT NULL THEN
        UPDATE append_requests SET body_hash = '', message_ids = '{}', conversation_id = NULL
         WHERE namespace_id = namespace AND conversation_id = ANY(removed);
        DELETE FROM jobs WHERE namespace_id = namespace AND subject = ANY(removed::text[]);
        INSERT INTO corpus_counts (namespace_id, conversations) VALUES (namespace, -cardinality(removed));
        counts := merge_erased(counts, jsonb_build_object('conversations', cardinality(removed)));
    END IF;
    RETURN counts;
END $$;

CREATE FUNCTION count_rows(of_target text, ids uuid[]) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    rule erasure_rules;
    found_rows bigint;
    counts jsonb := '{}';
BEGIN
    FOR rule IN SELECT * FROM erasure_rules WHERE target = of_target AND to_regclass(relation) IS NOT NULL ORDER BY place LOOP
        EXECUTE format('SELECT count(*) FROM %I WHERE namespace_id = $1 AND %I = ANY($2) AND (%s)', rule.relation,
                       rule.key_column, rule.only_where)
           INTO found_rows USING erasing_namespace(), ids;
        counts := merge_erased(counts, jsonb_build_object(rule.relation, found_rows));
    END LOOP;
    RETURN counts;
END $$;
COMMENT ON FUNCTION count_rows IS 'How many rows of which tables erase_rows would delete, for targets that nothing goes on from.';

CREATE FUNCTION count_passages(sources uuid[]) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    passages bigint[];
    generation bigint;
    vectors bigint;
    counts jsonb;
BEGIN
    SELECT coalesce(array_agg(m.id), '{}') INTO passages
      FROM unnest(sources) AS source (id) JOIN memories m ON m.namespace_id = namespace AND m.source_id = source.id;
    counts := jsonb_build_object('memories', cardinality(passages));
    FOR generation IN SELECT id FROM model_generations ORDER BY id LOOP
        EXECUTE format('SELECT count(*) FROM %I WHERE namespace_id = $1 AND memory_id = ANY($2)', 'memory_vectors_' || generation)
           INTO vectors USING namespace, passages;
        counts := counts || jsonb_build_object('memory_vectors_' || generation, vectors);
    END LOOP;
    RETURN counts;
END $$;
COMMENT ON FUNCTION count_passages IS 'How many rows of which tables remove_passages would delete.';
REVOKE ALL ON FUNCTION count_rows, count_passages FROM PUBLIC;

CREATE OR REPLACE FUNCTION preview_erasure(of_kind smallint, id_ uuid, name_ text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    erasure erasures;
    message_ids uuid[];
    others uuid[];
    did jsonb;
BEGIN
    erasure.namespace_id := namespace;
    erasure.id := gen_random_uuid();
    erasure.kind := of_kind;
    erasure.target_id := id_;
    erasure.target_name := name_;
    erasure.requested_at := now();
    -- The same steps, undone at their end; but messages are only counted, however many there are.
    BEGIN
        SELECT * INTO did, message_ids FROM withdraw_target(erasure);
        SELECT array_agg(s.id) INTO others
          FROM conversations c JOIN summaries s ON s.namespace_id = namespace AND s.conversation_id = c.id
         WHERE c.namespace_id = namespace AND c.erasure_id = erasure.id;
        IF others IS NOT NULL THEN
            did := merge_erased(did, erase_rows('summary', others, '{}'));
        END IF;
        did := merge_erased(did, jsonb_build_object('messages', cardinality(message_ids)));
        did := merge_erased(did, count_passages(message_ids));
        did := merge_erased(did, count_rows('source', message_ids));
        did := merge_erased(did, count_rows('message', message_ids));
        RAISE EXCEPTION 'undo' USING ERRCODE = 'EWUND';
    EXCEPTION WHEN SQLSTATE 'EWUND' THEN
        NULL;
    END;
    RETURN jsonb_build_object(
        'counts', (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(did)
                    WHERE jsonb_typeof(value) = 'number' AND value <> '0'),
        'facts_losing_evidence', (SELECT count(DISTINCT e.fact_id)
                                    FROM unnest(message_ids) AS erased (id)
                                    JOIN fact_evidence e ON e.namespace_id = namespace AND e.message_id = erased.id
                                    JOIN jsonb_array_elements_text(did -> 'facts_to_weigh') AS stays (id)
                                      ON stays.id = e.fact_id::text),
        'sample_ids', (SELECT coalesce(jsonb_agg(id), '[]') FROM (SELECT id FROM unnest(message_ids) AS id LIMIT 5) AS few));
END $$;
COMMENT ON FUNCTION preview_erasure IS
    'What an erasure would take: rows by table, and a few ids of messages. It waits for writers, as the erasure does, and changes nothing.';
