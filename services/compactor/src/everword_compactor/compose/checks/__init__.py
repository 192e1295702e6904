"""Checks of a text that a model wrote, before it is stored: values, tags and tool sentences."""
