"""Cuts a document into chunks of about 512 tokens along its structure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from everword_ingest.documents.parsing.model import Chunk, ParsedDocument, Section

#: Limit of a chunk, without its headings.
MAX_TOKENS = 512
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)", re.M)
_PARAGRAPH_END = re.compile(r"\n(?:[ \t]*\n)+")
# Up to eight short sentences, words or lines are one match, since each match takes a step in Python.
_SENTENCE = re.compile(
    r"(?:[^\s.!?。！？]{0,3}(?:[.!?。！？]\s|\n)){8}"
    r"|(?:[^.!?。！？\n]|[.!?](?![\s\"'”’)\]]|$))*(?:[.!?。！？]+[\"'”’)\]]*\s*|\n+|$)"
)
_WORD = re.compile(r"(?:\S{1,3}\s){8}|\S+\s*|\s+")
_LINE = re.compile(r"(?:[^\n]{1,3}\n){8}|[^\n]*\n+|[^\n]+")
#: The line between the header of a table and its rows, such as `|---|:-:|`.
_RULE = re.compile(r"^[ \t]*[|:-][ \t|:-]*\n", re.M)
#: Longest unbroken text before a cut, in characters. The rarest have four tokens each.
_MAX_UNBROKEN = 128
#: A longer text exceeds any chunk, and is not counted: a megabyte without spaces takes seconds.
_MAX_COUNTED = 8192
#: The sentence before a list, such as `You need:`, and the empty lines between them.
_LEAD_IN = re.compile(
    r"^[^\n]{0,500}[:：][*_]{0,3}[ \t]*\n(?:[ \t]*\n)*(?=[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t])", re.M
)
#: The end of a list: a line after an empty one that is neither an item nor indented.
_LIST_END = re.compile(r"\n[ \t]*\n(?=[^\s\-*+•\d])")
#: A longer header or lead-in is not repeated.
_MAX_HEADER_CHARS = 500
#: Short lines, sentences and words are counted together up to this length: a megabyte of `a\n` has 500,000 lines.
_SMALL_CHARS = 16
#: Number of a block's first lines that decide whether it is prose.
_MAX_SAMPLED_LINES = 1000
#: Characters per search with a regular expression, which blocks other threads until it ends.
_WINDOW_CHARS = 128 * 1024


@dataclass(frozen=True)
class _Piece:
    """A range of the text that is never split, up to the next one."""

    start: int
    end: int
    tokens: int


def chunk_document(parsed: ParsedDocument) -> list[Chunk]:
    """Return all chunks, in reading order. Takes up to half a second for each MiB: call it in a thread.

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
    starts = [section.start for section in sections]
    blocks = _joined(_blocks(text, start, end))
    pieces = [piece for block in blocks for piece in _pieces(text, *block)]
    headers = _Headers(text, start, end)
    for first, last in _filled(pieces, headers):
        content = text[first:last]
        retained = content.lstrip("\n").rstrip()
        if not retained.strip():
            continue
        begin = last - len(content.lstrip("\n"))
        page = sections[bisect_right(starts, begin) - 1].page
        path = sections[0].heading_path
        yield Chunk(path, headers.before(begin)[0] + retained, begin, begin + len(retained), page)


def _filled(pieces: Sequence[_Piece], headers: _Headers) -> Iterator[tuple[int, int]]:
    """Yield the ranges of chunks: full ones, then two of equal size, so that the last one is not small.

    Appended text changes only the last two; the others keep their vectors.
    """
    first, held, left = 0, 0, sum(piece.tokens for piece in pieces)
    for index, piece in enumerate(pieces):
        rest = held + left
        # The end that is nearer to an equal share is taken.
        near = MAX_TOKENS < rest <= 2 * MAX_TOKENS and held + piece.tokens / 2 > rest / 2
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
            closed = _search(closing, text, fence.end(), end)
            cut = closed.end() if closed else end
        else:
            found = _search(_PARAGRAPH_END, text, place, end)
            cut = found.end() if found else end
        yield place, cut
        place = cut


