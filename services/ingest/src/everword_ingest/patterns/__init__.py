"""Patterns: repeated actions on an entity, and whether they may be done without asking."""
