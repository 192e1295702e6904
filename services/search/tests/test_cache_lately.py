"""What was searched last stays mapped, as much as may."""

from __future__ import annotations

from pathlib import Path

import pytest

from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.cache.lately import LatelySearched
from everword_search.cache.storage import Mappable, MappedFile, Memory, Storage
from support.cached_passages import Said, mapped_bytes, passages_of


def copy_in(storage: Storage) -> CachedNamespace:
    copy = CachedNamespace(1, None, storage)
    copy.add(passages_of([Said(id_) for id_ in range(1, 501)]))
    copy.index.trim()
    return copy


def look_at(copy: CachedNamespace) -> None:
    """Map what a search may."""
    snapshot = copy.index.snapshot()
    for column in snapshot.columns.values():
        column.sum(dtype=float)
    snapshot.read(snapshot.rows_of(copy.index.ids))


@pytest.fixture
def copies(tmp_path: Path) -> list[CachedNamespace]:
    """Copies in files of folders named by number, none of which is mapped."""
    made = []
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        made.append(copy_in(MappedFile(str(folder), 500, 16)))
        made[-1].index.rest()
    return made


def room_for(nbytes: int) -> Mappable:
    """Return what has files map no more than so much."""
    mappable = Mappable()
    mappable.held_bytes = mappable.nbytes - nbytes
    return mappable


def still_mapped(folder: Path) -> list[int]:
    return [number for number in range(4) if mapped_bytes(folder / str(number))]


def test_those_searched_last_stay_mapped(copies: list[CachedNamespace], tmp_path: Path) -> None:
    each = copies[0].index.mapped_bytes
    searched = LatelySearched(room_for(2 * each))
    stay = []
    for number in (0, 1, 0, 2, 3, 3, 1):
        look_at(copies[number])
        searched.searched(copies[number])
        stay.append(still_mapped(tmp_path))
    assert stay == [[0], [0, 1], [0, 1], [0, 2], [2, 3], [2, 3], [1, 3]]


def test_one_that_takes_more_than_all_may_leaves_none(
    copies: list[CachedNamespace], tmp_path: Path
) -> None:
    mappable = Mappable()
    searched = LatelySearched(mappable)
    for copy in copies[:2]:
        look_at(copy)
        searched.searched(copy)
    assert still_mapped(tmp_path) == [0, 1]
    mappable.held_bytes = mappable.nbytes - copies[2].index.mapped_bytes + 1
    look_at(copies[2])
    searched.searched(copies[2])
    assert still_mapped(tmp_path) == []


def test_what_rests_is_mapped_again_when_it_is_searched(
    copies: list[CachedNamespace], tmp_path: Path
) -> None:
    searched = LatelySearched(Mappable())
    for _ in range(2):
        look_at(copies[0])
        searched.searched(copies[0])
        assert still_mapped(tmp_path) == [0]
        searched.rest(copies[0])
        assert still_mapped(tmp_path) == []
        searched.rest(copies[0])


def test_what_is_in_memory_takes_no_part(copies: list[CachedNamespace], tmp_path: Path) -> None:
    searched = LatelySearched(room_for(copies[0].index.mapped_bytes))
    look_at(copies[0])
    searched.searched(copies[0])
    searched.searched(copy_in(Memory(500)))
    assert still_mapped(tmp_path) == [0]
