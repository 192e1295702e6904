"""Stored records: by id and in pages."""
