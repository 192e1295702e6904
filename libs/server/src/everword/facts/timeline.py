"""Computes the changes of a statement to the believed intervals of a subject's attribute.

Intervals of an attribute with one value at a time never overlap. A believed interval is never changed: if it turns out
to end earlier, it is superseded by a shorter one. A fact that is valid without a break has one interval.

Trusted facts take precedence over untrusted ones, in whatever order they were learned: `state_trusted` ignores
untrusted intervals, and `state_untrusted` never changes a trusted one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.facts.model import Interval


@dataclass(frozen=True)
class TimelineChange:
    """Intervals that are no longer believed, and those believed from now on."""

    disbelieved: tuple[Interval, ...] = ()
    believed: tuple[Interval, ...] = ()

    @property
    def superseded_ids(self) -> frozenset[UUID]:
        """The facts whose place another one takes."""
        return frozenset(each.fact_id for each in self.believed if each.successor_id)


NOTHING = TimelineChange()


def state(
    believed: Sequence[Interval],
    fact_id: UUID,
    since: datetime,
    until: datetime | None,
    several: bool,
) -> TimelineChange:
    """Return the changes if a fact is stated to be valid from `since` on.

    `believed` are the intervals of all values of the attribute; with `several`, only those of the same fact count.

    Later intervals stay: if a person has lived in Rome since 2020 and a message states Oslo for 2018, the person has
    moved from Oslo to Rome. After a fact with an end, such as a journey, the value before it becomes current again.
    """
    rivals = [each for each in believed if not several or each.fact_id == fact_id]
    locked = next((each for each in rivals if each.covers(since)), None)
    if locked is None:
        change = _state_in_gap(rivals, fact_id, since, until)
    elif locked.fact_id == fact_id:
        return _end(locked, until) if _is_shorter(locked, until) else NOTHING
    else:
        change = _state_instead(locked, fact_id, since, until)
    return _without_breaks(rivals, change)


def state_trusted(
    believed: Sequence[Interval],
    trusted_ids: Collection[UUID],
    fact_id: UUID,
    since: datetime,
    until: datetime | None,
    several: bool,
) -> TimelineChange:
    """Return the change when a trusted source states a fact. Untrusted facts keep only the remaining time."""
    if several:
        return state(believed, fact_id, since, until, several)
    firm_ids = {fact_id, *trusted_ids}
    firm = [each for each in believed if each.fact_id in firm_ids]
    change = state(firm, fact_id, since, until, several)
    return _clip_untrusted(believed, change, firm_ids)


def state_untrusted(
    believed: Sequence[Interval],
    trusted_ids: Collection[UUID],
    fact_id: UUID,
    since: datetime,
    until: datetime | None,
    several: bool,
) -> TimelineChange:
    """Return the change when an untrusted source states a fact: none while a trusted fact is current."""
    if fact_id in trusted_ids or (
        not several and any(each.covers(since) and each.fact_id in trusted_ids for each in believed)
    ):
        return NOTHING
    return state(believed, fact_id, since, until, several)


def end(believed: Sequence[Interval], fact_id: UUID, until: datetime) -> TimelineChange:
    """Return what changes when a fact is said not to hold any more from `until` on."""
    own = [each for each in believed if each.fact_id == fact_id]
    return _join(_end(each, until) for each in own if _is_shorter(each, until))


def correct(
    believed: Sequence[Interval], fact_id: UUID, right_id: UUID | None, several: bool
) -> TimelineChange:
    """Return the changes if a fact was wrong from the beginning, and another one was right all along, if any.

    Facts that it superseded by mistake continue.
    """
    wrong = tuple(each for each in believed if each.fact_id == fact_id)
    retained = [each for each in believed if each.fact_id != fact_id]
    change = _join(_replace(each, retained, right_id, several) for each in wrong)
    return change if several else _without_breaks(believed, change)


def _replace(
    wrong: Interval, kept: Sequence[Interval], right_id: UUID | None, several: bool
) -> TimelineChange:
    """Return what changes when another fact held in an interval, if any."""
    if several:
        known = any(each.fact_id == right_id and _overlap(each, wrong) for each in kept)
        right = () if right_id is None or known else (_of(wrong, right_id),)
        return TimelineChange((wrong,), right)
    before = next((each for each in kept if _was_replaced_by(each, wrong)), None)
    if before is None:
        return TimelineChange((wrong,), () if right_id is None else (_of(wrong, right_id),))
    if right_id in (None, before.fact_id):
        longer = replace(before, id=None, until=wrong.until, successor_id=wrong.successor_id)
        return TimelineChange((wrong, before), (longer,))
    assert right_id is not None
    renamed = replace(before, id=None, successor_id=right_id)
    return TimelineChange((wrong, before), (renamed, _of(wrong, right_id)))


def _of(interval: Interval, fact_id: UUID) -> Interval:
    """Return the same time for another fact."""
    successor = interval.successor_id if interval.successor_id != fact_id else None
    return replace(interval, id=None, fact_id=fact_id, successor_id=successor)


def _was_replaced_by(interval: Interval, to: Interval) -> bool:
    return interval.successor_id == to.fact_id and interval.until == to.since


def _state_instead(
    standing: Interval, fact_id: UUID, since: datetime, until: datetime | None
) -> TimelineChange:
    """Return what changes where another fact held from `since` on."""
    ends = _earliest(standing.until, until)
    # The successor of the interrupted fact becomes the successor of this one.
    successor = standing.successor_id if ends == standing.until else None
    parts = [Interval(None, fact_id, since, ends, successor)]
    if standing.since < since:
        parts.append(replace(standing, id=None, until=since, successor_id=fact_id))
    if ends is not None and ends != standing.until:
        parts[0] = replace(parts[0], successor_id=standing.fact_id)
        parts.append(replace(standing, id=None, since=ends))
    return TimelineChange((standing,), tuple(parts))


def _state_in_gap(
    rivals: Sequence[Interval], fact_id: UUID, since: datetime, until: datetime | None
) -> TimelineChange:
    """Return the changes if the time has no interval: the fact is valid until the next known one."""
    later = min(
        (each for each in rivals if each.since > since), key=lambda each: each.since, default=None
    )
    if later is None or (until is not None and until < later.since):
        return TimelineChange(believed=(Interval(None, fact_id, since, until),))
    if later.fact_id == fact_id:
        ends = later.until if until in (None, later.since) else _earliest(later.until, until)
        successor = later.successor_id if ends == later.until else None
        return TimelineChange((later,), (Interval(None, fact_id, since, ends, successor),))
    return TimelineChange(believed=(Interval(None, fact_id, since, later.since, later.fact_id),))


def _without_breaks(believed: Sequence[Interval], change: TimelineChange) -> TimelineChange:
    """Return the change with those intervals of one fact as one that end where the next one begins."""
    gone = list(change.disbelieved)
    rest = sorted(
        [*(each for each in believed if each not in gone), *change.believed],
        key=lambda each: each.since,
    )
    by_fact = defaultdict[UUID, list[Interval]](list)
    for each in rest:
        own = by_fact[each.fact_id]
        if own and own[-1].until == each.since:
            gone += [one for one in (own[-1], each) if one.id is not None]
            own[-1] = replace(each, id=None, since=own[-1].since)
        else:
            own.append(each)
    come = (each for fact_id in sorted(by_fact) for each in by_fact[fact_id] if each.id is None)
    return TimelineChange(tuple(gone), tuple(come))


def _clip_untrusted(
    believed: Sequence[Interval], change: TimelineChange, trusted_ids: Collection[UUID]
) -> TimelineChange:
    """Return the change with untrusted intervals cut to the time without a trusted fact."""
    gone = list(change.disbelieved)
    rest = [each for each in believed if each not in gone]
    held = [*rest, *change.believed]
    firm = sorted(
        (each for each in held if each.fact_id in trusted_ids), key=lambda each: each.since
    )
    come = [each for each in change.believed if each.fact_id in trusted_ids]
    for each in held:
        if each.fact_id in trusted_ids:
            continue
        parts = _outside(each, firm)
        if parts != [each]:
            gone += [each] if each.id is not None else []
            come += parts
        elif each.id is None:
            come.append(each)
    return TimelineChange(tuple(gone), tuple(come))


def _outside(interval: Interval, others: Sequence[Interval]) -> list[Interval]:
    """Return the parts of an interval outside of `others`, which are sorted and do not overlap."""
    parts = [interval]
    for other in others:
        last = parts[-1] if parts else None
        if last is None or not _overlap(last, other):
            continue
        parts.pop()
        if last.since < other.since:
            parts.append(replace(last, id=None, until=other.since, successor_id=other.fact_id))
        if other.until is not None and (last.until is None or other.until < last.until):
            parts.append(replace(last, id=None, since=other.until))
    return parts


def _is_shorter(interval: Interval, until: datetime | None) -> bool:
    return until is not None and (interval.until is None or until < interval.until)


def _end(interval: Interval, until: datetime | None) -> TimelineChange:
    if until is None or until <= interval.since:
        return TimelineChange((interval,))
    return TimelineChange(
        (interval,), (replace(interval, id=None, until=until, successor_id=None),)
    )


def _join(changes: Iterable[TimelineChange]) -> TimelineChange:
    every = list(changes)
    return TimelineChange(
        tuple(each for change in every for each in change.disbelieved),
        tuple(each for change in every for each in change.believed),
    )


def _earliest(one: datetime | None, other: datetime | None) -> datetime | None:
    known = [each for each in (one, other) if each is not None]
    return min(known, default=None)


def _overlap(one: Interval, other: Interval) -> bool:
    starts_before = other.until is None or one.since < other.until
    return starts_before and (one.until is None or other.since < one.until)
