"""Appends messages to conversations."""
