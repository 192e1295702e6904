"""The statements on addresses as typed functions, one for each in queries.sql."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_value, load_statements
from everword.domain.addresses import note_key_hash
from everword.text.tiers import ABSTRACT_SOURCE_CHARS
from everword_search.records.store import namespaced

SQL = load_statements("everword_search.addresses")


@dataclass(frozen=True)
class DirectoryPlaceRow:
    """A memory in a directory. `seq` is its position in a conversation; 0 if entries are ordered by id."""

    id: UUID
    seq: int


@dataclass(frozen=True)
class ConversationRow:
    """A conversation, listed as a directory."""

    id: UUID
    title: str
    session_key: str
    last_message_at: datetime | None
    #: The beginning of the summary or of the messages.
    lead: str
    #: True if `lead` comes from an untrusted message.
    untrusted: bool


async def find_note_key(conn: Connection, namespace_id: int, key: str) -> UUID | None:
    """Return the id of the note with a key and no scope; None if there is none."""
    parameters = {**namespaced(namespace_id), "key_hash": note_key_hash(key, "", "", None)}
    found: UUID | None = await fetch_value(conn, SQL["find_note_key"], parameters)
    return found


async def find_interval(conn: Connection, namespace_id: int, fact_id: UUID) -> UUID | None:
    """Return the id of the memory of a fact's current interval, or of its latest one; None if there is none."""
    parameters = {**namespaced(namespace_id), "fact_id": fact_id}
    found: UUID | None = await fetch_value(conn, SQL["find_interval"], parameters)
    return found


async def find_version(conn: Connection, namespace_id: int, node_id: UUID) -> UUID | None:
    """Return the id of the memory of a node's current version; None if there is none."""
    parameters = {**namespaced(namespace_id), "node_id": node_id}
    found: UUID | None = await fetch_value(conn, SQL["find_version"], parameters)
    return found


async def read_conversations(
    conn: Connection,
    namespace_id: int,
    *,
    conversation_id: UUID | None = None,
    after: str | None = None,
    limit: int = 1,
) -> list[ConversationRow]:
    """Return up to `limit` conversations after the id `after`, or the one with `conversation_id`."""
    parameters = {
        **namespaced(namespace_id),
        "chars": ABSTRACT_SOURCE_CHARS,
        "conversation_id": conversation_id,
        "after": after,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["read_conversations"], parameters, ConversationRow)


async def list_places(
    conn: Connection,
    namespace_id: int,
    statement: str,
    parent: UUID | None,
    after: str | None,
    limit: int,
) -> list[DirectoryPlaceRow]:
    """Return up to `limit` memories of a directory after position `after`; `statement` names the query."""
    parameters = {
        **namespaced(namespace_id),
        "parent": parent,
        "after": after,
        "limit": limit,
    }
    return await fetch_all(conn, SQL[statement], parameters, DirectoryPlaceRow)
