"""Searches of the graph: by topic, and for duplicate nodes."""
