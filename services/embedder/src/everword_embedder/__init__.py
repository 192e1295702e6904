"""Everword's embedder service."""
