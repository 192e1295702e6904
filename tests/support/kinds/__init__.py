"""Test data of kinds of memory. Tests that cover all kinds import every module of this package.

A module has:

- `insert_rows(conn, namespace_id, words)`: inserts a row into each table of the kind.
- `parameters()`: returns the parameters of the kind's statements, by statement; they match these rows.
- `write(stack, namespace)`: writes such rows by RPC; returns their ids and page tokens.
- `BREAKS`: by integrity check of the kind, a statement after which the check fails.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

KINDS: tuple[Any, ...] = tuple(
    import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)
)


def merged(name: str) -> dict[str, Any]:
    """Return the dictionaries of this name of all kinds as one."""
    return {key: value for kind in KINDS for key, value in getattr(kind, name).items()}
