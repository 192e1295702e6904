-- What becomes of text that comes from where anybody may write, and speaks to models.

ALTER TABLE namespaces ADD COLUMN quarantine boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN namespaces.quarantine IS
    'Whether untrusted text that speaks to models is left out of contexts and answers. A channel''s policy may say so for it alone.';
COMMENT ON COLUMN namespaces.credentials IS
    'What becomes of passwords, keys and tokens in titles, summaries, sentences and contexts: 1 masks them, 2 keeps them, 3 masks them
     and stores nothing new that holds one.';
