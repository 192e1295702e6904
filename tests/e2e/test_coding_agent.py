"""A story: a coding agent with files, notes, an advisor and a budget over three sessions, from the user's view."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

import grpc
import pytest
import pytest_asyncio

from everword.client import CallError, Client
from everword.client.settings import ClientSettings
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import cost_service_pb2 as costs
from everword.v1 import document_pb2, memory_pb2, note_pb2
from everword.v1 import document_service_pb2 as files
from everword.v1 import note_service_pb2 as notes
from everword.v1 import search_service_pb2 as search
from support.agent_conversation import Talk, lines_of
from support.callers import bearer, make_namespaces
from support.costs import budget, kinds, spent
from support.databases import DatabaseUnderTest
from support.document_calls import file_name, to_writer
from support.stack import running_stack

OPERATOR = "operator-" + "k" * 40
ATLAS = document_pb2.DocumentScope(agent="atlas")
ISSUE = notes.HandoffKey(repo="acme/shop", issue="41")


@dataclass(frozen=True)
class House:
    """Clients of this test: a person with an operator's key, and the agent with a key of the role write."""

    person: Client
    atlas: Client
    #: Connection settings of the agent.
    settings: ClientSettings


@pytest_asyncio.fixture
async def house(database: DatabaseUnderTest) -> AsyncIterator[House]:
    async with (
        running_stack(database, admin_key=OPERATOR) as stack,
        AsyncExitStack() as open_,
    ):
        await make_namespaces(stack, "acme", metadata=bearer(OPERATOR))
        key = admin.ApiKey(role=admin.API_KEY_ROLE_WRITE, namespace="acme")
        request = admin.CreateApiKeyRequest(api_key=key)
        made = await stack.admin.CreateApiKey(request, metadata=bearer(OPERATOR))
        at = stack.addresses
        operator = ClientSettings(
            at["ingest"], at["search"], at["compactor"], api_key=OPERATOR, namespace="acme"
        )
        settings = replace(operator, api_key=made.secret, namespace="")
        person = await open_.enter_async_context(Client.connect(operator))
        atlas = await open_.enter_async_context(Client.connect(settings))
        yield House(person, atlas, settings)


async def test_coding_agent_story_over_three_sessions(house: House) -> None:
    for name, content in (
        ("SOUL", "Careful, brief, honest."),
        ("AGENTS", "Run the tests before every push."),
        ("BOOT", "Look whether an advisor has answered."),
    ):
        await write(house.person, name, content, writer="HUMAN")
    await house.person.cost_service.SetBudget(budget(cost="1.00"))
    await monday(house)
    await tuesday(house)
    await wednesday(house)


async def monday(house: House) -> None:
    talk = Talk(house.atlas, "atlas", "monday")
    context = await talk.hear("The checkout times out under load. Please fix it.")
    assert lines_of(context, "BASE") == [
        "SOUL: Careful, brief, honest.",
        "AGENTS: Run the tests before every push.",
        "BOOT: Look whether an advisor has answered.",
    ]
    assert "checkout times out" in context.text
    await talk.answer("I will look at the connection pool.")

    # The agent may not change its own character, whatever identity it claims; it may change its memory.
    for writer in ("AGENT", "HUMAN", "SYSTEM"):
        with pytest.raises(CallError) as caught:
            await write(house.atlas, "SOUL", "Bold. Never asks.", writer=writer)
        assert caught.value.code is grpc.StatusCode.PERMISSION_DENIED
        assert caught.value.reason == "WORKSPACE_FILE_PROTECTED"
    await write(house.atlas, "MEMORY", "- The checkout is in services/pay.")
    await house.atlas.write_note("Push the tag release-PELICAN, then wait ten minutes.", "deploy")
    assert await found(house.atlas, "how to deploy the tag") == [
        "Push the tag release-PELICAN, then wait ten minutes."
    ]

    # The agent hands the question to another model, which may make two calls.
    await hand_over(house.atlas, "The checkout times out. Is it the pool or the GIRAFFE cache?")
    advice = "The pool has 5 connections for 200 requests."
    await advise(house, advice)
    assert await spend(house.atlas, "0.50") == []

    # BOOT was already shown at the beginning of the session.
    context = await talk.hear("Did you find out anything?")
    assert lines_of(context, "BASE") == [
        "SOUL: Careful, brief, honest.",
        "AGENTS: Run the tests before every push.",
        "MEMORY: - The checkout is in services/pay.",
    ]


