-- Sleep: finished sessions, what was observed in them, which facts contradict each other, and how facts are linked.

CREATE TABLE sleep_sessions (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    first_seq bigint NOT NULL,
    last_seq bigint NOT NULL,
    subject text NOT NULL DEFAULT '',
    state smallint NOT NULL CHECK (state BETWEEN 1 AND 4),
    topics text[] NOT NULL DEFAULT '{}',
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    model text NOT NULL DEFAULT '',
    error text,
    stored_at timestamptz NOT NULL DEFAULT now(),
    processed_at timestamptz,
    PRIMARY KEY (namespace_id, id),
    -- Of two that store a session, one finds it stored.
    UNIQUE (namespace_id, conversation_id, first_seq),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id),
    CHECK (last_seq >= first_seq),
    CHECK ((state = 2) = (processed_at IS NOT NULL))
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE sleep_sessions IS 'Runs of messages of a conversation, as Sleep read them.';
COMMENT ON COLUMN sleep_sessions.state IS
    '1 what it says is stored, 2 the closing steps have seen it too, 3 it holds nothing that people said, 4 parked with an error.';
COMMENT ON COLUMN sleep_sessions.subject IS 'Whom the closing steps are about; empty where nobody was observed.';
CREATE INDEX sleep_sessions_waiting ON sleep_sessions (namespace_id, subject, started_at) WHERE state = 1;
CREATE INDEX sleep_sessions_parked ON sleep_sessions (namespace_id, conversation_id, first_seq) WHERE state = 4;
CREATE INDEX sleep_sessions_started ON sleep_sessions (namespace_id, started_at);
SELECT create_partitions('sleep_sessions');
SELECT isolate_table('sleep_sessions');

CREATE TABLE session_observations (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    kind smallint NOT NULL CHECK (kind BETWEEN 1 AND 6),
    subject text NOT NULL,
    about text NOT NULL DEFAULT '',
    content text NOT NULL,
    attribute text NOT NULL DEFAULT '',
    value text NOT NULL DEFAULT '',
    hypothesis boolean NOT NULL DEFAULT false,
    message_ids uuid[] NOT NULL,
    seqs bigint[] NOT NULL,
    quotes text[] NOT NULL,
    said_at timestamptz[] NOT NULL,
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, session_id) REFERENCES sleep_sessions (namespace_id, id),
    CHECK (cardinality(message_ids) > 0),
    CHECK (cardinality(message_ids) = cardinality(quotes) AND cardinality(message_ids) = cardinality(said_at)
           AND cardinality(message_ids) = cardinality(seqs))
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE session_observations IS 'What a model observed in a session, with the exact messages and their words.';
COMMENT ON COLUMN session_observations.kind IS
    '1 statement, 2 question, 3 reaction, 4 behaviour, 5 contradiction, 6 preference.';
COMMENT ON COLUMN session_observations.about IS 'A third party that it is about; empty where it is about the subject.';
CREATE INDEX session_observations_session ON session_observations (namespace_id, session_id);
CREATE INDEX session_observations_subject ON session_observations (namespace_id, subject, kind, id);
SELECT create_partitions('session_observations');
SELECT isolate_table('session_observations');

CREATE TABLE fact_disputes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    old_fact_id uuid NOT NULL,
    new_fact_id uuid NOT NULL,
    opened_at timestamptz NOT NULL,
    settled_at timestamptz,
    outcome smallint CHECK (outcome BETWEEN 1 AND 3),
    decided_by text CHECK (decided_by IN ('rule', 'model', 'person')),
    reason text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, old_fact_id) REFERENCES facts (namespace_id, id),
    FOREIGN KEY (namespace_id, new_fact_id) REFERENCES facts (namespace_id, id),
    CHECK (old_fact_id <> new_fact_id),
    CHECK ((settled_at IS NULL) = (outcome IS NULL) AND (settled_at IS NULL) = (decided_by IS NULL))
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE fact_disputes IS 'Pairs of facts that contradict each other, and what came of it.';
COMMENT ON COLUMN fact_disputes.outcome IS '1 the new one holds, 2 it is rejected, 3 both are kept.';
CREATE UNIQUE INDEX fact_disputes_open ON fact_disputes (namespace_id, old_fact_id, new_fact_id) WHERE settled_at IS NULL;
CREATE INDEX fact_disputes_new ON fact_disputes (namespace_id, new_fact_id);
CREATE INDEX fact_disputes_old ON fact_disputes (namespace_id, old_fact_id);
SELECT create_partitions('fact_disputes');
SELECT isolate_table('fact_disputes');

