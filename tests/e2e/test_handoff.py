"""A task is handed to an advisor, and the answer returns: the four steps of docs/notes.md, with keys."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.duration_pb2 import Duration

from everword.client import CallError, Client
from everword.client.settings import ClientSettings
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import memory_pb2, note_pb2
from everword.v1 import note_service_pb2 as notes
from support.callers import bearer, make_namespaces
from support.databases import cloned
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

OPERATOR = "operator-" + "k" * 40
PAGE = (Path(__file__).parents[2] / "docs" / "notes.md").read_text(encoding="utf-8")
ISSUE = notes.HandoffKey(repo="acme/shop", issue="41")
OTHER = notes.HandoffKey(repo="acme/shop", issue="42")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests, which asks for keys: each test has issues of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database, admin_key=OPERATOR, embedder=False) as stack:
            await make_namespaces(stack, "acme", metadata=bearer(OPERATOR))
            yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def settings(stack: Stack) -> ClientSettings:
    """Connection settings of the caller, with a key of its namespace."""
    key = admin.ApiKey(role=admin.API_KEY_ROLE_WRITE, namespace="acme")
    request = admin.CreateApiKeyRequest(api_key=key)
    made = await stack.admin.CreateApiKey(request, metadata=bearer(OPERATOR))
    return ClientSettings(
        ingest_address=stack.addresses["ingest"],
        search_address=stack.addresses["search"],
        compactor_address=stack.addresses["compactor"],
        api_key=made.secret,
    )


async def granted(
    stack: Stack, settings: ClientSettings, **fields: Any
) -> notes.CreateAdvisorGrantResponse:
    request = notes.CreateAdvisorGrantRequest(key=OTHER, **fields)
    return await stack.notes.CreateAdvisorGrant(request, metadata=bearer(settings.api_key))


async def test_documented_handoff_example_stores_answer_of_advisor(
    settings: ClientSettings,
) -> None:
    [example] = re.findall(r"```python\n(async def ask_advisor.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {**vars(notes), "Client": Client, "replace": replace}
    exec(f"from __future__ import annotations\n{example}", names)
    async with Client.connect(settings) as caller:
        advised = await names["ask_advisor"](caller, settings)
        assert advised == ["The pool has 5 connections for 200 requests."]
        # The advisor's answer is stored as a significant memory for later searches.
        found = await caller.search("advisor pool connections", filter=_tagged("acme/shop#41"))
        memory = found.results[0].memory
        assert set(memory.tags) == {"acme/shop", "issue-41", "acme/shop#41", "advisor_note"}
        wanted = notes.NoteFilter(tags=["acme/shop#41"], kinds=["advisor_note"], min_importance=4)
        listed = await caller.note_service.ListNotes(notes.ListNotesRequest(filter=wanted))
        assert [note.body.content for note in listed.notes] == advised
        noted = await caller.write_note("Ask before the pool is resized.", "pool")
        stale = caller.write_note("Resize it.", "pool", expected_version=noted.version + 1)
        with pytest.raises(CallError, match="NOTE_VERSION_CONFLICT"):
            await stale
        # A second run replaces the handoff, and adds another answer.
        assert len(await names["ask_advisor"](caller, settings)) == 2
        handed = await caller.search("checkout times out", filter=_tagged("handoff"))
        [memory] = [result.memory for result in handed.results]
        assert memory.note_kind == "handoff"
        await caller.note_service.WriteHandoff(
            notes.WriteHandoffRequest(key=ISSUE, content="It was the pool. What about the cache?")
        )
        assert not (await caller.search("checkout times out", filter=_tagged("handoff"))).results
        other = notes.GetHandoffRequest(key=notes.HandoffKey(repo="acme/shop", issue="4"))
        empty = await caller.note_service.GetHandoff(other)
        assert (empty.HasField("handoff"), len(empty.advisor_notes)) == (False, 0)


def _tagged(tag: str) -> memory_pb2.MemoryFilter:
    return memory_pb2.MemoryFilter(tags=[tag])


async def test_advisor_grant_limits_number_of_calls_across_services(
    stack: Stack, settings: ClientSettings
) -> None:
    grant = await granted(stack, settings)
    assert grant.grant.max_calls == 2
    assert "2 calls" in grant.instructions
    async with Client.connect(replace(settings, api_key=grant.secret)) as advisor:
        await advisor.search("acme/shop#42 advisor")
        await advisor.note_service.SaveAdvisorNote(
            notes.SaveAdvisorNoteRequest(key=OTHER, content="Look at the cache.", importance=5)
        )
        for call in (
            lambda: advisor.search("more"),
            lambda: advisor.note_service.GetHandoff(notes.GetHandoffRequest(key=OTHER)),
        ):
            with pytest.raises(CallError) as caught:
                await call()
            assert caught.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert caught.value.reason == "GRANT_USED_UP"
            assert caught.value.metadata["max_calls"] == "2"
    asked = notes.GetHandoffRequest(key=OTHER)
    known = await stack.notes.GetHandoff(asked, metadata=bearer(settings.api_key))
    [used] = [each for each in known.grants if each.id == grant.grant.id]
    assert (used.used_calls, used.key) == (2, OTHER)


async def test_concurrent_calls_do_not_exceed_call_limit_of_grant(
    stack: Stack, settings: ClientSettings
) -> None:
    grant = await granted(stack, settings, max_calls=7)
    request = notes.GetHandoffRequest(key=OTHER)

    async def call() -> str:
        try:
            await stack.notes.GetHandoff(request, metadata=bearer(grant.secret))
        except grpc.aio.AioRpcError as error:
            return error.code().name
        return "OK"

    answers = await asyncio.gather(*(call() for _ in range(30)))
    assert (answers.count("OK"), answers.count("RESOURCE_EXHAUSTED")) == (7, 23)


async def test_grant_cannot_create_grants_manage_keys_or_use_other_namespaces(
    stack: Stack, settings: ClientSettings
) -> None:
    grant = await granted(stack, settings, max_calls=9)
    shown = ClientSettings(**{**vars(settings), "api_key": grant.secret})
    more = await refused(granted(stack, shown))
    assert (more.code, more.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ACCESS_DENIED")
    keys = await refused(
        stack.admin.ListApiKeys(admin.ListApiKeysRequest(), metadata=bearer(grant.secret))
    )
    assert keys.reason == "ACCESS_DENIED"
    elsewhere = (*bearer(grant.secret), ("x-everword-namespace", "default"))
    other = await refused(
        stack.notes.GetHandoff(notes.GetHandoffRequest(key=OTHER), metadata=elsewhere)
    )
    assert other.reason == "ACCESS_DENIED"
    guessed = await refused(
        stack.notes.GetHandoff(
            notes.GetHandoffRequest(key=OTHER), metadata=bearer(grant.secret + "x")
        )
    )
    assert guessed.reason == "CREDENTIALS_INVALID"


async def test_expired_grant_is_refused_and_lifetime_is_limited(
    stack: Stack, settings: ClientSettings
) -> None:
    lifetime = Duration()
    lifetime.FromTimedelta(timedelta(milliseconds=1))
    grant = await granted(stack, settings, lifetime=lifetime)
    await asyncio.sleep(0.01)
    request = notes.GetHandoffRequest(key=OTHER)
    late = await refused(stack.notes.GetHandoff(request, metadata=bearer(grant.secret)))
    assert (late.code, late.reason) == (grpc.StatusCode.UNAUTHENTICATED, "CREDENTIALS_INVALID")
    lifetime.FromTimedelta(timedelta(days=2))
    long = await refused(granted(stack, settings, lifetime=lifetime))
    assert long.fields == {"lifetime"}


async def test_instructions_list_calls_in_order_for_caller_and_advisor(
    stack: Stack, settings: ClientSettings
) -> None:
    request = notes.GetHandoffRequest(key=OTHER, include_instructions=True)
    told = await stack.notes.GetHandoff(request, metadata=bearer(settings.api_key))
    grant = await granted(stack, settings, max_calls=1)
    for text, calls in (
        (told.instructions, ("WriteHandoff", "CreateAdvisorGrant", "GetHandoff")),
        (grant.instructions, ("GetHandoff", "SaveAdvisorNote")),
    ):
        places = [text.index(call) for call in calls]
        assert places == sorted(places)
        assert "acme/shop" in text
    assert "1 call to" in grant.instructions


async def test_write_note_refuses_reserved_kind_handoff(
    stack: Stack, settings: ClientSettings
) -> None:
    note = note_pb2.NewNote(key="handoff/acme/shop#41", content="Mine.", kind="handoff")
    request = notes.WriteNoteRequest(note=note)
    refusal = await refused(stack.notes.WriteNote(request, metadata=bearer(settings.api_key)))
    assert refusal.violations == {"note.kind": "is reserved: call NoteService.WriteHandoff"}
