-- Statements on changes and on the topic pages made from them. Each is limited to one namespace.

-- next_changes --
-- Return unprocessed changes, the earliest first: either of facts and leaves, or of nodes. Facts and leaves are
-- processed before nodes, because nodes' pages are made from them.
SELECT id, fact_id, leaf_id, node_id
  FROM topic_changes
 WHERE namespace_id = %(namespace_id)s AND (node_id IS NOT NULL) = %(of_nodes)s
 ORDER BY id
 LIMIT %(limit)s;

-- has_changes --
-- Return whether a namespace has unprocessed changes.
SELECT EXISTS (SELECT FROM topic_changes WHERE namespace_id = %(namespace_id)s);

-- delete_changes --
-- Delete processed changes.
DELETE FROM topic_changes WHERE namespace_id = %(namespace_id)s AND id = ANY(%(ids)s);

-- changed_topics --
-- Return namespaces with changes but without a job to process them.
SELECT namespace_id FROM changed_topics(%(limit)s, make_interval(secs => %(parked_s)s));

-- facts_of --
-- Return facts with their attributes and values.
SELECT id, subject, attribute, value, hypothesis, state
  FROM facts
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(fact_ids)s)
 ORDER BY subject, id;

-- read_leaves --
-- Return leaves with their text, agent and subject, the latest first.
SELECT id, agent, subject, content, earliest_at, latest_at
  FROM summaries
 WHERE namespace_id = %(namespace_id)s AND id = ANY(%(leaf_ids)s) AND level = 1
 ORDER BY latest_at DESC, id DESC
 LIMIT %(limit)s;

-- find_nodes --
-- Return the nodes with these labels, for a subject. A node of an agent is returned only for that agent. Anchors are
-- not topics.
SELECT DISTINCT n.node_id
  FROM graph_names n
  JOIN graph_nodes g ON g.namespace_id = %(namespace_id)s AND g.id = n.node_id
 WHERE n.namespace_id = %(namespace_id)s AND n.label_hash = ANY(%(label_hashes)s) AND n.subject = %(subject)s
   AND n.agent = ANY(ARRAY['', %(agent)s]) AND g.anchor IS NULL
 ORDER BY n.node_id;

-- link_sources --
-- Record that sources are about nodes; a source that was linked before counts as changed.
INSERT INTO topic_sources (namespace_id, node_id, source_id, kind)
SELECT t.namespace_id, s.node_id, s.source_id, s.kind
  FROM tenants t
 CROSS JOIN unnest(%(node_ids)s::uuid[], %(source_ids)s::uuid[], %(kinds)s::smallint[]) AS s (node_id, source_id, kind)
 WHERE t.namespace_id = %(namespace_id)s
    ON CONFLICT (namespace_id, node_id, source_id) DO UPDATE SET changed_at = excluded.changed_at;

-- unlink_source --
-- Unlink a source from all nodes except these, and return the nodes that lost it.
DELETE FROM topic_sources
 WHERE namespace_id = %(namespace_id)s AND source_id = %(source_id)s AND node_id <> ALL(%(node_ids)s)
RETURNING node_id;

-- find_leaves --
-- Return the latest leaves of a subject that contain the words of a label, for a node that was created after them.
SELECT s.id, s.agent, s.subject, s.content, s.earliest_at, s.latest_at
  FROM (SELECT DISTINCT source_id FROM visible_memories
         WHERE namespace_id = %(namespace_id)s AND kind = {summary_kind} AND subject = %(subject)s
           AND (%(agent)s = '' OR agent = %(agent)s)
           AND lexemes @@ %(label)s::tsquery) AS m
  JOIN summaries s ON s.namespace_id = %(namespace_id)s AND s.id = m.source_id AND s.level = 1
 ORDER BY s.latest_at DESC, s.id DESC
 LIMIT %(limit)s;

-- read_nodes --
-- Return nodes with their current version and the node that they were merged into.
SELECT g.id, g.agent, g.subject, g.anchor, g.merged_into, coalesce(v.label, '') AS label, coalesce(v.type, '') AS type,
       coalesce(v.description, '') AS description, coalesce(v.aliases, '{}') AS aliases, now() AS read_at
  FROM graph_nodes g
  LEFT JOIN graph_node_versions v ON v.namespace_id = %(namespace_id)s AND v.node_id = g.id AND v.known_until IS NULL
 WHERE g.namespace_id = %(namespace_id)s AND g.id = ANY(%(node_ids)s)
 ORDER BY g.id;

