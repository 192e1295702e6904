"""Checks of stored data, and recomputation of derived data.

`verify` runs the checks in `checks/` over every namespace; `rebuild` recomputes passages, vectors and counts from their
sources. Both work as the owner of the schema, in short statements, while services run.
"""
