"""Notes: what is written down on purpose, and its history."""
