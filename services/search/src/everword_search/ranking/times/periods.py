"""Periods of time that a question names, and the closeness of memories to them.

Periods in the future are ignored, because no memory happened then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import regex

from everword.text.periods import Event, Period, day_of_event, find_event, find_periods
from everword_search.kernels.arrays import Floats
from everword_search.ranking.words.frequencies import language_of

Mask = npt.NDArray[np.bool_]
#: Closeness of a moment right before or after a period.
_NEAR = 0.65
#: Bounds in seconds of the margin around a period in which closeness falls to 0; within them, it is the period's
#: length.
_LEAST_S, _MOST_S = 3 * 86400.0, 30 * 86400.0
#: English words about the future, and those that show that a question is about the past nevertheless.
_PLANS = regex.compile(
    r"\b(?:will|going to|plans?|planned|planning|scheduled|due|upcoming|do (?:i|we) have)\b"
)
#: Words about the future in other languages.
_FUTURE_WORDS = {
    "de": r"\b(?:werden? (?:ich|wir|sie)|wirst du|wird (?:er|sie|es)|planen|vorhaben)\b",
    "no": r"\bskal (?:jeg|vi|du|dere|han|hun|de)\b",
    "es": r"\p{L}(?:rán|remos|ré|rás|rá)\b|\b(?:voy|vas|va|vamos|van) a \p{L}+r\b",
    "fr": r"\p{L}(?:rons|ront|rai)\b|\b(?:vais|vas|va|allons|allez|vont)(?:-\p{L}+)? \p{L}+(?:er|ir|re)\b",
    "ru": r"\bбуд(?:у|ем|ет|ут|ешь)\b|\b(?:собира|планиру|поед)",
    "ja": "予定|つもり|計画",
    "zh": "打算|计划|将要|要去|想去",
    "ko": "예정|계획|거야|거예요|할까",
    "ar": r"\b(?:سوف|هنروح|ناوي|خطط|خطة)",
    "hi": "[ेए]गा|[ेए]गी|[ेए]ंगे|ूँगा|ूंगा|प्लान|योजना",
    "th": "จะ|แผน",
}
_FUTURE = regex.compile("|".join(_FUTURE_WORDS.values()))
_PAST = regex.compile(r"\b(?:did|was|were|had|happened|said|told|went)\b")
#: The end of a sentence, and of a question.
_SENTENCE_END = regex.compile(r"[.!?。！？؟…](?=\s|$|\p{Han}|\p{Hiragana}|\p{Katakana})")
_QUESTION = regex.compile("[?？؟]")
#: Confidence of a weekday or a date without a year, which may be the next one.
_EITHER = 0.9
#: Confidence below which words name no period, such as the name `June`.
_SURE = 0.6
#: Place of the best memory outside of the named periods if it matches better than all inside: a question may name the
#: time that it is about, and not when that was mentioned.
_OUTSIDE_PLACE = 5
#: Maximum periods of a question; later ones are ignored.
_MOST = 4


@dataclass(frozen=True, order=True)
class TimeRange:
    """A period in seconds since 1970; `end` is exclusive."""

    start: float
    end: float


def named_periods(text: str, config: str, now: datetime, time_zone: str) -> tuple[TimeRange, ...]:
    """Return the periods, in the calendar of a time zone, that a question asked at `now` names."""
    found = find_periods(text, now, ZoneInfo(time_zone), language_of(config))
    if not found:
        return ()
    folded = text.lower()
    is_plan = (_PLANS.search(folded) and not _PAST.search(folded)) or _FUTURE.search(folded)
    least = _EITHER if is_plan else _SURE
    past = [
        each
        for each in found
        if each.confidence >= least
        and (each.start is None or each.start <= now)
        and _is_asked(text, each)
    ]
    return tuple(sorted({_range(each) for each in past[:_MOST]}))


def _is_asked(text: str, period: Period) -> bool:
    """Return whether a period is in a question, as opposed to an exclamation or a statement next to a question."""
    end = _SENTENCE_END.search(text, period.ends)
    if end is None or end[0] in ".。…":
        return not _QUESTION.search(text)
    return end[0] in "?？؟"


def named_event(text: str, config: str, now: datetime, time_zone: str) -> Event | None:
    """Return the event by which a question names its time; None if it names none, or a period in words."""
    if named_periods(text, config, now, time_zone):
        return None
    # Times of the future may be in the same words, as in "before next week".
    return find_event(text, find_periods(text, now, ZoneInfo(time_zone), language_of(config)))


def event_period(event: Event, text: str, said_at: datetime, time_zone: str) -> TimeRange | None:
    """Return the period relative to an event, from the message that tells of it; None outside of the calendar."""
    zone = ZoneInfo(time_zone)
    try:
        first, end = event.period(day_of_event(text, said_at, zone))
        return TimeRange(
            -math.inf if first is None else datetime.combine(first, time(), zone).timestamp(),
            math.inf if end is None else datetime.combine(end, time(), zone).timestamp(),
        )
    except (OverflowError, ValueError):
        return None


def closeness(moments: Floats, periods: Sequence[TimeRange]) -> Floats:
    """Return how near moments (seconds since 1970) are to the closest of the periods, from 0 to 1.

    It is 1 within a period and falls from 0.65 to 0 around it, because people often mention a day on the next one. The
    margin is the period's length, but 3 to 30 days.
    """
    nearest = np.zeros(len(moments))
    for period in periods:
        around = min(max(_LEAST_S, period.end - period.start), _MOST_S)
        distance = np.maximum(period.start - moments, moments - period.end)
        near = _NEAR * np.clip(1 - distance / around, 0, 1)
        inside = (moments >= period.start) & (moments < period.end)
        nearest = np.maximum(nearest, np.where(inside, 1.0, near))
    return nearest


def admit_best_outside(scores: Floats, timeless: Floats, inside: Mask) -> Floats:
    """Return the scores with the best memory outside of the named periods on the first page.

    It is moved only if it matches better than every memory inside by `timeless`, the scores without regard to time.
    """
    if len(scores) <= _OUTSIDE_PLACE or inside.all() or not inside.any():
        return scores
    best = int(np.argmax(np.where(inside, -np.inf, timeless)))
    least = np.sort(scores)[-_OUTSIDE_PLACE]
    if timeless[best] <= timeless[inside].max() or scores[best] >= least:
        return scores
    admitted = scores.copy()
    admitted[best] = least
    return admitted


def _range(period: Period) -> TimeRange:
    return TimeRange(
        -math.inf if period.start is None else period.start.timestamp(),
        math.inf if period.end is None else period.end.timestamp(),
    )
