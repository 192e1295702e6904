"""`best_memories` of a cached namespace returns the same memories as the SQL statements of the arms."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from everword_search.cache.best_rows import best_memories
from everword_search.cache.columns.intervals import Intervals
from everword_search.cache.columns.row import ROW, bytes_of
from everword_search.cache.snapshot import IdOrder, Snapshot
from everword_search.passages.ranked_memories import Window

SUMMARY = 2


@dataclass(frozen=True)
class Row:
    id: int
    source_id: bytes
    kind: int
    raw: float
    score: float


def random_rows(rng: random.Random) -> list[Row]:
    """Return passages of memories of several kinds; many passages have the same score."""
    count = rng.randint(0, 150)
    sources = [rng.randbytes(16) for _ in range(max(1, count // rng.randint(1, 4)))]
    kinds = {source: rng.choice((1, 1, SUMMARY, 4)) for source in sources}
    scale = rng.choice((3, 50, 10**9))
    rows = []
    ids = rng.sample(range(1, 10_000), count)
    # In half of the cases, rows are not in the order of their ids, as after late inserts.
    for id_ in sorted(ids) if rng.random() < 0.5 else ids:
        source, score = rng.choice(sources), rng.randint(1, scale) / scale
        rows.append(Row(id_, source, kinds[source], 10 * score, score))
    return rows


def expected(rows: list[Row], window: Window) -> list[Row]:
    """Return the results of the last steps of `find_lexical` and `find_semantic_exact`, computed naively."""
    best: dict[bytes, Row] = {}
    for row in sorted(rows, key=lambda row: (-row.score, -row.id)):
        best.setdefault(row.source_id, row)
    after = tuple((window.after or (2.0, 0))[:2])
    top = [r for r in best.values() if r.score >= window.min_score and (r.score, r.id) < after]
    found, place = [], 0
    for row in top[: window.limit + window.spare]:
        place += row.kind != SUMMARY
        if place <= window.limit:
            found.append(row)
    return found


def snapshot_of(rows: list[Row], others: int) -> Snapshot:
    """Return a snapshot of rows, with `others` unrelated rows before each of them."""
    count = len(rows) * (others + 1)
    retained = np.zeros(count, ROW)
    retained["ids"], retained["kinds"] = -1, 1
    # Three memories per thread, so that memories of different threads have the same position.
    numbers: dict[bytes, int] = {}
    for row in rows:
        numbers.setdefault(row.source_id, len(numbers))
    places = [divmod(numbers[row.source_id], 3) for row in rows]
    at = slice(others, None, others + 1)
    retained["ids"][at] = [row.id for row in rows]
    retained["source_ids"][at] = [row.source_id for row in rows]
    retained["kinds"][at] = [row.kind for row in rows]
    retained["threads"][at] = [thread for thread, _ in places]
    retained["seqs"][at] = [seq for _, seq in places]
    hidden = ("_terms", "_tags", "_tag_rows", "_conversations", "_authors", "_labels")
    unread: Any = dict.fromkeys(hidden)
    columns = {"ids": retained["ids"].copy()}
    is_ordered = bool(np.all(np.diff(retained["ids"]) > 0))
    by_id = np.argsort(retained["ids"], kind="stable")
    known: Any = {
        "segments": (),
        "order": IdOrder(retained["ids"], None)
        if is_ordered
        else IdOrder(retained["ids"][by_id], by_id),
        "removed": np.zeros(0, np.int64),
        "intervals": Intervals.none(),
        "present": count,
        "mean_length": 1.0,
    }
    return Snapshot(columns, bytes_of(retained), **unread, **known)


def check(rows: list[Row], window: Window, others: int) -> None:
    found = best_memories(
        snapshot_of(rows, others),
        np.arange(others, len(rows) * (others + 1), others + 1),
        np.array([row.raw for row in rows]),
        np.array([row.score for row in rows]),
        window,
    )
    requested = expected(rows, window)
    assert found.passage_ids.tolist() == [row.id for row in requested]
    # numpy's `S16` drops zero bytes at the end.
    assert found.source_ids.tolist() == [row.source_id.rstrip(b"\0") for row in requested]
    assert found.raws.tolist() == [row.raw for row in requested]
    assert found.scores.tolist() == [row.score for row in requested]


@pytest.mark.parametrize("seed", range(200))
def test_best_memories_equal_those_of_the_sql_statement(seed: int) -> None:
    rng = random.Random(seed)
    rows, others = random_rows(rng), rng.randint(0, 2)
    limit, spare = rng.choice((1, 3, 11, 150)), rng.choice((0, 0, 5, 150))
    least = rng.choice((0.0, 0.0, 0.4, 2.0))
    check(rows, Window(limit, None, least, spare=spare), others)
    positions = [[row.score, row.id, "more"] for row in rng.sample(rows, min(3, len(rows)))]
    places: list[list[Any]] = [*positions, [0.5, 5000], [2.0, 0]]
    for after in places:
        check(rows, Window(limit, after, least, spare=spare), others)


def test_pages_of_equal_scores_return_every_row_once() -> None:
    rng = random.Random(5)
    rows = [Row(n, rng.randbytes(16), 1, 1.0, 0.5) for n in range(1, 40)]
    seen: list[int] = []
    after = None
    while True:
        found = expected(rows, Window(7, after))
        check(rows, Window(7, after), 1)
        if not found:
            break
        seen += [row.id for row in found]
        after = [found[-1].score, found[-1].id]
    assert seen == list(range(39, 0, -1))


def test_memory_with_many_passages_takes_one_place_among_results() -> None:
    """The best-scored memory has more passages than the window has places."""
    rows = [Row(n, b"a" * 16, 1, 1.0, 0.9) for n in range(1, 100)]
    rows += [Row(100 + n, bytes([n]) * 16, 1, 1.0, 0.1) for n in range(1, 30)]
    check(rows, Window(10), 0)
    assert len(expected(rows, Window(10))) == 10
