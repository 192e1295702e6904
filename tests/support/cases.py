"""Calls that must fail, their expected errors, and a check that they change nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc

from support.databases import DatabaseUnderTest
from support.refusals import refused
from support.stack import Stack

_TABLES = """
SELECT relname FROM pg_class
 WHERE relnamespace = 'everword'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
"""


@dataclass(frozen=True)
class Case:
    """A call that must fail, with its expected error."""

    call: Callable[[Stack], Awaitable[Any]]
    #: The field that the error names; None if no field is at fault.
    field: str | None
    code: grpc.StatusCode = grpc.StatusCode.INVALID_ARGUMENT
    reason: str = "VALIDATION_FAILED"

    async def check(self, stack: Stack) -> None:
        """Make the call; assert the expected error and an unchanged database."""
        with unchanged(stack.database):
            refusal = await refused(self.call(stack))
        assert (refusal.code, refusal.reason) == (self.code, self.reason)
        assert refusal.fields == ({self.field} if self.field else set())


@contextmanager
def unchanged(database: DatabaseUnderTest) -> Iterator[None]:
    """Assert that the block leaves every row of every table unchanged."""
    before = _everything(database)
    yield
    after = _everything(database)
    changed = {
        table: [*(set(before[table]) ^ set(after[table]))]
        for table in before
        if before[table] != after[table]
    }
    assert not changed, changed


def _everything(database: DatabaseUnderTest) -> dict[str, list[str]]:
    with database.connect() as conn:
        tables = [table for (table,) in conn.execute(_TABLES)]
        assert len(tables) > 10
        # Housekeeping numbers changes at any time.
        conn.execute("SELECT number_changes(id) FROM namespaces")
        # Sweeps enqueue the nightly Sleep and pending topic pages, independent of any call.
        own = {"jobs": "WHERE (task, subject) NOT IN (('sleep', 'namespace'), ('learn', 'topics'))"}
        return {
            table: [
                row
                for (row,) in conn.execute(
                    f"SELECT t::text FROM {table} t {own.get(table, '')} ORDER BY 1".encode()
                )
            ]
            for table in tables
        }
