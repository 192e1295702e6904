-- Documents: what is uploaded and written, in versions, and the chunks that are found.

CREATE TABLE documents (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    kind smallint NOT NULL DEFAULT 1 CHECK (kind IN (1, 2)),
    title text NOT NULL,
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    conversation_id uuid,
    key_hash bytea NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    chunks integer NOT NULL DEFAULT 0,
    deleted_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE documents IS
    'Documents as they stand. What one says is in document_versions, and in the index while it is not deleted.';
COMMENT ON COLUMN documents.kind IS '1: a document; 2: a workspace file.';
COMMENT ON COLUMN documents.title IS 'What callers know it by, within kind, agent, subject and conversation.';
COMMENT ON COLUMN documents.key_hash IS 'SHA-256 of kind, title, agent, subject and conversation, which may be longer than what an index takes.';
COMMENT ON COLUMN documents.version IS 'The latest one in document_versions. Its row lock orders concurrent writers.';
CREATE UNIQUE INDEX documents_key ON documents (namespace_id, key_hash);
CREATE INDEX documents_kind ON documents (namespace_id, kind, id);
CREATE INDEX documents_conversation ON documents (namespace_id, conversation_id) WHERE conversation_id IS NOT NULL;
SELECT create_partitions('documents');
SELECT isolate_table('documents');

CREATE TABLE document_versions (
    namespace_id bigint NOT NULL,
    document_id uuid NOT NULL,
    version bigint NOT NULL CHECK (version > 0),
    id uuid NOT NULL,
    deleted boolean NOT NULL DEFAULT false,
    content text NOT NULL,
    chars bigint NOT NULL,
    tags text[] NOT NULL DEFAULT '{}',
    author text NOT NULL DEFAULT '',
    file_name text NOT NULL DEFAULT '',
    media_type text NOT NULL DEFAULT '',
    file_bytes bigint NOT NULL DEFAULT 0,
    file_sha256 bytea NOT NULL DEFAULT '',
    written_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, document_id, version),
    FOREIGN KEY (namespace_id, document_id) REFERENCES documents (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE document_versions IS 'Everything that documents ever said, in order. Append-only by grants.';
COMMENT ON COLUMN document_versions.content IS 'The text. The file that it was read from is not kept.';
CREATE UNIQUE INDEX document_versions_id ON document_versions (namespace_id, id);
SELECT create_partitions('document_versions');
SELECT isolate_table('document_versions');

CREATE TABLE document_chunks (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    place integer NOT NULL CHECK (place >= 0),
    headings text[] NOT NULL DEFAULT '{}',
    start_char bigint NOT NULL,
    end_char bigint NOT NULL,
    page integer,
    digest bytea NOT NULL,
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, document_id) REFERENCES documents (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE document_chunks IS
    'The parts of the latest version of documents, each a memory (kind 5) of this id, whose text is in the index.';
COMMENT ON COLUMN document_chunks.place IS 'Where in its document it stands, from 0.';
COMMENT ON COLUMN document_chunks.digest IS 'A hash of what is indexed: a chunk that a new version has as well keeps its id and its vectors.';
CREATE INDEX document_chunks_place ON document_chunks (namespace_id, document_id, place);
SELECT create_partitions('document_chunks');
SELECT isolate_table('document_chunks');

GRANT SELECT, INSERT, UPDATE ON documents TO everword_ingest;
GRANT SELECT, INSERT ON document_versions TO everword_ingest;
GRANT SELECT, INSERT, DELETE ON document_chunks TO everword_ingest;
GRANT SELECT ON documents, document_chunks TO everword_search;

-- Chunks (kind 5) are taken out of the index when their document says something else, or is deleted.
DO $$
BEGIN
    EXECUTE regexp_replace(pg_get_functiondef('drop_derived_passages'::regproc), 'kind IN \(([0-9, ]+)\)',
                           'kind IN (\1, 5)');
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ',
                    '''usage_ledger'', ''document_chunks'', ''document_versions'', ''documents'', ');
END $$;
