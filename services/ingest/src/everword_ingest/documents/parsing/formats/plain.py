"""Reads plain text: as it is, with the headings of books where a line says that it is one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from everword_ingest.documents.parsing.decoder import decode
from everword_ingest.documents.parsing.media_type import PLAIN
from everword_ingest.documents.parsing.model import ParsedDocument, ParseLimits
from everword_ingest.documents.parsing.outline import Heading, document, too_many_sections

_NUMBER = r"(?:\d{1,4}|[ivxlcdm]{1,9}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|the\s+\w+)"
#: A line with nothing before and after it, such as `CHAPTER IV. The Rabbit Sends in a Little Bill`.
_HEADING = re.compile(
    rf"(?:(?P<part>book|part|volume|act|teil|buch|tome)|chapter|canto|scene|stave|adventure|section|article|annex|letter"
    rf"|lesson|lecture|appendix|kapitel|chapitre)"
    rf"\s+{_NUMBER}\b(?:[\s.:—–-].{{0,80}})?"
    rf"|(?:preface|prologue|epilogue|introduction|foreword|afterword|conclusion|appendix)[.:]?",
    re.I,
)
_NUMBERED = re.compile(r"[IVXLC]{1,7}\. [^a-z]{4,80}")
#: The line of a heading and the line of its name below.
_MAX_LINES, _MAX_CHARS = 2, 120


def read_plain(data: bytes, limits: ParseLimits) -> ParsedDocument:
    text = decode(data)
    return document(text, _headings(text, limits), [], None, PLAIN, limits)


def _headings(text: str, limits: ParseLimits) -> list[Heading]:
    """Return the headings that text stands under. In a table of contents, headings follow each other."""
    found: list[Heading] = []
    pending: list[Heading] = []
    for start, paragraph in _paragraphs(text):
        heading = _heading(paragraph, start)
        if heading:
            pending.append(heading)
        else:
            # A part's heading may stand right before that of its first chapter.
            found += pending if len(pending) <= _MAX_LINES else pending[-1:]
            if len(found) > limits.max_sections:
                raise too_many_sections(limits)
            pending = []
    return found


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield paragraphs, which are separated by empty lines, with their start."""
    start = place = 0
    for line in text.split("\n"):
        if not line.strip():
            if start < place:
                yield start, text[start : place - 1]
            start = place + len(line) + 1
        place += len(line) + 1
    if start < len(text):
        yield start, text[start:]


def _heading(paragraph: str, start: int) -> Heading | None:
    if len(paragraph) > _MAX_CHARS or paragraph.count("\n") >= _MAX_LINES:
        return None
    first = paragraph.split("\n")[0].strip()
    match = _HEADING.fullmatch(first)
    if match is None and not _NUMBERED.fullmatch(first):
        return None
    title = " ".join(paragraph.split())
    return Heading(start, start + len(paragraph), 1 if match and match["part"] else 2, title)
