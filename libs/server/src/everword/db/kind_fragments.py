"""Parts of statements that are written from the registry of kinds: `{note_kind}`, `{summarizing_kinds}`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from everword.domain.memory_kinds import (
    ATTACHED_KINDS,
    EXPIRING_KINDS,
    SUMMARIZING_KINDS,
    MemoryKind,
)

_NAME = re.compile(r"\{(\w+_kinds?)\}")


def fill_kinds(sql: str) -> str:
    """Return SQL with the fragments of kinds in the place of their names. Raises KeyError for an unknown name."""
    return _NAME.sub(lambda name: FRAGMENTS[name[1]], sql)


def _listed(kinds: Iterable[MemoryKind]) -> str:
    return f"({', '.join(f'{kind:d}' for kind in kinds)})"


def _row_labels() -> str:
    """Return an expression for the label of the row of a passage `p`."""
    labels = {kind: kind.traits.row_label or kind.traits.label for kind in MemoryKind}
    quoted = {kind: label.replace("'", "''") for kind, label in labels.items()}
    cases = (f"WHEN {kind:d} THEN '{label}'" for kind, label in quoted.items())
    return f"CASE p.kind {' '.join(cases)} END"


def _rows_exist() -> str:
    """Return a condition: the table of the kind has the row of a passage `p`."""
    cases = (
        f"WHEN {kind:d} THEN EXISTS (SELECT FROM {kind.traits.table} s"
        f" WHERE s.namespace_id = %(namespace_id)s AND s.id = p.source_id AND {kind.traits.row_condition})"
        for kind in MemoryKind
    )
    return f"CASE p.kind {' '.join(cases)} ELSE false END"


def _erasure_targets() -> str:
    """Return a query for the `ErasureKind` and the id by which the memory `target_id` is erased."""
    return "\nUNION ALL\n".join(
        f"SELECT {kind.traits.erasure_kind} AS kind, {kind.traits.erasure_column} AS id FROM {kind.traits.table}"
        " WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s"
        for kind in MemoryKind
    )


#: By name. A kind is a number, a set of kinds a list in parentheses.
FRAGMENTS = {
    **{f"{kind.name.lower()}_kind": f"{kind:d}" for kind in MemoryKind},
    "summarizing_kinds": _listed(SUMMARIZING_KINDS),
    "expiring_kinds": _listed(EXPIRING_KINDS),
    "attached_kinds": _listed(ATTACHED_KINDS),
    "dated_kinds": _listed(kind for kind in MemoryKind if kind.traits.has_times),
    "themed_kinds": _listed(kind for kind in MemoryKind if kind.traits.has_themes),
    "row_labels_of_kinds": _row_labels(),
    "rows_exist_of_kinds": _rows_exist(),
    "erasure_targets_of_kinds": _erasure_targets(),
}
