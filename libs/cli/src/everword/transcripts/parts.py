"""The parts of an export: a single file, or the files of a zip."""

from __future__ import annotations

import codecs
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import ijson

from everword.transcripts.errors import RecordError, TranscriptError
from everword.transcripts.fields import as_object
from everword.transcripts.meter import Meter

#: Maximum records and parser events at the beginning of a part from which its format is detected.
_PEEK_ITEMS = 100
_PEEK_EVENTS = 50_000
_PEEK_DEPTH = 3
_BOM = b"\xef\xbb\xbf"
#: The shape of a part that holds `[]` or `{}`, and of one that ends there.
EMPTY = frozenset({""})
#: Maximum depth of JSON; every level makes reading slower.
_MOST_NESTED = 500
#: Bytes of one object, which takes some times as much memory.
_MOST_BYTES = 256 * 1024 * 1024
_MIB = 1024 * 1024
#: Replaces bytes that are not UTF-8 by a character that no text contains, so that only their record is skipped.
MARK_ERRORS = "everword-mark"
_MARK = "\ufdd0"
NOT_UTF8 = "it is not UTF-8"
_OPENING, _CLOSING = b"[{", b"]}"
#: All bytes except brackets.
_PLAIN = bytes(set(range(256)) - set(_OPENING + _CLOSING))
#: The parser crashes over one of more digits than Python makes a number of.
_LONG_NUMBER = re.compile(rb"\d{1000}")
#: Advice for users with a damaged file.
AGAIN = "get the export again and import that; records read before stay, and are not stored twice"
#: A zip file raises RuntimeError for members that are encrypted, or compressed by an unknown method.
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


def _replace_invalid_bytes(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return _MARK, error.end


codecs.register_error(MARK_ERRORS, _replace_invalid_bytes)


def has_replaced_bytes(value: object) -> bool:
    """Return whether some text in a value was not UTF-8."""
    if isinstance(value, dict):
        return any(
            has_replaced_bytes(key) or has_replaced_bytes(each) for key, each in value.items()
        )
    if isinstance(value, list | tuple):
        return any(map(has_replaced_bytes, value))
    return isinstance(value, str) and _MARK in value


def without_marks(text: str) -> str:
    """Return a text with U+FFFD in place of the bytes that were not UTF-8."""
    return text.replace(_MARK, "\N{REPLACEMENT CHARACTER}")


@dataclass(frozen=True)
class Part:
    """A JSON file of an export. `place` names it in errors."""

    archive: Path
    #: Name inside a zip; empty for a single file.
    name: str
    size: int
    meter: Meter
    whole: zipfile.ZipFile | None = None

    @property
    def place(self) -> str:
        return f"{self.archive}/{self.name}" if self.name else str(self.archive)

    def items(self, prefix: str, noun: str) -> Iterator[tuple[dict[str, Any], str]]:
        """Yield each object of the list at `prefix` and its place, as `numbered` does."""
        for _, record, place in self.numbered(prefix, noun):
            yield record, place

    def all_numbered(
        self, prefix: str, noun: str
    ) -> tuple[list[tuple[int, dict[str, Any], str]], TranscriptError | None]:
        """Return all items of `numbered` as a list, and the error that ended it."""
        found = list[tuple[int, dict[str, Any], str]]()
        try:
            found.extend(self.numbered(prefix, noun))
        except RecordError:
            raise
        except TranscriptError as error:
            return found, error
        return found, None

    def numbered(self, prefix: str, noun: str) -> Iterator[tuple[int, dict[str, Any], str]]:
        """Yield each object of the list at `prefix`, such as `item` or `results.item`: its number, itself, its place.

        One is in memory at a time. Skips values that are not objects or not UTF-8. Raises TranscriptError if the file
        is damaged, which names the last object that could be read.
        """
        number = 0
        try:
            with self._open() as file:
                source = _MeteredFile(file, self.meter)
                for value in ijson.items(source, prefix, use_float=True):
                    number += 1
                    source.room = _MOST_BYTES
                    where = f"{self.place}: {noun} {number}" if prefix else self.place
                    self.meter.at = where
                    try:
                        record = as_object(value, where)
                        if source.is_marked and has_replaced_bytes(record):
                            raise RecordError(where, NOT_UTF8)
                    except RecordError as error:
                        self.meter.skip_record(error)
                    else:
                        yield number, record, where
        except _FAULTS as error:
            raise self._damaged(f"after {noun} {number}" if number else "", error) from None

    def value(self) -> dict[str, Any]:
        """Return the whole part as one JSON object. Raises RecordError, and TranscriptError if the file is damaged."""
        found = list(self.items("", "object"))
        if not found:
            raise RecordError(self.place, "it contains no JSON object")
        return found[0][0]

    def first(self, prefix: str) -> object:
        """Return the first value at `prefix`; None if there is none.

        Raises: TranscriptError if the file is damaged.
        """
        try:
            with self._open() as file:
                source = _MeteredFile(file, Meter())
                return next(iter(ijson.items(source, prefix, use_float=True)), None)
        except _FAULTS as error:
            raise self._damaged("", error) from None

    def shapes(self) -> tuple[list[frozenset[str]], TranscriptError | None]:
        """Return the names of the fields, such as `item.mapping`, of each record at its beginning.

        A malformed first record does not hide the format of the others. If the file is damaged there, the names before
        that place are returned with the error; there are none if it is not JSON at all.
        """
        damage: TranscriptError | None = None
        shapes = list[frozenset[str]]()
        seen = set[str]()
        try:
            with self._open() as file:
                events = ijson.parse(_MeteredFile(file, Meter()), multiple_values=True)
                for number, (prefix, event, _) in enumerate(events):
                    if prefix.count(".") < _PEEK_DEPTH:
                        seen.add(prefix)
                    if prefix == "item" and event not in {"start_map", "start_array", "map_key"}:
                        shapes.append(frozenset(seen))
                        seen = set()
                    ended = event == "end_map" and not prefix
                    if ended or len(shapes) == _PEEK_ITEMS or number == _PEEK_EVENTS:
                        break
        except _FAULTS as error:
            damage = self._damaged("", error)
        return [*shapes, frozenset(seen)] if seen else shapes, damage

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
        at = f" {where}" if where else ""
        return TranscriptError(f"{self.place}: it is damaged{at} ({problem}); {AGAIN}")


class _MeteredFile:
    """A file that counts the bytes read from it, and fails if its JSON is too deep or one object is too large."""

    def __init__(self, file: BinaryIO, meter: Meter) -> None:
        self._file = file
        self._meter = meter
        #: Bytes that may come before the next object.
        self.room = _MOST_BYTES
        #: True if bytes that are not UTF-8 were replaced; the parser would stop at them.
        self.is_marked = False
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors=MARK_ERRORS)
        self._depth = 0
        self._in_text = False
        self._left = b""

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._meter.done += len(data)
        self.room -= len(data)
        if self.room < 0:
            raise ijson.JSONError(f"an object has more than {_MOST_BYTES // _MIB} MiB")
        if size:
            text = self._decoder.decode(data, final=not data)
            data = text.encode()
            self.is_marked = self.is_marked or _MARK in text
        self._track_depth(data)
        return data

    def _track_depth(self, data: bytes) -> None:
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
            raise TranscriptError(f"{path}: it is not a zip file, or its end is missing; {AGAIN}")
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
    # macOS adds a `._` file with the same extension to a zip for each file; these are not JSON.
    return name.endswith(".json") and not name.rpartition("/")[2].startswith("._")
