"""`LargeScopes` remembers which scopes have many rows."""

from __future__ import annotations

import sys
from dataclasses import replace

from everword_search.passages.store import Scope
from everword_search.records.model import MemoryFilter
from everword_search.retrieval.arms.large_scopes import LargeScopes

SCOPE = Scope(1, MemoryFilter(agents=["main"]))


def test_large_scopes_remember_the_number_of_rows_of_a_scope() -> None:
    known = LargeScopes()
    assert not known.has_more(SCOPE, 0)
    known.learn(SCOPE, 100)
    assert known.has_more(SCOPE, 100)
    assert not known.has_more(SCOPE, 101)


def test_large_scopes_do_not_apply_to_another_scope() -> None:
    known = LargeScopes()
    known.learn(SCOPE, 100)
    others = [
        replace(SCOPE, namespace_id=2),
        replace(SCOPE, filter=MemoryFilter(agents=["main", "other"])),
        replace(SCOPE, filter=MemoryFilter(channels=["main"])),
        replace(SCOPE, constraint="'word'"),
    ]
    assert [known.has_more(other, 0) for other in others] == [False] * len(others)


def test_large_scopes_store_little_for_long_filters() -> None:
    """The API allows five lists of 100 names of 512 bytes in a filter."""
    known = LargeScopes()
    names = ["n" * 500] * 100
    for number in range(100):
        requested = MemoryFilter(agents=[*names, str(number)], channels=names)
        known.learn(replace(SCOPE, filter=requested), 100)
    assert len(known._known) == 100
    assert sum(map(sys.getsizeof, known._known)) < 10_000


def test_large_scopes_do_not_learn_scopes_with_a_constraint() -> None:
    known = LargeScopes()
    known.learn(replace(SCOPE, constraint="'word'"), 100)
    assert not known.has_more(replace(SCOPE, constraint="'word'"), 100)
    assert not known.has_more(SCOPE, 100)
