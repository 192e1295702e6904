-- Patterns: repeated actions of an agent on an entity, how often they were right, and decisions based on them.

CREATE TABLE patterns (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    entity text NOT NULL CHECK (entity <> ''),
    entity_key text NOT NULL,
    type text NOT NULL CHECK (type <> ''),
    category text NOT NULL DEFAULT '',
    data jsonb NOT NULL,
    data_hash bytea NOT NULL,
    agent text NOT NULL DEFAULT '',
    occurrences integer NOT NULL DEFAULT 0,
    disagreements integer NOT NULL DEFAULT 0,
    confidence double precision NOT NULL DEFAULT 0 CHECK (confidence BETWEEN 0 AND 1),
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, id),
    UNIQUE (namespace_id, entity_key, type, data_hash)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE patterns IS 'Actions of an agent on an entity. Counts and confidence are computed from pattern_outcomes.';
COMMENT ON COLUMN patterns.entity_key IS 'The entity, ignoring case and spaces.';
COMMENT ON COLUMN patterns.data_hash IS 'SHA-256 of the data, ignoring the order of keys.';
CREATE INDEX patterns_confidence ON patterns (namespace_id, confidence DESC, id);
CREATE INDEX patterns_type ON patterns (namespace_id, type, confidence DESC, id);
CREATE INDEX patterns_category ON patterns (namespace_id, category, confidence DESC, id);
SELECT create_partitions('patterns'), isolate_table('patterns');
GRANT SELECT, INSERT, UPDATE ON patterns TO everword_ingest;
INSERT INTO erasure_targets VALUES ('pattern', 9), ('decision', 20);
INSERT INTO erasure_rules VALUES ('pattern', 12, 'patterns', 'id');
INSERT INTO transfer_rules VALUES ('patterns', 80, 'pattern', '{id}');

CREATE TABLE pattern_outcomes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    pattern_id uuid NOT NULL,
    agreed boolean NOT NULL,
    recorded boolean NOT NULL,
    reason text NOT NULL DEFAULT '',
    other_pattern_id uuid,
    outcome_at timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, pattern_id) REFERENCES patterns (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE pattern_outcomes IS 'Observations of a pattern; its counts are computed from them.';
COMMENT ON COLUMN pattern_outcomes.other_pattern_id IS 'The pattern that was recorded instead.';
CREATE INDEX pattern_outcomes_pattern ON pattern_outcomes (namespace_id, pattern_id, outcome_at DESC, id DESC);
SELECT create_partitions('pattern_outcomes'), isolate_table('pattern_outcomes');
GRANT SELECT, INSERT ON pattern_outcomes TO everword_ingest;
INSERT INTO erasure_rules VALUES ('pattern', 11, 'pattern_outcomes', 'pattern_id');
INSERT INTO transfer_rules VALUES ('pattern_outcomes', 81, 'pattern_outcome', '{id}');

CREATE TABLE pattern_decisions (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    pattern_id uuid NOT NULL,
    approved boolean NOT NULL,
    confidence double precision NOT NULL,
    threshold double precision NOT NULL,
    threshold_source smallint NOT NULL CHECK (threshold_source BETWEEN 1 AND 3),
    occurrences integer NOT NULL,
    disagreements integer NOT NULL,
    decided_at timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, pattern_id) REFERENCES patterns (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE pattern_decisions IS 'Decisions made by patterns, with the reason.';
COMMENT ON COLUMN pattern_decisions.threshold_source IS 'Values equal proto ThresholdSource.';
CREATE INDEX pattern_decisions_pattern ON pattern_decisions (namespace_id, pattern_id, decided_at DESC, id DESC);
SELECT create_partitions('pattern_decisions'), isolate_table('pattern_decisions');
GRANT SELECT, INSERT ON pattern_decisions TO everword_ingest;
INSERT INTO erasure_rules VALUES ('decision', 10, 'pattern_decisions', 'id'), ('pattern', 10, 'pattern_decisions', 'pattern_id');
INSERT INTO transfer_rules VALUES ('pattern_decisions', 82, 'pattern_decision', '{id}');

CREATE TABLE pattern_thresholds (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    type text NOT NULL,
    threshold double precision NOT NULL CHECK (threshold BETWEEN 0 AND 1),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, type)
);
COMMENT ON TABLE pattern_thresholds IS 'The confidence from which patterns of a type are used without asking.';
SELECT isolate_table('pattern_thresholds');
GRANT SELECT, INSERT, UPDATE ON pattern_thresholds TO everword_ingest;
INSERT INTO erasure_rules VALUES ('kept', 13, 'pattern_thresholds', '', NULL, 'Thresholds of types.');
INSERT INTO transfer_rules VALUES ('pattern_thresholds', 16, 'pattern_threshold', '{type}');
