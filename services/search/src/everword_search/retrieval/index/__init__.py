"""The sources of passages: PostgreSQL or the cache, behind one protocol."""
