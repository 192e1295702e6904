"""Takes back what was written, with everything that was derived from it.

`erase` hides a target and begins; `removal` deletes, and brings up to date what is left; `resumer` goes on in the
background. What belongs to a target is in the table `erasure_rules`.
"""
