"""Appends messages, and writes what else callers say of memories."""
