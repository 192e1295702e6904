"""Reads of the summary DAG: nodes, and their sources."""
