"""Damaged exports of other chats and memory systems."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgpack

from support import exports


def written(path: Path, content: bytes | object) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def _nested(path: Path) -> Path:
    """Put an object nested 2,000 levels deep into a checkpoint."""
    packed = b""
    for _ in range(2000):
        packed = msgpack.packb(msgpack.ExtType(0, packed))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE checkpoints SET checkpoint = ?", [packed])
    return path


def damaged_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield unreadable files, each with a part of the expected error message."""
    export = exports.chatgpt(folder).read_bytes()
    chat = exports.chats_in(folder / "chatgpt.zip")[0]
    two = json.dumps([chat, {**chat, "id": "c-2"}]).encode()
    node = {"id": "n", "message": {"author": "me", "content": {"parts": ["x"]}}, "parent": None}
    odd = [chat, {"id": "c-9", "title": "T", "mapping": {"n": node}, "current_node": "n"}]
    spoilt = export[:200] + bytes([export[200] ^ 255]) + export[201:]
    pages = exports.ryvos(folder).read_bytes()
    pages = pages[:4096] + bytes(4096) + pages[8192:]
    other = exports.zipped(folder / "whole.zip", settings={"a": 1}).read_bytes()
    nothing = exports.zipped(folder / "nothing.zip", conversations=[]).read_bytes()
    nested = _nested(exports.langgraph(folder)).read_bytes()
    contents = {
        "cut.json": (two[:-9], "cut.json: it is damaged after conversation 1 (parse error"),
        "latin.json": (two.replace(b"Seven", b"S\xe9ven"), "latin.json: conversation 1: it is not UTF-8"),
        "cut.zip": (export[:-30], "cut.zip: it is not a zip file, or its end is missing"),
        "spoilt.zip": (spoilt, "spoilt.zip/conversations.json: it is damaged"),
        "other.zip": (other, "other.zip: nothing in it is known"),
        "odd.json": (odd, "odd.json: conversation 2 (T), message n: author must be a JSON object, not text"),
        "late.json": ([{**chat, "create_time": "soon"}], "late.json: conversation 1 (Sums): 'soon' is not a time"),
        "deep.json": (b"[" * 200_000, "deep.json: it is damaged (it is nested more than 500 levels deep)"),
        "digits.json": ([{**chat, "create_time": "9" * 320}], "is not a time"),
        "number.json": (b'[{"mapping":%s' % (b"9" * 5000), "number.json: it is damaged"),
        "empty.json": ([], "empty.json: it is empty"),
        "empty.zip": (nothing, "empty.zip/conversations.json: it is empty"),
        "nested.sqlite": (nested, "checkpoint 1f0-0: it is damaged (objects are nested more than 50 deep)"),
        "pages.db": (pages, "pages.db: it is damaged (database disk image is malformed)"),
    }  # fmt: skip
    for name, (content, told) in contents.items():
        yield written(folder / name, content), told
    yield folder, "it is a folder"
    yield folder / "none.zip", "there is no such file"


def spoilt(chance: random.Random, data: bytes) -> bytes:
    """Return data with random bytes changed, removed, duplicated, or all random."""
    kind = chance.randrange(5)
    start, end = sorted(chance.randrange(len(data)) for _ in range(2))
    if kind == 0:
        return data[:start]
    if kind == 1:
        return data[:start] + data[end:]
    if kind == 2:
        return data[:end] + data[start:]
    if kind == 3:
        return chance.randbytes(end)
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 20)):
        changed[chance.randrange(len(data))] = chance.choice(b'\0"[]{}:,0\xff' + data[:20])
    return bytes(changed)
