"""Rows as dataclasses, made by position: by name, each row would cost a dictionary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cache
from operator import itemgetter
from typing import Any, TypeVar, cast

from psycopg import AsyncCursor, Cursor

T = TypeVar("T")
Maker = Callable[[Sequence[Any]], T]


def dataclass_row(row: type[T]) -> Callable[[Cursor[Any] | AsyncCursor[Any]], Maker[T]]:
    """Return a row factory for a dataclass with a field for each column, in any order."""

    def factory(cursor: Cursor[Any] | AsyncCursor[Any]) -> Maker[T]:
        columns = tuple(column.name for column in cursor.description or ())
        return _maker(cast(Any, row), columns)

    return factory


@cache
def _maker(row: Any, columns: tuple[str, ...]) -> Maker[Any]:
    every = fields(row)
    names = tuple(field.name for field in every)
    positional = all(field.init and not field.kw_only for field in every)
    if positional and columns == names:
        return lambda values: row(*values)
    if positional and len(columns) == len(names) > 1 and set(columns) == set(names):
        ordered = itemgetter(*(columns.index(name) for name in names))
        return lambda values: row(*ordered(values))
    # By name, where a field has a default, or only a name tells which is which.
    return lambda values: row(**dict(zip(columns, values, strict=True)))
