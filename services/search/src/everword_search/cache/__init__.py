"""Namespaces that were searched last, in memory: what is found and ranked by, never what is shown.

A copy of a namespace follows its passages and the log of what changed in them within each search's own transaction; see
ADR 22. What a search shows is read from the database all the same, within its isolation.
"""
