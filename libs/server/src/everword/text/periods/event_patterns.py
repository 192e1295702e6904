"""Patterns of phrases that name a time by an event, such as `the day after …`, from the word lists of each language.

`events` of a language maps a relation to its phrases. A phrase is a regular expression with these symbols:

    …   the event: before the relation, any words; after it, words that begin with a name or one of `first` or `nouns`
    *   the event, which begins with any word
    N   the event, by one of `nouns` and the words around it; `end` are words that the event does not contain
    V   the event, by one of `verbs` and the words around it
    _   a unit with or without a number, such as `two weeks`

A relation is `before` or `after`, alone or after a unit: `day after` for `翌日`, and `unit after` if phrases contain
the unit. `on` is the event's day. `duration` are words of questions such as "how long after the wedding".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import regex

from everword.text.periods.words import LANGUAGES

#: Punctuation that ends an event.
_END = r"?.!,;:\n。、，？！؟；।"
_ANY = rf"[^{_END}]"
#: Languages that write no spaces between words.
_UNSPACED = frozenset({"ja", "zh", "th"})
#: Relations from the most specific one: "the day after" is also "after".
_RELATIONS = (
    *("day before", "day after", "week after", "month after", "year after"),
    *("unit before", "unit after", "on", "before", "after"),
)
#: Characters before a relation that may be its event.
_LONGEST_PRECEDING = 40
_SYMBOL = regex.compile(r"_\? ?|[…*N_V]")


@dataclass(frozen=True)
class EventPattern:
    """A pattern of a phrase, with the groups `unit` and `number` if the phrase may contain a unit."""

    #: With the group `words` if the event is after the relation; otherwise without the event.
    pattern: regex.Pattern[str]
    #: The end of the text before the relation, with the group `words`; None if the event is after the relation.
    preceding: regex.Pattern[str] | None
    #: -1 before the event, 1 after it, 0 on it.
    direction: int
    #: The unit that the relation itself names; empty if none.
    unit: str

    def find(self, text: str) -> Iterator[tuple[regex.Match[str], tuple[int, int]]]:
        """Yield the matches, and where the event begins and ends."""
        for match in self.pattern.finditer(text):
            if self.preceding is None:
                yield match, match.span("words")
                continue
            # A search that begins with the event would try each character of a text as its beginning.
            begins = max(match.start() - _LONGEST_PRECEDING, 0)
            if event := self.preceding.search(text[begins : match.start()]):
                yield match, (begins + event.start("words"), match.start())


@dataclass(frozen=True)
class EventGrammar:
    """The patterns of a language."""

    #: The words of all relations; a text without them names no event, and most texts have none.
    cues: regex.Pattern[str]
    patterns: Sequence[EventPattern]
    duration: regex.Pattern[str] | None
    #: Names of units by their words.
    units: Mapping[str, str]
    numbers: Mapping[str, int]


def plain(text: str) -> str:
    """Return the text with Latin, Cyrillic and Arabic letters without accents; each character keeps its place."""
    return text if text.isascii() else "".join(map(_plain_character, text))


@lru_cache(maxsize=4096)
def _plain_character(character: str) -> str:
    if character > _LAST_ACCENTED or not character.isalpha():
        return character
    return _SAME.get(character) or unicodedata.normalize("NFKD", character)[0]


#: The last letter of the scripts whose accents are often left out.
_LAST_ACCENTED = "\u06ff"
#: Arabic letters that are written in two ways.
_SAME = {"ى": "ي", "ة": "ه"}


@lru_cache(maxsize=32)
def event_grammar(language: str) -> EventGrammar | None:
    """Return the patterns of a language; None if it has none."""
    source = LANGUAGES[language]
    events: Mapping[str, str] | None = source.get("events")
    if events is None:
        return None
    units, numbers = dict(_units(source)), dict(_numbers(source))
    symbols = _Symbols(language, events, units, numbers)
    named = [
        (relation, phrase)
        for relation in _RELATIONS
        for phrase in _phrases(events.get(relation, ""))
    ]
    patterns = [
        EventPattern(*symbols.compile(phrase), _direction(relation), _unit(relation))
        for relation, phrase in named
    ]
    cues = "|".join(_SYMBOL.sub("", phrase) for _, phrase in named)
    duration = "|".join(_phrases(events.get("duration", "")))
    return EventGrammar(
        _compiled(cues), patterns, _compiled(duration) if duration else None, units, numbers
    )


def _direction(relation: str) -> int:
    return {"before": -1, "after": 1}.get(relation.rpartition(" ")[2], 0)


def _unit(relation: str) -> str:
    unit = "day" if relation == "on" else relation.rpartition(" ")[0]
    return "" if unit == "unit" else unit


def _phrases(written: str) -> list[str]:
    return [plain(each.strip()) for each in written.split(",") if each.strip()]


def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.IGNORECASE)


def _units(source: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for unit, phrases in source["units"].items():
        if unit != "hour":
            yield from ((phrase, unit) for phrase in _phrases(phrases))
    yield from ((phrase, "weekend") for phrase in _phrases(source.get("K", "")))
    for phrases in source["parts"].values():
        # "The night after the wedding" is the day after it.
        yield from ((phrase, "day") for phrase in _phrases(phrases))


def _numbers(source: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for number, words in enumerate(source["numbers"].split(","), 1):
        yield from ((plain(word.strip()), number) for word in words.split("|"))


def _alternatives(words: Sequence[str]) -> str:
    """Return a pattern of words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


