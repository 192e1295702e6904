"""Erasure of a target with everything that was derived from it.

`erase` hides a target and begins; `removal` deletes, and updates the remaining rows; `resumer` continues in the
background. The table `erasure_rules` says which rows belong to a target.
"""
