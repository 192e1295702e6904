"""Detection of a file's format by its contents, and reading of its records."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import psycopg
from psycopg.conninfo import conninfo_to_dict

from everword.formats import (
    chatgpt,
    claude,
    gemini,
    hindsight,
    langgraph,
    letta,
    mem0,
    rivetos,
    ryvos,
)
from everword.formats.records import Record, with_own_names
from everword.transcripts import (
    AGAIN,
    EMPTY,
    MARK_ERRORS,
    Meter,
    Part,
    RecordError,
    TranscriptError,
    json_parts,
    read_transcript,
)

_ReadPart = Callable[[Part], Iterator[Record]]
_ReadTables = Callable[[sqlite3.Connection, str, Meter], Iterator[Record]]

#: Everword's own files and chats of OpenAI's API, which `everword.transcripts` reads.
_OWN = "everword"
_DATABASE = "rivetos"
_JSON = {
    "chatgpt": chatgpt.reader,
    "claude": claude.reader,
    "gemini": gemini.reader,
    "mem0": mem0.reader,
    "letta": letta.reader,
    "hindsight": hindsight.reader,
}
_SQLITE = {"langgraph": langgraph.reader, "ryvos": ryvos.reader}
FORMATS = (_OWN, *_JSON, *_SQLITE, _DATABASE)
#: Prefixes of a database's address.
ADDRESSES = ("postgresql://", "postgres://")
_PORTS = re.compile(r"[\d,]*")
_SQLITE_BEGINS = b"SQLite format 3\0"


@dataclass(frozen=True)
class SourceReader:
    """The records of a file or a database, with the progress of reading."""

    #: The file's path, or the database's address without a password.
    source: str
    #: One of FORMATS.
    format: str
    records: Iterator[Record]
    meter: Meter


def open_reading(source: str, format: str = "", *, strict: bool = False) -> SourceReader:
    """Return what to read from a file, or from the database at a `postgresql://` address.

    `format` is one of FORMATS; by default, the format is detected. Malformed records are skipped and counted in the
    meter; if `strict`, the first one raises RecordError. Raises TranscriptError if the source cannot be read at all;
    iterating over the records raises it if the rest of a file cannot be read.
    """
    meter = Meter(strict=strict)
    if source.startswith(ADDRESSES):
        return _read_database(source, format, meter)
    path = Path(source)
    if not path.is_file():
        what = "it is a folder; name the files in it" if path.is_dir() else "there is no such file"
        raise TranscriptError(f"{source}: {what}")
    with path.open("rb") as file:
        is_sqlite = file.read(len(_SQLITE_BEGINS)) == _SQLITE_BEGINS
    if is_sqlite:
        return _read_sqlite(path, format, meter)
    shapes, sizes, damaged = _shapes(path, meter)
    for name, reader in _JSON.items():
        if format not in {"", name}:
            continue
        found = {
            each: cast(_ReadPart, read)
            for each, of_part in shapes.items()
            if (read := next(filter(None, map(reader, of_part)), None))
        }
        if found:
            meter.total = sum(sizes[each] for each in found)
            meter.skipped["other files"] += len(shapes.keys() - found.keys() - damaged.keys())
            records = _read_parts(path, meter, found, damaged)
            return SourceReader(source, name, _checked(records, name, meter), meter)
    if damaged:
        raise next(iter(damaged.values()))
    if format in {"", _OWN} and "" in shapes:
        records = read_transcript(path, meter)
        return SourceReader(source, _OWN, _checked(records, _OWN, meter), meter)
    for name, of_part in shapes.items():
        if name and of_part == [EMPTY]:
            raise TranscriptError(f"{source}/{name}: it is empty, and nothing else is known")
    raise _unknown(source, format)


def _shapes(
    path: Path, meter: Meter
) -> tuple[dict[str, list[frozenset[str]]], dict[str, int], dict[str, TranscriptError]]:
    """Return the shapes and sizes of the parts of a file, and the errors of damaged parts of a zip.

    A damaged file that is not in a zip is left to its reader, which reports the place.
    """
    shapes, sizes = dict[str, list[frozenset[str]]](), dict[str, int]()
    damaged = dict[str, TranscriptError]()
    with json_parts(path, meter) as parts:
        for part in parts:
            shapes[part.name], damage = part.shapes()
            sizes[part.name] = part.size
            if damage and part.name:
                damaged[part.name] = damage
    return shapes, sizes, damaged


def _read_database(address: str, format: str, meter: Meter) -> SourceReader:
    if format not in {"", _DATABASE}:
        raise _unknown(shown(address), format)
    records = rivetos.read(address, shown(address), meter)
    return SourceReader(shown(address), _DATABASE, _checked(records, _DATABASE, meter), meter)


def _read_sqlite(path: Path, format: str, meter: Meter) -> SourceReader:
    try:
        with closing(_open(path)) as connection:
            tables = _tables(connection)
    except sqlite3.Error as error:
        raise _damaged(path, error) from None
    for name, reader in _SQLITE.items():
        if format in {"", name} and (read := reader(tables)):
            records = _read_tables(path, cast(_ReadTables, read), meter)
            return SourceReader(str(path), name, _checked(records, name, meter), meter)
    raise _unknown(str(path), format)


def _read_tables(path: Path, read: _ReadTables, meter: Meter) -> Iterator[Record]:
    try:
        with closing(_open(path)) as connection:
            yield from read(connection, str(path), meter)
    except sqlite3.Error as error:
        raise _damaged(meter.at or path, error) from None


def _read_parts(
    path: Path,
    meter: Meter,
    found: dict[str, _ReadPart],
    damaged: dict[str, TranscriptError],
) -> Iterator[Record]:
    """Yield the records of all parts; the error of a damaged one is raised after the others have been read.

    `damaged` has the errors of parts that are damaged at their beginning, some of which no reader knows.
    """
    damage: TranscriptError | None = None
    with json_parts(path, meter) as parts:
        for part in parts:
            read = found.get(part.name)
            try:
                if read:
                    yield from read(part)
                elif part.name in damaged:
                    raise damaged[part.name]
            except RecordError:
                raise
            except TranscriptError as error:
                damage = damage or error
                if meter.strict:
                    break
    if damage:
        raise damage


def _checked(records: Iterator[Record], name: str, meter: Meter) -> Iterator[Record]:
    """Yield records; a Python error outside of a record becomes a TranscriptError with the place in the file."""
    try:
        yield from with_own_names(records)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        what = f"it is nothing that {name} writes there ({type(error).__name__}: {error})"
        raise TranscriptError(f"{meter.at}: {what}") from error


def _open(path: Path) -> sqlite3.Connection:
    # Opened read-only, because another program may use the database, or the disk may be read-only.
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    connection.text_factory = lambda data: data.decode(errors=MARK_ERRORS)
    return connection


def _tables(connection: sqlite3.Connection) -> dict[str, set[str]]:
    rows = connection.execute(
        "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'"
    )
    tables = dict[str, set[str]]()
    for table, column in rows:
        tables.setdefault(table, set()).add(column)
    return tables


def shown(address: str) -> str:
    """Return a database address without user, password and options.

    Raises TranscriptError if it is not a database address.
    """
    scheme = address.partition(":")[0]
    try:
        given = conninfo_to_dict(address)
    except psycopg.Error:
        given = {}
    host, port, name = (str(given.get(each) or "") for each in ("host", "port", "dbname"))
    # A password with an unescaped `/` or `@` ends too early; its rest then appears in the host, port or name.
    if not given or "@" in host + name or not _PORTS.fullmatch(port):
        text = "it is not an address of a database; in a password `#`, `/`, `?`, `@` are `%23`, `%2F`, `%3F`, `%40`"
        raise TranscriptError(f"{scheme}://…: {text}")
    return f"{scheme}://{host}{port and f':{port}'}/{name}"


def _damaged(place: Path | str, error: Exception) -> TranscriptError:
    return TranscriptError(f"{place}: it is damaged ({error}); {AGAIN}")


def _unknown(source: str, format: str) -> TranscriptError:
    what = f"it is nothing that {format} writes" if format else "nothing in it is known"
    return TranscriptError(f"{source}: {what}; see docs/importing.md for what can be imported")
