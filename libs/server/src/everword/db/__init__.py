"""Postgres: the pool, named statements, and the schema's migrations."""
