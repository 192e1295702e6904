"""Months, days of the week and seasons, by name, in some languages."""

from __future__ import annotations

from collections.abc import Iterator, Set
from datetime import date

import regex

from everword.text.periods.words import LANGUAGES
from everword.text.values.fold_text import Key

#: A day of the week, from 0 for Monday.
WEEKDAY = "weekday"
#: A season, from 0 for spring.
SEASON = "season"

#: Languages whose names are checked in texts of any language.
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
_SHORT_MONTHS = (
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "jan feb mrz apr mai jun jul aug sept okt nov dez",
)
_SHORT_WEEKDAYS = dict(
    zip(["mon", "tue", "wed", "thu", "fri", "sat", "sun"], range(7), strict=True)
)


def _names(kind: str, first: int, most: int | None = None) -> dict[str, int]:
    """Return the numbers of names from the parser's word lists; `most` limits the alternatives of each name."""
    return {
        name.strip(): number
        for language in _LANGUAGES
        for number, names in enumerate(LANGUAGES[language][kind].split(","), first)
        for name in names.split("|")[:most]
    }


def _seasons() -> dict[str, int]:
    seasons = ("spring", "summer", "autumn", "winter")
    return {
        name.strip(): seasons.index(season)
        for language in _LANGUAGES
        for kind in ("seasons", "weak seasons")
        for season, names in LANGUAGES[language].get(kind, {}).items()
        for name in names.split(",")
        if " " not in name.strip()
    }


#: Month from 1 to 12 by name.
MONTHS = _names("months", 1) | {
    name: month for line in _SHORT_MONTHS for month, name in enumerate(line.split(), 1)
}
# Further alternatives are ambiguous: in Portuguese, `segunda` is also "the second".
_WEEKDAYS = _names("weekdays", 0, 1) | {"sonnabend": 5}
_SEASONS = _seasons()
_SHORT_WEEKDAYS |= {
    "tues": 1,
    "thur": 3,
    "thurs": 3,
    "segunda": 0,
    "terça": 1,
    "quarta": 2,
    "quinta": 3,
    "sexta": 4,
}
_WEEKDAY_WORDS = _WEEKDAYS | _SHORT_WEEKDAYS | {f"{name}s": day for name, day in _WEEKDAYS.items()}
#: Days of the week by name.
WEEKDAY_NAMES = frozenset(_WEEKDAYS) | {f"{name}s" for name in _WEEKDAYS}
_WEEKDAY = regex.compile(rf"\b(?P<name>{'|'.join(_WEEKDAYS)})s?\b")
# "Spring" and "fall" are ambiguous; next to these words they are seasons.
_SURE_SEASON = regex.compile(
    r"\b(?:in|during|since|until|till|by|this|last|next|each|every|early|late|im|am|seit|bis|diesen|letzten"
    r"|nächsten|en|au|cet|cette|l'|este|esta|el|la|quest'|nel|no|na|deze|afgelopen|volgende)"
    rf" ?(?:the )?(?P<name>{'|'.join(_SEASONS)})\b|\b(?P<dated>{'|'.join(_SEASONS)}) (?:of )?[0-9]{{4}}\b"
)


def find_calendar_words(folded: str) -> Iterator[tuple[str, Key]]:
    """Yield the unambiguous weekdays and seasons in a lower-case text, with the required key of each."""
    for match in _WEEKDAY.finditer(folded):
        yield match["name"], (WEEKDAY, _WEEKDAYS[match["name"]])
    for match in _SURE_SEASON.finditer(folded):
        name = match["name"] or match["dated"]
        yield name, (SEASON, _SEASONS[name])


def calendar_word_keys(words: Set[str]) -> set[Key]:
    """Return the keys supported by the lower-case words of a source; short and ambiguous names included."""
    keys: set[Key] = {(WEEKDAY, day) for name, day in _WEEKDAY_WORDS.items() if name in words}
    keys.update((SEASON, season) for name, season in _SEASONS.items() if name in words)
    return keys


def keys_of_day(year: int, month: int, day: int) -> set[Key]:
    """Return the weekday and the season of a date, as far as it says them; the season of either half of the globe."""
    keys: set[Key] = set()
    if month:
        season = (month - 3) % 12 // 3
        keys |= {(SEASON, season), (SEASON, (season + 2) % 4)}
    if year and month and day:
        try:
            keys.add((WEEKDAY, date(year, month, day).weekday()))
        except ValueError:
            # 31 June.
            return keys
    return keys
