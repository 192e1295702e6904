"""Sentences that say what a tool call did, where a message has no words of its own."""
