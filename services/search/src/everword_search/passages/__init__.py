"""Stored passages and their vectors: statements, the scope of a search, and rankings."""
