-- What background work thinks of how much a memory matters, beside what callers say.

CREATE TABLE importance_suggestions (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    memory_id uuid NOT NULL,
    importance_class smallint NOT NULL CHECK (importance_class BETWEEN 1 AND 4),
    model text NOT NULL,
    prompt_version text NOT NULL,
    suggested_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, memory_id)
);
COMMENT ON TABLE importance_suggestions IS
    'Importance classes that background work suggests: they count where no caller gave one. Derived, so it can be made again.';
SELECT fence_table('importance_suggestions');
GRANT SELECT, INSERT, UPDATE, DELETE ON importance_suggestions TO everword_compactor;
GRANT SELECT ON importance_suggestions TO everword_search;

-- Erasing a namespace now erases its suggestions too.
CREATE OR REPLACE FUNCTION erase_namespace_rows(target bigint, batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    erased bigint;
    child text;
    children text[] := ARRAY['embedding_queue', 'memory_use', 'memory_classes', 'importance_suggestions', 'memories',
                             'messages', 'append_requests', 'conversations', 'jobs', 'corpus_counts', 'api_keys'];
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
