"""Everword's compactor service."""
