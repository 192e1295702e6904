"""Everword: long-term memory for AI agents."""
