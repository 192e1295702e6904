"""Removes what policies do not keep any longer; without a policy, nothing.

`policies` says what goes; `runner` begins a run every night, and removes it in the
background by `steps`.
"""
