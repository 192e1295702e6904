"""Write a user's style of communication and trajectory, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from everword.db.pool import Connection
from everword.domain.ids import new_id
from everword.people import store
from everword.people.model import MessageWords, PersonStatement
from everword.people.store import TrajectoryRow
from everword.people.traits import Effect, Trait, find_effect


async def describe_user(
    conn: Connection, namespace_id: int, subject: str, traits: Sequence[Trait]
) -> int:
    """Store how a subject communicates, as far as it is new; return how many dimensions changed their value."""
    await store.lock_subject(conn, namespace_id, subject)
    held = await store.find_user_model(conn, namespace_id, subject)
    changed = 0
    for trait in traits:
        current = held.get(trait.dimension)
        effect = find_effect(trait, current)
        if effect is Effect.IGNORE:
            continue
        statements = [PersonStatement(trait.dimension, trait.value, said) for said in trait.said]
        if effect is Effect.SUPPORT and current is not None:
            await store.insert_learned_evidence(conn, namespace_id, current.id, statements)
            await store.support_trait(conn, namespace_id, current.id, trait)
            continue
        changed += 1
        if current is not None:
            # The new value may have shown before the last word for the old one: that was held until now.
            ended = max(trait.first_seen_at, current.last_seen_at)
            await store.end_trait(conn, namespace_id, current.id, ended)
        id_ = new_id()
        await store.insert_trait(conn, namespace_id, id_, subject, trait)
        await store.insert_learned_evidence(conn, namespace_id, id_, statements)
    return changed


async def set_trajectory(
    conn: Connection,
    namespace_id: int,
    row: TrajectoryRow,
    seen: TrajectoryRow | None,
    evidence: Mapping[str, Sequence[MessageWords]],
) -> bool:
    """Store where a subject is heading as the next version, with the words that each field rests on.

    `seen` is the version that it was made with. False where another one was stored meanwhile: nothing is stored then.
    """
    await store.lock_subject(conn, namespace_id, row.subject)
    latest = await store.find_trajectory(conn, namespace_id, row.subject)
    if (latest.id if latest else None) != (seen.id if seen else None):
        return False
    version = latest.version + 1 if latest else 1
    await store.insert_trajectory(conn, namespace_id, replace(row, version=version))
    statements = [
        PersonStatement(aspect, "", each) for aspect, said in evidence.items() for each in said
    ]
    if statements:
        await store.insert_learned_evidence(conn, namespace_id, row.id, statements)
    return True
