"""Counts, sizes and backlogs of a namespace."""