async def tuesday(house: House) -> None:
    talk = Talk(house.atlas, "atlas", "tuesday")
    context = await talk.hear("Good morning. Where were we?")
    assert lines_of(context, "BASE")[0] == "SOUL: Careful, brief, honest."
    assert lines_of(context, "BASE")[-1] == "BOOT: Look whether an advisor has answered."
    handed = await house.atlas.note_service.GetHandoff(notes.GetHandoffRequest(key=ISSUE))
    assert [note.body.content for note in handed.advisor_notes] == [
        "The pool has 5 connections for 200 requests."
    ]
    await talk.answer("The pool is too small. I will make it larger.")

    # Both write to the agent's memory file, and neither write is lost.
    seen = await house.atlas.document_service.GetWorkspaceFile(
        files.GetWorkspaceFileRequest(name=file_name("MEMORY"), scope=ATLAS)
    )
    await write(house.person, "MEMORY", "- Friday is a holiday.", writer="HUMAN", append=True)
    with pytest.raises(CallError, match="DOCUMENT_VERSION_CONFLICT"):
        await write(house.atlas, "MEMORY", "- Only mine.", expected_version=seen.file.version)
    await write(house.atlas, "MEMORY", "- The pool has 50 connections now.", append=True)

    # A new handoff replaces the previous one.
    await hand_over(house.atlas, "It was the pool. Should the cache stay?")
    assert "GIRAFFE" not in await everything(house.atlas, "checkout GIRAFFE cache pool")
    # The note is overwritten: no search finds its former text.
    await house.atlas.write_note("Merge to main: the pipeline deploys.", "deploy")
    context = await talk.hear("How do we deploy, with which tag? Push release-PELICAN?")
    assert "Merge to main: the pipeline deploys." in context.text
    assert "ten minutes" not in context.text
    assert lines_of(context, "BASE")[-1] == (
        "MEMORY: - The checkout is in services/pay.\n  - Friday is a holiday.\n"
        "  - The pool has 50 connections now."
    )
    assert "PELICAN," not in await everything(house.atlas, "release-PELICAN push the tag")
    assert await spend(house.atlas, "0.35") == ["warning"]


async def wednesday(house: House) -> None:
    talk = Talk(house.atlas, "atlas", "wednesday")
    context = await talk.hear("Morning. Is the fix out?")
    assert lines_of(context, "BASE")[-1].startswith("BOOT: ")
    assert "- Friday is a holiday." in context.text
    assert (await allowed(house.atlas)) is True
    assert await spend(house.atlas, "0.10") == []
    assert await spend(house.atlas, "0.05") == ["exceeded"]
    assert (await allowed(house.atlas)) is False
    # The person raises the budget, and the month goes on. The agent itself cannot.
    with pytest.raises(CallError) as caught:
        await house.atlas.cost_service.SetBudget(budget(cost="5.00"))
    assert caught.value.code is grpc.StatusCode.PERMISSION_DENIED
    await house.person.cost_service.SetBudget(budget(cost="5.00"))
    assert (await allowed(house.atlas)) is True

    # Only the history has overwritten and deleted text.
    deploy = note_pb2.NoteKey(key="deploy")
    await house.atlas.note_service.DeleteNote(notes.DeleteNoteRequest(key=deploy))
    assert "pipeline" not in await everything(house.atlas, "how does the pipeline deploy")
    past = await house.atlas.note_service.GetNoteHistory(notes.GetNoteHistoryRequest(key=deploy))
    assert [each.content for each in past.versions] == [
        "",
        "Merge to main: the pipeline deploys.",
        "Push the tag release-PELICAN, then wait ten minutes.",
    ]


async def write(
    client: Client, name: str, content: str, *, writer: str = "AGENT", **fields: object
) -> None:
    """Write a file of the agent's workspace."""
    request = files.WriteWorkspaceFileRequest(
        name=file_name(name), content=content, scope=ATLAS, writer=to_writer(writer)
    )
    for field, value in fields.items():
        setattr(request, field, value)
    await client.document_service.WriteWorkspaceFile(request)


async def hand_over(client: Client, content: str) -> None:
    await client.note_service.WriteHandoff(notes.WriteHandoffRequest(key=ISSUE, content=content))


async def advise(house: House, advice: str) -> None:
    """Let an advisor read the question and save its answer, which uses up its grant."""
    request = notes.CreateAdvisorGrantRequest(key=ISSUE, max_calls=2)
    granted = await house.atlas.note_service.CreateAdvisorGrant(request)
    async with Client.connect(replace(house.settings, api_key=granted.secret)) as advisor:
        asked = notes.GetHandoffRequest(key=ISSUE)
        known = await advisor.note_service.GetHandoff(asked)
        assert "GIRAFFE" in known.handoff.body.content
        await advisor.note_service.SaveAdvisorNote(
            notes.SaveAdvisorNoteRequest(key=ISSUE, content=advice)
        )
        with pytest.raises(CallError, match="GRANT_USED_UP"):
            await advisor.note_service.GetHandoff(asked)


async def spend(client: Client, cost: str) -> list[str | None]:
    """Report a model call; return the budget events in the response."""
    usage = spent("house-model", 1_000, 200, cost=cost, agent="atlas")
    told = await client.cost_service.RecordUsage(costs.RecordUsageRequest(usages=[usage]))
    return kinds(told.events)


async def allowed(client: Client) -> bool:
    checked = await client.cost_service.CheckBudget(costs.CheckBudgetRequest(agent="atlas"))
    return checked.allowed


async def found(client: Client, query: str) -> list[str]:
    """Return the notes found by Search."""
    kept = memory_pb2.MemoryFilter(kinds=[memory_pb2.MEMORY_KIND_NOTE])
    return [each.memory.content for each in (await client.search(query, filter=kept)).results]


async def everything(client: Client, query: str) -> str:
    """Return all hits for a query in every mode, all browsed memories, and a context."""
    texts: list[str] = []
    for mode in search.SearchMode.values():
        for result in (await client.search(query, mode=mode, limit=50)).results:
            texts += result.memory.content, result.passage
    texts += [memory.content async for memory in client.iter_browse()]
    texts += [(await client.build_context("Where were we?")).text]
    return "\n".join(texts)
