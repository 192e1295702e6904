"""A legal hold keeps data from retention, erasure and the deletion of the namespace, until it is deleted."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import UTC, datetime, timedelta

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import erasure_service_pb2 as pb
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import note_pb2
from support.calls import message, reason, rich_status, target
from support.command_line import everword
from support.notes import write
from support.retention import keep, preview, removed, run
from support.stack import Stack
from support.stated_facts import remember

TALK = [
    "We agreed on the phone that the delivery of the oak planks moves to the last week of May at the same price.",
    "The carpenter says that the planks need at least three weeks in the workshop before he can cut them.",
    "I paid the invoice of the sawmill this morning and asked for a receipt with the number of the order.",
]


async def talk(stack: Stack, session_key: str, subject: str, author: str = "") -> tuple[str, str]:
    """Store a conversation of forty days ago; return its id and that of its first message."""
    at = Timestamp()
    at.FromDatetime(datetime.now(UTC) - timedelta(days=40))
    request = ingest.AppendMessagesRequest(
        conversation=target(session_key, subject=subject),
        messages=[message(words, create_time=at, author=author) for words in TALK],
    )
    said = await stack.ingest.AppendMessages(request)
    return said.conversation_id, said.messages[0].message_id


async def hold(stack: Stack, **scope: str) -> str:
    request = pb.CreateLegalHoldRequest(reason="Case 12/2026", **scope)
    return (await stack.erasures.CreateLegalHold(request)).hold.id


async def end(stack: Stack, hold_id: str) -> None:
    await stack.erasures.DeleteLegalHold(pb.DeleteLegalHoldRequest(hold_id=hold_id))


async def refused(call: Awaitable[object], hold_id: str) -> bool:
    """Return whether a call is refused because of a hold."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    error = caught.value
    assert error.code() == grpc.StatusCode.FAILED_PRECONDITION
    assert reason(error) == "LEGAL_HOLD"
    return hold_id.encode() in rich_status(error).SerializeToString()


def erase(stack: Stack, **named: str) -> Awaitable[pb.EraseResponse]:
    return stack.erasures.Erase(pb.EraseRequest(target=pb.ErasureTarget(**named)))


async def counted(stack: Stack) -> tuple[int, int]:
    """Return how many messages a run would remove, and how many legal holds keep."""
    found = await stack.erasures.PreviewRetention(pb.PreviewRetentionRequest())
    return sum(each.count for each in found.removed), sum(each.on_hold for each in found.removed)


async def test_retention_skips_data_on_hold_and_the_preview_counts_it(stack: Stack) -> None:
    """RG-11, RG-12: of a subject, of a conversation, and of the namespace."""
    await talk(stack, "ana", "ana")
    kept, _ = await talk(stack, "bo", "bo")
    await talk(stack, "cleo", "cleo")
    await keep(stack, "MESSAGES", 30)
    assert await counted(stack) == (9, 0)
    everything = await hold(stack)
    assert await counted(stack) == (0, 9)
    assert removed(await run(stack)) == {}
    await end(stack, everything)
    of_ana, of_bo = await hold(stack, subject="ana"), await hold(stack, conversation_id=kept)
    assert await counted(stack) == (3, 6)
    whole = pb.RetentionPolicy(
        kind=pb.RETENTION_KIND_MESSAGES, keep_days=30, whole_conversations=True
    )
    assert await preview(stack, whole) == {"MESSAGES": 3}
    assert removed(await run(stack)) == {"MESSAGES": 3}
    assert await counted(stack) == (0, 6)
    await end(stack, of_ana)
    assert removed(await run(stack)) == {"MESSAGES": 3}
    await end(stack, of_bo)
    assert removed(await run(stack)) == {"MESSAGES": 3}


async def test_erasure_of_data_on_hold_is_refused(stack: Stack) -> None:
    conversation, first = await talk(stack, "ana", "ana", author="Ana")
    other, _ = await talk(stack, "bo", "bo", author="Bo")
    note = await write(
        stack,
        "Ana's planks come at the end of May.",
        "planks",
        scope=note_pb2.NoteScope(subject="ana"),
    )
    fact = await remember(stack, "Rome", [first], subject="ana")
    of_ana = await hold(stack, subject="ana")
    for named in (
        {"subject": "ana"},
        {"conversation_id": conversation},
        {"message_id": first},
        {"author": "Ana"},
        {"note_id": note.note_id},
        {"memory_id": fact.id},
    ):
        assert await refused(erase(stack, **named), of_ana), named
        shown = pb.PreviewErasureRequest(target=pb.ErasureTarget(**named))
        assert await refused(stack.erasures.PreviewErasure(shown), of_ana), named
    gone = admin.DeleteNamespaceRequest(name="default")
    assert await refused(stack.admin.DeleteNamespace(gone), of_ana)
    shown_gone = admin.PreviewNamespaceDeletionRequest(name="default")
    assert await refused(stack.admin.PreviewNamespaceDeletion(shown_gone), of_ana)
    of_bo = await hold(stack, conversation_id=other)
    for named in ({"subject": "bo"}, {"conversation_id": other}, {"author": "Bo"}):
        assert await refused(erase(stack, **named), of_bo), named
    await end(stack, of_bo)
    assert (await erase(stack, subject="bo")).erasure.matched_rows >= 3
    await end(stack, of_ana)
    assert (await erase(stack, subject="ana")).erasure.matched_rows >= 3


async def test_hold_on_the_namespace_refuses_every_erasure(stack: Stack) -> None:
    conversation, _ = await talk(stack, "ana", "ana")
    everything = await hold(stack)
    for named in ({"subject": "nobody"}, {"conversation_id": conversation}, {"author": "Ana"}):
        assert await refused(erase(stack, **named), everything), named


async def test_holds_are_added_listed_and_removed_on_the_command_line(stack: Stack) -> None:
    await talk(stack, "ana", "ana")
    await keep(stack, "MESSAGES", 30)
    holding = ("retention", "hold")
    added = await everword(stack, *holding, "add", "--subject", "ana", "--reason", "Case 12/2026")
    assert "subject ana on hold" in added.output, added.errors
    # The same hold exists once; a name that nothing is stored about is named, as it may be a typing error.
    await everword(stack, *holding, "add", "--subject", "ana", "--reason", "Case 12/2026")
    unknown = await everword(stack, *holding, "add", "--subject", "anna", "--json")
    assert "Nothing is stored about anna" in unknown.errors
    await everword(stack, *holding, "remove", unknown.json()["hold"]["id"])
    by_key = await everword(stack, *holding, "add", "--conversation", "ana", "--json")
    await everword(stack, *holding, "remove", by_key.json()["hold"]["id"])
    [listed] = (await everword(stack, *holding, "list", "--json")).json()["holds"]
    assert (listed["subject"], listed["reason"]) == ("ana", "Case 12/2026")
    assert "on hold 3" in (await everword(stack, "retention", "preview")).output
    refusal = await everword(stack, "erase", "subject", "ana", "--yes")
    assert refusal.status == 1
    assert listed["id"] in refusal.errors
    ended = await everword(stack, *holding, "remove", listed["id"])
    assert "no longer on hold" in ended.output
    assert (await everword(stack, *holding, "list")).output.strip() == "none"
    both = await everword(stack, *holding, "add", "--subject", "ana", "--all")
    assert both.status != 0
