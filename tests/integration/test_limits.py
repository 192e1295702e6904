"""Limits of a namespace: calls beyond one are refused with its name and a time to retry; other calls are not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from everword.db.pool import Database
from everword.quotas import quotas
from everword.quotas.usage import PARTS
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import search_service_pb2 as search
from everword.v1.conversation_pb2 import ConversationKey
from everword_ingest.housekeeping.housekeeping import Housekeeping
from support.callers import make_namespaces, within
from support.calls import append, append_request
from support.foreign_written import note_request
from support.refusals import Refusal, read_refusal, refused
from support.stack import Stack

TENANT = within("acme")


@pytest.fixture
async def tenants(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Stack:
    """A stack with two namespaces, not in the last seconds of a minute."""
    monkeypatch.setattr(quotas, "FOLD_S", 0.2)
    await make_namespaces(stack, "acme", "other")
    if (left := _left_of_minute(stack)) < 8:
        await asyncio.sleep(left + 0.1)
    return stack


def _left_of_minute(stack: Stack) -> float:
    with closing(stack.database.connect()) as conn:
        row = conn.execute("SELECT 60 - extract(second FROM now())::float8").fetchone()
    assert row
    return float(row[0])


async def limit(stack: Stack, **limits: int) -> None:
    """Set limits, and let each process read them with a call."""
    request = admin.UpdateNamespaceRequest(
        namespace=admin.Namespace(name="acme", limits=admin.NamespaceLimits(**limits)),
        update_mask=FieldMask(paths=[f"limits.{path}" for path in limits]),
    )
    made = (await stack.admin.UpdateNamespace(request)).namespace
    assert made.limits == admin.NamespaceLimits(**limits)
    await answers(stack, 2)
    await in_step()


async def usage(stack: Stack) -> admin.NamespaceUsage:
    return (await stack.admin.GetNamespace(admin.GetNamespaceRequest(name="acme"))).usage


async def in_step() -> None:
    """Wait until each process has published its counts to the others."""
    await asyncio.sleep(quotas.FOLD_S * 2.5)


async def answers(stack: Stack, calls: int) -> tuple[int, list[Refusal]]:
    """Call search and ingest in turn; return the number of answered calls, and the errors of the others."""
    said = ingest.EnsureConversationRequest(key=ConversationKey(session_key="s"))
    looked = search.BrowseRequest(page_size=1)
    made = [
        stack.search.Browse(looked, metadata=TENANT)
        if number % 2
        else stack.ingest.EnsureConversation(said, metadata=TENANT)
        for number in range(calls)
    ]
    ended = await asyncio.gather(*made, return_exceptions=True)
    refusals = [read_refusal(each) for each in ended if isinstance(each, grpc.aio.AioRpcError)]
    return calls - len(refusals), refusals


async def test_request_limit_counts_calls_of_all_processes(tenants: Stack) -> None:
    await limit(tenants, requests_per_minute=100)
    answered, refusals = 2, list[Refusal]()
    for _ in range(4):
        some, others = await answers(tenants, 50)
        answered, refusals = answered + some, refusals + others
    # Each of two processes may exceed the limit by its unpublished count, and by calls that arrive while it publishes.
    assert 100 <= answered <= 100 + 2 * 100 // PARTS + 10
    [told] = {(each.code, each.reason, each.metadata["limit"]) for each in refusals}
    assert told == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "RATE_LIMIT_REACHED",
        "requests_per_minute",
    )
    assert "100 requests in a minute; call again in" in refusals[0].message
    refusal = await refused(tenants.search.Browse(search.BrowseRequest(), metadata=TENANT))
    assert abs(refusal.retry_after_s - _left_of_minute(tenants)) < 0.5
    # Other namespaces are unaffected, and operators' calls are not counted.
    await append(tenants, "Hello.", metadata=within("other"))
    await in_step()
    assert (await usage(tenants)).requests == answered
    await limit(tenants, requests_per_minute=0)
    assert (await answers(tenants, 2))[0] == 2


async def _batches(*texts: list[str]) -> AsyncIterator[ingest.ImportMessagesRequest]:
    for number, each in enumerate(texts):
        batch = append_request(*each, session_key="import", request_id=f"batch-{number}")
        yield ingest.ImportMessagesRequest(batch=batch)


async def test_message_limit_counts_new_messages_once_and_an_import_resumes_later(
    tenants: Stack,
) -> None:
    await limit(tenants, messages_per_minute=10)
    batches = ["one", "two", "three"], ["four", "five", "six"], [str(n) for n in range(5)]
    refusal = await refused(tenants.ingest.ImportMessages(_batches(*batches), metadata=TENANT))
    assert refusal.reason == "RATE_LIMIT_REACHED"
    assert refusal.metadata["limit"] == "messages_per_minute"
    assert refusal.retry_after_s > 0
    # Records imported again, and failed calls, do not count.
    again = await tenants.ingest.ImportMessages(_batches(*batches[:2]), metadata=TENANT)
    assert (again.messages_existing, again.messages_written) == (6, 0)
    wrong = append_request("Hello.")
    wrong.conversation_id = "0190b5c2-0000-7000-8000-000000000000"
    for _ in range(5):
        refusal = await refused(tenants.ingest.AppendMessages(wrong, metadata=TENANT))
        assert refusal.reason == "CONVERSATION_NOT_FOUND"
    await append(tenants, *"abcd", metadata=TENANT)
    refusal = await refused(tenants.ingest.AppendMessages(append_request("e"), metadata=TENANT))
    assert refusal.reason == "RATE_LIMIT_REACHED"
    await in_step()
    assert (await usage(tenants)).messages == 10


async def test_namespace_over_its_storage_limit_refuses_writes_and_allows_reads(
    tenants: Stack,
) -> None:
    await append(tenants, "x" * 600, metadata=TENANT)
    await tenants.notes.WriteNote(note_request("y" * 300), metadata=TENANT)
    await limit(tenants, stored_bytes=1000)
    await _measure(tenants)
    assert (await usage(tenants)).stored_bytes == 900
    # Old versions count, too.
    await tenants.notes.WriteNote(note_request("z" * 300), metadata=TENANT)
    await _measure(tenants)
    for call in (
        tenants.ingest.AppendMessages(append_request("Hello."), metadata=TENANT),
        tenants.notes.WriteNote(note_request("!"), metadata=TENANT),
        tenants.ingest.ImportMessages(_batches(["Hello."]), metadata=TENANT),
    ):
        refusal = await refused(call)
        assert refusal.code == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert refusal.reason == "STORAGE_LIMIT_REACHED"
        assert "QuotaFailure" in refusal.details
        assert "1000 bytes of text" in refusal.message
    await tenants.search.Search(search.SearchRequest(query="plan"), metadata=TENANT)
    await limit(tenants, stored_bytes=2000)
    await append(tenants, "Hello.", metadata=TENANT)


async def _measure(stack: Stack) -> None:
    """Measure the stored size, as ingest does in the background, and let its server read the result."""
    database = Database(stack.database.settings("ingest"), "ingest")
    await database.open()
    try:
        with closing(stack.database.connect()) as conn:
            conn.execute("UPDATE namespace_usage SET measured_at = '-infinity'")
            conn.commit()
        await Housekeeping(database).measure_stored()
    finally:
        await database.close()
    await answers(stack, 2)
    await in_step()
