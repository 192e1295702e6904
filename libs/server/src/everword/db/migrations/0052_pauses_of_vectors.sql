-- A namespace whose budget is spent waits as a whole: its passages are not claimed and given back again and again.

CREATE TABLE embedding_pauses (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    generation_id bigint NOT NULL REFERENCES model_generations (id) ON DELETE CASCADE,
    until timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, generation_id)
);
COMMENT ON TABLE embedding_pauses IS
    'Namespaces whose pending vectors of a generation nobody makes until a moment: their budget is spent. A change of a budget '
    'ends the pause.';
GRANT SELECT, INSERT, UPDATE ON embedding_pauses TO everword_embedder;
GRANT SELECT, DELETE ON embedding_pauses TO everword_ingest;

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''embedding_queue'', ',
                    '''embedding_queue'', ''embedding_pauses'', ');
END $$;
INSERT INTO erasure_rules (target, place, relation, key_column, only_where, goes_on, remark) VALUES
    ('kept', 30, 'embedding_pauses', '', 'true', NULL, 'Ids and times.');
INSERT INTO transfer_rules (place, record, relation, keys, remark) VALUES
    (252, NULL, 'embedding_pauses', '{}', 'Written again when a budget is found spent.');
