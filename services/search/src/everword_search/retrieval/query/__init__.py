"""Interpretation of a query: words, operators, vector."""
