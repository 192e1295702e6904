"""Kinds of values, and how each is read from a sentence."""
