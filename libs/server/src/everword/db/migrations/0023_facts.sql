-- What is known of somebody or something, with two axes of time: when it holds, and when it was believed.

CREATE TABLE facts (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    subject text NOT NULL,
    category text NOT NULL,
    attribute text NOT NULL,
    value text NOT NULL CHECK (value <> ''),
    value_hash bytea NOT NULL,
    several boolean NOT NULL,
    source smallint NOT NULL CHECK (source BETWEEN 1 AND 4),
    hypothesis boolean NOT NULL DEFAULT false,
    state smallint NOT NULL CHECK (state BETWEEN 1 AND 5),
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    lifetime_days integer NOT NULL CHECK (lifetime_days > 0),
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    supporting integer NOT NULL DEFAULT 0,
    contradicting integer NOT NULL DEFAULT 0,
    agent text NOT NULL DEFAULT '',
    ruling smallint CHECK (ruling BETWEEN 1 AND 2),
    ruled_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    UNIQUE (namespace_id, subject, attribute, value_hash),
    CHECK ((ruling IS NULL) = (ruled_at IS NULL))
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE facts IS
    'A subject, an attribute and a value. What holds again later is the same fact. Never edited: state, confidence and counts '
    'follow from its intervals and its evidence.';
COMMENT ON COLUMN facts.value_hash IS 'SHA-256 of the value without regard to case and spaces.';
COMMENT ON COLUMN facts.several IS 'Whether the attribute has several values at a time.';
COMMENT ON COLUMN facts.source IS 'Values equal proto FactSource.';
COMMENT ON COLUMN facts.state IS 'Values equal proto FactState.';
COMMENT ON COLUMN facts.ruling IS 'A person said that it is right (1), or wrong (2), at ruled_at: what was said before counts less.';
SELECT create_partitions('facts');
SELECT isolate_table('facts');

CREATE TABLE fact_intervals (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    fact_id uuid NOT NULL,
    valid_from timestamptz NOT NULL,
    valid_until timestamptz,
    known_from timestamptz NOT NULL,
    known_until timestamptz,
    successor_id uuid,
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, fact_id) REFERENCES facts (namespace_id, id),
    CHECK (valid_until > valid_from),
    CHECK (known_until >= known_from)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE fact_intervals IS
    'When a fact holds, as it was believed from known_from until known_until. A row only ever gets its known_until. Of an '
    'attribute with one value, the intervals that are believed at a moment never overlap. Each is a memory of its own in the index.';
COMMENT ON COLUMN fact_intervals.successor_id IS 'The fact that took its place at valid_until.';
CREATE INDEX fact_intervals_fact ON fact_intervals (namespace_id, fact_id, valid_from);
SELECT create_partitions('fact_intervals');
SELECT isolate_table('fact_intervals');

CREATE TABLE fact_evidence (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    fact_id uuid NOT NULL,
    message_id uuid,
    conversation_id uuid,
    contradicts boolean NOT NULL,
    source smallint NOT NULL CHECK (source BETWEEN 1 AND 4),
    hypothesis boolean NOT NULL DEFAULT false,
    quote text NOT NULL DEFAULT '',
    reason text NOT NULL DEFAULT '',
    said_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, fact_id) REFERENCES facts (namespace_id, id),
    -- The same words count once, however often they are read.
    UNIQUE (namespace_id, fact_id, message_id, contradicts)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE fact_evidence IS 'What a fact rests on, or what speaks against it: the exact message, and its words.';
CREATE INDEX fact_evidence_message ON fact_evidence (namespace_id, message_id) WHERE message_id IS NOT NULL;
SELECT create_partitions('fact_evidence');
SELECT isolate_table('fact_evidence');

CREATE TABLE fact_changes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    fact_id uuid NOT NULL,
    changed_at timestamptz NOT NULL,
    actor text NOT NULL CHECK (actor IN ('agent', 'person', 'machine')),
    action text NOT NULL,
    state smallint NOT NULL CHECK (state BETWEEN 1 AND 5),
    reason text NOT NULL DEFAULT '',
    other_fact_id uuid,
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, fact_id) REFERENCES facts (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE fact_changes IS 'The audit trail of facts: who did what to which, and why.';
CREATE INDEX fact_changes_fact ON fact_changes (namespace_id, fact_id, changed_at, id);
SELECT create_partitions('fact_changes');
SELECT isolate_table('fact_changes');

GRANT SELECT, INSERT, UPDATE ON facts TO everword_ingest, everword_compactor;
GRANT SELECT, INSERT ON fact_intervals, fact_evidence, fact_changes TO everword_ingest, everword_compactor;
GRANT UPDATE (known_until) ON fact_intervals TO everword_ingest, everword_compactor;
GRANT SELECT ON facts, fact_intervals, fact_evidence, fact_changes TO everword_search;

-- Facts (kind 4) change, as what background work writes does; what was said (kind 1) never does.
DO $$
DECLARE
    changed text;
BEGIN
    FOREACH changed IN ARRAY ARRAY['drop_derived_passages', 'close_derived_passages'] LOOP
        EXECUTE replace(pg_get_functiondef(changed::regproc), '(kind = 2 OR part = -1)', '(kind IN (2, 4) OR part = -1)');
    END LOOP;
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ',
                    '''usage_ledger'', ''fact_changes'', ''fact_evidence'', ''fact_intervals'', ''facts'', ');
END $$;
GRANT EXECUTE ON FUNCTION close_derived_passages TO everword_ingest;
