"""Loops over arrays: compiled, and in numpy if there is no compiler."""
