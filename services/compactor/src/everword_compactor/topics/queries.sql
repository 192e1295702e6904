-- Statements about what changed, and the pages that are made of it. Every one names its namespace.

-- next_changes --
-- What changed and was not looked at yet, the earliest first.
SELECT id, fact_id
  FROM topic_changes
 WHERE namespace_id = %(namespace_id)s
 ORDER BY id
 LIMIT %(limit)s;

-- has_changes --
-- Whether anything changed that was not looked at yet.
SELECT EXISTS (SELECT FROM topic_changes WHERE namespace_id = %(namespace_id)s);

-- delete_changes --
-- Changes were looked at.
DELETE FROM topic_changes WHERE namespace_id = %(namespace_id)s AND id = ANY(%(ids)s);

-- changed_topics --
-- Namespaces with changes that nobody is to look at.
SELECT namespace_id FROM changed_topics(%(limit)s, make_interval(secs => %(parked_s)s));

-- subjects_of --
-- Whom facts are about.
SELECT id, subject FROM facts WHERE namespace_id = %(namespace_id)s AND id = ANY(%(fact_ids)s) ORDER BY subject, id;
