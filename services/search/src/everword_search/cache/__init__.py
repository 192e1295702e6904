"""Namespaces that are searched often, in memory: what is found and ranked by, never what is shown.

Passages are immutable: they come, and may go. So a copy of a namespace is complete exactly if its passages after the
last known one are added and as many as there are were ever counted; see ADR 22. What a search shows is read from the
database all the same, within its isolation.
"""
