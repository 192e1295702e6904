-- Sessions of a subject are counted, and its last ones read, for how the subject communicates and where it is heading.

-- The table is new: no index of it takes long.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX sleep_sessions_subject ON sleep_sessions (namespace_id, subject, started_at) WHERE state IN (1, 2);
