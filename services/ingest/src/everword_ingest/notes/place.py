"""The scope of a note, and lookup by key or id."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.domain.errors import InvalidArgument
from everword.domain.not_found import ConversationNotFound, NoteNotFound
from everword_ingest.notes import store
from everword_ingest.notes.model import NoteKey, NoteScope


@dataclass(frozen=True)
class StoredScope:
    """A scope as it is stored: of a conversation, with its agent and subject, and the channel it is held on."""

    scope: NoteScope
    channel: str = ""


async def find_place(conn: Connection, namespace_id: int, scope: NoteScope) -> StoredScope:
    """Return where notes of a scope are. Raises ConversationNotFound and InvalidArgument."""
    if scope.conversation_id is None:
        return StoredScope(scope)
    owner = await store.find_conversation(conn, namespace_id, scope.conversation_id)
    if owner is None:
        raise ConversationNotFound(conversation_id=scope.conversation_id)
    for name, given, own in (
        ("agent", scope.agent, owner.agent),
        ("subject", scope.subject, owner.subject),
    ):
        if given not in ("", own):
            text = f"is not the conversation's {name}: leave it empty"
            raise InvalidArgument(violations=((f"scope.{name}", text),))
    return StoredScope(NoteScope(owner.agent, owner.subject, scope.conversation_id), owner.channel)


async def find_note_id(conn: Connection, namespace_id: int, target: UUID | NoteKey) -> UUID:
    """Return the id of a note, whether it stands or not. Raises NoteNotFound and ConversationNotFound."""
    if isinstance(target, UUID):
        return target
    place = await find_place(conn, namespace_id, target.scope)
    found = await store.find_key(conn, namespace_id, NoteKey(target.key, place.scope))
    if found is None:
        raise not_found(target)
    return found


def not_found(target: UUID | NoteKey) -> NoteNotFound:
    """Return the error with the id or key of the request."""
    if isinstance(target, UUID):
        return NoteNotFound(note_id=target)
    return NoteNotFound(key=target.key)
