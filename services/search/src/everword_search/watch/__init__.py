"""Streams of changes to memories."""
