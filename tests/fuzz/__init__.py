"""Calls of every RPC with whatever its contract allows, and somewhat more."""
