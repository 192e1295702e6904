"""Notes, and their history."""
