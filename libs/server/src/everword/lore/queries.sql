-- Statements that read lorebooks for contexts. Each is limited to one namespace.

-- find_books --
-- Return the enabled lorebooks that apply to a context, those of its conversation first.
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
-- Return the entries of lorebooks with their triggers and settings, but without their content. Entries that can never
-- be included are omitted.
SELECT id, book_id, title, triggers::text AS triggers, scan_depth, priority, sticky_turns, constant, prevent_recursion, exclude_recursion, version
  FROM lore_entries
 WHERE namespace_id = %(namespace_id)s AND book_id = ANY(%(book_ids)s::uuid[]) AND NOT disabled
   AND (constant OR triggers <> '[]');

-- read_contents --
-- Return the content of entries.
SELECT id, content FROM lore_entries WHERE namespace_id = %(namespace_id)s AND id = ANY(%(entry_ids)s::uuid[]);

-- read_lines --
-- Return the latest messages of a conversation, newest first, with the beginning of their texts: the larger of the last
-- `depth` messages and the last `turns` user turns, including the answers to the turn before these. Automated messages
-- are not counted. Tools' messages (role 4) and messages without text are excluded, except users' (role 2).
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
