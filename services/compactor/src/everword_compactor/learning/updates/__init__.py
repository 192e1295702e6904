"""Finds the earlier messages that a message corrects or updates."""
