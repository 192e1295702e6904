"""Encoding of a parsed document, or of the reason why it is unreadable, from the parser's process.

The file may have taken over the process, so its output is read as numbers and text only.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

from everword_ingest.documents.parsing.media_type import NAMES
from everword_ingest.documents.parsing.model import (
    DocumentUnreadable,
    ParsedDocument,
    ParseLimits,
    Section,
    Unreadable,
)

_MAX_DETAIL = 300
#: How the process ends that has no memory left, not even to say so.
OUT_OF_MEMORY_CODE = 70


class UnreadableReply(Exception):
    """The output of the process is malformed."""


def pack(parsed: ParsedDocument) -> bytes:
    """Return a line of JSON, and after it the text. Sections are places in it."""
    paths: dict[tuple[str, ...], int] = {}
    sections = [
        (paths.setdefault(each.heading_path, len(paths)), each.start, len(each.text), each.page)
        for each in parsed.sections
    ]
    head = {
        "title": parsed.title,
        "media_type": parsed.media_type,
        "paths": list(paths),
        "sections": sections,
        "pages": [parsed.pages, parsed.empty_pages],
    }
    return json.dumps(head).encode() + b"\n" + parsed.text.encode()


def pack_failure(failure: DocumentUnreadable) -> bytes:
    return json.dumps({"reason": failure.reason, "detail": failure.detail}).encode() + b"\n"


def unpack(answer: bytes, limits: ParseLimits) -> ParsedDocument:
    """Decode an answer. Raises the DocumentUnreadable that it contains, and Garbled."""
    line, _, body = answer.partition(b"\n")
    try:
        head = json.loads(line)
        if "reason" in head:
            failure = DocumentUnreadable(
                Unreadable(head["reason"]), str(head["detail"])[:_MAX_DETAIL]
            )
        else:
            return _document(head, body.decode(), limits)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise UnreadableReply from error
    raise failure


def _document(head: dict[str, object], text: str, limits: ParseLimits) -> ParsedDocument:
    match head:
        case {
            "title": str() | None as title,
            "media_type": str(media_type),
            "paths": list(paths),
            "sections": list(sections),
            "pages": [int(pages), int(empty_pages)],
        } if media_type in NAMES and 0 < len(sections) <= limits.max_sections:
            found = tuple(_section(text, paths, *each) for each in sections)
            _check_order(found)
            return ParsedDocument(title, media_type, text, found, pages, empty_pages)
    raise ValueError("no document")


def _section(
    text: str, paths: Sequence[Sequence[str]], path: int, start: int, length: int, page: int | None
) -> Section:
    if not (start >= 0 and length > 0 and start + length <= len(text) and path >= 0):
        raise ValueError("no section")
    titles = tuple(map(str, paths[path]))
    return Section(titles, text[start : start + length], None if page is None else int(page), start)


def _check_order(sections: Sequence[Section]) -> None:
    if any(after.start < before.start + len(before.text) for before, after in pairwise(sections)):
        raise ValueError("sections overlap")
