-- Nodes of the graph that only an erased fact related to anything go with it.

CREATE FUNCTION fact_nodes(facts uuid[]) RETURNS uuid[]
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT array_agg(DISTINCT node)
      FROM graph_edges g CROSS JOIN LATERAL (VALUES (g.from_id), (g.to_id)) AS ends (node)
     WHERE g.namespace_id = erasing_namespace() AND g.fact_id = ANY(facts)
$$;
COMMENT ON FUNCTION fact_nodes IS 'The nodes that relations which follow from facts connect.';

CREATE FUNCTION remove_loose_nodes(nodes uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    loose uuid[];
BEGIN
    SELECT array_agg(n.id) INTO loose
      FROM graph_nodes n
     WHERE n.namespace_id = namespace AND n.id = ANY(nodes) AND n.anchor IS NULL
       AND NOT EXISTS (SELECT FROM graph_edges g WHERE g.namespace_id = namespace AND g.from_id = n.id)
       AND NOT EXISTS (SELECT FROM graph_edges g WHERE g.namespace_id = namespace AND g.to_id = n.id);
    RETURN CASE WHEN loose IS NULL THEN '{}' ELSE erase_rows('node', loose, '{}') END;
END $$;
COMMENT ON FUNCTION remove_loose_nodes IS
    'Delete those of some nodes that nothing relates to anything any more: they were known from what is gone alone.';
REVOKE ALL ON FUNCTION fact_nodes, remove_loose_nodes FROM PUBLIC;

CREATE OR REPLACE FUNCTION withdraw_facts(gone uuid[], since timestamptz) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
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
    counts := merge_erased(counts, erase_facts(dead));
    WITH lost AS (
        DELETE FROM graph_edges g USING unnest(gone) AS erased (id)
         WHERE g.namespace_id = namespace AND g.message_id = erased.id RETURNING 1
    )
    SELECT count(*) INTO lost FROM lost;
    counts := merge_erased(counts, jsonb_build_object('graph_edges', lost));
    counts := merge_erased(counts, remove_loose_nodes(nodes));
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

CREATE OR REPLACE FUNCTION erase_facts(ids uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    nodes uuid[] := fact_nodes(ids);
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
    opened := merge_erased(opened, erase_rows('fact', ids, '{}'));
    RETURN merge_erased(opened, remove_loose_nodes(nodes));
END $$;

CREATE OR REPLACE FUNCTION retire(of_kind smallint, gone uuid[], keep_quotes boolean) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    theirs uuid[];
    nodes uuid[];
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
        nodes := fact_nodes(gone);
        counts := erase_rows('fact', gone, '{}');
        RETURN merge_erased(counts, remove_loose_nodes(nodes));
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
