"""Removes what policies do not keep any longer; without a policy, nothing.

`policies` and `preview_retention` say what goes; `running` removes it, in the background; `nights` begins a run every night.
"""
