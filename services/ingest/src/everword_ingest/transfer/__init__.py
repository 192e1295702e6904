"""A namespace as a file, and a file as a namespace."""
