"""Pages about persons, places and things: written from leaves and facts, with citations, found, reachable
by old names.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from everword.v1 import fact_query_service_pb2 as profile
from everword.v1 import graph_pb2 as graph
from everword.v1 import graph_query_service_pb2 as topics
from everword.v1 import graph_service_pb2 as writes
from everword.v1 import memory_pb2 as memory
from everword.v1 import search_service_pb2 as search
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from support.command_line import everword
from support.compaction import compact_everything
from support.graphs import node, write
from support.learning import learn, say
from support.refusals import refused
from support.sleep_calls import Mind, Records
from support.stack import Stack

FILLER = (
    "The ferry timetable changes on 5 October, and the night boat to Split is cancelled until the dock is repaired.",
    "Somebody has to repaint the railing of pier seven before the inspectors Novak and Horvat come back from Zadar.",
    "The new crane arrived with a broken hook, two missing manuals and an invoice over 12,400 that nobody expected.",
    "Lunch is at the fish market, where the soup costs four coins and the queue is longest at a quarter past one.",
    "Radio channel 16 was silent for forty minutes because the antenna on the lighthouse had rusted through at last.",
    "Marko lost the keys of the fuel store, found them in the freezer, and wants a new lock with numbers instead.",
)
SLIDES = "Ana showed the slides about the harbour: its breakwater is 340 metres long and costs 11 million."
MODEL = (
    "Ana brings the harbour model on 12 March; Bruno built it in Lisbon, and it weighs 45 kilos."
)


async def talk(stack: Stack, session: str, *lines: str, subject: str = "emi", at: int = 0) -> None:
    """Append lines about a subject among filler, and summarise the conversation."""
    for number in range(10):
        text = lines[number] if number < len(lines) else FILLER[number % len(FILLER)]
        await say(stack, text, at, subject=subject, session=session)
    await compact_everything(stack, ExtractiveComposer())


async def page(stack: Stack, name: str, subject: str = "emi") -> topics.Topic:
    request = topics.GetTopicRequest(name=name, subject=subject)
    return (await stack.graph_queries.GetTopic(request)).topic


async def test_topic_page_is_written_from_facts_and_leaves_with_citations(stack: Stack) -> None:
    await talk(stack, "one", "Ana works at Initech.", SLIDES)
    await learn(stack)
    assert (await refused(page(stack, "Ana"))).reason == "TOPIC_NOT_FOUND"
    await talk(stack, "two", "Ana works at Initech.", MODEL, at=1)
    # Another subject's messages do not enter it.
    await talk(stack, "three", "Ana works at Initech. Ana sings in a choir.", subject="bob", at=2)
    await learn(stack)
    ana = await page(stack, "ana")
    assert (ana.name, ana.type, ana.revision, ana.model) == ("Ana", "person", 1, "")
    assert "- Ana employer: Initech, since " in ana.content
    assert "harbour model" in ana.content
    assert "slides" in ana.content
    assert "choir" not in ana.content
    kinds = [each.kind for each in ana.citations]
    assert sorted(kinds) == [memory.MEMORY_KIND_SUMMARY] * 2 + [memory.MEMORY_KIND_FACT]
    for each in ana.citations:
        assert f"[{each.number}]" in ana.content
        if each.kind == memory.MEMORY_KIND_FACT:
            await stack.fact_queries.ExplainFact(profile.ExplainFactRequest(fact_id=each.id))
        else:
            await stack.search.GetMemory(
                search.GetMemoryRequest(memory_id=each.id, include_unindexed=True)
            )

    # Search finds the page as a memory, with its own filters, together with its sources.
    async def found(**fields: Any) -> list[str]:
        request = search.SearchRequest(
            query="Ana employer Initech",
            mode=search.SEARCH_MODE_LEXICAL,
            filter=memory.MemoryFilter(kinds=[memory.MEMORY_KIND_TOPIC], **fields),
        )
        return [hit.memory.id for hit in (await stack.search.Search(request)).results]

    assert ana.memory_id in await found()
    assert await found(subjects=["bob"]) == []
    listed = (
        await stack.graph_queries.ListTopics(topics.ListTopicsRequest(subjects=["emi"]))
    ).topics
    assert {each.name for each in listed} == {"Ana", "Initech"}
    shown = await everword(stack, "topics", "show", "Ana", "--subject", "emi")
    assert ana.content in shown.output
    assert "Initech" in (await everword(stack, "topics")).output


async def test_topic_page_is_updated_with_its_sources_and_found_by_all_names(stack: Stack) -> None:
    for number in range(3):
        await talk(stack, f"c{number}", "Ana works at Initech.", SLIDES, MODEL, at=number)
    await learn(stack)
    before = await page(stack, "Ana")
    # Outdated values are described as past; the page keeps its id.
    for number in range(2):
        await say(stack, "Ana works at Fabrikam.", 5 + number, session=f"d{number}")
    await learn(stack)
    after = await page(stack, "Ana")
    assert (after.id, after.memory_id) == (before.id, before.memory_id)
    assert after.revision > before.revision
    known = [line for line in after.content.splitlines() if line.startswith("- Ana employer")]
    assert "Fabrikam, since" in known[0]
    assert "Initech, since" in known[1]
    assert ", until " in known[1]

    # A former name, and the name of a merged node, lead to the page.
    rename = writes.UpdateNodeRequest(node=graph.Node(id=before.id, label="Ana Lima"))
    rename.update_mask.paths.append("label")
    await stack.graph.UpdateNode(rename)
    other = await write(stack, node("Anita"), subject="emi")
    other_id = other.nodes[0].id
    merge = writes.MergeNodesRequest(node_id=before.id, merged_node_ids=[other_id])
    await stack.graph.MergeNodes(merge)
    await learn(stack)
    for name in ("Ana", "ana lima", "Anita"):
        found = await page(stack, name)
        assert (found.id, found.name) == (before.id, "Ana Lima")
        assert found.content.startswith("Ana Lima (person)\nAlso called Ana, Anita.")
    by_id = await stack.graph_queries.GetTopic(topics.GetTopicRequest(id=other_id))
    assert by_id.topic.memory_id == before.memory_id

    # Erasure deletes the page, which is then written again from the remaining sources.
    [leaf, *_] = [c.id for c in found.citations if c.kind == memory.MEMORY_KIND_SUMMARY]
    with stack.database.connect() as conn, conn.transaction():
        conn.execute("SELECT set_config('everword.namespace_id', '1', true)")
        assert conn.execute("SELECT withdraw_pages(1, %s)", [[UUID(leaf)]]).fetchone() != ({},)
        conn.execute("UPDATE summaries SET level = 2 WHERE id = %s", [leaf])
    assert (await refused(page(stack, "Ana"))).reason == "TOPIC_NOT_FOUND"
    await learn(stack)
    assert leaf not in [each.id for each in (await page(stack, "Ana")).citations]

    await stack.graph.DeleteNode(writes.DeleteNodeRequest(node_id=before.id, reason="gone"))
    await learn(stack)
    assert (await refused(page(stack, "Ana"))).reason == "TOPIC_NOT_FOUND"
    gone = search.SearchRequest(
        query="Ana Lima", filter=memory.MemoryFilter(kinds=[memory.MEMORY_KIND_TOPIC])
    )
    assert before.memory_id not in [
        hit.memory.id for hit in (await stack.search.Search(gone)).results
    ]


async def test_topic_page_drops_model_sections_not_supported_by_their_sources(stack: Stack) -> None:
    for number in range(3):
        await talk(stack, f"c{number}", "Ana works at Initech.", SLIDES, MODEL, at=number)

    def write_of(records: Records) -> dict[str, Any]:
        if records["topic"][0]["name"] != "Ana":
            return {"sections": []}
        leaf, fact = records["leaves"][0]["number"], records["facts"][0]["number"]
        return {
            "sections": [
                {
                    "heading": "Harbour",
                    "text": "The model weighs 45 kilos.",
                    "sources": [leaf],
                },
                {"heading": "Pay", "text": "Ana earns 900,000 a year.", "sources": [fact]},
                {"heading": "Work", "text": "Ana works at Initech.", "sources": [fact, 99]},
            ]
        }

    mind = Mind({"topic-page": write_of})
    await learn(stack, mind=mind)
    ana = await page(stack, "Ana")
    assert "Harbour:\nThe model weighs 45 kilos. [" in ana.content
    assert "900,000" not in ana.content
    assert "Work:" not in ana.content
    assert ana.model
    # The model got its errors once.
    asked = [records for task, records in mind.asked if records["topic"][0]["name"] == "Ana"]
    assert len(asked) == 2

    # Soon after, no model is called; later, parts with changed sources are rewritten.
    await say(stack, "Ana works at Fabrikam.", 9, session="new")
    quiet = Mind()
    await learn(stack, mind=quiet)
    assert quiet.asked == []
    await learn(stack, mind=quiet, now=datetime.now(UTC) + timedelta(hours=1))
    kept = [records for _, records in quiet.asked if records["topic"][0]["name"] == "Ana"]
    assert [each["heading"] for each in kept[0]["sections"]] == ["Harbour"]
    assert "The model weighs 45 kilos. [" in (await page(stack, "Ana")).content
    # A relation that cannot be queried does not hide known facts.
    await learn(stack)
    assert "Harbour:" in (await page(stack, "Ana")).content
