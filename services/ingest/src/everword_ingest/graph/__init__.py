"""Writes to the graph: nodes, relations, and their changes."""
