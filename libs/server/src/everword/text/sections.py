"""Sections of a long text: whole sentences and lines around a passage of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque

from everword.text.sentences import sentence_and_line_ends

#: Characters of a section, about 512 tokens of English. A text of at most this length needs no section.
SECTION_CHARS = 2000


def find_section(text: str, start: int, end: int, max_chars: int) -> tuple[int, int]:
    """Return the span of a section of at most `max_chars` characters around the passage at `start` to `end`.

    It grows by whole sentences and lines, in turn after and before the passage, and contains at least the passage. If
    that is empty and no sentence fits, the section ends between two words.
    """
    first, last = max(0, end - max_chars), min(len(text), start + max_chars)
    ends = [first + each for each in sentence_and_line_ends(text[first:last])]
    if last < len(text) and ends:
        # The window may cut the last sentence.
        ends.pop()
    after = deque(ends[bisect_right(ends, end) :])
    before = ends[: bisect_left(ends, start)]
    if first == 0 < start:
        before.insert(0, 0)
    while True:
        if fits_after := bool(after) and after[0] - start <= max_chars:
            end = after.popleft()
        if fits_before := bool(before) and end - before[-1] <= max_chars:
            start = before.pop()
        if not fits_after and not fits_before:
            break
    if start == end:
        end = max(start, text.rfind(" ", start, start + max_chars))
    return start, end
