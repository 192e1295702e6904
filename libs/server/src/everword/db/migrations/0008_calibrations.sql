-- What the evidence for a result says of its relevance, where it was measured here; shipped calibrations count beside it.

CREATE TABLE calibrations (
    profile text NOT NULL, -- of HYBRID, or the name of a mode with one arm
    generation_id bigint REFERENCES model_generations (id) ON DELETE CASCADE,
    evidence double precision[] NOT NULL,
    relevance double precision[] NOT NULL CHECK (cardinality(relevance) = cardinality(evidence)),
    floor double precision NOT NULL CHECK (floor BETWEEN 0 AND 1),
    provenance jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (profile, generation_id)
);
COMMENT ON TABLE calibrations IS
    'Maps from evidence to relevance, from 0 to 1: knots of piecewise linear functions. Fitted where answers are known, '
    'for a profile and a model generation, or for none where nothing is embedded. Holds nothing that anybody said.';
COMMENT ON COLUMN calibrations.floor IS 'Where the best result is less relevant, nothing is.';
GRANT SELECT ON calibrations TO everword_search;