def _search(pattern: re.Pattern[str], text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the first match, with pauses for other threads.

    Blank lines at the end of a match may be cut off.
    """
    while start < end:
        stop = _line_end(text, start + _WINDOW_CHARS, end)
        found = pattern.search(text, start, stop)
        if found or stop == end:
            return found
        # The end of a line may begin a match.
        start = stop - 1
    return None


def _line_end(text: str, place: int, end: int) -> int:
    """Return the end of the line that holds `place`, the line feed included; at most `end`."""
    found = text.find("\n", place, end)
    return found + 1 if found >= 0 else end


def _pieces(text: str, start: int, end: int) -> Iterator[_Piece]:
    """Yield a block whole if it fits a chunk; or else its lines, or their sentences, or their words."""
    whole = _measured(text, start, end, MAX_TOKENS)
    if whole:
        yield whole
        return
    for line_start, line_end in _joined(_lines(text, start, end)):
        # A long line is a paragraph: its sentences fill chunks evenly.
        line = _measured(text, line_start, line_end, MAX_TOKENS // 2)
        if line:
            yield line
            continue
        for first, last in _joined(_sentence_ranges(text, line_start, line_end)):
            sentence = _measured(text, first, last, MAX_TOKENS)
            if sentence:
                yield sentence
            else:
                yield from _words(text, first, last)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield lines; those of a paragraph that was wrapped are one."""
    lines = _matches(_LINE, text, start, end)
    sampled = [text[first:last] for first, last in islice(lines, _MAX_SAMPLED_LINES)]
    wrapped = [line for lines in sampled for line in lines.split("\n") if line]
    if len(wrapped) > 1 and _is_prose(wrapped):
        yield start, end
        return
    yield from _matches(_LINE, text, start, end)


def _sentence_ranges(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield sentences; a sentence that is far longer than a chunk comes in parts."""
    while start < end:
        found = _SENTENCE.match(text, start, min(start + _WINDOW_CHARS, end))
        # A character without a match is yielded alone.
        last = max(found.end() if found else start, start + 1)
        yield start, last
        start = last


def _joined(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield adjacent ranges, with small ones merged."""
    begin = close = -1
    for start, end in ranges:
        if start == close and end - begin <= _SMALL_CHARS:
            close = end
            continue
        if close >= 0:
            yield begin, close
        begin, close = start, end
    if close >= 0:
        yield begin, close


def _is_prose(lines: Sequence[str]) -> bool:
    """Return whether the lines are prose: most begin with a letter and end within a sentence, unlike those of lists and
    tables.
    """
    begins = sum(line[0].isalpha() for line in lines)
    inside = sum(line.rstrip()[-1:] not in ".!?:;|" for line in lines)
    marked = sum((": " in line and "; " in line) or " | " in line for line in lines)
    return begins > 0.8 * len(lines) and inside > 0.5 * len(lines) and marked < 0.2 * len(lines)


def _words(text: str, begin: int, close: int) -> Iterator[_Piece]:
    for first, last in _joined(_matches(_WORD, text, begin, close)):
        for cut in range(first, last, _MAX_UNBROKEN):
            end = min(cut + _MAX_UNBROKEN, last)
            yield _Piece(cut, end, _count(text[cut:end]))


def _matches(
    pattern: re.Pattern[str], text: str, start: int, end: int
) -> Iterable[tuple[int, int]]:
    return ((m.start(), m.end()) for m in pattern.finditer(text, start, end) if m.end() > m.start())


def _measured(text: str, start: int, end: int, maximum: int) -> _Piece | None:
    """Return a piece, or None if it has more tokens than `maximum`."""
    if end - start > _MAX_COUNTED:
        return None
    tokens = _count(text[start:end])
    return _Piece(start, end, tokens) if tokens <= maximum else None


def _count(text: str) -> int:
    # The parser's process imports this module, and counts nothing.
    from everword.text.tokens.counter import packaged_counter

    return packaged_counter().count(text)


class _Headers:
    """Finds the header of the Markdown table that a place is in, or the sentence that leads in its list."""

    def __init__(self, text: str, start: int, end: int) -> None:
        found = sorted([*_tables(text, start, end), *_lists(text, start, end)])
        self._rows = [row for row, _, _ in found]
        self._headers = [(close, header, _count(header)) for _, close, header in found]

    def before(self, place: int) -> tuple[str, int]:
        """Return the header to repeat before a chunk that begins at a later row or item, and its tokens."""
        index = bisect_right(self._rows, place) - 1
        if index < 0 or place >= self._headers[index][0]:
            return "", 0
        return self._headers[index][1:]


def _tables(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield the start of each table's rows, its end, and its header."""
    close = start
    for rule in _found(_RULE, text, start, end):
        above = max(text.rfind("\n", start, max(rule.start() - 1, start)) + 1, start)
        header = text[above : rule.end()]
        named = "|" in text[above : rule.start()] and len(header) <= _MAX_HEADER_CHARS
        # A line that looks like a header within a table is a row.
        if not named or rule.end() < close:
            continue
        found = text.find("\n\n", rule.end(), end)
        close = found if found >= 0 else end
        yield rule.end(), close, header


def _lists(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield the start of the items of each list with a lead-in, its end, and the lead-in."""
    close = start
    for lead in _found(_LEAD_IN, text, start, end):
        # Within a list, only the sentence before the outermost items is repeated.
        if lead.start() < close:
            continue
        found = _search(_LIST_END, text, lead.end(), end)
        close = found.start() if found else end
        yield lead.end(), close, lead[0]


def _found(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield the matches, with pauses for other threads."""
    while start < end:
        stop = _line_end(text, start + _WINDOW_CHARS, end)
        yield from pattern.finditer(text, start, stop)
        start = stop
