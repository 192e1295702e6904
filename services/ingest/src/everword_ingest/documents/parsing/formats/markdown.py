"""Reads Markdown: its text stays as it was written, and its headings are found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from markdown_it import MarkdownIt

from everword_ingest.documents.parsing.decoding import decode
from everword_ingest.documents.parsing.media_type import MARKDOWN
from everword_ingest.documents.parsing.model import ParsedDocument, ParseLimits
from everword_ingest.documents.parsing.outline import MAX_HEADING_CHARS, Heading, document

_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:[^\n]*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_TITLE = re.compile(r"^title:[ \t]*(.+)$", re.I | re.M)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")


def read_markdown(data: bytes, limits: ParseLimits) -> ParsedDocument:
    text = decode(data)
    matter = _FRONT_MATTER.match(text)
    skipped = matter.end() if matter else 0
    headings = list(_headings(text, skipped))
    stated = _TITLE.search(matter[0]) if matter else None
    title = stated[1].strip().strip("\"'") if stated else _first_title(headings)
    return document(text, headings, [], title, MARKDOWN, limits)


def _headings(text: str, skipped: int) -> Iterator[Heading]:
    """Yield the headings of the document itself: those in quotes and lists belong to these."""
    parser = MarkdownIt("commonmark").disable("inline")
    tokens = parser.parse(text[skipped:])
    starts = _line_starts(text, skipped)
    for opening, content in pairwise(tokens):
        if opening.type != "heading_open" or opening.level != 0 or opening.map is None:
            continue
        title = plain_title(content.content)
        if 0 < len(title) <= MAX_HEADING_CHARS:
            start, end = starts[opening.map[0]], starts[opening.map[1]]
            end -= len(text[start:end]) - len(text[start:end].rstrip())
            yield Heading(start, end, int(opening.tag[1:]), title)


def plain_title(title: str) -> str:
    """Return a heading without marks of emphasis, code and links."""
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", title)).split())


def _line_starts(text: str, first: int) -> list[int]:
    starts = [first]
    while (end := text.find("\n", starts[-1])) >= 0:
        starts.append(end + 1)
    return [*starts, len(text)]


def _first_title(headings: list[Heading]) -> str | None:
    return headings[0].title if headings and headings[0].level == 1 else None
