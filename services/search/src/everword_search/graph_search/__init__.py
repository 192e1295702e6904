"""Searches of the graph: by topic, and for nodes that may be the same."""
