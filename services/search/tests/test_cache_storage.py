"""Where a copy's arrays are: what is in a file is what would be in memory, and nothing of it stays behind."""

from __future__ import annotations

import gc
import mmap
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from everword.db.arrays import Array
from everword_search.cache import storage as storage_module
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.cache.index import NamespaceIndex
from everword_search.cache.storage import MappedFile, NoRoom, Outgrown, Storage
from everword_search.vectors import GenerationRow
from support.cached_passages import (
    Said,
    closed_in_the_end,
    disk_bytes,
    everywhere,
    full_disk,
    mapped_bytes,
    open_files,
    passages_of,
    same,
    written_pages,
)

Places: TypeAlias = Callable[[], Storage]
MODEL = GenerationRow(7, "active", "halfvec", 16, None, None, None, None, None, None)
KINDS: list[tuple[object, tuple[int, ...]]] = [
    (np.int64, ()),
    (np.bool_, ()),
    (np.uint16, ()),
    (np.dtype("S16"), ()),
    (np.int8, (384,)),
    (np.float32, (3, 5)),
]


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has no more reserved than is needed."""
    monkeypatch.setattr(storage_module, "_STEP_BYTES", 1)
    monkeypatch.setattr(storage_module, "_GROWTH", 1 << 40)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty folder, which nothing has open in the end."""
    with closed_in_the_end(tmp_path):
        yield tmp_path


def random_rows(
    rng: np.random.Generator, kind: object, shape: tuple[int, ...], count: int
) -> Array:
    element = np.dtype(kind)  # type: ignore[call-overload]
    binary = rng.bytes(count * element.itemsize * int(np.prod(shape)))
    if element == np.bool_:
        return rng.random((count, *shape)) < 0.5
    return np.frombuffer(binary, element).reshape(count, *shape)


# Columns


@everywhere
@pytest.mark.parametrize(("kind", "shape"), KINDS, ids=str)
def test_what_is_added_is_there_and_what_was_read_before_stays(
    kind: object, shape: tuple[int, ...], make_storage: Places
) -> None:
    rng = np.random.default_rng(1)
    storage = make_storage()
    columns = [storage.column(kind, shape) for _ in range(2)]
    added = [random_rows(rng, kind, shape, count) for count in (1, 0, 70, 3, 900, 1, 2_000)]
    views: list[tuple[Array, Array]] = []
    for number, rows in enumerate(added):
        for column in columns:
            column.extend(rows)
            views.append((column.values, np.concatenate(added[: number + 1])))
    for view, expected in views:
        assert same(view, expected)


def test_a_column_in_a_file_grows_where_it_is() -> None:
    column = MappedFile(None, 2_000, 8).column(np.int64)
    column.extend(np.arange(10))
    old = column.values
    place = old.ctypes.data
    for start in range(10, 4_000, 10):
        column.extend(np.arange(start, start + 10))
        assert column.values.ctypes.data == place
    assert np.shares_memory(old, column.values)
    assert old.tolist() == list(range(10))
    assert column.values.tolist() == list(range(4_000))
    # What is changed of what is there is changed for all who look, as in memory that did not move.
    column.values[3] = -1
    assert old[3] == -1


@everywhere
def test_columns_and_what_is_kept_never_touch_each_other(make_storage: Places) -> None:
    rng = random.Random(3)
    storage = make_storage()
    columns = [storage.column(np.uint8) for _ in range(5)]
    sizes, kept = [0] * 5, []
    for step in range(60):
        number, count = rng.randrange(5), rng.randint(1, 150)
        columns[number].extend(np.full(count, number + 1, np.uint8))
        sizes[number] += count
        kept.append(storage.keep(np.full(rng.randint(0, 5_000), step + 10, np.uint8)))
    for number, column in enumerate(columns):
        assert column.values.tolist() == [number + 1] * sizes[number]
    for step, array in enumerate(kept):
        assert set(array.values.tolist()) <= {step + 10}


@everywhere
@pytest.mark.parametrize(("kind", "count"), [("i8", 1_000), ("u1", 1), ("u2", 4_097), ("S16", 0)])
def test_what_is_kept_is_equal(kind: str, count: int, make_storage: Places) -> None:
    array = random_rows(np.random.default_rng(4), kind, (), count)
    storage = make_storage()
    first, second = storage.keep(array), storage.keep(array[::-1])
    assert same(first.values, array)
    assert same(second.values, array[::-1])


