"""The graph in search results, by meaning, along relations, in contexts, within scopes, and in exports."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from everword.v1 import context_service_pb2 as context
from everword.v1 import conversation_pb2
from everword.v1 import graph_query_service_pb2 as queries
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import memory_pb2 as memory
from everword.v1 import search_service_pb2 as search
from support.background import embed_everything
from support.callers import make_namespaces, within
from support.calls import append, append_request, target
from support.databases import cloned
from support.graphs import edge, lines, node, write
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")
MAY = datetime(2024, 5, 3, tzinfo=UTC)
SECRET = "user —treated for→ Asthma"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack with two users for all tests; no test changes data that another test reads."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            await _tell(stack)
            await embed_everything(stack)
            yield stack


async def _tell(stack: Stack) -> None:
    await append(stack, "Ana sent the slides.", "The printer on floor two is broken again.")
    for subject in ("emi", "bob"):
        request = append_request("Good morning!", session_key=subject)
        request.conversation.CopyFrom(target(subject, subject=subject))
        await stack.ingest.AppendMessages(request)
    await write(
        stack,
        node("Ana Lima", description="A colleague who grew up in Porto."),
        node("Initech", "company", description="It makes office software."),
        node("Globex", "company"),
        node("Bruno", "dog", description="A brown puppy who barks at the postman."),
        edge("Ana Lima", "works at", "Initech", since=MAY),
        edge("Initech", "competes with", "Globex"),
        edge("Globex", "competes with", "Initech"),
        edge("Initech", "owns", "Initech", label="holds its own shares"),
        edge("user", "sister of", "Ana Lima"),
        edge("user", "has pet", "Bruno"),
        edge("user", "drives", "Initech", label="drives past"),
        edge("me", "helps", "user"),
        subject="emi",
    )
    await write(
        stack, node("Asthma", "illness"), edge("user", "treated for", "Asthma"), subject="bob"
    )


async def built(stack: Stack, query: str, subject: str = "emi", **fields: Any) -> list[str]:
    """Return the relations in a context for a conversation of the subject."""
    found = await stack.ingest.EnsureConversation(
        ingest.EnsureConversationRequest(key=conversation_pb2.ConversationKey(session_key=subject))
    )
    response = await stack.context.BuildContext(
        context.BuildContextRequest(query=query, conversation_id=found.conversation.id, **fields)
    )
    blocks = [each for each in response.blocks if each.source == context.CONTEXT_SOURCE_GRAPH]
    if not blocks:
        assert "## Relations" not in response.text
        return []
    assert response.blocks[-1] == blocks[0]
    assert response.text.endswith(blocks[0].text)
    assert blocks[0].token_count <= 400
    return [item.text.partition("relation: ")[2] for item in blocks[0].items]


async def test_nodes_are_found_by_meaning_and_through_relations(stack: Stack) -> None:
    assert "user —has pet→ Bruno" in await lines(stack, "Which puppies bark?", subjects=["emi"])
    found = await lines(stack, "Who competes with the firm where Ana Lima has her job?")
    assert "Ana Lima —works at→ Initech (since 2024-05)" in found
    assert "Initech —competes with→ Globex" in found
    response = await stack.search.Search(search.SearchRequest(query="office software"))
    [company] = [each for each in response.results if each.memory.content.startswith("Initech")]
    assert company.memory.kind == memory.MEMORY_KIND_NODE
    assert "Ana Lima —works at→ Initech (since 2024-05)" in company.relations
    assert not any(each.relations for each in response.results if each.memory.kind == 1)


async def test_nodes_and_messages_are_found_together_and_filtered(stack: Stack) -> None:
    async def kinds(**fields: Any) -> set[int]:
        request = search.SearchRequest(query="Ana", filter=memory.MemoryFilter(**fields))
        found = (await stack.search.Search(request)).results
        return {each.memory.kind for each in found if "Ana" in each.memory.content}

    assert await kinds() >= {memory.MEMORY_KIND_MESSAGE, memory.MEMORY_KIND_NODE}
    assert await kinds(kinds=[memory.MEMORY_KIND_NODE]) == {memory.MEMORY_KIND_NODE}
    assert memory.MEMORY_KIND_NODE not in await kinds(subjects=["bob", ""])


async def test_context_ends_with_relations_relevant_to_the_query(stack: Stack) -> None:
    about = await built(stack, "Where does Ana Lima work?")
    assert about[0] == "Ana Lima —works at→ Initech (since 2024-05)"
    assert "user —sister of→ Ana Lima" in about
    assert "user —sister of→ Ana Lima" in await built(stack, "Who is my sister?")
    assert "user —has pet→ Bruno" not in about
    assert await built(stack, "Is the printer on floor two repaired?") == []
    past = memory.MemoryFilter()
    past.valid_at_time.FromDatetime(MAY - timedelta(days=30))
    earlier = await built(stack, "Where does Ana Lima work?", filter=past)
    assert not any("works at" in line for line in earlier)


async def test_context_omits_relations_of_other_users(stack: Stack) -> None:
    query = "What is the user treated for? Asthma? And Ana Lima?"
    assert SECRET in await built(stack, query, "bob")
    assert SECRET not in await built(stack, query, "emi")
    assert not any("Ana Lima" in line for line in await built(stack, query, "bob"))
    everything = await built(stack, query, "emi", scope=context.CONTEXT_SCOPE_NAMESPACE)
    assert {"user (bob) —treated for→ Asthma", "user (emi) —sister of→ Ana Lima"} <= set(everything)


async def test_context_without_graph_has_no_relations_block(stack: Stack) -> None:
    await make_namespaces(stack, "plain")
    caller = within("plain")
    await append(stack, "Ana Lima works at Initech.", metadata=caller)
    response = await stack.context.BuildContext(
        context.BuildContextRequest(query="Ana Lima"), metadata=caller
    )
    assert [block.source for block in response.blocks] == [context.CONTEXT_SOURCE_MEMORIES]
    request = queries.SearchGraphRequest(query="Ana Lima")
    assert not (await stack.graph_queries.SearchGraph(request, metadata=caller)).nodes


async def test_similar_nodes_are_suggested_for_merging(stack: Stack) -> None:
    [ana] = (
        await write(stack, node("Ana  Limma", description="She leads design."), subject="emi")
    ).nodes
    found = await stack.graph_queries.SuggestMerges(queries.SuggestMergesRequest(node_id=ana.id))
    assert [each.node.label for each in found.suggestions] == ["Ana Lima"]
    assert found.suggestions[0].label_likeness > 0.5


async def test_graph_export_contains_each_node_and_edge_once(stack: Stack) -> None:
    parts = [part async for part in stack.graph_queries.ExportGraph(queries.ExportGraphRequest())]
    nodes = [each.id for part in parts for each in part.nodes]
    edges = [each for part in parts for each in part.edges]
    assert len(nodes) == len(set(nodes)) >= 8
    assert len({each.id for each in edges}) == len(edges) == 9
    assert all({each.from_node_id, each.to_node_id} <= set(nodes) for each in edges)
    limited = queries.ExportGraphRequest()
    limited.view.subjects.extend(["bob"])
    [edges_of_bob] = [
        part.edges async for part in stack.graph_queries.ExportGraph(limited) if part.edges
    ]
    assert [each.text for each in edges_of_bob] == [SECRET]


async def test_traversal_of_a_hub_is_capped(stack: Stack) -> None:
    await make_namespaces(stack, "hub")
    caller = within("hub")
    hub, leaf = (await write(stack, node("Hub", "place"), node("Leaf"), metadata=caller)).nodes
    await write(stack, edge("Leaf", "lives in", "Hub", confidence=1.0), metadata=caller)
    with stack.database.connect() as conn:
        conn.execute(
            """WITH made AS (
                   INSERT INTO graph_nodes (namespace_id, id, first_seen_at, last_seen_at)
                   SELECT namespace_id, gen_random_uuid(), now(), now()
                     FROM graph_nodes, generate_series(1, 10000) WHERE id = %(hub)s RETURNING namespace_id, id
               ), named AS (
                   INSERT INTO graph_node_versions (namespace_id, id, node_id, label, type, confidence, source,
                                                    known_from)
                   SELECT namespace_id, gen_random_uuid(), id, id::text, 'thing', .8, 1, now() FROM made
               )
               INSERT INTO graph_edges (namespace_id, id, edge_id, from_id, to_id, type, confidence, source,
                                        known_from)
               SELECT namespace_id, gen_random_uuid(), gen_random_uuid(), id, %(hub)s, 'is_in', .5, 1, now()
                 FROM made""",
            {"hub": hub.id},
        )
    # The hub's most reliable relations up to the limit; two steps away, fewer.
    for start, edges in ((hub, 10), (leaf, 5)):
        request = queries.TraverseRequest(node_ids=[start.id], fan_out=10, depth=3)
        found = await stack.graph_queries.Traverse(request, metadata=caller)
        assert found.truncated
        assert len(found.edges) == edges
        assert found.edges[0].text == "Leaf —lives in→ Hub"
        assert {each.label for each in found.nodes} >= {"Hub", "Leaf"}


async def test_messages_linked_to_a_node_are_found_through_its_relations(stack: Stack) -> None:
    caller = within("led")
    await make_namespaces(stack, "led")
    told = await append(stack, "We never open on Mondays.", metadata=caller)
    await append(
        stack, *(f"Note {number} about something else." for number in range(30)), metadata=caller
    )
    said, quote = told.messages[0].message_id, "never open on Mondays"
    bakery = node("Kringle", "bakery")
    relation = edge("Kringle", "located in", "Harbour Street", message_id=said, quote=quote)
    await write(stack, bakery, node("Harbour Street", "place"), relation, metadata=caller)

    async def found(**fields: Any) -> dict[str, list[int]]:
        request = search.SearchRequest(
            query="Kringle", filter=memory.MemoryFilter(**fields), explain=True, page_size=200
        )
        response = await stack.search.Search(request, metadata=caller)
        return {
            each.memory.content: [part.arm for part in each.explanation.parts]
            for each in response.results
        }

    everything = await found()
    for led in ("Harbour Street (place)", "We never open on Mondays."):
        assert search.SEARCH_ARM_GRAPH in everything[led]
    assert set(await found(kinds=[memory.MEMORY_KIND_NODE])) == {
        "Kringle (bakery)",
        "Harbour Street (place)",
    }
