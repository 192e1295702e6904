"""Times that a model reads from what people say: they must be said, as a date or relative to when it was said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import regex

from everword.text.calendar_terms import WEEKDAY_NAMES
from everword_compactor.sleep.people.words import invented

_FORMS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m", "%Y")
#: How far a day may be from when it was said to be called by each, in days.
_WITHIN = {
    "now": 1, "just": 14, "today": 1, "tonight": 1, "morning": 2, "yesterday": 2, "tomorrow": 2,
    "week": 16, "weeks": 120, "weekend": 10, "days": 31, "month": 65, "months": 400, "recently": 31,
    "year": 740, "years": 3660, "spring": 400, "summer": 400, "autumn": 400, "fall": 400, "winter": 400,
}  # fmt: skip
_WORD = regex.compile(r"\p{L}+")


def read_moment(written: str, zone: ZoneInfo) -> datetime | None:
    """Return the date or time in a model's answer, in a zone; None if it is malformed."""
    text = written.strip().removesuffix("Z")
    for form in _FORMS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=zone)
        except ValueError:
            continue
    return None


def is_said(moment: datetime, texts: Sequence[str], said_at: datetime, zone: ZoneInfo) -> bool:
    """Return whether texts name the day of `moment`: as a date, or by a word that fits its distance to `said_at`."""
    at = said_at.astimezone(zone)
    if not invented(moment.strftime("%Y-%m-%d"), texts, [at]):
        return True
    words = {word for text in texts for word in _WORD.findall(text.casefold())}
    try:
        apart = abs(moment.replace(tzinfo=None) - at.replace(tzinfo=None))
    except OverflowError:
        return False
    weekday = WEEKDAY_NAMES[moment.weekday()]
    if {weekday, weekday[:3]} & words and apart <= timedelta(days=15):
        return True
    if set(WEEKDAY_NAMES) & words:
        # A weekday is named, and it is another one.
        return False
    return any(apart <= timedelta(days=_WITHIN[word]) for word in words & _WITHIN.keys())
