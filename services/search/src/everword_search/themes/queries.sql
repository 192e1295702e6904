-- Statements that read themes.

-- list_themes --
-- The themes of a namespace, the largest first.
SELECT id, label, words, size, sampled, source_ids, model, made_at
  FROM themes
 WHERE namespace_id = %(namespace_id)s
 ORDER BY place;
