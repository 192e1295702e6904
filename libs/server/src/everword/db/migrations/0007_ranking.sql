-- What ranking needs to know of a passage beside what finds it, and the names of who spoke.

ALTER TABLE memories ADD COLUMN ranking bytea;
-- Hashes do not get smaller by compression; trying costs every write.
ALTER TABLE memories ALTER COLUMN ranking SET STORAGE EXTERNAL;
COMMENT ON COLUMN memories.ranking IS
    'What the passage is ranked by: traits of its source and hashes of its words, as everword.text.ranking_record packs '
    'them. NULL where the passage was stored before there were any.';

-- A view has the columns that its table had when it was made; its grants stay.
CREATE OR REPLACE VIEW visible_memories AS
    SELECT * FROM memories
     WHERE namespace_id = nullif(current_setting('everword.namespace_id', true), '')::bigint
    WITH LOCAL CHECK OPTION;

CREATE TABLE author_names (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    name text NOT NULL,
    PRIMARY KEY (namespace_id, name)
);
COMMENT ON TABLE author_names IS
    'The words, in lower case, of the names of who spoke: in a question they say whose words are meant, not which.';
SELECT fence_table('author_names');
GRANT INSERT ON author_names TO everword_ingest;
GRANT SELECT ON author_names TO everword_search;

-- Erasing a namespace now erases its authors' names too.
CREATE OR REPLACE FUNCTION erase_namespace_rows(target bigint, batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    erased bigint;
    child text;
    children text[] := ARRAY['embedding_queue', 'memory_use', 'memory_classes', 'importance_suggestions', 'memories',
                             'author_names', 'messages', 'append_requests', 'conversations', 'jobs', 'corpus_counts',
                             'api_keys'];
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
