"""Common parts of every client of a model server: where it is, what its refusals say, when to leave it alone."""
