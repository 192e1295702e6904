-- The preview of an erasure. Its functions are STABLE: they read one snapshot, may not write, and lock no row.

CREATE TYPE erasure_item AS (target text, id uuid);
COMMENT ON TYPE erasure_item IS 'An id that an erasure deletes, with its target in erasure_rules.';

CREATE FUNCTION ids_of(items erasure_item[], of_target text) RETURNS uuid[]
LANGUAGE sql IMMUTABLE SET search_path = everword, pg_temp AS $$
    SELECT coalesce(array_agg(id), '{}') FROM unnest(items) WHERE target = of_target
$$;
COMMENT ON FUNCTION ids_of IS 'Return the ids of the items with one target.';

CREATE FUNCTION items_of(of_target text, ids uuid[]) RETURNS erasure_item[]
LANGUAGE sql IMMUTABLE SET search_path = everword, pg_temp AS $$
    SELECT coalesce(array_agg((of_target, id)::erasure_item), '{}') FROM unnest(ids) AS id
$$;
COMMENT ON FUNCTION items_of IS 'Return items of a target for these ids.';

CREATE FUNCTION expand_items(namespace bigint, roots erasure_item[], named text, names text[]) RETURNS erasure_item[]
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    known erasure_item[] := roots;
    fresh erasure_item[] := roots;
    further erasure_item[];
    next_ids uuid[];
    rule erasure_rules;
BEGIN
    LOOP
        further := items_of('node', with_merged_nodes(namespace, ids_of(fresh, 'node')))
                || items_of('cited', ids_of(fresh, 'fact') || ids_of(fresh, 'summary'))
                || items_of('topic', ARRAY(SELECT id FROM pages_made_of(namespace, ids_of(fresh, 'cited'))));
        FOR rule IN SELECT * FROM erasure_rules
                     WHERE goes_on IS NOT NULL AND (target = named OR target IN (SELECT target FROM unnest(fresh))) LOOP
            EXECUTE format('SELECT array_agg(id) FROM %I WHERE namespace_id = $1 AND %s', rule.relation,
                           rule_condition(rule.relation, rule.key_column, rule.only_where))
               INTO next_ids USING namespace, ids_of(fresh, rule.target), names;
            further := further || items_of(rule.goes_on, next_ids);
        END LOOP;
        named := NULL;
        fresh := ARRAY(SELECT item FROM unnest(further) AS item EXCEPT SELECT item FROM unnest(known) AS item);
        EXIT WHEN cardinality(fresh) = 0;
        known := known || fresh;
    END LOOP;
    RETURN known;
END $$;
COMMENT ON FUNCTION expand_items IS 'Return items with all items that erase_rows would reach from them.';

CREATE FUNCTION count_items(namespace bigint, items erasure_item[], message_ids uuid[], named text, names text[]) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    -- Messages are passed separately, because there may be many; they count as targets and as sources.
    with_ids text[] := ARRAY(SELECT DISTINCT target FROM unnest(items))
                    || CASE WHEN cardinality(message_ids) > 0 THEN '{message,source}' END::text[];
    relation_ text;
    conditions text;
    found_rows bigint;
    counts jsonb := '{}';
BEGIN
    FOR relation_, conditions IN
        SELECT r.relation,
               string_agg(replace(rule_condition(r.relation, r.key_column, r.only_where), '$2',
                                  CASE r.target WHEN 'message' THEN '$4' WHEN 'source' THEN '($4 || ids_of($2, ''source''))'
                                                ELSE format('(ids_of($2, %L))', r.target) END), ' OR ')
          FROM erasure_rules r
         WHERE (r.target = named OR r.target = ANY(with_ids)) AND r.relation <> 'topic_changes'
         GROUP BY r.relation LOOP
        EXECUTE format('SELECT count(*) FROM %I WHERE namespace_id = $1 AND (%s)', relation_, conditions)
           INTO found_rows USING namespace, items, names, message_ids;
        counts := counts || jsonb_build_object(relation_, found_rows);
    END LOOP;
    RETURN counts;
END $$;
COMMENT ON FUNCTION count_items IS 'Return the rows of items and messages by table, each row once.';