def test_the_last_of_the_room_can_be_kept() -> None:
    file = MappedFile(None, 1, 0)
    room = 2 * storage_module._SPACE_BYTES + mmap.ALLOCATIONGRANULARITY
    array = np.arange(room, dtype=np.uint8)
    assert same(file.keep(array).values, array)
    assert len(file.keep(array[:0]).values) == 0
    with pytest.raises(Outgrown):
        file.keep(array[:1])


def test_at_rest_nothing_is_lost() -> None:
    rng = np.random.default_rng(5)
    file = MappedFile(None, 5_000, 384)
    columns = [
        (file.column(kind, shape), random_rows(rng, kind, shape, 2_000)) for kind, shape in KINDS
    ]
    array = random_rows(rng, "i8", (), 10_000)
    kept = file.keep(array)
    for start in range(0, 2_000, 500):
        for column, rows in columns:
            column.extend(np.zeros_like(rows[:500]))
        file.rest()
        for column, rows in columns:
            column.values[start:] = rows[start : start + 500]
        file.rest()
        assert same(kept.values, array)
        for column, rows in columns:
            assert same(column.values, rows[: start + 500])


def test_at_rest_the_process_holds_no_pages_of_the_file(folder: Path) -> None:
    file = MappedFile(str(folder), 100_000, 16)
    kept = file.keep(np.ones(4 << 20, np.uint8))
    held = mapped_bytes(folder)
    assert held >= 4 << 20
    file.rest()
    assert mapped_bytes(folder) < held / 10
    assert int(kept.values.sum()) == 4 << 20
    del file, kept


# What is counted


@pytest.mark.usefixtures("exact")
def test_what_was_reserved_is_counted_and_is_on_the_disk(folder: Path) -> None:
    file = MappedFile(str(folder), 10_000, 384)
    assert file.nbytes == 0
    column = file.column(np.int64)
    matrix = file.column(np.int8, (384,))
    assert file.nbytes == 0
    column.extend(np.arange(1_000))
    assert file.nbytes == 8_000
    matrix.extend(np.ones((500, 384), np.int8))
    assert file.nbytes == 8_000 + 500 * 384
    file.keep(np.zeros(10_000))
    assert file.nbytes == 8_000 + 500 * 384 + 80_000
    assert column.nbytes == matrix.nbytes == 0
    assert file.nbytes <= disk_bytes(folder) <= file.nbytes + 4 * mmap.PAGESIZE
    column.extend(np.arange(0))
    column.trim()
    assert file.nbytes == 8_000 + 500 * 384 + 80_000
    del file, column, matrix


def test_a_column_reserves_ahead_and_never_beyond_its_end() -> None:
    file = MappedFile(None, 10_000, 0)
    column = file.column(np.int64)
    column.extend(np.arange(1))
    assert file.nbytes == storage_module._STEP_BYTES
    column.extend(np.arange(8_191))
    assert file.nbytes == storage_module._STEP_BYTES
    for count in (20_000 - 8_193, 1):
        column.extend(np.arange(count))
    assert file.nbytes == 8 * 20_000
    with pytest.raises(Outgrown):
        column.extend(np.arange(1))
    assert len(column.values) == 20_000
    assert file.nbytes == 8 * 20_000


def test_a_copy_in_a_file_is_charged_for_its_file() -> None:
    file = MappedFile(None, 2_000, 16)
    copy = CachedNamespace(1, MODEL, file)
    copy.add(passages_of([Said(id_) for id_ in range(1, 1_001)]))
    assert not copy.index.in_memory
    assert copy.index.nbytes > file.nbytes > 1_000 * 100
    # Segments of a few passages are in memory, and so is what stands for words.
    assert copy.index.nbytes - file.nbytes < 300_000


def test_a_copy_in_a_file_that_grows_by_little_stays_there() -> None:
    file = MappedFile(None, 2_000, 16)
    copy = CachedNamespace(1, MODEL, file)
    copy.add(passages_of([Said(id_) for id_ in range(1, 1_001)]))
    copy.index.trim()
    for first in range(1_001, 2_001, 25):
        copy.add(passages_of([Said(id_) for id_ in range(first, first + 25)]))
        # All but what was added last.
        beside = [each for each in copy.index.snapshot().segments if not each.is_kept]
        assert sum(each.stop - each.start for each in beside) <= 500
    assert copy.index.size == 2_000


