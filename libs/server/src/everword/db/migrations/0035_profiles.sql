-- What holds of a subject is read in the order in which it is shown, and no further than it is shown.

CREATE INDEX facts_profile ON facts (namespace_id, subject, category, attribute, confidence DESC, id);
CREATE INDEX facts_known ON facts (namespace_id, subject, confidence DESC, last_seen_at DESC, id);
