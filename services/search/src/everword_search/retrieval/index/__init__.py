"""Where passages are found: in Postgres, or in the cache, by one protocol."""
