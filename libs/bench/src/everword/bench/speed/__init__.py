"""`everword bench speed`: speed compared with a floor, the best that the machine could do.

`run.py` measures the figures of a scale; each figure has a module named after it. Every figure is a `Row` with a floor
from the same run.
"""
