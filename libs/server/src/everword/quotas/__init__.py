"""Limits that an operator sets for a namespace: counting and refusals."""