CREATE TABLE fact_edges (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    from_fact_id uuid NOT NULL,
    to_fact_id uuid NOT NULL,
    relation smallint NOT NULL CHECK (relation BETWEEN 1 AND 6),
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    reason text NOT NULL DEFAULT '',
    valid_from timestamptz NOT NULL,
    valid_until timestamptz,
    known_from timestamptz NOT NULL,
    known_until timestamptz,
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, from_fact_id) REFERENCES facts (namespace_id, id),
    FOREIGN KEY (namespace_id, to_fact_id) REFERENCES facts (namespace_id, id),
    CHECK (from_fact_id <> to_fact_id),
    CHECK (known_until >= known_from)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE fact_edges IS 'How facts are linked. An edge is closed with the first of its facts that does not hold any more.';
COMMENT ON COLUMN fact_edges.relation IS
    '1 causes, 2 related to, 3 supports, 4 contradicts, 5 comes before, 6 is part of.';
CREATE UNIQUE INDEX fact_edges_open ON fact_edges (namespace_id, from_fact_id, to_fact_id, relation) WHERE known_until IS NULL;
CREATE INDEX fact_edges_to ON fact_edges (namespace_id, to_fact_id);
SELECT create_partitions('fact_edges');
SELECT isolate_table('fact_edges');

GRANT SELECT, INSERT, UPDATE ON sleep_sessions TO everword_compactor;
GRANT SELECT, INSERT ON session_observations TO everword_compactor;
GRANT SELECT, INSERT ON fact_disputes TO everword_compactor, everword_ingest;
GRANT SELECT, INSERT ON fact_edges TO everword_compactor;
GRANT UPDATE (settled_at, outcome, decided_by, reason) ON fact_disputes TO everword_compactor, everword_ingest;
GRANT UPDATE (confidence, reason, valid_until, known_until) ON fact_edges TO everword_compactor;
GRANT UPDATE (valid_until, known_until) ON fact_edges TO everword_ingest;
GRANT SELECT ON fact_edges TO everword_ingest;
GRANT SELECT ON sleep_sessions, session_observations, fact_disputes, fact_edges TO everword_search;

-- What the machine makes of a fact beside its evidence; what a person says outranks it.
ALTER TABLE facts
    ADD COLUMN verdict smallint CHECK (verdict BETWEEN 1 AND 2),
    ADD COLUMN verdict_at timestamptz,
    ADD COLUMN is_anchor boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN facts.verdict IS
    'Sleep confirmed it (1), or decided against it in a dispute (2), from what was said until verdict_at. A ruling outranks it.';
COMMENT ON COLUMN facts.is_anchor IS 'Whether the trajectory says that a life is built around it: it matures sooner.';

ALTER TABLE compaction_progress
    ADD COLUMN slept_seq bigint NOT NULL DEFAULT 0,
    ADD COLUMN sleep_wanted_seq bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN compaction_progress.slept_seq IS 'Up to which place Sleep has made sessions of a conversation.';
COMMENT ON COLUMN compaction_progress.sleep_wanted_seq IS
    'Up to which place a session counts as finished, however short ago its messages came.';

GRANT INSERT (namespace_id, conversation_id, sleep_wanted_seq), UPDATE (sleep_wanted_seq)
    ON compaction_progress TO everword_ingest;

ALTER TABLE namespaces ADD COLUMN sleep_atomicity smallint NOT NULL DEFAULT 1;
COMMENT ON COLUMN namespaces.sleep_atomicity IS
    'What Sleep stores at once: 1 what one session says, 2 all that a run finds.';

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''fact_changes'', ',
                    '''fact_edges'', ''fact_disputes'', ''session_observations'', ''sleep_sessions'', ''fact_changes'', ');
END $$;
