"""`everword lore`."""
