-- Checks of data that callers write directly: notes, documents, lorebooks.

-- notes_current --
-- over: notes by id
-- holds: A note's current version is its latest, and the note is deleted if that version says so.
-- do: Set the note's version to the latest one.
SELECT n.id::text AS id, format('at version %%s, but %%s is the latest', n.version, coalesce(v.version, 0)) AS detail
  FROM notes n
  LEFT JOIN LATERAL (SELECT version, deleted FROM note_versions v
                      WHERE v.namespace_id = %(namespace_id)s AND v.note_id = n.id ORDER BY version DESC LIMIT 1) AS v ON true
 WHERE n.namespace_id = %(namespace_id)s AND n.id > %(after)s AND n.id <= %(last)s
   AND (n.version IS DISTINCT FROM v.version OR v.deleted <> (n.deleted_at IS NOT NULL));

-- notes_indexed --
-- over: notes by id
-- holds: Every note is in the index until it is deleted.
-- do: `everword rebuild`.
SELECT n.id::text AS id, 'has no passage' AS detail
  FROM notes n
 WHERE n.namespace_id = %(namespace_id)s AND n.id > %(after)s AND n.id <= %(last)s AND n.deleted_at IS NULL
   AND NOT EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = n.id AND p.part = 0);

-- documents_current --
-- over: documents by id
-- holds: A document's current version is its latest. Its chunks are numbered from 0, and their number equals its count.
-- do: Write the document again with the same text.
SELECT d.id::text AS id, format('version %%s of %%s, with %%s chunks of %%s', d.version, v.version, c.chunks, d.chunks) AS detail
  FROM documents d
  LEFT JOIN LATERAL (SELECT max(version) AS version FROM document_versions v
                      WHERE v.namespace_id = %(namespace_id)s AND v.document_id = d.id) AS v ON true
  LEFT JOIN LATERAL (SELECT count(*) AS chunks, coalesce(max(place) + 1, 0) AS places FROM document_chunks c
                      WHERE c.namespace_id = %(namespace_id)s AND c.document_id = d.id) AS c ON true
 WHERE d.namespace_id = %(namespace_id)s AND d.id > %(after)s AND d.id <= %(last)s
   AND (d.version IS DISTINCT FROM v.version OR c.chunks <> c.places
        OR c.chunks <> CASE WHEN d.deleted_at IS NULL THEN d.chunks ELSE 0 END);

-- chunks_indexed --
-- over: document_chunks by id
-- holds: Every chunk of a document is in the index.
-- do: `everword rebuild`.
SELECT c.id::text AS id, 'of document ' || c.document_id || ', has no passage' AS detail
  FROM document_chunks c
 WHERE c.namespace_id = %(namespace_id)s AND c.id > %(after)s AND c.id <= %(last)s
   AND NOT EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = c.id AND p.part = 0);

-- lore_indexed --
-- over: lore_entries by id
-- holds: Every entry of a lorebook is in the index.
-- do: `everword rebuild`.
SELECT e.id::text AS id, 'has no passage' AS detail
  FROM lore_entries e
 WHERE e.namespace_id = %(namespace_id)s AND e.id > %(after)s AND e.id <= %(last)s
   AND NOT EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = e.id AND p.part = 0);
