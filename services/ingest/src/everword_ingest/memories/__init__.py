"""Writes on single memories of any kind, and waits until they are indexed."""
