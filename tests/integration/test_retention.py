"""Memories older than their policy allows are deleted with derived rows; without a policy, nothing is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
import pytest_asyncio
from google.protobuf import field_mask_pb2, struct_pb2

from everword.db.pool import Database
from everword.v1 import erasure_service_pb2 as pb
from everword.v1 import fact_pb2, memory_pb2
from everword.v1 import fact_query_service_pb2 as profile
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import graph_service_pb2 as graph
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import pattern_service_pb2 as patterns
from everword_ingest.retention.runner import RetentionRunner
from support import document_calls, graphs, retaining_process
from support.background import embed_everything
from support.callers import make_namespaces, within
from support.calls import append, append_request, message
from support.compaction import ScriptedComposer, compact_everything, roll_up_everything
from support.corpus import search_request
from support.databases import cloned
from support.erasure_checks import count, rows_with, tables
from support.erasure_planted import plant
from support.notes import history, write
from support.retention import age_rows, keep, preview, removed, run, runs
from support.stack import Stack, running_stack
from support.stated_facts import remember, say
from support.waits import until

CORRECTION = memory_pb2.IMPORTANCE_CLASS_CORRECTION
PREFERENCE = memory_pb2.IMPORTANCE_CLASS_PREFERENCE


@pytest_asyncio.fixture
async def running(stack: Stack) -> AsyncIterator[RetentionRunner]:
    """Yield the background task of ingest processes; tests call it with a time of their own."""
    database = Database(stack.database.settings("ingest"), "ingest")
    await database.open()
    yield RetentionRunner(database, lambda: None)
    await database.close()


def sizes(stack: Stack) -> dict[str, int]:
    """Return the number of rows by table, except the record of runs."""
    with stack.database.connect() as conn:
        names = [name for name in tables(conn) if name != "retention_runs"]
    return {name: count(stack, f'SELECT count(*) FROM "{name}"') for name in names}


async def test_retention_without_policy_deletes_nothing(
    stack: Stack, running: RetentionRunner
) -> None:
    """RG-02, RG-17, RG-18: by default, everything is kept for ever."""
    await write(stack, "Old words.", "k")
    await write(stack, "New words.", "k")
    said = await say(stack, "I live in Rome.", 0, subject="ida")
    await remember(stack, "Rome", [said], subject="ida")
    age_rows(stack, 36_000)
    before = sizes(stack)
    assert await running.begin(datetime.now(UTC) + timedelta(days=3)) == 0
    assert await preview(stack) == {}
    assert removed(await run(stack)) == {}
    assert sizes(stack) == before
    # A policy that was set and then removed.
    await keep(stack, "MESSAGES", 1)
    await keep(stack, "MESSAGES", 0)
    assert await running.begin(datetime.now(UTC) + timedelta(days=3)) == 0
    assert removed(await run(stack)) == {}
    assert sizes(stack) == before


async def test_retention_deletes_conversation_with_derived_rows_and_keeps_facts(
    postgres_url: str,
) -> None:
    """RG-11: a conversation without messages for 30 days is deleted; facts learned from it stay (RG-17)."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            planted = await plant(stack, "zqold7k")
            await make_namespaces(stack, "other")
            await append(stack, "Their zqtheirs7k.", metadata=within("other"))
            age_rows(stack, 31)
            age_rows(stack, 31, count(stack, "SELECT id FROM namespaces WHERE name = 'other'"))
            await append(stack, "The heron waits.", session_key="new")
            theirs = "SELECT count(*) FROM memories WHERE namespace_id <> 1"
            facts_before = count(stack, "SELECT count(*) FROM facts")
            changes_before = count(stack, "SELECT count(*) FROM fact_changes")
            people_before = count(stack, "SELECT count(*) FROM people")
            edges_before = count(stack, "SELECT count(*) FROM graph_edges")
            quotes = "SELECT count(*) FROM {} WHERE strpos(quote, 'zqold7k') > 0"
            quoting = ("graph_edges", "learned_evidence")
            assert all(count(stack, quotes.format(table)) for table in quoting)
            await keep(stack, "MESSAGES", 30)
            would_go = await preview(stack)
            assert would_go == {"MESSAGES": len(planted.message_ids)}
            ran = await run(stack)
            assert removed(ran) == would_go
            left = set(rows_with(stack, "zqold7k"))
            gone = {"messages", "memories", "summaries", "tool_sentences", "embedding_queue"}
            gone |= {"session_observations", "append_requests"}
            assert not (left - {"memories"}) & gone, left
            indexed = (
                "SELECT count(*) FROM memories WHERE kind = %s AND strpos(content, 'zqold7k') > 0"
            )
            assert count(stack, indexed, memory_pb2.MEMORY_KIND_MESSAGE) == 0
            assert count(stack, indexed, memory_pb2.MEMORY_KIND_FACT) > 0
            vectors = """SELECT count(*) FROM memory_vectors_1 v
                          WHERE NOT EXISTS (SELECT FROM memories m
                                             WHERE m.namespace_id = v.namespace_id AND m.id = v.memory_id)"""
            assert count(stack, vectors) == 0
            assert count(stack, "SELECT count(*) FROM facts") == facts_before
            assert count(stack, "SELECT count(*) FROM fact_changes") == changes_before
            assert count(stack, "SELECT count(*) FROM people") == people_before
            assert count(stack, "SELECT count(*) FROM graph_edges") == edges_before
            assert not any(count(stack, quotes.format(table)) for table in quoting)
            assert count(stack, theirs) == 1
            found = await stack.search.Search(search_request("heron waits", "LEXICAL"))
            assert [hit.memory.content for hit in found.results] == ["The heron waits."]
            # The note in the conversation keeps its row; rows derived again contain none of its deleted messages.
            await compact_everything(stack, ScriptedComposer())
            await roll_up_everything(
                stack, ScriptedComposer(), datetime.now(UTC) + timedelta(days=400)
            )
            await embed_everything(stack)
            assert not {"messages", "summaries"} & set(rows_with(stack, "zqold7k"))
            assert count(stack, "SELECT count(*) FROM summaries WHERE hidden") == 0
            # It can be imported again, since retention refuses nothing.
            request = append_request(
                message("The zqold7k again.", external_id="x-zqold7k"), session_key="planted old7"
            )
            request.conversation.details.Clear()
            await stack.ingest.AppendMessages(request)
            assert "messages" in rows_with(stack, "zqold7k")


