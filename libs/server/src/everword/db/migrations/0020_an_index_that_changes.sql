-- Passages may be closed, and what closes them or takes them out is written down: copies of a namespace follow it. The columns
-- have no default, so that no row is rewritten.

ALTER TABLE memories
    ADD COLUMN valid_from timestamptz,
    ADD COLUMN valid_until timestamptz,
    ADD COLUMN known_from timestamptz,
    ADD COLUMN known_until timestamptz;
COMMENT ON COLUMN memories.valid_from IS 'Since when it holds; NULL for always.';
COMMENT ON COLUMN memories.valid_until IS 'Until when it holds, exclusive; NULL where no end is known.';
COMMENT ON COLUMN memories.known_from IS 'Since when the service believes it; NULL for as long as it is stored.';
COMMENT ON COLUMN memories.known_until IS 'Until when the service believed it, exclusive; NULL while it does.';

CREATE OR REPLACE VIEW visible_memories AS
SELECT namespace_id, id, kind, source_id, part, conversation_id, seq, agent, subject, channel, instance, author, role, tags,
       importance_class, automated, occurred_at, content, lexemes, lexeme_count, literals, ranking,
       valid_from, valid_until, known_from, known_until
  FROM memories
 WHERE namespace_id = nullif(current_setting('everword.namespace_id', true), '')::bigint
  WITH LOCAL CHECK OPTION;

CREATE TABLE index_changes (
    namespace_id bigint NOT NULL REFERENCES namespaces,
    id bigint GENERATED ALWAYS AS IDENTITY,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    removed bigint[] NOT NULL DEFAULT '{}',
    closed bigint[] NOT NULL DEFAULT '{}',
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, xid, id)
);
COMMENT ON TABLE index_changes IS
    'What was done to the index of a namespace beside adding passages, for a day. Whoever knows the index as of a snapshot '
    'asks for the changes that the snapshot does not show.';
COMMENT ON COLUMN index_changes.removed IS 'Passages that were taken out.';
COMMENT ON COLUMN index_changes.closed IS 'Passages that got other limits of when they hold or were believed.';
CREATE INDEX index_changes_by_age ON index_changes (namespace_id, changed_at);
SELECT fence_table('index_changes');
GRANT SELECT ON index_changes TO everword_search;

CREATE FUNCTION log_index_change(removed bigint[], closed bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
BEGIN
    INSERT INTO index_changes (namespace_id, removed, closed) VALUES (namespace, removed, closed);
    DELETE FROM index_changes
     WHERE (namespace_id, xid, id) IN (
           SELECT c.namespace_id, c.xid, c.id FROM index_changes c
            WHERE c.namespace_id = namespace AND c.changed_at < now() - interval '1 day'
            ORDER BY c.changed_at LIMIT 100 FOR UPDATE SKIP LOCKED);
END $$;
COMMENT ON FUNCTION log_index_change(bigint[], bigint[]) IS
    'Write down what changed in the index of the namespace that the transaction is set to, and forget what is older than a day.';
REVOKE ALL ON FUNCTION log_index_change FROM PUBLIC;

CREATE OR REPLACE FUNCTION drop_derived_passages(sources uuid[]) RETURNS bigint
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
    INSERT INTO corpus_counts (namespace_id, passages, dropped, lexemes)
    VALUES (namespace, -cardinality(dropped), cardinality(dropped), -words);
    PERFORM log_index_change(dropped, '{}');
    RETURN cardinality(dropped);
END $$;

CREATE FUNCTION close_derived_passages(sources uuid[], until timestamptz, disbelieved timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    changed bigint[];
BEGIN
    -- In the order of ids, as every writer locks them. Never what was said; see drop_derived_passages.
    PERFORM id FROM memories
      WHERE namespace_id = namespace AND source_id = ANY(sources) AND (kind = 2 OR part = -1)
      ORDER BY id FOR UPDATE;
    WITH closed AS (
        UPDATE memories SET valid_until = coalesce(until, valid_until), known_until = coalesce(disbelieved, known_until)
         WHERE namespace_id = namespace AND source_id = ANY(sources) AND (kind = 2 OR part = -1)
        RETURNING id
    )
    SELECT coalesce(array_agg(id ORDER BY id), '{}') INTO changed FROM closed;
    IF cardinality(changed) > 0 THEN
        PERFORM log_index_change('{}', changed);
    END IF;
    RETURN cardinality(changed);
END $$;
COMMENT ON FUNCTION close_derived_passages(uuid[], timestamptz, timestamptz) IS
    'Say until when what background work wrote of these memories holds, and was believed, in the namespace that the '
    'transaction is set to; NULL changes nothing. Returns how many passages.';
REVOKE ALL ON FUNCTION close_derived_passages FROM PUBLIC;
GRANT EXECUTE ON FUNCTION close_derived_passages TO everword_compactor;

CREATE OR REPLACE FUNCTION erase_namespace_rows(target bigint, batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    erased bigint;
    child text;
    children text[] := ARRAY['embedding_queue', 'index_changes', 'memory_use', 'memory_classes', 'importance_suggestions',
                             'memories',
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
