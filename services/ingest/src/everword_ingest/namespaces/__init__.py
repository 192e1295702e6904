"""Namespaces: their settings, limits, use and deletion."""
