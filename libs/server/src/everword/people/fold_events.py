"""Computes the state of an event from all statements about it, and whether two events are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import regex
from rapidfuzz import fuzz

from everword.people.mentions import DECAY_DAYS, END, IMPORTANCE, START, STATUS, TITLE
from everword.people.model import EventMention, EventStatus, StatementEvidence

#: Likeness of two titles, of 100, from which on they mean one event.
_ALIKE = 80
#: How far an event may be moved, and for how long it is spoken of without a time.
_NEAR = timedelta(days=45)
#: Words that tell no two events apart.
_PLAIN = frozenset({"a", "an", "the", "my", "his", "her", "their", "our", "to", "at", "in", "of"})
_WORD = regex.compile(r"[\p{L}\p{N}]+")
_FIRST, _LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)


@dataclass(frozen=True)
class KnownEvent:
    """An event that is known."""

    id: UUID
    title: str
    category: str
    starts_at: datetime | None
    last_seen_at: datetime


@dataclass(frozen=True)
class EventState:
    """An event, as it is known."""

    title: str
    starts_at: datetime | None
    ends_at: datetime | None
    importance: float
    decay_days: int
    expires_at: datetime
    status: EventStatus
    mention_count: int
    first_seen_at: datetime
    last_seen_at: datetime


def find_event(mention: EventMention, known: Sequence[KnownEvent]) -> UUID | None:
    """Return the known event that a mention is about: the likeliest one, and of these the nearest in time."""
    alike = [
        (_title_similarity(mention.title, each.title), -_distance(mention, each), each.id)
        for each in known
        if each.category == mention.category and _distance(mention, each) <= _NEAR
    ]
    best = max((each for each in alike if each[0] >= _ALIKE), default=None)
    return best[2] if best else None


def span_of(mentions: Sequence[EventMention]) -> tuple[datetime, datetime]:
    """Return the time in which the events lie that mentions may be about."""
    moments = [each.said.said_at for each in mentions]
    moments += [each.starts_at for each in mentions if each.starts_at]
    return _shifted(min(moments), -_NEAR), _shifted(max(moments), _NEAR)


def fold_event(
    evidence: Sequence[StatementEvidence], ruled_over_at: datetime | None = None
) -> EventState:
    """Return the state of an event from its statements, in whatever order they were learned.

    The first title counts, and otherwise the latest statement of each aspect. There is at least one title.
    """
    said = sorted(evidence, key=lambda each: (each.said_at, each.message_id))
    latest = {each.aspect: each for each in said}
    starts_at, ends_at = _moment(latest.get(START)), _moment(latest.get(END))
    if starts_at and ends_at and ends_at < starts_at:
        # The event was moved, and its new end is unknown.
        ends_at = None
    decay_days = int(latest[DECAY_DAYS].value)
    status = EventStatus.ACTIVE if ruled_over_at is None else EventStatus.ENDED
    stated = latest.get(STATUS)
    if stated and (ruled_over_at is None or stated.said_at > ruled_over_at):
        status = EventStatus[stated.value.upper()]
    last = said[-1].said_at
    return EventState(
        next(each.value for each in said if each.aspect == TITLE),
        starts_at,
        ends_at,
        float(latest[IMPORTANCE].value),
        decay_days,
        _shifted(max(last, ends_at or starts_at or last), timedelta(days=decay_days)),
        status,
        len({each.message_id for each in said}),
        said[0].said_at,
        last,
    )


def _title_similarity(first: str, second: str) -> float:
    one, other = _content(first), _content(second)
    return fuzz.token_sort_ratio(one, other) if one and other else 0.0


def _content(title: str) -> str:
    words = _WORD.findall(title.casefold())
    return " ".join(word for word in words if word not in _PLAIN) or " ".join(words)


def _distance(mention: EventMention, known: KnownEvent) -> timedelta:
    """Return how far two events are apart: by when they begin, or else by when they were spoken of."""
    if mention.starts_at and known.starts_at:
        return abs(mention.starts_at - known.starts_at)
    said_at, there = mention.said.said_at, known.last_seen_at
    if known.starts_at:
        there = max(there, known.starts_at)
    return abs((mention.starts_at or said_at) - there)


def _moment(evidence: StatementEvidence | None) -> datetime | None:
    return datetime.fromisoformat(evidence.value) if evidence else None


def _shifted(moment: datetime, by: timedelta) -> datetime:
    try:
        return moment + by
    except OverflowError:
        return _FIRST if by < timedelta(0) else _LAST