async def test_merge_nodes_moves_edges_of_deleted_messages(stack: Stack) -> None:
    """Retention leaves the edges of the messages that it deletes."""
    await graphs.write(stack, *map(graphs.node, ("Ann", "Anne", "Bob")))
    await graphs.write(stack, graphs.edge("Anne", "knows", "Bob"))
    with stack.database.connect() as conn:
        conn.execute("UPDATE graph_edges SET message_id = %s", [uuid4()])
        query = "SELECT label, node_id::text FROM graph_node_versions"
        nodes: dict[str, str] = dict(conn.execute(query).fetchall())
    merge = graph.MergeNodesRequest(node_id=nodes["Ann"], merged_node_ids=[nodes["Anne"]])
    await stack.graph.MergeNodes(merge)
    moved = "SELECT count(*) FROM graph_edges WHERE known_until IS NULL AND from_id = %s"
    assert count(stack, moved, nodes["Ann"]) == 1


@pytest.mark.parametrize("stays", [False, True])
async def test_retention_keeps_quotes_if_policy_says_so(stack: Stack, stays: bool) -> None:
    said = await say(stack, "I live in Rome.", 0, subject="ida")
    evidence = fact_pb2.NewEvidence(message_id=said, quote="I live in Rome")
    remembered = facts.RememberRequest(
        subject="ida", attribute="residence", value="Rome", evidence=[evidence]
    )
    told = (await stack.facts.Remember(remembered)).fact
    age_rows(stack, 31)
    await keep(stack, "MESSAGES", 30, keep_quotes=stays)
    assert removed(await run(stack)) == {"MESSAGES": 1}
    # The conversation had no other content.
    assert count(stack, "SELECT count(*) FROM conversations") == 0
    assert count(stack, "SELECT sum(conversations) FROM corpus_counts") == 0
    explained = await stack.fact_queries.ExplainFact(profile.ExplainFactRequest(fact_id=told.id))
    assert explained.fact.value == "Rome"
    assert [each.quote for each in explained.evidence] == ["I live in Rome" if stays else ""]


