"""Backups of a whole database: a dump written by pg_dump, a manifest and the database roles."""
