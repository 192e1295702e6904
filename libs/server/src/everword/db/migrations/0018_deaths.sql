-- A worker that dies is no failure of its job: deaths are counted apart from attempts. The default is the same for all rows,
-- so that none is rewritten.

ALTER TABLE jobs ADD COLUMN deaths integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN jobs.deaths IS
    'Workers that fell silent with the job since it last advanced; 0 in a job that is done or was given up.';
