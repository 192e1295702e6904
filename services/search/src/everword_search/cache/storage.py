"""Where a copy's arrays are kept: in memory, or, those of a large namespace, in a file that is mapped into it or read.

The kernel keeps of a file what is used, and takes it back where memory is short. The file has no name: nothing
of it is left when the process ends, however it does. It is sparse, with room for a copy twice as large, so that arrays
grow where they are.
"""

from __future__ import annotations

import math
import mmap
import os
import tempfile
import weakref
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from everword.db.arrays import Array
from everword_search.cache.columns import Column, Kept, Unreadable, reading
from everword_search.cache.reads import read_ranges
from everword_search.ranking.arrays import Ints

#: A namespace of more passages lies in a file, however many there are: 100 of 1,000 passages take 110 MB.
IN_MEMORY_PASSAGES = 500
#: How many times the passages that there were when it was made a copy may hold; for more, it is made anew.
_ROOM = 2
#: Address space for each of them, beside its vector; what is not used takes no disk.
_SPACE_BYTES = 16_384
#: What is reserved on the disk at once, at least, and of what a column has.
_STEP_BYTES = 65_536
_GROWTH = 16
#: What files take of the 200 MB that a service may take: what searches map of them, and what copies in files have in
#: memory beside. Where there are few files, that of some 110,000 passages of 25 words is mapped.
FILES_MEMORY_BYTES = 56 << 20


class NoRoom(Exception):
    """There is no room for a copy; the message says where."""


class Outgrown(NoRoom):
    """A copy has no room for what came; one that is made anew has."""


class Mappable:
    """How much of all files may be mapped into this process: what copies in files have in memory leaves less."""

    def __init__(self) -> None:
        self.held_bytes = 0

    @property
    def nbytes(self) -> int:
        return FILES_MEMORY_BYTES - self.held_bytes


class Storage(Protocol):
    """Gives a copy's arrays a place."""

    #: About how many passages there are.
    passages: int

    @property
    def in_memory(self) -> bool:
        """Whether that is memory which the kernel cannot take back."""

    def column(
        self,
        kind: Any,
        shape: tuple[int, ...] = (),
        each: int = 1,
        *,
        more: int = 0,
        is_sparse: bool = False,
    ) -> Column:
        """Return a column that grows; `each` is the most elements that a passage has on average, beside `more`.

        Of one that `is_sparse`, a search looks at few rows.
        """

    def keep(self, array: Array) -> Kept:
        """Keep an array of one dimension that will not change."""

    @property
    def nbytes(self) -> int:
        """What is stored beside memory."""

    @property
    def mapped_bytes(self) -> int:
        """What of that searches map into this process."""

    def rest(self) -> None:
        """Nobody uses the copy for now."""


class Memory:
    """Keeps arrays in memory."""

    in_memory = True
    nbytes = mapped_bytes = 0

    def __init__(self, passages: int = 0) -> None:
        self.passages = passages

    def column(
        self,
        kind: Any,
        shape: tuple[int, ...] = (),
        each: int = 1,
        *,
        more: int = 0,
        is_sparse: bool = False,
    ) -> Column:
        return Column(kind, shape)

    def keep(self, array: Array) -> Kept:
        return Kept(array)

    def rest(self) -> None:
        pass


