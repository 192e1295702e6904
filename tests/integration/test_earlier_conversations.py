"""The start of a new session: the last turns of earlier ones, their summaries, and open tasks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import context_service_pb2 as pb
from everword.v1 import conversation_pb2 as conversation
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import memory_pb2, note_pb2, note_service_pb2
from everword.v1.search_service_pb2 import VERDICT_NOTHING_RELEVANT
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from support.background import embed_everything
from support.callers import bearer
from support.calls import ASSISTANT, TOOL, message, target
from support.compaction import compact_everything
from support.corpus import moment
from support.databases import cloned
from support.keyed_stack import keyed
from support.row_counts import RowCounts, changed
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

OPERATOR = bearer("boss")
EARLIER = pb.CONTEXT_SOURCE_EARLIER_CONVERSATIONS
HISTORY = pb.CONTEXT_SOURCE_CHAT_HISTORY
AGENT, ANA = "companion", "ana"
BOAT = (
    "Hello again! The surveyor finally looked at the Heron on Monday, and he was on board for three hours. He "
    "says that the hull is sound, but that two of the chainplates have hairline cracks and have to be replaced "
    "before summer.",
    "That is good news about the hull, because that was what you were afraid of. Did he say what the chainplates "
    "would cost, and whether the yard in Lymington can do it before the rally in June?",
    "About nine hundred pounds for the pair, fitted. The yard has a slot in the week of the eleventh of May. I "
    "asked them to pencil it in, and they want a deposit of two hundred by Friday, otherwise somebody else gets "
    "the slot.",
    "Then the deposit is the next thing to do. Shall I remind you on Thursday evening, so that the transfer "
    "arrives in time? You also wanted to ask them about the standing rigging while the mast is down.",
    "Yes please, Thursday evening is good. And yes, the rigging: it is from 2009, so the insurance will not cover "
    "it much longer. I will ask for a quote for new wire in one go with the chainplates.",
    "I have noted both. One more thing that you left open last time is the colour of the hull: you were torn "
    "between the dark green of the old photographs and a plain off-white.",
    "I slept on it, and I lean towards the dark green, as my grandfather had it. But I want to see a sample in "
    "sunlight first. Let us decide when the sample board from the chandler is here.",
    "Dark green it is, then, if the sample convinces you. We stop here for today: the deposit by Friday, the "
    "quote for the rigging, and the sample board from the chandler.",
)
ROSES = (
    "My roses have black spots on nearly all of the lower leaves, and I have tried a spray with milk, which my "
    "neighbour swears by, for two weeks now without any effect.",
    "Black spot spreads by splashing water. Cut off the infected leaves, put them into the household waste and "
    "not on the compost, and water only at the foot of the plants in the morning.",
)


async def tell(stack: Stack, key: str, day: str, texts: tuple[str, ...], **of: Any) -> str:
    """Store a conversation of user and assistant on a day, and return its id."""
    begin = moment(f"{day}T18:00:00+00:00").ToSeconds()
    automated = of.pop("automated", False)
    of = {"agent": AGENT, "subject": ANA, **of}
    request = ingest.AppendMessagesRequest(
        conversation=target(key, **of),
        messages=[
            message(
                text,
                role=ASSISTANT if n % 2 else memory_pb2.ROLE_USER,
                author="" if n % 2 else of["subject"].capitalize(),
                automated=automated,
                create_time={"seconds": begin + 60 * n},
            )
            for n, text in enumerate(texts)
        ],
    )
    return (await stack.ingest.AppendMessages(request, metadata=OPERATOR)).conversation_id


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Conversations of two users and two agents; Ana's last one is about a boat."""
    with cloned(postgres_url) as database:
        async with running_stack(database, admin_key="boss") as stack:
            await tell(stack, "garden", "2026-04-02", ROSES)
            await tell(stack, "boat", "2026-04-09", BOAT)
            await tell(
                stack, "secret", "2026-04-20", ("I am going to leave my job in May.",), subject="bo"
            )
            await tell(
                stack, "code", "2026-04-21", ("The deployment of the shop failed.",), agent="coder"
            )
            await tell(stack, "cron", "2026-04-22", ("Check the mail now.",) * 3, automated=True)
            await compact_everything(stack, ExtractiveComposer())
            await embed_everything(stack)
            yield stack


def request(session: str = "new", **fields: Any) -> pb.BuildContextRequest:
    fields = {"query": "Where were we?", **fields}
    named = pb.ContextConversation(
        key=conversation.ConversationKey(session_key=session, agent=fields.pop("agent", AGENT)),
        subject=fields.pop("subject", ANA),
    )
    return pb.BuildContextRequest(conversation=named, **fields)


