"""Bring facts up to date whose evidence has become less, or of whose end nothing is known any more."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.domain.ids import new_id
from everword.facts import store
from everword.facts.model import FactRuling, Interval
from everword.facts.store import NewChange
from everword.facts.timeline import TimelineChange
from everword.facts.writer import ChangeReason, LockedAttribute, apply, lock_attribute

ACTION = "evidence erased"


async def weigh_facts(
    conn: Connection,
    settings: NamespaceSettings,
    namespace_id: int,
    fact_ids: Sequence[UUID],
    interval_ids: Collection[UUID] = (),
) -> None:
    """Update facts by their present evidence; deleted ones are left out.

    `interval_ids` are their intervals that continue until the next one begins.
    """
    facts = [await store.get_fact(conn, namespace_id, fact_id) for fact_id in fact_ids]
    # Lock several attributes in one order.
    keys = {fact.key for fact in facts if fact}
    for key in sorted(keys, key=lambda key: (key.subject, key.attribute)):
        locked = await lock_attribute(conn, namespace_id, settings.trust, key)
        changes = [
            NewChange(new_id(), fact_id, ACTION)
            for fact_id in sorted(locked.facts)
            if fact_id in fact_ids
        ]
        change = _opened(locked, interval_ids)
        await apply(conn, settings, locked, change, changes, ChangeReason("machine"))


def _opened(locked: LockedAttribute, interval_ids: Collection[UUID]) -> TimelineChange:
    """Return the changes that extend ended intervals up to the next believed one."""
    ended = [
        each
        for each in locked.believed
        if each.id in interval_ids
        and each.until is not None
        and locked.facts[each.fact_id].ruling != FactRuling.WRONG
    ]
    return TimelineChange(tuple(ended), tuple(_until_the_next(locked, each) for each in ended))


def _until_the_next(locked: LockedAttribute, interval: Interval) -> Interval:
    """Return an interval without its former end: it lasts until the next believed interval, or is open without one."""
    fact = locked.facts[interval.fact_id]
    later = [
        each
        for each in locked.believed
        if interval.until is not None
        and each.since >= interval.until
        and (not fact.several or each.fact_id == fact.id)
    ]
    following = min(later, key=lambda each: each.since, default=None)
    if following is None:
        return replace(interval, id=None, until=None)
    if following.fact_id == fact.id:
        return replace(interval, id=None, until=following.since)
    return replace(interval, id=None, until=following.since, successor_id=following.fact_id)
