"""Stored records as they are: by id, and in pages."""
