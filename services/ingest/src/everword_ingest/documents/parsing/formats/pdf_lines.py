"""Joins the lines of pages: a PDF has positions of letters, and neither paragraphs nor headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

#: A heading's letters are this much larger than most, and it has at most this many characters.
_LARGER, _HEADING_CHARS = 1.15, 120
#: Largest distance between lines of a paragraph, as a multiple of the page's usual one.
_APART = 1.3
#: A line that is continued reaches so far to the right.
_FULL = 0.8
_ENDS = re.compile(r"[.!?:;…][\"'”’)\]]*$")
_ITEM = re.compile(r"(?:[-–—•◦▪‣·*o]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s")
_WORD = re.compile(r"\w")

#: The headings of a page: the first line of each and the line after its last, its level and its title.
Placed = tuple[int, int, int, str]


@dataclass(frozen=True)
class PdfLine:
    """A line of a page."""

    text: str
    #: True if its last word continues in the next line.
    broken: bool
    left: float
    right: float
    bottom: float
    height: float


def find_headings(
    pages: Sequence[Sequence[PdfLine]], bookmarks: Mapping[int, Sequence[tuple[int, str]]]
) -> list[list[Placed]]:
    """Return the headings of each page: those of the outline, or else lines in larger letters."""
    if bookmarks:
        return [_bookmarked(lines, bookmarks.get(page, ())) for page, lines in enumerate(pages)]
    letters = Counter[float]()
    for lines in pages:
        for line in lines:
            letters[_size(line)] += len(line.text)
    [(usual, _)] = letters.most_common(1)
    larger = {size for size in letters if usual > 0 and size >= usual * _LARGER}
    levels = {size: min(rank, 4) for rank, size in enumerate(sorted(larger, reverse=True), start=1)}
    return [list(_large(lines, levels)) for lines in pages]


def _size(line: PdfLine) -> float:
    return round(line.height * 2) / 2


def _large(lines: Sequence[PdfLine], levels: Mapping[float, int]) -> Iterator[Placed]:
    start = 0
    while start < len(lines):
        level = levels.get(_size(lines[start]))
        end = start + 1
        if level is not None:
            while end < len(lines) and _size(lines[end]) == _size(lines[start]):
                end += 1
            title = " ".join(line.text for line in lines[start:end])
            if len(title) <= _HEADING_CHARS and _WORD.search(title):
                yield start, end, level, title
        start = end


def _bookmarked(lines: Sequence[PdfLine], bookmarks: Sequence[tuple[int, str]]) -> list[Placed]:
    """Return the positions of the page's bookmarks; one without a matching line is placed before the next."""
    found, after = list[Placed](), 0
    bare = [_without_digits(line.text) for line in lines]
    for level, title in bookmarks:
        start, end = _find(bare, _without_digits(title), after)
        found.append((start, end, level, title))
        after = end
    return found


def _find(lines: Sequence[str], title: str, after: int) -> tuple[int, int]:
    """Return the range of lines with the title, which may be wrapped; an empty range at `after` if there are none."""
    for start in range(after, len(lines)):
        joined = ""
        for end in range(start, min(start + 3, len(lines))):
            joined += lines[end]
            # The number of the heading may be only in the line or only in the title.
            if joined and title and joined.lstrip("0123456789") == title.lstrip("0123456789"):
                return start, end + 1
            if not title.endswith(lines[end]) and not title.lstrip("0123456789").startswith(joined):
                break
    return after, after


def _without_digits(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def paragraphs(lines: Sequence[PdfLine], headings: Sequence[Placed]) -> Iterator[tuple[int, str]]:
    """Yield the headings of a page with their levels, and with 0 its paragraphs."""
    place = 0
    for start, end, level, title in headings:
        yield from ((0, text) for text in _joined(lines[place:start]))
        # Keep the words of a line that has more than the outline, such as a number.
        written = " ".join(line.text for line in lines[start:end])
        yield level, written or title
        place = max(end, place)
    yield from ((0, text) for text in _joined(lines[place:]))


def _joined(lines: Sequence[PdfLine]) -> Iterator[str]:
    if not lines:
        return
    steps = [a.bottom - b.bottom for a, b in pairwise(lines)]
    usual = median([step for step in steps if step > 0] or [0.0])
    widest = max(line.right for line in lines) - min(line.left for line in lines)
    current = lines[0].text
    for line, following in pairwise(lines):
        between = _between(line, following, usual, widest)
        if between == "\n\n":
            yield current
            current = following.text
        else:
            current += between + following.text
    yield current


def _between(line: PdfLine, following: PdfLine, usual: float, widest: float) -> str:
    """Return the separator between two lines of a page: none within a word, an empty line between paragraphs."""
    step = line.bottom - following.bottom
    if line.broken:
        return ""
    if _size(line) != _size(following) and abs(line.height - following.height) > 0.15 * line.height:
        return "\n\n"
    if step > _APART * usual > 0 or (step < 0 and _ENDS.search(line.text)):
        return "\n\n"
    if _ITEM.match(following.text):
        return "\n"
    indented = following.left > line.left + 0.8 * line.height
    if indented and _ENDS.search(line.text):
        return "\n\n"
    return " " if line.right - line.left >= _FULL * widest or step < 0 else "\n"
