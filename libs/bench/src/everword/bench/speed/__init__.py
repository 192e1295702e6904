"""Measurement of speed, beside what the machine could do at best: what `everword bench speed` measures and how.

`run.py` goes through the figures of a scale; each has a module of the name of what it measures. Every figure is a
`Row`, with its floor taken in the same run.
"""
