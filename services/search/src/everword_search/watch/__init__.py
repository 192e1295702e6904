"""Tells watchers what happens to memories."""
