"""Whether what is stored is sound, and what is derived from it made again.

`verify` runs the checks in `checks/` over every namespace; `rebuild` makes passages, vectors and counts again from what
they are derived from. Both work as the owner of the schema, in short statements, beside serving processes.
"""
