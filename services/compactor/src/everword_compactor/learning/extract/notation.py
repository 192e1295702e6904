"""Reads the patterns of `patterns/`: one per line, an attribute and the words that state it.

word|other     one of these words           word?      it may be missing
@adverb        up to three adverbs          @pet       a word of a kind, of lexicon.txt
@adj           up to three adjectives       @severely  up to three words of that kind
<place>        the value, as slots.py reads it
<:place>       a value that is read and ignored
{of}           up to three words that go before the attribute's name: "dentist" makes it dentist_appointment
!attribute     ends a value; !attribute without <…> ends any current value
~              the attribute of the person mentioned just before
attribute=x    the words state the value x
@gap           up to five words before the next part, in which no other clause begins
@whole         the sentence ends here
@start         only at the start of the sentence, or after "so", "well" and the like
@closed        a mark, or the end, or a verb follows
@alone         no "and a …" follows
$              the clause ends here
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from everword_compactor.learning.extract.lexicon import WORDS

_BE = frozenset({"am", "'m", "m", "are", "'re", "is", "'s"})
#: Words that any number of is passed over, up to three.
_SKIPPED = {"@adverb": "adverbs", "@adj": "adjectives", "@severely": "severely"}
_MARKS = {"$": "end", "@start": "start", "@closed": "closed", "@alone": "alone", "@whole": "whole"}
#: So common that they tell no sentence from another.
_COMMON = _BE | WORDS["common"]


@dataclass(frozen=True)
class Element:
    """A part of a pattern."""

    #: `word`, `skip`, `slot`, `of`, or a condition on the position: `end`, `start`, `closed`, `alone`.
    kind: str
    words: frozenset[str] = frozenset()
    optional: bool = False
    #: The kind of a value, or of a qualifier.
    slot: str = ""
    #: Use of the value: `value`, `of` for the attribute's qualifier, or ignored.
    part: str = "value"


@dataclass(frozen=True)
class ClaimPattern:
    """Words that say something of an attribute."""

    #: Empty for the attribute of the person mentioned just before.
    attribute: str
    #: The value stated by the words; empty if a slot reads it.
    value: str
    retracts: bool
    elements: tuple[Element, ...]
    #: A sentence without any of these does not match.
    needed: frozenset[str]


def load_patterns() -> list[ClaimPattern]:
    """Return the patterns, in the order of their files' names."""
    folder = files("everword_compactor.learning.extract").joinpath("patterns")
    texts = [each.read_text("utf-8") for each in sorted(folder.iterdir(), key=lambda p: p.name)]
    lines = [line for text in texts for line in text.splitlines()]
    return [_parse(line) for line in lines if line and line[0] != "#"]


def _parse(line: str) -> ClaimPattern:
    head, _, body = line.partition(": ")
    elements = tuple(_element(word) for word in body.split())
    attribute, _, value = head.lstrip("!~").partition("=")
    return ClaimPattern(attribute, value, head[0] == "!", elements, _needed(elements))


def _needed(elements: tuple[Element, ...]) -> frozenset[str]:
    """Return the words of the most distinctive part of a pattern."""
    mandatory = [each.words for each in elements[1:] if each.kind == "word" and not each.optional]
    telling = [words for words in mandatory if not words & _COMMON]
    return min(telling or mandatory, key=len, default=frozenset())


def _element(text: str) -> Element:
    optional = text.endswith("?")
    text = text.removesuffix("?")
    if text in _MARKS:
        return Element(_MARKS[text])
    if text == "@gap":
        return Element("gap")
    if text in _SKIPPED:
        return Element("skip", WORDS[_SKIPPED[text]])
    if text[0] == "<":
        slot, _, part = text.strip("<>").partition(":")
        if not slot:
            slot = {"dose": "amount"}.get(part, part)
            return Element("slot", slot=slot, optional=optional, part="")
        return Element("slot", slot=slot, optional=optional, part="of" if part == "of" else "value")
    if text == "{:}":
        return Element("of", optional=optional, part="")
    if text[0] == "{":
        return Element("of", slot=text.strip("{}").partition(":")[2], optional=optional, part="of")
    words: set[str] = set()
    for word in text.split("|"):
        words |= _BE if word == "@be" else WORDS[word[1:]] if word[0] == "@" else {word}
    return Element("word", frozenset(words), optional)
