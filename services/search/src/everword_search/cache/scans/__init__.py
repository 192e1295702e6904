"""Looks through the arrays: which passages pass a filter, share words, or are near a vector."""
