"""Rows of statements as dataclasses."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any

import psycopg
import pytest

from everword.db.rows import dataclass_row
from support.databases import DatabaseUnderTest


@dataclass(frozen=True)
class Place:
    number: int
    name: str
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Visited(Place):
    times: int


@dataclass
class Doubled:
    number: int
    twice: int = field(init=False)

    def __post_init__(self) -> None:
        self.twice = 2 * self.number


def _rows(database: DatabaseUnderTest, row: type[Any], sql: str) -> list[Any]:
    with database.connect() as conn, conn.cursor(row_factory=dataclass_row(row)) as cursor:
        return cursor.execute(sql.encode()).fetchall()


def test_dataclass_row_accepts_columns_in_any_order(database: DatabaseUnderTest) -> None:
    sql = "SELECT 3 AS times, n AS number, '' AS note, 'here' AS name FROM generate_series(1, 2) n"
    one, two = _rows(database, Visited, sql)
    assert one == Visited(number=1, name="here", times=3)
    assert two.number == 2
    assert hash(two) == hash(Visited(number=2, name="here", times=3))
    with pytest.raises(FrozenInstanceError):
        two.number = 1


def test_dataclass_row_uses_default_for_missing_column(database: DatabaseUnderTest) -> None:
    assert _rows(database, Place, "SELECT 1 AS number, 'here' AS name") == [Place(1, "here")]


def test_dataclass_row_computes_derived_fields(database: DatabaseUnderTest) -> None:
    assert _rows(database, Doubled, "SELECT 4 AS number")[0].twice == 8


@pytest.mark.parametrize(
    "sql", ["SELECT 1 AS number", "SELECT 1 AS number, 'here' AS name, 2 AS more"]
)
def test_dataclass_row_raises_for_missing_or_extra_column(
    database: DatabaseUnderTest, sql: str
) -> None:
    with pytest.raises(TypeError):
        _rows(database, Place, sql)


def test_dataclass_row_of_empty_result_returns_no_rows(database: DatabaseUnderTest) -> None:
    assert _rows(database, Place, "SELECT 1 AS number, 'here' AS name WHERE false") == []
    with database.connect() as conn, conn.cursor(row_factory=dataclass_row(Place)) as cursor:
        cursor.execute("SET LOCAL work_mem = '4MB'")
        with pytest.raises(psycopg.ProgrammingError):
            cursor.fetchall()