-- read_sources --
-- Return the sources for a node's page, the latest first.
SELECT source_id, kind, changed_at
  FROM topic_sources
 WHERE namespace_id = %(namespace_id)s AND node_id = %(node_id)s
 ORDER BY kind DESC, changed_at DESC, source_id
 LIMIT %(limit)s;

-- take_sources --
-- Unlink all sources from a node, and return them.
DELETE FROM topic_sources WHERE namespace_id = %(namespace_id)s AND node_id = %(node_id)s RETURNING source_id, kind;

-- enqueue_nodes --
-- Enqueue nodes, so that their pages are updated.
INSERT INTO topic_changes (namespace_id, id, node_id)
SELECT t.namespace_id, n.id, n.node_id
  FROM tenants t CROSS JOIN unnest(%(ids)s::uuid[], %(node_ids)s::uuid[]) AS n (id, node_id)
 WHERE t.namespace_id = %(namespace_id)s;

-- read_dated_facts --
-- Return facts with their current intervals, in the order of time.
SELECT f.id, f.subject, f.attribute, f.value, f.state, i.valid_from, i.valid_until
  FROM facts f
  JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = f.id AND i.known_until IS NULL
 WHERE f.namespace_id = %(namespace_id)s AND f.id = ANY(%(fact_ids)s) AND NOT f.hypothesis AND f.state <> 4
 ORDER BY i.valid_until IS NULL DESC, i.valid_from DESC, f.id;

-- read_page --
-- Return the page of a node.
SELECT node_id, id, content, sections, revision, model, made_at
  FROM topic_pages
 WHERE namespace_id = %(namespace_id)s AND node_id = %(node_id)s;

-- pages_made_at --
-- Return the times when the pages of nodes were written.
SELECT node_id, made_at FROM topic_pages WHERE namespace_id = %(namespace_id)s AND node_id = ANY(%(node_ids)s);

-- replace_page --
-- Store a page, or replace the page of its node. No row if another worker wrote it since it was read.
INSERT INTO topic_pages (namespace_id, node_id, id, agent, subject, title, type, content, sections, source_ids, source_kinds, model,
                         made_at)
VALUES (%(namespace_id)s, %(node_id)s, %(id)s, %(agent)s, %(subject)s, %(title)s, %(type)s, %(content)s, %(sections)s,
        %(source_ids)s::uuid[], %(source_kinds)s::smallint[], %(model)s, %(made_at)s)
    ON CONFLICT (namespace_id, node_id) DO UPDATE
   SET title = excluded.title, type = excluded.type, content = excluded.content, sections = excluded.sections,
       source_ids = excluded.source_ids, source_kinds = excluded.source_kinds, model = excluded.model,
       revision = topic_pages.revision + 1, made_at = excluded.made_at
 WHERE topic_pages.revision = %(revision)s
RETURNING node_id;

-- latest_source --
-- Return the time of the latest of some sources; NULL if none is left.
SELECT max(at)
  FROM (SELECT latest_at AS at FROM summaries WHERE namespace_id = %(namespace_id)s AND id = ANY(%(source_ids)s)
         UNION ALL
        SELECT last_seen_at FROM facts WHERE namespace_id = %(namespace_id)s AND id = ANY(%(source_ids)s)) AS said;

-- delete_page --
-- Delete the page of a node.
DELETE FROM topic_pages WHERE namespace_id = %(namespace_id)s AND node_id = %(node_id)s;

-- find_established_facts --
-- Return confirmed or established facts without a current graph edge, with the latest quote that supports each.
SELECT f.id, f.subject, f.attribute, f.value, f.confidence, e.message_id, coalesce(e.quote, '') AS quote
  FROM facts f
  LEFT JOIN LATERAL (
       SELECT message_id, quote
         FROM fact_evidence
        WHERE namespace_id = %(namespace_id)s AND fact_id = f.id AND NOT contradicts
        ORDER BY message_id IS NOT NULL DESC, said_at DESC, id DESC
        LIMIT 1) AS e ON true
 WHERE f.namespace_id = %(namespace_id)s AND f.id = ANY(%(fact_ids)s) AND f.state IN (2, 3) AND NOT f.hypothesis
   AND NOT EXISTS (SELECT FROM graph_edges g
                    WHERE g.namespace_id = %(namespace_id)s AND g.fact_id = f.id AND g.known_until IS NULL)
 ORDER BY f.id;
