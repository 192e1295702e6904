"""Cuts a document into chunks of about 512 tokens along its structure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from everword_ingest.documents.parsing.model import Chunk, ParsedDocument, Section

#: What a chunk may have at most, its headings not counted.
MAX_TOKENS = 512
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)", re.M)
_PARAGRAPH_END = re.compile(r"\n(?:[ \t]*\n)+")
_SENTENCE = re.compile(
    r"(?:[^.!?。！？\n]|[.!?](?![\s\"'”’)\]]|$))*(?:[.!?。！？]+[\"'”’)\]]*\s*|\n+|$)"
)
_WORD = re.compile(r"\S+\s*|\s+")
_LINE = re.compile(r"[^\n]*\n+|[^\n]+")
#: The line between the header of a table and its rows, such as `|---|:-:|`.
_RULE = re.compile(r"^[ \t]*[|:-][ \t|:-]*\n", re.M)
#: A stretch without space is cut after so many characters. The rarest have four tokens each.
_MAX_UNBROKEN = 128
#: What is longer has more tokens than a chunk. It is not counted: a megabyte without space takes seconds.
_MAX_COUNTED = 8192
#: A longer header is not repeated.
_MAX_HEADER_CHARS = 500


@dataclass(frozen=True)
class _Piece:
    """A stretch of the text that stays whole, with what follows it up to the next."""

    start: int
    end: int
    tokens: int


def chunk_document(parsed: ParsedDocument) -> list[Chunk]:
    """Return all chunks, in reading order. Takes about a second for each MiB: call it in a thread.

    No chunk goes beyond a heading. Every word is in a chunk's content or headings.
    """
    chunks = list[Chunk]()
    for sections in _under_one_heading(parsed):
        chunks += _chunks(parsed.text, sections)
    return chunks


def _under_one_heading(parsed: ParsedDocument) -> Iterator[list[Section]]:
    """Yield the sections that nothing but the end of a page stands between."""
    together = [parsed.sections[0]]
    for before, after in pairwise(parsed.sections):
        gap = parsed.text[before.start + len(before.text) : after.start]
        if after.heading_path == before.heading_path and not gap.strip():
            together.append(after)
        else:
            yield together
            together = [after]
    yield together


def _chunks(text: str, sections: Sequence[Section]) -> Iterator[Chunk]:
    start, end = sections[0].start, sections[-1].start + len(sections[-1].text)
    pages = [(section.start, section.page) for section in sections]
    pieces = [piece for block in _blocks(text, start, end) for piece in _pieces(text, *block)]
    headers = _Headers(text, start, end)
    for first, last in _filled(pieces, headers):
        content = text[first:last]
        kept = content.lstrip("\n").rstrip()
        if not kept.strip():
            continue
        begin = last - len(content.lstrip("\n"))
        page = [number for place, number in pages if place <= begin][-1]
        path = sections[0].heading_path
        yield Chunk(path, headers.before(begin)[0] + kept, begin, begin + len(kept), page)


def _filled(pieces: Sequence[_Piece], headers: _Headers) -> Iterator[tuple[int, int]]:
    """Yield where chunks begin and end: of about one size, so that none is a small rest."""
    first, held, left = 0, 0, sum(piece.tokens for piece in pieces)
    for index, piece in enumerate(pieces):
        rest = held + left
        number = -(-rest // MAX_TOKENS)
        # The end that is nearer to an equal share is taken.
        near = number > 1 and held + piece.tokens / 2 > rest / number
        if held and (held + piece.tokens > MAX_TOKENS or near):
            yield pieces[first].start, pieces[index - 1].end
            first, held = index, headers.before(piece.start)[1]
        held += piece.tokens
        left -= piece.tokens
    if pieces:
        yield pieces[first].start, pieces[-1].end


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield paragraphs, lists, tables and fenced code, each with the empty lines after it."""
    place = start
    while place < end:
        fence = _FENCE.match(text, place)
        if fence:
            closing = re.compile(rf"^ {{0,3}}{re.escape(fence[1])}[^\n]*(?:\n\s*|\Z)", re.M)
            closed = closing.search(text, fence.end(), end)
            cut = closed.end() if closed else end
        else:
            found = _PARAGRAPH_END.search(text, place, end)
            cut = found.end() if found else end
        yield place, cut
        place = cut


