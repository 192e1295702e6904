"""Calls of every RPC with all values that its contract allows, and some that it does not."""
