"""Removal of memories by retention policies; without a policy, nothing is removed.

`policies` has the limits; `runner` begins a run every night, and removes rows in the background by `steps`.
"""
