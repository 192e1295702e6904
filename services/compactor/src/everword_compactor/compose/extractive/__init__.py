"""Nodes without a language model: whole sentences of their sources, chosen word for word."""
