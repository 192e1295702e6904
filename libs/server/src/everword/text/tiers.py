"""Abstract and overview of a text: its own first words, in whole sentences if they fit, on one line.

A cut never falls into a grapheme cluster, which a reader sees as one character: a letter with its marks, a flag, a
family of emoji. Lengths are counted in code points, as PostgreSQL and most callers count them.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

import regex

from everword.text.credentials import mask_credentials
from everword.text.sentences import sentence_ends

ABSTRACT_CHARS, OVERVIEW_CHARS = 100, 500
#: How much of a text is looked at for each: white space and marks of layout are dropped from it.
ABSTRACT_SOURCE_CHARS, OVERVIEW_SOURCE_CHARS = 240, 1000
#: Characters of most credentials; a part of one would not be recognised.
_RUN = string.ascii_letters + string.digits + "!#$%&*+-./:=?@^_~|"

_ELLIPSIS = "…"
_CLUSTER = regex.compile(r"\X")
#: Markdown at the start of a line.
_LAYOUT = re.compile(r"(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+)+")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
#: Limits of an opening phrase without content, such as `Hi!` and `Sure, thanks.`
_OPENER_WORDS, _OPENER_CHARS = 2, 20
#: How much of a cut text may be given up to end it with a word.
_WORD_SHARE = 0.6


def abstract(text: str, *, cut_before: bool = False, masks: bool = False) -> str:
    """Return at most 100 characters about a text's topic: its first sentences, without opening phrases.

    `cut_before` is True if `text` is the beginning of a longer one, perhaps cut anywhere; `masks` to mask credentials.
    """
    more = cut_before or len(text) > ABSTRACT_SOURCE_CHARS
    beginning = _beginning(text[:ABSTRACT_SOURCE_CHARS], more, masks)
    return _lead(_without_openers(_line_sentences(beginning, more)), ABSTRACT_CHARS, more)


def overview(text: str, *, cut_before: bool = False, masks: bool = False) -> str:
    """Return the first sentences of a text that fit into 500 characters; see abstract."""
    more = cut_before or len(text) > OVERVIEW_SOURCE_CHARS
    beginning = _beginning(text[:OVERVIEW_SOURCE_CHARS], more, masks)
    return _lead(_line_sentences(beginning, more), OVERVIEW_CHARS, more)


def _beginning(text: str, more: bool, masks: bool) -> str:
    """Return the beginning of a text; with `masks`, a credential that may be cut off at its end is left out."""
    if not masks:
        return text
    return mask_credentials(text.rstrip(_RUN) if more else text)


def _line_sentences(text: str, more: bool) -> Iterator[str]:
    """Yield the sentences of the beginning of a text, with the characters between them, on one line."""
    if more:
        text = _without_last_cluster(text)
    for line in text.splitlines():
        # Normalise white space between words to one space.
        line = " ".join(_CONTROLS.sub(" ", line).split())
        layout = _LAYOUT.match(line)
        if layout:
            line = line[layout.end() :]
        start = 0
        for end in sentence_ends(line):
            yield line[start:end]
            start = end
        if start < len(line):
            yield line[start:] + " "


def _without_openers(sentences: Iterator[str]) -> Iterator[str]:
    """Leave out short sentences at the beginning that others follow."""
    first = next(sentences, "")
    while first and _is_opener(first) and (following := next(sentences, "")):
        first = following
    if first:
        yield first
    yield from sentences


def _lead(sentences: Iterator[str], limit: int, more: bool) -> str:
    """Return the first sentences that fit, or the beginning of the first."""
    taken, last = "", ""
    for sentence in sentences:
        if len(taken) + len(last) + len(sentence.rstrip()) > limit:
            return (taken + last).rstrip() or cut(sentence.rstrip(), limit)
        taken, last = taken + last, sentence
    if not more:
        return (taken + last).rstrip()
    # The last sentence of a text that goes on may go on itself.
    return taken.rstrip() or cut(last.rstrip(), limit)


def cut(text: str, limit: int) -> str:
    """Return the beginning of a text with `…` after it, within `limit` code points: whole words if they are short."""
    available = limit - len(_ELLIPSIS)
    # Before a space a cluster always ends.
    end = len(text) if len(text) <= available else text.rfind(" ", 0, available + 1)
    if end < _WORD_SHARE * limit:
        end = _fitting(text, available)
    return text[:end].rstrip(" ,;:–—-") + _ELLIPSIS


def _fitting(text: str, limit: int) -> int:
    """Return where the last grapheme cluster ends that fits into `limit` code points."""
    if len(text) <= limit:
        return len(text)
    if text.isascii():
        return limit
    end = 0
    for cluster in _CLUSTER.finditer(text):
        if cluster.end() > limit:
            break
        end = cluster.end()
    return end


def _without_last_cluster(text: str) -> str:
    """Return a text that was cut anywhere, without a possibly incomplete character."""
    if text.isascii():
        return text[:-1]
    space = max(text.rfind(" "), text.rfind("\n"))
    if space >= _WORD_SHARE * len(text):
        return text[: space + 1]
    start = 0
    for cluster in _CLUSTER.finditer(text):
        start = cluster.start()
    return text[:start]


def _is_opener(sentence: str) -> bool:
    """Return whether a sentence is a short opening phrase; a heading has no mark at its end."""
    sentence = sentence.rstrip()
    return (
        sentence[-1] in ".!?…,"
        and len(sentence) <= _OPENER_CHARS
        and sentence.count(" ") < _OPENER_WORDS
    )
