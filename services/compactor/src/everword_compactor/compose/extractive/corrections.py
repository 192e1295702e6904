"""Corrections among lines: a date or time that a later line replaces is written as `… on the 21st (first: 14th)`.

Only dates, days and times are replaced, in lines on the same topic. A line with another outdated value, such as a name,
is left out if the correction says all the rest of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache

import regex

from everword.text.analysis import folded_words
from everword.text.values.calendar_words import MONTHS, WEEKDAY_NAMES
from everword_compactor.compose.cues import WORDS
from everword_compactor.compose.extractive.phrases import word_weight

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_WEEKDAY = "|".join(sorted(WEEKDAY_NAMES, key=len, reverse=True))
_VALUE = regex.compile(
    r"(?P<date>\b\d{4}-\d\d-\d\d\b)"
    r"|(?P<time>\b\d{1,2}:\d\d(?:\s?[ap]\.?m\b)?|\b\d{1,2}\s?(?:[ap]\.?m\b|uhr\b|o'clock\b))"
    r"|(?P<day>\b\d{1,2})(?:(?:st|nd|rd|th)\b"
    rf"|(?=\.?\s+(?:of\s+)?(?:{_MONTH})\b)|(?<=\b(?:am|vom|zum|den|der|dem)\s\d{{1,2}})\.)"
    rf"|(?<=\b(?:{_MONTH})\s)(?P<day>\d{{1,2}})\b"
    rf"|\b(?P<weekday>{_WEEKDAY})\b"
    r"|(?P<number>\d[\d.,]*\d|\d)"
    r"|(?<=^|[\p{L}\p{N},;:]\s)(?P<name>(?-i:\p{Lu})[\p{L}\p{M}’'-]+)",
    regex.IGNORECASE,
)
#: Kinds of values that are replaced: anything else can be true of the past.
_REPLACED = {"date", "time", "day", "weekday"}
_BEFORE_WRONG = regex.compile(
    r"\b\L<words>(?:\s+\p{L}+){0,2}\s*$", regex.IGNORECASE, words=sorted(WORDS["wrong"])
)
_DIRECTLY_BEFORE_WRONG = regex.compile(
    r",\s+\L<words>\s+$", regex.IGNORECASE, words=sorted(WORDS["wrong"])
)
_CLAUSE_END = regex.compile(r"\s*[.!;]?\s*$")
_FROM = regex.compile(r"\b(?:from|von|vom)(?:\s+\p{L}+)?\s*$", regex.IGNORECASE)
_TO = regex.compile(r"^[^.;]{0,30}?\b(?:to|auf|nach|zum)\b", regex.IGNORECASE)
_TRIGGERS = frozenset(
    word
    for kind in ("wrong", "meant", "change")
    for cue in WORDS[kind]
    for word in folded_words(cue)[:1]
)
#: Words of corrections, which name no topic.
_IGNORED = _TRIGGERS | frozenset(word for cue in WORDS["correction"] for word in folded_words(cue))
_NOTE = regex.compile(r"\(first: (?P<values>[^()]*)\)")
_END = regex.compile(r"[.!?…]*$")
_ORDINAL_DOT = regex.compile(r"\.\s+\p{L}")
#: A word this common names no topic.
_LEAST_WEIGHT = 0.1
#: Words between the topic and the value, before it and after it.
_NEAR_BEFORE, _NEAR_AFTER = 10, 2
#: Lines before a correction without a topic that it can be about.
_LINES_BEFORE = 6
#: Lines before a correction that are compared with it at most.
_MOST_LINES = 5_000
#: Share of a line's topic that another one has to name to take its place.
_COVERED = 0.6


@dataclass(frozen=True)
class Line:
    """A line that may be corrected, or be a correction."""

    speaker: str
    text: str
    #: Kinds of its cues.
    kinds: frozenset[str]


@dataclass(frozen=True)
class _Place:
    """A value in a line."""

    start: int
    end: int
    kind: str
    #: In lower case; the number of a day.
    value: str
    text: str


@dataclass(frozen=True)
class _Change:
    """The correction that a line makes."""

    #: None if the line does not name it.
    wrong: _Place | None
    right: _Place


@dataclass(frozen=True)
class _Reader:
    """Returns the values and the topic of a text, each read once."""

    places: Callable[[str], list[_Place]]
    topic: Callable[[str], set[str]]


def correct_lines(lines: Sequence[Line]) -> tuple[list[str | None], set[int]]:
    """Return the texts of lines with corrected values, None for a line to leave out; and the places of corrections."""
    texts: list[str | None] = [line.text for line in lines]
    corrections = set[int]()
    # A correction is compared with many lines, and a line with many corrections.
    reader = _Reader(cache(_places), cache(_topic))
    for number, line in enumerate(lines):
        is_announced = "correction" in line.kinds
        if is_corrected(line.text) or (
            not is_announced and _TRIGGERS.isdisjoint(folded_words(line.text))
        ):
            continue
        for change in _changes(line.text, is_announced):
            corrections.add(number)
            _apply(texts, lines, number, change, reader)
    return texts, corrections


def is_corrected(text: str) -> bool:
    """Return whether a text has a value that replaced another."""
    return _NOTE.search(text) is not None


def _changes(text: str, is_announced: bool) -> list[_Change]:
    places = _places(text)
    found = []
    for place in places:
        same = [each for each in places if each.kind == place.kind and each.value != place.value]
        if not same:
            continue
        if _is_wrong(text, place):
            right = min(same, key=lambda each: abs(each.start - place.start))
            found.append(_Change(place, right))
        elif _FROM.search(text, 0, place.start) and _has("change", text):
            right = min(same, key=lambda each: (each.start < place.start, each.start))
            if _TO.search(text[place.end : right.start]):
                found.append(_Change(place, right))
    if found:
        return found
    dates = [place for place in places if place.kind in _REPLACED]
    if len(dates) == 1 and (is_announced or _has("meant", text)):
        return [_Change(None, dates[0])]
    return []


def _is_wrong(text: str, place: _Place) -> bool:
    """Return whether a line says that a value is wrong; of names and numbers only in a clause such as `, not Tom.`"""
    if place.kind in _REPLACED:
        return _BEFORE_WRONG.search(text, 0, place.start) is not None
    is_denied = _DIRECTLY_BEFORE_WRONG.search(text, 0, place.start) is not None
    return is_denied and _CLAUSE_END.match(text, place.end) is not None


def _apply(
    texts: list[str | None],
    lines: Sequence[Line],
    number: int,
    change: _Change,
    reader: _Reader,
) -> None:
    """Write a change into the lines before the one at `number`."""
    topic = reader.topic(lines[number].text)
    is_said = False
    for other in range(number - 1, max(-1, number - 1 - _MOST_LINES), -1):
        if not topic and (is_said or number - other > _LINES_BEFORE):
            break
        earlier = texts[other]
        if earlier is None or (
            change.wrong is None and lines[other].speaker != lines[number].speaker
        ):
            continue
        place = _outdated(earlier, change, topic, reader)
        if place is None:
            continue
        own = reader.topic(earlier)
        if place.kind in _REPLACED:
            texts[other] = _replaced(earlier, place, change.right)
            # Another speaker's correction stays, because the earlier line is not theirs.
            is_said |= topic <= own and lines[other].speaker == lines[number].speaker
        elif (
            not earlier.endswith("?")
            and len(own & topic) > 1
            and len(own - topic) <= (1 - _COVERED) * len(own)
        ):
            texts[other] = None
    if is_said:
        texts[number] = None


def _outdated(
    text: str, change: _Change, topic: AbstractSet[str], reader: _Reader
) -> _Place | None:
    """Return the value of an earlier line that a change is about; None if there is none."""
    note = _NOTE.search(text)
    plain = text[: note.start()] if note else text
    wrong = change.wrong
    if wrong is not None and wrong.value not in plain.lower():
        return None
    places = [place for place in reader.places(plain) if place.kind == change.right.kind]
    if any(place.value == change.right.value for place in places):
        return None
    if wrong is None:
        own = reader.topic(plain)
        shared = len(own & topic) / max(1, len(own | topic))
        return places[0] if len(places) == 1 and (not topic or shared >= _COVERED) else None
    for place in places:
        if place.value == wrong.value and (not topic or _is_near(plain, place, topic)):
            return place
    return None


def _is_near(text: str, place: _Place, topic: AbstractSet[str]) -> bool:
    before = folded_words(text[: place.start])[-_NEAR_BEFORE:]
    after = folded_words(text[place.end :])[:_NEAR_AFTER]
    if place.kind not in _REPLACED:
        before, after = folded_words(text), []
    return not topic.isdisjoint({_stem(word) for word in [*before, *after]})


def _replaced(text: str, place: _Place, right: _Place) -> str:
    new = right.text if place.text != place.value or right.kind != "day" else right.value
    changed = text[: place.start] + new + text[place.end :]
    # In German, the dot is of the number.
    old = f"{place.text}." if _ORDINAL_DOT.match(text, place.end) else place.text
    if note := _NOTE.search(changed):
        return f"{changed[: note.end() - 1]}, then {old}{changed[note.end() - 1 :]}"
    end = _END.search(changed)
    at = end.start() if end else len(changed)
    return f"{changed[:at]} (first: {old}){changed[at:]}"


def _places(text: str) -> list[_Place]:
    found = []
    for match in _VALUE.finditer(text):
        kind = match.lastgroup or ""
        value = match["day"] if kind == "day" else match[0].lower()
        found.append(_Place(match.start(), match.end(), kind, value, match[0]))
    return found


def _topic(text: str) -> set[str]:
    """Return the beginnings of the topic words of a line, without values and cues."""
    note = _NOTE.search(text)
    plain = _VALUE.sub(" ", text[: note.start()] if note else text)
    return {
        _stem(word)
        for word in folded_words(plain)
        if word not in _IGNORED and word not in MONTHS and word_weight(word) > _LEAST_WEIGHT
    }


def _stem(word: str) -> str:
    return word[:5]


def _has(kind: str, text: str) -> bool:
    return not WORDS[kind].isdisjoint(folded_words(text))
