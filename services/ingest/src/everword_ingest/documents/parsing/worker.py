"""The parser's process: reads one file from its input, writes its text to its output, and ends.

Nothing it holds is worth having: it has no database, no keys, no environment, and may write to no file.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from everword_ingest.documents.parsing import media_type as types
from everword_ingest.documents.parsing.decoder import recode
from everword_ingest.documents.parsing.model import (
    DocumentUnreadable,
    ParsedDocument,
    ParseLimits,
    Unreadable,
)
from everword_ingest.documents.parsing.wire import OUT_OF_MEMORY_CODE, pack, pack_failure

_MAX_OPEN_FILES = 64
#: Kept back until something fails, so that there is memory to say so.
_RESERVE_BYTES = 16 * 1024 * 1024
#: The function of each format, by module: only that of the file's own is loaded.
_READERS = {
    types.PLAIN: ("plain", "read_plain"),
    types.MARKDOWN: ("markdown", "read_markdown"),
    types.HTML: ("html", "read_html"),
    types.CSV: ("csv_rows", "read_csv"),
    types.PDF: ("pdf", "read_pdf"),
    types.DOCX: ("docx", "read_docx"),
    types.XLSX: ("xlsx", "read_xlsx"),
    types.PPTX: ("pptx", "read_pptx"),
}


def main() -> None:
    try:
        answer_request()
    except MemoryError:
        # An orderly end takes memory too.
        os._exit(OUT_OF_MEMORY_CODE)


def answer_request() -> None:
    """Read the request and its file from standard input, and write the answer. Raises MemoryError."""
    request = json.loads(sys.stdin.buffer.readline())
    limits = ParseLimits(**request["limits"])
    free_reserve = confine(limits)
    # openpyxl would import numpy to recognise its numbers, with a thread and its memory for each core.
    sys.modules["numpy"] = None  # type: ignore[assignment]
    sys.stdout.buffer.write(_answer(request, limits, free_reserve))


# CPython 3.11 loops forever when memory runs out in an except block past the first 256 instructions of a function, so
# this one is short, and each block frees memory first.
def _answer(
    request: Mapping[str, Any], limits: ParseLimits, free_reserve: Callable[[], None]
) -> bytes:
    try:
        return pack(_parse(request, limits))
    except DocumentUnreadable as failure:
        free_reserve()
        return pack_failure(_blamed(failure))
    except Exception:
        free_reserve()
        if not _used_up():
            raise
        return pack_failure(out_of_memory())


def _parse(request: Mapping[str, Any], limits: ParseLimits) -> ParsedDocument:
    data = sys.stdin.buffer.read()
    if request.get("is_text"):
        return read_text(data, limits)
    return read_document(data, request["file_name"], request["media_type"], limits)


def confine(limits: ParseLimits) -> Callable[[], None]:
    """Let the system end this process when it uses more than it may.

    Returns a function that frees the reserve, for which it needs no memory itself.
    """
    spared = max(limits.memory_bytes - _RESERVE_BYTES, 0)
    resource.setrlimit(resource.RLIMIT_AS, (spared, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MAX_OPEN_FILES, _MAX_OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    # Whoever started it may have been killed and watch no clock any more.
    signal.setitimer(signal.ITIMER_REAL, limits.wall_s + 1)
    whole = (limits.memory_bytes, limits.memory_bytes)
    return partial(resource.setrlimit, resource.RLIMIT_AS, whole)


def read_document(
    data: bytes, file_name: str, media_type: str | None, limits: ParseLimits
) -> ParsedDocument:
    """Return a file as text. Raises DocumentUnreadable for every error of the format's library."""
    if len(data) > limits.max_file_bytes:
        raise too_large(limits)
    found = types.find_media_type(data, file_name, media_type)
    charset = types.find_charset(media_type) if found in types.TEXTS else ""
    return _read(found, recode(data, charset) if charset else data, limits)


def read_text(data: bytes, limits: ParseLimits) -> ParsedDocument:
    """Return a text in UTF-8 as a document in Markdown. Raises DocumentUnreadable."""
    return _read(types.MARKDOWN, data, limits)


def _read(media_type: str, data: bytes, limits: ParseLimits) -> ParsedDocument:
    """Parse a file with the reader of its format. All errors of its library become DocumentUnreadable."""
    try:
        return _reader(media_type)(data, limits)
    except DocumentUnreadable:
        raise
    except MemoryError:
        raise out_of_memory() from None
    except RecursionError:
        raise _too_deep() from None
    # Each library has errors of its own, and damaged files make it raise others.
    except Exception as error:
        raise _malformed(error, media_type) from error


def _reader(media_type: str) -> Callable[[bytes, ParseLimits], ParsedDocument]:
    module, function = _READERS[media_type]
    loaded = import_module(f"everword_ingest.documents.parsing.formats.{module}")
    reader: Callable[[bytes, ParseLimits], ParsedDocument] = getattr(loaded, function)
    return reader


def _malformed(error: Exception, media_type: str) -> DocumentUnreadable:
    # Messages of libxml2 about elements and texts over its limits.
    said = str(error).lower()
    if "excessive depth" in said or "nesting" in said:
        return _too_deep()
    # A library that does not fit into memory cannot even be loaded.
    if "memory" in said or "failed to map" in said:
        return out_of_memory()
    return DocumentUnreadable(
        Unreadable.MALFORMED,
        f"The file is damaged or cut off: it cannot be read as {types.NAMES[media_type]}.",
    )


def _blamed(failure: DocumentUnreadable) -> DocumentUnreadable:
    """Return why a file is unreadable: what seems to be damaged may be what memory did not suffice for."""
    return out_of_memory() if failure.reason is Unreadable.MALFORMED and _used_up() else failure


def _used_up() -> bool:
    """Return whether this process came near its memory limit, in which case libraries fail in many ways."""
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    try:
        with open("/proc/self/status", "rb") as status:
            [line] = [line for line in status if line.startswith(b"VmPeak:")]
    except (OSError, ValueError):
        return False
    return int(line.split()[1]) * 1024 > most - _RESERVE_BYTES - most // 8


def _too_deep() -> DocumentUnreadable:
    return DocumentUnreadable(Unreadable.TOO_DEEP, "The file's elements are nested too deeply.")


def out_of_memory() -> DocumentUnreadable:
    return DocumentUnreadable(Unreadable.TOO_LARGE, "Reading the file takes too much memory.")


def too_large(limits: ParseLimits) -> DocumentUnreadable:
    limit = limits.max_file_bytes / (1024 * 1024)
    return DocumentUnreadable(Unreadable.TOO_LARGE, f"The file is over the limit of {limit:g} MiB.")


if __name__ == "__main__":
    main()
