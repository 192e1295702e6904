-- Facts on two time axes: when they are valid, and when they were believed.

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
    verdict smallint CHECK (verdict BETWEEN 1 AND 2),
    verdict_at timestamptz,
    is_anchor boolean NOT NULL DEFAULT false,
    PRIMARY KEY (namespace_id, id),
    UNIQUE (namespace_id, subject, attribute, value_hash),
    CHECK ((ruling IS NULL) = (ruled_at IS NULL))
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE facts IS 'A subject, an attribute and a value. State, confidence and counts are computed from intervals and evidence.';
COMMENT ON COLUMN facts.value_hash IS 'SHA-256 of the value, ignoring case and spaces.';
COMMENT ON COLUMN facts.several IS 'Whether the attribute can have several values at a time.';
COMMENT ON COLUMN facts.source IS 'Values equal proto FactSource.';
COMMENT ON COLUMN facts.state IS 'Values equal proto FactState.';
COMMENT ON COLUMN facts.ruling IS 'A person confirmed (1) or rejected (2) it at ruled_at; earlier statements count less.';
COMMENT ON COLUMN facts.verdict IS
    'Sleep confirmed it (1) or decided against it (2), from statements until verdict_at. A ruling outranks it.';
COMMENT ON COLUMN facts.is_anchor IS 'Whether the trajectory names it as central to the subject''s life; it matures sooner.';
CREATE INDEX facts_profile ON facts (namespace_id, subject, category, attribute, confidence DESC, id);
CREATE INDEX facts_known ON facts (namespace_id, subject, confidence DESC, last_seen_at DESC, id);
-- Subjects that differ only in letter case are one subject. İ, I, ı and i are one letter, as in
-- everword/text/case_folding.py.
CREATE INDEX facts_subject_folded ON facts (namespace_id, lower(translate(subject, U&'\0130\0131\0307', 'Ii')), created_at, id);
SELECT create_partitions('facts'), isolate_table('facts', 'in_scope(agent, subject)');
GRANT SELECT, INSERT, UPDATE ON facts TO everword_ingest, everword_compactor;
GRANT SELECT ON facts TO everword_search;
INSERT INTO erasure_targets VALUES ('fact', 6);
INSERT INTO erasure_rules VALUES ('fact', 20, 'facts', 'id', NULL), ('subject', 10, 'facts', 'subject', 'fact');
INSERT INTO transfer_rules VALUES ('facts', 40, 'fact', '{id}');

CREATE TABLE fact_intervals (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    fact_id uuid NOT NULL,
    valid_from timestamptz NOT NULL,
    valid_until timestamptz,
    known_from timestamptz NOT NULL,
    known_until timestamptz,
    successor_id uuid,
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, fact_id) REFERENCES facts (namespace_id, id),
    CHECK (valid_until > valid_from),
    CHECK (known_until >= known_from)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE fact_intervals IS
    'Validity of a fact, as believed from known_from until known_until; only known_until changes. Each is a memory.';
COMMENT ON COLUMN fact_intervals.agent IS 'With `subject`, those of the fact: scoped keys see the row by them.';
COMMENT ON COLUMN fact_intervals.successor_id IS 'The fact that replaced it at valid_until.';
CREATE INDEX fact_intervals_fact ON fact_intervals (namespace_id, fact_id, valid_from);
CREATE INDEX fact_intervals_successor ON fact_intervals (namespace_id, successor_id) WHERE successor_id IS NOT NULL;
SELECT create_partitions('fact_intervals'), isolate_table('fact_intervals', 'in_scope(agent, subject)');
GRANT SELECT, INSERT, UPDATE (known_until) ON fact_intervals TO everword_ingest, everword_compactor;
GRANT SELECT ON fact_intervals TO everword_search;
INSERT INTO erasure_rules VALUES ('fact', 19, 'fact_intervals', 'fact_id', 'source', 'Each interval is a memory.');
INSERT INTO transfer_rules VALUES ('fact_intervals', 41, 'fact_interval', '{id}', 'Validity of a fact, and when that was believed.');

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
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    conversation_agent text NOT NULL DEFAULT '',
    conversation_subject text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, fact_id) REFERENCES facts (namespace_id, id),
    -- A message counts once, even if it is read again.
    UNIQUE (namespace_id, fact_id, message_id, contradicts)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE fact_evidence IS 'Messages that support or contradict a fact, with quotes.';
