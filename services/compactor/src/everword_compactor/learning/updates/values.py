"""Values in a sentence that a later sentence can replace: days, times, numbers and codes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from everword.text.analysis import folded_words
from everword.text.statements.clauses import stem
from everword.text.values.calendar_words import MONTHS, WEEKDAY_NAMES

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_WEEKDAY = "|".join(sorted(WEEKDAY_NAMES, key=len, reverse=True))
_WEEKDAY_KEYS = frozenset(name[:3] for name in WEEKDAY_NAMES)
_NUMBER_WORD = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty"
_NUMBERS = {
    word: str(number)
    for word, number in zip(
        _NUMBER_WORD.split("|"), (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 30), strict=True
    )
}
_UNITS = (
    r"minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|km|kilometres?|kilometers?|miles?|kg|kilos?|"
    r"pounds?|litres?|liters?|ml|mg|grams?|degrees|people|persons?|percent|%|rooms?|seats?|times"
)
_KINDS = ("day", "time", "code", "number")
_VALUE = regex.compile(
    r"(?P<day>\b\d{4}-\d\d-\d\d\b"
    rf"|\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(?P<m>{_MONTH})\b"
    rf"|\b(?P<m>{_MONTH})\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*[:\d])"
    r"|\b(?P<d>\d{1,2})(?:st|nd|rd|th)\b"
    r"|(?<=\bthe\s)(?P<d>\d{1,2})\b(?!\s*(?:[:.]\d|\p{L}))"
    rf"|\b(?P<w>{_WEEKDAY})s?\b|\b(?P<w>mon|tues?|weds?|thu|thurs?|fri)\b"
    r"|(?<=\b(?:on|to|till|until|this|next|is|for|not)\s)(?P<w>sat|sun|wed)\b|\b(?P<w>tomorrow)\b"
    rf"|(?<=\b(?:in|to|until|till|for|by|early|late|mid|not)\s)(?P<month>{_MONTH})\b)"
    r"|(?P<time>\b\d{1,2}[:.h]\d\d\b(?!\.?\d)(?:\s?[ap]\.?m\b)?|\b\d{1,2}\s?(?:[ap]m\b|o'?clock\b)"
    r"|\b(?:half|quarter)\s(?:past\s|to\s)?\p{L}+|\bnoon\b|\bmidnight\b"
    rf"|(?<=\bat\s)(?:\d{{1,2}}|{_NUMBER_WORD})\b(?!\s*(?:{_UNITS}|[%€$£\d]))(?!\s\p{{L}}+s\b))"
    r"|(?P<code>\b(?=[\p{L}\d-]*\d)(?=[\p{L}\d-]*\p{L})(?!\d+(?:k|st|nd|rd|th|g|m)\b)[\p{L}\d]+(?:-[\p{L}\d]+)*\b"
    r"|\bv\d+(?:\.\d+)+\b|\b\d{3,}[ -]\d{3,}(?:[ -]\d+)*\b|\b[A-Z](?=\s?\d{1,3}\b)\s?\d+)"
    rf"|(?P<number>[€$£]?\b\d[\d.,]*k?\b|\b(?:{_NUMBER_WORD})\b)(?:\s?(?P<unit>{_UNITS})(?!\p{{L}}))?",
    regex.IGNORECASE,
)


@dataclass(frozen=True)
class StatedValue:
    """A value in a sentence."""

    #: `day`, `time`, `code` or `number`.
    kind: str
    #: In a form that equal values share.
    key: str
    text: str
    start: int
    end: int
    unit: str = ""
    #: The words directly before and after a number or code.
    heads: frozenset[str] = frozenset()


def find_values(sentence: str) -> list[StatedValue]:
    return list(_values(sentence))


def _values(sentence: str) -> Iterator[StatedValue]:
    for match in _VALUE.finditer(sentence):
        kind = next(each for each in _KINDS if match[each] is not None)
        key = _key(match, kind, match[kind].lower())
        if key:
            start, end = match.span(kind)
            unit = (match["unit"] or "").lower().rstrip("s") if kind == "number" else ""
            yield StatedValue(
                kind, key, match[kind], start, end, unit, _heads(sentence, start, end)
            )


def _heads(sentence: str, start: int, end: int) -> frozenset[str]:
    before, after = folded_words(sentence[:start])[-1:], folded_words(sentence[end:])[:1]
    return frozenset(stem(word) for word in (*before, *after) if len(word) > 2)


def _key(match: regex.Match[str], kind: str, low: str) -> str:
    if kind == "day":
        if match["w"]:
            return match["w"].lower()[:3]
        if match["month"]:
            return match["month"].lower()[:3]
        if match["d"]:
            return f"{int(match['d'])}"
        return low
    if kind == "time":
        digits = regex.sub(r"[.h](?=\d\d)", ":", low).replace(" ", "")
        return _NUMBERS.get(digits, digits.removesuffix("o'clock"))
    if kind == "number":
        plain = low.strip("€$£").rstrip(".,")
        plain = regex.sub(r"[.,](?=\d{3}\b)", "", plain)
        if plain.endswith("k"):
            plain = (
                f"{float(plain[:-1].replace(',', '.')) * 1000:g}" if plain[0].isdigit() else plain
            )
        return _NUMBERS.get(plain, plain)
    return regex.sub(r"[\s-]", "", low)


def _form(key: str) -> str:
    """Return whether the key of a day is a number, a weekday or something else."""
    if key.isdigit():
        return "number"
    return "weekday" if key in _WEEKDAY_KEYS else "other"


def differs(new: StatedValue, old: StatedValue) -> bool:
    """Return whether two values are of one kind and exclude each other."""
    if new.kind != old.kind or new.key == old.key:
        return False
    # "In May" and "the 13th", or "Friday" and "the 13th", may be one day.
    if new.kind == "day" and _form(new.key) != _form(old.key):
        return False
    return not (new.unit and old.unit and new.unit != old.unit)
