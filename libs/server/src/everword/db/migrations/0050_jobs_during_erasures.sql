-- Background work that starts while something is being erased or removed by a policy reads what is left; and more goes with
-- notes and facts: labels of themes, pages about topics, errors of jobs.

-- squawk-ignore ban-drop-function
DROP FUNCTION fence_jobs();
CREATE FUNCTION may_have_read(job_subject text, conversations uuid[]) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = everword, pg_temp AS $$
    -- What is not about one conversation may have read any.
    SELECT conversations IS NULL OR job_subject = ANY(conversations::text[]) OR job_subject !~ '^[0-9a-f]{8}-[0-9a-f-]{27}$'
$$;
COMMENT ON FUNCTION may_have_read IS 'Whether a job about this may have read messages of conversations, of all where they are null.';

CREATE FUNCTION fence_jobs(conversations uuid[] DEFAULT NULL, pause interval DEFAULT '0') RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    -- Who starts a job takes this lock in share: none starts from here until the transaction ends.
    PERFORM pg_advisory_xact_lock(hashtextextended('start jobs', erasing_namespace()));
    -- As if their workers had fallen silent: what these have read is not stored, and another attempt reads what is left.
    UPDATE jobs
       SET state = 'pending', attempts = greatest(attempts - 1, 0), lease_until = NULL, published_at = NULL, fence = fence + 1,
           not_before = now() + pause, updated_at = now()
     WHERE id IN (SELECT id FROM jobs WHERE namespace_id = erasing_namespace() AND state = 'running' AND task <> 'embed'
                                        AND may_have_read(subject, conversations)
                   ORDER BY id FOR UPDATE);
END $$;
COMMENT ON FUNCTION fence_jobs IS
    'Take running jobs away from workers that may have read what is erased, or messages of these conversations, and let none start '
    'before the transaction ends. They are due again after a pause.';

CREATE FUNCTION forget_errors(conversations uuid[] DEFAULT NULL) RETURNS void
LANGUAGE sql SET search_path = everword, pg_temp AS $$
    UPDATE jobs SET error = 'erased'
     WHERE namespace_id = erasing_namespace() AND error <> 'erased' AND may_have_read(subject, conversations)
$$;
COMMENT ON FUNCTION forget_errors IS 'Blank the errors of jobs that may have read what is erased: they may repeat it.';

CREATE FUNCTION withdraw_themes(since timestamptz) RETURNS jsonb
LANGUAGE sql SET search_path = everword, pg_temp AS $$
    -- Themes are made of a sample of all there is: those since then may have seen it, and are made anew by night.
    WITH lost AS (DELETE FROM themes WHERE namespace_id = erasing_namespace() AND made_at >= since RETURNING 1)
    SELECT jsonb_build_object('themes', count(*)) FROM lost
$$;
COMMENT ON FUNCTION withdraw_themes IS 'Take out the themes that may have been made from what there is since a time.';
REVOKE ALL ON FUNCTION may_have_read, fence_jobs, forget_errors, withdraw_themes FROM PUBLIC;

CREATE OR REPLACE FUNCTION erase_rows(of_target text, ids uuid[], names text[], spared text[] DEFAULT '{}') RETURNS jsonb
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
    IF of_target IN ('note', 'fact') THEN
        counts := withdraw_themes((SELECT min(created_at)
                                     FROM (SELECT created_at FROM notes WHERE namespace_id = namespace AND id = ANY(ids)
                                            UNION ALL
                                           SELECT created_at FROM facts WHERE namespace_id = namespace AND id = ANY(ids)) AS made));
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

CREATE OR REPLACE FUNCTION withdraw_summaries(gone uuid[], axes smallint[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    titled uuid[];
    direct uuid[];
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
    WITH lost AS (
        DELETE FROM summary_sources s USING unnest(gone) AS erased (id)
         WHERE s.namespace_id = namespace AND s.message_id = erased.id AND s.axis = ANY(axes) RETURNING s.summary_id
    )
    SELECT array_agg(DISTINCT summary_id) || titled INTO direct FROM lost;
    RETURN withdraw_nodes(direct);
END $$;
COMMENT ON FUNCTION withdraw_summaries IS
    'Withdraw the summaries that cover messages, along these axes, and those under a title that was taken from one.';

CREATE OR REPLACE FUNCTION withdraw_derived(gone uuid[], axes smallint[], learned_stays boolean DEFAULT false) RETURNS jsonb
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
    RETURN merge_erased(counts, withdraw_themes(since));
END $$;

CREATE OR REPLACE FUNCTION remove_messages(gone uuid[], learned_stays boolean) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    counts jsonb;
    lost bigint;
    turns bigint;
    bytes bigint;
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

CREATE OR REPLACE FUNCTION begin_erasure(
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
    PERFORM forget_errors();
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

CREATE OR REPLACE FUNCTION retire(of_kind smallint, gone uuid[], keep_quotes boolean) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    theirs uuid[];
    counts jsonb := '{}';
    old text;
    lost bigint;
    -- A run of many steps would take them again and again.
    pause constant interval := '30 seconds';
BEGIN
    IF cardinality(gone) > 5000 THEN
        RAISE EXCEPTION 'at most 5000 at once';
    END IF;
    IF cardinality(gone) = 0 THEN
        RETURN '{}';
    END IF;
    CASE of_kind
    WHEN 1 THEN
        SELECT array_agg(DISTINCT conversation_id) INTO theirs FROM messages WHERE namespace_id = namespace AND id = ANY(gone);
        PERFORM fence_jobs(theirs, pause);
        PERFORM forget_errors(theirs);
        IF NOT keep_quotes THEN
            UPDATE fact_evidence SET quote = '' WHERE namespace_id = namespace AND message_id = ANY(gone) AND quote <> '';
            UPDATE graph_edges SET quote = '' WHERE namespace_id = namespace AND message_id = ANY(gone) AND quote <> '';
            UPDATE learned_evidence SET quote = '…' WHERE namespace_id = namespace AND message_id = ANY(gone);
        END IF;
        counts := remove_messages(gone, true);
        RETURN merge_erased(counts, retire_conversations(theirs));
    WHEN 2 THEN
        PERFORM fence_jobs(NULL, pause);
        RETURN erase_rows('note', gone, '{}');
    WHEN 5 THEN
        PERFORM fence_jobs(NULL, pause);
        PERFORM withdraw_pages(gone);
        -- What they took the place of stays as it was: it has ended, whether or not anybody knows what came then.
        UPDATE fact_intervals SET successor_id = NULL
         WHERE namespace_id = namespace AND successor_id = ANY(gone) AND NOT fact_id = ANY(gone);
        RETURN erase_rows('fact', gone, '{}');
    WHEN 6 THEN
        RETURN erase_rows('pattern', gone, '{}');
    ELSE
        IF of_kind = 3 THEN
            PERFORM forget_requests(gone);
        END IF;
        FOREACH old IN ARRAY CASE of_kind WHEN 3 THEN ARRAY['note_versions'] WHEN 4 THEN ARRAY['document_versions']
                                          ELSE ARRAY['fact_changes', 'learned_changes', 'pattern_decisions'] END LOOP
            EXECUTE format('DELETE FROM %I WHERE namespace_id = $1 AND id = ANY($2)', old) USING namespace, gone;
            GET DIAGNOSTICS lost = ROW_COUNT;
            counts := merge_erased(counts, jsonb_build_object(old, lost));
        END LOOP;
        RETURN counts;
    END CASE;
END $$;
