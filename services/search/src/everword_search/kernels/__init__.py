"""Numeric loops over arrays: compiled, or in numpy if no compiler was available."""
