"""Dates that a question names, and their agreement with times of occurrence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np

from everword.domain.times import local_time
from everword.text.calendar_terms import MONTH_NAMES
from everword_search.kernels.arrays import Floats

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: Range of the representable dates, in seconds since 1970.
_FIRST = datetime(1, 1, 1, tzinfo=UTC).timestamp()
_LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()
MONTHS = {name: number for number, name in enumerate(MONTH_NAMES, start=1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items() if name != "may"}
MONTHS["sept"] = 9
_WORD = re.compile(r"[A-Za-z]+")
_RANGE = re.compile(
    r"\b(?:[Bb]etween|[Ff]rom) ([A-Z][a-z]+) (?:and|to|until|through) ([A-Z][a-z]+)\b"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DAY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\b")
#: Distance in days above which closeness is 0.
_FAR_DAYS = 15.0
_DAYS_A_MONTH = 30.4


@dataclass(frozen=True)
class NamedDates:
    """The months, days and years that a question names."""

    months: frozenset[int]
    days: frozenset[int]
    years: frozenset[int]


def named_dates(text: str) -> NamedDates:
    """Return the dates that a question names.

    Numbers count as days only if a month is named; "may", "mar" and "march" count as months only with a capital.
    """
    months = {
        MONTHS[word.lower()]
        for word in _WORD.findall(text)
        if word.lower() in MONTHS and word not in ("may", "mar", "march")
    }
    days = {int(day) for day in _DAY.findall(text) if 0 < int(day) < 32} if months else set()
    months |= {month for match in _RANGE.finditer(text) for month in _between(*match.groups())}
    years = {int(year) for year in _YEAR.findall(text)}
    return NamedDates(frozenset(months), frozenset(days), frozenset(years))


def _between(first: str, last: str) -> set[int]:
    """Return the months of a range, ends included; empty if one of the names is no month."""
    begins, ends = MONTHS.get(first.lower()), MONTHS.get(last.lower())
    if begins is None or ends is None:
        return set()
    return {(begins - 1 + step) % 12 + 1 for step in range((ends - begins) % 12 + 1)}


def compare_dates(moments: Floats, dates: NamedDates, time_zone: str) -> dict[str, Floats]:
    """Return features for the agreement of moments (seconds since 1970) with the named dates.

    `x_month` and `x_year` are 1 or -1; `x_day` is 15 minus the distance in days, at least 0. All are 0 if nothing of
    the kind is named.
    """
    nothing = np.zeros(len(moments))
    if not (dates.months or dates.years):
        return {"x_month": nothing, "x_day": nothing, "x_year": nothing}
    zone = ZoneInfo(time_zone)
    local = [_local(moment, zone) for moment in moments.tolist()]
    month = np.array([moment.month for moment in local])
    day = np.array([moment.day for moment in local])
    year = np.array([moment.year for moment in local])
    closeness = nothing
    if dates.days and len(moments):
        distances = [
            np.abs((month - wanted_month) * _DAYS_A_MONTH + day - wanted_day)
            for wanted_month in dates.months
            for wanted_day in dates.days
        ]
        closeness = np.maximum(0.0, _FAR_DAYS - np.min(distances, axis=0))
    return {
        "x_month": np.where(np.isin(month, list(dates.months)), 1.0, -1.0)
        if dates.months
        else nothing,
        "x_day": closeness,
        "x_year": np.where(np.isin(year, list(dates.years)), 1.0, -1.0) if dates.years else nothing,
    }


def _local(moment: float, zone: ZoneInfo) -> datetime:
    # As a float, the last microseconds of the year 9999 round up to the year 10000.
    at = _EPOCH + timedelta(seconds=min(max(moment, _FIRST), _LAST))
    return local_time(at, zone)
