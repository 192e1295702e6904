-- Statements of EmbedderService: counts over all namespaces and their settings, no content.

-- count_pending --
-- Return the number of pending and of failed vectors of a generation, each counted up to a cap.
SELECT (SELECT count(*)
          FROM (SELECT 1 FROM embedding_queue
                 WHERE generation_id = %(generation_id)s AND state = 'pending' LIMIT %(cap)s) AS pending) AS pending,
       (SELECT count(*)
          FROM (SELECT 1 FROM embedding_queue
                 WHERE generation_id = %(generation_id)s AND state = 'failed' LIMIT %(cap)s) AS failed) AS failed;

-- read_generation --
-- Return the settings of a generation that determine a text's vector. Generation 0 means the active one.
SELECT id, provider, endpoint, model, dimensions, matryoshka, query_prefix, passage_prefix, weights, files_sha256, pooling,
       max_tokens, other_languages
  FROM model_generations
 WHERE CASE WHEN %(generation_id)s = 0 THEN state = 'active' ELSE id = %(generation_id)s END;

-- note_other_languages --
-- Store that a generation has embedded a text that is not English.
UPDATE model_generations SET other_languages = true WHERE id = %(generation_id)s AND NOT other_languages;

-- read_credentials --
-- Return how credentials are treated in a namespace; no row once the namespace is deleted.
SELECT credentials FROM namespaces WHERE id = %(namespace_id)s;
