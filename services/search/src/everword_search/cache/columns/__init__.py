"""Arrays that hold the passages of a namespace, field by field."""
