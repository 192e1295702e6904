"""Periods relative to today that dateparser does not know in English: seasons, weekends, parts of days, spans."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import regex

from everword.text.calendar_terms import COUNT_WORDS, SEASON_MONTHS

_DAY = timedelta(days=1)
#: Patterns of the phrases that `relative_days` understands; NUMBER is replaced by numerals and number words.
ENGLISH = (
    r"(?:last|this|past) (?:spring|summer|autumn|fall|winter|weekend)",
    r"(?:past|previous) (?:(?:NUMBER|couple of|few) )?(?:day|week|month|year)s?",
    r"last (?:NUMBER|couple of|few) (?:day|week|month|year)s",
    r"(?:NUMBER couple of|NUMBER few|couple of|few) (?:day|week|month|year)s ago",
    r"(?:yesterday|this|last) (?:morning|afternoon|evening|night)",
    r"tonight",
)
#: First hour, and the hour after the last; a night ends on the next day.
_HOURS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 29)}
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
#: Each phrase of `ENGLISH` contains one of these words.
ENGLISH_WORDS = frozenset(
    {
        *SEASON_MONTHS,
        *_HOURS,
        *_UNIT_DAYS,
        *(f"{unit}s" for unit in _UNIT_DAYS),
        "weekend",
        "tonight",
    }
)
_COUNTS = {**COUNT_WORDS, "couple": 2, "few": 3}
_UNIT = regex.compile(r"(day|week|month|year)s?(?: ago)?$")


def relative_days(phrase: str, today: date) -> tuple[datetime, datetime] | None:
    """Return the first moment of the named period and the first moment after it.

    None if the phrase is not one of `ENGLISH`.
    """
    if phrase == "tonight":
        phrase = "this night"
    first, last = phrase.split()[0], phrase.split()[-1]
    if last in SEASON_MONTHS:
        return _season(SEASON_MONTHS[last], first == "this", today)
    if last == "weekend":
        saturday = today - ((today.weekday() - 5) % 7) * _DAY
        return _between(saturday, saturday + 2 * _DAY)
    if last in _HOURS and first in ("yesterday", "this", "last"):
        begins, ends = (timedelta(hours=hour) for hour in _HOURS[last])
        midnight = datetime.combine(today if first == "this" else today - _DAY, time())
        return midnight + begins, midnight + ends
    unit = _UNIT.search(phrase)
    number = _count(phrase)
    if unit and last == "ago" and number and ("couple" in phrase or "few" in phrase):
        middle, around = today - number * _UNIT_DAYS[unit[1]] * _DAY, _UNIT_DAYS[unit[1]] * _DAY
        return _between(middle - around, middle + around)
    if unit and (first in ("past", "previous") or (first == "last" and number)):
        # These are not calendar periods: the last two weeks end today.
        return _between(today - (number or 1) * _UNIT_DAYS[unit[1]] * _DAY, today + _DAY)
    return None


def days_of(unit: str, day: date) -> tuple[datetime, datetime] | None:
    """Return the first moment of the day, ISO week, month or year of `day`, and the first moment after it.

    None for other units.
    """
    match unit:
        case "day":
            return _between(day, day + _DAY)
        case "week":
            monday = day - day.weekday() * _DAY
            return _between(monday, monday + 7 * _DAY)
        case "month":
            first = day.replace(day=1)
            return _between(first, (first + 32 * _DAY).replace(day=1))
        case "year":
            return _between(day.replace(month=1, day=1), date(day.year + 1, 1, 1))
    return None


def _between(first: date, following: date) -> tuple[datetime, datetime]:
    return datetime.combine(first, time()), datetime.combine(following, time())


def _season(month: int, this: bool, today: date) -> tuple[datetime, datetime]:
    """Return the latest season of the northern hemisphere that has ended, or for `this` has begun; three months."""
    first = date(today.year, month, 1)
    while (first if this else (first + 93 * _DAY).replace(day=1)) > today:
        first = first.replace(year=first.year - 1)
    return _between(first, (first + 93 * _DAY).replace(day=1))


def _count(phrase: str) -> int:
    """Return the number in a phrase; 0 without one."""
    words = phrase.split()
    return next(
        (_COUNTS.get(word) or int(word) for word in words if word in _COUNTS or word.isdecimal()), 0
    )
