"""What memories say that does not hold any more, and what holds instead, which stands before it."""
