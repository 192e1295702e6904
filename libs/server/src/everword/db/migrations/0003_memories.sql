-- The index over every kind of memory. All of it can be rebuilt from the primary data, except memory_classes and
-- memory_use, which hold what callers said and did.

CREATE SEQUENCE memory_ids AS bigint;
COMMENT ON SEQUENCE memory_ids IS 'Ids of passages, over all namespaces and partitions.';

CREATE TABLE memories (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id bigint NOT NULL DEFAULT nextval('memory_ids'),
    kind smallint NOT NULL,
    source_id uuid NOT NULL,
    part integer NOT NULL DEFAULT 0,
    conversation_id uuid,
    seq bigint,
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    channel text NOT NULL DEFAULT '',
    instance text NOT NULL DEFAULT '',
    author text NOT NULL DEFAULT '',
    role smallint NOT NULL DEFAULT 0,
    tags text[] NOT NULL DEFAULT '{}',
    importance_class smallint NOT NULL DEFAULT 0,
    automated boolean NOT NULL DEFAULT false,
    occurred_at timestamptz NOT NULL,
    content text NOT NULL,
    lexemes tsvector NOT NULL,
    lexeme_count integer NOT NULL,
    literals text,
    PRIMARY KEY (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE memories IS
    'One row per passage of anything that can be searched. Services reach it through visible_memories only: behind a '
    'row-level policy no index would serve the text operators.';
COMMENT ON COLUMN memories.source_id IS 'The public id of the memory that the passage is of.';
COMMENT ON COLUMN memories.part IS 'Which passage of its source, from 0.';
COMMENT ON COLUMN memories.content IS 'The words of the passage, as they were sent.';
COMMENT ON COLUMN memories.lexemes IS 'The indexed words: those of the passage, of who spoke and of when.';
COMMENT ON COLUMN memories.lexeme_count IS 'BM25''s document length: occurrences of lexemes, after stop words.';
COMMENT ON COLUMN memories.literals IS 'File names, versions, addresses and the like, for the trigram arm.';
-- A passage is indexed once, and found by its source.
CREATE UNIQUE INDEX memories_source ON memories (namespace_id, source_id, part);
CREATE INDEX memories_conversation ON memories (namespace_id, conversation_id, seq);
CREATE INDEX memories_occurred ON memories (namespace_id, occurred_at, source_id) WHERE part = 0;
CREATE INDEX memories_lexemes ON memories USING gin (namespace_id, lexemes);
CREATE INDEX memories_literals ON memories USING gin (namespace_id, literals gin_trgm_ops) WHERE literals IS NOT NULL;
SELECT create_partitions('memories');
SELECT fence_table('memories');

-- The owner's rights and no security barrier let the planner push text operators into the indexes; the check option
-- holds writes to the same namespace.
CREATE VIEW visible_memories AS
    SELECT * FROM memories
     WHERE namespace_id = nullif(current_setting('everword.namespace_id', true), '')::bigint
    WITH LOCAL CHECK OPTION;
COMMENT ON VIEW visible_memories IS 'The memories of the namespace that the transaction is set to.';
GRANT USAGE ON SEQUENCE memory_ids TO everword_ingest;
GRANT SELECT, INSERT, UPDATE (importance_class) ON visible_memories TO everword_ingest;
GRANT SELECT ON visible_memories TO everword_search, everword_compactor, everword_embedder;

CREATE TABLE memory_classes (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    memory_id uuid NOT NULL,
    importance_class smallint NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, memory_id)
);
COMMENT ON TABLE memory_classes IS 'Importance classes that callers gave to memories after they were stored.';
SELECT fence_table('memory_classes');
GRANT SELECT, INSERT, UPDATE ON memory_classes TO everword_ingest;
GRANT SELECT ON memory_classes TO everword_search, everword_compactor;

CREATE TABLE memory_use (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    memory_id uuid NOT NULL,
    use_count bigint NOT NULL DEFAULT 0,
    last_used_at timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, memory_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE memory_use IS 'How often a memory was used. Narrow and roomy, so that counting stays within the page.';
SELECT fence_table('memory_use');
GRANT SELECT, INSERT, UPDATE ON memory_use TO everword_ingest, everword_search;

CREATE TABLE corpus_counts (
    id bigint GENERATED ALWAYS AS IDENTITY,
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    conversations bigint NOT NULL DEFAULT 0,
    messages bigint NOT NULL DEFAULT 0,
    turns bigint NOT NULL DEFAULT 0,
    passages bigint NOT NULL DEFAULT 0,
    lexemes bigint NOT NULL DEFAULT 0,
    content_bytes bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace_id, id)
);
COMMENT ON TABLE corpus_counts IS
    'What is stored, and BM25''s statistics: the sum over a namespace''s rows. Every write adds a row, and a background '
    'task folds them into one: a counter row that each write updates would halve throughput. Counters only, so no fence.';
GRANT SELECT ON corpus_counts TO everword_search, everword_compactor, everword_embedder;
-- UPDATE on an id that cannot be changed: what locking rows asks for.
GRANT SELECT, INSERT, DELETE, UPDATE (id) ON corpus_counts TO everword_ingest;
