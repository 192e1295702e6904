"""Searches for erased text outside the database: in the queue and in files that processes write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import redis

#: PostgreSQL's data folder, without its log; docs/erasure.md describes what stays there.
_DATABASE = "postgres"


@contextmanager
def queue_on_disk(url: str) -> Iterator[None]:
    """Let Valkey write its data to a file while the block lasts, as `everword up` does."""
    with redis.Redis.from_url(url) as connection:
        connection.config_set("appendonly", "yes")
        try:
            yield
        finally:
            connection.config_set("appendonly", "no")


def entries_with(url: str, token: str) -> list[str]:
    """Return the keys of Valkey that contain a token in their name or value."""
    with redis.Redis.from_url(url) as connection:
        return [
            key.decode(errors="replace")
            for key in connection.scan_iter(count=1000)
            if token.encode() in key or token in str(_value(connection, key))
        ]


def _value(connection: redis.Redis, key: bytes) -> Any:
    read: Any = {
        b"string": connection.get,
        b"list": lambda key: connection.lrange(key, 0, -1),
        b"set": connection.smembers,
        b"zset": lambda key: connection.zrange(key, 0, -1),
        b"hash": connection.hgetall,
        b"stream": connection.xrange,
        # The key has been deleted meanwhile.
        b"none": lambda key: None,
    }
    return read[connection.type(key)](key)


def files_with(folder: Path, token: str) -> list[str]:
    """Return the files below a stack's folder that contain a token, except the database's files."""
    found = []
    for path in folder.rglob("*"):
        own = path.relative_to(folder)
        with suppress(FileNotFoundError):
            if (
                path.is_file()
                and own.parts[0] != _DATABASE
                and token.encode() in path.read_bytes().lower()
            ):
                found.append(str(own))
    return found


def files_outside_folder(folder: Path) -> set[str]:
    """Return files outside a stack's folder that its processes have open for writing.

    Asserts that each process also writes a file inside, its log.
    """
    written = []
    for process in psutil.Process().children(recursive=True):
        # PostgreSQL's processes start and end at any time.
        with suppress(psutil.NoSuchProcess):
            files = process.open_files()
            written.append({Path(opened.path) for opened in files if opened.mode != "r"})
    return {
        str(path)
        for paths in written
        if any(path.is_relative_to(folder) for path in paths)
        for path in paths
        if not path.is_relative_to(folder)
    }
