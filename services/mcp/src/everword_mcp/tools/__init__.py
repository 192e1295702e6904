"""Tools, by the set that they belong to."""
