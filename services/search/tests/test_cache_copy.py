"""A copy is complete only if it has what there is, whatever came between a question and its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import pytest

from everword_search.cache.cached_namespace import LOOK_AGAIN_S, Asked, CachedNamespace
from everword_search.cache.storage import Memory, Outgrown, Storage
from everword_search.cache.store import Passages
from everword_search.cache.vectors import SignedVectors, Vectors
from everword_search.vectors import GenerationRow
from support.cached_passages import NOTHING, Said, everywhere, mapped, passages_of

Places: TypeAlias = Callable[[], Storage]
MODEL = GenerationRow(7, "active", "halfvec", 8, None, None, None, None, None, None)


def passages(ids: Sequence[int]) -> Passages:
    return passages_of([Said(id_) for id_ in ids])


def copy_of(ids: Sequence[int], storage: Storage, dropped: int = 0) -> CachedNamespace:
    copy = CachedNamespace(1, None, storage)
    assert is_complete(copy, copy.ask(500), ids, dropped, len(ids))
    assert copy.add(passages(ids))
    copy.settle()
    return copy


def is_complete(
    copy: CachedNamespace, asked: Asked, found: Sequence[int], dropped: int, present: int
) -> bool:
    row = replace(NOTHING, passages=present, dropped=dropped)
    return copy.is_complete(asked, row, passages(found))


@everywhere
def test_what_was_added_long_before_an_answer_is_not_added_again(make_storage: Places) -> None:
    copy = copy_of([1, 2], make_storage())
    asked = copy.ask(500)
    assert copy.add(passages([3]))
    for start in range(4, 3004, 500):
        assert copy.add(passages(range(start, start + 500)))
    assert is_complete(copy, asked, [3], 0, 3)
    assert copy.add(passages([3]))
    assert copy.present == 3003
    # Some of these came meanwhile, and some did not: neither is it what was asked about, nor can it be added.
    assert not copy.add(passages([3, 5000]))
    assert copy.present == 3003


@everywhere
def test_an_answer_to_what_was_asked_before_passages_were_taken_out_tells_nothing(
    make_storage: Places,
) -> None:
    """As many came late as were taken out, and the copy has lost those and lacks these."""
    copy = copy_of([1, 2, 5], make_storage(), dropped=4)
    asked = copy.ask(500)
    copy.keep(np.array([1, 5]), 5)
    assert not is_complete(copy, asked, [], 5, 3)
    assert not is_complete(copy, copy.ask(500), [], 5, 3)
    assert is_complete(copy, copy.ask(500), [], 5, 2)


def test_vectors_of_more_than_10000_passages_have_signs() -> None:
    storages = Memory(100), mapped(100), mapped(10_000), mapped(10_001)
    copies = [CachedNamespace(1, MODEL, storage) for storage in storages]
    kinds = [type(copy.index.vectors) for copy in copies]
    assert kinds == [Vectors, Vectors, Vectors, SignedVectors]
    assert {copy.generation_id for copy in copies} == {7}
    arrays = replace(MODEL, storage="array")
    assert CachedNamespace(1, arrays, Memory()).index.vectors is None


def test_a_copy_in_memory_that_has_become_large_is_made_anew() -> None:
    copies = [CachedNamespace(1, MODEL, storage) for storage in (Memory(400), mapped(1_000))]
    for copy in copies:
        copy.add(passages_of([Said(id_) for id_ in range(1, 1_001)]))
        assert not copy.is_outgrown
        copy.add(passages_of([Said(1_001)]))
    assert [copy.is_outgrown for copy in copies] == [True, False]


def test_a_copy_in_a_file_takes_twice_as_many_passages_as_it_began_with_and_no_more() -> None:
    copy = CachedNamespace(1, MODEL, mapped(100))
    for start in range(1, 200, 50):
        assert copy.add(passages(range(start, start + 50)))
    assert copy.present == 200
    assert not copy.is_outgrown
    with pytest.raises(Outgrown):
        copy.add(passages([201]))


@everywhere
def test_a_copy_that_lost_much_is_made_anew(make_storage: Places) -> None:
    copy = copy_of(range(1, 11), make_storage())
    copy.keep(np.arange(1, 9), 2)
    assert (copy.present, copy.is_outgrown) == (8, False)
    copy.keep(np.arange(1, 8), 3)
    assert (copy.present, copy.is_outgrown) == (7, True)


def test_what_gets_no_vector_delays_nothing_that_is_to_get_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("everword_search.cache.cached_namespace.OWED_AT_ONCE", 0)
    monkeypatch.setattr("everword_search.cache.cached_namespace.LOOKED_AT_A_TIME", 1)
    now = [1_000.0]
    copy = CachedNamespace(1, MODEL, Memory(), lambda: now[0])
    copy.add(passages([1, 2, 3, 4]))
    vectors = copy.index.vectors
    assert vectors
    assert copy.is_due
    assert copy.look().tolist() == [0, 1, 2, 3]
    vectors.say_owed(np.arange(4), np.array([False, False, False, True]))
    assert not copy.is_due
    now[0] += LOOK_AGAIN_S + 1
    assert copy.is_due
    assert copy.look().tolist() == [3]
    vectors.store(np.array([3]), np.ones((1, 8), np.float16))
    # Three rows, each of which is worth a minute here.
    now[0] += LOOK_AGAIN_S + 1
    assert not copy.is_due
    now[0] += LOOK_AGAIN_S
    assert copy.is_due
    assert copy.look().tolist() == [0, 1, 2]
    assert not copy.is_due
