-- What is enqueued and not made yet is `pending`, as jobs are, in the queues of vectors and sentences and in the calendar. The
-- queues hold what is not done alone, so that few rows change; services of an earlier version find nothing in them.

-- squawk-ignore ban-drop-constraint
ALTER TABLE embedding_queue DROP CONSTRAINT embedding_queue_state_check;
ALTER TABLE embedding_queue ALTER COLUMN state SET DEFAULT 'pending';
UPDATE embedding_queue SET state = 'pending' WHERE state = 'owed';
-- squawk-ignore constraint-missing-not-valid
ALTER TABLE embedding_queue ADD CONSTRAINT embedding_queue_state_check CHECK (state IN (
    'pending', -- waits for its vector
    'failed'   -- given up, with an error
));
COMMENT ON TABLE embedding_queue IS 'A row exactly while a vector of a passage is pending for a generation, or was given up.';
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX embedding_queue_turns;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX embedding_queue_turns ON embedding_queue (generation_id, namespace_id, not_before, memory_id)
    WHERE state = 'pending';

-- squawk-ignore ban-drop-constraint
ALTER TABLE tool_sentence_queue DROP CONSTRAINT tool_sentence_queue_state_check;
ALTER TABLE tool_sentence_queue ALTER COLUMN state SET DEFAULT 'pending';
UPDATE tool_sentence_queue SET state = 'pending' WHERE state = 'owed';
-- squawk-ignore constraint-missing-not-valid
ALTER TABLE tool_sentence_queue ADD CONSTRAINT tool_sentence_queue_state_check CHECK (state IN (
    'pending', -- waits for its sentence
    'failed'   -- given up, with an error
));
COMMENT ON TABLE tool_sentence_queue IS
    'A row exactly while the sentence of a tool call is pending, or was given up. Ids and states only: work may cross '
    'namespaces.';
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX tool_sentence_queue_owed;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX tool_sentence_queue_pending ON tool_sentence_queue (namespace_id, not_before) WHERE state = 'pending';

-- squawk-ignore renaming-table
ALTER TABLE calendar_owed RENAME TO calendar_pending;
-- squawk-ignore renaming-column
ALTER TABLE calendar_pending RENAME COLUMN owed_at TO enqueued_at;
DO $$
DECLARE
    named text;
BEGIN
    FOR named IN SELECT conname FROM pg_constraint
                  WHERE conrelid = 'calendar_pending'::regclass AND conname LIKE 'calendar\_owed%' ORDER BY conname
    LOOP
        EXECUTE format('ALTER TABLE calendar_pending RENAME CONSTRAINT %I TO %I', named,
                       replace(replace(named, 'calendar_owed', 'calendar_pending'), 'owed_at', 'enqueued_at'));
    END LOOP;
END $$;
-- squawk-ignore renaming-object
ALTER SEQUENCE calendar_owed_id_seq RENAME TO calendar_pending_id_seq;
-- squawk-ignore renaming-object
ALTER INDEX calendar_owed_period RENAME TO calendar_pending_period;
-- squawk-ignore renaming-object
ALTER INDEX calendar_owed_conversation RENAME TO calendar_pending_conversation;
COMMENT ON TABLE calendar_pending IS
    'What the calendar has not summed up yet: a row exactly while something is pending for a period. Every append adds one for '
    'each day that it touches, with the places of the messages; rows go in the transaction that stores the node. Rows and '
    'not a flag: appends never wait for each other, and nothing that is committed late can be missed.';

-- squawk-ignore ban-drop-function
DROP FUNCTION owed_periods(integer, interval, interval);
CREATE FUNCTION pending_periods(batch integer, quiet interval, longest interval)
RETURNS TABLE (namespace_id bigint, time_zone text, day_cutoff_minutes integer, level smallint, period date)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT n.id, n.time_zone, n.day_cutoff_minutes, pending.level, pending.period
      FROM namespaces n
     CROSS JOIN LATERAL (
           -- From one period to the next: a day with many rows costs no more than one with few.
           WITH RECURSIVE step AS (
               (SELECT p.level, p.period FROM calendar_pending p WHERE p.namespace_id = n.id
                 ORDER BY p.level, p.period LIMIT 1)
               UNION ALL
               SELECT following.level, following.period
                 FROM step
                CROSS JOIN LATERAL (
                      SELECT p.level, p.period FROM calendar_pending p
                       WHERE p.namespace_id = n.id AND (p.level, p.period) > (step.level, step.period)
                       ORDER BY p.level, p.period LIMIT 1) AS following
           )
           SELECT step.level, step.period
             FROM step
            WHERE NOT EXISTS (SELECT FROM summaries s
                               WHERE s.namespace_id = n.id AND s.level = step.level AND s.period = step.period)
               OR now() - longest >= (SELECT min(p.enqueued_at) FROM calendar_pending p
                                       WHERE p.namespace_id = n.id AND p.level = step.level AND p.period = step.period)
               OR now() - quiet >= (SELECT max(p.enqueued_at) FROM calendar_pending p
                                     WHERE p.namespace_id = n.id AND p.level = step.level AND p.period = step.period)
            LIMIT batch) AS pending
     WHERE n.state = 'active'
$$;
COMMENT ON FUNCTION pending_periods IS
    'The earliest periods of each namespace with something pending, at most `batch` each: dates only, for whoever schedules. '
    'One that was written before is left out until nothing was enqueued for `quiet`, or something is pending for `longest`.';
REVOKE ALL ON FUNCTION pending_periods FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pending_periods TO everword_compactor;

CREATE OR REPLACE FUNCTION generation_is_complete(generation bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    -- What was written since the backlog was queued may still be pending, as it may be for the active generation.
    SELECT g.backfilled_at IS NOT NULL AND NOT EXISTS (
               SELECT FROM embedding_queue q
                WHERE q.generation_id = g.id AND q.state = 'pending' AND q.enqueued_at <= g.backfilled_at)
      FROM model_generations g WHERE g.id = generation
$$;
COMMENT ON FUNCTION generation_is_complete IS 'Whether nothing is pending any more from before the generation was built.';
COMMENT ON FUNCTION backfill_generation IS
    'Enqueue the vectors of up to `batch` older passages for a generation that is being built; returns how many passages '
    'were looked at.';
COMMENT ON TABLE model_generations IS 'Embedding models, past and present. Writes enqueue vectors for every live one.';

-- What these do stays as it is, but for names.
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), 'calendar_owed', 'calendar_pending');
    EXECUTE replace(pg_get_functiondef('backfill_generation'::regproc), 'later ones owe their', 'later ones enqueue their');
END $$;