CREATE FUNCTION count_passages(namespace bigint, sources uuid[]) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
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
COMMENT ON FUNCTION count_passages IS 'Return the rows that remove_passages would delete, by table.';

CREATE FUNCTION plan_summaries(namespace bigint, direct uuid[], message_ids uuid[], OUT covering uuid[], OUT removed uuid[])
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    with_messages uuid[];
    empty uuid[];
BEGIN
    removed := '{}';
    WITH RECURSIVE above (id) AS (
        SELECT unnest(direct)
         UNION
        SELECT s.parent_id FROM above JOIN summaries s ON s.namespace_id = namespace AND s.id = above.id
         WHERE s.parent_id IS NOT NULL
    )
    SELECT coalesce(array_agg(id), '{}') INTO covering FROM above;
    SELECT coalesce(array_agg(DISTINCT s.summary_id), '{}') INTO with_messages
      FROM unnest(covering) AS n (id)
      JOIN summary_sources s ON s.namespace_id = namespace AND s.summary_id = n.id AND s.message_id IS NOT NULL
      LEFT JOIN unnest(message_ids) AS gone (id) ON gone.id = s.message_id
     WHERE gone.id IS NULL;
    LOOP
        SELECT array_agg(n.id) INTO empty
          FROM unnest(covering) AS n (id)
         WHERE NOT n.id = ANY(removed) AND NOT n.id = ANY(with_messages)
           AND NOT EXISTS (SELECT FROM summary_sources s
                            WHERE s.namespace_id = namespace AND s.summary_id = n.id AND s.child_id IS NOT NULL
                              AND NOT s.child_id = ANY(removed));
        EXIT WHEN empty IS NULL;
        removed := removed || empty;
    END LOOP;
END $$;
COMMENT ON FUNCTION plan_summaries IS 'Return the summaries that withdraw_nodes would hide, and those of them without sources.';

CREATE FUNCTION plan_facts(namespace bigint, message_ids uuid[], asked uuid[], OUT touched uuid[], OUT dead uuid[], OUT loose_nodes uuid[])
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    gone_facts uuid[];
    ends uuid[];
BEGIN
    SELECT coalesce(array_agg(DISTINCT e.fact_id), '{}') INTO touched
      FROM unnest(message_ids) AS gone (id) JOIN fact_evidence e ON e.namespace_id = namespace AND e.message_id = gone.id;
    SELECT coalesce(array_agg(t.id), '{}') INTO dead
      FROM unnest(touched) AS t (id)
     WHERE t.id NOT IN (SELECT e.fact_id
                          FROM unnest(touched) AS f (id)
                          JOIN fact_evidence e ON e.namespace_id = namespace AND e.fact_id = f.id AND NOT e.contradicts
                          LEFT JOIN unnest(message_ids) AS gone (id) ON gone.id = e.message_id
                         WHERE gone.id IS NULL);
    gone_facts := dead || asked;
    SELECT coalesce(array_agg(DISTINCT node), '{}') INTO ends
      FROM (SELECT g.from_id, g.to_id
              FROM unnest(message_ids) AS gone (id) JOIN graph_edges g ON g.namespace_id = namespace AND g.message_id = gone.id
             UNION ALL
            SELECT g.from_id, g.to_id
              FROM unnest(gone_facts) AS gone (id) JOIN graph_edges g ON g.namespace_id = namespace AND g.fact_id = gone.id) AS edge
     CROSS JOIN LATERAL (VALUES (edge.from_id), (edge.to_id)) AS pair (node);
    SELECT coalesce(array_agg(n.id), '{}') INTO loose_nodes
      FROM graph_nodes n
     WHERE n.namespace_id = namespace AND n.id = ANY(ends) AND n.anchor IS NULL
       AND n.id NOT IN (SELECT edge.node
                          FROM (SELECT e.id AS node, g.message_id, g.fact_id
                                  FROM unnest(ends) AS e (id) JOIN graph_edges g ON g.namespace_id = namespace AND g.from_id = e.id
                                 UNION ALL
                                SELECT e.id, g.message_id, g.fact_id
                                  FROM unnest(ends) AS e (id) JOIN graph_edges g ON g.namespace_id = namespace AND g.to_id = e.id) AS edge
                          LEFT JOIN unnest(message_ids) AS gone (id) ON gone.id = edge.message_id
                          LEFT JOIN unnest(gone_facts) AS fact (id) ON fact.id = edge.fact_id
                         WHERE gone.id IS NULL AND fact.id IS NULL);
