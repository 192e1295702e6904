"""Makes conversations, changes their details, and locks them for writes."""
