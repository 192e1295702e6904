"""Stored passages and their vectors: statements over them, the scope of a search, and rankings of memories."""