END $$;
COMMENT ON FUNCTION plan_facts IS 'Return facts that lose evidence with messages, facts that lose all of it, and nodes that lose all edges.';

CREATE FUNCTION plan_learned(namespace bigint, message_ids uuid[], OUT gone_ids uuid[], OUT observations uuid[], OUT since timestamptz)
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    subjects text[];
    touched uuid[];
    supported uuid[];
BEGIN
    SELECT min(m.recorded_at), array_agg(DISTINCT c.subject) INTO since, subjects
      FROM unnest(message_ids) AS gone (id)
      JOIN messages m ON m.namespace_id = namespace AND m.id = gone.id
      JOIN conversations c ON c.namespace_id = namespace AND c.id = m.conversation_id;
    SELECT coalesce(array_agg(DISTINCT e.about_id), '{}') INTO touched
      FROM unnest(message_ids) AS gone (id) JOIN learned_evidence e ON e.namespace_id = namespace AND e.message_id = gone.id;
    SELECT coalesce(array_agg(DISTINCT e.about_id), '{}') INTO supported
      FROM unnest(touched) AS t (id)
      JOIN learned_evidence e ON e.namespace_id = namespace AND e.about_id = t.id
      LEFT JOIN unnest(message_ids) AS gone (id) ON gone.id = e.message_id
     WHERE gone.id IS NULL;
    SELECT coalesce(array_agg(id), '{}') INTO gone_ids
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
             WHERE NOT about.id = ANY(supported)) AS gone_with_it;
    SELECT coalesce(array_agg(DISTINCT o.id), '{}') INTO observations
      FROM unnest(message_ids) AS gone (id)
      JOIN messages m ON m.namespace_id = namespace AND m.id = gone.id
      JOIN sleep_sessions s ON s.namespace_id = namespace AND s.conversation_id = m.conversation_id
                           AND m.seq BETWEEN s.first_seq AND s.last_seq
      JOIN session_observations o ON o.namespace_id = namespace AND o.session_id = s.id AND gone.id = ANY(o.message_ids);
END $$;
COMMENT ON FUNCTION plan_learned IS
    'Return learned rows whose only evidence is in messages, Sleep''s observations, and the oldest recording time.';

CREATE FUNCTION preview_erasure(namespace bigint, of_kind smallint, id_ uuid, name_ text) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    erasure erasures;
    named text := CASE of_kind WHEN 3 THEN 'subject' WHEN 4 THEN 'author' END;
    names text[] := ARRAY[name_];
    message_ids uuid[];
    conversation_ids uuid[] := '{}';
    direct uuid[] := '{}';
    items erasure_item[] := '{}';
    summaries_ record;
    facts_ record;
    learned_ record;
    counts jsonb;
