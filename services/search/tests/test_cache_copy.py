"""A cached namespace stays complete if rows are added, removed or limited while its database query runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from everword_search.cache.cached_namespace import RECHECK_INTERVAL_S, CachedNamespace, CopyRequest
from everword_search.cache.columns.vectors import SignedVectors, Vectors
from everword_search.cache.store import Changes, Passages
from everword_search.passages.vectors import GenerationRow
from support.cached_passages import NOTHING, PassageSpec, passages_of

MODEL = GenerationRow(7, "active", "halfvec", 8, None, None, None, None, None, None)
OPEN = (-np.inf, np.inf, -np.inf, np.inf)
CLOSED = (-np.inf, 5.0, -np.inf, np.inf)


def passages(ids: Sequence[int]) -> Passages:
    return passages_of([PassageSpec(id_) for id_ in ids])


def changes(removed: Sequence[int] = (), closed: Sequence[int] = ()) -> Changes:
    limits = np.array([CLOSED] * len(closed)).reshape(-1, 4)
    return Changes(np.array(removed, np.int64), np.array(closed, np.int64), limits)


def change(
    copy: CachedNamespace,
    added: Sequence[int] = (),
    removed: Sequence[int] = (),
    closed: Sequence[int] = (),
) -> None:
    copy.add(NOTHING, passages(added), changes(removed, closed))


def copy_of(ids: Sequence[int]) -> CachedNamespace:
    copy = CachedNamespace(1, None, 0)
    assert is_complete(copy, copy.ask(500), ids, len(ids))
    change(copy, ids)
    copy.mark_complete()
    return copy


def is_complete(
    copy: CachedNamespace,
    copy_request: CopyRequest,
    found: Sequence[int],
    present: int,
    removed: Sequence[int] = (),
) -> bool:
    row = replace(NOTHING, passages=present)
    return copy.is_complete(copy_request, row, passages(found), changes(removed))


def allowed_rows(copy: CachedNamespace) -> list[int]:
    """Return the ids of the rows that are present and valid at 10 s."""
    snapshot = copy.index.snapshot()
    passes = snapshot.columns["alive"].copy()
    snapshot.intervals.leave_out(passes, 10.0, None, None, False)
    return sorted(snapshot.columns["ids"][passes].tolist())


def test_rows_added_before_a_late_answer_are_not_added_twice() -> None:
    copy = copy_of([1, 2])
    asked = copy.ask(500)
    change(copy, [3])
    for start in range(4, 3004, 500):
        change(copy, range(start, start + 500))
    assert is_complete(copy, asked, [3], 3)
    change(copy, [3])
    assert copy.present == 3003
    # An answer with some rows that are present and some that are not is inconsistent, so it conflicts.
    assert copy.conflicts(asked, passages([3, 5000]), changes())
    assert not copy.conflicts(asked, passages([5000, 5001]), changes())


def test_removed_rows_are_counted_as_of_the_start_of_each_search() -> None:
    copy = copy_of([1, 2, 5])
    first = copy.ask(500)
    change(copy, removed=[2])
    # The request from before the removal may list the removed row or not; so may requests from after it.
    assert is_complete(copy, first, [], 2, removed=[2])
    assert is_complete(copy, copy.ask(500), [], 2)
    assert is_complete(copy, copy.ask(500), [], 2, removed=[2])
    # The database has one row more than the copy: complete only if the answer contains that row.
    assert not is_complete(copy, copy.ask(500), [], 3)
    assert is_complete(copy, copy.ask(500), [3], 3)
    # A row that was added and removed between two requests was never in the copy.
    assert is_complete(copy, copy.ask(500), [], 2, removed=[77])


def test_removed_rows_stay_removed_if_added_by_an_earlier_search() -> None:
    """The answer to an earlier request may contain rows that a later request has already seen as removed."""
    copy = copy_of([1])
    change(copy, removed=[7])
    change(copy, [6, 7, 8])
    assert allowed_rows(copy) == [1, 6, 8]
    change(copy, removed=[1, 1, 7])
    assert (allowed_rows(copy), copy.present) == ([6, 8], 2)


def test_closed_rows_are_excluded_and_concurrent_closes_conflict() -> None:
    copy = copy_of([1, 2, 3])
    asked = copy.ask(500)
    assert not copy.conflicts(asked, passages([]), changes(closed=[2]))
    change(copy, [4], closed=[2, 4, 99])
    assert (allowed_rows(copy), copy.present) == ([1, 3], 4)
    assert copy.conflicts(asked, passages([]), changes(closed=[3]))
    # A change without a number is read again, which changes nothing.
    assert not copy.conflicts(asked, passages([]), changes(closed=[2]))
    # A new row that arrives together with its own limits does not conflict.
    assert not copy.conflicts(asked, passages([5]), changes(closed=[5]))
    copy.add(NOTHING, passages([]), Changes(np.zeros(0, np.int64), np.array([2]), np.array([OPEN])))
    assert allowed_rows(copy) == [1, 2, 3]


def test_cached_copy_not_updated_for_20_hours_is_behind() -> None:
    now = [0.0]
    copy = CachedNamespace(1, None, 0, lambda: now[0])
    now[0] = 20 * 3600.0
    assert not copy.is_behind
    now[0] += 1
    assert copy.is_behind
    change(copy, [1])
    assert not copy.is_behind


def test_late_passages_are_found_by_their_ids() -> None:
    copy = copy_of([5, 9, 7])
    change(copy, [3, 4])
    rows = copy.index.rows_of(np.array([3, 5, 6, 7, 9]))
    assert copy.index.ids[rows].tolist() == [3, 5, 7, 9]


def test_vectors_of_more_than_10000_passages_are_signed() -> None:
    copies = [CachedNamespace(1, MODEL, passages) for passages in (100, 10_000, 10_001)]
    kinds = [type(copy.index.vectors) for copy in copies]
    assert kinds == [Vectors, Vectors, SignedVectors]
    assert {copy.generation_id for copy in copies} == {7}
    arrays = replace(MODEL, storage="array")
    assert CachedNamespace(1, arrays, 0).index.vectors is None


def test_cached_copy_that_grew_past_exact_search_is_rebuilt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("everword_search.cache.cached_namespace.EXACT_PASSAGES", 500)
    copies = [CachedNamespace(1, MODEL, passages) for passages in (400, 501)]
    for copy in copies:
        change(copy, range(1, 1_001))
        assert not copy.is_outgrown
        change(copy, [1_001])
    # The copy that began with more than 500 passages already uses sign vectors.
    assert [copy.is_outgrown for copy in copies] == [True, False]


def test_cached_copy_with_many_removed_rows_is_rebuilt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everword_search.cache.cached_namespace.MOST_REMOVED", 1)
    copy = copy_of(range(1, 11))
    change(copy, removed=[9, 10])
    assert (copy.present, copy.is_outgrown) == (8, False)
    change(copy, removed=[8])
    assert (copy.present, copy.is_outgrown) == (7, True)


def test_rows_without_expected_vector_do_not_delay_pending_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("everword_search.cache.cached_namespace.PENDING_AT_ONCE", 0)
    monkeypatch.setattr("everword_search.cache.cached_namespace.CHECK_BATCH_ROWS", 1)
    now = [1_000.0]
    copy = CachedNamespace(1, MODEL, 4, lambda: now[0])
    change(copy, [1, 2, 3, 4])
    vectors = copy.index.vectors
    assert vectors
    assert copy.is_due
    assert copy.look().tolist() == [0, 1, 2, 3]
    vectors.set_pending(np.arange(4), np.array([False, False, False, True]))
    assert not copy.is_due
    now[0] += RECHECK_INTERVAL_S + 1
    assert copy.is_due
    assert copy.look().tolist() == [3]
    vectors.store(np.array([3]), np.ones((1, 8), np.float16))
    # Three rows without an expected vector: with these settings, they are checked after three intervals.
    now[0] += RECHECK_INTERVAL_S + 1
    assert not copy.is_due
    now[0] += RECHECK_INTERVAL_S
    assert copy.is_due
    assert copy.look().tolist() == [0, 1, 2]
    assert not copy.is_due
