-- Statements of LoreService. Each is limited to one namespace.

-- fragment book --
-- A lorebook with the number of its entries.
b.id, b.name, b.agent, b.subject, b.conversation_id, b.description, b.disabled, b.version, b.created_at, b.updated_at,
(SELECT count(*) FROM lore_entries e WHERE e.namespace_id = %(namespace_id)s AND e.book_id = b.id)::integer AS entries

-- fragment entry --
-- An entry of a lorebook.
id, book_id, title, content, triggers, scan_depth, priority, sticky_turns, disabled, constant, prevent_recursion,
exclude_recursion, version, created_at, updated_at

-- insert_book --
-- Insert a lorebook if its name and scope are new.
INSERT INTO lore_books (namespace_id, id, name, agent, subject, conversation_id, key_hash)
VALUES (%(namespace_id)s, %(id)s, %(name)s, %(agent)s, %(subject)s, %(conversation_id)s, %(key_hash)s)
ON CONFLICT DO NOTHING;

-- find_book --
-- Return the id of the lorebook with a name and scope.
SELECT id FROM lore_books WHERE namespace_id = %(namespace_id)s AND key_hash = %(key_hash)s;

-- lock_book --
-- Lock a lorebook until the end of the transaction, so that writers of its entries are serialised.
SELECT id, name, agent, subject, conversation_id
  FROM lore_books
 WHERE namespace_id = %(namespace_id)s AND id = %(book_id)s
   FOR NO KEY UPDATE;

-- update_book --
-- Update the description and state of a lorebook.
UPDATE lore_books
   SET description = %(description)s, disabled = %(disabled)s, version = version + 1, updated_at = statement_timestamp()
 WHERE namespace_id = %(namespace_id)s AND id = %(book_id)s;

-- touch_book --
-- Increment the version of a lorebook after a change of its entries.
UPDATE lore_books SET version = version + 1, updated_at = statement_timestamp()
 WHERE namespace_id = %(namespace_id)s AND id = %(book_id)s;

-- get_book --
-- Return a lorebook.
SELECT :book FROM lore_books b WHERE b.namespace_id = %(namespace_id)s AND b.id = %(book_id)s;

-- list_books --
-- Return lorebooks, the oldest first.
SELECT :book
  FROM lore_books b
 WHERE b.namespace_id = %(namespace_id)s
   AND (%(agents)s::text[] IS NULL OR b.agent = ANY(%(agents)s))
   AND (%(subjects)s::text[] IS NULL OR b.subject = ANY(%(subjects)s))
   AND (%(conversation_ids)s::uuid[] IS NULL OR b.conversation_id = ANY(%(conversation_ids)s))
   AND (%(after_id)s::uuid IS NULL OR b.id > %(after_id)s)
 ORDER BY b.id
 LIMIT %(limit)s;

-- delete_book --
-- Delete a lorebook without entries.
DELETE FROM lore_books WHERE namespace_id = %(namespace_id)s AND id = %(book_id)s;

-- get_entry --
-- Return an entry.
SELECT :entry FROM lore_entries WHERE namespace_id = %(namespace_id)s AND id = %(entry_id)s;

-- find_entry --
-- Return the id of the entry with a title.
SELECT id FROM lore_entries WHERE namespace_id = %(namespace_id)s AND book_id = %(book_id)s AND title = %(title)s;

-- list_entries --
-- Return the entries of a lorebook, the oldest first.
SELECT :entry
  FROM lore_entries
 WHERE namespace_id = %(namespace_id)s AND book_id = %(book_id)s AND (%(after_id)s::uuid IS NULL OR id > %(after_id)s)
 ORDER BY id
 LIMIT %(limit)s;

-- list_entry_ids --
-- Return the ids of all entries of a lorebook.
SELECT id FROM lore_entries WHERE namespace_id = %(namespace_id)s AND book_id = %(book_id)s;

-- count_entries --
-- Count the entries of a lorebook and their patterns.
SELECT count(*) AS entries, coalesce(sum(patterns), 0)::bigint AS patterns
  FROM lore_entries
 WHERE namespace_id = %(namespace_id)s AND book_id = %(book_id)s;

-- write_entries --
-- Write entries; entries with the same ids are replaced.
INSERT INTO lore_entries (namespace_id, id, book_id, title, content, triggers, patterns, scan_depth, priority, sticky_turns,
                          disabled, constant, prevent_recursion, exclude_recursion, agent, subject)
SELECT t.namespace_id, e.id, %(book_id)s, e.title, e.content, e.triggers, e.patterns, e.scan_depth, e.priority,
       e.sticky_turns, e.disabled, e.constant, e.prevent_recursion, e.exclude_recursion, coalesce(b.agent, ''), coalesce(b.subject, '')
  FROM tenants t
 CROSS JOIN unnest(%(id)b::uuid[], %(title)b::text[], %(content)b::text[], %(triggers)b::jsonb[], %(patterns)b::smallint[],
              %(scan_depth)b::smallint[], %(priority)b::integer[], %(sticky_turns)b::smallint[], %(disabled)b::boolean[],
              %(constant)b::boolean[], %(prevent_recursion)b::boolean[], %(exclude_recursion)b::boolean[])
    AS e (id, title, content, triggers, patterns, scan_depth, priority, sticky_turns, disabled, constant,
          prevent_recursion, exclude_recursion)
  LEFT JOIN lore_books b ON b.namespace_id = t.namespace_id AND b.id = %(book_id)s
 WHERE t.namespace_id = %(namespace_id)s
ON CONFLICT (namespace_id, id) DO UPDATE
   SET title = excluded.title, content = excluded.content, triggers = excluded.triggers, patterns = excluded.patterns,
       scan_depth = excluded.scan_depth, priority = excluded.priority, sticky_turns = excluded.sticky_turns,
       disabled = excluded.disabled, constant = excluded.constant, prevent_recursion = excluded.prevent_recursion,
       exclude_recursion = excluded.exclude_recursion, version = lore_entries.version + 1, updated_at = excluded.updated_at;

-- get_classes --
-- Return the importance classes that callers gave to memories.
SELECT memory_id, importance_class
  FROM memory_classes
 WHERE namespace_id = %(namespace_id)s AND memory_id = ANY(%(memory_ids)s::uuid[]);

-- delete_entries --
-- Delete entries.
DELETE FROM lore_entries WHERE namespace_id = %(namespace_id)s AND id = ANY(%(entry_ids)s::uuid[]);
