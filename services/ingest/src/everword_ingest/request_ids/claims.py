"""Claim a request id for a write, or find what an earlier call with it wrote."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from uuid import UUID

from google.protobuf.message import Message

from everword.db.arrays import Column
from everword.db.pool import Connection
from everword.db.statements import fetch_value, load_statements
from everword.db.typed_statements import statement
from everword.domain.errors import ContentErased, RequestIdConflict

SQL = load_statements("everword_ingest.request_ids")


@dataclass(frozen=True)
class RequestRow:
    """The request that a request id was used for."""

    body_hash: bytes
    conversation_id: UUID | None
    message_ids: list[UUID]


def hash_body(request: Message) -> bytes:
    """Return the SHA-256 of a request without its `request_id`: a repeated id must come with the same body.

    Raises ValueError if the message has no field of this name.
    """
    body = deepcopy(request)
    body.ClearField("request_id")
    name = request.DESCRIPTOR.full_name.encode()
    return hashlib.sha256(name + b"\0" + body.SerializeToString(deterministic=True)).digest()


@statement(SQL)
async def find_request(conn: Connection, namespace_id: int, request_id: str) -> RequestRow | None:
    """Return the claim of a request id; None if it was not claimed."""


async def claim_request(
    conn: Connection,
    namespace_id: int,
    request_id: str,
    body_hash: bytes,
    conversation_id: UUID | None = None,
    message_ids: Sequence[UUID] = (),
) -> RequestRow | None:
    """Claim a request id for this transaction; an empty id claims nothing.

    Return None if the write is still to be done, otherwise the result of the earlier call with this id. The second of
    two equal concurrent calls waits here until the first has committed. Raises RequestIdConflict if the id was used
    with another body, and ContentErased if the earlier result was erased.
    """
    if not request_id:
        return None
    parameters = {
        "namespace_id": namespace_id,
        "request_id": request_id,
        "body_hash": body_hash,
        "conversation_id": conversation_id,
        "message_ids": Column("uuid", message_ids),
    }
    if await fetch_value(conn, SQL["claim_request"], parameters) is not None:
        return None
    earlier = await find_request(conn, namespace_id, request_id)
    if earlier is not None and not earlier.body_hash:
        raise ContentErased(request_id=request_id)
    if earlier is None or earlier.body_hash != body_hash:
        raise RequestIdConflict(request_id=request_id)
    return earlier


@statement(SQL)
async def update_request(
    conn: Connection, namespace_id: int, request_id: str, message_ids: Sequence[UUID]
) -> None: ...


async def highest_passage(conn: Connection, namespace_id: int, message_ids: Sequence[UUID]) -> int:
    parameters = {"namespace_id": namespace_id, "message_ids": list(message_ids)}
    return int(await fetch_value(conn, SQL["highest_passage"], parameters))
