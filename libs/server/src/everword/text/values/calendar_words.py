"""Days of the week and seasons, by name, in some languages."""

from __future__ import annotations

from collections.abc import Iterator, Set
from datetime import date

import regex

from everword.text.values.fold_text import Key

#: A day of the week, from 0 for Monday.
WEEKDAY = "weekday"
#: A season, from 0 for spring.
SEASON = "season"

_WEEKDAY_LINES = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
)
_SEASON_LINES = (
    "spring summer autumn winter",
    "springtime summertime fall wintertime",
    "frühling sommer herbst winter",
    "frühjahr hochsommer spätherbst winter",
    "printemps été automne hiver",
    "primavera verano otoño invierno",
    "primavera estate autunno inverno",
    "primavera verão outono inverno",
    "lente zomer herfst winter",
)
_SHORT = "mon tue wed thu fri sat sun"
_WEEKDAYS = {name: day for line in _WEEKDAY_LINES for day, name in enumerate(line.split())}
_WEEKDAYS["sonnabend"] = 5
_SEASONS = {name: season for line in _SEASON_LINES for season, name in enumerate(line.split())}
_SHORT_WEEKDAYS = {name: day for day, name in enumerate(_SHORT.split())}
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
