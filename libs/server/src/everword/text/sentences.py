"""Find where sentences and lines of a text end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

#: A sentence ends with its mark, what closes quotes and brackets, and a space.
_END = re.compile(r"[.!?…]+[\"')\]”’»]* |[。！？]+[」』”]* ?")
#: Marks after these do not end a sentence: a list number, a single letter, or an abbreviation before a name.
_NO_END = re.compile(r"(?:^|[ (])(?:\d{1,3}|[^\W\d_]|[DM]r|Mrs|Ms|St|Prof|No|vs|e\.g|i\.e|z\.B)$")
_LONGEST_NO_END = 5


def sentence_ends(line: str) -> Iterator[int]:
    """Yield the ends of sentences in a line, each after its space; the end of the line is not one."""
    for found in _END.finditer(line):
        start, end = found.span()
        if line[start] == "." and _NO_END.search(line[max(0, start - _LONGEST_NO_END) : start]):
            continue
        following = line[end : end + 1]
        if following > "\u02ff" and (
            following == "\u200d" or unicodedata.category(following)[0] == "M"
        ):
            continue  # A mark belongs to the character before it.
        yield end


def sentence_and_line_ends(text: str) -> Iterator[int]:
    """Yield the ends of sentences and lines of a text in order; the last one is the end of the text."""
    start = 0
    for line in text.splitlines(keepends=True):
        last = len(line)
        for end in sentence_ends(line):
            if end < last:
                yield start + end
        start += last
        yield start
