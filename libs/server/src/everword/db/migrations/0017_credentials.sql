-- What is done with credentials in what is derived from messages. The default is the same for all rows, so that none is
-- rewritten.

ALTER TABLE namespaces ADD COLUMN credentials smallint NOT NULL DEFAULT 1;
COMMENT ON COLUMN namespaces.credentials IS
    'What becomes of passwords, keys and tokens in titles, summaries, sentences and contexts: 1 masks them, 2 keeps them.';
