-- Background work is claimed in turns of the namespaces: so what is looked for lies by namespace, and within it by time.

-- squawk-ignore require-concurrent-index-creation
CREATE INDEX embedding_queue_turns ON embedding_queue (generation_id, namespace_id, not_before, memory_id)
    WHERE state = 'owed';
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX embedding_queue_owed;

-- Jobs whose wake-ups were sent are those that a worker may start.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX jobs_startable ON jobs (task, namespace_id, not_before, id) INCLUDE (published_at)
    WHERE state = 'pending' AND published_at IS NOT NULL;
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX jobs_wake_ups;

-- Nodes that are out of date are found by namespace too: one that has many does not keep the others' waiting.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX summaries_written_by ON summaries (level, model, prompt_version, namespace_id);
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX summaries_model;

CREATE OR REPLACE FUNCTION outdated_summaries(
    at_level smallint, current_model text, current_version integer, batch integer, parked_since timestamptz)
RETURNS TABLE (namespace_id bigint, conversation_id uuid, period date)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    -- From one step to the next in the index, however many nodes there are: first what wrote any, then for whom.
    WITH RECURSIVE writer (model, prompt_version) AS (
        (SELECT s.model, s.prompt_version FROM summaries s
          WHERE s.level = at_level ORDER BY s.model, s.prompt_version LIMIT 1)
         UNION ALL
        SELECT next.model, next.prompt_version
          FROM writer
         CROSS JOIN LATERAL (
               SELECT s.model, s.prompt_version FROM summaries s
                WHERE s.level = at_level AND (s.model, s.prompt_version) > (writer.model, writer.prompt_version)
                ORDER BY s.model, s.prompt_version LIMIT 1) AS next
    ), round AS (
        -- Each minute with others, where there are more than a batch has places.
        SELECT floor(extract(epoch FROM now()) / 60)::bigint * 7919 % (max(id) + 1) AS after FROM namespaces
    ), walk (model, prompt_version, is_wrapped, namespace_id, found) AS (
        SELECT writer.model, writer.prompt_version, start.is_wrapped, start.namespace_id, 0
          FROM writer CROSS JOIN round
         CROSS JOIN LATERAL (VALUES (false, round.after), (true, 0)) AS start (is_wrapped, namespace_id)
         -- Nothing of a language model gives way to sentences that were chosen without one.
         WHERE CASE WHEN writer.model = current_model THEN writer.prompt_version < current_version
                    ELSE current_model <> 'extractive' END
         UNION ALL
        SELECT walk.model, walk.prompt_version, walk.is_wrapped, next.namespace_id, walk.found + 1
          FROM walk CROSS JOIN round
         CROSS JOIN LATERAL (
               SELECT s.namespace_id FROM summaries s
                WHERE s.level = at_level AND s.model = walk.model AND s.prompt_version = walk.prompt_version
                  AND s.namespace_id > walk.namespace_id
                ORDER BY s.namespace_id LIMIT 1) AS next
         WHERE walk.found < batch AND (next.namespace_id <= round.after OR NOT walk.is_wrapped)
    ), turns AS MATERIALIZED (
        SELECT walk.model, walk.prompt_version, walk.namespace_id, count(*) OVER () AS turns
          FROM walk JOIN namespaces n ON n.id = walk.namespace_id AND n.state = 'active'
         WHERE walk.found > 0
         ORDER BY walk.is_wrapped, walk.namespace_id LIMIT batch
    )
    SELECT outdated.namespace_id, outdated.conversation_id, outdated.period
      FROM turns
     CROSS JOIN LATERAL (
           SELECT s.namespace_id, s.conversation_id, s.period
             FROM summaries s
            WHERE s.level = at_level AND s.model = turns.model AND s.prompt_version = turns.prompt_version
              AND s.namespace_id = turns.namespace_id
              -- What was given up waits for its cause to go; it must not keep the rest waiting.
              AND NOT EXISTS (SELECT FROM jobs j
                               WHERE j.namespace_id = s.namespace_id AND j.state = 'failed' AND j.updated_at > parked_since
                                 AND j.task = CASE WHEN at_level < 4 THEN 'compact' ELSE 'roll-up' END
                                 AND j.subject = CASE at_level
                                                 WHEN 4 THEN to_char(s.period, '"day/"YYYY-MM-DD')
                                                 WHEN 5 THEN to_char(s.period, '"week/"IYYY"-W"IW')
                                                 WHEN 6 THEN to_char(s.period, '"month/"YYYY-MM')
                                                 WHEN 7 THEN to_char(s.period, '"year/"YYYY')
                                                 ELSE s.conversation_id::text END)
            LIMIT (batch - 1) / least(turns.turns, batch) + 1) AS outdated
$$;
COMMENT ON FUNCTION outdated_summaries IS
    'Where nodes of a level were written by another model or from an older prompt, a row a node, some of each namespace: '
    'ids and dates only. What was given up after `parked_since` is left out.';
