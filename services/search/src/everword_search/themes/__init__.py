"""Themes as they are read."""
