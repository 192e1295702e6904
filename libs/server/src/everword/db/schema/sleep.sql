-- Sleep: finished sessions, their observations, and completed nights.

CREATE TABLE sleep_sessions (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    first_seq bigint NOT NULL,
    last_seq bigint NOT NULL,
    subject text NOT NULL DEFAULT '',
    state smallint NOT NULL CHECK (state BETWEEN 1 AND 5),
    topics text[] NOT NULL DEFAULT '{}',
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    model text NOT NULL DEFAULT '',
    error text,
    stored_at timestamptz NOT NULL DEFAULT now(),
    processed_at timestamptz,
    PRIMARY KEY (namespace_id, id),
    -- Two workers cannot store the same session.
    UNIQUE (namespace_id, conversation_id, first_seq),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id),
    CHECK (last_seq >= first_seq),
    CHECK ((state = 2) = (processed_at IS NOT NULL))
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE sleep_sessions IS 'Ranges of messages of a conversation that Sleep processed as a unit.';
COMMENT ON COLUMN sleep_sessions.subject IS 'The subject of the closing steps; empty without observations.';
COMMENT ON COLUMN sleep_sessions.state IS
    '1 stored, 2 also processed by the closing steps, 3 without statements of people, 4 parked with an error, 5 to be read again.';
CREATE INDEX sleep_sessions_waiting ON sleep_sessions (namespace_id, subject, started_at) WHERE state = 1;
CREATE INDEX sleep_sessions_unread ON sleep_sessions (namespace_id, conversation_id, first_seq) WHERE state IN (4, 5);
CREATE INDEX sleep_sessions_started ON sleep_sessions (namespace_id, started_at);
CREATE INDEX sleep_sessions_subject ON sleep_sessions (namespace_id, subject, started_at) WHERE state IN (1, 2);
-- Sleep reads topics, which few sessions have without a model, and recent sessions only.
CREATE INDEX sleep_sessions_topics ON sleep_sessions (namespace_id, started_at) WHERE topics <> '{}';
CREATE INDEX sleep_sessions_stored ON sleep_sessions (namespace_id, stored_at);
CREATE INDEX sleep_sessions_processed ON sleep_sessions (namespace_id, processed_at);
SELECT create_partitions('sleep_sessions'), isolate_table('sleep_sessions');
GRANT SELECT ON sleep_sessions TO everword_search;
GRANT SELECT, INSERT, UPDATE ON sleep_sessions TO everword_compactor;
INSERT INTO erasure_targets VALUES ('session', NULL), ('observation', NULL);
INSERT INTO erasure_rules VALUES
    ('conversation', 12, 'sleep_sessions', 'conversation_id', 'session'),
    ('subject', 19, 'sleep_sessions', 'subject', 'session');
INSERT INTO transfer_rules VALUES ('sleep_sessions', 50, 'session', '{id}', 'Session processed by Sleep.');

CREATE TABLE session_observations (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    subject text NOT NULL,
    about text NOT NULL DEFAULT '',
    attribute text NOT NULL,
    value text NOT NULL,
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
COMMENT ON TABLE session_observations IS 'Facts that a model read in a session, with the messages and sentences that state them.';
COMMENT ON COLUMN session_observations.about IS 'The third party of the fact; empty for the subject.';
CREATE INDEX session_observations_session ON session_observations (namespace_id, session_id);
CREATE INDEX session_observations_subject ON session_observations (namespace_id, subject, id);
SELECT create_partitions('session_observations'), isolate_table('session_observations');
GRANT SELECT ON session_observations TO everword_search;
-- A session that is read again replaces its observations.
GRANT SELECT, INSERT, DELETE ON session_observations TO everword_compactor;
INSERT INTO erasure_rules VALUES
    ('observation', 10, 'session_observations', 'id'),
    ('session', 10, 'session_observations', 'session_id'),
    ('subject', 18, 'session_observations', 'subject');
INSERT INTO transfer_rules VALUES ('session_observations', 51, 'observation', '{id}');

CREATE TABLE sleep_nights (
    namespace_id bigint PRIMARY KEY REFERENCES namespaces (id),
    night date NOT NULL
);
COMMENT ON TABLE sleep_nights IS 'The latest day whose nightly Sleep is done.';
SELECT isolate_table('sleep_nights');
GRANT SELECT, INSERT, UPDATE ON sleep_nights TO everword_compactor;
INSERT INTO transfer_rules VALUES ('sleep_nights', 52, 'night', '{night}', 'Last night processed by Sleep.');

CREATE FUNCTION nightless_namespaces(batch integer, parked interval) RETURNS TABLE(namespace_id bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    parked_since constant timestamptz := now() - parked;
BEGIN
    RETURN QUERY
    SELECT t.namespace_id
      FROM tenants t JOIN namespaces n ON n.id = t.namespace_id AND n.state = 'active'
     WHERE NOT EXISTS (SELECT 1 FROM jobs j
                        WHERE j.namespace_id = t.namespace_id AND j.task = 'sleep' AND j.subject = 'namespace'
                          AND (j.state IN ('pending', 'running') OR j.state = 'failed' AND j.updated_at > parked_since))
       AND EXISTS (SELECT 1 FROM facts f WHERE f.namespace_id = t.namespace_id)
     ORDER BY t.namespace_id LIMIT batch;
END $$;
COMMENT ON FUNCTION nightless_namespaces IS
    'Return namespaces with facts and no nightly Sleep scheduled, or failed for less than `parked`: ids only.';

GRANT EXECUTE ON FUNCTION nightless_namespaces TO everword_compactor;