async def build(stack: Stack, session: str = "new", **fields: Any) -> pb.BuildContextResponse:
    return await stack.context.BuildContext(request(session, **fields), metadata=OPERATOR)


def earlier(response: pb.BuildContextResponse) -> list[str]:
    return [i.text for b in response.blocks if b.source == EARLIER for i in b.items]


async def key(stack: Stack, **scope: Any) -> str:
    made = admin.ApiKey(namespace="default", role=admin.API_KEY_ROLE_READ, **scope)
    request = admin.CreateApiKeyRequest(api_key=made)
    return (await stack.admin.CreateApiKey(request, metadata=OPERATOR)).secret


async def test_new_session_starts_with_the_end_of_the_last_one(stack: Stack) -> None:
    response = await build(stack)
    shown = earlier(response)
    assert [text for text in BOAT[-6:] if any(text in line for line in shown)] == [*BOAT[-6:]]
    assert "## Earlier conversations\n" in response.text
    assert "\n9 Apr" in response.text
    assert response.token_count <= 4_000
    assert sum(b.token_count for b in response.blocks if b.source == EARLIER) <= 800


async def test_new_session_starts_with_the_last_one_if_nothing_is_relevant(stack: Stack) -> None:
    response = await build(stack, query="What is the boiling point of tungsten?")
    assert response.verdict == VERDICT_NOTHING_RELEVANT
    assert BOAT[-1] in response.text
    assert {block.source for block in response.blocks} == {EARLIER}


async def test_new_session_writes_nothing_and_needs_only_a_key_that_reads(stack: Stack) -> None:
    for scope in ({}, {"agent": AGENT}, {"subject": ANA}, {"agent": AGENT, "subject": ANA}):
        secret = await key(stack, **scope)
        async with keyed(stack, secret) as reader:
            with closing(RowCounts(stack, "default")) as counts:
                before = counts.now()
                response = await reader.context.BuildContext(request())
                # Sweeps of the compactor add jobs meanwhile.
                assert changed(before, counts.now()).keys() <= {"jobs"}
        assert BOAT[-1] in response.text


async def test_new_session_has_nothing_of_other_users_and_agents(stack: Stack) -> None:
    response = await build(stack)
    assert "leave my job" not in response.text
    assert "deployment" not in response.text
    secret = await key(stack, subject="bo")
    async with keyed(stack, secret) as reader:
        of_bo = await reader.context.BuildContext(request(subject="bo"))
    assert "leave my job" in of_bo.text
    assert "Heron" not in of_bo.text
    assert "chandler" not in of_bo.text
    # Without a subject, only conversations without one.
    assert "Heron" not in "".join(earlier(await build(stack, subject="")))


async def test_automated_sessions_are_no_last_session(stack: Stack) -> None:
    response = await build(stack)
    assert "Check the mail" not in response.text
    # A heartbeat within a conversation does not make it the last one.
    await tell(stack, "garden", "2026-04-23", ("Heartbeat: is anything due?",), automated=True)
    again = await build(stack)
    assert earlier(again) == earlier(response)


async def test_short_last_session_is_completed_from_the_one_before(stack: Stack) -> None:
    of = {"subject": "cy"}
    await tell(stack, "first", "2026-04-01", ROSES, **of)
    await tell(stack, "second", "2026-04-05", ("Good morning! How did the exam go?",), **of)
    shown = earlier(await build(stack, **of))
    assert [text for text in (*ROSES, "exam") if any(text in line for line in shown)] == [
        *(*ROSES, "exam")
    ]


async def test_earlier_turns_give_way_to_those_of_the_session(stack: Stack) -> None:
    of = {"subject": "di"}
    await tell(stack, "earlier", "2026-04-01", BOAT, **of)
    counts, total = list[int](), 0
    for turns in (1, 4, 4, 1):
        texts = tuple(f"{ROSES[n % 2]} I am asking about bush {n}." for n in range(turns))
        await tell(stack, "going on", "2026-05-01", texts, **of)
        response = await build(stack, "going on", **of)
        own = [i for b in response.blocks if b.source == HISTORY for i in b.items]
        total += turns
        assert len(own) == total
        shown = [i for b in response.blocks if b.source == EARLIER for i in b.items]
        counts.append(sum(i.memory.kind == memory_pb2.MEMORY_KIND_MESSAGE for i in shown))
    assert counts == [6, 5, 1, 0]
    assert earlier(await build(stack, **of, max_recent_turns=0)) == []


