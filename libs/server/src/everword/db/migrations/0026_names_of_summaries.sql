-- Summaries of the calendar, and what is significant, can be read by a name that stays.
ALTER TABLE summaries ADD COLUMN name text NOT NULL DEFAULT '';
COMMENT ON COLUMN summaries.name IS
    'Unique in the namespace: `2024-03-05`, `2024-03-05/phone`, `2024-W10`, `2024-03`, `2024`, and `2024-03-05 · The heron` for what is significant. Empty along a conversation.';

UPDATE summaries SET name = title || CASE WHEN instance = '' THEN '' ELSE '/' || instance END WHERE level BETWEEN 4 AND 7;

-- Of several of one name, all but the first have the end of their ids behind it.
UPDATE summaries s
   SET name = named.name || CASE WHEN named.place = 1 THEN '' ELSE ' · ' || right(s.id::text, 12) END
  FROM (SELECT *, row_number() OVER (PARTITION BY namespace_id, name ORDER BY created_at, id) AS place
          FROM (SELECT w.namespace_id, w.id, w.created_at,
                       to_char((w.earliest_at AT TIME ZONE n.time_zone) - n.day_cutoff_minutes * interval '1 minute', 'YYYY-MM-DD')
                       || ' · ' || coalesce(nullif(btrim(regexp_replace(w.title, '\s+', ' ', 'g')), ''),
                                            nullif(btrim(regexp_replace(left(w.content, 60), '\s+', ' ', 'g')), ''),
                                            'significant') AS name
                  FROM summaries w
                  JOIN namespaces n ON n.id = w.namespace_id
                 WHERE w.level = 8) AS wanted) AS named
 WHERE s.level = 8 AND s.namespace_id = named.namespace_id AND s.id = named.id;

-- The table is partitioned, and its index must be unique before anything is read by it.
-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX summaries_name ON summaries (namespace_id, name) WHERE name <> '';
