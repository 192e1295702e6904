-- Checks of learned data: facts, people, the graph, topic pages.

-- facts_evidenced --
-- over: facts by id
-- holds: Every fact has evidence, or a person's ruling.
-- do: Delete the fact: `everword erase fact`. Sleep learns it again if a message supports it.
SELECT f.id::text AS id, f.attribute || ': no evidence' AS detail
  FROM facts f
 WHERE f.namespace_id = %(namespace_id)s AND f.id > %(after)s AND f.id <= %(last)s AND f.ruling IS NULL
   AND NOT EXISTS (SELECT FROM fact_evidence e WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = f.id);

-- evidence_quotes --
-- over: fact_evidence by id
-- holds: The quoted message of every piece of evidence exists, unless a retention policy has removed messages.
-- do: Erase the fact, or restore the message from a backup.
SELECT e.id::text AS id, format('of fact %%s: message %%s is missing', e.fact_id, e.message_id) AS detail
  FROM fact_evidence e
 WHERE e.namespace_id = %(namespace_id)s AND e.id > %(after)s AND e.id <= %(last)s AND e.message_id IS NOT NULL
   AND NOT EXISTS (SELECT FROM messages m WHERE m.namespace_id = %(namespace_id)s AND m.id = e.message_id)
   AND NOT EXISTS (SELECT FROM retention_runs WHERE namespace_id = %(namespace_id)s AND row_counts ? 'messages');

-- timelines --
-- over: facts by id
-- holds: An attribute with one value at a time has no overlapping current intervals.
-- do: Correct one of the facts: `everword call Fact/CorrectFact`.
SELECT f.id::text AS id, format('%%s is valid from %%s, and so is %%s', f.attribute, greatest(i.valid_from, o.valid_from), other.id) AS detail
  FROM facts f
  JOIN facts other ON other.namespace_id = %(namespace_id)s AND other.subject = f.subject AND other.attribute = f.attribute
   AND other.id >= f.id AND NOT other.several
  JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = f.id AND i.known_until IS NULL
  JOIN fact_intervals o ON o.namespace_id = %(namespace_id)s AND o.fact_id = other.id AND o.known_until IS NULL AND o.id <> i.id
 WHERE f.namespace_id = %(namespace_id)s AND f.id > %(after)s AND f.id <= %(last)s AND NOT f.several
   AND i.valid_from < coalesce(o.valid_until, 'infinity') AND o.valid_from < coalesce(i.valid_until, 'infinity');

-- facts_indexed --
-- over: fact_intervals by id
-- holds: Every interval of a fact is in the index, with the same start and ends.
-- do: `everword rebuild`.
SELECT i.id::text AS id, CASE WHEN p.id IS NULL THEN 'has no passage' ELSE 'its passage has other times' END AS detail
  FROM fact_intervals i
  LEFT JOIN memories p ON p.namespace_id = %(namespace_id)s AND p.source_id = i.id AND p.part = 0
 WHERE i.namespace_id = %(namespace_id)s AND i.id > %(after)s AND i.id <= %(last)s
   AND (p.id IS NULL
        OR (p.valid_from, p.valid_until, p.known_until) IS DISTINCT FROM (i.valid_from, i.valid_until, i.known_until));

-- learned_evidenced --
-- over: learned_evidence by id
-- holds: The subject of every piece of learned evidence exists. So does the quoted message, unless a retention policy
--        has removed messages.
-- do: Delete the evidence, which supports nothing.
SELECT e.id::text AS id,
       CASE WHEN about.id IS NULL THEN 'subject missing: ' || e.about_id ELSE 'message missing: ' || e.message_id END AS detail
  FROM learned_evidence e
  LEFT JOIN LATERAL (
       SELECT id FROM people WHERE namespace_id = %(namespace_id)s AND id = e.about_id
        UNION ALL SELECT id FROM events WHERE namespace_id = %(namespace_id)s AND id = e.about_id
        UNION ALL SELECT id FROM user_models WHERE namespace_id = %(namespace_id)s AND id = e.about_id
        UNION ALL SELECT id FROM trajectories WHERE namespace_id = %(namespace_id)s AND id = e.about_id
        UNION ALL SELECT id FROM strategies WHERE namespace_id = %(namespace_id)s AND id = e.about_id
       LIMIT 1) AS about ON true
 WHERE e.namespace_id = %(namespace_id)s AND e.id > %(after)s AND e.id <= %(last)s
   AND (about.id IS NULL
        OR e.message_id IS NOT NULL
           AND NOT EXISTS (SELECT FROM messages m WHERE m.namespace_id = %(namespace_id)s AND m.id = e.message_id)
           AND NOT EXISTS (SELECT FROM retention_runs WHERE namespace_id = %(namespace_id)s AND row_counts ? 'messages'));

-- nodes_current --
-- over: graph_nodes by id
-- holds: A graph node has at most one current version. A merged node names an existing node.
-- do: End all versions except the latest: UPDATE graph_node_versions SET known_until.
SELECT n.id::text AS id, wrong AS detail
  FROM graph_nodes n
 CROSS JOIN LATERAL (VALUES
       ('has more than one current version',
        (SELECT count(*) FROM graph_node_versions v
          WHERE v.namespace_id = %(namespace_id)s AND v.node_id = n.id AND v.known_until IS NULL) > 1),
       ('is merged into a node that is missing',
        n.merged_into IS NOT NULL AND NOT EXISTS (
            SELECT FROM graph_nodes o WHERE o.namespace_id = %(namespace_id)s AND o.id = n.merged_into))) AS found (wrong, is_so)
 WHERE n.namespace_id = %(namespace_id)s AND n.id > %(after)s AND n.id <= %(last)s AND is_so;

-- nodes_indexed --
-- over: graph_node_versions by id
-- holds: Every version of a graph node is in the index, with the same end.
-- do: `everword rebuild`.
SELECT v.id::text AS id, CASE WHEN p.id IS NULL THEN 'has no passage' ELSE 'its passage has another end' END AS detail
  FROM graph_node_versions v
  LEFT JOIN memories p ON p.namespace_id = %(namespace_id)s AND p.source_id = v.id AND p.part = 0
 WHERE v.namespace_id = %(namespace_id)s AND v.id > %(after)s AND v.id <= %(last)s
   AND (p.id IS NULL OR p.known_until IS DISTINCT FROM v.known_until);

-- edge_quotes --
-- over: graph_edges by id
-- holds: The source message of every edge exists, unless a retention policy has removed messages.
-- do: End the edge: `everword call Graph/UpdateEdge`.
SELECT e.id::text AS id, 'message missing: ' || e.message_id AS detail
  FROM graph_edges e
 WHERE e.namespace_id = %(namespace_id)s AND e.id > %(after)s AND e.id <= %(last)s AND e.message_id IS NOT NULL
   AND NOT EXISTS (SELECT FROM messages m WHERE m.namespace_id = %(namespace_id)s AND m.id = e.message_id)
   AND NOT EXISTS (SELECT FROM retention_runs WHERE namespace_id = %(namespace_id)s AND row_counts ? 'messages');

-- pages_indexed --
-- over: topic_pages by id
-- holds: Every topic page is in the index.
-- do: `everword rebuild`.
SELECT t.id::text AS id, 'has no passage' AS detail
  FROM topic_pages t
 WHERE t.namespace_id = %(namespace_id)s AND t.id > %(after)s AND t.id <= %(last)s
   AND NOT EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = t.id AND p.part = 0);
