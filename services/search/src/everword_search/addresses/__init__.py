"""Reads of memories by their addresses, and directory listings with abstracts."""
