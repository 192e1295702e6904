"""Counts, sizes and lag of a namespace."""
