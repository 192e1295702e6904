"""Kills one process after another under an import, and counts what is lost, doubled or stuck."""
