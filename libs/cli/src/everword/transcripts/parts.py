"""The parts of an export: a file by itself, or those of a zip; and how far they have been read."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import ijson

from everword.transcripts.errors import TranscriptError
from everword.transcripts.fields import as_object

#: What a part begins with tells what it is. So much of it is looked at.
_PEEK_EVENTS = 50_000
_PEEK_DEPTH = 3
_BOM = b"\xef\xbb\xbf"
#: The shape of a part that holds `[]` or `{}`, and of one that ends there.
EMPTY = frozenset({""})
#: Each level of what is read makes all within it slower.
_MOST_NESTED = 500
#: Bytes of one object, which takes some times as much memory.
_MOST_BYTES = 256 * 1024 * 1024
_MIB = 1024 * 1024
_OPENING, _CLOSING = b"[{", b"]}"
#: What is no bracket.
_PLAIN = bytes(set(range(256)) - set(_OPENING + _CLOSING))
#: The parser crashes over one of more digits than Python makes a number of.
_LONG_NUMBER = re.compile(rb"\d{1000}")
#: What to do about a file that is damaged.
AGAIN = "get the export again and import that; what was read before stays, and is not stored twice"
#: A zip raises RuntimeError for what is encrypted, or compressed in a way that is not known.
_FAULTS = (
    ijson.JSONError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    # A number of thousands of digits.
    ValueError,
)


@dataclass
class Meter:
    """How much there is to read, how much of that was, and what was left out."""

    #: Bytes, rows or checkpoints.
    total: int = 0
    done: int = 0
    #: Where reading is, for errors.
    at: str = ""
    #: How many messages and such were left out, by why.
    skipped: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Part:
    """A JSON file of an export. `place` names it in errors."""

    archive: Path
    #: Its name in a zip; empty for a file by itself.
    name: str
    size: int
    meter: Meter
    whole: zipfile.ZipFile | None = None

    @property
    def place(self) -> str:
        return f"{self.archive}/{self.name}" if self.name else str(self.archive)

    def items(self, prefix: str, noun: str) -> Iterator[tuple[dict[str, Any], str]]:
        """Yield each object of the list at `prefix`, such as `item` or `results.item`, and its place.

        One is in memory at a time. Raises TranscriptError, which names the last one that could be read.
        """
        number = 0
        try:
            with self._open() as file:
                source = _Counted(file, self.meter)
                for value in ijson.items(source, prefix, use_float=True):
                    number += 1
                    source.room = _MOST_BYTES
                    where = f"{self.place}: {noun} {number}" if prefix else self.place
                    self.meter.at = where
                    yield as_object(value, where), where
        except _FAULTS as error:
            raise self._damaged(f"after {noun} {number}" if number else "", error) from None

    def value(self) -> dict[str, Any]:
        """Return the object that it holds, whole. Raises TranscriptError."""
        found = list(self.items("", "object"))
        if not found:
            raise TranscriptError(f"{self.place}: it is empty")
        return found[0][0]

    def first(self, prefix: str) -> object:
        """Return the first value at `prefix`, None where there is none. Raises TranscriptError."""
        try:
            with self._open() as file:
                source = _Counted(file, Meter())
                return next(iter(ijson.items(source, prefix, use_float=True)), None)
        except _FAULTS as error:
            raise self._damaged("", error) from None

    def shape(self) -> frozenset[str]:
        """Return the names of the fields at its beginning, such as `item.mapping`.

        Of what is no JSON, these are none: whoever reads it says what is wrong with it. Raises TranscriptError for a
        part of a zip, which nobody may read then.
        """
        seen = set[str]()
        try:
            with self._open() as file:
                events = ijson.parse(_Counted(file, Meter()), multiple_values=True)
                for number, (prefix, event, _) in enumerate(events):
                    if prefix.count(".") < _PEEK_DEPTH:
                        seen.add(prefix)
                    ended = event == "end_map" and prefix in {"", "item"}
                    if ended or number == _PEEK_EVENTS:
                        break
        except _FAULTS as error:
            if self.name:
                raise self._damaged("", error) from None
        return frozenset(seen)

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        opened = self.whole.open(self.name) if self.whole else self.archive.open("rb")
        with opened as file:
            if file.read(len(_BOM)) != _BOM:
                file.seek(0)
            yield cast(BinaryIO, file)

    def _damaged(self, where: str, error: Exception) -> TranscriptError:
        said = str(error).replace("b'", "").replace("\\n", "\n").strip().splitlines()
        problem = said[0].rstrip(".") if said else type(error).__name__
        if "invalid bytes in UTF8" in problem:
            problem = "it is not UTF-8"
        at = f" {where}" if where else ""
        return TranscriptError(f"{self.place}: it is damaged{at} ({problem}); {AGAIN}")


class _Counted:
    """A file that counts what is read from it, and ends where its JSON is too deep or one object too large."""

    def __init__(self, file: BinaryIO, meter: Meter) -> None:
        self._file = file
        self._meter = meter
        #: Bytes that may come before the next object.
        self.room = _MOST_BYTES
        self._depth = 0
        self._in_text = False
        self._left = b""

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._meter.done += len(data)
        self.room -= len(data)
        if self.room < 0:
            raise ijson.JSONError(f"an object has more than {_MOST_BYTES // _MIB} MiB")
        self._look_into(data)
        return data

    def _look_into(self, data: bytes) -> None:
        """Follow how deep the JSON is. Raises ijson.JSONError."""
        plain = (self._left + data).replace(b"\\\\", b"")
        self._left = b"\\" if plain.endswith(b"\\") else b""
        pieces = plain.replace(b'\\"', b"").split(b'"')
        outside = b"".join(pieces[self._in_text :: 2])
        self._in_text ^= len(pieces) % 2 == 0
        if _LONG_NUMBER.search(outside):
            raise ijson.JSONError("a number in it has more than 1,000 digits")
        for bracket in outside.translate(None, _PLAIN):
            self._depth += 1 if bracket in _OPENING else -1
            if self._depth > _MOST_NESTED:
                raise ijson.JSONError(f"it is nested more than {_MOST_NESTED} levels deep")


@contextmanager
def json_parts(path: Path, meter: Meter) -> Iterator[list[Part]]:
    """Lend the JSON files of a zip by name, or the file itself. Raises TranscriptError."""
    if not zipfile.is_zipfile(path):
        if path.suffix == ".zip":
            raise TranscriptError(f"{path}: it is no zip file, or its end is missing; {AGAIN}")
        yield [Part(path, "", path.stat().st_size, meter)]
        return
    try:
        whole = zipfile.ZipFile(path)
    except _FAULTS as error:
        raise TranscriptError(f"{path}: {error}; {AGAIN}") from None
    # Opened once for all parts: each opening reads the list of parts.
    with whole:
        members = [each for each in whole.infolist() if _is_json(each.filename)]
        members.sort(key=lambda member: member.filename)
        yield [Part(path, each.filename, each.file_size, meter, whole) for each in members]


def _is_json(name: str) -> bool:
    # What macOS puts beside each file of a zip has its name, and is no JSON.
    return name.endswith(".json") and not name.rpartition("/")[2].startswith("._")
