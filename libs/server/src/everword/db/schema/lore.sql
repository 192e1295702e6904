-- Lorebooks: entries that enter a context when a trigger matches. Matches are computed from the entries and the
-- conversation, and are not stored (ADR 32).

CREATE TABLE lore_books (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    name text NOT NULL,
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    conversation_id uuid,
    key_hash bytea NOT NULL,
    description text NOT NULL DEFAULT '',
    disabled boolean NOT NULL DEFAULT false,
    version bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE lore_books IS 'Lorebooks, with the agent, subject or conversation whose contexts use them.';
COMMENT ON COLUMN lore_books.key_hash IS 'SHA-256 of name, agent, subject and conversation, which can exceed the size of an index entry.';
COMMENT ON COLUMN lore_books.version IS 'Counts changes of the book and its entries, for caches. Its row lock orders writers.';
CREATE UNIQUE INDEX lore_books_key ON lore_books (namespace_id, key_hash);
CREATE INDEX lore_books_conversation ON lore_books (namespace_id, conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX lore_books_scope ON lore_books (namespace_id, agent, subject) WHERE conversation_id IS NULL;
SELECT create_partitions('lore_books'), isolate_table('lore_books', 'in_scope(agent, subject)');
GRANT SELECT, INSERT, UPDATE, DELETE ON lore_books TO everword_ingest;
GRANT SELECT ON lore_books TO everword_search;
INSERT INTO erasure_targets VALUES ('lore_book', 13), ('lore_entry', 14);
INSERT INTO erasure_rules VALUES
    ('conversation', 15, 'lore_books', 'conversation_id', 'lore_book', '', 'true', true),
    ('lore_book', 11, 'lore_books', 'id', NULL, '', 'true', true),
    ('subject', 22, 'lore_books', 'subject', 'lore_book', '', 'true', true);
INSERT INTO transfer_rules VALUES ('lore_books', 88, 'lore_book', '{id}');

CREATE TABLE lore_entries (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    book_id uuid NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    triggers jsonb NOT NULL DEFAULT '[]',
    patterns smallint NOT NULL DEFAULT 0,
    scan_depth smallint NOT NULL DEFAULT 5 CHECK (scan_depth BETWEEN 0 AND 100),
    priority integer NOT NULL DEFAULT 0,
    sticky_turns smallint NOT NULL DEFAULT 0 CHECK (sticky_turns BETWEEN 0 AND 100),
    disabled boolean NOT NULL DEFAULT false,
    constant boolean NOT NULL DEFAULT false,
    prevent_recursion boolean NOT NULL DEFAULT false,
    exclude_recursion boolean NOT NULL DEFAULT false,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, book_id) REFERENCES lore_books (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE lore_entries IS 'Current entries of lorebooks; each is a memory of kind 7 under its id.';
COMMENT ON COLUMN lore_entries.agent IS 'With `subject`, those of the book: scoped keys see the row by them.';
COMMENT ON COLUMN lore_entries.triggers IS 'A list of objects: text, mode (as LoreTriggerMode) and case_sensitive.';
COMMENT ON COLUMN lore_entries.patterns IS 'Number of triggers that are regular expressions.';
CREATE UNIQUE INDEX lore_entries_title ON lore_entries (namespace_id, book_id, title);
SELECT create_partitions('lore_entries'), isolate_table('lore_entries', 'in_scope(agent, subject)');
GRANT SELECT, INSERT, UPDATE, DELETE ON lore_entries TO everword_ingest;
GRANT SELECT ON lore_entries TO everword_search;
INSERT INTO erasure_rules VALUES
    ('lore_book', 10, 'lore_entries', 'book_id', 'source', 'Each entry is a memory.', 'true', true),
    ('lore_entry', 10, 'lore_entries', 'id', 'source', '', 'true', true);
INSERT INTO transfer_rules VALUES ('lore_entries', 89, 'lore_entry', '{id}', '', '{}', 'true', NULL, 100);
