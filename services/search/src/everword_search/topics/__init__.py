"""Pages about topics as they are read."""
