"""Resolve the tasks and the address of a filter to conversations, memories and kinds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_values
from everword.domain.addresses import Segments, as_id, as_seq, read_address
from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword.domain.memory_kinds import MemoryKind
from everword_search.passages.store import SQL
from everword_search.records.model import MemoryFilter
from everword_search.records.store import find_message_at, namespaced

T = TypeVar("T")
#: Maximum conversations of the tasks of a filter, and maximum notes whose keys begin with its prefix.
MOST_RESOLVED = 10_000
#: The highest character: keys with a prefix sort before the prefix followed by it.
_HIGHEST = "\U0010ffff"


@dataclass(frozen=True)
class AddressScope:
    """The memories below an address; None and empty admit everything."""

    kinds: tuple[int, ...] = ()
    in_conversation: bool | None = None
    conversation_id: UUID | None = None
    #: Position of a message in the conversation.
    seq: int | None = None
    memory_id: UUID | None = None
    #: The beginning of the keys of notes.
    key_prefix: str = ""


async def resolve_places(
    conn: Connection, namespace: NamespaceScope, memory_filter: MemoryFilter
) -> MemoryFilter:
    """Return the filter with its tasks and its address as conversations, memories and kinds.

    Raises InvalidArgument for an address that is none in this namespace, and if too many conversations or notes match.
    """
    if not memory_filter.names_places:
        return memory_filter
    scope = _read_scope(namespace, memory_filter.address_prefix)
    resolved = replace(
        memory_filter, task_ids=None, address_prefix="", in_conversation=scope.in_conversation
    )
    if memory_filter.task_ids is not None:
        found = await _find_conversations(conn, namespace.id, memory_filter.task_ids)
        resolved = replace(resolved, conversation_ids=_both(resolved.conversation_ids, found))
    if scope.conversation_id:
        only = _both(resolved.conversation_ids, [scope.conversation_id])
        resolved = replace(resolved, conversation_ids=only)
    if scope.kinds:
        resolved = replace(resolved, kinds=_both(resolved.kinds, scope.kinds))
    included_memory_ids = await _find_memories(conn, namespace.id, scope)
    return replace(resolved, included_memory_ids=included_memory_ids)


def scope_of(segments: Segments) -> AddressScope | None:
    """Return the scope of a path within a namespace; None if the path is no directory and no memory."""
    match segments:
        case () | ("memories",):
            return AddressScope()
        case ("memories", name) if id_ := as_id(name):
            return AddressScope(memory_id=id_)
        case ("conversations", *rest):
            return _scope_of_conversation(rest)
        case ("notes", key) if as_id(key) is None:
            return AddressScope(kinds=(MemoryKind.NOTE,), key_prefix=key)
    return _scope_of_kind(segments)


def _scope_of_conversation(rest: list[str]) -> AddressScope | None:
    both = AddressScope((MemoryKind.MESSAGE, MemoryKind.SUMMARY), in_conversation=True)
    match rest:
        case []:
            return both
        case [conversation, *below] if id_ := as_id(conversation):
            both = replace(both, conversation_id=id_)
        case _:
            return None
    match below:
        case []:
            return both
        case ["messages"]:
            return replace(both, kinds=(MemoryKind.MESSAGE,))
        case ["summaries"]:
            return replace(both, kinds=(MemoryKind.SUMMARY,))
        case ["messages", place] if seq := as_seq(place):
            return replace(both, seq=seq)
        case ["messages" | "summaries", name] if id_ := as_id(name):
            return replace(both, memory_id=id_)
    return None


def _scope_of_kind(segments: Segments) -> AddressScope | None:
    """Return the scope of the directory of a kind, or of a memory in it."""
    for kind in MemoryKind:
        directory = kind.traits.directory
        if not directory or directory[: len(segments)] != segments[: len(directory)]:
            continue
        # The address of a summary of a conversation is below that conversation.
        in_conversation = False if kind is MemoryKind.SUMMARY else None
        match segments[len(directory) :]:
            case ():
                return AddressScope((kind,), in_conversation)
            case (name,) if id_ := as_id(name):
                return AddressScope((kind,), in_conversation, memory_id=id_)
    return None


def _read_scope(namespace: NamespaceScope, address: str) -> AddressScope:
    if not address:
        return AddressScope()
    segments = read_address(address)
    scope = None
    if segments is not None and segments[:1] in ((), (namespace.name,)):
        scope = scope_of(segments[1:])
    if scope is None:
        text = (
            "is no directory and no memory of this namespace; write an address such as "
            "viking://NAMESPACE/notes, with %2F for a slash in the key of a note"
        )
        raise InvalidArgument(violations=(("filter.address_prefix", text),))
    return scope


async def _find_memories(
    conn: Connection, namespace_id: int, scope: AddressScope
) -> list[UUID] | None:
    """Return the memories that an address names; None if it names a directory."""
    if scope.key_prefix:
        return await _find_notes(conn, namespace_id, scope.key_prefix)
    if scope.seq and scope.conversation_id:
        found = await find_message_at(conn, namespace_id, scope.conversation_id, scope.seq)
        return [found] if found else []
    return [scope.memory_id] if scope.memory_id else None


async def _find_conversations(
    conn: Connection, namespace_id: int, task_ids: list[str]
) -> list[UUID]:
    parameters = {"task_ids": task_ids, "limit": MOST_RESOLVED + 1}
    statement = SQL["find_task_conversations"]
    found = await fetch_values(conn, statement, {**namespaced(namespace_id), **parameters})
    return _bounded(found, "filter.task_ids", "conversations")


async def _find_notes(conn: Connection, namespace_id: int, prefix: str) -> list[UUID]:
    bounds = {"first_key": prefix, "end_key": prefix + _HIGHEST, "limit": MOST_RESOLVED + 1}
    found = await fetch_values(
        conn, SQL["find_notes_by_key"], {**namespaced(namespace_id), **bounds}
    )
    return _bounded(found, "filter.address_prefix", "notes")


def _bounded(found: list[UUID], field: str, things: str) -> list[UUID]:
    if len(found) > MOST_RESOLVED:
        text = f"matches more than {MOST_RESOLVED:,} {things}; name fewer"
        raise InvalidArgument(violations=((field, text),))
    return found


def _both(first: list[T] | None, second: Collection[T]) -> list[T]:
    """Return the values in both; None admits every value."""
    allowed = set(second)
    return list(second) if first is None else [each for each in first if each in allowed]
