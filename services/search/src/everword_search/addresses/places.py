"""Resolve an address to a directory or a memory; a memory may have more than one address."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from everword.db.pool import Connection
from everword.domain.addresses import Segments, as_id, as_seq, read_address, segments_of
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import AddressNotFound
from everword.domain.records import MemoryRecord
from everword.domain.trust import LEFT_OUT
from everword.text.instructions import contains_model_instructions
from everword.text.tiers import ABSTRACT_SOURCE_CHARS, abstract
from everword_search.addresses import store
from everword_search.addresses.store import ConversationRow
from everword_search.addresses.tree import CONVERSATION, AddressEntry, Directory, find_directory
from everword_search.records.store import find_message_at, read_memories
from everword_search.records.tiers import Tier, chars_read, in_tier, parts_read


def within(namespace: NamespaceScope, address: str) -> Segments:
    """Return the segments of an address within the caller's namespace.

    Raises AddressNotFound if it is malformed or in another namespace.
    """
    segments = read_address(address)
    if segments is None or segments[:1] not in ((), (namespace.name,)):
        raise AddressNotFound(address=address)
    return segments[1:]


async def directory_entry(
    conn: Connection, namespace: NamespaceScope, segments: Segments
) -> tuple[Directory, AddressEntry] | None:
    """Return the directory at a path and its entry; None if the path is no directory."""
    directory = find_directory(segments)
    if directory is None:
        return None
    if segments[:1] != CONVERSATION[:1] or len(segments) == 1:
        return directory, AddressEntry(segments, directory.about)
    found = await store.read_conversations(conn, namespace.id, conversation_id=as_id(segments[1]))
    if not found:
        return None
    [entry] = await conversation_entries(found, namespace)
    return directory, entry if len(segments) == 2 else AddressEntry(segments, directory.about)


async def conversation_entries(
    rows: Sequence[ConversationRow], namespace: NamespaceScope
) -> list[AddressEntry]:
    masks = namespace.masks_credentials
    # Masking scans each text for credentials, so it runs in a thread.
    return await asyncio.to_thread(lambda: [_conversation_entry(row, masks) for row in rows])


def _conversation_entry(row: ConversationRow, masks: bool) -> AddressEntry:
    """Return a conversation's entry.

    Its abstract comes from the summary, else the first words, else the title or key.
    """
    if row.untrusted and contains_model_instructions(row.lead):
        row = replace(row, lead=LEFT_OUT)
    cut_before = len(row.lead) >= ABSTRACT_SOURCE_CHARS
    text = row.lead or row.title or row.session_key
    said = abstract(text, cut_before=cut_before, masks=masks)
    return AddressEntry(("conversations", str(row.id)), said, occurred_at=row.last_message_at)


async def memory_entries(
    records: Sequence[MemoryRecord], namespace: NamespaceScope
) -> list[AddressEntry]:
    masks = namespace.masks_credentials
    return await asyncio.to_thread(lambda: [_memory_entry(record, masks) for record in records])


def _memory_entry(record: MemoryRecord, masks: bool) -> AddressEntry:
    """Return a memory's entry. An entry has no flag for suspicious text, so such text is replaced by a placeholder."""
    short = in_tier(record, Tier.ABSTRACT, masks=masks)
    said = LEFT_OUT if short.is_suspicious_in(short.content) else short.content
    return AddressEntry(segments_of(record), said, record, record.occurred_at)


async def find_memory(
    conn: Connection, namespace: NamespaceScope, segments: Segments, tier: Tier
) -> MemoryRecord | None:
    """Return the memory at a path, with as much text as the tier needs; None if there is none."""
    id_ = await _find_id(conn, namespace.id, segments)
    if id_ is None:
        return None
    if segments[:-1] in _CURRENT:
        # The id of a fact or a node also names its current version, which is a memory with an id of its own.
        current = await _CURRENT[segments[:-1]](conn, namespace.id, id_)
        if current is not None:
            id_, segments = current, (*segments[:-1], str(current))
    chars, parts = chars_read(tier, None), parts_read(tier)
    found = await read_memories(conn, namespace.id, [id_], max_chars=chars, max_parts=parts)
    return found[0] if found and segments in _names(found[0]) else None


_CURRENT = {("facts",): store.find_interval, ("graph", "nodes"): store.find_version}


async def _find_id(conn: Connection, namespace_id: int, segments: Segments) -> UUID | None:
    """Return the id that the last segment of a path is, or refers to; None if there is none."""
    match segments:
        case ("conversations", conversation, "messages", place) if seq := as_seq(place):
            conversation_id = as_id(conversation)
            if conversation_id is None:
                return None
            return await find_message_at(conn, namespace_id, conversation_id, seq)
        case ("notes", key) if as_id(key) is None:
            return await store.find_note_key(conn, namespace_id, key)
        case (*_, last):
            return as_id(last)
    return None


def _names(record: MemoryRecord) -> tuple[Segments, ...]:
    """Return all paths of a memory: its own, its id within its directory, and its id under `memories`."""
    own = segments_of(record)
    return (own, (*own[:-1], str(record.id)), ("memories", str(record.id)))
