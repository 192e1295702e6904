"""Everword's search service."""
