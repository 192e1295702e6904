"""Blocks of a context with a share of the budget: one module each, listed in `registry`."""
