-- Of subjects that differ in letter case alone, the one that was there first is looked up.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX facts_subject_spelling ON facts (namespace_id, lower(subject), created_at, id);
