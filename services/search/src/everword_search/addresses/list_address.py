"""List the entries of a directory, each with its abstract."""

from __future__ import annotations

from collections.abc import Sequence

from everword.db.pool import Connection, Database
from everword.domain.addresses import Segments, as_id
from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword.domain.not_found import AddressNotFound
from everword.rpc.pages import Cursor, PageRequest, open_cursor
from everword.text.tiers import ABSTRACT_SOURCE_CHARS
from everword_search.addresses import store
from everword_search.addresses.places import (
    conversation_entries,
    directory_entry,
    find_memory,
    memory_entries,
    within,
)
from everword_search.addresses.tree import AddressEntry, Directory, find_directory
from everword_search.records.freshness import fresh_transaction
from everword_search.records.model import max_parts
from everword_search.records.store import read_memories
from everword_search.records.tiers import Tier


async def list_address(
    database: Database,
    namespace: NamespaceScope,
    address: str,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[AddressEntry], str]:
    """Return a page of a directory's entries and the token of the next page.

    Raises AddressNotFound, InvalidPageToken, and InvalidArgument if the address is that of a memory.
    """
    segments = within(namespace, address) if address else ()
    cursor = await open_cursor(database, namespace, "ListAddress", page)
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        found = await directory_entry(conn, namespace, segments)
        if found is None:
            if await find_memory(conn, namespace, segments, Tier.ABSTRACT) is not None:
                text = "is a memory and no directory: read it"
                raise InvalidArgument(violations=(("address", text),))
            raise AddressNotFound(address=address)
        return await _list(conn, namespace, segments, found[0], cursor)


async def _list(
    conn: Connection,
    namespace: NamespaceScope,
    segments: Segments,
    directory: Directory,
    cursor: Cursor,
) -> tuple[Sequence[AddressEntry], str]:
    after = str(cursor.after[0]) if cursor.after else None
    if directory.conversations:
        rows = await store.read_conversations(conn, namespace.id, after=after, limit=cursor.limit)
        shown, token = cursor.cut(rows, lambda last: [str(last.id)])
        return await conversation_entries(shown, namespace), token
    if directory.memories:
        return await _list_memories(conn, namespace, segments, directory.memories, cursor, after)
    names = [name for name in directory.directories if after is None or name > after]
    displayed_names, token = cursor.cut(names, lambda last: [last])
    return [_below(segments, name) for name in displayed_names], token


def _below(segments: Segments, name: str) -> AddressEntry:
    directory = find_directory((*segments, name))
    assert directory is not None
    return AddressEntry((*segments, name), directory.about)


async def _list_memories(
    conn: Connection,
    namespace: NamespaceScope,
    segments: Segments,
    statement: str,
    cursor: Cursor,
    after: str | None,
) -> tuple[Sequence[AddressEntry], str]:
    parent = as_id(segments[1]) if len(segments) > 1 else None
    places = await store.list_places(conn, namespace.id, statement, parent, after, cursor.limit)
    shown, token = cursor.cut(places, lambda last: [last.seq or str(last.id)])
    ids = [place.id for place in shown]
    chars = ABSTRACT_SOURCE_CHARS
    memories = await read_memories(
        conn, namespace.id, ids, max_chars=chars, max_parts=max_parts(chars)
    )
    return await memory_entries(memories, namespace), token
