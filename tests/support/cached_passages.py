"""Passages as the statements of a copy return them, and the places where a copy keeps its arrays."""

from __future__ import annotations

import errno
import gc
import mmap
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from everword.db.arrays import Array
from everword.text.ranking_record import unpack_records
from everword_search.cache.storage import MappedFile, Memory
from everword_search.cache.store import Passages, PassagesRow

_NO_COLUMNS: Any = dict.fromkeys(field.name for field in fields(PassagesRow))
#: What the statement returns where there is nothing.
NOTHING = PassagesRow(**{**_NO_COLUMNS, "passages": 0, "dropped": 0})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def mapped(passages: int = 5_000) -> MappedFile:
    """Return a file with room for twice as many passages, whose vectors have at most 400 numbers."""
    return MappedFile(None, passages, 400)


class _ReadFile(MappedFile):
    """A file that is read, as one is of which searches would map too much."""

    @property
    def is_read(self) -> bool:
        return True


def read(passages: int = 5_000) -> MappedFile:
    """Return what `mapped` does, but one that is read."""
    return _ReadFile(None, passages, 400)


#: Runs a test of arrays over all ways in which they are kept; `Memory`, `mapped` and `read` make one.
everywhere = pytest.mark.parametrize(
    "make_storage", [Memory, mapped, read], ids=["memory", "mapped", "read"]
)


def open_files(folder: Path) -> list[int]:
    """Return the descriptors by which this process has files of a folder open, also files without a name."""
    found = []
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{descriptor}")
        except FileNotFoundError:
            continue  # the one that lists them
        if target.startswith(f"{folder}/"):
            found.append(int(descriptor))
    return found


@contextmanager
def closed_in_the_end(folder: Path) -> Iterator[None]:
    """Check that nothing has files of a folder open when the block ends."""
    gc.collect()
    yield
    gc.collect()
    assert open_files(folder) == []


def disk_bytes(folder: Path) -> int:
    """Return what the files of a folder that this process has open take of the disk."""
    stats = [os.fstat(descriptor) for descriptor in open_files(folder)]
    return sum({stat.st_ino: stat.st_blocks * 512 for stat in stats}.values())


def written_pages(folder: Path) -> set[int]:
    """Return the numbers of the pages that were written to of the files of a folder that this process has open."""
    found: set[int] = set()
    for descriptor in open_files(folder):
        end = 0
        while True:
            try:
                start = os.lseek(descriptor, end, os.SEEK_DATA)
            except OSError:
                break  # there is no more
            end = os.lseek(descriptor, start, os.SEEK_HOLE)
            found.update(range(start // mmap.PAGESIZE, -(-end // mmap.PAGESIZE)))
    return found


def mapped_bytes(folder: Path) -> int:
    """Return how much of the files of a folder is in this process' memory."""
    found, counts = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, *values = line.split()
        if not name.endswith(":"):
            counts = f" {folder}/" in line
        elif counts and name == "Rss:":
            found += int(values[0]) << 10
    return found


def same(first: Array, second: Array) -> bool:
    """Tell whether two arrays are, bit by bit."""
    return (first.dtype, first.shape, first.tobytes()) == (
        second.dtype,
        second.shape,
        second.tobytes(),
    )


@contextmanager
def full_disk(monkeypatch: pytest.MonkeyPatch, granted: int = 0) -> Iterator[set[int]]:
    """Have a disk that is full after so many more pieces were given out; lends the pages that they are on."""
    give = os.posix_fallocate
    left, pages = [granted], set[int]()

    def refuse(descriptor: int, start: int, nbytes: int) -> None:
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left[0] -= 1
        give(descriptor, start, nbytes)
        pages.update(range(start // mmap.PAGESIZE, (start + nbytes - 1) // mmap.PAGESIZE + 1))

    with monkeypatch.context() as patched:
        patched.setattr(os, "posix_fallocate", refuse)
        yield pages


@dataclass(frozen=True)
class Said:
    """A passage, as far as a filter or a copy looks at it."""

    id: int
    kind: int = 3
    source_id: bytes = b""
    #: None for what is in no conversation.
    conversation_id: bytes | None = None
    agent: str = ""
    subject: str = ""
    channel: str = ""
    instance: str = ""
    author: str = ""
    role: int = 0
    automated: bool = False
    occurred_at: datetime = _EPOCH
    tags: tuple[str, ...] = ()


def passages_of(said: Sequence[Said]) -> Passages:
    """Return passages as they come from the database: each is of a memory of its own, and has no words."""
    count = len(said)
    tagged = [(place, tag) for place, each in enumerate(said) for tag in each.tags]
    conversations = [each.conversation_id or bytes(16) for each in said]
    return replace(
        NOTHING.found(),
        ids=np.array([each.id for each in said], np.int64),
        kinds=np.array([each.kind for each in said], np.int16),
        source_ids=np.array([each.source_id or _source_of(each.id) for each in said], "S16"),
        parts=np.zeros(count, np.int32),
        conversation_ids=np.array(conversations, "S16"),
        seqs=np.array([-1 if each.conversation_id is None else each.id for each in said], np.int64),
        agents=[each.agent for each in said],
        subjects=[each.subject for each in said],
        channels=[each.channel for each in said],
        instances=[each.instance for each in said],
        authors=[each.author for each in said],
        roles=np.array([each.role for each in said], np.int16),
        automated=np.array([each.automated for each in said], bool),
        moments=np.array([_moment(each.occurred_at) for each in said], float),
        lengths=np.ones(count, np.int32),
        records=unpack_records([None] * count),
        stands_for=np.ones(count, np.int32),
        repeats=np.zeros(count, bool),
        tag_places=np.array([place for place, _ in tagged], np.int64),
        tags=[tag for _, tag in tagged],
    )


def _source_of(id_: int) -> bytes:
    return id_.to_bytes(15, "big") + b"s"


def _moment(when: datetime) -> float:
    """Return what Postgres makes of a time: a numeric, and the nearest float8 to that."""
    since = when - _EPOCH
    microseconds = (since.days * 86_400 + since.seconds) * 10**6 + since.microseconds
    return float(Decimal(microseconds).scaleb(-6))
