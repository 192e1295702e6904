"""Reads Markdown: its text stays as it was written, and its headings are found."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyromark

from everword_ingest.documents.parsing.decoder import decode
from everword_ingest.documents.parsing.media_type import MARKDOWN
from everword_ingest.documents.parsing.model import ParsedDocument, ParseLimits
from everword_ingest.documents.parsing.outline import (
    MAX_HEADING_CHARS,
    Heading,
    document,
    too_many_sections,
)

_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:[^\n]*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_TITLE = re.compile(r"^title:[ \t]*(.+)$", re.I | re.M)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
#: The marks before and after the title of a heading on one line.
_HASHES = re.compile(r"^#{1,6}|(?:^|(?<=[ \t]))#+$")
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")


def read_markdown(data: bytes, limits: ParseLimits) -> ParsedDocument:
    text = decode(data)
    matter = _FRONT_MATTER.match(text)
    skipped = matter.end() if matter else 0
    headings = list(_headings(text, skipped, limits))
    stated = _TITLE.search(matter[0]) if matter else None
    title = stated[1].strip().strip("\"'") if stated else _first_title(headings)
    return document(text, headings, [], title, MARKDOWN, limits)


def _headings(text: str, skipped: int, limits: ParseLimits) -> Iterator[Heading]:
    """Yield the document's headings, without headings inside of quotes and lists.

    Raises DocumentUnreadable at the first heading over the limit, without reading the rest.
    """
    body = text[skipped:]
    place = _CharPlace(body, skipped)
    depth = count = 0
    for event, span in pyromark.events_with_range(body):
        if isinstance(event, str):
            # The end of a line, or a rule between paragraphs.
            continue
        if "Start" in event:
            if depth == 0 and isinstance(tag := event["Start"], dict) and "Heading" in tag:
                start, end = place.of(span["start"]), place.of(span["end"])
                heading = _heading(text[start:end], start, int(tag["Heading"]["level"][1:]))
                if heading is not None:
                    count += 1
                    if count > limits.max_sections:
                        raise too_many_sections(limits)
                    yield heading
            depth += 1
        elif "End" in event:
            depth -= 1


def _heading(source: str, start: int, level: int) -> Heading | None:
    """Return the heading in a piece of source text; None if its title is empty or as long as a paragraph."""
    source = source.rstrip()
    lines = source.split("\n")
    # A heading of several lines ends with the line that underlines it.
    written = "\n".join(lines[:-1]) if len(lines) > 1 else _HASHES.sub("", source)
    title = plain_title(written)
    if not 0 < len(title) <= MAX_HEADING_CHARS:
        return None
    return Heading(start, start + len(source), level, title)


class _CharPlace:
    """Converts byte offsets in the UTF-8 of a text to character offsets. Call it with ascending offsets."""

    def __init__(self, text: str, offset: int) -> None:
        self._data = text.encode()
        self._byte, self._char = 0, offset

    def of(self, byte: int) -> int:
        self._char += len(self._data[self._byte : byte].decode())
        self._byte = byte
        return self._char


def plain_title(title: str) -> str:
    """Return a heading without marks of emphasis, code and links."""
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", title)).split())


def _first_title(headings: list[Heading]) -> str | None:
    return headings[0].title if headings and headings[0].level == 1 else None
