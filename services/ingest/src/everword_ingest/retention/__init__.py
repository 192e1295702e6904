"""Removes what policies do not keep any longer; without a policy, nothing.

`policies` and `preview_retention` say what goes; `running` begins a run every night, and removes it in the
background by `steps`.
"""
