"""The places where passages are found: Postgres or the cache, by one protocol."""
