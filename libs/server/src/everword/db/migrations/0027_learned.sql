-- Up to which place of a conversation facts were looked for.
ALTER TABLE compaction_progress ADD COLUMN learned_seq bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN compaction_progress.learned_seq IS 'Up to which place facts were learned from what users said.';
