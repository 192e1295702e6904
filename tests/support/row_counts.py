"""How many rows there are in every table, as far as they are of one namespace or of none."""

from __future__ import annotations

from collections.abc import Mapping

from support.erased import tables
from support.namespace_rows import TABLES, id_of
from support.stack import Stack

#: Housekeeping adds up its rows at any moment: none may come of a write that was refused, but some may go.
_FOLDED = "corpus_counts"


class RowCounts:
    """Counts the rows of a namespace, in every table: others may be written to meanwhile."""

    def __init__(self, stack: Stack, namespace: str) -> None:
        id_ = id_of(stack.database, namespace)
        self._connection = stack.database.connect()
        owned = {table for (table,) in self._connection.execute(TABLES.encode()).fetchall()}
        # A number in the statement spares looking into all partitions.
        self._statement = " UNION ALL ".join(
            f"SELECT '{table}', count(*) FROM \"{table}\""
            + (f" WHERE namespace_id = {id_}" if table in owned else "")
            for table in tables(self._connection)
        ).encode()

    def now(self) -> dict[str, int]:
        """Return by table how many rows are of the namespace, or of none."""
        return dict(self._connection.execute(self._statement, prepare=True).fetchall())

    def close(self) -> None:
        self._connection.close()


def changed(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return by table how many rows there were and are, where something else than housekeeping did that."""
    return {
        table: (before[table], rows)
        for table, rows in after.items()
        if rows > before[table] or (rows < before[table] and table != _FOLDED)
    }