async def test_retention_deletes_least_important_first_and_obeys_keep_importance(
    stack: Stack,
) -> None:
    """RG-36, for messages and notes."""
    said = await append(
        stack,
        message("Corrected: it is at noon.", importance_class=CORRECTION),
        message("I prefer tea.", importance_class=PREFERENCE),
        "The tram is late.",
    )
    ids = [each.message_id for each in said.messages]
    for importance in (5, 1, 4, 2, 3):
        await write(stack, f"Of {importance}.", f"k{importance}", importance=importance)
    age_rows(stack, 31)
    await keep(stack, "MESSAGES", 30, max_per_run=1)
    await keep(stack, "NOTES", 30, max_per_run=2)
    left = "SELECT count(*) FROM messages WHERE id = %s"
    for messages_left, notes_left in (([1, 1, 0], 3 + 4 + 5), ([1, 0, 0], 5)):
        would_go = await preview(stack)
        assert would_go == {"MESSAGES": 1, "NOTES": 2}
        assert removed(await run(stack)) == would_go
        assert [count(stack, left, id_) for id_ in ids] == messages_left
        assert count(stack, "SELECT sum(importance) FROM notes") == notes_left
    await keep(stack, "MESSAGES", 30, keep_importance=5)
    await keep(stack, "NOTES", 30, keep_importance=4)
    assert await preview(stack) == removed(await run(stack)) == {}
    task = memory_pb2.Memory(id=ids[0], importance_class=memory_pb2.IMPORTANCE_CLASS_TASK)
    classed = ingest.UpdateMemoryRequest(
        memory=task, update_mask=field_mask_pb2.FieldMask(paths=["importance_class"])
    )
    await stack.ingest.UpdateMemory(classed)
    assert removed(await run(stack)) == {"MESSAGES": 1}


async def test_retention_deletes_closed_or_unconfirmed_facts_and_patterns(stack: Stack) -> None:
    """RG-17: only closed facts, and facts and patterns without new evidence for the policy's period."""
    for place, at in (("Rome", 0), ("Oslo", 1)):
        said = await say(stack, f"I live in {place}.", at, subject="ida")
        await remember(stack, place, [said], subject="ida")
    struct = struct_pb2.Struct()
    struct.update({"account": "6540"})
    recorded = patterns.RecordPatternRequest(entity="REMA", type="merchant", data=struct)
    await stack.patterns.RecordPattern(recorded)
    age_rows(stack, 400)
    told = await remember(stack, "a cat", subject="ida", attribute="pet")
    await keep(stack, "FACTS", 365)
    await keep(stack, "PATTERNS", 365)
    would_go = await preview(stack)
    assert would_go == {"FACTS": 2, "PATTERNS": 1}
    assert removed(await run(stack)) == would_go
    indexed = "SELECT count(*) FROM memories WHERE kind = %s"
    assert count(stack, "SELECT count(*) FROM facts") == 1
    assert count(stack, "SELECT count(*) FROM facts WHERE id = %s", told.id) == 1
    assert count(stack, indexed, memory_pb2.MEMORY_KIND_FACT) == 1
    assert count(stack, "SELECT count(*) FROM patterns") == 0
    assert count(stack, "SELECT count(*) FROM messages") == 2


