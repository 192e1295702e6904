"""Set facts right: correct, confirm and close them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword.domain.ids import new_id
from everword.domain.not_found import FactNotFound
from everword.domain.tokens import ConsistencyToken
from everword.facts import store, timeline
from everword.facts.conclusions import settle_by_ruling
from everword.facts.model import FactRuling, FactSource, FactState, value_hash
from everword.facts.store import FactRow, NewChange, NewEvidence
from everword.facts.timeline import NOTHING, TimelineChange
from everword.facts.writer import ChangeReason, LockedAttribute, add_evidence, apply, lock_attribute
from everword_ingest.facts.model import FactWriteResult
from everword_ingest.facts.remember import show_stored
from everword_ingest.request_ids.claims import highest_passage

#: Evidence by who gives it.
_SOURCES = {"person": FactSource.PERSON, "agent": FactSource.AGENT}


async def correct_fact(
    database: Database,
    namespace: NamespaceScope,
    fact_id: UUID,
    value: str,
    audit: ChangeReason,
    wake: Callable[[], None],
) -> FactWriteResult:
    """Reject a fact, and record the right value unless `value` is empty. Raises FactNotFound.

    `others` of the result holds the rejected fact.
    """
    async with database.write(namespace.id) as write:
        conn = write.conn
        locked, wrong = await _lock_fact(conn, namespace.id, fact_id)
        if value and value_hash(value) == wrong.value_hash:
            raise InvalidArgument(
                violations=(("value", "equals the current value: give the correct one"),)
            )
        locked = locked.with_fact(
            replace(wrong, ruling=FactRuling.WRONG, ruled_at=locked.now, state=FactState.REJECTED)
        )
        changes = [NewChange(new_id(), wrong.id, "corrected" if value else "rejected")]
        right: FactRow | None = None
        if value:
            locked, right = await _write_correction(conn, locked, wrong, value, audit)
            changes = [
                replace(changes[0], other_fact_id=right.id),
                NewChange(new_id(), right.id, "remembered", wrong.id),
            ]
        right_id = right.id if right else None
        change = timeline.correct(locked.believed, wrong.id, right_id, wrong.several)
        await _apply(conn, locked, change, changes, audit)
        await _settle_disputes(conn, namespace.id, locked.facts[wrong.id], right_id)
        ids = [wrong.id] if right_id is None else [wrong.id, right_id]
        shown = await show_stored(conn, namespace.id, ids)
        fact = shown[right_id] if right_id else None
        highest = await _highest(conn, namespace.id, fact)
    wake()
    return FactWriteResult(
        fact, [shown[wrong.id]], ConsistencyToken(namespace.id, write.position, highest)
    )


async def confirm_fact(
    database: Database,
    namespace: NamespaceScope,
    fact_id: UUID,
    audit: ChangeReason,
    wake: Callable[[], None],
) -> FactWriteResult:
    """Say that a fact is right. Raises FactNotFound."""
    async with database.write(namespace.id) as write:
        conn = write.conn
        locked, fact = await _lock_fact(conn, namespace.id, fact_id)
        ruled = replace(fact, ruling=FactRuling.RIGHT, ruled_at=locked.now)
        locked = locked.with_fact(ruled)
        await _add_word(conn, locked, ruled, audit)
        change = NOTHING
        if not any(each.fact_id == fact.id for each in locked.believed):
            # A hypothesis or a rejected fact becomes believed.
            change = timeline.state(
                locked.believed, fact.id, locked.now, None, several=fact.several
            )
        changes = [NewChange(new_id(), fact.id, "confirmed")]
        changes += [
            NewChange(new_id(), id_, "superseded", fact.id)
            for id_ in sorted(change.superseded_ids - {fact.id})
        ]
        await _apply(conn, locked, change, changes, audit)
        await _settle_disputes(conn, namespace.id, ruled)
        shown = await show_stored(conn, namespace.id, [fact.id])
        highest = await _highest(conn, namespace.id, shown[fact.id])
    wake()
    return FactWriteResult(
        shown[fact.id], [], ConsistencyToken(namespace.id, write.position, highest)
    )


async def close_fact(
    database: Database,
    namespace: NamespaceScope,
    fact_id: UUID,
    until: datetime | None,
    audit: ChangeReason,
    wake: Callable[[], None],
) -> FactWriteResult:
    """End a fact. Raises FactNotFound, and InvalidArgument if it had not begun by then."""
    async with database.write(namespace.id) as write:
        conn = write.conn
        locked, fact = await _lock_fact(conn, namespace.id, fact_id)
        until = until or locked.now
        own = [each for each in locked.believed if each.fact_id == fact.id]
        if own and until <= min(each.since for each in own):
            violation = ("valid_until_time", "is before the start of the fact: correct it instead")
            raise InvalidArgument(violations=(violation,))
        later = [each for each in own if each.since < until]
        change = timeline.end(later, fact.id, until)
        if change != NOTHING:
            await _apply(conn, locked, change, [NewChange(new_id(), fact.id, "closed")], audit)
        shown = await show_stored(conn, namespace.id, [fact.id])
        highest = await _highest(conn, namespace.id, shown[fact.id])
    wake()
    return FactWriteResult(
        shown[fact.id], [], ConsistencyToken(namespace.id, write.position, highest)
    )


async def _lock_fact(
    conn: Connection, namespace_id: int, fact_id: UUID
) -> tuple[LockedAttribute, FactRow]:
    """Lock the attribute of a fact; return both. Raises FactNotFound."""
    found = await store.get_fact(conn, namespace_id, fact_id)
    if found is None:
        raise FactNotFound(fact_id=fact_id)
    settings = await get_namespace_settings(conn, namespace_id)
    locked = await lock_attribute(conn, namespace_id, settings.trust, found.key)
    # It may have been erased while this waited for the lock.
    if fact_id not in locked.facts:
        raise FactNotFound(fact_id=fact_id)
    return locked, locked.facts[fact_id]


async def _write_correction(
    conn: Connection, locked: LockedAttribute, wrong: FactRow, value: str, audit: ChangeReason
) -> tuple[LockedAttribute, FactRow]:
    """Return the right fact, and the attribute with it."""
    right = locked.of_value(value)
    if right is None:
        right = replace(
            wrong,
            id=new_id(),
            value=value,
            value_hash=value_hash(value),
            first_seen_at=locked.now,
            last_seen_at=locked.now,
            state=FactState.SUSPECTED,
        )
        await store.insert_facts(conn, locked.namespace_id, [right])
    right = replace(right, ruling=FactRuling.RIGHT, ruled_at=locked.now)
    locked = locked.with_fact(right)
    await _add_word(conn, locked, right, audit)
    return locked, right


async def _add_word(
    conn: Connection, locked: LockedAttribute, fact: FactRow, audit: ChangeReason
) -> None:
    """Add the word of a person or agent as evidence for a fact."""
    word = NewEvidence(new_id(), None, None, False, "", audit.reason, locked.now)
    told = replace(fact, source=_SOURCES[audit.actor], hypothesis=False)
    await add_evidence(conn, locked, told, [word])


async def _apply(
    conn: Connection,
    locked: LockedAttribute,
    change: TimelineChange,
    changes: Sequence[NewChange],
    audit: ChangeReason,
) -> None:
    settings = await get_namespace_settings(conn, locked.namespace_id)
    await apply(conn, settings, locked, change, changes, audit)


async def _settle_disputes(
    conn: Connection, namespace_id: int, ruled: FactRow, right_id: UUID | None = None
) -> None:
    settings = await get_namespace_settings(conn, namespace_id)
    await settle_by_ruling(conn, settings, namespace_id, ruled, right_id)


async def _highest(conn: Connection, namespace_id: int, fact: store.FactView | None) -> int:
    memory_ids = [fact.memory_id] if fact and fact.memory_id else []
    return await highest_passage(conn, namespace_id, memory_ids)
