"""Tokens of language models, counted."""