async def test_history_retention_deletes_old_versions_and_keeps_current_values(
    stack: Stack,
) -> None:
    """RG-18, for facts, notes and documents."""
    said = await say(stack, "I live in Rome.", 0, subject="ida")
    told = await remember(stack, "Rome", [said], subject="ida")
    for text in ("First zqnote7k.", "Second zqnote7k.", "Third."):
        await write(stack, text, "k")
        await document_calls.write(stack, text, "Plan")
    age_rows(stack, 31)
    await write(stack, "Fourth.", "k")
    changes = count(stack, "SELECT count(*) FROM fact_changes")
    assert changes > 0
    for kind in ("HISTORY", "NOTE_HISTORY", "DOCUMENT_HISTORY"):
        await keep(stack, kind, 30)
    would_go = await preview(stack)
    assert would_go == {"HISTORY": changes, "NOTE_HISTORY": 2, "DOCUMENT_HISTORY": 2}
    assert removed(await run(stack)) == would_go
    assert rows_with(stack, "zqnote7k") == {}
    assert count(stack, "SELECT count(*) FROM facts WHERE id = %s", told.id) == 1
    # The version overwritten a moment ago, and the latest one.
    assert [each.content for each in await history(stack, "k")] == ["Third.", "Fourth."]
    assert [each.version for each in await document_calls.history(stack, "Plan")] == [3]
    await write(stack, "Fifth.", "k", expected=4)


async def test_retention_runs_once_a_night_and_records_each_run(
    stack: Stack, running: RetentionRunner
) -> None:
    """RG-12: once a night, starting with the night after the policy; a row without content records each run."""
    await append(stack, "Old zqnight7k.")
    age_rows(stack, 31)
    await keep(stack, "MESSAGES", 30)
    now = datetime.now(UTC)
    assert await running.begin(now) == 0
    tomorrow = now + timedelta(days=1, hours=4)
    assert await running.begin(tomorrow) == 1
    assert await running.begin(tomorrow) == 0
    await running.resume()
    assert await running.begin(tomorrow) == 0
    [ran] = await runs(stack)
    assert (ran.state, removed(ran)) == (pb.RETENTION_STATE_DONE, {"MESSAGES": 1})
    assert ran.night
    assert ran.row_counts["messages"] == 1
    assert rows_with(stack, "zqnight7k") == {}
    assert await running.begin(tomorrow + timedelta(days=1)) == 1


async def test_killed_retention_run_resumes_after_its_last_committed_step(
    stack: Stack, running: RetentionRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RG-12: each step deletes few rows, and the next process continues after the last committed one."""

    async def nothing(self: RetentionRunner) -> None:
        return None

    resume = RetentionRunner.resume
    monkeypatch.setattr(RetentionRunner, "resume", nothing)
    for talk in range(4):
        await append(stack, *(f"The tram {n} is late." for n in range(40)), session_key=f"t{talk}")
    age_rows(stack, 31)
    await append(stack, "The heron waits.", session_key="t1")
    await keep(stack, "MESSAGES", 30)
    would_go = await preview(stack)
    assert would_go == {"MESSAGES": 160}
    await stack.erasures.RunRetention(pb.RunRetentionRequest())
    process = await retaining_process.start(stack.database, batch=3)
    messages = "SELECT count(*) FROM messages"
    await until(lambda: count(stack, messages) < 150)
    process.kill()
    await process.wait()
    left = count(stack, messages)
    assert 1 < left < 150
    # As many as recorded, in steps of three.
    [ran] = await runs(stack)
    assert removed(ran)["MESSAGES"] == 161 - left
    assert left % 3 == 161 % 3
    while ran.state != pb.RETENTION_STATE_DONE:
        # PostgreSQL may still hold the locks of the killed process for a moment.
        await resume(running)
        [ran] = await runs(stack)
    assert (ran.state, removed(ran)) == (pb.RETENTION_STATE_DONE, would_go)
    assert count(stack, "SELECT count(*) FROM conversations") == 1
    assert count(stack, messages) == 1
