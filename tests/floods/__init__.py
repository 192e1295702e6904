"""One tenant floods each kind of call; another's calls are timed beside it."""
