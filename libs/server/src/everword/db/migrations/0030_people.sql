-- What Sleep learns beside facts: whom a subject knows, what happens, how they like to be talked to, where they are heading,
-- and what is worth asking them. Each rests on exact messages, and nothing of it is edited or deleted.

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
COMMENT ON TABLE people IS
    'Somebody whom a subject speaks of. Everything here follows from learned_evidence, and from what a person ruled.';
COMMENT ON COLUMN people.aliases IS 'How else the name is written.';
COMMENT ON COLUMN people.status IS 'Whether the relation lasts. Values equal proto RelationStatus.';
COMMENT ON COLUMN people.mention_count IS 'How many messages speak of them.';
COMMENT ON COLUMN people.ruling IS 'A person said that it is wrong (1), or that it is over (2), at ruled_at.';
CREATE INDEX people_subject ON people (namespace_id, subject, id);
SELECT create_partitions('people');
SELECT isolate_table('people');

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
COMMENT ON TABLE events IS
    'Something that happens to a subject. Everything here follows from learned_evidence, and from what a person ruled.';
COMMENT ON COLUMN events.expires_at IS 'decay_days after it ended or began, or was last spoken of, whichever is later.';
COMMENT ON COLUMN events.status IS 'Values equal proto EventStatus; that it expired follows from expires_at.';
CREATE INDEX events_subject ON events (namespace_id, subject, id);
SELECT create_partitions('events');
SELECT isolate_table('events');

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
COMMENT ON TABLE user_models IS
    'How a subject communicates: a value of one dimension, and when it held. What is learned anew gets a row of its own.';
CREATE UNIQUE INDEX user_models_current ON user_models (namespace_id, subject, dimension) WHERE held_until IS NULL;
CREATE INDEX user_models_subject ON user_models (namespace_id, subject, dimension, held_from);
SELECT isolate_table('user_models');

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
COMMENT ON TABLE trajectories IS 'Where a subject is heading, as it was seen at a time. The highest version is the current one.';
COMMENT ON COLUMN trajectories.sessions IS 'How many sessions of the subject had been digested by then.';
COMMENT ON COLUMN trajectories.stability IS 'Values equal proto Stability.';
SELECT isolate_table('trajectories');

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
COMMENT ON TABLE strategies IS 'A question that is worth asking a subject when its topic comes up.';
COMMENT ON COLUMN strategies.about_kind IS 'What about_id names: a fact (1), a person (2), an event (3).';
COMMENT ON COLUMN strategies.occasion IS 'What gave rise to it, by its time: of one occasion there is one question.';
COMMENT ON COLUMN strategies.state IS 'Open (1), answered (3), dropped (4). That it was offered (2) follows from strategy_offers.';
CREATE INDEX strategies_open ON strategies (namespace_id, subject, created_at DESC, id) WHERE state = 1;
CREATE INDEX strategies_subject ON strategies (namespace_id, subject, id);
SELECT create_partitions('strategies');
SELECT isolate_table('strategies');

CREATE TABLE strategy_offers (
    namespace_id bigint NOT NULL,
    strategy_id uuid NOT NULL,
    offer_count integer NOT NULL DEFAULT 1,
    last_offered_at timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, strategy_id),
    FOREIGN KEY (namespace_id, strategy_id) REFERENCES strategies (namespace_id, id)
);
COMMENT ON TABLE strategy_offers IS 'How often a question was put into a context, so that it is not asked each turn.';
SELECT isolate_table('strategy_offers');

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
    -- The same words say the same once, however often they are read.
    UNIQUE (namespace_id, about_id, message_id, aspect, value_hash)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE learned_evidence IS
    'What is said of a person, an event, a way of communicating, a trajectory, or gives rise to a question: the exact message, '
    'its words, and what they say. Rows are added, and never changed.';
COMMENT ON COLUMN learned_evidence.aspect IS 'Which field the words tell: `name`, `relation`, `status`, `detail`, `start` and so on.';
CREATE INDEX learned_evidence_about ON learned_evidence (namespace_id, about_id, said_at, id);
CREATE INDEX learned_evidence_message ON learned_evidence (namespace_id, message_id);
SELECT create_partitions('learned_evidence');
SELECT isolate_table('learned_evidence');

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
COMMENT ON TABLE learned_changes IS 'The audit trail of what Sleep learned: who ruled what, and why.';
CREATE INDEX learned_changes_about ON learned_changes (namespace_id, about_id, changed_at, id);
SELECT isolate_table('learned_changes');

GRANT SELECT, INSERT, UPDATE ON people, events TO everword_compactor;
GRANT SELECT, INSERT ON user_models, trajectories, strategies, learned_evidence, learned_changes TO everword_compactor;
GRANT UPDATE (held_from, held_until, last_seen_at, supporting) ON user_models TO everword_compactor;
GRANT UPDATE (state, ended_at) ON strategies TO everword_compactor, everword_ingest;
GRANT SELECT ON strategy_offers TO everword_compactor, everword_ingest;
-- A person rules what is wrong or over; the rest follows from evidence, which ingest never writes.
GRANT SELECT ON people, events, strategies, learned_evidence TO everword_ingest;
GRANT UPDATE (status, ruling, ruled_at) ON people, events TO everword_ingest;
GRANT SELECT, INSERT ON learned_changes TO everword_ingest;
GRANT SELECT ON people, events, user_models, trajectories, strategies, learned_evidence, learned_changes TO everword_search;
GRANT SELECT, INSERT, UPDATE ON strategy_offers TO everword_search;

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''usage_ledger'', ',
                    '''usage_ledger'', ''learned_changes'', ''learned_evidence'', ''strategy_offers'', ''strategies'', '
                    '''trajectories'', ''user_models'', ''events'', ''people'', ');
END $$;
