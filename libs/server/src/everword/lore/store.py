"""The statements that read lorebooks for contexts, as typed functions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, load_statements
from everword.db.typed_statements import statement
from everword.lore.model import EntryId, Rule, Trigger

SQL = load_statements("everword.lore")


@dataclass(frozen=True)
class ActiveBookRow:
    """A lorebook that a context looks at."""

    id: UUID
    version: int
    name: str


@dataclass(frozen=True)
class RuleRow:
    """When an entry is in a context, as it is stored."""

    id: UUID
    book_id: UUID
    title: str
    #: Unparsed JSON, so that thousands of triggers can be parsed in a thread.
    triggers: str
    scan_depth: int
    priority: int
    sticky_turns: int
    constant: bool
    prevent_recursion: bool
    exclude_recursion: bool
    version: int

    def rule(self) -> Rule:
        triggers = tuple(map(Trigger.of_json, json.loads(self.triggers)))
        return Rule(**{**vars(self), "id": EntryId(self.id), "triggers": triggers})


@dataclass(frozen=True)
class ContentRow:
    """The content of an entry."""

    id: UUID
    content: str


@dataclass(frozen=True)
class LoreLineRow:
    """A message, with the beginning of its words."""

    seq: int
    role: int
    automated: bool
    content: str


async def find_books(
    conn: Connection,
    namespace_id: int,
    agents: Sequence[str] | None,
    subjects: Sequence[str] | None,
    conversation_id: UUID | None,
    limit: int,
) -> list[ActiveBookRow]:
    parameters = {
        "namespace_id": namespace_id,
        "agents": agents if agents is None else list(agents),
        "subjects": subjects if subjects is None else list(subjects),
        "conversation_id": conversation_id,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["find_books"], parameters, ActiveBookRow)


@statement(SQL)
async def read_rules(
    conn: Connection, namespace_id: int, book_ids: Sequence[UUID]
) -> list[RuleRow]: ...


async def read_contents(
    conn: Connection, namespace_id: int, entry_ids: Sequence[EntryId]
) -> dict[EntryId, str]:
    """Return what entries say, by their ids."""
    parameters = {"namespace_id": namespace_id, "entry_ids": list(entry_ids)}
    rows = await fetch_all(conn, SQL["read_contents"], parameters, ContentRow)
    return {EntryId(row.id): row.content for row in rows}


async def read_lines(
    conn: Connection,
    namespace_id: int,
    conversation_id: UUID,
    depth: int,
    turns: int,
    limits: dict[str, int],
) -> list[LoreLineRow]:
    parameters = {
        "namespace_id": namespace_id,
        "conversation_id": conversation_id,
        "depth": depth,
        "turns": turns,
        **limits,
    }
    return await fetch_all(conn, SQL["read_lines"], parameters, LoreLineRow)
