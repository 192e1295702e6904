"""Blocks of a context that get a share of their own: a module each, and a line in `registry`."""
