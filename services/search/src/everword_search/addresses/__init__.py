"""Reads memories by their addresses, and lists directories of them with their abstracts."""
