"""Everword's console: pages that show memories, their sources, and how searches find them."""
