"""Abstract and overview of a text: its own first words, whole sentences where they fit, on one line.

A cut never falls into a grapheme cluster, which is what a reader takes for one character: a letter with its marks, a
flag, a family of emoji. Lengths are counted in code points, as Postgres and most callers count them.
"""

from __future__ import annotations

import re

import regex

ABSTRACT_CHARS, OVERVIEW_CHARS = 100, 500
#: How much of a text is looked at for each: white space and marks of layout are dropped from it.
ABSTRACT_SOURCE_CHARS, OVERVIEW_SOURCE_CHARS = 400, 1200

_ELLIPSIS = "…"
_CLUSTER = regex.compile(r"\X")
#: What opens a line of Markdown without being a word of it.
_LAYOUT = regex.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+)+", regex.MULTILINE)
_LINES = regex.compile(r"[\r\n\u0085\u2028\u2029]+")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
#: A sentence ends with its mark, what closes quotes and brackets, and a space; not after a number alone, as that of a
#: list, a single letter, or what is mostly followed by a name.
_SENTENCE_END = regex.compile(
    r"(?:(?<!(?:^|[ (])(?:\d{1,3}|\p{L}|[DM]r|Mrs|Ms|St|Prof|No|vs|e\.g|i\.e|z\.B))\.|[!?…])"
    r"[.!?…]*[\"')\]”’»]* (?!\p{M})"
    r"|[。！？]+[」』”]* ?(?![\p{M}\u200d])"
)
#: `Hi!` and `Sure, thanks.` say nothing of what follows.
_OPENER_WORDS, _OPENER_CHARS = 2, 20
#: How much of a cut text may be given up to end it with a word.
_WORD_SHARE = 0.6


def abstract(text: str, *, cut_before: bool = False) -> str:
    """Return at most 100 characters that say what a text is about: its first sentence of more than two words.

    `cut_before` says that `text` is the beginning of a longer one, perhaps cut anywhere.
    """
    sentences, more = _sentences(
        text[:ABSTRACT_SOURCE_CHARS], cut_before or len(text) > ABSTRACT_SOURCE_CHARS
    )
    while len(sentences) > 1 and _is_opener(sentences[0]):
        sentences.pop(0)
    return _lead(sentences, ABSTRACT_CHARS, more)


def overview(text: str, *, cut_before: bool = False) -> str:
    """Return the first sentences of a text that fit into 500 characters; see abstract."""
    sentences, more = _sentences(
        text[:OVERVIEW_SOURCE_CHARS], cut_before or len(text) > OVERVIEW_SOURCE_CHARS
    )
    return _lead(sentences, OVERVIEW_CHARS, more)


def _sentences(text: str, more: bool) -> tuple[list[str], bool]:
    """Return the sentences of the beginning of a text, with what stands between them, and whether more follows."""
    if more:
        text = _without_last_cluster(text)
    found: list[str] = []
    for line in _LINES.split(_LAYOUT.sub("", text)):
        line = " ".join(_CONTROLS.sub(" ", line).split())
        start = 0
        for end in _SENTENCE_END.finditer(line):
            found.append(line[start : end.end()])
            start = end.end()
        if start < len(line):
            found.append(line[start:] + " ")
        elif line and line[-1] != " ":
            found[-1] += " "
    return found, more


def _lead(sentences: list[str], limit: int, more: bool) -> str:
    """Return the first sentences that fit, or the beginning of the first."""
    whole = "".join(sentences).rstrip()
    if len(whole) <= limit and not more:
        return whole
    taken = ""
    # The last sentence of a text that goes on may go on itself.
    for sentence in sentences[:-1] if more else sentences:
        if len(taken) + len(sentence.rstrip()) > limit:
            break
        taken += sentence
    return taken.rstrip() or cut(whole, limit)


def cut(text: str, limit: int) -> str:
    """Return the beginning of a text with `…` after it, within `limit` code points: whole words if they are short."""
    room = limit - len(_ELLIPSIS)
    # Before a space a cluster always ends.
    end = len(text) if len(text) <= room else text.rfind(" ", 0, room + 1)
    if end < _WORD_SHARE * limit:
        end = _fitting(text, room)
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
    """Return a text that was cut anywhere without what may be a part of a character."""
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
    """Tell whether a sentence is a short one that others follow; a heading has no mark at its end."""
    sentence = sentence.rstrip()
    return (
        sentence[-1] in ".!?…,"
        and len(sentence) <= _OPENER_CHARS
        and sentence.count(" ") < _OPENER_WORDS
    )
