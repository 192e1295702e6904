"""Statements about persons, places and things become graph relations: without a model, and with their facts as
evidence.
"""

from __future__ import annotations

from typing import Any

import pytest

from everword.v1 import context_service_pb2 as context
from everword.v1 import conversation_pb2
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import graph_pb2 as graph
from everword.v1 import graph_query_service_pb2 as queries
from everword.v1 import graph_service_pb2 as writes
from everword.v1 import ingest_service_pb2 as ingest
from everword_compactor.topics.fact_relations import relation_of
from support.graphs import lines, node, write
from support.learning import learn, say
from support.stack import Stack


async def in_context(stack: Stack, query: str, session: str) -> list[str]:
    """Return the relations in a context for a conversation."""
    key = conversation_pb2.ConversationKey(session_key=session)
    found = await stack.ingest.EnsureConversation(ingest.EnsureConversationRequest(key=key))
    request = context.BuildContextRequest(query=query, conversation_id=found.conversation.id)
    blocks = (await stack.context.BuildContext(request)).blocks
    own = [each for each in blocks if each.source == context.CONTEXT_SOURCE_GRAPH]
    return [item.text for block in own for item in block.items]


async def test_statement_made_twice_becomes_a_relation_until_it_ends(stack: Stack) -> None:
    await say(stack, "Ana works at Initech.", 0)
    await learn(stack)
    # A single statement is only a suspicion.
    assert await lines(stack, "Where does Ana work?") == []
    said = await say(stack, "By the way, Ana works at Initech.", 1, session="other")
    await learn(stack)
    [line] = await lines(stack, "Where does Ana work?", subjects=["emi"])
    assert line.startswith("Ana —works at→ Initech (since ")
    assert await lines(stack, "Where does Ana work?", subjects=["bob"]) == []
    [edge] = (await stack.graph_queries.SearchGraph(queries.SearchGraphRequest(query="Ana"))).edges
    assert (edge.message_id, edge.quote) == (said, "By the way, Ana works at Initech")
    assert edge.source == graph.GRAPH_SOURCE_MACHINE

    # It ends with its fact at once, and is restored with it.
    await say(stack, "Ana left Initech for Fabrikam.", 2)
    await learn(stack)
    assert await lines(stack, "Where does Ana work?") == []
    await say(stack, "Ana works at Fabrikam.", 3, session="other")
    await learn(stack)
    [line] = await lines(stack, "Where does Ana work?")
    assert line.startswith("Ana —works at→ Fabrikam")


async def test_remembered_facts_become_relations_unless_a_person_deleted_the_node(
    stack: Stack,
) -> None:
    written = await write(stack, node("Initech", "company"), node("Porto", "place"), subject="emi")
    for attribute, value in (("employer", "initech"), ("residence", "Porto"), ("diet", "vegan")):
        request = facts.RememberRequest(subject="emi", attribute=attribute, value=value)
        await stack.facts.Remember(request)
    porto = written.nodes[1].id
    await stack.graph.DeleteNode(writes.DeleteNodeRequest(node_id=porto, reason="no such place"))
    await learn(stack)
    listed = (await stack.graph_queries.ListNodes(queries.ListNodesRequest())).nodes
    # Relations that a person removed from the graph are not restored.
    assert sorted((each.label, each.type) for each in listed) == [
        ("Initech", "company"),
        ("user", "person"),
    ]
    [line] = await lines(stack, "Where do I work?", subjects=["emi", ""])
    assert line.startswith("user —works at→ Initech (since ")
    await say(stack, "Good morning!", 1)
    [line] = await in_context(stack, "Where do I work?", "s")
    assert "user —works at→ Initech" in line


@pytest.mark.parametrize(
    ("attribute", "value", "quote", "expected"),
    [
        ("employer", "Initech", "", ("user", "works_at", "Initech")),
        (
            "ana_lima_employer",
            "Initech",
            "ANA LIMA works there",
            ("ANA LIMA", "works_at", "Initech"),
        ),
        (
            "billing_service_database",
            "Postgres",
            "the billing service uses Postgres",
            ("billing service", "uses", "Postgres"),
        ),
        # The owner must be named in the text.
        ("previous_employer", "Initech", "", None),
        ("previous_employer", "Initech", "my previous employer was Initech", None),
        ("employer", "a small bank", "", None),
        ("employer", "me", "", None),
        ("diet", "vegan", "", None),
        ("number_of_children", "2", "", None),
        ("partner", "somebody whom I met on a long train to Milan", "", None),
    ],
)
def test_relation_of_maps_attribute_and_value_to_a_relation(
    attribute: str, value: str, quote: str, expected: Any
) -> None:
    named = relation_of(attribute, value, quote)
    found = named and (named.from_label, named.relation.type, named.to_label)
    assert found == expected
