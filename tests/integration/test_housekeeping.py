"""Housekeeping of ingest: counts are folded if there are many rows, and are not queried continuously."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from everword.db.pool import Database
from everword_ingest.housekeeping import housekeeping
from everword_ingest.housekeeping.housekeeping import FOLD_ROWS, Housekeeping
from support.stack import Stack


@pytest_asyncio.fixture
async def pool(stack: Stack) -> AsyncIterator[Database]:
    pool = Database(stack.database.settings("ingest"), "ingest")
    await pool.open()
    yield pool
    await pool.close()


def count(stack: Stack, rows: int, messages: int) -> None:
    """Store `rows` rows of counts, as that many appends do."""
    with stack.database.connect() as owner:
        owner.execute(
            "INSERT INTO corpus_counts (namespace_id, messages) SELECT 1, %s FROM generate_series(1, %s)",
            [messages, rows],
        )


def counted(stack: Stack) -> tuple[int, int]:
    """Return the number of rows, and the number of messages that they count."""
    with stack.database.connect() as owner:
        row = owner.execute("SELECT count(*), sum(messages) FROM corpus_counts").fetchone()
    assert row
    return int(row[0]), int(row[1])


async def test_count_rows_are_folded_into_one_above_the_threshold(
    stack: Stack, pool: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "FOLDED_AT_ONCE", 80)
    keeping = Housekeeping(pool)
    count(stack, FOLD_ROWS - 1, 2)
    await keeping.fold_counts()
    assert counted(stack) == (FOLD_ROWS - 1, 2 * (FOLD_ROWS - 1))
    count(stack, 1, 5)
    keeping = Housekeeping(pool)
    await keeping.fold_counts()
    assert counted(stack) == (1, 2 * (FOLD_ROWS - 1) + 5)


@pytest.mark.parametrize(
    ("share", "longest_s", "left"),
    [(1e-9, 120.0, FOLD_ROWS + 1), (1e-9, -1.0, 1), (1e9, 120.0, 1)],
    ids=["after a share of the time", "after the longest pause", "at once"],
)
async def test_slow_fold_is_not_repeated_immediately(
    stack: Stack,
    pool: Database,
    monkeypatch: pytest.MonkeyPatch,
    share: float,
    longest_s: float,
    left: int,
) -> None:
    monkeypatch.setattr(housekeeping, "POLLING_SHARE", share)
    monkeypatch.setattr(housekeeping, "LONGEST_S", longest_s)
    keeping = Housekeeping(pool)
    count(stack, FOLD_ROWS, 1)
    await keeping.fold_counts()
    assert counted(stack) == (1, FOLD_ROWS)
    count(stack, FOLD_ROWS, 1)
    await keeping.fold_counts()
    assert counted(stack) == (left, 2 * FOLD_ROWS)


async def test_memory_changes_are_pruned_after_a_day(stack: Stack, pool: Database) -> None:
    with stack.database.connect() as owner:
        owner.execute(
            "INSERT INTO memory_changes (namespace_id, memory_ids, changed_at) "
            "SELECT 1, '{}', now() - hours * interval '1 hour' FROM unnest(ARRAY[1, 23, 25, 50]) AS hours"
        )
        await Housekeeping(pool).prune_changes()
        query = "SELECT extract(hour FROM now() - changed_at)::int FROM memory_changes ORDER BY 1"
        assert owner.execute(query).fetchall() == [(1,), (23,)]
