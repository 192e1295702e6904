-- Documents and workspace files with their versions, and their indexed chunks.

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
COMMENT ON TABLE documents IS 'Current state of documents. The text is in document_versions and, unless deleted, in the index.';
COMMENT ON COLUMN documents.kind IS '1: a document; 2: a workspace file.';
COMMENT ON COLUMN documents.title IS 'Name of the document, unique within kind, agent, subject and conversation.';
COMMENT ON COLUMN documents.key_hash IS
    'SHA-256 of kind, title, agent, subject and conversation, which can exceed the size of an index entry.';
COMMENT ON COLUMN documents.version IS 'Latest version in document_versions. Its row lock orders concurrent writers.';
CREATE UNIQUE INDEX documents_key ON documents (namespace_id, key_hash);
CREATE INDEX documents_kind ON documents (namespace_id, kind, id);
CREATE INDEX documents_conversation ON documents (namespace_id, conversation_id) WHERE conversation_id IS NOT NULL;
SELECT create_partitions('documents'), isolate_table('documents', 'in_scope(agent, subject)');
GRANT SELECT, INSERT, UPDATE ON documents TO everword_ingest;
GRANT SELECT ON documents TO everword_search;
INSERT INTO erasure_targets VALUES ('document', 10), ('document_version', 19);
INSERT INTO erasure_rules VALUES
    ('conversation', 14, 'documents', 'conversation_id', 'document'),
    ('document', 12, 'documents', 'id', NULL),
    ('subject', 21, 'documents', 'subject', 'document');
INSERT INTO transfer_rules VALUES ('documents', 85, 'document', '{id}', 'Includes workspace files.');

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
    writer smallint NOT NULL DEFAULT 0 CHECK (writer BETWEEN 0 AND 3),
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, document_id, version),
    FOREIGN KEY (namespace_id, document_id) REFERENCES documents (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE document_versions IS 'Every version of every document. Append-only by grants.';
COMMENT ON COLUMN document_versions.agent IS 'With `subject`, those of the document: scoped keys see the row by them.';
COMMENT ON COLUMN document_versions.content IS 'The text. The uploaded file is not kept.';
COMMENT ON COLUMN document_versions.writer IS
    'Writer of a workspace file: 1 agent, 2 person, 3 the system that runs the agent; 0 for documents.';
CREATE UNIQUE INDEX document_versions_id ON document_versions (namespace_id, id);
SELECT create_partitions('document_versions'), isolate_table('document_versions', 'in_scope(agent, subject)');
GRANT SELECT, INSERT ON document_versions TO everword_ingest;
INSERT INTO erasure_rules VALUES
    ('author', 11, 'document_versions', 'author', NULL, 'As for notes.', 'true', true),
    ('document', 11, 'document_versions', 'document_id', NULL, '', 'true', true),
    ('document_version', 10, 'document_versions', 'id', NULL, 'A former version.', 'true', true);
INSERT INTO transfer_rules VALUES ('document_versions', 86, 'document_version', '{document_id,version}', '', '{}', 'true', NULL, 4);

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
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, document_id) REFERENCES documents (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE document_chunks IS
    'Parts of the latest version of documents. Each is a memory (kind 5) with this id; its text is in the index.';
COMMENT ON COLUMN document_chunks.agent IS 'With `subject`, those of the document: scoped keys see the row by them.';
COMMENT ON COLUMN document_chunks.place IS 'Position in the document, from 0.';
COMMENT ON COLUMN document_chunks.digest IS 'Hash of the indexed text: a chunk that is equal in a new version keeps its id and its vectors.';
CREATE INDEX document_chunks_place ON document_chunks (namespace_id, document_id, place);
SELECT create_partitions('document_chunks'), isolate_table('document_chunks', 'in_scope(agent, subject)');
GRANT SELECT, INSERT, DELETE ON document_chunks TO everword_ingest;
GRANT SELECT ON document_chunks TO everword_search;
GRANT SELECT (namespace_id, id, headings) ON document_chunks TO everword_embedder;
INSERT INTO erasure_rules VALUES ('document', 10, 'document_chunks', 'document_id', 'source', 'Each chunk is a memory.');
INSERT INTO transfer_rules VALUES ('document_chunks', 87, 'document_chunk', '{id}');
