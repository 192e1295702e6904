-- Checks of the ranges, links and sources of summaries; `everword audit summaries` checks their text. Summaries of a
-- conversation that is being erased are skipped, because they lose their messages first. A stale node may lack sources
-- until it is rewritten.

-- summaries_sourced --
-- over: summaries by id
-- holds: The sources of leaves and days are messages, those of higher nodes are nodes of the level below, and
--        significant memories have none. Sources are numbered from 1 without gaps.
-- do: `everword audit summaries` shows the node. Delete it; it and the nodes above it are written again.
SELECT s.id::text AS id, format('of level %%s, with %%s messages and %%s nodes of the level below', s.level, f.messages, f.children)
       AS detail
  FROM summaries s
 CROSS JOIN LATERAL (
       SELECT count(*) AS links, count(message_id) AS messages, count(c.id) AS children, coalesce(max(ordinal), 0) AS highest
         FROM summary_sources l
         LEFT JOIN summaries c ON c.namespace_id = %(namespace_id)s AND c.id = l.child_id AND c.level = s.level - 1
        WHERE l.namespace_id = %(namespace_id)s AND l.summary_id = s.id) AS f
 WHERE s.namespace_id = %(namespace_id)s AND s.id > %(after)s AND s.id <= %(last)s
   AND NOT EXISTS (SELECT 1 FROM conversations h
                    WHERE h.namespace_id = %(namespace_id)s AND h.id = s.conversation_id AND h.erasure_id IS NOT NULL)
   AND (f.highest <> f.links AND NOT s.stale
        OR CASE WHEN s.level = 8 THEN f.links > 0
                WHEN s.level IN (1, 4) THEN f.children > 0 OR f.messages <> f.links OR f.links = 0 AND NOT s.stale
                ELSE f.messages > 0 OR f.children <> f.links OR f.links = 0 AND NOT s.stale END);

-- summaries_linked --
-- over: summaries by id
-- holds: A node's parent has the node as a source, and every source names its parent. The previous node is of the same
--        conversation.
-- do: Set parent_id to the node that has this one as a source, or to NULL, and previous_id to a node of the
--     conversation, or to NULL.
SELECT s.id::text AS id, wrong AS detail
  FROM summaries s
 CROSS JOIN LATERAL (VALUES
       ('is not a source of the node above it, ' || s.parent_id,
        s.parent_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM summary_sources l WHERE l.namespace_id = %(namespace_id)s AND l.summary_id = s.parent_id AND l.child_id = s.id)),
       ('is a source of another node than the one above it',
        EXISTS (SELECT FROM summary_sources l WHERE l.namespace_id = %(namespace_id)s AND l.child_id = s.id
                   AND l.summary_id IS DISTINCT FROM s.parent_id)),
       ('the one before it is of another conversation',
        EXISTS (SELECT FROM summaries b WHERE b.namespace_id = %(namespace_id)s AND b.id = s.previous_id
                   AND b.conversation_id IS DISTINCT FROM s.conversation_id))) AS found (wrong, is_so)
 WHERE s.namespace_id = %(namespace_id)s AND s.id > %(after)s AND s.id <= %(last)s AND is_so
   AND NOT EXISTS (SELECT 1 FROM conversations h
                    WHERE h.namespace_id = %(namespace_id)s AND h.id = s.conversation_id AND h.erasure_id IS NOT NULL);

-- summaries_sums --
-- over: summaries by id
-- holds: A node's message count and time span equal those of its sources, unless the node or a source is stale.
-- do: UPDATE summaries SET stale = true for the node; it is written again.
SELECT s.id::text AS id,
       format('counts %%s messages from %%s to %%s, but its sources %%s from %%s to %%s', s.message_count, s.earliest_at, s.latest_at,
              f.messages, f.earliest, f.latest) AS detail
  FROM summaries s
 CROSS JOIN LATERAL (
       SELECT count(m.id) + coalesce(sum(c.message_count), 0) AS messages, bool_or(c.stale) AS stale,
              min(coalesce(m.occurred_at, c.earliest_at)) AS earliest, max(coalesce(m.occurred_at, c.latest_at)) AS latest
         FROM summary_sources l
         LEFT JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.id = l.message_id
         LEFT JOIN summaries c ON c.namespace_id = %(namespace_id)s AND c.id = l.child_id
        WHERE l.namespace_id = %(namespace_id)s AND l.summary_id = s.id) AS f
 WHERE s.namespace_id = %(namespace_id)s AND s.id > %(after)s AND s.id <= %(last)s
   AND NOT EXISTS (SELECT 1 FROM conversations h
                    WHERE h.namespace_id = %(namespace_id)s AND h.id = s.conversation_id AND h.erasure_id IS NOT NULL)
   AND s.level < 8 AND NOT s.stale AND f.messages > 0 AND f.stale IS NOT TRUE
   AND (s.message_count, s.earliest_at, s.latest_at) IS DISTINCT FROM (f.messages::bigint, f.earliest, f.latest);

