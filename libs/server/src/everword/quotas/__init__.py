"""Limits that an operator sets for a namespace: what is counted, and what is refused."""
