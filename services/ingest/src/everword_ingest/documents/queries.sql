-- Statements of DocumentService, workspace files included. Each is limited to one namespace.

-- fragment columns --
-- The current version of a document, without its text.
d.id, d.kind, d.title, d.agent, d.subject, d.conversation_id, d.version, v.id AS version_id, d.chunks, v.chars, v.tags, v.author,
v.writer, v.file_name, v.media_type, v.file_bytes, v.file_sha256, d.created_at, v.written_at

-- fragment current --
-- Condition: the document has a version and is not deleted.
d.version > 0 AND d.deleted_at IS NULL

-- insert_document --
-- Insert a document without a version yet, if the title is new in its scope.
INSERT INTO documents (namespace_id, id, kind, title, agent, subject, conversation_id, key_hash)
VALUES (%(namespace_id)s, %(id)s, %(kind)s, %(title)s, %(agent)s, %(subject)s, %(conversation_id)s, %(key_hash)s)
ON CONFLICT DO NOTHING;

-- find_key --
-- Return the id of the document with a title.
SELECT id FROM documents WHERE namespace_id = %(namespace_id)s AND key_hash = %(key_hash)s;

-- find_kind --
-- Return the kind of a document, even if it is deleted.
SELECT kind FROM documents WHERE namespace_id = %(namespace_id)s AND id = %(document_id)s;

-- lock_document --
-- Lock a document until the end of the transaction, so that the second of two writers sees the first one's version.
SELECT id, kind, title, agent, subject, conversation_id, version, chunks, deleted_at
  FROM documents
 WHERE namespace_id = %(namespace_id)s AND id = %(document_id)s
   FOR NO KEY UPDATE;

-- get_version_id --
-- Return the id of a version by its number.
SELECT id FROM document_versions
 WHERE namespace_id = %(namespace_id)s AND document_id = %(document_id)s AND version = %(version)s;

-- get_text --
-- Return the text and labels of a version of a document.
SELECT content, tags FROM document_versions
 WHERE namespace_id = %(namespace_id)s AND document_id = %(document_id)s AND version = %(version)s;

-- find_version --
-- Return a version of a document by its id, for a repeated call.
SELECT v.document_id, v.version, v.id AS version_id, d.chunks
  FROM document_versions v
  JOIN documents d ON d.namespace_id = %(namespace_id)s AND d.id = v.document_id
 WHERE v.namespace_id = %(namespace_id)s AND v.id = %(version_id)s;

-- insert_version --
-- Add a version to a document's history.
INSERT INTO document_versions (namespace_id, document_id, version, id, deleted, content, chars, tags, author, writer, file_name,
                               media_type, file_bytes, file_sha256, written_at, agent, subject)
SELECT t.namespace_id, %(document_id)s, %(version)s, %(id)s, %(deleted)s, %(content)s, %(chars)s, %(tags)s::text[],
       %(author)s, %(writer)s, %(file_name)s, %(media_type)s, %(file_bytes)s, %(file_sha256)s, %(written_at)s,
       coalesce(d.agent, ''), coalesce(d.subject, '')
  FROM tenants t
  LEFT JOIN documents d ON d.namespace_id = t.namespace_id AND d.id = %(document_id)s
 WHERE t.namespace_id = %(namespace_id)s;

-- update_document --
-- Set the current version of a document.
UPDATE documents
   SET version = %(version)s, chunks = %(chunks)s, deleted_at = CASE WHEN %(deleted)s THEN %(written_at)s::timestamptz END
 WHERE namespace_id = %(namespace_id)s AND id = %(document_id)s;

-- list_chunks --
-- Return the chunks of a document in order.
SELECT id, place, headings, start_char AS start, end_char AS "end", page, digest
  FROM document_chunks
 WHERE namespace_id = %(namespace_id)s AND document_id = %(document_id)s
 ORDER BY place;

-- delete_chunks --
-- Delete some chunks of a document.
DELETE FROM document_chunks
 WHERE namespace_id = %(namespace_id)s AND document_id = %(document_id)s AND id = ANY(%(ids)s::uuid[]);

-- insert_chunks --
-- Store chunks of a document. Headings are sent as array literals of PostgreSQL.
INSERT INTO document_chunks (namespace_id, id, document_id, place, headings, start_char, end_char, page, digest, agent, subject)
SELECT t.namespace_id, c.id, %(document_id)s, c.place, c.headings::text[], c.start, c.until, nullif(c.page, 0), c.digest,
       coalesce(d.agent, ''), coalesce(d.subject, '')
  FROM tenants t
 CROSS JOIN unnest(%(ids)b::uuid[], %(places)b::integer[], %(headings)b::text[], %(starts)b::bigint[], %(ends)b::bigint[],
              %(pages)b::integer[], %(digests)b::bytea[])
    AS c (id, place, headings, start, until, page, digest)
  LEFT JOIN documents d ON d.namespace_id = t.namespace_id AND d.id = %(document_id)s
 WHERE t.namespace_id = %(namespace_id)s;

-- get_document --
-- Return the current version of a document.
SELECT :columns
  FROM documents d
  JOIN document_versions v ON v.namespace_id = %(namespace_id)s AND v.document_id = d.id AND v.version = d.version
 WHERE d.namespace_id = %(namespace_id)s AND d.id = %(document_id)s AND :current;

-- read_text --
-- Return a part of a version's text.
SELECT substr(content, least(%(start)s::bigint, 2147483646)::integer + 1, %(max_chars)s::integer) AS content
  FROM document_versions
 WHERE namespace_id = %(namespace_id)s AND document_id = %(document_id)s AND version = %(version)s;

-- list_documents --
-- Return documents, the latest created first: their ids grow with time.
SELECT :columns
  FROM documents d
  JOIN document_versions v ON v.namespace_id = %(namespace_id)s AND v.document_id = d.id AND v.version = d.version
 WHERE d.namespace_id = %(namespace_id)s AND d.kind = %(kind)s AND :current
   AND (%(agents)s::text[] IS NULL OR d.agent = ANY(%(agents)s))
   AND (%(subjects)s::text[] IS NULL OR d.subject = ANY(%(subjects)s))
   AND (%(conversation_ids)s::uuid[] IS NULL OR d.conversation_id = ANY(%(conversation_ids)s))
   AND (%(tags)s::text[] IS NULL OR v.tags && %(tags)s)
   AND starts_with(d.title, %(title_prefix)s)
   AND (%(after_id)s::uuid IS NULL OR d.id < %(after_id)s)
 ORDER BY d.id DESC
 LIMIT %(limit)s;

-- list_versions --
-- Return the versions of a document, the latest first, with a part of each text.
SELECT id, version, deleted, substr(content, least(%(start)s::bigint, 2147483646)::integer + 1, %(max_chars)s::integer) AS content, chars, tags, author,
       writer, file_name, media_type, file_bytes, file_sha256, written_at
  FROM document_versions
 WHERE namespace_id = %(namespace_id)s AND document_id = %(document_id)s
   AND (%(version)s::bigint = 0 OR version = %(version)s)
   AND (%(before_version)s::bigint IS NULL OR version < %(before_version)s)
 ORDER BY version DESC
 LIMIT %(limit)s;
