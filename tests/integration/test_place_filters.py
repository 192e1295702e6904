"""Filters by task and by address, in every way of reading."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from everword.v1 import (
    context_service_pb2,
    conversation_pb2,
    ingest_service_pb2,
    memory_pb2,
    watch_pb2,
)
from everword.v1 import search_service_pb2 as pb
from support.background import embed_everything
from support.calls import append_request, target
from support.databases import cloned
from support.notes import write
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROOT = "viking://default"
QUERY = "How do we deploy the billing service?"
#: Messages by the session that they are in; the first two sessions belong to one task.
TOLD = {
    "monday": "We deploy the billing service from the release branch, and the migration runs before a restart.",
    "tuesday": "The deployment of the billing service failed twice today, as the certificate had expired overnight.",
    "other": "Deploy the billing service of the second region last, when the first region has been quiet for an hour.",
}
NOTES = {
    "deploy/billing": "Deploy the billing service with two people present, one of whom watches the error rate.",
    "deploy/rollback": "To roll back the billing service, deploy the former image and leave the new columns in place.",
    "deployers": "Whoever deploys the billing service on a Friday tells the people who are on call.",
}
TASKS = {"monday": "issue-7", "tuesday": "issue-7", "other": "issue-8"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            for session, text in TOLD.items():
                request = append_request(text)
                request.conversation.CopyFrom(target(session, task_id=TASKS[session]))
                await stack.ingest.AppendMessages(request)
            for key, text in NOTES.items():
                await write(stack, text, key)
            await embed_everything(stack)
            yield stack


async def conversation(stack: Stack, session: str) -> conversation_pb2.Conversation:
    key = conversation_pb2.ConversationKey(session_key=session)
    response = await stack.search.GetConversation(pb.GetConversationRequest(key=key))
    return response.conversation


async def found(stack: Stack, mode: str, **fields: Any) -> set[str]:
    """Return the sessions and keys of all memories found with a filter."""
    only = memory_pb2.MemoryFilter(**fields)
    if mode == "BROWSE":
        listed = await stack.search.Browse(pb.BrowseRequest(filter=only))
        texts = {each.content for each in listed.memories}
    elif mode == "CONTEXT":
        built = await stack.context.BuildContext(
            context_service_pb2.BuildContextRequest(query=QUERY, filter=only)
        )
        texts = {text for text in (*TOLD.values(), *NOTES.values()) if text in built.text}
    else:
        request = pb.SearchRequest(
            query="billing" if mode == "REGEX" else QUERY,
            mode=pb.SearchMode.Value(f"SEARCH_MODE_{mode}"),
            filter=only,
        )
        response = await stack.search.Search(request)
        texts = {each.memory.content for each in response.results}
    names = {text: name for name, text in (TOLD | NOTES).items()}
    # Another test adds messages.
    return {names[text] for text in texts if text in names}


@pytest.mark.parametrize("mode", ["HYBRID", "LEXICAL", "SEMANTIC", "REGEX", "BROWSE", "CONTEXT"])
async def test_task_and_address_are_filters_of_every_read(stack: Stack, mode: str) -> None:
    monday = (await conversation(stack, "monday")).id
    place = f"{ROOT}/conversations/{monday}"
    cases: list[tuple[dict[str, Any], set[str]]] = [
        ({"task_ids": ["issue-7"]}, {"monday", "tuesday"}),
        ({"task_ids": ["issue-8", "none"]}, {"other"}),
        ({"task_ids": ["none"]}, set()),
        ({"address_prefix": f"{ROOT}/"}, {*TOLD, *NOTES}),
        ({"address_prefix": f"{ROOT}/conversations"}, set(TOLD)),
        ({"address_prefix": place}, {"monday"}),
        ({"address_prefix": f"{place}/messages/1"}, {"monday"}),
        ({"address_prefix": f"{place}/messages/2"}, set()),
        ({"address_prefix": f"{place}/summaries"}, set()),
        ({"address_prefix": f"{ROOT}/notes"}, set(NOTES)),
        ({"address_prefix": f"{ROOT}/notes/deploy%2F"}, {"deploy/billing", "deploy/rollback"}),
        ({"address_prefix": f"{ROOT}/notes/deploy"}, set(NOTES)),
        ({"address_prefix": f"{ROOT}/notes/Deploy"}, set()),
        ({"address_prefix": f"{ROOT}/facts"}, set()),
        # Several filters at once.
        ({"task_ids": ["issue-7"], "address_prefix": place}, {"monday"}),
        ({"task_ids": ["issue-8"], "address_prefix": place}, set()),
        ({"task_ids": ["issue-7"], "address_prefix": f"{ROOT}/notes"}, set()),
        ({"kinds": [memory_pb2.MEMORY_KIND_NOTE], "address_prefix": place}, set()),
        ({"conversation_ids": [monday], "task_ids": ["issue-7"]}, {"monday"}),
    ]
    for fields, expected in cases:
        assert await found(stack, mode, **fields) == expected, fields


async def test_unknown_address_is_refused_with_an_example(stack: Stack) -> None:
    for address in ("notes", "viking://other/notes", f"{ROOT}/nowhere", f"{ROOT}/facts/x"):
        refusal = await refused(found(stack, "HYBRID", address_prefix=address))
        assert refusal.fields == {"filter.address_prefix"}, address
        assert "viking://NAMESPACE/notes" in refusal.violations["filter.address_prefix"]


async def test_task_of_a_conversation_can_change(stack: Stack) -> None:
    listed = await stack.search.ListConversations(
        pb.ListConversationsRequest(
            filter=conversation_pb2.ConversationFilter(task_ids=["issue-8"])
        )
    )
    [before] = listed.conversations
    assert (before.key.session_key, before.details.task_id) == ("other", "issue-8")
    for task_id, expected in (("issue-9", {"other"}), ("", set()), ("issue-8", set())):
        change = ingest_service_pb2.EnsureConversationRequest(
            conversation_id=before.id,
            details=conversation_pb2.ConversationDetails(task_id=task_id),
            update_mask=FieldMask(paths=["details.task_id"]),
        )
        await stack.ingest.EnsureConversation(change)
        assert (await conversation(stack, "other")).details.task_id == task_id
        assert await found(stack, "HYBRID", task_ids=["issue-9"]) == expected
    assert await found(stack, "HYBRID", task_ids=["issue-8"]) == {"other"}


async def test_watch_of_a_task_reports_messages_of_its_later_conversations(stack: Stack) -> None:
    only = memory_pb2.MemoryFilter(task_ids=["issue-10"])
    call = stack.search.WatchMemories(watch_pb2.WatchMemoriesRequest(filter=only))
    await call.read()
    text = "The billing service now writes its invoices to the new bucket."
    for task_id in ("issue-11", "issue-10"):
        request = append_request(f"{task_id}: {text}")
        request.conversation.CopyFrom(target(task_id, task_id=task_id))
        await stack.ingest.AppendMessages(request)
    response = await call.read()
    assert isinstance(response, watch_pb2.WatchMemoriesResponse)
    assert [each.memory.content for each in response.events] == [f"issue-10: {text}"]
    call.cancel()
