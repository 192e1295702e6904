"""Evidence given by callers: the messages must exist and contain the quotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.domain.errors import InvalidArgument
from everword.domain.ids import new_id
from everword.domain.not_found import MemoryNotFound
from everword.domain.trust import TrustPolicy
from everword.facts.model import FactSource
from everword.facts.store import NewEvidence, QuotedMessage, find_evidence_messages
from everword_ingest.facts.model import SuppliedEvidence


async def check_evidence(
    conn: Connection, namespace_id: int, given: Sequence[SuppliedEvidence]
) -> list[tuple[SuppliedEvidence, QuotedMessage | None]]:
    """Return each piece with its message, if it names one. Raises MemoryNotFound and InvalidArgument."""
    ids = {each.message_id for each in given if each.message_id}
    said = await find_evidence_messages(conn, namespace_id, sorted(ids)) if ids else {}
    return [(piece, _message_of(piece, number, said)) for number, piece in enumerate(given)]


def to_store(
    checked: Sequence[tuple[SuppliedEvidence, QuotedMessage | None]], now: datetime
) -> list[NewEvidence]:
    """Return the pieces as they are stored; without any, one that says that the fact was written down now."""
    pieces = checked or [(SuppliedEvidence(None), None)]
    return [
        NewEvidence(
            new_id(),
            piece.message_id,
            said.conversation_id if said else None,
            piece.contradicts,
            piece.quote,
            piece.reason,
            said.said_at if said else now,
        )
        for piece, said in pieces
    ]


def is_untrusted_claim(
    checked: Sequence[tuple[SuppliedEvidence, QuotedMessage | None]],
    source: FactSource,
    trust: TrustPolicy,
) -> bool:
    """Return whether a claim has only untrusted messages as evidence. A person's own claims are always trusted."""
    if source is FactSource.PERSON or not checked:
        return False
    return all(
        said is not None and trust.is_untrusted(said.channel, said.role, said.tool_name)
        for _, said in checked
    )


def _message_of(
    piece: SuppliedEvidence, number: int, messages: Mapping[UUID, QuotedMessage]
) -> QuotedMessage | None:
    if piece.message_id is None:
        return None
    found = messages.get(piece.message_id)
    if found is None:
        raise MemoryNotFound(memory_id=piece.message_id)
    if _words(piece.quote) not in _words(f"{found.content}\n{found.tool_result}"):
        field = f"evidence[{number}].quote"
        raise InvalidArgument(violations=((field, "is not in the message: quote its own words"),))
    return found


def _words(text: str) -> str:
    return " ".join(text.split())
