"""Exports a namespace, and checks the file against the messages acknowledged before the call."""

from __future__ import annotations

import hashlib
import json
from itertools import chain
from typing import Any

from everword.v1 import admin_service_pb2
from faults.calls import Caller
from faults.history import Promise
from faults.traffic import others_in

#: Export in one of this many rounds: an export keeps the database from vacuuming old rows.
EVERY = 5


async def export(caller: Caller, number: int) -> None:
    if number % EVERY:
        return
    history, namespace = caller.history, caller.namespace
    request = admin_service_pb2.ExportNamespaceRequest(name=namespace)
    told: set[str] = set()
    gone: set[str] = set()

    async def read() -> bytes:
        """Record the messages acknowledged before the call, which may be retried."""
        told.clear()
        told.update(
            chain.from_iterable(
                names for (of, _), names in history.messages.items() if of == namespace
            )
        )
        gone.update(history.erased[namespace])
        stream = caller.client.admin_service.ExportNamespace(request)
        return b"".join([part.data async for part in stream])

    content = await caller.until_answered(read)
    history.hold(Promise.EXPORTED, *judge(content, told, namespace))
    others = others_in(content.decode(), namespace)
    history.hold(Promise.ALONE, not others, f"an export of {namespace} holds what {others} said")
    left = [word for word in gone if word.encode() in content]
    history.hold(Promise.ERASED, not left, f"an export of {namespace} holds {left}")


def judge(content: bytes, told: set[str], namespace: str) -> tuple[bool, str]:
    """Return whether a file is complete and contains the messages, and a description of the error if not."""
    before, _, last = content.rstrip(b"\n").rpartition(b"\n")
    end: Any = json.loads(last).get("end", {})
    if end.get("sha256") != hashlib.sha256(before + b"\n").hexdigest():
        return False, f"an export of {namespace} ends on {last[:200]!r}"
    records = [json.loads(line) for line in before.split(b"\n")]
    messages = [record["message"] for record in records if "message" in record]
    held = {each["external_id"] or each["content"].partition(":")[0] for each in messages}
    missing = told - held
    return not missing, f"an export of {namespace} lacks {sorted(missing)[:5]}"
