"""Detects text that addresses the model reading it: orders, forged turns and calls, links that exfiltrate data.

The rules, in instructions.txt, match phrases that are not addressed to people. A text is normalised first, so that
lookalike letters and invisible characters hide nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

#: Characters around an anchor.
_BEFORE, _AFTER = 150, 300
#: Beyond these characters, a text is not looked at.
_MOST_CHARS = 200_000
#: Represents a space in the rules.
_SPACE = "~"
#: Letters of other scripts that look like Latin ones, in lower case.
_LOOKALIKES = str.maketrans("аеорсухіјѕԁɡһӏοεαικντυρχѵ", "aeopcyxijsdghloeaikvtupxv")
#: Invisible characters: joiners, direction marks, soft hyphens, tags.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)


def find_instructions(text: str) -> list[str]:
    """Return the names of the rules by which a text speaks to a model; none for most texts."""
    plain = _normal(text[:_MOST_CHARS])
    return [rule.name for rule in _rules() if rule.holds(plain)]


def contains_model_instructions(text: str) -> bool:
    """Return whether a text addresses a model."""
    plain = _normal(text[:_MOST_CHARS])
    return any(rule.holds(plain) for rule in _rules())


def _normal(text: str) -> str:
    if text.isascii():
        return text.lower()
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", text)).lower()
    return plain.translate(_LOOKALIKES).replace("\u2019", "'")


@dataclass(frozen=True)
class _Rule:
    """A pattern of texts addressed to models, searched only near an anchor and, if given, a word of `context`."""

    name: str
    anchors: tuple[str, ...]
    #: If not empty, one of these words must be near the anchor.
    context: tuple[str, ...]
    pattern: re.Pattern[str]

    def holds(self, plain: str) -> bool:
        """Return whether it matches a normalised text."""
        return any(self.pattern.search(window) for window in self._windows(plain))

    def _windows(self, plain: str) -> Iterator[str]:
        """Yield the surroundings of the anchors, each position once."""
        if self.context and not any(word in plain for word in self.context):
            return
        end = -1
        for place in sorted(place for word in self.anchors for place in _places(plain, word)):
            if place >= end:
                end = place + _AFTER
                window = plain[max(0, place - _BEFORE) : end + _AFTER]
                if not self.context or any(word in window for word in self.context):
                    yield window


def _places(plain: str, word: str) -> Iterator[int]:
    place = plain.find(word)
    while place >= 0:
        yield place
        place = plain.find(word, place + 1)


@cache
def _rules() -> tuple[_Rule, ...]:
    """Return the rules of instructions.txt."""
    text = (files("everword.text") / "instructions.txt").read_text("utf-8")
    return tuple(map(_rule, text.split("\n[")[1:]))


def _rule(section: str) -> _Rule:
    name, _, body = section.partition("]\n")
    parts: dict[str, list[str]] = {"anchors": [], "context": [], "pattern": []}
    for line in body.splitlines():
        if line:
            kind, _, value = line.partition(": ")
            parts[kind].append(value)
    anchors, context = (_words(parts[kind]) for kind in ("anchors", "context"))
    pattern = "".join(parts["pattern"]).replace(_SPACE, " ")
    return _Rule(name, anchors, context, re.compile(pattern))


def _words(lines: list[str]) -> tuple[str, ...]:
    return tuple(word.replace(_SPACE, " ") for line in lines for word in line.split())