class MappedFile:
    """Keeps arrays in a file."""

    in_memory = False

    def __init__(
        self,
        folder: str | None,
        passages: int,
        dimensions: int,
        mappable: Mappable | None = None,
    ) -> None:
        """`passages` is about how many there are; files share what is `mappable`. Raises NoRoom."""
        self.passages = passages
        self._rows = _ROOM * max(passages, 1)
        space = self._rows * (_SPACE_BYTES + 2 * dimensions) + mmap.ALLOCATIONGRANULARITY
        try:
            # Beside the map, to reserve disk and to read rows by.
            self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        except OSError as error:
            raise NoRoom(f"no file can be made: {error}") from error
        weakref.finalize(self, self._file.close)
        try:
            os.ftruncate(self._file.fileno(), space)
            self._map = mmap.mmap(self._file.fileno(), space)
        except (OSError, ValueError) as error:
            raise NoRoom(f"no file can be mapped: {error}") from error
        # One for all arrays: each that asks the map for its bytes has 350 bytes of objects around it.
        self._bytes = np.frombuffer(self._map, np.uint8)
        self._folder = folder or tempfile.gettempdir()
        self._mappable = mappable or Mappable()
        self._taken = 0
        self._nbytes = self._mapped_bytes = 0

    @property
    def nbytes(self) -> int:
        return self._nbytes

    @property
    def mapped_bytes(self) -> int:
        return self._mapped_bytes

    @property
    def is_read(self) -> bool:
        """Whether searches would map more than they may."""
        return self.mapped_bytes > self._mappable.nbytes

    def column(
        self,
        kind: Any,
        shape: tuple[int, ...] = (),
        each: int = 1,
        *,
        more: int = 0,
        is_sparse: bool = False,
    ) -> Column:
        return _MappedColumn(self, self._rows * each + more, kind, shape, is_sparse)

    def keep(self, array: Array) -> Kept:
        start = self.take(array.nbytes)
        self.reserve(start, array.nbytes, is_sparse=False)
        kept = self.view(start, len(array), array.dtype)
        kept[:] = array
        return _MappedArray(self, start, kept)

    def fileno(self) -> int:
        return self._file.fileno()

    def rest(self) -> None:
        """Take what is mapped out of this process: it stays in the kernel's cache as long as there is room."""
        self._map.madvise(mmap.MADV_DONTNEED)

    def take(self, nbytes: int) -> int:
        """Return where there is address space for so much. Raises NoRoom."""
        start = self._taken
        self._taken += -(-nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
        if self._taken > len(self._map):
            raise Outgrown("a copy has grown too much")
        return start

    def view(self, start: int, rows: int, kind: Any, shape: tuple[int, ...] = ()) -> Array:
        nbytes = rows * math.prod(shape) * np.dtype(kind).itemsize
        return np.asarray(self._bytes[start : start + nbytes].view(kind).reshape(rows, *shape))

    def reserve(self, start: int, nbytes: int, is_sparse: bool) -> None:
        """Have disk for what is written next: a page without it would end the process. Raises NoRoom."""
        if not nbytes:
            return
        try:
            os.posix_fallocate(self._file.fileno(), start, nbytes)
        except OSError as error:
            raise NoRoom(f"{self._folder} has no room for a copy: {error.strerror}") from error
        self._nbytes += nbytes
        self._mapped_bytes += 0 if is_sparse else nbytes


class _Mapped(Kept):
    """An array in a file. Where few rows are looked at, or the file is large, they are read instead of mapped.

    With each page the kernel maps what is around it, 64 KiB: a search that maps some thousand rows has most of an array
    in this process. To read a row takes a system call.
    """

    def _lie(self, file: MappedFile, start: int, values: Array, is_sparse: bool) -> None:
        """Say where the array lies: `values` has room for all its rows."""
        self._values = values
        self._file, self._start, self._is_sparse = file, start, is_sparse
        self._shape = values.shape[1:]
        self._row_bytes = values.dtype.itemsize * math.prod(self._shape)

    @property
    def nbytes(self) -> int:
        return 0  # the file counts it

    @property
    def lies_at(self) -> tuple[int, int]:
        return (self._file.fileno() if self._is_read else -1), self._start

    @property
    def _is_read(self) -> bool:
        return self._is_sparse or self._file.is_read

    def between(self, begin: int, end: int) -> Array:
        if not self._is_read:
            return super().between(begin, end)
        size, width = len(self.values), self._row_bytes
        begin, end = min(begin, size), min(end, size)
        wanted = (end - begin) * width
        with reading():
            read = os.pread(self._file.fileno(), wanted, self._start + begin * width)
        if len(read) < wanted:
            raise Unreadable("a file has lost its end")
        return np.frombuffer(read, self._values.dtype).reshape(-1, *self._shape)

    def take(self, rows: Ints) -> Array:
        if not self._is_read:
            return super().take(rows)
        return self.take_ranges(rows, np.ones(len(rows), np.int64))

    def take_ranges(self, begins: Ints, lengths: Ints) -> Array:
        if not self._is_read:
            return super().take_ranges(begins, lengths)
        taken = np.empty((int(lengths.sum()), *self._shape), self._values.dtype)
        room = taken.reshape(-1).view(np.uint8)
        file, size = self._file.fileno(), len(self.values)
        with reading():
            read_ranges(file, self._start, size, self._row_bytes, begins, lengths, room)
        return taken


class _MappedArray(_Mapped):
    """An array in a file that does not change."""

    def __init__(self, file: MappedFile, start: int, values: Array) -> None:
        self._lie(file, start, values, is_sparse=False)


class _MappedColumn(_Mapped, Column):
    """A column whose place is large enough from the beginning, and is reserved on the disk as it grows."""

    def __init__(
        self, file: MappedFile, rows: int, kind: Any, shape: tuple[int, ...], is_sparse: bool
    ) -> None:
        start = file.take(rows * np.dtype(kind).itemsize * math.prod(shape))
        self._lie(file, start, file.view(start, rows, kind, shape), is_sparse)
        self._size = 0
        self._reserved = 0

    def trim(self) -> None:
        pass

    def extend(self, rows: Array) -> None:
        if self._is_sparse:
            begin = self._size
            self.extend_zeros(len(rows))
            self.put(np.arange(begin, self._size), rows)
        else:
            super().extend(rows)

    def extend_zeros(self, count: int) -> None:
        # What was reserved and not written yet is zeros.
        self._make_room(self._size + count)
        self._size += count

    def put(self, rows: Ints, values: Array) -> None:
        """Write rows. Where few are looked at, none is mapped. Raises NoRoom."""
        if self._is_sparse:
            self._write(rows, np.ascontiguousarray(values, self._values.dtype))
        else:
            super().put(rows, values)

    def _write(self, rows: Ints, values: Array) -> None:
        # What follows each other is written at once.
        ends = np.flatnonzero(np.diff(rows, append=rows[-1:]) != 1) + 1
        for begin, end in pairwise([0, *ends.tolist()]):
            part = values[begin:end]
            start = self._start + int(rows[begin]) * self._row_bytes
            try:
                written = os.pwrite(self._file.fileno(), part.data, start)
            except OSError as error:
                raise NoRoom(f"a file cannot be written: {error}") from error
            if written < part.nbytes:
                raise NoRoom("a file takes no more, although there was room")

    def _make_room(self, size: int) -> None:
        if size > len(self._values):
            raise Outgrown("a copy has grown too much")
        lacking = size * self._row_bytes - self._reserved
        if lacking > 0:
            space = len(self._values) * self._row_bytes - self._reserved
            step = min(space, max(lacking, _STEP_BYTES, self._reserved // _GROWTH))
            self._file.reserve(self._start + self._reserved, step, self._is_sparse)
            self._reserved += step
