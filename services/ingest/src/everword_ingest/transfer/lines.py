"""The form of the file: JSON lines. The first names the format, the last has the number and checksum of the others.

{"export":{"format":1}}
{"namespace":{"time_zone":"UTC",…}}
{"message":{"id":"…",…}}
{"end":{"records":2,"sha256":"…"}}
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from hashlib import sha256

from everword.domain.errors import InvalidArgument, RequestTooLarge

FORMAT = 1
HEADER = f'{{"export":{{"format":{FORMAT}}}}}'.encode()
NAMESPACE = "namespace"
#: Limit of a line: the text of a document of 10 MiB is several times as long when escaped.
MAX_LINE_BYTES = 64 << 20
#: How times are written, and days.
TIME = r"^\d{4}-\d\d-\d\d(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?\+00:00)?$"
_HEADER = re.compile(rb'\{"export":\{"format":(\d{1,9})\}\}')
_RECORD = re.compile(rb'\{"([a-z_]{1,40})":(\{.*\})\}', re.DOTALL)
_END = b'{"end":'


class LineDigest:
    """The number of lines so far, and their SHA-256, ends of lines included."""

    def __init__(self) -> None:
        self.lines = 0
        self._hash = sha256()

    def add(self, line: bytes) -> bytes:
        """Count a line, and return it with its end."""
        ended = line + b"\n"
        self._hash.update(ended)
        self.lines += 1
        return ended

    @property
    def digest(self) -> bytes:
        return self._hash.digest()

    @property
    def records(self) -> int:
        """The number of lines after the first."""
        return max(0, self.lines - 1)

    def end_line(self) -> bytes:
        """Return the line that comes after these."""
        return f'{{"end":{{"records":{self.records},"sha256":"{self.digest.hex()}"}}}}'.encode()


async def read_lines(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield complete lines of bytes that arrive in parts, without line ends.

    Raises RequestTooLarge.
    """
    rest = bytearray()
    async for part in parts:
        start = 0
        while (end := part.find(b"\n", start)) >= 0:
            rest += part[start:end]
            yield bytes(rest)
            rest.clear()
            start = end + 1
        rest += part[start:]
        if len(rest) > MAX_LINE_BYTES:
            raise RequestTooLarge(limit_bytes=MAX_LINE_BYTES)


def check_header(line: bytes) -> None:
    """Raise InvalidArgument for a first line that is not of this format."""
    found = _HEADER.fullmatch(line)
    if not found:
        raise InvalidArgument(
            "The file is not an export of a namespace: its first line is not the header of one."
        )
    if int(found[1]) != FORMAT:
        raise InvalidArgument(
            f"The file is of format {int(found[1])}; this version of Everword reads format {FORMAT}."
        )


def is_end(line: bytes) -> bool:
    return line.startswith(_END)


def check_end(line: bytes, digest: LineDigest) -> None:
    """Raise InvalidArgument if the last line does not match the lines before it."""
    if line == digest.end_line():
        return
    try:
        records = int(json.loads(line)["end"]["records"])
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        raise InvalidArgument("The last line of the file is damaged.") from None
    if records != digest.records:
        text = f"The file has {digest.records} records, and had {records}: some are lost."
        raise InvalidArgument(text)
    raise InvalidArgument("The file was changed: its checksum is wrong.")


def read_record(line: bytes, number: int) -> tuple[str, bytes]:
    """Return the kind of a record, and its fields as JSON. Raises InvalidArgument."""
    found = _RECORD.fullmatch(line)
    if not found:
        raise InvalidArgument(
            f'Line {number} of the file is not a record, such as `{{"message":{{…}}}}`.'
        )
    return found[1].decode(), found[2]
