"""Sentences about tool calls, for messages without words of their own."""
