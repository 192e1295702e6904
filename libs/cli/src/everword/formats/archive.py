"""The parts of an export: a file by itself, or those of a zip; and how far they have been read."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import ijson

from everword.transcripts import TranscriptError, as_object

#: What a part begins with tells what it is. So much of it is looked at.
_PEEK_EVENTS = 50_000
_PEEK_DEPTH = 3
#: What to do about a file that is damaged.
AGAIN = "get the export again and import that; what was read before stays, and is not stored twice"


@dataclass
class Meter:
    """How much there is to read, and how much of that was: bytes, rows or messages."""

    total: int = 0
    done: int = 0


@dataclass(frozen=True)
class Part:
    """A JSON file of an export. `place` names it in errors."""

    archive: Path
    #: Its name in a zip; empty for a file by itself.
    name: str
    size: int
    meter: Meter = field(default_factory=Meter)

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
                for value in ijson.items(_Counted(file, self.meter), prefix, use_float=True):
                    number += 1
                    where = f"{self.place}: {noun} {number}"
                    yield as_object(value, where), where
        except (ijson.JSONError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise self._damaged(f"after {noun} {number}", error) from None

    def value(self) -> dict[str, Any]:
        """Return the object that it holds, whole. Raises TranscriptError."""
        found = list(self.items("", "object"))
        if not found:
            raise TranscriptError(f"{self.place}: it is empty")
        return found[0][0]

    def shape(self) -> frozenset[str]:
        """Return the names of the fields at its beginning, such as `item.mapping`; of what is no JSON, none."""
        seen = set[str]()
        try:
            with self._open() as file:
                events = ijson.parse(file, multiple_values=True)
                for number, (prefix, event, _) in enumerate(events):
                    if prefix.count(".") < _PEEK_DEPTH:
                        seen.add(prefix)
                    ended = event == "end_map" and prefix in {"", "item"}
                    if ended or number == _PEEK_EVENTS:
                        break
        except (ijson.JSONError, zipfile.BadZipFile, zlib.error, EOFError, OSError):
            # Whoever reads it says what is wrong with it.
            pass
        return frozenset(seen)

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        if not self.name:
            with self.archive.open("rb") as file:
                yield file
            return
        with zipfile.ZipFile(self.archive) as whole, whole.open(self.name) as member:
            yield cast(BinaryIO, member)

    def _damaged(self, where: str, error: Exception) -> TranscriptError:
        said = str(error).replace("b'", "").strip().splitlines()
        problem = said[0].rstrip(".") if said else type(error).__name__
        return TranscriptError(f"{self.place}: it is damaged {where} ({problem}); {AGAIN}")


class _Counted:
    """A file that counts what is read from it."""

    def __init__(self, file: BinaryIO, meter: Meter) -> None:
        self._file = file
        self._meter = meter

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._meter.done += len(data)
        return data


def json_parts(path: Path) -> list[Part]:
    """Return the JSON files of a zip by name, or the file itself. Raises TranscriptError."""
    meter = Meter()
    if not zipfile.is_zipfile(path):
        if path.suffix == ".zip":
            raise TranscriptError(f"{path}: it is no zip file, or its end is missing; {AGAIN}")
        return [Part(path, "", path.stat().st_size, meter)]
    try:
        with zipfile.ZipFile(path) as whole:
            members = [each for each in whole.infolist() if each.filename.endswith(".json")]
    except zipfile.BadZipFile as error:
        raise TranscriptError(f"{path}: {error}; {AGAIN}") from None
    members.sort(key=lambda member: member.filename)
    return [Part(path, each.filename, each.file_size, meter) for each in members]
