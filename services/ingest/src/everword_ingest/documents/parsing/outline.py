"""Puts a document's text together from headings and blocks, and finds its sections in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everword_ingest.documents.parsing.decoder import clean
from everword_ingest.documents.parsing.model import (
    DocumentUnreadable,
    ParsedDocument,
    ParseLimits,
    Section,
    Unreadable,
)

#: A longer text is a paragraph that looks like a heading.
MAX_HEADING_CHARS = 300
#: As deep as the deepest format, docx, has them.
MAX_LEVEL = 9


@dataclass(frozen=True)
class Heading:
    """A heading with its position in the text."""

    start: int
    end: int
    level: int
    title: str


class Outline:
    """Collects the content of a document in reading order, and stops at its limits."""

    def __init__(self, limits: ParseLimits) -> None:
        self._limits = limits
        self._parts: list[str] = []
        self._length = self._bytes = 0
        self._headings: list[Heading] = []
        self._pages: list[tuple[int, int]] = []

    @property
    def is_empty(self) -> bool:
        return not self._parts

    def page(self, number: int) -> None:
        """Begin a page or slide, from 1."""
        self._pages.append((self._length, number))

    def heading(self, level: int, title: str) -> None:
        title = " ".join(title.split())
        if len(title) > MAX_HEADING_CHARS:
            self.block(title)
        elif title:
            if len(self._headings) == self._limits.max_sections:
                raise too_many_sections(self._limits)
            level = min(max(level, 1), MAX_LEVEL)
            start = self._add(f"{'#' * min(level, 6)} {title}")
            self._headings.append(Heading(start, self._length, level, title))

    def block(self, text: str) -> None:
        """Add a paragraph, a list or a table."""
        text = text.strip("\n").rstrip()
        if text:
            self._add(text)

    def _add(self, text: str) -> int:
        """Return where `text` begins."""
        if self._parts:
            self._parts.append("\n\n")
            self._length += 2
        self._bytes += len(text.encode()) + 2
        if self._bytes > self._limits.max_text_bytes:
            raise too_much_text(self._limits)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return start

    def finish(self, title: str | None, media_type: str) -> ParsedDocument:
        text = "".join(self._parts)
        return document(text, self._headings, self._pages, title, media_type, self._limits)


def document(
    text: str,
    headings: Sequence[Heading],
    pages: Sequence[tuple[int, int]],
    title: str | None,
    media_type: str,
    limits: ParseLimits,
) -> ParsedDocument:
    """Return the document of a text. `pages` are the start and number of each page. Raises DocumentUnreadable."""
    if not text.strip():
        raise DocumentUnreadable(Unreadable.EMPTY, "The file contains no text.")
    if len(text) > limits.max_text_bytes or len(text.encode()) > limits.max_text_bytes:
        raise too_much_text(limits)
    sections = list[Section]()
    for section in _sections(text, headings, pages):
        if len(sections) == limits.max_sections:
            raise too_many_sections(limits)
        sections.append(section)
    title = " ".join(clean(title or "").split())[:MAX_HEADING_CHARS]
    return ParsedDocument(title or None, media_type, text, tuple(sections))


def too_many_sections(limits: ParseLimits) -> DocumentUnreadable:
    return DocumentUnreadable(
        Unreadable.TOO_LARGE, f"The document has more than {limits.max_sections} sections."
    )


def too_much_text(limits: ParseLimits) -> DocumentUnreadable:
    limit = limits.max_text_bytes // (1024 * 1024)
    return DocumentUnreadable(
        Unreadable.TOO_LARGE, f"The text of the file is over the limit of {limit} MiB."
    )


def _sections(
    text: str, headings: Sequence[Heading], pages: Sequence[tuple[int, int]]
) -> Iterator[Section]:
    """Yield the text between headings and ends of pages. A heading without content is its own text."""
    page = _Pages(pages)
    yield from _between(text, (), 0, headings[0].start if headings else len(text), page)
    open_headings: list[Heading] = []
    for index, heading in enumerate(headings):
        while open_headings and open_headings[-1].level >= heading.level:
            open_headings.pop()
        open_headings.append(heading)
        path = tuple(each.title for each in open_headings)
        following = headings[index + 1] if index + 1 < len(headings) else None
        end = following.start if following else len(text)
        at = page.at(heading.start)
        found = list(_between(text, path, heading.end, end, page))
        yield from found
        if not found and (following is None or following.level <= heading.level):
            start = max(text.find(heading.title, heading.start, heading.end), heading.start)
            yield Section(path, text[start : heading.end].rstrip(), at, start)


class _Pages:
    """Returns the page of each position. Positions must be requested in order."""

    def __init__(self, pages: Sequence[tuple[int, int]]) -> None:
        self._pages = pages
        self._next = 0
        self._current: int | None = None

    def at(self, place: int) -> int | None:
        while self._next < len(self._pages) and self._pages[self._next][0] <= place:
            self._current = self._pages[self._next][1]
            self._next += 1
        return self._current

    def end(self, limit: int) -> int:
        """Return where the current page ends, at most `limit`."""
        return min(limit, self._pages[self._next][0]) if self._next < len(self._pages) else limit


def _between(
    text: str, path: tuple[str, ...], start: int, end: int, pages: _Pages
) -> Iterator[Section]:
    while start < end:
        page = pages.at(start)
        cut = max(pages.end(end), start + 1)
        inner = text[start:cut]
        # The first line keeps its indentation: it may be code or a list.
        retained = inner.lstrip("\n")
        if retained.strip():
            yield Section(path, retained.rstrip(), page, start + len(inner) - len(retained))
        start = cut
