-- What an agent's context holds of a conversation since it was last flushed.
ALTER TABLE compaction_progress
    ADD COLUMN flushed_seq bigint NOT NULL DEFAULT 0,
    ADD COLUMN flushed_tokens bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN compaction_progress.flushed_seq IS
    'Up to which place FlushConversation gave summaries in the place of messages.';
COMMENT ON COLUMN compaction_progress.flushed_tokens IS
    'How many tokens these summaries have, with the messages that were kept.';