COMMENT ON COLUMN fact_evidence.agent IS 'With `subject`, those of the fact: scoped keys see the row by them.';
COMMENT ON COLUMN fact_evidence.conversation_agent IS 'With `conversation_subject`, those of the conversation; empty once a policy deleted it.';
CREATE INDEX fact_evidence_message ON fact_evidence (namespace_id, message_id) WHERE message_id IS NOT NULL;
SELECT create_partitions('fact_evidence'), isolate_table('fact_evidence',
    'in_scope(agent, subject) AND (conversation_id IS NULL OR in_scope(conversation_agent, conversation_subject))');
GRANT SELECT, INSERT ON fact_evidence TO everword_ingest, everword_compactor;
GRANT SELECT ON fact_evidence TO everword_search;
INSERT INTO erasure_rules VALUES ('fact', 18, 'fact_evidence', 'fact_id'), ('message', 13, 'fact_evidence', 'message_id');
INSERT INTO transfer_rules VALUES ('fact_evidence', 42, 'fact_evidence', '{id}');

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
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, fact_id) REFERENCES facts (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE fact_changes IS 'Audit trail of changes of facts, with actor and reason.';
COMMENT ON COLUMN fact_changes.agent IS 'With `subject`, those of the fact: scoped keys see the row by them.';
CREATE INDEX fact_changes_fact ON fact_changes (namespace_id, fact_id, changed_at, id);
CREATE INDEX fact_changes_other ON fact_changes (namespace_id, other_fact_id) WHERE other_fact_id IS NOT NULL;
SELECT create_partitions('fact_changes'), isolate_table('fact_changes', 'in_scope(agent, subject)');
GRANT SELECT, INSERT ON fact_changes TO everword_ingest, everword_compactor;
GRANT SELECT ON fact_changes TO everword_search;
INSERT INTO erasure_rules VALUES ('fact', 16, 'fact_changes', 'fact_id'), ('fact', 17, 'fact_changes', 'other_fact_id');
INSERT INTO transfer_rules VALUES ('fact_changes', 43, 'fact_change', '{id}', 'History of a fact, with corrections.');

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
COMMENT ON TABLE fact_disputes IS 'Pairs of facts that contradict each other, and the outcome.';
COMMENT ON COLUMN fact_disputes.outcome IS '1 the new fact is accepted, 2 it is rejected, 3 both are kept.';
CREATE UNIQUE INDEX fact_disputes_open ON fact_disputes (namespace_id, old_fact_id, new_fact_id) WHERE settled_at IS NULL;
CREATE INDEX fact_disputes_new ON fact_disputes (namespace_id, new_fact_id);
CREATE INDEX fact_disputes_old ON fact_disputes (namespace_id, old_fact_id);
SELECT create_partitions('fact_disputes'), isolate_table('fact_disputes');
GRANT SELECT, INSERT, UPDATE (settled_at, outcome, decided_by, reason) ON fact_disputes TO everword_ingest, everword_compactor;
GRANT SELECT ON fact_disputes TO everword_search;
INSERT INTO erasure_rules VALUES ('fact', 14, 'fact_disputes', 'old_fact_id'), ('fact', 15, 'fact_disputes', 'new_fact_id');
INSERT INTO transfer_rules VALUES ('fact_disputes', 44, 'fact_dispute', '{id}');

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
COMMENT ON TABLE fact_edges IS 'Links between facts. An edge ends when one of its facts ends.';
COMMENT ON COLUMN fact_edges.relation IS '1 causes, 2 related to, 3 supports, 4 contradicts, 5 comes before, 6 is part of.';
CREATE UNIQUE INDEX fact_edges_open ON fact_edges (namespace_id, from_fact_id, to_fact_id, relation) WHERE known_until IS NULL;
CREATE INDEX fact_edges_to ON fact_edges (namespace_id, to_fact_id);
SELECT create_partitions('fact_edges'), isolate_table('fact_edges');
GRANT SELECT, UPDATE (valid_until, known_until) ON fact_edges TO everword_ingest;
GRANT SELECT ON fact_edges TO everword_search;
GRANT SELECT, INSERT, UPDATE (confidence, reason, valid_until, known_until) ON fact_edges TO everword_compactor;
INSERT INTO erasure_rules VALUES ('fact', 12, 'fact_edges', 'from_fact_id'), ('fact', 13, 'fact_edges', 'to_fact_id');
INSERT INTO transfer_rules VALUES ('fact_edges', 45, 'fact_edge', '{id}', 'Links between facts.');
