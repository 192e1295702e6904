"""Outdated facts in memories, and the current values that replace them."""
