"""Patterns: what is done with a thing again and again, and when that may be done without asking."""
