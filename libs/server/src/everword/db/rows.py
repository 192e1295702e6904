"""Rows as dataclasses, at the price of a dictionary each: a frozen one's own `__init__` takes four times as long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, cast

from psycopg import AsyncCursor, Cursor

T = TypeVar("T")
Maker = Callable[[Sequence[Any]], T]


def dataclass_row(row: type[T]) -> Callable[[Cursor[Any] | AsyncCursor[Any]], Maker[T]]:
    """Return a row factory for a dataclass with a field for each column, in any order."""

    def factory(cursor: Cursor[Any] | AsyncCursor[Any]) -> Maker[T]:
        result = cursor.pgresult
        # psycopg's description of them would make an object for each column of each result.
        columns = tuple(map(result.fname, range(result.nfields))) if result else ()
        return _maker(cast(Any, row), columns)

    return factory


@cache
def _maker(row: Any, columns: tuple[bytes, ...]) -> Maker[Any]:
    names = tuple(column.decode() for column in columns)
    if set(names) != {field.name for field in fields(row)} or hasattr(row, "__post_init__"):
        # `__init__` handles defaults and computed fields, and raises for wrong columns.
        return lambda values: row(**dict(zip(names, values, strict=True)))
    new = object.__new__

    def made(values: Sequence[Any]) -> Any:
        instance = new(row)
        instance.__dict__.update(zip(names, values, strict=True))
        return instance

    return made
