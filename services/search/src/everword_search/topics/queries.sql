-- Statements that read topic pages.

-- fragment page --
-- The columns of a topic page.
p.node_id, p.id, p.title, p.type, p.agent, p.subject, p.content, p.source_ids, p.source_kinds, p.revision, p.model, p.made_at

-- list_topics --
-- Topic pages in the order of their nodes' ids, without content and citations.
SELECT p.node_id, p.id, p.title, p.type, p.agent, p.subject, '' AS content, '{}'::uuid[] AS source_ids,
       '{}'::smallint[] AS source_kinds, p.revision, p.model, p.made_at
  FROM topic_pages p
 WHERE p.namespace_id = %(namespace_id)s
   AND (%(subjects)s::text[] IS NULL OR p.subject = ANY(%(subjects)s))
   AND (%(agents)s::text[] IS NULL OR p.agent = ANY(%(agents)s))
   AND (%(after_id)s::uuid IS NULL OR p.node_id > %(after_id)s)
 ORDER BY p.node_id
 LIMIT %(limit)s;

-- find_topic --
-- The page of a node, or of the node that it was merged into; the id may also be the page's own.
WITH RECURSIVE became AS (
    SELECT g.id, g.merged_into FROM graph_nodes g
     WHERE g.namespace_id = %(namespace_id)s
       AND g.id = coalesce((SELECT node_id FROM topic_pages WHERE namespace_id = %(namespace_id)s AND id = %(id)s), %(id)s)
     UNION
    SELECT g.id, g.merged_into
      FROM became b
     CROSS JOIN LATERAL (SELECT id, merged_into FROM graph_nodes
                          WHERE namespace_id = %(namespace_id)s AND id = b.merged_into
                         OFFSET 0) AS g
)
SELECT :page
  FROM became b
  JOIN topic_pages p ON p.namespace_id = %(namespace_id)s AND p.node_id = b.id
 WHERE b.merged_into IS NULL;

-- find_named --
-- The page of a node with the label; a page of the agent precedes one without an agent.
SELECT :page
  FROM graph_names n
  JOIN topic_pages p ON p.namespace_id = %(namespace_id)s AND p.node_id = n.node_id
 WHERE n.namespace_id = %(namespace_id)s AND n.label_hash = %(label_hash)s AND n.subject = %(subject)s
   AND n.agent = ANY(ARRAY['', %(agent)s])
 ORDER BY n.agent DESC, cardinality(p.source_ids) DESC, p.node_id
 LIMIT 1;
