"""What few rows are looked at of is read and written without being mapped, and so is a file that is too large."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from everword.db.arrays import Array
from everword_search.cache import storage as storage_module
from everword_search.cache.columns import Unreadable
from everword_search.cache.storage import MappedFile, Outgrown
from support.cached_passages import closed_in_the_end, mapped_bytes, same


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty folder, which nothing has open in the end."""
    with closed_in_the_end(tmp_path):
        yield tmp_path


def random_halves(rng: np.random.Generator, count: int, into: Array | None = None) -> Array:
    """Return vectors, and write them to `into` as well."""
    values = rng.normal(size=(count, 384)).astype(np.float16)
    if into is not None:
        into[:] = values
    return values


@pytest.mark.parametrize("is_sparse", [False, True])
def test_few_rows_of_many_are_read_and_nothing_is_mapped(is_sparse: bool, folder: Path) -> None:
    rng = np.random.default_rng(6)
    file = MappedFile(str(folder), 40_000, 384)
    column = file.column(np.float16, (384,), is_sparse=is_sparse)
    rows = rng.normal(size=(40_000, 384)).astype(np.float16)
    column.extend(rows)
    file.rest()
    some = rng.integers(40_000, size=1_000)
    assert same(column.take(some), rows[some])
    # With each page the kernel maps those around it: 64 KiB.
    assert (mapped_bytes(folder) == 0) == is_sparse
    assert file.nbytes >= rows.nbytes
    assert file.mapped_bytes == (0 if is_sparse else file.nbytes)
    del file, column


def test_a_file_of_which_more_would_be_mapped_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = MappedFile(str(folder), 5_000, 0)
    kept, column = file.keep(np.arange(1_000)), file.column(np.int64)
    monkeypatch.setattr(storage_module, "FILES_MEMORY_BYTES", file.mapped_bytes)
    assert kept.lies_at[0] == -1
    column.extend(np.arange(10_000))
    assert kept.lies_at[0] == column.lies_at[0] == file.fileno()
    file.rest()
    begins, lengths = np.array([900, 3, 5]), np.array([100, 2, 0])
    for array in (kept, column):
        assert array.between(10, 20).tolist() == list(range(10, 20))
        assert array.take(np.array([7, 999, 7])).tolist() == [7, 999, 7]
        assert array.take_ranges(begins, lengths).tolist() == [*range(900, 1_000), 3, 4]
    assert mapped_bytes(folder) == 0
    del file, kept, column, array


def test_a_file_that_lost_its_end_is_an_error(folder: Path) -> None:
    file = MappedFile(str(folder), 5_000, 0)
    column = file.column(np.int64, is_sparse=True)
    column.extend(np.arange(5_000))
    os.ftruncate(file.fileno(), 8)
    with pytest.raises(Unreadable, match="lost its end"):
        column.between(0, 100)
    with pytest.raises(Unreadable, match="cannot be read"):
        column.take(np.array([4_999]))
    del file, column


def test_what_few_rows_are_looked_at_of_is_written_without_being_mapped(folder: Path) -> None:
    rng = np.random.default_rng(7)
    file = MappedFile(str(folder), 1_000, 384)
    column = file.column(np.float16, (384,), is_sparse=True)
    expected = np.zeros((2_000, 384), np.float16)
    column.extend(random_halves(rng, 300, expected[:300]))
    column.extend_zeros(1_700)
    for rows in (
        np.arange(500, 900),
        rng.permutation(2_000)[:700],
        np.array([7, 7, 8]),
        np.zeros(0, np.int64),
    ):
        values = random_halves(rng, len(rows))
        column.put(rows, values)
        expected[rows] = values
    assert mapped_bytes(folder) == 0
    assert same(column.take(np.arange(2_000)), expected)
    # The map shows the same.
    assert same(column.values, expected)
    with pytest.raises(Outgrown):
        column.extend_zeros(1)
    del file, column
