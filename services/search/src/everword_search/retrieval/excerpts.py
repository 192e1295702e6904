"""Excerpts: the sentences of a text that match a question. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from everword.text.sentences import sentence_and_line_ends
from everword_search.ranking.words.question_words import QuestionWords

Span = tuple[int, int]

#: Characters of a gap between two parts of an excerpt.
_GAP_CHARS = 3


def find_excerpt(
    text: str, within: Span, passage: Span, question: QuestionWords, max_chars: int
) -> list[Span]:
    """Return the spans of whole sentences and lines within a part of a text, at most `max_chars` in all.

    Each sentence adds words of the question that the others lack, most first, then those of the passage that the search
    found; then their neighbours follow. The first one is returned whatever its length. Without any word of the question
    it is the first sentence of the passage.
    """
    first, last = within
    ends = [first + each for each in sentence_and_line_ends(text[first:last])]
    spans = [(a, b) for a, b in pairwise([first, *ends]) if text[a:b].strip()]
    if not spans:
        return []
    found = [question.found_in(text[a:b]) for a, b in spans]
    chosen, covered, left = list[int](), frozenset[str](), max_chars
    waiting = set(range(len(spans)))

    def gain(place: int) -> tuple[float, bool, int]:
        is_of_passage = passage[0] <= spans[place][0] < passage[1]
        return question.weight(found[place] - covered), is_of_passage, -place

    while waiting:
        best = max(waiting, key=gain)
        if chosen and gain(best)[0] <= 0:
            break
        waiting.remove(best)
        size = _size(spans[best])
        if not chosen or size <= left:
            chosen.append(best)
            covered |= found[best]
            left -= size
    return _merged(spans, _with_neighbours(spans, chosen, left))


def _with_neighbours(spans: Sequence[Span], chosen: Sequence[int], left: int) -> set[int]:
    """Return the places of chosen sentences and of those next to them that fit, in turn after and before each."""
    places, ends = set(chosen), [(place, place) for place in chosen]
    while ends:
        grown = list[tuple[int, int]]()
        for start, end in ends:
            for place in (end + 1, start - 1):
                is_free = 0 <= place < len(spans) and place not in places
                if is_free and (size := _size(spans[place])) <= left:
                    places.add(place)
                    left -= size
                    start, end = min(start, place), max(end, place)
                    grown.append((start, end))
        ends = list(dict.fromkeys(grown))
    return places


def _size(span: Span) -> int:
    return span[1] - span[0] + _GAP_CHARS


def _merged(spans: Sequence[Span], places: set[int]) -> list[Span]:
    """Return the spans of sentences in order, those next to each other as one."""
    merged = list[Span]()
    for place in sorted(places):
        start, end = spans[place]
        if merged and place - 1 in places:
            start = merged.pop()[0]
        merged.append((start, end))
    return merged
