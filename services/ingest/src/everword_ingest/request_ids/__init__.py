"""Request ids, which make writes repeatable."""
