"""Declared statements work as their signatures say, on async and on blocking connections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
import pytest

from everword.db.statements import parse_statements
from everword.db.typed_statements import statement
from support.databases import DatabaseUnderTest

SQL = parse_statements(
    """-- count_items --
-- The number of items.
SELECT cardinality(%(items)s::text[]);

-- list_items --
-- Each item with its place.
SELECT item, place FROM unnest(%(items)s::text[]) WITH ORDINALITY AS t (item, place) WHERE place > %(after)s;

-- find_item --
-- The item at a place.
SELECT item, place FROM unnest(%(items)s::text[]) WITH ORDINALITY AS t (item, place) WHERE place = %(place)s;

-- set_note --
-- Keep a text for the session.
SELECT set_config('everword.note', %(text)s, false);
"""
)


@dataclass(frozen=True)
class Item:
    item: str
    place: int


@dataclass(frozen=True)
class Listing:
    """Two parameters in one object."""

    items: list[str]
    after: int


@statement(SQL)
async def count_items(conn: Any, items: Sequence[str]) -> int: ...  # type: ignore[empty-body]


@statement(SQL)
async def list_items(conn: Any, listing: Listing) -> list[Item]: ...  # type: ignore[empty-body]


@statement(SQL)
async def find_item(conn: Any, items: Sequence[str], *, place: int = 1) -> Item | None: ...


@statement(SQL, "find_item")
async def get_item(conn: Any, items: Sequence[str], place: int) -> Item: ...  # type: ignore[empty-body]


@statement(SQL)
async def set_note(conn: Any, text: str) -> None: ...


@statement(SQL, "find_item")
def find_item_blocking(conn: Any, items: Sequence[str], place: int) -> Item | None: ...


async def test_declared_statements_return_what_their_signatures_say(
    database: DatabaseUnderTest,
) -> None:
    async with await psycopg.AsyncConnection.connect(database.admin_url) as conn:
        # A tuple is passed as an array.
        assert await count_items(conn, ("a", "b")) == 2
        assert await list_items(conn, Listing(["a", "b"], 1)) == [Item("b", 2)]
        assert await find_item(conn, ["a"]) == Item("a", 1)
        assert await find_item(conn, ["a"], place=2) is None
        assert await get_item(conn, ["a"], 1) == Item("a", 1)
        with pytest.raises(LookupError, match="find_item"):
            await get_item(conn, ["a"], 2)
        assert await set_note(conn, "kept") is None  # type: ignore[func-returns-value]
        cursor = await conn.execute("SELECT current_setting('everword.note')")
        assert await cursor.fetchone() == ("kept",)
    with psycopg.connect(database.admin_url) as blocking:
        assert find_item_blocking(blocking, ["a"], 1) == Item("a", 1)


async def test_declared_statement_with_wrong_arguments_raises_type_error() -> None:
    for arguments in ((), (["a"], 1, 2)):
        with pytest.raises(TypeError, match="get_item takes items, place"):
            await get_item(None, *arguments)


def test_declaration_that_does_not_fit_its_statement_is_refused() -> None:
    async def find_item(conn: Any, items: list[str], place: int, id: UUID) -> Item | None: ...

    with pytest.raises(TypeError, match="statement find_item has no parameter id"):
        statement(SQL)(find_item)

    async def list_items(conn: Any, items: list[str]) -> list[Item]: ...  # type: ignore[empty-body]

    with pytest.raises(TypeError, match="statement list_items lacks after"):
        statement(SQL)(list_items)
