"""Bring people and events up to date of which less is said than before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import execute, fetch_all
from everword.people.fold_events import fold_event
from everword.people.fold_people import fold_person, over_since
from everword.people.store import SQL, read_learned_evidence


@dataclass(frozen=True)
class RulingRow:
    """A person's ruling on a person or an event."""

    id: UUID
    ruling: int | None
    ruled_at: datetime | None


async def refold_people_and_events(
    conn: Connection, namespace_id: int, person_ids: Sequence[UUID], event_ids: Sequence[UUID]
) -> None:
    """Recompute people and events from their present evidence."""
    for row in await _ruled(conn, "find_ruled_people", namespace_id, person_ids):
        evidence = await read_learned_evidence(conn, namespace_id, row.id)
        person = fold_person(evidence, over_since(row.ruling, row.ruled_at))
        values = {"namespace_id": namespace_id, "id": row.id, **asdict(person)}
        await execute(conn, SQL["refold_person"], values)
    for row in await _ruled(conn, "find_ruled_events", namespace_id, event_ids):
        evidence = await read_learned_evidence(conn, namespace_id, row.id)
        event = fold_event(evidence, over_since(row.ruling, row.ruled_at))
        values = {"namespace_id": namespace_id, "id": row.id, **asdict(event)}
        await execute(conn, SQL["refold_event"], values)


async def _ruled(
    conn: Connection, name: str, namespace_id: int, ids: Sequence[UUID]
) -> list[RulingRow]:
    if not ids:
        return []
    parameters = {"namespace_id": namespace_id, "ids": list(ids)}
    return await fetch_all(conn, SQL[name], parameters, RulingRow)
