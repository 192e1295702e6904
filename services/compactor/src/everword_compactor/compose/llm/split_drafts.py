"""Splits sources that are too long for one reading: between sources, and one source between its passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from everword.text.passages import split_passages
from everword_compactor.compose.model import Source

#: Characters that the header of a source takes, about.
_HEADER_CHARS = 60
#: A text that is shorter is not split again.
_SHORTEST_CHARS = 200


def split_sources(sources: Sequence[Source], groups: int) -> list[list[Source]]:
    """Return `sources`, in order, in up to `groups` groups of similar length; none is empty, none is lost.

    A single source is split into pieces of its text. If nothing can be split, there is one group.
    """
    if len(sources) == 1:
        return [[piece] for piece in _split_source(sources[0], groups)]
    sizes = [len(source.text) + _HEADER_CHARS for source in sources]
    return [[sources[at] for at in places] for places in _grouped(sizes, groups)]


def _split_source(source: Source, groups: int) -> list[Source]:
    return [replace(source, text=text) for text in split_text(source.text, groups)]


def split_text(text: str, groups: int) -> list[str]:
    """Return `text` in up to `groups` pieces of about the same length, which together are the text again."""
    passages = split_passages(text)
    if len(passages) == 1:
        middle = len(text) // 2
        if middle < _SHORTEST_CHARS:
            return [text]
        passages = [text[:middle], text[middle:]]
    grouped = _grouped([len(passage) for passage in passages], groups)
    return ["".join(passages[at] for at in places) for places in grouped]


def _grouped(sizes: Sequence[int], groups: int) -> list[list[int]]:
    """Return the places 0 … len(sizes) - 1 in up to `groups` runs whose sizes are about the same."""
    whole = sum(sizes)
    runs: list[list[int]] = [[]]
    before = 0
    for place, size in enumerate(sizes):
        # A run ends where the middle of the next would lie beyond its share.
        if runs[-1] and len(runs) < groups and before + size / 2 > whole * len(runs) / groups:
            runs.append([])
        runs[-1].append(place)
        before += size
    return runs
