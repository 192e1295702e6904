"""Finds matches of the patterns in a sentence, in linear time: each pattern is tried once at each word, without
backtracking.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everword_compactor.learning.extract.assertions import OPENERS
from everword_compactor.learning.extract.lexicon import STOPS, WORDS
from everword_compactor.learning.extract.model import TokenizedSentence
from everword_compactor.learning.extract.notation import ClaimPattern, Element, load_patterns
from everword_compactor.learning.extract.values import names, slots
from everword_compactor.learning.extract.values.read_value import Read
from everword_compactor.learning.extract.values.tastes import of_kind

_MARKS = frozenset(",;:()")
_CONTINUING = frozenset({"and", "then", "but", ",", "so", ";"})
_AUTHORS = frozenset({"i", "we"})
_SUBJECTS = _AUTHORS | frozenset({"he", "she", "they", "it", "you", "who", "that"})
#: Words that introduce another subject, until the author is named again.
_OTHERS = frozenset({"my", "our", "his", "her", "their", "the", "a", "your"})
_NOUNS = frozenset({"love", "like", "use", "play", "work", "study", "drive", "name"})
#: Words that begin a sentence without a subject, or continue one: "we packed up, moved to Porto".
_SUBJECTLESS = WORDS["subjectless"] | {"living", "based", "working"}
#: Words after a name between commas, or after a relative's name.
_CLOSING = frozenset({",", "who", "is", "'s", "has", "was", "and", "just", "turned", "had", "will"})
#: How many words a qualifier has at most.
_MOST_WORDS = 3
_LONGEST_GAP = 5
#: With these something else begins.
_ELSEWHERE = (
    _SUBJECTS
    | WORDS["auxiliaries"]
    | WORDS["unreal"]
    | WORDS["unsaid"]
    | frozenset({",", ";", ":", "(", ")", "but", "so", "because", "n't", "not", "than", "like"})
    | frozenset({"former", "formerly", "previously", "about", "his", "her", "their", "your"})
)
#: How many words of a kind are passed over.
_MOST_SKIPPED = 3

PATTERNS = load_patterns()


@dataclass(frozen=True)
class Match:
    """A pattern at a place of a sentence."""

    pattern: ClaimPattern
    values: Sequence[str]
    #: Qualifier of the attribute, such as `dentist` of an appointment.
    of: str
    begin: int
    end: int
    slot: str


def find_matches(sentence: TokenizedSentence) -> Iterator[Match]:
    """Yield the matches in a sentence, in the order of its words."""
    subject = ""
    tokens = sentence.tokens
    words = {token.low for token in tokens}
    for at, token in enumerate(tokens):
        head = token.low
        if head in _CONTINUING:
            if subject in _AUTHORS and _continues(sentence, at):
                head = subject
            elif at + 1 < len(tokens) and (tokens[at + 1].low in _OTHERS):
                subject = ""
        elif head in _SUBJECTS:
            subject = head
        candidates: Sequence[ClaimPattern] = _BY_WORD.get(head, ())
        if not token.text:
            candidates = _BY_AUTHOR
        if token.is_capital:
            candidates = (*candidates, *_BY_NAME)
        for pattern in candidates:
            if pattern.needed and pattern.needed.isdisjoint(words):
                continue
            if found := _match(pattern, sentence, at):
                yield found


def _continues(sentence: TokenizedSentence, at: int) -> bool:
    """Return whether a verb follows without its own subject: "I sold it and bought a car"."""
    following = sentence.tokens[at + 1].low if at + 1 < len(sentence.tokens) else ""
    if sentence.tokens[at].low in {",", ";", "so"}:
        return following in _SUBJECTLESS
    # "… the cake and love songs": a word that may be a noun begins no statement.
    return following not in _SUBJECTS and following not in _NOUNS and following not in _OTHERS


def _match(pattern: ClaimPattern, sentence: TokenizedSentence, begin: int) -> Match | None:
    at, values, of, slot = begin, [pattern.value] if pattern.value else [], "", ""
    elements = pattern.elements
    start = 0
    if elements[0].kind == "word":
        at, start = begin + 1, 1
    for number in range(start, len(elements)):
        element = elements[number]
        if element.kind == "word":
            if at < len(sentence.tokens) and sentence.tokens[at].low in element.words:
                at += 1
            elif not element.optional:
                return None
        elif element.kind == "skip":
            at = _skip(sentence, at, element.words, elements[number + 1 :])
        elif element.kind == "gap":
            at = _over_gap(sentence, at, elements[number + 1].words)
        elif element.kind in ("slot", "of"):
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
        elif not _satisfies(element.kind, sentence, begin, at):
            return None
    return Match(pattern, values, of, begin, at, slot)


def _over_gap(sentence: TokenizedSentence, at: int, words: frozenset[str]) -> int:
    """Return the next position of one of the words, if no other clause begins before it; else the same position."""
    for place in range(at, min(at + _LONGEST_GAP + 1, len(sentence.tokens))):
        low = sentence.tokens[place].low
        if low in words and place + 1 < len(sentence.tokens):
            following = sentence.tokens[place + 1]
            if following.is_capital or following.low in {"a", "an", "the"} or sentence.is_small:
                return place
        if low in _ELSEWHERE:
            break
    return at


def _satisfies(demand: str, sentence: TokenizedSentence, begin: int, at: int) -> bool:
    """Return whether a position satisfies a condition of a pattern."""
    lows = [token.low for token in sentence.tokens]
    if demand == "start":
        return all(low in OPENERS for low in lows[:begin])
    if demand == "end":
        return at >= len(lows) or _is_stop(sentence, at)
    if demand == "whole":
        return at >= len(lows)
    if demand == "closed":
        goes_on = lows[at : at + 2] in (["and", "i"], ["and", "me"])
        return at >= len(lows) or (lows[at] in _CLOSING and not goes_on)
    return lows[at : at + 1] != ["and"] or lows[at + 1 : at + 2] == ["no"]


def _is_stop(sentence: TokenizedSentence, at: int) -> bool:
    low = sentence.tokens[at].low
    # Such as a smiley.
    is_mark = not any(character.isalnum() for character in low) and low not in {"&", "+"}
    return is_mark or low in STOPS


def _skip(
    sentence: TokenizedSentence, at: int, words: frozenset[str], following: Sequence[Element]
) -> int:
    requested = following[0].words if following and not following[0].optional else frozenset()
    for _ in range(_MOST_SKIPPED):
        if at >= len(sentence.tokens):
            break
        low = sentence.tokens[at].low
        if words is _ADJECTIVES and at and sentence.tokens[at].is_capital:
            break  # A part of a name: "the Great North Run".
        if low in requested or not (low in words or (words is _ADJECTIVES and _is_measured(low))):
            break
        at += 1
    return at


def _is_measured(low: str) -> bool:
    """Return whether a word is an age or a length: `7-year-old`, `7`."""
    return low[0].isdigit() and (low.isdigit() or "-" in low)


def _read(
    element: Element, sentence: TokenizedSentence, at: int, following: Sequence[Element]
) -> Read | None:
    if element.kind == "slot":
        found = slots.SLOTS[element.slot](sentence, at)
        stopped = found and element.part == "value" and element.slot == "thing" and following
        return found if not stopped else _until(sentence, at, following)
    if element.slot == "drug":
        return names.drug(sentence, at)
    if element.slot == "medicine":
        return names.medicine(sentence, at)
    if element.slot == "office":
        found = _until(sentence, at, following)
        return found if found and found[0][0].split()[-1].lower() in WORDS["offices"] else None
    if element.slot == "event":
        return _event(sentence, at)
    if element.slot in ("kin", "only_kin", "folks"):
        # The token may replace a pronoun, so its word need not be in the text.
        token = sentence.tokens[at] if at < len(sentence.tokens) else None
        return ([token.text], at + 1) if token and token.low in WORDS[element.slot] else None
    if element.slot == "profession":
        return of_kind(element.slot)(sentence, at)
    found = _until(sentence, at, following)
    if found and element.slot == "kind":
        pets = {word.lower() for word in found[0][0].split()} & WORDS["pet"]
        return found if pets else None
    if found and element.slot == "work":
        return found if found[0][0].split()[-1].lower() in WORDS["works"] else None
    return found


def _event(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read the kind of an appointment: up to three words and then `appointment`, `flight` or the like."""
    for end in range(at + 1, min(at + _MOST_WORDS + 2, len(sentence.tokens) + 1)):
        low = sentence.tokens[end - 1].low
        if low in WORDS["event"]:
            begin = at if sentence.tokens[at].low != "'s" else at + 1
            return [sentence.slice(begin, end).replace(" 's ", " ")], end
        if (low != "'s" and _is_stop(sentence, end - 1)) or low in _AUTHORS:
            break
    return None


def _until(sentence: TokenizedSentence, at: int, following: Sequence[Element]) -> Read | None:
    """Read up to three words before one of the following element, or else to the end of the phrase."""
    words: set[str] = set()
    for element in following:
        if element.kind == "word":
            words |= element.words
            if not element.optional:
                break
    end = at
    while end < len(sentence.tokens) and sentence.tokens[end].low not in words:
        token = sentence.tokens[end]
        if end - at >= _MOST_WORDS or _is_stop(sentence, end) or not token.low[:1].isalpha():
            break
        end += 1
    return ([sentence.slice(at, end)], end) if end > at else None


_ADJECTIVES = WORDS["adjectives"]
_BY_WORD: dict[str, list[ClaimPattern]] = defaultdict(list)
for _pattern in PATTERNS:
    _first = _pattern.elements[0]
    for _word in WORDS["event"] if _first.slot == "event" else _first.words:
        _BY_WORD[_word].append(_pattern)
_BY_NAME = [pattern for pattern in PATTERNS if pattern.elements[0].kind == "slot"]
#: A missing subject was "I" or "we".
_BY_AUTHOR = [*_BY_WORD["i"], *(each for each in _BY_WORD["we"] if each not in _BY_WORD["i"])]
