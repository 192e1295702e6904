"""Finds what patterns.txt describes. It looks at a place of a sentence once a pattern, and never goes back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from everword_compactor.learning.extract import naming, slots
from everword_compactor.learning.extract.lexicon import STOPS, WORDS
from everword_compactor.learning.extract.model import Sentence
from everword_compactor.learning.extract.reading import Read

_ADVERBS = WORDS["adverbs"]
_BE = frozenset({"am", "'m", "m", "are", "'re", "is", "'s"})
_MARKS = frozenset(",;:()")
_CONTINUING = frozenset({"and", "then", "but"})
_SUBJECTS = frozenset({"i", "we", "he", "she", "they", "it", "you", "who", "that"})
_NOUNS = frozenset({"love", "like", "hate", "use", "play", "work", "study", "drive", "name"})
#: What begins a sentence without its subject.
_SUBJECTLESS = WORDS["subjectless"]
#: How many words a qualifier has at most.
_MOST_WORDS = 3


@dataclass(frozen=True)
class Element:
    """A part of a pattern."""

    #: `word`, `adverbs`, `slot`, `of` or `end`.
    kind: str
    words: frozenset[str] = frozenset()
    optional: bool = False
    #: The kind of a value, or of a qualifier.
    slot: str = ""
    #: What is read is `value`, `of` the thing that it is about, or passed over.
    part: str = "value"


@dataclass(frozen=True)
class Pattern:
    """Words that say something of an attribute."""

    attribute: str
    #: What the words say; empty where it stands in them.
    value: str
    retracts: bool
    needs_kind: bool
    elements: tuple[Element, ...]


@dataclass(frozen=True)
class Match:
    """A pattern at a place of a sentence."""

    pattern: Pattern
    values: Sequence[str]
    #: What the attribute is about: `dentist` of an appointment.
    of: str
    begin: int
    end: int
    slot: str


def find_matches(sentence: Sentence) -> Iterator[Match]:
    """Yield what is found in a sentence, in the order of its words."""
    subject = ""
    if sentence.tokens[0].low in _SUBJECTLESS:
        # "Moved to Lisbon!"
        yield from filter(None, (_match(pattern, sentence, -1) for pattern in _BY_WORD["i"]))
    for at, token in enumerate(sentence.tokens):
        head = token.low
        if head in _CONTINUING and subject in {"i", "we"} and _continues(sentence, at):
            head = subject
        elif head in _SUBJECTS:
            subject = head
        candidates = _BY_WORD.get(head, ())
        if token.is_capital:
            candidates = (*candidates, *_BY_NAME)
        for pattern in candidates:
            if found := _match(pattern, sentence, at):
                yield found


def _continues(sentence: Sentence, at: int) -> bool:
    """Tell whether a verb follows without a subject of its own: "I sold it and bought a car"."""
    following = sentence.tokens[at + 1].low if at + 1 < len(sentence.tokens) else ""
    # "… the cake and love songs": what may be a noun begins no statement.
    return following not in _SUBJECTS and following not in _NOUNS


def _match(pattern: Pattern, sentence: Sentence, begin: int) -> Match | None:
    at, values, of, slot = begin, [pattern.value] if pattern.value else [], "", ""
    elements = pattern.elements
    start = 0
    if elements[0].kind == "word":
        at, start = begin + 1, 1
    for number in range(start, len(elements)):
        element = elements[number]
        if element.kind == "start":
            if begin > 0:
                return None
        elif element.kind == "end":
            if at < len(sentence.tokens) and not _is_stop(sentence, at):
                return None
        elif element.kind == "adverbs":
            at = _skip_adverbs(sentence, at)
        elif element.kind == "word":
            if at < len(sentence.tokens) and sentence.tokens[at].low in element.words:
                at += 1
            elif not element.optional:
                return None
        else:
            read = _read(element, sentence, at, elements[number + 1 :])
            if read is None:
                if element.optional:
                    continue
                return None
            found, at = read
            if element.part == "value":
                values, slot = list(found), element.slot
            elif element.part == "of":
                of = " ".join(found)
    return Match(pattern, values, of, begin, at, slot)


def _is_stop(sentence: Sentence, at: int) -> bool:
    low = sentence.tokens[at].low
    return low in _MARKS or low in STOPS


def _skip_adverbs(sentence: Sentence, at: int) -> int:
    for _ in range(3):
        if at < len(sentence.tokens) and sentence.tokens[at].low in _ADVERBS:
            at += 1
    return at


def _read(
    element: Element, sentence: Sentence, at: int, following: Sequence[Element]
) -> Read | None:
    if element.kind == "slot":
        found = slots.SLOTS[element.slot](sentence, at)
        stopped = found and element.part == "value" and element.slot == "thing" and following
        return found if not stopped else _until(sentence, at, following[0].words)
    if element.slot == "drug":
        return naming.drug(sentence, at)
    if element.slot == "kind":
        found = _until(sentence, at, following[0].words)
        pets = found and {word.lower() for word in found[0][0].split()} & WORDS["pet"]
        return found if pets else None
    return _until(sentence, at, following[0].words if following else frozenset())


def _until(sentence: Sentence, at: int, words: frozenset[str]) -> Read | None:
    """Read up to three words before one of `words`; without any, to the end of what is said."""
    end = at
    while end < len(sentence.tokens) and sentence.tokens[end].low not in words:
        token = sentence.tokens[end]
        if end - at >= _MOST_WORDS or _is_stop(sentence, end) or not token.low[0].isalpha():
            break
        end += 1
    return ([sentence.slice(at, end)], end) if end > at else None


def _parse(line: str) -> Pattern:
    head, _, body = line.partition(": ")
    elements = tuple(_element(word) for word in body.split())
    attribute, _, value = head.lstrip("!^").partition("=")
    return Pattern(attribute, value, head[0] == "!", head[0] == "^", elements)


def _element(text: str) -> Element:
    optional = text.endswith("?")
    text = text.removesuffix("?")
    if text == "$":
        return Element("end")
    if text == "@start":
        return Element("start")
    if text == "@adverb":
        return Element("adverbs")
    if text[0] == "<":
        slot, _, part = text.strip("<>").partition(":")
        if not slot:
            # Passed over: <:job>
            slot = {"dose": "amount"}.get(part, part)
            return Element("slot", slot=slot, optional=optional, part="")
        return Element("slot", slot=slot, optional=optional, part="of" if part == "of" else "value")
    if text[0] == "{":
        return Element("of", slot=text.strip("{}").partition(":")[2], optional=optional, part="of")
    words: set[str] = set()
    for word in text.split("|"):
        words |= _BE if word == "@be" else WORDS[word[1:]] if word[0] == "@" else {word}
    return Element("word", frozenset(words), optional)


_LINES = files("everword_compactor.learning.extract").joinpath("patterns.txt").read_text("utf-8")
PATTERNS = [_parse(line) for line in _LINES.splitlines() if line and line[0] != "#"]
_BY_WORD: dict[str, list[Pattern]] = defaultdict(list)
for _pattern in PATTERNS:
    for _word in _pattern.elements[0].words:
        _BY_WORD[_word].append(_pattern)
_BY_NAME = [pattern for pattern in PATTERNS if pattern.elements[0].kind == "slot"]
