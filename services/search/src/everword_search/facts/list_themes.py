"""List the themes of a namespace."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.db.pool import Database
from everword.db.statements import fetch_all
from everword.domain.caller import NamespaceScope
from everword.rpc.translate import to_timestamp
from everword.v1 import fact_query_service_pb2 as pb
from everword_search.facts.store import SQL
from everword_search.records.freshness import fresh_transaction


@dataclass(frozen=True)
class ThemeRow:
    """A theme: a cluster of memories with its label."""

    id: UUID
    label: str
    words: list[str]
    size: int
    sampled: int
    source_ids: list[UUID]
    model: str
    made_at: datetime


async def list_themes(
    database: Database,
    namespace: NamespaceScope,
    at_least_as_fresh: str = "",
) -> list[ThemeRow]:
    """Return the themes of a namespace, largest first."""
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        parameters = {"namespace_id": namespace.id}
        return await fetch_all(conn, SQL["list_themes"], parameters, ThemeRow)


def theme_to_proto(row: ThemeRow) -> pb.Theme:
    return pb.Theme(
        id=str(row.id),
        label=row.label,
        words=row.words,
        share=row.size / row.sampled if row.sampled else 0.0,
        memory_ids=[str(id_) for id_ in row.source_ids],
        model=row.model,
        create_time=to_timestamp(row.made_at),
    )