# Where there is no room


@pytest.mark.usefixtures("exact")
@pytest.mark.parametrize("granted", range(4))
def test_a_full_disk_is_no_room_and_leaves_what_is_there(
    granted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = MappedFile(None, 10_000, 0)
    column = file.column(np.int64)
    column.extend(np.arange(1_000))
    taken = file.nbytes
    with full_disk(monkeypatch, granted):
        for _ in range(granted):
            column.extend(np.arange(1_000))
        with pytest.raises(NoRoom, match="No space left on device") as refused:
            column.extend(np.arange(1_000))
        with pytest.raises(NoRoom, match="No space left on device"):
            file.keep(np.arange(1_000))
    assert not isinstance(refused.value, Outgrown)
    assert file.nbytes == taken + 8_000 * granted
    assert column.values.tolist() == [*range(1_000)] * (granted + 1)
    # There is room again.
    column.extend(np.arange(1_000))
    assert len(column.values) == 1_000 * (granted + 2)


@pytest.mark.usefixtures("exact")
def test_a_full_disk_never_ends_the_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever of a copy does not fit: no array is written to where there is no disk."""
    passages = passages_of([Said(n, tags=("a", "b"), author=f"A{n}") for n in range(1, 400)])
    granted, is_added = 0, False
    while not is_added:
        copy = CachedNamespace(1, MODEL, MappedFile(str(folder), 400, 16))
        with full_disk(monkeypatch, granted) as reserved:
            try:
                copy.index.add(passages)
                copy.index.trim()
                is_added = True
            except NoRoom:
                granted += 1
        assert written_pages(folder) <= reserved
        del copy
    assert reserved
    # Columns take 17, and what is kept of segments the rest.
    assert granted > 17


def test_a_folder_that_is_not_there_is_no_room(tmp_path: Path) -> None:
    with pytest.raises(NoRoom, match="nowhere"):
        MappedFile(str(tmp_path / "nowhere"), 10, 8)


def test_a_file_in_place_of_a_folder_is_no_room(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NoRoom):
        MappedFile(str(tmp_path / "file"), 10, 8)


def test_more_than_can_be_mapped_is_no_room(folder: Path) -> None:
    with pytest.raises(NoRoom):
        MappedFile(str(folder), 1 << 40, 384)


def test_more_than_the_room_is_outgrown() -> None:
    file = MappedFile(None, 100, 0)
    column, matrix, several = (
        file.column(np.int32),
        file.column(np.int8, (16,)),
        file.column(np.int32, each=3),
    )
    column.extend(np.arange(200))
    matrix.extend(np.ones((200, 16), np.int8))
    several.extend(np.arange(600))
    for full, more in (
        (column, np.arange(1)),
        (matrix, np.ones((1, 16), np.int8)),
        (several, np.arange(1)),
    ):
        with pytest.raises(Outgrown):
            full.extend(more)
    assert column.values.tolist() == list(range(200))
    with pytest.raises(Outgrown):
        file.keep(np.zeros(400 * storage_module._SPACE_BYTES, np.uint8))


# What is left of a file


def test_no_file_is_to_be_seen(folder: Path) -> None:
    file = MappedFile(str(folder), 100, 8)
    file.keep(np.arange(1_000))
    assert list(folder.iterdir()) == []
    assert open_files(folder)
    del file


def test_a_file_is_closed_with_the_last_that_looks_at_it(folder: Path) -> None:
    file = MappedFile(str(folder), 500, 16)
    copy = CachedNamespace(1, MODEL, file)
    copy.add(passages_of([Said(id_, author=f"A{id_}") for id_ in range(1, 300)]))
    seen = copy.index.snapshot()
    del file, copy
    # No cycle keeps it until the collector comes.
    assert open_files(folder)
    assert seen.columns["ids"].tolist() == list(range(1, 300))
    del seen
    assert open_files(folder) == []


@pytest.mark.usefixtures("exact")
def test_a_copy_that_found_no_room_leaves_no_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for granted in (0, 5, 15):
        index = NamespaceIndex(None, MappedFile(str(folder), 500, 16))
        with full_disk(monkeypatch, granted), pytest.raises(NoRoom):
            index.add(passages_of([Said(id_) for id_ in range(1, 300)]))
        del index
    gc.collect()
    assert open_files(folder) == []
