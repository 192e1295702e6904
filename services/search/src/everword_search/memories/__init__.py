"""Reads of memories by id and by time."""
