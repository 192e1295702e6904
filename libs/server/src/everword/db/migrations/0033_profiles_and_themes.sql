-- What holds of a subject is read in the order in which it is shown, and no further than it is shown.

-- squawk-ignore require-concurrent-index-creation
CREATE INDEX facts_profile ON facts (namespace_id, subject, category, attribute, confidence DESC, id);
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX facts_known ON facts (namespace_id, subject, confidence DESC, last_seen_at DESC, id);

-- What a namespace is about: clusters over the vectors of a sample of its memories, made anew by night.
CREATE TABLE themes (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    place smallint NOT NULL,
    label text NOT NULL,
    words text[] NOT NULL,
    size integer NOT NULL,
    sampled integer NOT NULL,
    source_ids uuid[] NOT NULL,
    generation_id smallint NOT NULL,
    model text NOT NULL DEFAULT '',
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    UNIQUE (namespace_id, place)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE themes IS 'All of a namespace are replaced at once.';
COMMENT ON COLUMN themes.source_ids IS 'The memories nearest to its middle, nearest first.';
COMMENT ON COLUMN themes.generation_id IS 'Whose vectors it was made of.';
COMMENT ON COLUMN themes.model IS 'The language model that wrote the label; empty where words were chosen.';
SELECT create_partitions('themes');
SELECT isolate_table('themes');
GRANT SELECT, INSERT, DELETE ON themes TO everword_compactor;
GRANT SELECT ON themes TO everword_search;

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ', '''usage_ledger'', ''themes'', ');
END $$;
