"""Credentials stay in their messages: derived rows do not contain them, and model servers do not receive them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from everword.db.generations import Generations, NewGeneration
from everword.text.credentials import MARK
from everword.v1 import address_pb2 as pb
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import context_service_pb2 as context
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as search
from support.background import embed_everything
from support.callers import make_namespaces, within
from support.calls import append
from support.databases import cloned
from support.echo_model import SECRETS, TALK, EchoMind, derive, held, talk
from support.erasure_checks import count, rows_with
from support.scripted_embedder import ScriptedEmbedder
from support.stack import Stack, running_stack
from support.watchers import all_events, begin

pytestmark = pytest.mark.asyncio(loop_scope="module")

ABSTRACT, OVERVIEW = memory_pb2.TIER_ABSTRACT, memory_pb2.TIER_OVERVIEW
#: Tables with unmasked message text, and the reason.
PRIMARY = {
    "messages": "what was sent, as it was sent",
    "memories": "passages of messages, and of nothing else: what was sent is found",
}
#: Tables with derived text that repeats words of messages.
REPEATING = {
    *("conversations", "summaries", "tool_sentences", "topic_pages", "memories"),
    *("sleep_sessions", "session_observations", "facts", "fact_evidence", "fact_changes"),
    *("fact_edges", "learned_evidence", "events", "trajectories"),
}
DERIVED = REPEATING | {
    *("fact_intervals", "graph_nodes", "graph_edges", "people", "user_models", "strategies"),
    *("themes", "summary_sources", "topic_sources", "memory_vectors_1", "memory_vectors_2"),
}


@dataclass(frozen=True)
class World:
    """A conversation, everything derived from it, and the models that were called."""

    stack: Stack
    mind: EchoMind
    embedder: ScriptedEmbedder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(postgres_url: str) -> AsyncIterator[World]:
    with ExitStack() as resources:
        database = resources.enter_context(cloned(postgres_url))
        embedder = resources.enter_context(ScriptedEmbedder().running())
        new = NewGeneration("openai", embedder.model, embedder.dimensions, endpoint=embedder.url)
        generations = Generations(database.admin_url)
        added = generations.add(new)
        async with running_stack(database) as stack:
            mind = EchoMind()
            await talk(stack)
            await derive(stack, mind)
            await asyncio.to_thread(generations.switch, added)
            yield World(stack, mind, embedder)


async def test_derived_tables_contain_no_credentials(world: World) -> None:
    stack = world.stack
    empty = [
        table for table in sorted(DERIVED) if not count(stack, f"SELECT count(*) FROM {table}")
    ]
    assert empty == []
    # Derived rows repeat masked text; otherwise this test would show nothing.
    assert REPEATING - rows_with(stack, MARK.strip("[]")).keys() == set()
    for secret in SECRETS:
        found = rows_with(stack, secret)
        assert "messages" in found
        assert found.keys() - PRIMARY.keys() == set(), secret
        with stack.database.connect() as conn:
            kinds = conn.execute(
                "SELECT DISTINCT kind, part >= 0 FROM memories m WHERE strpos(lower(m::text), %s) > 0",
                [secret.lower()],
            ).fetchall()
        assert set(kinds) <= {(memory_pb2.MEMORY_KIND_MESSAGE, True)}, secret


async def test_language_model_receives_no_credentials(world: World) -> None:
    assert {"topic-page", "sleep-observe", "sleep-trajectory"} <= set(world.mind.tasks())
    assert any(MARK in each for each in world.mind.sent)
    assert held(*world.mind.sent) == set()


async def test_embedding_server_receives_no_credentials(world: World) -> None:
    stack, embedder = world.stack, world.embedder
    before = len(embedder.requests)
    await stack.search.Search(search.SearchRequest(query=TALK[0]))
    # Without a query, the last message is the query of a context.
    listed = await stack.search.ListConversations(search.ListConversationsRequest())
    for each in listed.conversations:
        request = context.BuildContextRequest(conversation_id=each.id)
        await stack.context.BuildContext(request)
    asked = [text for texts in embedder.texts[before:] for text in texts]
    assert any(text.startswith(f"The wifi password is {MARK}") for text in asked)
    assert len(asked) > 1
    sent = [text for texts in embedder.texts for text in texts]
    assert held(*sent) == set()
    assert count(stack, "SELECT count(*) FROM embedding_queue") == 0


async def test_passages_are_masked_for_embedding_by_the_policy_of_their_namespace(
    world: World,
) -> None:
    """One batch has passages of several namespaces. No other test searches for these words."""
    stack, embedder = world.stack, world.embedder
    await make_namespaces(stack, "keeping")
    settings = admin.NamespaceSettings(credentials=admin.CREDENTIAL_POLICY_KEEP)
    update = admin.UpdateNamespaceRequest(
        namespace=admin.Namespace(name="keeping", settings=settings)
    )
    update.update_mask.paths.append("settings.credentials")
    await stack.admin.UpdateNamespace(update)
    before = len(embedder.requests)
    await append(stack, "Here: password: Silber-77q", metadata=within("keeping"))
    await append(stack, "There: password: Silber-77q", session_key="beside")
    await embed_everything(stack)
    request = search.SearchRequest(query="Whose password is Silber-77q?")
    await stack.search.Search(request, metadata=within("keeping"))
    *passages, query = [text for texts in embedder.texts[before:] for text in texts]
    assert sorted(passages) == ["Here: password: Silber-77q", f"There: password: {MARK}"]
    assert query == request.query
    abstracts = [each.abstract for each in await _tree(stack, metadata=within("keeping"))]
    assert abstracts.count("Here: password: Silber-77q") == 2


async def _tree(stack: Stack, address: str = "", **call: Any) -> list[pb.AddressEntry]:
    found = []
    request = pb.ListAddressRequest(address=address, page_size=200)
    for entry in (await stack.search.ListAddress(request, **call)).entries:
        found += [entry, *(await _tree(stack, entry.address, **call) if entry.directory else [])]
    return found


async def test_abstracts_and_overviews_mask_credentials_and_full_text_does_not(
    world: World,
) -> None:
    stack = world.stack
    entries = await _tree(stack)
    assert any(MARK in entry.abstract for entry in entries if entry.directory)
    short, whole = [entry.abstract for entry in entries], list[str]()
    ids = [entry.memory_id for entry in entries if entry.memory_id]
    token = await begin(stack)
    await append(stack, TALK[0], session_key="watched")
    await embed_everything(stack)
    told = await all_events(stack, token, tier=OVERVIEW)
    assert told
    short += [event.memory.content for event in told]
    for tier in (ABSTRACT, OVERVIEW, memory_pb2.TIER_FULL):
        shown = whole if tier == memory_pb2.TIER_FULL else short
        for entry in entries:
            request = pb.ReadAddressRequest(address=entry.address, tier=tier)
            read = await stack.search.ReadAddress(request)
            assert read.entry.abstract == entry.abstract
            shown.append(read.memory.content)
        batch = search.BatchGetMemoriesRequest(memory_ids=ids[:100], tier=tier)
        got = await stack.search.GetMemory(search.GetMemoryRequest(memory_id=ids[0], tier=tier))
        browsed = await stack.search.Browse(search.BrowseRequest(page_size=200, tier=tier))
        query = search.SearchRequest(query="password key harbour", page_size=100, tier=tier)
        hits = (await stack.search.Search(query)).results
        memories = [*(await stack.search.BatchGetMemories(batch)).memories, got.memory]
        memories += [*browsed.memories, *(hit.memory for hit in hits)]
        shown += [memory.content for memory in memories]
    assert any(MARK in text for text in short)
    assert held(*short) == set()
    assert set(TALK) <= set(whole)
