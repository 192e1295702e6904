"""Arrays with the passages of a namespace, one per field."""
