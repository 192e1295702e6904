"""Facts, the graph, notes and other memories besides messages, in two namespaces of a distributed database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime

from google.protobuf.field_mask_pb2 import FieldMask

from everword.v1 import fact_query_service_pb2 as fact_reads
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import graph_pb2, memory_pb2, people_pb2
from everword.v1 import graph_service_pb2 as graph
from everword.v1 import note_service_pb2 as notes
from everword.v1 import pattern_service_pb2 as patterns
from everword.v1 import search_service_pb2 as search
from everword.v1 import watch_pb2 as watch
from support import document_calls, learning, lore
from support.callers import make_namespaces
from support.calls import append
from support.citus_database import Distributed
from support.foreign_namespaces import class_request
from support.foreign_written import pattern_request
from support.graphs import edge, lines, node
from support.graphs import write as write_graph
from support.keyed_stack import bound
from support.learned_facts import learn_some, learning_transaction
from support.notes import history, named, read, write
from support.stack import Stack, running_stack
from support.stated_facts import day, remember, say, stamp
from support.watchers import begin, take

Run = Callable[[Stack, str], Awaitable[None]]


def _in_two_namespaces(distributed: Distributed, *names: str, run: Run) -> None:
    """Run calls in two new namespaces at the same time, each with the name of its namespace."""

    async def both() -> None:
        async with _two_namespaces(distributed, *names) as stacks:
            await asyncio.gather(*map(run, stacks, names))

    asyncio.run(both())


@asynccontextmanager
async def _two_namespaces(distributed: Distributed, *names: str) -> AsyncIterator[list[Stack]]:
    async with running_stack(distributed.database, embedder=False) as stack:
        await make_namespaces(stack, *names)
        async with AsyncExitStack() as channels:
            yield [await channels.enter_async_context(bound(stack, name)) for name in names]


async def _profile(stack: Stack, at: float | None = None) -> dict[str, str]:
    request = fact_reads.GetProfileRequest(subject="emi")
    if at is not None:
        request.valid_at_time.CopyFrom(stamp(day(at)))
    profile = await stack.fact_queries.GetProfile(request)
    return {fact.attribute: fact.value for fact in profile.facts}


def test_facts_are_superseded_disputed_and_closed(distributed: Distributed) -> None:
    async def run(stack: Stack, name: str) -> None:
        old = await say(stack, f"I live in Lisbon, {name}.", 1, subject="emi")
        new = await say(stack, f"I moved to Berlin, {name}.", 9, subject="emi")
        lisbon = await remember(stack, "Lisbon", [old], subject="emi")
        berlin = await remember(stack, "Berlin", [new], subject="emi")
        assert await _profile(stack) == {"residence": "Berlin"}
        assert await _profile(stack, 5) == {"residence": "Lisbon"}
        request = fact_reads.ExplainFactRequest(fact_id=berlin.id)
        explained = await stack.fact_queries.ExplainFact(request)
        assert [each.message_id for each in explained.evidence] == [new]
        told = fact_reads.GetFactHistoryRequest(subject="emi", attribute="residence")
        known = (await stack.fact_queries.GetFactHistory(told)).facts
        assert {each.id for each in known} == {lisbon.id, berlin.id}
        await remember(stack, "tea", subject="emi", attribute="drink")
        await remember(stack, "cocoa", subject="emi", attribute="drink", hypothesis=True)
        disputed = await stack.fact_queries.ListDisputes(fact_reads.ListDisputesRequest())
        assert [each.new_fact.value for each in disputed.disputes] == ["cocoa"]
        cocoa = disputed.disputes[0].new_fact_id
        await stack.facts.ConfirmFact(facts.ConfirmFactRequest(fact_id=cocoa))
        assert (await _profile(stack))["drink"] == "cocoa"
        settled = await stack.fact_queries.ListDisputes(fact_reads.ListDisputesRequest())
        assert not settled.disputes
        await stack.facts.CloseFact(facts.CloseFactRequest(fact_id=cocoa))
        await stack.facts.CorrectFact(facts.CorrectFactRequest(fact_id=berlin.id, value="Bern"))
        assert (await _profile(stack)) == {"residence": "Bern"}

    _in_two_namespaces(distributed, "facts-one", "facts-two", run=run)


def test_edges_follow_facts_and_merged_nodes(distributed: Distributed) -> None:
    async def run(stack: Stack, name: str) -> None:
        said = await say(stack, "I live in Lisbon.", 1, subject="emi")
        fact = await remember(stack, "Lisbon", [said], subject="emi")
        lives = edge("Emi", "lives in", "Lisbon", fact_id=fact.id, message_id=said)
        written = await write_graph(
            stack,
            *(node("Emi"), node("Emilia"), node("Lisbon", "place"), node(name, "company")),
            *(lives, edge("Emi", "works at", name), edge("Emilia", "owns", name)),
        )
        ids = {each.label: each.id for each in written.nodes}
        lives_in = "Emi —lives in→ Lisbon (since 2024-01)"
        assert lives_in in await lines(stack, "Emi")
        before = datetime.now(UTC)
        request = facts.CorrectFactRequest(fact_id=fact.id, value="Porto")
        await stack.facts.CorrectFact(request)
        assert lives_in not in await lines(stack, "Emi")
        assert lives_in in await lines(stack, "Emi", known=before)
        merge = graph.MergeNodesRequest(node_id=ids["Emilia"], merged_node_ids=[ids["Emi"]])
        merged = await stack.graph.MergeNodes(merge)
        assert (list(merged.node.aliases), merged.moved_edges) == (["Emi"], 2)
        assert sorted(await lines(stack, "Emi")) == [
            f"Emilia —owns→ {name}",
            f"Emilia —works at→ {name}",
        ]
        ended = graph_pb2.Edge(id=written.edges[1].id)
        ended.valid_until_time.FromDatetime(before)
        await stack.graph.UpdateEdge(
            graph.UpdateEdgeRequest(edge=ended, update_mask=FieldMask(paths=["valid_until_time"]))
        )
        assert await lines(stack, "Emi") == [f"Emilia —owns→ {name}"]
        deleted = await stack.graph.DeleteNode(graph.DeleteNodeRequest(node_id=ids[name]))
        assert deleted.deleted_edges == 2
        assert await lines(stack, "Emi") == []

    _in_two_namespaces(distributed, "graph-one", "graph-two", run=run)


def test_notes_lore_documents_and_patterns_are_written_and_found(distributed: Distributed) -> None:
    async def run(stack: Stack, name: str) -> None:
        note = await write(stack, "The gate opens at six.", "gate")
        await write(stack, f"The gate of {name} opens at seven.", "gate", expected=1)
        assert (await read(stack, "gate")).body.content == f"The gate of {name} opens at seven."
        assert [each.version for each in await history(stack, "gate")] == [1, 2]
        fact = memory_pb2.IMPORTANCE_CLASS_FACT
        await stack.ingest.UpdateMemory(class_request(note.note_id, fact))
        request = search.SearchRequest(query="gate", mode=search.SEARCH_MODE_LEXICAL)
        [found] = (await stack.search.Search(request)).results
        assert (found.memory.id, found.memory.importance_class) == (note.note_id, fact)
        book = await lore.write_book(stack)
        await lore.write_entry(stack, book, lore.entry(name, "It has four towers.", "castle"))
        await lore.say(stack, "bot", "Tell me about the castle.")
        assert await lore.titles(stack, query="the castle") == [name]
        await document_calls.write(stack, f"# {name}\n\nThe pier is closed.", "Piers")
        await document_calls.append(stack, "It opens in May.", "Piers")
        assert "opens in May" in await document_calls.read(stack, "Piers")
        for _ in range(2):
            await stack.patterns.RecordPattern(pattern_request("Rema"))
        listed = await stack.patterns.ListPatterns(patterns.ListPatternsRequest())
        assert [(each.entity, each.occurrences) for each in listed.patterns] == [("Rema", 2)]

    _in_two_namespaces(distributed, "notes-one", "notes-two", run=run)


def test_people_events_and_questions_are_stored(distributed: Distributed) -> None:
    async def run(stack: Stack, name: str) -> None:
        stored = await append(stack, "The VPN drops every day at noon.")
        with stack.database.connect() as conn:
            row = conn.execute("SELECT id FROM namespaces WHERE name = %s", [name]).fetchone()
        assert row
        async with learning_transaction(stack.database, row[0]) as learner:
            said = stored.messages[0].message_id, stored.conversation_id
            await learn_some(learner, "emi", *said, [], row[0])
        reads = stack.fact_queries
        people = (await reads.ListPeople(fact_reads.ListPeopleRequest())).people
        assert [each.name for each in people] == ["Bruno"]
        events = (await reads.ListEvents(fact_reads.ListEventsRequest())).events
        assert [each.title for each in events] == ["Audit"]
        asked = (await reads.ListStrategies(fact_reads.ListStrategiesRequest())).strategies
        assert {each.topic for each in asked} == {"Bruno"}
        explained = await reads.ExplainLearned(
            fact_reads.ExplainLearnedRequest(strategy_id=asked[0].id)
        )
        assert len(explained.evidence) == 3
        await stack.facts.ReviewLearned(
            facts.ReviewLearnedRequest(
                person_id=people[0].id, ruling=people_pb2.LEARNED_RULING_WRONG
            )
        )
        assert not (await reads.ListPeople(fact_reads.ListPeopleRequest())).people

    _in_two_namespaces(distributed, "people-one", "people-two", run=run)


def test_watchers_get_each_change_once_in_order(distributed: Distributed) -> None:
    async def run(stack: Stack, name: str) -> None:
        token = await begin(stack)
        written = [(await write(stack, f"{name} {n}", f"n{n}")).note_id for n in range(6)]
        await stack.notes.DeleteNote(notes.DeleteNoteRequest(key=named("n0")))
        # A change is reported with the state at that moment, and the same state once.
        expected = [(watch.MemoryEvent.TYPE_DELETED, written[0])]
        expected += [(watch.MemoryEvent.TYPE_WRITTEN, id_) for id_ in written[1:]]
        for _ in range(2):
            *_, response = await take(stack, token, 2)
            assert [(each.type, each.memory_id) for each in response.events] == expected
            token = response.resume_token
            more = await write(stack, f"{name} more", "more")
            expected = [(watch.MemoryEvent.TYPE_WRITTEN, more.note_id)]

    _in_two_namespaces(distributed, "watch-one", "watch-two", run=run)


def test_facts_and_corrections_are_learned_from_messages(distributed: Distributed) -> None:
    about = {"subject": "emi", "session": "s"}

    async def tell(stack: Stack) -> None:
        await learning.say(stack, "I live in Lisbon.", 1, **about)
        await learning.say(stack, "I moved to Berlin.", 2, **about)
        await learning.say(stack, "The deposit is 350, I will transfer it today.", 3, **about)
        await learning.say(stack, "turns out the deposit was 400, i misread it", 4, **about)

    async def check(stack: Stack) -> None:
        assert (await learning.told(stack))["residence"] == {"berlin"}
        request = search.SearchRequest(query="deposit", mode=search.SEARCH_MODE_LEXICAL)
        results = (await stack.search.Search(request)).results
        marked = [each.superseded[0].value for each in results if each.superseded]
        assert marked == ["350"]

    async def run() -> None:
        async with _two_namespaces(distributed, "learning-one", "learning-two") as stacks:
            await asyncio.gather(*map(tell, stacks))
            assert set((await learning.learn(stacks[0])).values()) == {"done"}
            await asyncio.gather(*map(check, stacks))

    asyncio.run(run())
