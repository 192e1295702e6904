"""Addresses of memories: `viking://NAMESPACE/conversations/ID/messages/SEQ`.

An address never changes, and consists of the parameters that read the memory. Each segment is percent-encoded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from urllib.parse import quote, unquote
from uuid import UUID

from everword.domain.memory_kinds import MemoryKind, find_kind
from everword.domain.records import MemoryRecord

SCHEME = "viking://"

Segments = tuple[str, ...]
#: The largest sequence number that a message can have.
_MAX_SEQ = 2**63 - 1


def _of_message(record: MemoryRecord) -> Segments:
    return ("conversations", str(record.conversation_id), "messages", str(record.seq))


def _of_summary(record: MemoryRecord) -> Segments:
    if record.conversation_id:
        return ("conversations", str(record.conversation_id), "summaries", str(record.id))
    return ("summaries", str(record.id))


def _of_note(record: MemoryRecord) -> Segments:
    """Return the address of a note: by its key if that is unique in the namespace and not an id, otherwise
    by its id.
    """
    scoped = record.agent or record.subject or record.conversation_id
    named = record.note_key and not scoped and as_id(record.note_key) is None
    return ("notes", record.note_key if named else str(record.id))


#: Kinds whose addresses are more than an id in the directory of the kind.
_OF_KIND: dict[int, Callable[[MemoryRecord], Segments]] = {
    MemoryKind.MESSAGE: _of_message,
    MemoryKind.SUMMARY: _of_summary,
    MemoryKind.NOTE: _of_note,
}
#: Directory of memories of any kind, by id.
_ANY_KIND = ("memories",)


def segments_of(record: MemoryRecord) -> Segments:
    """Return where a memory is within its namespace."""
    if of_kind := _OF_KIND.get(record.kind):
        return of_kind(record)
    kind = find_kind(record.kind)
    return (*(kind.traits.directory if kind else _ANY_KIND), str(record.id))


def write_address(namespace: str, segments: Sequence[str]) -> str:
    """Return the address of a place in a namespace."""
    return SCHEME + "/".join(quote(segment, safe="") for segment in (namespace, *segments))


def read_address(address: str) -> Segments | None:
    """Return the segments of an address, the namespace first; None if it is malformed. A trailing `/` is ignored."""
    if not address.startswith(SCHEME):
        return None
    path = address.removeprefix(SCHEME).rstrip("/")
    if not path:
        return ()
    try:
        segments = tuple(unquote(segment, errors="strict") for segment in path.split("/"))
    except UnicodeDecodeError:
        return None
    return segments if all(segments) and "\0" not in "".join(segments) else None


def as_id(segment: str) -> UUID | None:
    """Return the id that a segment is, in the form in which ids are written; None for any other text."""
    try:
        id_ = UUID(segment)
    except ValueError:
        return None
    return id_ if str(id_) == segment else None


def as_seq(segment: str) -> int | None:
    """Return the position in a conversation that a segment is; None for any other text."""
    is_number = segment.isascii() and segment.isdigit() and segment[0] != "0"
    return int(segment) if is_number and int(segment) <= _MAX_SEQ else None


def note_key_hash(key: str, agent: str, subject: str, conversation_id: UUID | None) -> bytes:
    """Return the SHA-256 of a key and its scope."""
    parts = [key, agent, subject, str(conversation_id or "")]
    return sha256(json.dumps(parts).encode()).digest()
