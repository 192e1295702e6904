"""Lorebooks: which of their entries a conversation sets off."""
