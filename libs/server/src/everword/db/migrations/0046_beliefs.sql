-- Of subjects that differ in letter case alone, the one that was there first is looked up.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX facts_subject_spelling ON facts (namespace_id, lower(subject), created_at, id);

-- What Sleep reads of sessions, however many there are: topics, which few have without a model, and what was done since.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX sleep_sessions_topics ON sleep_sessions (namespace_id, started_at) WHERE topics <> '{}';
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX sleep_sessions_stored ON sleep_sessions (namespace_id, stored_at);
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX sleep_sessions_processed ON sleep_sessions (namespace_id, processed_at);
