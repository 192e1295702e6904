"""Makes the vectors that are due, in the background."""
