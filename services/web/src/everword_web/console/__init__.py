"""Everword's console: pages that show people what is remembered, where it comes from, and how it is found."""