-- summaries_placed --
-- over: summaries by id
-- holds: The sources of a conversation's node are in that conversation, in order, within the node's range and up to the
--        summarised position.
-- do: `everword audit summaries` shows the node. Delete it; it and the nodes above it are written again.
SELECT s.id::text AS id, format('covers seq %%s to %%s, but its sources %%s to %%s', s.first_seq, s.last_seq, f.first, f.last) AS detail
  FROM summaries s
  LEFT JOIN compaction_progress p ON p.namespace_id = %(namespace_id)s AND p.conversation_id = s.conversation_id
 CROSS JOIN LATERAL (
       SELECT min(coalesce(m.seq, c.first_seq)) AS first, max(coalesce(m.seq, c.last_seq)) AS last,
              bool_or(coalesce(m.conversation_id, c.conversation_id) IS DISTINCT FROM s.conversation_id) AS elsewhere,
              array_agg(coalesce(m.seq, c.first_seq) ORDER BY l.ordinal) AS by_ordinal,
              array_agg(coalesce(m.seq, c.first_seq) ORDER BY coalesce(m.seq, c.first_seq)) AS by_place
         FROM summary_sources l
         LEFT JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.id = l.message_id
         LEFT JOIN summaries c ON c.namespace_id = %(namespace_id)s AND c.id = l.child_id
        WHERE l.namespace_id = %(namespace_id)s AND l.summary_id = s.id) AS f
 WHERE s.namespace_id = %(namespace_id)s AND s.id > %(after)s AND s.id <= %(last)s AND s.level IN (1, 2, 3)
   AND NOT EXISTS (SELECT 1 FROM conversations h
                    WHERE h.namespace_id = %(namespace_id)s AND h.id = s.conversation_id AND h.erasure_id IS NOT NULL)
   AND (s.first_seq > s.last_seq OR s.last_seq > coalesce(p.summarised_seq, 0) OR f.elsewhere
        OR f.first < s.first_seq OR f.last > s.last_seq OR f.by_ordinal <> f.by_place);

-- summaries_apart --
-- over: summaries by id
-- holds: The ranges of a conversation's nodes on one level do not overlap.
-- do: Delete the later node; it and the nodes above it are written again.
SELECT s.id::text AS id, format('covers seq %%s to %%s, and so does %%s', s.first_seq, s.last_seq, o.id) AS detail
  FROM summaries s
  JOIN summaries o ON o.namespace_id = %(namespace_id)s AND o.conversation_id = s.conversation_id AND o.level = s.level
   AND o.first_seq > s.first_seq AND o.first_seq <= s.last_seq
 WHERE s.namespace_id = %(namespace_id)s AND s.id > %(after)s AND s.id <= %(last)s AND s.level IN (1, 2, 3);

-- summaries_indexed --
-- over: summaries by id
-- holds: Every summary is in the index, except hidden summaries, and summaries of channels whose policy limits them
--        to their conversation.
-- do: `everword rebuild`.
SELECT s.id::text AS id, CASE WHEN s.hidden THEN 'is hidden, but has a passage' ELSE 'has no passage' END AS detail
  FROM summaries s
  JOIN namespaces n ON n.id = %(namespace_id)s
 WHERE s.namespace_id = %(namespace_id)s AND s.id > %(after)s AND s.id <= %(last)s
   AND NOT EXISTS (SELECT 1 FROM conversations h
                    WHERE h.namespace_id = %(namespace_id)s AND h.id = s.conversation_id AND h.erasure_id IS NOT NULL)
   AND (s.hidden OR s.conversation_id IS NULL OR publishes_summaries(n.channel_policies, s.channel))
   AND s.hidden = EXISTS (SELECT FROM memories p
                           WHERE p.namespace_id = %(namespace_id)s AND p.source_id = s.id AND p.part = 0);
