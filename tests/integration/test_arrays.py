"""Arrays in Postgres' binary format survive a round trip."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psycopg
import pytest
from psycopg import sql

from everword.db.arrays import (
    ArrayParameter,
    Column,
    array_literal,
    array_of_uuids,
    read_array,
    uuids_of,
)
from support.databases import DatabaseUnderTest

MOMENT = datetime(2026, 11, 21, 22, 23, 37, 123456, tzinfo=UTC)
IDS = [uuid4(), UUID(int=0), UUID(int=2**128 - 256)]
LISTS: dict[str, list[list[Any]]] = {
    "text": [["a", "", "žluťoučký 🐎", None], ["same", "same"], [None, None]],
    "bytea": [[b"", b"\0\xff", None]],
    "uuid": [[IDS[0], None, IDS[1]], [IDS[0], IDS[0]]],
    "int2": [[-32768, 0, 32767, None], [3, 3, 3]],
    "int4": [[-(2**31), 0, 2**31 - 1]],
    "int8": [[-(2**63), 0, 2**63 - 1, None]],
    "bool": [[True, False, None], [False, False]],
    "timestamptz": [
        [MOMENT, MOMENT.astimezone(timezone(timedelta(hours=-7))), None],
        [
            datetime(1, 1, 1, tzinfo=UTC),
            datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        ],
    ],
    "date": [[date(1, 1, 1), date(9999, 12, 31), None], [date(2000, 1, 1), date(1999, 12, 31)]],
    "jsonb": [
        [
            {"a": 1},
            {"a": True},
            {"a": 1.5},
        ],  # The first two are equal in Python, but not identical JSON.
        [[], ["b"], None],
        [0, False, 0.5],
        [[], []],
        [None, None],
    ],
}


@pytest.fixture
def conn(database: DatabaseUnderTest) -> psycopg.Connection[tuple[Any, ...]]:
    return database.connect()


@pytest.mark.parametrize("type_", LISTS)
def test_column_round_trip_is_lossless_for_every_type(
    conn: psycopg.Connection[tuple[Any, ...]], type_: str
) -> None:
    returned = sql.SQL("SELECT %b::{}[], pg_typeof(%b::{}[])::text").format(
        *[sql.Identifier(type_)] * 2
    )
    with conn:
        for values in [*LISTS[type_], []]:
            column = Column(type_, values)
            [(found, name)] = conn.execute(returned, [column, column]).fetchall()
            assert [*map(repr, found)] == [*map(repr, _utc(values))]
            assert name.removesuffix("[]") in (type_, *ALIASES.get(type_, ()))


ALIASES = {
    "int2": ("smallint",),
    "int4": ("integer",),
    "int8": ("bigint",),
    "bool": ("boolean",),
    "timestamptz": ("timestamp with time zone",),
}


def _utc(values: list[Any]) -> list[Any]:
    return [value.astimezone(UTC) if isinstance(value, datetime) else value for value in values]


def test_array_literal_round_trip_is_lossless(
    conn: psycopg.Connection[tuple[Any, ...]],
) -> None:
    each = [
        [],
        ["a"],
        ["", "NULL", "null"],
        ['"', "\\", '\\"', "{a,b}", " a ", "\n\t"],
        ["標籤", "é"],
    ]
    with conn:
        found = conn.execute(
            "SELECT t.written::text[] FROM unnest(%b::text[]) AS t (written)",
            [Column("text", [*map(array_literal, each)])],
        ).fetchall()
    assert [values for (values,) in found] == each


def test_statement_is_prepared_once_for_all_column_values(
    conn: psycopg.Connection[tuple[Any, ...]],
) -> None:
    with conn:
        conn.prepare_threshold = 0
        for values in (["a"], [None], [], ["", ""]):
            conn.execute("SELECT cardinality(%b::text[])", [Column("text", values)])
        [(prepared,)] = conn.execute(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%cardinality%::text[]%'"
            " AND statement NOT LIKE '%pg_prepared%'"
        ).fetchall()
    assert prepared == 1


def test_numpy_array_round_trip_is_lossless(
    conn: psycopg.Connection[tuple[Any, ...]],
) -> None:
    numbers, ids = np.array([-(2**63), 0, 2**63 - 1]), array_of_uuids(IDS)
    floats = np.array([0.1, -2.5e-38, 3e38], np.float32)
    for empty in (False, True):
        sent = [ArrayParameter(each[:0] if empty else each) for each in (numbers, ids, floats)]
        [(first, second, third)] = conn.execute(
            "SELECT array_send(%b::bigint[]), array_send(%b::uuid[]), array_send(%b::real[])", sent
        ).fetchall()
        assert read_array(first, "i8").tolist() == ([] if empty else numbers.tolist())
        assert uuids_of(read_array(second, "S16")) == ([] if empty else IDS)
        assert read_array(third, "f4").tolist() == ([] if empty else floats.tolist())
    conn.close()
