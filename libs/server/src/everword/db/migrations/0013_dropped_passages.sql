-- Two numbers tell whether a copy of a namespace's passages is complete. The default is the same for all rows, so that none is
-- rewritten.

ALTER TABLE corpus_counts ADD COLUMN dropped bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN corpus_counts.dropped IS
    'Passages that were taken out again. With `passages` it tells how many were ever stored, so that two equal pairs of '
    'sums mean the same passages.';

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
    RETURN cardinality(dropped);
END $$;
