"""Everword's ingest service."""
