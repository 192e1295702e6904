"""Contexts for prompts within a token budget."""
