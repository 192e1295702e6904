"""Find events that a question names instead of a date: `before I moved to Leeds`, `the day after the wedding`.

The caller searches for `Event.words`, takes the day from the best message (`day_of_event`), and gets the question's
period from `Event.period`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

import regex

from everword.text.periods.find import Period, find_periods
from everword.text.periods.lexicon import without_unknown_digits
from everword.text.periods.spans import DAY, adjacent_period

#: Characters of a question that are read.
_LONGEST = 500
_UNITS = {
    "day": "day tag tage tagen día días jour jours dag dager dagen night morning evening",
    "week": "week weeks woche wochen semana semanas semaine semaines uke uker uka uken",
    "weekend": "weekend weekends wochenende",
    "month": "month months monat monate monaten mes meses mois måned måneder måneden",
    "year": "year years jahr jahre jahren año años an ans année années år året",
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words.split()} | {
    "days": "day"
}
_BEFORE = "before|bevor|vor|antes de(?: que)?|antes del|avant(?: que)?|før"
_AFTER = (
    "after|since|following|nachdem|nach|seit|seitdem|después de(?: que)?|después del|desde(?: que)?|après"
    "|depuis(?: que)?|etter(?: at)?|siden"
)
_OF = "of|der|des|de|del|du"
#: Only "the day of …" names the event's time. "The opening night of the studio" is an event itself.
_ITS_DAY = "day|tag|día|jour|dag"
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
#: First words of the clause or noun that names an event.
_FIRST_WORDS = (
    "i|we|he|she|they|my|our|his|her|their|the|ich|wir|er|sie|mein(?:e[rnm]?)?|unser(?:e[rnm]?)?|dem|der|den|die|das"
    "|yo|mi|mis|nuestr[ao]|el|la|los|las|mudarme|irme|casarme|me|je|nous|il|elle|mon|ma|mes|notre|le|les|jeg|vi|han|hun"
)
_EVENT = regex.compile(
    rf"\b(?:(?P<day>{_ITS_DAY}) (?:{_OF})|"
    rf"(?:(?:(?P<number>\d{{1,2}}|{'|'.join(_NUMBERS)}) )?(?P<unit>{'|'.join(_UNIT_OF)}) )?"
    rf"(?:(?P<before>{_BEFORE})|(?P<after>{_AFTER}))) "
    rf"(?P<words>(?:(?:{_FIRST_WORDS})\b|(?-i:\p{{Lu}}\p{{Ll}}+))[^?.!,;:\n]{{3,120}})",
    regex.IGNORECASE,
)
#: Questions about a duration, such as "how long after the wedding", name no period to search in.
_DISTANCE = regex.compile(
    r"\bhow (?:long|many|soon|much)\b|\bwie (?:lange|viele)\b", regex.IGNORECASE
)
#: Maximum distance of an event's day from the message about it.
_NEAR = timedelta(days=31)
_MIN_CONFIDENCE = 0.8
#: Units of periods that are short enough to be the day of an event.
_DAYS = frozenset({"day", "days", "part", "weekend"})


@dataclass(frozen=True)
class Event:
    """An event, and a period relative to it."""

    #: Words to search for the event, such as `I moved to Leeds`.
    words: str
    #: -1 before the event, 1 after it, 0 on it.
    direction: int
    #: Unit of the distance, such as `week` in "two weeks after"; empty for all time before or after the event.
    unit: str
    #: Number of units; 1 if the question gives none.
    number: int

    def period(self, day: date) -> tuple[date | None, date | None]:
        """Return the first day of the period and the day after its last one, if the event was on `day`.

        None means no limit on that side.
        """
        if not self.unit:
            # People talk about an event on its day, too.
            return (None, day + DAY) if self.direction < 0 else (day, None)
        if self.direction == 0:
            return day, day + DAY
        return adjacent_period(day, day + DAY, self.unit, -self.direction * self.number)


def find_event(text: str, periods: Sequence[Period]) -> Event | None:
    """Return the event that a question names its time by; None if there is none.

    `periods` are the times found in the question; an event that overlaps one of them is ignored.
    """
    text = without_unknown_digits(text[:_LONGEST])
    if _DISTANCE.search(text):
        return None
    for match in _EVENT.finditer(text):
        if any(each.begins < match.end() and match.start() < each.ends for each in periods):
            continue
        unit = "day" if match["day"] else _UNIT_OF.get((match["unit"] or "").lower(), "")
        direction = -1 if match["before"] else 1 if match["after"] else 0
        written = (match["number"] or "one").lower()
        return Event(match["words"].strip(), direction, unit, _NUMBERS.get(written) or int(written))
    return None


def day_of_event(text: str, said_at: datetime, zone: tzinfo) -> date:
    """Return the day of a message's event: a day that the message names, otherwise the day of the message."""
    for period in find_periods(text, said_at, zone):
        start = period.start
        if (
            start
            and period.unit in _DAYS
            and period.confidence >= _MIN_CONFIDENCE
            and abs(start - said_at) <= _NEAR
        ):
            return start.date()
    return said_at.astimezone(zone).date()
