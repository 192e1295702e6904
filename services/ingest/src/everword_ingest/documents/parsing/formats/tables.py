"""Writes tables as rows that are understood alone: each names its columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_NUMBER = re.compile(r"[-+(]?[$€£¥]?[\d.,' ]+%?\)?|\d{4}-\d\d-\d\d.*")
#: Columns have short names; a longer text is a value.
_MAX_NAME = 80


class TableWriter:
    """Writes one row after the other. The first row is used as the header if it looks like one."""

    def __init__(self, header: Sequence[str] | None = None, narrowest: int = 2) -> None:
        #: How many cells a row has at least that names columns without saying so.
        self._narrowest = narrowest
        self._header = list(header) if header else None
        self._begun = header is not None

    @property
    def header(self) -> list[str] | None:
        return self._header

    def line(self, cells: Sequence[str]) -> str:
        """Return the line of a row; empty if all its cells are."""
        row = [" ".join(cell.split()) for cell in cells]
        if not any(row):
            return ""
        if not self._begun:
            # Titles stand above a table, one cell wide.
            if sum(map(bool, row)) > 1:
                self._begun = True
                if len(row) >= self._narrowest and names_columns(row):
                    self._header = row
            return " | ".join(filter(None, row))
        return self._named(row)

    def _named(self, row: list[str]) -> str:
        if self._header is None:
            return " | ".join(filter(None, row))
        names = self._header + [""] * (len(row) - len(self._header))
        pairs = zip(names, row, strict=False)
        return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def names_columns(row: Sequence[str]) -> bool:
    """Return whether a row looks like a header: distinct short texts, none of them a value."""
    names = [cell for cell in row if cell]
    return (
        len(names) > 1
        and len(set(names)) == len(names)
        and len(names) > len(row) // 2
        and not any(len(name) > _MAX_NAME or _NUMBER.fullmatch(name) for name in names)
    )


def table_lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table in a text: two columns may be anything, such as a name and its value."""
    table = TableWriter(narrowest=3)
    for row in rows:
        line = table.line(row)
        if line:
            yield line
