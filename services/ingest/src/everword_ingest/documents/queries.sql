-- Statements of DocumentService, workspace files included. Every one names its namespace.

-- fragment columns --
-- A document as it stands, without its text.
d.id, d.kind, d.title, d.agent, d.subject, d.conversation_id, d.version, v.id AS version_id, d.chunks, v.chars, v.tags, v.author,
v.writer, v.file_name, v.media_type, v.file_bytes, v.file_sha256, d.created_at, v.written_at

-- fragment stands --
-- Whether a document is there: it was written, and not deleted.
d.version > 0 AND d.deleted_at IS NULL

-- insert_document --
-- Make a document that is not written yet, where the title is new in its scope.
INSERT INTO documents (namespace_id, id, kind, title, agent, subject, conversation_id, key_hash)
VALUES (%(namespace_id)s, %(id)s, %(kind)s, %(title)s, %(agent)s, %(subject)s, %(conversation_id)s, %(key_hash)s)
ON CONFLICT DO NOTHING;

-- find_key --
-- The id of the document with a title.
SELECT id FROM documents WHERE namespace_id = %(namespace_id)s AND key_hash = %(key_hash)s;

-- find_kind --
-- Which sort of document it is, whether it stands or not.
SELECT kind FROM documents WHERE namespace_id = %(namespace_id)s AND id = %(document_id)s;

-- lock_document --
-- Hold a document until the end of the transaction: of two writers the second sees what the first wrote.
SELECT id, kind, title, agent, subject, conversation_id, version, chunks, deleted_at
  FROM documents
 WHERE namespace_id = %(namespace_id)s AND id = %(document_id)s
   FOR NO KEY UPDATE;

-- get_version_id --
-- The id of a version by its number.
SELECT id FROM document_versions
 WHERE namespace_id = %(namespace_id)s AND document_id = %(document_id)s AND version = %(version)s;

-- get_text --
-- What a version of a document says, and its labels.
SELECT content, tags FROM document_versions
 WHERE namespace_id = %(namespace_id)s AND document_id = %(document_id)s AND version = %(version)s;

-- find_version --
-- A version of a document by its id, as an earlier call wrote it.
SELECT v.document_id, v.version, v.id AS version_id, d.chunks
  FROM document_versions v
  JOIN documents d ON d.namespace_id = %(namespace_id)s AND d.id = v.document_id
 WHERE v.namespace_id = %(namespace_id)s AND v.id = %(version_id)s;

-- insert_version --
-- Add what a document says now to its history.
INSERT INTO document_versions (namespace_id, document_id, version, id, deleted, content, chars, tags, author, writer, file_name,
                               media_type, file_bytes, file_sha256, written_at, agent, subject)
SELECT %(namespace_id)s, %(document_id)s, %(version)s, %(id)s, %(deleted)s, %(content)s, %(chars)s, %(tags)s::text[],
       %(author)s, %(writer)s, %(file_name)s, %(media_type)s, %(file_bytes)s, %(file_sha256)s, %(written_at)s,
       coalesce(d.agent, ''), coalesce(d.subject, '')
  FROM (VALUES (%(document_id)s::uuid)) AS document (id)
  LEFT JOIN documents d ON d.namespace_id = %(namespace_id)s AND d.id = document.id;

-- update_document --
-- Bring a document to its latest version.
UPDATE documents
   SET version = %(version)s, chunks = %(chunks)s, deleted_at = CASE WHEN %(deleted)s THEN %(written_at)s::timestamptz END
 WHERE namespace_id = %(namespace_id)s AND id = %(document_id)s;

-- list_chunks --
-- The chunks of a document in their order.
SELECT id, place, headings, start_char AS start, end_char AS "end", page, digest
  FROM document_chunks
 WHERE namespace_id = %(namespace_id)s AND document_id = %(document_id)s
 ORDER BY place;

-- delete_chunks --
-- Delete some chunks of a document.
DELETE FROM document_chunks
 WHERE namespace_id = %(namespace_id)s AND document_id = %(document_id)s AND id = ANY(%(ids)s::uuid[]);

-- insert_chunks --
-- Store chunks of a document. Headings come as Postgres writes arrays.
INSERT INTO document_chunks (namespace_id, id, document_id, place, headings, start_char, end_char, page, digest, agent, subject)
SELECT %(namespace_id)s, c.id, %(document_id)s, c.place, c.headings::text[], c.start, c.until, nullif(c.page, 0), c.digest,
       coalesce(d.agent, ''), coalesce(d.subject, '')
  FROM unnest(%(ids)b::uuid[], %(places)b::integer[], %(headings)b::text[], %(starts)b::bigint[], %(ends)b::bigint[],
              %(pages)b::integer[], %(digests)b::bytea[])
    AS c (id, place, headings, start, until, page, digest)
  LEFT JOIN documents d ON d.namespace_id = %(namespace_id)s AND d.id = %(document_id)s;

-- get_document --
-- A document as it stands.
SELECT :columns
  FROM documents d
  JOIN document_versions v ON v.namespace_id = %(namespace_id)s AND v.document_id = d.id AND v.version = d.version
 WHERE d.namespace_id = %(namespace_id)s AND d.id = %(document_id)s AND :stands;

-- read_text --
-- A part of what a version says.
SELECT substr(content, least(%(start)s::bigint, 2147483646)::integer + 1, %(max_chars)s::integer) AS content
  FROM document_versions
 WHERE namespace_id = %(namespace_id)s AND document_id = %(document_id)s AND version = %(version)s;

-- list_documents --
-- Documents as they stand, the latest made first: their ids grow with time.
SELECT :columns
  FROM documents d
  JOIN document_versions v ON v.namespace_id = %(namespace_id)s AND v.document_id = d.id AND v.version = d.version
 WHERE d.namespace_id = %(namespace_id)s AND d.kind = %(kind)s AND :stands
   AND (%(agents)s::text[] IS NULL OR d.agent = ANY(%(agents)s))
   AND (%(subjects)s::text[] IS NULL OR d.subject = ANY(%(subjects)s))
   AND (%(conversation_ids)s::uuid[] IS NULL OR d.conversation_id = ANY(%(conversation_ids)s))
   AND (%(tags)s::text[] IS NULL OR v.tags && %(tags)s)
   AND starts_with(d.title, %(title_prefix)s)
   AND (%(after_id)s::uuid IS NULL OR d.id < %(after_id)s)
 ORDER BY d.id DESC
 LIMIT %(limit)s;

-- list_versions --
-- What a document was, the latest first, with a part of each text.
SELECT id, version, deleted, substr(content, least(%(start)s::bigint, 2147483646)::integer + 1, %(max_chars)s::integer) AS content, chars, tags, author,
       writer, file_name, media_type, file_bytes, file_sha256, written_at
  FROM document_versions
 WHERE namespace_id = %(namespace_id)s AND document_id = %(document_id)s
   AND (%(version)s::bigint = 0 OR version = %(version)s)
   AND (%(before_version)s::bigint IS NULL OR version < %(before_version)s)
 ORDER BY version DESC
 LIMIT %(limit)s;
