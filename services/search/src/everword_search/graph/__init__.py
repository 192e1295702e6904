"""Reads of the graph: nodes, relations, and traversals."""
