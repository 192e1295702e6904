"""Saves, lists, returns and deletes the state of agents."""
