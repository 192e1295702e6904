"""Summing up conversations: leaves over messages, branches over leaves, roots over branches."""
