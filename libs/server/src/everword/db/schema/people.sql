-- Data that Sleep learns in addition to facts: people, events, communication style and trajectory of a subject, and
-- questions worth asking. Each row is supported by quoted messages.

CREATE TABLE people (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    subject text NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    aliases text[] NOT NULL DEFAULT '{}',
    relation text NOT NULL DEFAULT '',
    status smallint NOT NULL CHECK (status BETWEEN 1 AND 3),
    mention_count integer NOT NULL CHECK (mention_count >= 0),
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    ruling smallint CHECK (ruling BETWEEN 1 AND 2),
    ruled_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    CHECK ((ruling IS NULL) = (ruled_at IS NULL))
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE people IS 'Persons that a subject mentions. Columns are computed from learned_evidence and rulings.';
COMMENT ON COLUMN people.aliases IS 'Other spellings of the name.';
COMMENT ON COLUMN people.status IS 'Whether the relation lasts. Values equal proto RelationStatus.';
COMMENT ON COLUMN people.mention_count IS 'Number of messages that mention the person.';
COMMENT ON COLUMN people.ruling IS 'A person ruled at ruled_at that it is wrong (1) or over (2).';
CREATE INDEX people_subject ON people (namespace_id, subject, id);
SELECT create_partitions('people'), isolate_table('people');
GRANT SELECT, UPDATE (name, aliases, relation, status, mention_count, first_seen_at, last_seen_at, ruling, ruled_at) ON people
    TO everword_ingest;
GRANT SELECT ON people TO everword_search;
GRANT SELECT, INSERT, UPDATE ON people TO everword_compactor;
INSERT INTO erasure_targets VALUES ('learned', 7);
INSERT INTO erasure_rules VALUES ('learned', 18, 'people', 'id', NULL), ('subject', 15, 'people', 'subject', 'learned');
INSERT INTO transfer_rules VALUES ('people', 60, 'person', '{id}');

CREATE TABLE events (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    subject text NOT NULL,
    title text NOT NULL CHECK (title <> ''),
    category text NOT NULL,
    starts_at timestamptz,
    ends_at timestamptz,
    importance double precision NOT NULL CHECK (importance BETWEEN 0 AND 1),
    decay_days integer NOT NULL CHECK (decay_days > 0),
    expires_at timestamptz NOT NULL,
    status smallint NOT NULL CHECK (status BETWEEN 1 AND 3),
    mention_count integer NOT NULL CHECK (mention_count >= 0),
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    ruling smallint CHECK (ruling BETWEEN 1 AND 2),
    ruled_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    CHECK (ends_at >= starts_at),
    CHECK ((ruling IS NULL) = (ruled_at IS NULL))
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE events IS 'Events in the life of a subject. Columns are computed from learned_evidence and rulings.';
COMMENT ON COLUMN events.expires_at IS 'decay_days after the latest of its end, its start and its last mention.';
COMMENT ON COLUMN events.status IS 'Values equal proto EventStatus; that it expired follows from expires_at.';
CREATE INDEX events_subject ON events (namespace_id, subject, id);
SELECT create_partitions('events'), isolate_table('events');
GRANT SELECT, UPDATE (title, starts_at, ends_at, importance, decay_days, expires_at, status, mention_count, first_seen_at,
    last_seen_at, ruling, ruled_at) ON events TO everword_ingest;
GRANT SELECT ON events TO everword_search;
GRANT SELECT, INSERT, UPDATE ON events TO everword_compactor;
INSERT INTO erasure_rules VALUES ('learned', 17, 'events', 'id', NULL), ('subject', 14, 'events', 'subject', 'learned');
INSERT INTO transfer_rules VALUES ('events', 61, 'event', '{id}');

CREATE TABLE user_models (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    subject text NOT NULL,
    dimension text NOT NULL,
    value text NOT NULL,
    held_from timestamptz NOT NULL,
    held_until timestamptz,
    last_seen_at timestamptz NOT NULL,
    supporting integer NOT NULL CHECK (supporting > 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    CHECK (held_until >= held_from)
);
COMMENT ON TABLE user_models IS 'Communication style of a subject: values of dimensions, with the times when they were current.';
CREATE UNIQUE INDEX user_models_current ON user_models (namespace_id, subject, dimension) WHERE held_until IS NULL;
CREATE INDEX user_models_subject ON user_models (namespace_id, subject, dimension, held_from);
SELECT isolate_table('user_models');
GRANT SELECT (namespace_id, id, subject) ON user_models TO everword_ingest;
GRANT SELECT ON user_models TO everword_search;
GRANT SELECT, INSERT, UPDATE (held_from, held_until, last_seen_at, supporting) ON user_models TO everword_compactor;
INSERT INTO erasure_rules VALUES ('learned', 16, 'user_models', 'id', NULL), ('subject', 13, 'user_models', 'subject', 'learned');
INSERT INTO transfer_rules VALUES ('user_models', 62, 'user_model', '{id}');

CREATE TABLE trajectories (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    subject text NOT NULL,
    version integer NOT NULL CHECK (version > 0),
    phase text NOT NULL,
    direction text NOT NULL,
    stability smallint NOT NULL CHECK (stability BETWEEN 1 AND 3),
    anchors text[] NOT NULL,
    volatile_areas text[] NOT NULL,
    momentum text NOT NULL,
    predicted_shifts text[] NOT NULL,
    summary text NOT NULL,
    sessions integer NOT NULL CHECK (sessions >= 0),
    model text NOT NULL,
    prompt_version integer NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, id),
    UNIQUE (namespace_id, subject, version)
);
COMMENT ON TABLE trajectories IS 'Direction in which a subject develops. The highest version is current.';
COMMENT ON COLUMN trajectories.stability IS 'Values equal proto Stability.';
COMMENT ON COLUMN trajectories.sessions IS 'Number of sessions of the subject that were processed by then.';
SELECT isolate_table('trajectories');
GRANT SELECT (namespace_id, id, subject) ON trajectories TO everword_ingest;
GRANT SELECT ON trajectories TO everword_search;
GRANT SELECT, INSERT ON trajectories TO everword_compactor;
INSERT INTO erasure_rules VALUES ('learned', 15, 'trajectories', 'id', NULL), ('subject', 12, 'trajectories', 'subject', 'learned');
INSERT INTO transfer_rules (relation, place, record, keys, remark) VALUES
    ('trajectories', 63, 'trajectory', '{id}', $$A snapshot of where somebody's life is going.$$);

CREATE TABLE strategies (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    subject text NOT NULL,
    kind smallint NOT NULL CHECK (kind BETWEEN 1 AND 4),
    about_kind smallint NOT NULL CHECK (about_kind BETWEEN 1 AND 3),
    about_id uuid NOT NULL,
    occasion timestamptz NOT NULL,
    topic text NOT NULL,
    question text NOT NULL CHECK (question <> ''),
    reason text NOT NULL,
    state smallint NOT NULL CHECK (state IN (1, 3, 4)),
    created_at timestamptz NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (namespace_id, id),
    UNIQUE (namespace_id, about_id, kind, occasion),
    CHECK ((state = 1) = (ended_at IS NULL))
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE strategies IS 'Questions worth asking a subject when their topic comes up.';
COMMENT ON COLUMN strategies.about_kind IS 'What about_id names: a fact (1), a person (2), an event (3).';
COMMENT ON COLUMN strategies.occasion IS 'Time of the event behind the question: one question per occasion.';
COMMENT ON COLUMN strategies.state IS '1 open, 3 answered, 4 dropped. Offered (2) follows from strategy_offers.';
CREATE INDEX strategies_open ON strategies (namespace_id, subject, created_at DESC, id) WHERE state = 1;
CREATE INDEX strategies_subject ON strategies (namespace_id, subject, id);
SELECT create_partitions('strategies'), isolate_table('strategies');
GRANT SELECT, UPDATE (state, ended_at) ON strategies TO everword_ingest;
GRANT SELECT ON strategies TO everword_search;
GRANT SELECT, INSERT, UPDATE (state, ended_at) ON strategies TO everword_compactor;
INSERT INTO erasure_rules VALUES
    ('fact', 10, 'strategies', 'about_id', 'learned'),
    ('learned', 10, 'strategies', 'about_id', 'learned'),
    ('learned', 14, 'strategies', 'id', NULL),
    ('subject', 11, 'strategies', 'subject', 'learned');
INSERT INTO transfer_rules VALUES ('strategies', 64, 'strategy', '{id}');

CREATE TABLE strategy_offers (
    namespace_id bigint NOT NULL,
    strategy_id uuid NOT NULL,
    offer_count integer NOT NULL DEFAULT 1,
    last_offered_at timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, strategy_id),
    FOREIGN KEY (namespace_id, strategy_id) REFERENCES strategies (namespace_id, id)
);
COMMENT ON TABLE strategy_offers IS 'Number of times that a question was offered in a context. It is not offered every turn.';
SELECT isolate_table('strategy_offers');
GRANT SELECT ON strategy_offers TO everword_ingest, everword_compactor;
GRANT SELECT, INSERT, UPDATE ON strategy_offers TO everword_search;
INSERT INTO erasure_rules VALUES ('learned', 13, 'strategy_offers', 'strategy_id');
INSERT INTO transfer_rules VALUES ('strategy_offers', 65, 'strategy_offer', '{strategy_id}');

CREATE TABLE learned_evidence (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    about_id uuid NOT NULL,
    aspect text NOT NULL,
    value text NOT NULL,
    value_hash bytea NOT NULL,
    message_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    quote text NOT NULL CHECK (quote <> ''),
    said_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, id),
    -- A message counts once for a value, even if it is read again.
    UNIQUE (namespace_id, about_id, message_id, aspect, value_hash)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE learned_evidence IS
    'Messages that support people, events, user models, trajectories and strategies, with quotes. Append-only.';
COMMENT ON COLUMN learned_evidence.aspect IS
    'The field that the quote supports: `name`, `relation`, `status`, `detail`, `start` and so on.';
CREATE INDEX learned_evidence_about ON learned_evidence (namespace_id, about_id, said_at, id);
CREATE INDEX learned_evidence_message ON learned_evidence (namespace_id, message_id);
SELECT create_partitions('learned_evidence'), isolate_table('learned_evidence');
GRANT SELECT ON learned_evidence TO everword_ingest, everword_search;
GRANT SELECT, INSERT ON learned_evidence TO everword_compactor;
INSERT INTO erasure_rules VALUES ('learned', 11, 'learned_evidence', 'about_id'), ('message', 12, 'learned_evidence', 'message_id');
INSERT INTO transfer_rules VALUES ('learned_evidence', 66, 'learned_evidence', '{id}', 'Evidence of people, events and similar items.');

CREATE TABLE learned_changes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    about_id uuid NOT NULL,
    changed_at timestamptz NOT NULL,
    actor text NOT NULL CHECK (actor IN ('agent', 'person', 'machine')),
    action text NOT NULL,
    reason text NOT NULL DEFAULT '',
    PRIMARY KEY (namespace_id, id)
);
COMMENT ON TABLE learned_changes IS 'Audit trail of learned people, events, user models and strategies, with actor and reason.';
CREATE INDEX learned_changes_about ON learned_changes (namespace_id, about_id, changed_at, id);
SELECT isolate_table('learned_changes');
GRANT SELECT, INSERT ON learned_changes TO everword_ingest, everword_compactor;
GRANT SELECT ON learned_changes TO everword_search;
INSERT INTO erasure_rules VALUES ('learned', 12, 'learned_changes', 'about_id');
INSERT INTO transfer_rules VALUES ('learned_changes', 67, 'learned_change', '{id}');
