-- Erasure of messages and other memories with all data derived from them. Services' roles may not delete messages;
-- these functions do, and ingest may call those granted below. The others are their steps. In a distributed database they
-- all run on the node of the namespace (distribution.py), so they read no table that is only on the coordinator. Citus
-- refuses INSERT … SELECT there, so rows are inserted one by one.

CREATE FUNCTION merge_erased(one jsonb, other jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = everword, pg_temp AS $$
    -- Counts are added, lists of ids are united.
    SELECT coalesce(jsonb_object_agg(key, value), '{}')
      FROM (SELECT key,
                   CASE WHEN jsonb_typeof((array_agg(value))[1]) = 'number'
                        THEN to_jsonb(sum(value::text::numeric) FILTER (WHERE jsonb_typeof(value) = 'number'))
                        ELSE (SELECT coalesce(jsonb_agg(DISTINCT each), '[]')
                                FROM unnest(array_agg(value)) AS list, jsonb_array_elements(list) AS each) END AS value
              FROM (SELECT * FROM jsonb_each(one) UNION ALL SELECT * FROM jsonb_each(other)) AS both_of_them (key, value)
             GROUP BY key) AS merged
$$;
COMMENT ON FUNCTION merge_erased IS 'Return the merged counts and ids of two steps.';

CREATE FUNCTION erasure_target(of_kind smallint) RETURNS text
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT name FROM erasure_targets WHERE kind = of_kind
$$;
COMMENT ON FUNCTION erasure_target IS 'Return the name in erasure_rules of a proto ErasureKind.';

CREATE FUNCTION rule_condition(relation text, key_column text, only_where text) RETURNS text
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT format(CASE format_type(atttypid, NULL) WHEN 'uuid' THEN '%1$I = ANY($2)' WHEN 'uuid[]' THEN '%1$I && $2'
                                                   ELSE '%1$I = ANY($3)' END || ' AND (%2$s)', key_column, only_where)
      FROM pg_attribute WHERE attrelid = relation::regclass AND attname = key_column
$$;
COMMENT ON FUNCTION rule_condition IS 'Return the SQL condition for the rows of a rule. $2 are the ids of targets, $3 their names.';

CREATE FUNCTION forget_requests(namespace bigint, gone uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    UPDATE append_requests r
       SET body_hash = '', message_ids = '{}'
      FROM (SELECT DISTINCT q.request_id
              FROM append_requests q
             CROSS JOIN LATERAL unnest(q.message_ids) AS stored (id)
              JOIN unnest(gone) AS erased (id) ON erased.id = stored.id
             WHERE q.namespace_id = namespace) AS about_them
     WHERE r.namespace_id = namespace AND r.request_id = about_them.request_id;
END $$;
COMMENT ON FUNCTION forget_requests IS
    'Blank the requests that stored these ids. The request ids stay, so that a repeated call stores nothing.';

CREATE FUNCTION forget_sessions(namespace bigint, conversations uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    UPDATE usage_ledger SET session_key = '', conversation_id = NULL
     WHERE namespace_id = namespace AND conversation_id = ANY(conversations);
    -- Agents may report a session key without a conversation.
    UPDATE usage_ledger u SET session_key = ''
      FROM conversations c
     WHERE c.namespace_id = namespace AND c.id = ANY(conversations) AND u.namespace_id = namespace
       AND u.session_key = c.session_key AND u.agent IN ('', c.agent);
END $$;
COMMENT ON FUNCTION forget_sessions IS 'Blank conversation and session key in the ledger; call it while the conversations have their keys.';

CREATE FUNCTION may_have_read(job_subject text, conversations uuid[]) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = everword, pg_temp AS $$
    -- A job whose subject is not a conversation may have read any message.
    SELECT conversations IS NULL OR job_subject = ANY(conversations::text[]) OR job_subject !~ '^[0-9a-f]{8}-[0-9a-f-]{27}$'
$$;
COMMENT ON FUNCTION may_have_read IS 'Return whether a job on this subject may have read messages of the conversations; NULL means any.';

CREATE FUNCTION fence_jobs(namespace bigint, conversations uuid[] DEFAULT NULL, pause interval DEFAULT '00:00:00') RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    moment constant timestamptz := now();
    restart constant timestamptz := now() + pause;
BEGIN
    -- Workers share the lock of this row to start a job: none starts until this transaction ends.
    PERFORM FROM tenants t WHERE t.namespace_id = namespace FOR UPDATE;
    -- The jobs are treated as if their leases had expired: their workers store nothing, and the next attempt reads the
    -- remaining data.
    UPDATE jobs
       SET state = 'pending', attempts = greatest(attempts - 1, 0), lease_until = NULL, published_at = NULL, fence = fence + 1,
           not_before = restart, updated_at = moment
     WHERE namespace_id = namespace
       AND id IN (SELECT id FROM jobs WHERE namespace_id = namespace AND state = 'running' AND task <> 'embed'
                                        AND may_have_read(subject, conversations)
                   ORDER BY id FOR UPDATE);
END $$;
COMMENT ON FUNCTION fence_jobs IS 'Reschedule running jobs that may have read erased messages, and let no job start before the commit.';

CREATE FUNCTION forget_errors(namespace bigint, conversations uuid[] DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    UPDATE jobs SET error = 'erased'
     WHERE namespace_id = namespace AND error <> 'erased' AND may_have_read(subject, conversations);
END $$;
COMMENT ON FUNCTION forget_errors IS 'Blank errors of jobs that may have read erased text: an error may repeat it.';

CREATE FUNCTION remove_passages(namespace bigint, sources uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    removed bigint[];
    changed uuid[];
    words bigint;
    generation bigint;
    vectors bigint;
    authors text[];
    counts jsonb;
BEGIN
    WITH gone AS (
        DELETE FROM memories WHERE namespace_id = namespace AND source_id = ANY(sources) RETURNING id, lexeme_count, author, source_id
    )
    SELECT coalesce(array_agg(id ORDER BY id), '{}'), coalesce(sum(lexeme_count), 0),
           array_agg(DISTINCT author) FILTER (WHERE author <> ''), array_agg(source_id)
      INTO removed, words, authors, changed FROM gone;
    IF cardinality(removed) = 0 THEN
        RETURN '{}';
    END IF;
    PERFORM log_memory_changes(changed);
    counts := jsonb_build_object('memories', cardinality(removed));
    -- The queue first: a worker that stores a vector has locked its row, so the statements below see the vector.
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
COMMENT ON FUNCTION remove_passages IS 'Delete passages of memories of any kind, with their vectors, and log that for copies of the index.';

CREATE FUNCTION erase_rows(namespace bigint, of_target text, ids uuid[], names text[], spared text[] DEFAULT '{}') RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    rule erasure_rules;
    own text;
    matches text;
    further uuid[];
    gone bigint;
    counts jsonb := '{}';
BEGIN
    IF of_target = 'node' THEN
        -- Locked, so that no other node is merged into them from now on.
        PERFORM FROM graph_nodes WHERE namespace_id = namespace AND id = ANY(ids) ORDER BY id FOR UPDATE;
        ids := with_merged_nodes(namespace, ids);
    END IF;
    -- Locked, so that no row that refers to a target is added between the deletion of such rows and of the target.
    FOR own IN SELECT relation FROM erasure_rules WHERE target = of_target AND key_column = 'id' ORDER BY place LOOP
        EXECUTE format('SELECT FROM %I WHERE namespace_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE', own) USING namespace, ids;
    END LOOP;
    IF of_target = 'source' THEN
        counts := remove_passages(namespace, ids);
    ELSIF of_target IN ('fact', 'node', 'pattern') THEN
        -- A repeated call would look for the deleted rows.
        PERFORM forget_requests(namespace, ids);
    END IF;
    IF of_target IN ('note', 'fact') THEN
        counts := withdraw_themes(namespace, (SELECT min(created_at)
                                     FROM (SELECT created_at FROM notes WHERE namespace_id = namespace AND id = ANY(ids)
                                            UNION ALL
                                           SELECT created_at FROM facts WHERE namespace_id = namespace AND id = ANY(ids)) AS made));
    END IF;
    IF of_target IN ('fact', 'summary') THEN
        counts := merge_erased(counts, withdraw_pages(namespace, ids));
    END IF;
    FOR rule IN SELECT * FROM erasure_rules
                 WHERE target = of_target AND NOT relation = ANY(spared) ORDER BY place LOOP
        further := NULL;
        matches := rule_condition(rule.relation, rule.key_column, rule.only_where);
        IF rule.goes_on IS NOT NULL OR rule.requested THEN
            EXECUTE format('SELECT array_agg(id) FROM %I WHERE namespace_id = $1 AND %s', rule.relation, matches)
               INTO further USING namespace, ids, names;
            IF rule.requested AND further IS NOT NULL THEN
                PERFORM forget_requests(namespace, further);
            END IF;
            IF rule.goes_on IS NOT NULL AND further IS NOT NULL AND (rule.goes_on <> of_target OR NOT further <@ ids) THEN
                counts := merge_erased(counts, erase_rows(namespace, rule.goes_on, further, '{}'));
            END IF;
        END IF;
        EXECUTE format('DELETE FROM %I WHERE namespace_id = $1 AND %s', rule.relation, matches) USING namespace, ids, names;
        GET DIAGNOSTICS gone = ROW_COUNT;
        -- Rows of topic_changes are pending work; the erasure adds some.
        IF gone > 0 AND rule.relation <> 'topic_changes' THEN
            counts := merge_erased(counts, jsonb_build_object(rule.relation, gone));
        END IF;
    END LOOP;
    RETURN counts;
END $$;
COMMENT ON FUNCTION erase_rows IS 'Delete the rows that erasure_rules name for targets with these ids or names; return counts by table.';

CREATE FUNCTION withdraw_themes(namespace bigint, since timestamptz) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    lost bigint;
BEGIN
    -- A theme is made from a sample of all memories; the nightly Sleep makes new ones.
    DELETE FROM themes WHERE namespace_id = namespace AND made_at >= since;
    GET DIAGNOSTICS lost = ROW_COUNT;
    RETURN jsonb_build_object('themes', lost);
END $$;
COMMENT ON FUNCTION withdraw_themes IS 'Delete the themes made since a time: they may repeat erased text.';

CREATE FUNCTION withdraw_pages(namespace bigint, sources uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    nodes uuid[];
    node uuid;
    pages uuid[];
    counts jsonb := '{}';
BEGIN
    IF coalesce(cardinality(sources), 0) = 0 THEN
        RETURN '{}';
    END IF;
    SELECT array_agg(id), coalesce(array_agg(node_id), '{}') INTO pages, nodes FROM pages_made_of(namespace, sources);
    nodes := nodes || ARRAY(SELECT node_id FROM topic_sources WHERE namespace_id = namespace AND source_id = ANY(sources));
    IF pages IS NOT NULL THEN
        counts := erase_rows(namespace, 'topic', pages, '{}');
    END IF;
    counts := merge_erased(counts, erase_rows(namespace, 'cited', sources, '{}'));
    FOR node IN SELECT DISTINCT id FROM unnest(nodes) AS n (id) LOOP
        INSERT INTO topic_changes (namespace_id, node_id) VALUES (namespace, node);
    END LOOP;
    RETURN counts;
END $$;
COMMENT ON FUNCTION withdraw_pages IS 'Delete the topic pages that were made from facts or leaves, and schedule them to be rewritten.';

CREATE FUNCTION withdraw_nodes(namespace bigint, direct uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    covering uuid[];
    empty uuid[];
    removed uuid[] := '{}';
    pending record;
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
    -- Every writer of several summaries locks them in the order of ids.
    PERFORM id FROM summaries WHERE namespace_id = namespace AND id = ANY(covering) ORDER BY id FOR UPDATE;
    counts := merge_erased(withdraw_pages(namespace, covering), remove_passages(namespace, covering));
    -- From the leaves upwards: delete summaries without sources.
    LOOP
        SELECT array_agg(id) INTO empty
          FROM summaries n
         WHERE n.namespace_id = namespace AND n.id = ANY(covering) AND NOT n.id = ANY(removed)
           AND NOT EXISTS (SELECT FROM summary_sources s WHERE s.namespace_id = namespace AND s.summary_id = n.id);
        EXIT WHEN empty IS NULL;
        counts := merge_erased(counts, erase_rows(namespace, 'summary', empty, '{}'));
        removed := removed || empty;
    END LOOP;
    -- The others keep their ids and positions, and lose their text. The revision check stops a worker that is rewriting
    -- one.
    UPDATE summaries
       SET content = '[erased]', title = CASE WHEN level < 4 THEN '' ELSE title END, hidden = true, stale = true,
           needs_review = true, faithfulness = NULL, model = 'extractive', prompt_version = 0, token_count = 0,
           revision = revision + 1
     WHERE namespace_id = namespace AND id = ANY(covering) AND NOT id = ANY(removed);
    FOR pending IN
        SELECT n.level, n.period, n.subject, n.instance,
               CASE WHEN n.level = 4 THEN (SELECT m.conversation_id FROM summary_sources s
                                             JOIN messages m ON m.namespace_id = namespace AND m.id = s.message_id
                                            WHERE s.namespace_id = namespace AND s.summary_id = n.id LIMIT 1) END AS conversation_id
          FROM summaries n
         WHERE n.namespace_id = namespace AND n.id = ANY(covering) AND n.level BETWEEN 4 AND 7 AND NOT n.id = ANY(removed)
           AND NOT EXISTS (SELECT 1 FROM calendar_pending p
                            WHERE p.namespace_id = namespace AND p.level = n.level AND p.period = n.period
                              AND p.subject = n.subject AND p.instance = n.instance) LOOP
        INSERT INTO calendar_pending (namespace_id, level, period, subject, instance, conversation_id)
        VALUES (namespace, pending.level, pending.period, pending.subject, pending.instance, pending.conversation_id);
    END LOOP;
    RETURN counts || jsonb_build_object(
        'summaries_withdrawn', cardinality(covering) - cardinality(removed),
        'conversations_to_compact', coalesce((SELECT jsonb_agg(DISTINCT conversation_id) FROM summaries
                                     WHERE namespace_id = namespace AND id = ANY(covering) AND conversation_id IS NOT NULL), '[]'));
END $$;
COMMENT ON FUNCTION withdraw_nodes IS 'Blank and hide summaries and their ancestors until they are rewritten; delete those without sources.';

CREATE FUNCTION withdraw_summaries(namespace bigint, gone uuid[], axes smallint[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    titled uuid[];
    direct uuid[];
    lost bigint;
BEGIN
    -- If a conversation's title came from one of the messages, all its summaries were written under that title.
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
    -- Summaries of a hidden conversation are deleted with it.
    WITH lost AS (
        DELETE FROM summary_sources s USING unnest(gone) AS erased (id)
         WHERE s.namespace_id = namespace AND s.message_id = erased.id AND s.axis = ANY(axes) RETURNING s.summary_id
    )
    SELECT array_agg(DISTINCT s.id) || titled, count(*) INTO direct, lost
      FROM lost
      LEFT JOIN summaries s ON s.namespace_id = namespace AND s.id = lost.summary_id
                           AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.namespace_id = namespace
                                              AND c.id = s.conversation_id AND c.erasure_id IS NOT NULL);
    RETURN merge_erased(jsonb_build_object('summary_sources', lost), withdraw_nodes(namespace, nullif(array_remove(direct, NULL), '{}')));
END $$;
COMMENT ON FUNCTION withdraw_summaries IS 'Withdraw summaries that cover messages along these axes, or whose title came from one of them.';

CREATE FUNCTION fact_nodes(namespace bigint, facts uuid[]) RETURNS uuid[]
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
BEGIN
    RETURN (SELECT array_agg(DISTINCT node)
              FROM graph_edges g CROSS JOIN LATERAL (VALUES (g.from_id), (g.to_id)) AS ends (node)
             WHERE g.namespace_id = namespace AND g.fact_id = ANY(facts));
END $$;
COMMENT ON FUNCTION fact_nodes IS 'Return the nodes that edges of these facts connect.';

CREATE FUNCTION remove_loose_nodes(namespace bigint, nodes uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    loose uuid[];
BEGIN
    SELECT array_agg(n.id) INTO loose
      FROM graph_nodes n
     WHERE n.namespace_id = namespace AND n.id = ANY(nodes) AND n.anchor IS NULL
       AND NOT EXISTS (SELECT FROM graph_edges g WHERE g.namespace_id = namespace AND g.from_id = n.id)
       AND NOT EXISTS (SELECT FROM graph_edges g WHERE g.namespace_id = namespace AND g.to_id = n.id);
    RETURN CASE WHEN loose IS NULL THEN '{}' ELSE erase_rows(namespace, 'node', loose, '{}') END;
END $$;
COMMENT ON FUNCTION remove_loose_nodes IS 'Delete nodes without remaining edges.';

CREATE FUNCTION erase_facts(namespace bigint, ids uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    nodes uuid[] := fact_nodes(namespace, ids);
    opened jsonb;
BEGIN
    IF cardinality(ids) = 0 THEN
        RETURN '{}';
    END IF;
    WITH freed AS (
        UPDATE fact_intervals SET successor_id = NULL
         WHERE namespace_id = namespace AND successor_id = ANY(ids) AND NOT fact_id = ANY(ids)
        RETURNING id, fact_id, known_until
    )
    SELECT jsonb_build_object('intervals_to_open', coalesce(jsonb_agg(id), '[]'), 'facts_to_weigh',
                              coalesce(jsonb_agg(DISTINCT fact_id), '[]'))
      INTO opened FROM freed WHERE known_until IS NULL;
    opened := merge_erased(opened, erase_rows(namespace, 'fact', ids, '{}'));
    RETURN merge_erased(opened, remove_loose_nodes(namespace, nodes));
END $$;
COMMENT ON FUNCTION erase_facts IS 'Delete facts. Intervals that they ended become open again.';

CREATE FUNCTION withdraw_facts(namespace bigint, gone uuid[], since timestamptz) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    touched uuid[];
    dead uuid[];
    nodes uuid[];
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
      FROM unnest(gone) AS erased (id)
      JOIN graph_edges g ON g.namespace_id = namespace AND g.message_id = erased.id
     CROSS JOIN LATERAL (VALUES (g.from_id), (g.to_id)) AS ends (node);
    counts := merge_erased(counts, erase_facts(namespace, dead));
    WITH lost AS (
        DELETE FROM graph_edges g USING unnest(gone) AS erased (id)
         WHERE g.namespace_id = namespace AND g.message_id = erased.id RETURNING 1
    )
    SELECT count(*) INTO lost FROM lost;
    counts := merge_erased(counts, jsonb_build_object('graph_edges', lost));
    counts := merge_erased(counts, remove_loose_nodes(namespace, nodes));
    counts := merge_erased(counts, withdraw_pages(namespace, coalesce(touched, '{}')));
    -- Reasons written since then may repeat the erased text.
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
    'Delete evidence of messages, and facts and edges without other evidence; return the other facts to recompute.';

CREATE FUNCTION withdraw_learned(namespace bigint, gone uuid[], subjects text[], since timestamptz) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
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
    -- Strategies and trajectories were written by a model from its whole input, so all that may be based on the erased
    -- text are deleted.
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
        counts := merge_erased(counts, erase_rows(namespace, 'learned', dead, '{}'));
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
COMMENT ON FUNCTION withdraw_learned IS 'Delete evidence of messages, and rows without other evidence; return people and events to recompute.';

CREATE FUNCTION withdraw_derived(namespace bigint, gone uuid[], axes smallint[], learned_stays boolean DEFAULT false) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
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
    counts := withdraw_summaries(namespace, gone, axes);
    IF NOT learned_stays THEN
        counts := merge_erased(counts, withdraw_facts(namespace, gone, since));
        counts := merge_erased(counts, withdraw_learned(namespace, gone, subjects, since));
    END IF;
    -- Delete observations of these messages in their sessions.
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
    RETURN merge_erased(counts, withdraw_themes(namespace, since));
END $$;
COMMENT ON FUNCTION withdraw_derived IS 'Delete data derived from messages; with `learned_stays`, facts and other learned data stay.';

CREATE FUNCTION remove_messages(namespace bigint, gone uuid[], learned_stays boolean) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    counts jsonb;
    salt bytea := erasure_salt(namespace);
    erased_hash bytea;
    lost bigint;
    turns bigint;
    bytes bigint;
BEGIN
    IF cardinality(gone) > 5000 THEN
        RAISE EXCEPTION 'at most 5000 messages at once';
    END IF;
    -- Wait for writers of these conversations and of rows based on these messages, and lock them out.
    PERFORM id FROM conversations WHERE namespace_id = namespace AND id IN (
        SELECT conversation_id FROM messages WHERE namespace_id = namespace AND id = ANY(gone)) ORDER BY id FOR NO KEY UPDATE;
    PERFORM id FROM messages WHERE namespace_id = namespace AND id = ANY(gone) ORDER BY id FOR UPDATE;
    counts := withdraw_derived(namespace, gone, '{1,2}', learned_stays);
    counts := merge_erased(counts, erase_rows(namespace, 'source', gone, '{}'));
    counts := merge_erased(counts, erase_rows(namespace, 'message', gone, '{}', CASE WHEN learned_stays
                                   THEN '{fact_evidence,learned_evidence,graph_edges}' ELSE '{}' END::text[]));
    IF NOT learned_stays THEN
        FOR erased_hash IN
            SELECT DISTINCT sha256(coalesce(c.erased_key, salted_hash(salt, c.channel, c.agent, c.session_key))
                                   || convert_to(m.external_id, 'UTF8'))
              FROM messages m JOIN conversations c ON c.namespace_id = namespace AND c.id = m.conversation_id
             WHERE m.namespace_id = namespace AND m.id = ANY(gone) AND m.external_id IS NOT NULL LOOP
            INSERT INTO erased_external_ids (namespace_id, hash) VALUES (namespace, erased_hash) ON CONFLICT DO NOTHING;
        END LOOP;
    END IF;
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
    'Delete messages. With `learned_stays` (retention policies), learned data stays, and a new import is allowed.';

CREATE FUNCTION erase_memories(namespace bigint, of_target text, gone uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    moment constant timestamptz := clock_timestamp();
    significant uuid[];
    derived uuid[];
    node uuid;
    counts jsonb;
BEGIN
    IF NOT EXISTS (SELECT FROM erasure_targets WHERE name = of_target AND kind > 4) THEN
        RAISE EXCEPTION 'nothing of this kind is erased by its id: %', of_target;
    END IF;
    CASE of_target
    WHEN 'fact' THEN
        RETURN erase_facts(namespace, gone);
    WHEN 'node' THEN
        gone := ARRAY(SELECT merged_node(namespace, id) FROM unnest(gone) AS id);
    WHEN 'summary' THEN
        -- Significant memories (level 8) have no sources; the others are hidden now, and rewritten from their sources.
        SELECT array_agg(id) FILTER (WHERE level = 8), array_agg(id) FILTER (WHERE level < 8) INTO significant, derived
          FROM summaries WHERE namespace_id = namespace AND id = ANY(gone);
        counts := withdraw_nodes(namespace, derived);
        IF significant IS NOT NULL THEN
            PERFORM forget_requests(namespace, significant);
            counts := merge_erased(counts, erase_rows(namespace, 'summary', significant, '{}'));
        END IF;
        RETURN counts;
    WHEN 'edge' THEN
        PERFORM forget_requests(namespace, gone);
    WHEN 'lore_entry' THEN
        -- The search service caches compiled books by version.
        UPDATE lore_books SET version = version + 1, updated_at = moment
         WHERE namespace_id = namespace
           AND id IN (SELECT book_id FROM lore_entries WHERE namespace_id = namespace AND id = ANY(gone));
    WHEN 'topic' THEN
        FOR node IN SELECT p.node_id FROM topic_pages p WHERE p.namespace_id = namespace AND p.id = ANY(gone) LOOP
            INSERT INTO topic_changes (namespace_id, node_id) VALUES (namespace, node);
        END LOOP;
    ELSE
        NULL;
    END CASE;
    RETURN erase_rows(namespace, of_target, gone, '{}');
END $$;
COMMENT ON FUNCTION erase_memories IS 'Delete memories of a kind by id. Summaries with sources are hidden until they are rewritten.';

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
     WHERE erasure.kind = 4 AND m.namespace_id = erasure.namespace_id AND m.author = erasure.target_name AND m.author <> ''
       AND m.recorded_at <= erasure.requested_at
$$;
COMMENT ON FUNCTION target_messages IS 'Return the messages of the target of an erasure.';

CREATE FUNCTION withdraw_target(namespace bigint, erasure erasures, OUT did jsonb, OUT message_ids uuid[])
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    salt bytea := erasure_salt(namespace);
    marked uuid[];
    others uuid[];
BEGIN
    did := '{}';
    IF erasure.kind IN (2, 3) THEN
        -- Wait for appends. From now on the session key is free for a new conversation.
        PERFORM c.id FROM conversations c
          WHERE c.namespace_id = namespace AND (c.id = erasure.target_id OR erasure.kind = 3 AND c.subject = erasure.target_name)
          ORDER BY c.id FOR UPDATE;
        SELECT coalesce(array_agg(c.id), '{}') INTO marked FROM conversations c
         WHERE c.namespace_id = namespace AND c.erasure_id IS NULL
           AND (c.id = erasure.target_id OR erasure.kind = 3 AND c.subject = erasure.target_name);
        PERFORM forget_sessions(namespace, marked);
        WITH held AS (
            UPDATE conversations c
               SET erasure_id = erasure.id, session_key = 'erased/' || c.id, title = '', settings = NULL, channel_id = '',
                   bot_identity = '', client_session_id = '', task_id = '',
                   erased_key = salted_hash(salt, c.channel, c.agent, c.session_key)
             WHERE c.namespace_id = namespace AND c.erasure_id IS NULL
               AND (erasure.kind = 2 AND c.id = erasure.target_id OR erasure.kind = 3 AND c.subject = erasure.target_name)
            RETURNING c.id
        )
        SELECT coalesce(array_agg(id), '{}') INTO marked FROM held;
        did := merge_erased(did, jsonb_build_object('conversations', cardinality(marked)));
        did := merge_erased(did, erase_rows(namespace, 'conversation', marked, '{}'));
        SELECT array_agg(id) INTO others FROM summaries WHERE namespace_id = namespace AND conversation_id = ANY(marked);
        did := merge_erased(did, withdraw_pages(namespace, others));
        DELETE FROM jobs WHERE namespace_id = namespace AND subject = ANY(SELECT unnest(marked)::text);
    END IF;
    SELECT coalesce(array_agg(id), '{}') INTO message_ids FROM target_messages(erasure) AS id;
    -- Summaries along a hidden conversation (axis 1) are deleted with it.
    did := merge_erased(did, withdraw_derived(namespace, message_ids, CASE WHEN erasure.kind IN (2, 3) THEN '{2}' ELSE '{1,2}' END::smallint[]));
    PERFORM forget_requests(namespace, message_ids);
    IF erasure.kind = 3 THEN
        did := merge_erased(did, erase_rows(namespace, 'subject', '{}', ARRAY[erasure.target_name]));
    ELSIF erasure.kind = 4 THEN
        SELECT array_agg(n.id) INTO others
          FROM notes n JOIN note_versions v ON v.namespace_id = namespace AND v.note_id = n.id AND v.version = n.version
         WHERE n.namespace_id = namespace AND v.author = erasure.target_name;
        IF others IS NOT NULL THEN
            did := merge_erased(did, erase_rows(namespace, 'note', others, '{}'));
        END IF;
        SELECT array_agg(d.id) INTO others
          FROM documents d
          JOIN document_versions v ON v.namespace_id = namespace AND v.document_id = d.id AND v.version = d.version
         WHERE d.namespace_id = namespace AND v.author = erasure.target_name;
        IF others IS NOT NULL THEN
            did := merge_erased(did, erase_rows(namespace, 'document', others, '{}'));
        END IF;
        did := merge_erased(did, erase_rows(namespace, 'author', '{}', ARRAY[erasure.target_name]));
    ELSIF erasure.kind > 4 THEN
        did := merge_erased(did, erase_memories(namespace, erasure_target(erasure.kind), ARRAY[erasure.target_id]));
    END IF;
END $$;
COMMENT ON FUNCTION withdraw_target IS 'Hide the target and delete data derived from it; return the ids of its messages, which stay.';

CREATE FUNCTION count_erased(namespace bigint, erasure_id uuid, did jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    moment constant timestamptz := clock_timestamp();
    merged jsonb;
    total bigint;
BEGIN
    SELECT merge_erased(e.counts, (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(did)
                                    WHERE jsonb_typeof(value) = 'number' AND value <> '0'))
      INTO merged FROM erasures e WHERE e.namespace_id = namespace AND e.id = erasure_id;
    total := (SELECT coalesce(sum(value::text::bigint), 0) FROM jsonb_each(merged));
    UPDATE erasures
       SET counts = merged, matched_rows = greatest(matched_rows, total), attempts = 0, error = NULL, updated_at = moment
     WHERE namespace_id = namespace AND id = erasure_id;
END $$;
COMMENT ON FUNCTION count_erased IS 'Add to the counts of an erasure.';

CREATE FUNCTION begin_erasure(namespace bigint, erasure_id uuid, of_kind smallint, id_ uuid, name_ text, asked_by text,
                              last_passage bigint) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    erasure erasures;
    messages_of_it uuid[];
    did jsonb;
BEGIN
    INSERT INTO erasures (namespace_id, id, kind, target_id, target_name, target_hash, requested_by, through_passage)
    VALUES (namespace, erasure_id, of_kind, id_, name_, salted_hash(erasure_salt(namespace), of_kind::text, coalesce(id_::text, name_)),
            asked_by, last_passage)
    RETURNING * INTO erasure;
    PERFORM fence_jobs(namespace);
    PERFORM forget_errors(namespace);
    SELECT * INTO did, messages_of_it FROM withdraw_target(namespace, erasure);
    UPDATE tenants t SET hides = hides + 1 WHERE t.namespace_id = namespace;
    UPDATE erasures e SET matched_rows = cardinality(messages_of_it)
     WHERE e.namespace_id = namespace AND e.id = begin_erasure.erasure_id;
    PERFORM count_erased(namespace, erasure_id, did);
    RETURN did || jsonb_build_object('messages_left', cardinality(messages_of_it));
END $$;
COMMENT ON FUNCTION begin_erasure IS 'Record an erasure, hide its target, and delete derived data; erase_batch deletes the messages.';

CREATE FUNCTION finish_erasure(namespace bigint, erasure erasures) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    moment constant timestamptz := clock_timestamp();
    marked uuid[];
    others uuid[];
    did jsonb := '{}';
BEGIN
    SELECT array_agg(id) INTO marked FROM conversations WHERE namespace_id = namespace AND erasure_id = erasure.id;
    IF marked IS NOT NULL THEN
        PERFORM forget_sessions(namespace, marked);
        SELECT array_agg(id) INTO others FROM summaries WHERE namespace_id = namespace AND conversation_id = ANY(marked);
        IF others IS NOT NULL THEN
            did := merge_erased(did, erase_rows(namespace, 'summary', others, '{}'));
        END IF;
        did := merge_erased(did, erase_rows(namespace, 'conversation', marked, '{}'));
        UPDATE append_requests SET body_hash = '', message_ids = '{}', conversation_id = NULL
         WHERE namespace_id = namespace AND conversation_id = ANY(marked);
        DELETE FROM conversations WHERE namespace_id = namespace AND id = ANY(marked);
        DELETE FROM jobs WHERE namespace_id = namespace AND subject = ANY(SELECT unnest(marked)::text);
        INSERT INTO corpus_counts (namespace_id, conversations) VALUES (namespace, -cardinality(marked));
    END IF;
    UPDATE tenants t SET hides = greatest(hides - 1, 0) WHERE t.namespace_id = namespace;
    PERFORM count_erased(namespace, erasure.id, did);
    UPDATE erasures SET state = 2, target_name = NULL, target_id = NULL, finished_at = moment
     WHERE namespace_id = namespace AND id = erasure.id;
    RETURN did;
END $$;
COMMENT ON FUNCTION finish_erasure IS 'Delete the rest of a target, and its name in the record.';

CREATE FUNCTION erase_batch(namespace bigint, erasure_id uuid, batch integer) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    erasure erasures;
    next_ones uuid[];
    did jsonb := '{}';
    over boolean;
BEGIN
    -- One process at a time; a second one skips the locked row and does nothing.
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
        did := remove_messages(namespace, next_ones, false);
        PERFORM count_erased(namespace, erasure_id, did);
    END IF;
    IF over THEN
        did := merge_erased(did, finish_erasure(namespace, erasure));
    END IF;
    RETURN did || jsonb_build_object('done', over);
END $$;
COMMENT ON FUNCTION erase_batch IS
    'Delete up to `batch` messages of an erasure with derived data; `done` is true at the end. Can be repeated.';

CREATE FUNCTION running_erasures(batch integer) RETURNS TABLE(namespace_id bigint, id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT e.namespace_id, e.id FROM erasures e JOIN namespaces n ON n.id = e.namespace_id AND n.state = 'active'
     WHERE e.state = 1 ORDER BY e.updated_at LIMIT batch
$$;
COMMENT ON FUNCTION running_erasures IS 'Return unfinished erasures of all namespaces: ids only.';

CREATE FUNCTION forget_author_names(namespace bigint, names text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    remaining text[];
BEGIN
    -- Skips from author to author in the index, so that the cost does not depend on the number of messages.
    WITH RECURSIVE author (name) AS (
        (SELECT author FROM memories WHERE namespace_id = namespace AND author > '' ORDER BY author LIMIT 1)
         UNION ALL
        SELECT next.author FROM author
         CROSS JOIN LATERAL (SELECT author FROM memories
                              WHERE namespace_id = namespace AND author > author.name
                              ORDER BY author LIMIT 1) AS next
    )
    SELECT array_agg(lower(author.name)) INTO remaining FROM author;
    DELETE FROM author_names a
     WHERE a.namespace_id = namespace AND a.name = ANY(names)
       AND NOT EXISTS (SELECT 1 FROM unnest(remaining) AS author (name) WHERE strpos(author.name, a.name) > 0);
END $$;
COMMENT ON FUNCTION forget_author_names IS 'Delete words that no author''s name contains any more.';

GRANT EXECUTE ON FUNCTION begin_erasure, erase_batch, running_erasures, forget_author_names TO everword_ingest;
