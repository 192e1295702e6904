-- Statements that read lorebooks for contexts. Every one names its namespace.

-- find_books --
-- The lorebooks that a context looks at: those for its conversation first.
SELECT id, version, name
  FROM (SELECT id, version, name, conversation_id
          FROM lore_books
         WHERE namespace_id = %(namespace_id)s AND conversation_id IS NULL AND NOT disabled
           AND (%(agents)s::text[] IS NULL OR agent = ANY(%(agents)s))
           AND (%(subjects)s::text[] IS NULL OR subject = ANY(%(subjects)s))
         UNION ALL
        SELECT id, version, name, conversation_id
          FROM lore_books
         WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s::uuid AND NOT disabled) AS books
 ORDER BY conversation_id IS NULL, id
 LIMIT %(limit)s;

-- read_rules --
-- When the entries of lorebooks are in a context: all but what they say. Those that never are, are left out.
SELECT id, book_id, title, triggers::text AS triggers, scan_depth, priority, sticky_turns, constant, prevent_recursion, exclude_recursion, version
  FROM lore_entries
 WHERE namespace_id = %(namespace_id)s AND book_id = ANY(%(book_ids)s::uuid[]) AND NOT disabled
   AND (constant OR triggers <> '[]');

-- read_contents --
-- What entries say.
SELECT id, content FROM lore_entries WHERE namespace_id = %(namespace_id)s AND id = ANY(%(entry_ids)s::uuid[]);

-- read_lines --
-- The latest messages of a conversation, newest first, with the beginning of their words: as many as a number of lines that
-- count takes, and as a number of turns of a user takes, the answers to the one before included. Messages of tools (role 4),
-- and those without words that are no user's (role 2), are left out.
WITH lines AS NOT MATERIALIZED (
    SELECT seq, role, automated, content, content_blocks
      FROM messages
     WHERE namespace_id = %(namespace_id)s AND conversation_id = %(conversation_id)s AND role <> 4
       AND (role = 2 OR content <> '' OR content_blocks IS NOT NULL)
), words AS (
    SELECT seq, role, automated,
           left(concat_ws(E'\n', nullif(content, ''),
                          (SELECT string_agg(block ->> 'text', E'\n') FROM jsonb_array_elements(content_blocks) AS block)),
                %(most_chars)s) AS content
      FROM lines
     WHERE seq >= least(
               CASE WHEN %(depth)s > 0 THEN coalesce(
                   (SELECT seq FROM lines WHERE NOT automated ORDER BY seq DESC OFFSET %(depth)s - 1 LIMIT 1), 0) END,
               CASE WHEN %(turns)s > 0 THEN coalesce(
                   (SELECT seq FROM lines WHERE NOT automated AND role = 2 ORDER BY seq DESC OFFSET %(turns)s LIMIT 1), 0) END)
     ORDER BY seq DESC
     LIMIT %(limit)s
)
SELECT seq, role, automated, content
  FROM (SELECT *, sum(octet_length(content)) OVER (ORDER BY seq DESC) AS size_so_far FROM words) AS sized
 WHERE size_so_far <= %(max_bytes)s OR size_so_far = octet_length(content)
 ORDER BY seq DESC;
