-- What must hold of what was learned: facts, people, the graph, pages about topics.

-- facts_evidenced --
-- over: facts by id
-- holds: A fact rests on evidence, or a person ruled that it is so.
-- do: Delete it: `everword erase fact`; Sleep learns it again if somebody said it.
SELECT f.id::text AS id, f.attribute || ': no evidence' AS detail
  FROM facts f
 WHERE f.namespace_id = %(namespace_id)s AND f.id > %(after)s AND f.id <= %(last)s AND f.ruling IS NULL
   AND NOT EXISTS (SELECT FROM fact_evidence e WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = f.id);

-- evidence_said --
-- over: fact_evidence by id
-- holds: The message that evidence quotes is there, unless a policy removed messages and keeps what was learned.
-- do: Erase the fact, or restore the message from a backup.
SELECT e.id::text AS id, format('of fact %%s: message %%s is missing', e.fact_id, e.message_id) AS detail
  FROM fact_evidence e
 WHERE e.namespace_id = %(namespace_id)s AND e.id > %(after)s AND e.id <= %(last)s AND e.message_id IS NOT NULL
   AND NOT EXISTS (SELECT FROM messages m WHERE m.namespace_id = %(namespace_id)s AND m.id = e.message_id)
   AND NOT EXISTS (SELECT FROM retention_runs WHERE namespace_id = %(namespace_id)s AND row_counts ? 'messages');

-- timelines --
-- over: facts by id
-- holds: Of an attribute with one value at a time, what is believed now holds at no moment twice.
-- do: Correct one of the facts: `everword call Fact/CorrectFact`.
SELECT f.id::text AS id, format('%%s holds from %%s, as does %%s', f.attribute, greatest(i.valid_from, o.valid_from), other.id) AS detail
  FROM facts f
  JOIN facts other ON other.namespace_id = %(namespace_id)s AND other.subject = f.subject AND other.attribute = f.attribute
   AND other.id >= f.id AND NOT other.several
  JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = f.id AND i.known_until IS NULL
  JOIN fact_intervals o ON o.namespace_id = %(namespace_id)s AND o.fact_id = other.id AND o.known_until IS NULL AND o.id <> i.id
 WHERE f.namespace_id = %(namespace_id)s AND f.id > %(after)s AND f.id <= %(last)s AND NOT f.several
   AND i.valid_from < coalesce(o.valid_until, 'infinity') AND o.valid_from < coalesce(i.valid_until, 'infinity');

-- facts_indexed --
-- over: fact_intervals by id
-- holds: Each interval of a fact is in the index, and holds there as long as in its row.
-- do: `everword rebuild`.
SELECT i.id::text AS id, CASE WHEN p.id IS NULL THEN 'has no passage' ELSE 'its passage holds from, until or for another time' END AS detail
  FROM fact_intervals i
  LEFT JOIN memories p ON p.namespace_id = %(namespace_id)s AND p.source_id = i.id AND p.part = 0
 WHERE i.namespace_id = %(namespace_id)s AND i.id > %(after)s AND i.id <= %(last)s
   AND (p.id IS NULL
        OR (p.valid_from, p.valid_until, p.known_until) IS DISTINCT FROM (i.valid_from, i.valid_until, i.known_until));

-- learned_evidenced --
-- over: learned_evidence by id
-- holds: Evidence is about something that is there, and the message that it quotes is too, unless a policy removed messages.
-- do: Delete the evidence; it says nothing of anything.
SELECT e.id::text AS id,
       CASE WHEN about.id IS NULL THEN 'about nothing: ' || e.about_id ELSE 'message missing: ' || e.message_id END AS detail
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
-- holds: A node of the graph has at most one version that is believed; one that was merged is merged into a node.
-- do: End all but the latest version: UPDATE graph_node_versions SET known_until.
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
-- holds: Each version of a node is in the index, and believed there as long as in its row.
-- do: `everword rebuild`.
SELECT v.id::text AS id, CASE WHEN p.id IS NULL THEN 'has no passage' ELSE 'its passage is believed for another time' END AS detail
  FROM graph_node_versions v
  LEFT JOIN memories p ON p.namespace_id = %(namespace_id)s AND p.source_id = v.id AND p.part = 0
 WHERE v.namespace_id = %(namespace_id)s AND v.id > %(after)s AND v.id <= %(last)s
   AND (p.id IS NULL OR p.known_until IS DISTINCT FROM v.known_until);

-- edges_said --
-- over: graph_edges by id
-- holds: The message that says a relation is there, unless a policy removed messages.
-- do: End the relation: `everword call Graph/UpdateEdge`.
SELECT e.id::text AS id, 'message missing: ' || e.message_id AS detail
  FROM graph_edges e
 WHERE e.namespace_id = %(namespace_id)s AND e.id > %(after)s AND e.id <= %(last)s AND e.message_id IS NOT NULL
   AND NOT EXISTS (SELECT FROM messages m WHERE m.namespace_id = %(namespace_id)s AND m.id = e.message_id)
   AND NOT EXISTS (SELECT FROM retention_runs WHERE namespace_id = %(namespace_id)s AND row_counts ? 'messages');

-- pages_indexed --
-- over: topic_pages by id
-- holds: A page about a topic is in the index.
-- do: `everword rebuild`.
SELECT t.id::text AS id, 'has no passage' AS detail
  FROM topic_pages t
 WHERE t.namespace_id = %(namespace_id)s AND t.id > %(after)s AND t.id <= %(last)s
   AND NOT EXISTS (SELECT FROM memories p WHERE p.namespace_id = %(namespace_id)s AND p.source_id = t.id AND p.part = 0);
