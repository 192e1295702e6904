"""Facts as they are read: what holds, what held, what was believed, and why."""