BEGIN
    erasure.namespace_id := namespace;
    erasure.kind := of_kind;
    erasure.target_id := id_;
    erasure.target_name := name_;
    erasure.requested_at := now();
    message_ids := ARRAY(SELECT target_messages(erasure));
    IF of_kind IN (2, 3) THEN
        conversation_ids := ARRAY(SELECT id FROM conversations
                                   WHERE namespace_id = namespace AND erasure_id IS NULL
                                     AND (of_kind = 2 AND id = id_ OR of_kind = 3 AND subject = name_));
        items := items_of('conversation', conversation_ids)
              || items_of('summary', ARRAY(SELECT id FROM summaries
                                            WHERE namespace_id = namespace AND conversation_id = ANY(conversation_ids)));
    ELSIF of_kind = 4 THEN
        items := items_of('note', ARRAY(SELECT n.id FROM notes n
                                          JOIN note_versions v ON v.namespace_id = namespace AND v.note_id = n.id AND v.version = n.version
                                         WHERE n.namespace_id = namespace AND v.author = name_))
              || items_of('document', ARRAY(SELECT d.id FROM documents d
                                              JOIN document_versions v ON v.namespace_id = namespace AND v.document_id = d.id
                                                                      AND v.version = d.version
                                             WHERE d.namespace_id = namespace AND v.author = name_));
    ELSIF of_kind = 11 THEN
        direct := ARRAY(SELECT id FROM summaries WHERE namespace_id = namespace AND id = id_ AND level < 8);
        items := items_of('summary', ARRAY(SELECT id FROM summaries WHERE namespace_id = namespace AND id = id_ AND level = 8));
    ELSIF of_kind > 4 THEN
        items := items_of(erasure_target(of_kind), ARRAY[CASE of_kind WHEN 8 THEN merged_node(namespace, id_) ELSE id_ END]);
    END IF;
    -- Summaries of the messages. Summaries of conversations that are deleted as a whole are items already.
    direct := direct || ARRAY(SELECT DISTINCT s.id
                                FROM unnest(message_ids) AS gone (id)
                                JOIN summary_sources x ON x.namespace_id = namespace AND x.message_id = gone.id
                                JOIN summaries s ON s.namespace_id = namespace AND s.id = x.summary_id
                                 AND NOT coalesce(s.conversation_id = ANY(conversation_ids), false)
                                 AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.namespace_id = namespace
                                                    AND c.id = s.conversation_id AND c.erasure_id IS NOT NULL));
    IF of_kind IN (1, 4) THEN
        -- Summaries under a title that came from one of the messages, as in withdraw_summaries.
        direct := direct || ARRAY(SELECT s.id
                                    FROM unnest(message_ids) AS gone (id)
                                    JOIN messages m ON m.namespace_id = namespace AND m.id = gone.id AND m.role = 2
                                    JOIN conversations c ON c.namespace_id = namespace AND c.id = m.conversation_id AND c.title <> ''
                                     AND starts_with(btrim(regexp_replace(m.content, '\s+', ' ', 'g')),
                                                     split_part(rtrim(c.title, '…'), '[credential removed]', 1))
                                    JOIN summaries s ON s.namespace_id = namespace AND s.conversation_id = c.id AND NOT s.hidden);
    END IF;
    SELECT * INTO summaries_ FROM plan_summaries(namespace, direct, message_ids);
    SELECT * INTO facts_ FROM plan_facts(namespace, message_ids, CASE of_kind WHEN 6 THEN ARRAY[id_] ELSE '{}' END);
    SELECT * INTO learned_ FROM plan_learned(namespace, message_ids);
    items := expand_items(namespace, items || items_of('summary', summaries_.removed) || items_of('cited', summaries_.covering || facts_.touched)
                          || items_of('fact', facts_.dead) || items_of('node', facts_.loose_nodes)
                          || items_of('learned', learned_.gone_ids) || items_of('observation', learned_.observations), named, names);
    items := items || items_of('theme', ARRAY(
        SELECT id FROM themes
         WHERE namespace_id = namespace
           AND made_at >= least(learned_.since,
                                (SELECT min(created_at) FROM notes WHERE namespace_id = namespace AND id = ANY(ids_of(items, 'note'))),
                                (SELECT min(created_at) FROM facts WHERE namespace_id = namespace AND id = ANY(ids_of(items, 'fact'))))));
    counts := count_items(namespace, items, message_ids, named, names) || jsonb_build_object(
        'messages', cardinality(message_ids), 'conversations', cardinality(conversation_ids),
        'summaries_withdrawn', cardinality(summaries_.covering) - cardinality(summaries_.removed));
    counts := counts || count_passages(namespace, ARRAY(
        SELECT id FROM unnest(message_ids || ids_of(items, 'source') || summaries_.covering) AS id GROUP BY id));
    RETURN jsonb_build_object(
        'counts', (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(counts) WHERE value <> '0'),
        'facts_losing_evidence', (SELECT count(*) FROM unnest(facts_.touched) AS id WHERE NOT id = ANY(ids_of(items, 'fact'))),
        'sample_ids', to_jsonb(message_ids[:5]));
END $$;
COMMENT ON FUNCTION preview_erasure IS 'Return the number of rows by table that an erasure would delete, and a few ids of messages. Only reads.';

GRANT EXECUTE ON FUNCTION preview_erasure TO everword_ingest;
