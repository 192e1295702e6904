-- Rules of all features' tables: the rows that an erasure deletes, and the rows that an export contains. Each feature
-- inserts its rules in its own file.
--
-- A new table needs a rule for each erasure target of its rows, or one for the target `kept`, and a row in
-- transfer_rules, which the deletion of a namespace uses as well.

CREATE TABLE erasure_targets (
    name text PRIMARY KEY,
    kind smallint UNIQUE CHECK (kind > 0)
);
COMMENT ON TABLE erasure_targets IS 'Targets of erasures. Each feature declares its targets in the file of its tables.';
COMMENT ON COLUMN erasure_targets.kind IS 'Value of proto ErasureKind; NULL for targets that are only reached from other targets.';
INSERT INTO erasure_targets VALUES
    ('subject', 3),
    ('author', 4),
    ('source', NULL), -- a memory in the index
    ('kept', NULL); -- the rows stay: they hold no content of callers, or are deleted as the remark of the rule says

CREATE TABLE erasure_rules (
    target text NOT NULL REFERENCES erasure_targets (name),
    place integer NOT NULL, -- rules of a target apply in this order
    relation text NOT NULL,
    key_column text NOT NULL, -- the column that holds the id or the name of the target
    goes_on text, -- ids of these rows are targets of this name, which are deleted first
    remark text NOT NULL DEFAULT '',
    only_where text NOT NULL DEFAULT 'true',
    requested boolean NOT NULL DEFAULT false, -- calls with request ids stored these rows; their requests are blanked
    PRIMARY KEY (target, relation, key_column)
);
COMMENT ON TABLE erasure_rules IS
    'Rows of `relation` whose `key_column` is the target are deleted with it, by `place`; first, targets `goes_on`.';

CREATE TABLE transfer_rules (
    relation text NOT NULL PRIMARY KEY,
    place integer NOT NULL UNIQUE,
    record text UNIQUE, -- NULL if the table is left out, as the remark says
    keys text[] NOT NULL DEFAULT '{}',
    remark text NOT NULL DEFAULT '',
    omitted text[] NOT NULL DEFAULT '{}', -- columns that are left out, besides namespace_id
    only_where text NOT NULL DEFAULT 'true',
    source text,
    page integer NOT NULL DEFAULT 500 CHECK (page > 0)
);
COMMENT ON TABLE transfer_rules IS 'Rows of `relation` are exported in the order of `place` and `keys`, or omitted if `record` is NULL.';
COMMENT ON COLUMN transfer_rules.source IS 'The view to read from; NULL to read the relation.';
COMMENT ON COLUMN transfer_rules.page IS 'Rows per read; fewer if rows can be large.';
GRANT SELECT ON transfer_rules TO everword_ingest;