def _pieces(text: str, start: int, end: int) -> Iterator[_Piece]:
    """Yield a block whole if it fits a chunk; or else its lines, or their sentences, or their words."""
    whole = _measured(text, start, end, MAX_TOKENS)
    if whole:
        yield whole
        return
    for line_start, line_end in _lines(text, start, end):
        # A long line is a paragraph: its sentences fill chunks evenly.
        line = _measured(text, line_start, line_end, MAX_TOKENS // 2)
        if line:
            yield line
            continue
        for first, last in _matches(_SENTENCE, text, line_start, line_end):
            sentence = _measured(text, first, last, MAX_TOKENS)
            if sentence:
                yield sentence
            else:
                yield from _words(text, first, last)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield lines; those of a paragraph that was wrapped are one."""
    wrapped = [line for line in text[start:end].split("\n") if line]
    if len(wrapped) > 1 and _is_prose(wrapped):
        yield start, end
        return
    yield from _matches(_LINE, text, start, end)


def _is_prose(lines: Sequence[str]) -> bool:
    """Tell whether lines end in the middle of sentences and begin like words, as those of lists and tables do not."""
    begins = sum(line[0].isalpha() for line in lines)
    inside = sum(line.rstrip()[-1:] not in ".!?:;|" for line in lines)
    marked = sum((": " in line and "; " in line) or " | " in line for line in lines)
    return begins > 0.8 * len(lines) and inside > 0.5 * len(lines) and marked < 0.2 * len(lines)


def _words(text: str, begin: int, close: int) -> Iterator[_Piece]:
    for first, last in _matches(_WORD, text, begin, close):
        for cut in range(first, last, _MAX_UNBROKEN):
            end = min(cut + _MAX_UNBROKEN, last)
            yield _Piece(cut, end, _count(text[cut:end]))


def _matches(
    pattern: re.Pattern[str], text: str, start: int, end: int
) -> Iterable[tuple[int, int]]:
    return ((m.start(), m.end()) for m in pattern.finditer(text, start, end) if m.end() > m.start())


def _measured(text: str, start: int, end: int, most: int) -> _Piece | None:
    """Return a piece, or None where it has more tokens than `most`."""
    if end - start > _MAX_COUNTED:
        return None
    tokens = _count(text[start:end])
    return _Piece(start, end, tokens) if tokens <= most else None


def _count(text: str) -> int:
    # The parser's process imports this module, and counts nothing.
    from everword.text.tokens.counter import packaged_counter

    return packaged_counter().count(text)


class _Headers:
    """Finds the header of the Markdown table that a place is in."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._rows = list[int]()
        self._tables = list[tuple[int, str, int]]()
        close = start
        for rule in _RULE.finditer(text, start, end):
            above = max(text.rfind("\n", start, max(rule.start() - 1, start)) + 1, start)
            header = text[above : rule.end()]
            named = "|" in text[above : rule.start()] and len(header) <= _MAX_HEADER_CHARS
            # What looks like a header within a table is a row of it.
            if not named or rule.end() < close:
                continue
            found = text.find("\n\n", rule.end(), end)
            close = found if found >= 0 else end
            self._rows.append(rule.end())
            self._tables.append((close, header, _count(header)))

    def before(self, place: int) -> tuple[str, int]:
        """Return the header to repeat before a chunk that begins at a later row, and its tokens."""
        index = bisect_right(self._rows, place) - 1
        if index < 0 or place >= self._tables[index][0]:
            return "", 0
        return self._tables[index][1:]
