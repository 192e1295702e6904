"""Reads from when and until when a claim is valid in the words around it, and the day of a plan.

Days are those of a time zone's calendar, relative to the message's time. Ambiguous words are ignored and leave the
claim unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import regex

from everword.text.calendar_terms import COUNT_WORDS, MONTHS, SEASON_MONTHS
from everword.text.periods import find_periods

_DAY = timedelta(days=1)
_NAMES_OF_DAYS = """
monday mon, tuesday tue tues, wednesday wed, thursday thu thur thurs, friday fri, saturday sat, sunday sun
"""
_WEEKDAYS = {
    name: day for day, names in enumerate(_NAMES_OF_DAYS.split(",")) for name in names.split()
}
_COUNTS = {**COUNT_WORDS, "a": 1, "an": 1, "couple": 2}
_UNIT = r"(?P<unit>day|week|month|year)s?"
_MONTH = "|".join(sorted((name for name in MONTHS if name.isascii()), key=len, reverse=True))
_SEASON = "|".join(SEASON_MONTHS)
_COUNT = rf"(?P<count>[0-9]{{1,2}}|{'|'.join(_COUNTS)})(?: of)?"
#: A stretch of time that lies behind: "March", "2019", "last summer", "two years ago", "I was nine" is none.
_PAST = regex.compile(
    rf"(?P<direction>since|in|back in|on|for|from|until|till|through)? ?"
    rf"(?:the )?(?:(?P<part>early|mid|late|end of) )?(?:"
    rf"(?P<year>(?:19|20)[0-9]{{2}})\b"
    rf"|(?P<month>{_MONTH})\b\.?(?: (?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?\b(?!:))?(?:,? (?P<of>(?:19|20)[0-9]{{2}})\b)?"
    rf"|last (?P<season>{_SEASON})\b"
    rf"|last (?P<weekday>{'|'.join(_WEEKDAYS)})\b"
    rf"|(?P<last>last|this) {_UNIT}\b"
    rf"|(?P<yesterday>yesterday)\b"
    rf"|(?:about |around |over |almost |nearly )?{_COUNT} (?P<units>days?|weeks?|months?|years?)(?P<ago> ago)?\b"
    rf"|(?P<coming>{'|'.join(_WEEKDAYS)})\b"
    r")"
)
_TIME = regex.compile(
    r"\b(?:at )?(?:(?P<h>[0-9]{1,2})[:.](?P<m>[0-9]{2})(?: ?(?P<half>[ap])\.?m)?"
    r"|(?P<h2>[0-9]{1,2}) ?(?P<half2>[ap])\.?m|(?P<word>noon|midday|midnight))\b"
)
_ISO = regex.compile(r"\b(20[0-9]{2})-([0-9]{2})-([0-9]{2})\b")
#: Days after which a plan without a year is mentioned too late to be one.
_LATE = 60 * _DAY
_YEAR_AHEAD = 365 * _DAY - _LATE


@dataclass(frozen=True)
class ValidSpan:
    """From when and until when something holds; None where the words do not say."""

    since: datetime | None = None
    until: datetime | None = None


def span_of(words: str, said_at: datetime, zone: str, *, happens: bool) -> ValidSpan:
    """Return the validity of a statement in the words after or before it.

    `happens` is True for an event, such as a move, which begins "in March".
    """
    today = said_at.astimezone(ZoneInfo(zone)).date()
    for match in _PAST.finditer(words.lower()):
        direction = (match["direction"] or "").removeprefix("back ")
        if direction in ("until", "till", "through"):
            end = _end(match, today)
            if end is not None:
                return ValidSpan(until=_moment(end, zone))
        begin = _begin(match, direction, happens, today)
        if begin is not None and _moment(begin, zone) <= said_at:
            return ValidSpan(since=_moment(begin, zone))
    return ValidSpan()


def dated(words: str, said_at: datetime, zone: str) -> str:
    """Return the words of a plan with the day that they mean, such as `Friday at 4pm (2026-03-06 16:00)`."""
    low = words.lower()
    day = _planned(words, said_at, ZoneInfo(zone))
    if day is None or _ISO.search(low):
        return words
    hour = _hour(low)
    return f"{words} ({day.isoformat()}{f' {hour:%H:%M}' if hour else ''})"


def _moment(day: date, zone: str) -> datetime:
    return datetime.combine(day, time(), ZoneInfo(zone))


def _begin(match: regex.Match[str], direction: str, happens: bool, today: date) -> date | None:
    """Return the first day named by the words; None if they name no beginning."""
    if direction == "from" or match["coming"] or match["last"] == "this":
        return None
    if match["count"]:
        # "for three years" lasts until now; "three years ago" is when it happened.
        lasts = direction == "for" and not match["ago"] and not happens
        happened = match["ago"] and (happens or direction == "since")
        return _before(today, _number(match), match["units"]) if lasts or happened else None
    is_vague = not direction and bool(match["month"]) and not (match["day"] or match["of"])
    if direction == "since" or (happens and direction in ("in", "on", "") and not is_vague):
        return _first(match, today)
    return None


def _first(match: regex.Match[str], today: date) -> date | None:
    """Return the first day of a stretch that lies behind."""
    try:
        if match["year"]:
            return date(int(match["year"]), 1, 1)
        if match["month"]:
            found = date(
                int(match["of"] or today.year), MONTHS[match["month"]], int(match["day"] or 1)
            )
            return found if match["of"] or found <= today else found.replace(year=found.year - 1)
    except ValueError:
        return None  # such as June 31
    if match["season"]:
        month = SEASON_MONTHS[match["season"]]
        found = date(today.year, month, 1)
        return (
            found
            if found <= today.replace(day=1) and month + 2 < today.month
            else _year_back(found)
        )
    if match["weekday"]:
        return today - ((today.weekday() - _WEEKDAYS[match["weekday"]] - 1) % 7 + 1) * _DAY
    if match["yesterday"]:
        return today - _DAY
    if match["last"]:
        return _start_of_last(match["unit"], today)
    return None


def _end(match: regex.Match[str], today: date) -> date | None:
    """Return the first day on which something holds no more that holds "until" what words name."""
    try:
        if match["year"]:
            return date(int(match["year"]), 1, 1)
        if match["month"]:
            day = int(match["day"] or 1)
            found = date(int(match["of"] or today.year), MONTHS[match["month"]], day)
            found = found if match["of"] or found > today else found.replace(year=found.year + 1)
            return found + _DAY if match["day"] else found
    except ValueError:
        return None
    if match["coming"]:
        return _next(_WEEKDAYS[match["coming"]], today) + _DAY
    return None


def _before(today: date, number: int, unit: str) -> date | None:
    if number == 0:
        return None
    days = {"day": 1, "week": 7}.get(unit.removesuffix("s"))
    if days:
        return today - number * days * _DAY
    months = today.year * 12 + today.month - 1 - number * (12 if unit.startswith("year") else 1)
    return date(months // 12, months % 12 + 1, min(today.day, 28))


def _number(match: regex.Match[str]) -> int:
    said = match["count"]
    return int(said) if said.isdigit() else _COUNTS[said]


def _start_of_last(unit: str, today: date) -> date:
    if unit == "year":
        return date(today.year - 1, 1, 1)
    if unit == "month":
        return (today.replace(day=1) - _DAY).replace(day=1)
    if unit == "week":
        return today - (today.weekday() + 7) * _DAY
    return today - _DAY


def _year_back(day: date) -> date:
    return day.replace(year=day.year - 1)


def _next(weekday: int, today: date) -> date:
    return today + ((weekday - today.weekday() - 1) % 7 + 1) * _DAY


def _planned(words: str, said_at: datetime, zone: ZoneInfo) -> date | None:
    """Return the one day that the words of a plan mean."""
    found = find_periods(words, said_at, zone, upcoming=True)
    if len(found) != 1 or found[0].unit not in ("day", "part") or found[0].start is None:
        return None
    day, today = found[0].start.date(), said_at.astimezone(zone).date()
    if day - today > _YEAR_AHEAD and found[0].confidence < 1:
        # A plan is in the future; an event of some weeks ago may be mentioned late.
        found = find_periods(words, said_at, zone)
        day = found[0].start.date() if found[0].start else day
    # "Next Friday" is this week's for some people, and the one after for others: on Monday it is ambiguous.
    is_ambiguous = found[0].words.lower().startswith("next ") and day.weekday() > today.weekday()
    return None if is_ambiguous or day < today - _LATE else day


def _hour(low: str) -> time | None:
    """Return a time of day that can be one only: `16:30`, `4pm`, and no `at 4`."""
    match = _TIME.search(low)
    if not match:
        return None
    if match["word"]:
        return time(0) if match["word"] == "midnight" else time(12)
    hour, minute = int(match["h"] or match["h2"]), int(match["m"] or 0)
    half = match["half"] or match["half2"]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    elif hour < 13 and not (match["h"] or "").startswith("0"):
        return None
    return time(hour, minute) if hour < 24 and minute < 60 else None
