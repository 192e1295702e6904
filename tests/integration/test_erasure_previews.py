"""A preview of an erasure only reads, so writers do not wait for it."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from everword.v1 import erasure_service_pb2 as pb
from everword.v1.ingest_service_pb2 import AppendMessagesRequest
from support.calls import message, target
from support.stack import Stack
from support.waits import until

#: Locks of the preview's session while it waits for one of the counted tables.
HELD = """
SELECT DISTINCT l.locktype, l.mode FROM pg_locks l
 WHERE l.granted AND l.pid IN (SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'themes'::regclass)
"""
TARGETS = ("message_id", "conversation_id", "subject", "author")


def said(text: str) -> AppendMessagesRequest:
    return AppendMessagesRequest(
        conversation=target("mill", subject="ana"), messages=[message(text, author="Bea")]
    )


@pytest.mark.parametrize("field", TARGETS)
async def test_erasure_preview_blocks_neither_appends_nor_jobs(stack: Stack, field: str) -> None:
    first = await stack.ingest.AppendMessages(said("The mill turns."))
    named = {
        "message_id": first.messages[0].message_id,
        "conversation_id": first.conversation_id,
        "subject": "ana",
        "author": "Bea",
    }
    request = pb.PreviewErasureRequest(target=pb.ErasureTarget(**{field: named[field]}))
    with stack.database.connect() as blocker, stack.database.connect() as conn:
        with blocker.transaction(force_rollback=True):
            # The preview counts this table late, so it waits in the middle with all its locks.
            blocker.execute("LOCK TABLE themes IN ACCESS EXCLUSIVE MODE")
            preview = asyncio.create_task(_preview(stack, request))
            await until(lambda: bool(_held(conn)))
            held = _held(conn)
            await stack.ingest.AppendMessages(said("It stands still."), timeout=5)
            # Workers start jobs under this lock; an erasure would block them.
            lock = "SELECT true FROM tenants WHERE namespace_id = 1 FOR SHARE SKIP LOCKED"
            assert conn.execute(lock).fetchone() == (True,)
            assert not preview.done()
        counts = (await preview).row_counts
    assert {mode for kind, mode in held if kind == "relation"} == {"AccessShareLock"}
    assert {kind for kind, _ in held} == {"relation", "virtualxid"}
    assert counts["messages"] == 1


async def _preview(stack: Stack, request: pb.PreviewErasureRequest) -> pb.PreviewErasureResponse:
    return await stack.erasures.PreviewErasure(request, timeout=30)


def _held(conn: psycopg.Connection) -> set[tuple[str, str]]:
    return {(kind, mode) for kind, mode in conn.execute(HELD.encode()).fetchall()}