async def test_new_session_has_summary_of_last_one_and_open_tasks(stack: Stack) -> None:
    of = {"subject": "eve"}
    await tell(stack, "long", "2026-04-01", (*BOAT, *ROSES * 4), **of)
    await compact_everything(stack, ExtractiveComposer())
    for kind, content, scope in (
        ("task", "Order the sample board from the chandler in Cowes.", {"subject": "eve"}),
        ("task", "Prepare the talk of Bo on the second of May.", {"subject": "bo"}),
        ("recipe", "Stir the lime sauce until it thickens.", {"subject": "eve"}),
    ):
        note = note_pb2.NewNote(kind=kind, content=content, scope=note_pb2.NoteScope(**scope))
        await stack.notes.WriteNote(note_service_pb2.WriteNoteRequest(note=note), metadata=OPERATOR)
    handoff = note_service_pb2.WriteHandoffRequest(
        key=note_service_pb2.HandoffKey(repo="acme/shop", issue="41"),
        content="The checkout times out under load; the pool of connections is the suspect.",
    )
    await stack.notes.WriteHandoff(handoff, metadata=OPERATOR)
    shown = "\n".join(earlier(await build(stack, **of)))
    assert "task: Order the sample board from the chandler in Cowes." in shown
    # The handoff has no subject, and may belong to another user.
    assert "checkout" not in shown
    assert "talk of Bo" not in shown
    assert "lime sauce" not in shown
    assert " summary] " in shown
    assert "deposit of two hundred by Friday" in shown
    unnamed = "\n".join(earlier(await build(stack, subject="", agent="coder")))
    assert "handoff: The checkout times out under load" in unnamed
    assert "sample board" not in unnamed


async def test_namespace_without_earlier_turns_omits_the_block(stack: Stack) -> None:
    async def change(**settings: Any) -> None:
        request = admin.UpdateNamespaceRequest(
            namespace=admin.Namespace(name="default", settings=admin.NamespaceSettings(**settings)),
            update_mask=FieldMask(paths=["settings.earlier_turns"]),
        )
        await stack.admin.UpdateNamespace(request, metadata=OPERATOR)

    await change(earlier_turns=0)
    assert earlier(await build(stack)) == []
    await change(earlier_turns=2)
    shown = "".join(earlier(await build(stack)))
    assert BOAT[-2] in shown
    assert BOAT[-3] not in shown
    await change()
    assert BOAT[-3] in "".join(earlier(await build(stack)))


async def test_tool_calls_are_no_earlier_turns(stack: Stack) -> None:
    of = {"subject": "flo"}
    await tell(stack, "coding", "2026-04-01", BOAT[:2], **of)
    calls = [
        message("", role=ASSISTANT, tool_name="read_file", tool_args='{"path": "hull.py"}'),
        message("def paint(hull): ...", role=TOOL, tool_name="read_file"),
        message("You are a helpful shipwright.", role=memory_pb2.ROLE_SYSTEM),
    ]
    request = ingest.AppendMessagesRequest(
        conversation=target("coding", agent=AGENT, subject="flo"), messages=calls * 4
    )
    await stack.ingest.AppendMessages(request, metadata=OPERATOR)
    shown = [line.partition(": ")[2] for line in earlier(await build(stack, **of))]
    assert shown == [*BOAT[:2]]


async def test_stream_has_earlier_conversations(stack: Stack) -> None:
    requested = pb.StreamContextRequest(context=request(query="What do my roses have?"))
    parts = [
        part.block
        async for part in stack.context.StreamContext(requested, metadata=OPERATOR)
        if part.HasField("block")
    ]
    [block] = [block for block in parts if block.source == EARLIER]
    assert BOAT[-1] in block.text
    assert any("black spots" in other.text for other in parts if other.source != EARLIER)
    numbers = [item.number for block in parts for item in block.items]
    assert numbers == [*range(1, len(numbers) + 1)]


async def test_filter_applies_to_earlier_conversations(stack: Stack) -> None:
    moment_ = moment("2026-04-05T00:00:00+00:00")
    before = await build(stack, filter=memory_pb2.MemoryFilter(end_time=moment_))
    assert "Heron" not in before.text
    assert any("household waste" in line for line in earlier(before))
    facts_only = memory_pb2.MemoryFilter(kinds=[memory_pb2.MEMORY_KIND_FACT])
    assert earlier(await build(stack, filter=facts_only)) == []
