"""Nodes that a language model writes."""