class _Symbols:
    """Replaces the symbols of phrases by patterns."""

    def __init__(
        self,
        language: str,
        events: Mapping[str, str],
        units: Mapping[str, str],
        numbers: Mapping[str, int],
    ) -> None:
        self._is_spaced = language not in _UNSPACED
        self._first, self._nouns, self._verbs, self._end = (
            _alternatives(_phrases(events.get(key, "")))
            for key in ("first", "nouns", "verbs", "end")
        )
        number = rf"(?:(?P<number>\d{{1,2}}|{_alternatives(list(numbers))}) ?)?"
        self._unit = rf"{number}(?P<unit>{_alternatives(list(units))})"

    def compile(self, phrase: str) -> tuple[regex.Pattern[str], regex.Pattern[str] | None]:
        """Return the pattern, and that of the text before it, as in `EventPattern`."""
        if phrase[-1] in "…*N":
            starts = r"(?<!\p{L})" if self._is_spaced else ""
            return _compiled(
                starts + _SYMBOL.sub(lambda each: self._following(each[0]), phrase)
            ), None
        ends = _compiled(f"(?P<words>{self._preceding(phrase[0])})$")
        return _compiled(_SYMBOL.sub(lambda each: self._following(each[0]), phrase[1:])), ends

    def _following(self, symbol: str) -> str:
        if symbol.startswith("_"):
            return self._unit if symbol == "_" else f"(?:{self._unit}{symbol[2:]})?"
        return f"(?P<words>{self._words(symbol)})"

    def _words(self, symbol: str) -> str:
        if symbol == "*":
            return f"{_ANY}{{3,120}}"
        if symbol == "…":
            named = rf"(?:(?:{self._first})\b|(?-i:\p{{Lu}}\p{{Ll}}+)){_ANY}{{3,120}}"
            return rf"(?:{named}|(?:{self._nouns})\b{_ANY}{{0,120}})" if self._nouns else named
        if self._is_spaced:
            return rf"(?:\p{{L}}+ ){{0,2}}\p{{L}}{{0,2}}(?:{self._nouns}){_ANY}{{0,80}}"
        return rf"(?:{self._nouns})[^\s{_END}]{{0,40}}?(?={self._end}|[\s{_END}]|$)"

    def _preceding(self, symbol: str) -> str:
        match symbol:
            case "N":
                return f"{_ANY}{{0,20}}(?:{self._nouns})"
            case "V":
                return f"{_ANY}{{0,12}}(?:{self._verbs}){_ANY}{{1,10}}"
        return f"{_ANY}{{2,}}"
