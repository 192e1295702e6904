"""Number of rows in every table that belong to one namespace or to none."""

from __future__ import annotations

from collections.abc import Mapping

from support.erasure_checks import tables
from support.namespace_rows import TABLES, id_of
from support.stack import Stack

#: Housekeeping may fold rows at any moment, so their number may decrease; a refused write must not add any.
_FOLDED = "corpus_counts"


class RowCounts:
    """Counts the rows of one namespace in every table, since other namespaces may change meanwhile."""

    def __init__(self, stack: Stack, namespace: str) -> None:
        id_ = id_of(stack.database, namespace)
        self._connection = stack.database.connect()
        owned = {table for (table,) in self._connection.execute(TABLES.encode()).fetchall()}
        # A literal number in the statement avoids reading all partitions.
        self._statement = " UNION ALL ".join(
            f"SELECT '{table}', count(*) FROM \"{table}\""
            + (f" WHERE namespace_id = {id_}" if table in owned else "")
            for table in tables(self._connection)
        ).encode()

    def now(self) -> dict[str, int]:
        """Return the number of rows of the namespace, or of none, by table."""
        return dict(self._connection.execute(self._statement, prepare=True).fetchall())

    def close(self) -> None:
        self._connection.close()


def changed(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the counts before and after by table, for changes that housekeeping does not explain."""
    return {
        table: (before[table], rows)
        for table, rows in after.items()
        if rows > before[table] or (rows < before[table] and table != _FOLDED)
    }
