"""In-memory copies of recently searched namespaces: the data for finding and ranking, never the texts shown.

A copy follows the namespace's passages and the log of their changes within each search's own transaction; see ADR 22.
The memories in a response are always read from the database, under its isolation.
"""
