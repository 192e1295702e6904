"""Backups of a whole database, by PostgreSQL's own programs, with a manifest beside their file."""
