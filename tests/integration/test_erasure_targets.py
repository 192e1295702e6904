"""Erasure removes derived rows from every table; rows with other sources stay, reduced."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio
from google.protobuf.struct_pb2 import Struct

from everword.v1 import erasure_service_pb2 as pb
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import graph_service_pb2 as graph
from everword.v1 import pattern_service_pb2 as patterns
from support.background import embed_everything
from support.calls import append
from support.compaction import ScriptedComposer, compact_everything, roll_up_everything
from support.corpus import search_request
from support.databases import cloned
from support.erasure_checks import count, erase, rows_with, tables
from support.erasure_planted import Planted, plant
from support.graphs import edge, node, write
from support.refusals import refused
from support.stack import Stack, running_stack
from support.stated_facts import remember, say

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: Fields of the erasure, by target.
TARGETS: dict[str, Callable[[Planted], dict[str, str]]] = {
    "message": lambda planted: {"message_id": planted.message_ids[0]},
    "conversation": lambda planted: {"conversation_id": planted.conversation_id},
    "subject": lambda planted: {"subject": planted.subject},
    "author": lambda planted: {"author": planted.author},
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests: each test has a token of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            yield stack


@pytest.mark.parametrize("kind", TARGETS)
async def test_erasure_removes_the_text_from_every_table(stack: Stack, kind: str) -> None:
    planted = await plant(stack, f"zq{kind}7k")
    token = planted.token
    derived = {
        "facts",
        "fact_evidence",
        "graph_node_versions",
        "graph_edges",
        "summaries",
        "people",
    }
    derived |= {"events", "user_models", "trajectories", "strategies", "themes", "jobs", "memories"}
    before = rows_with(stack, token)
    assert derived <= set(before)
    preview = await stack.erasures.PreviewErasure(
        pb.PreviewErasureRequest(target=pb.ErasureTarget(**TARGETS[kind](planted)))
    )
    assert rows_with(stack, token) == before
    erased = await erase(stack, **TARGETS[kind](planted))
    counts = erased.erasure.row_counts
    assert erased.erasure.state == pb.ERASURE_STATE_DONE
    assert dict(preview.row_counts) == dict(counts)
    assert planted.message_ids[0] in preview.sample_message_ids
    assert preview.facts_gone == (counts["facts"] or 0)
    if kind == "message":
        # The second message, its conversation's subject and the note are not targets.
        await erase(stack, message_id=planted.message_ids[1])
        await erase(stack, note_id=planted.note_id)
    for _ in range(2):
        assert rows_with(stack, token) == {}
        await compact_everything(stack, ScriptedComposer())
        later = datetime.now(UTC) + timedelta(days=400)
        await roll_up_everything(stack, ScriptedComposer(), later)
        await embed_everything(stack)
    if kind == "subject":
        assert rows_with(stack, planted.subject) == {}
    if kind in ("message", "author"):
        _holds_what_rests_on_more(stack, planted)


def _holds_what_rests_on_more(stack: Stack, planted: Planted) -> None:
    fact = "SELECT supporting FROM facts WHERE id = %s"
    assert count(stack, fact, planted.shared_fact) == 1
    assert count(stack, "SELECT count(*) FROM facts WHERE id = %s", planted.only_fact) == 0
    person = "SELECT mention_count FROM people WHERE id = %s AND name = 'Ivo' AND aliases = '{}'"
    assert count(stack, person, planted.person) == 1


async def test_every_table_with_text_has_an_erasure_rule(stack: Stack) -> None:
    with stack.database.connect() as conn:
        ruled = {name for (name,) in conn.execute("SELECT relation FROM erasure_rules").fetchall()}
        texts = {
            name
            for (name,) in conn.execute(
                """SELECT DISTINCT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
                     JOIN pg_attribute n ON n.attrelid = c.oid AND n.attname = 'namespace_id'
                    WHERE c.relnamespace = 'everword'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
                      AND a.atttypid::regtype::text = ANY(%s)""",
                [["text", "text[]", "json", "jsonb", "bytea", "tsvector", "character varying"]],
            ).fetchall()
        } & set(tables(conn))
        rules = conn.execute(
            "SELECT relation, key_column, only_where FROM erasure_rules "
            "WHERE target <> 'kept' AND to_regclass(relation) IS NOT NULL"
        ).fetchall()
        for relation, column, where in rules:
            conn.execute(f'SELECT "{column}" FROM {relation} WHERE {where} LIMIT 0'.encode())
    assert texts - ruled == set(), "say in erasure_rules what becomes of them"


async def test_erasure_keeps_unrelated_rows_and_counts(stack: Stack) -> None:
    await append(stack, "The heron waits at the pond.", session_key="pond")
    found = await stack.search.Search(search_request("heron pond", "LEXICAL"))
    assert [hit.memory.content for hit in found.results] == ["The heron waits at the pond."]
    assert count(stack, "SELECT hides FROM tenants WHERE namespace_id = 1") == 0
    sums = "SELECT sum({}) FROM corpus_counts WHERE namespace_id = 1"
    for column, table in (
        ("messages", "messages"),
        ("passages", "memories"),
        ("conversations", "conversations"),
    ):
        held = count(stack, f"SELECT count(*) FROM {table} WHERE namespace_id = 1")
        assert count(stack, sums.format(column)) == held, column


async def test_erasing_a_fact_restores_the_value_it_superseded(stack: Stack) -> None:
    """The first value is restored as if the second message did not exist; a third, later message still ends it."""
    said = [await say(stack, text, day, subject="ida") for day, text in enumerate(MOVES)]
    for place, message_id in zip(("Rome", "Oslo", "Bern"), said, strict=True):
        await remember(stack, place, [message_id], subject="ida")
    repeated = facts.RememberRequest(
        subject="ida", attribute="pet", value="a cat", request_id="pet", lifetime_days=999
    )
    pet = (await stack.facts.Remember(repeated)).fact
    await erase(stack, message_id=said[1])
    assert await residences(stack) == {"Rome": "Bern", "Bern": ""}
    await erase(stack, message_id=said[2])
    assert await residences(stack) == {"Rome": ""}
    await erase(stack, fact_id=pet.id)
    again = await refused(stack.facts.Remember(repeated))
    assert again.reason == "CONTENT_ERASED"


MOVES = ("I live in Rome.", "I have moved to Oslo.", "I have moved to Bern.")


async def residences(stack: Stack) -> dict[str, str]:
    """Return the residences by value, each with its successor; empty if current."""
    with stack.database.connect() as conn:
        rows = conn.execute(
            """SELECT f.value, coalesce(n.value, '') FROM facts f
                 JOIN fact_intervals i ON i.fact_id = f.id AND i.known_until IS NULL
                 LEFT JOIN facts n ON n.id = i.successor_id
                WHERE f.subject = 'ida' AND f.attribute = 'residence'"""
        ).fetchall()
    return dict(rows)


async def test_patterns_nodes_and_people_are_erased_by_id(stack: Stack) -> None:
    planted = await plant(stack, "zqknown7k")
    data = Struct()
    data.update({"account": "zqknown7k"})
    request = patterns.RecordPatternRequest(entity="zqknown7k", type="account", data=data)
    pattern = (await stack.patterns.RecordPattern(request)).pattern
    with stack.database.connect() as conn:
        nodes = conn.execute(
            "SELECT node_id FROM graph_node_versions WHERE label LIKE '%zqknown7k%'"
        ).fetchall()
    assert (await erase(stack, pattern_id=pattern.id)).erasure.row_counts["patterns"] == 1
    merged = await _merged_into(stack, str(nodes[0][0]))
    for (node_id,) in nodes:
        await erase(stack, node_id=str(node_id))
    # The merged node refers to an erased one.
    gone = stack.graph.DeleteNode(graph.DeleteNodeRequest(node_id=merged), timeout=10)
    assert (await refused(gone)).reason == "NODE_NOT_FOUND"
    await erase(stack, learned_id=planted.person)
    left = rows_with(stack, "zqknown7k")
    assert not left.keys() & {"patterns", "people", "graph_nodes", "graph_node_versions"}
    assert not left.keys() & {"graph_edges", "strategies", "learned_changes"}
    assert left["messages"] == 2
    await erase(stack, subject=planted.subject)


async def _merged_into(stack: Stack, node_id: str) -> str:
    """Return a node that was merged into this one."""
    made = await _node(stack, "Somebody")
    await _merge(stack, node_id, made)
    return made


@pytest.mark.parametrize("asked", [0, 1, 2])
async def test_merged_nodes_are_erased_together(stack: Stack, asked: int) -> None:
    token = f"zqmerged{asked}k"
    ids = [await _node(stack, f"{name} {token}") for name in ("Ann", "Annie", "Anna")]
    await _merge(stack, ids[1], ids[0])
    await _merge(stack, ids[2], ids[1])
    target = pb.ErasureTarget(node_id=ids[asked])
    preview = await stack.erasures.PreviewErasure(pb.PreviewErasureRequest(target=target))
    erased = await erase(stack, node_id=ids[asked])
    assert dict(preview.row_counts) == dict(erased.erasure.row_counts)
    assert erased.erasure.row_counts["graph_nodes"] == 3
    assert rows_with(stack, token) == {}


async def test_erase_of_a_subject_deletes_nodes_merged_into_its_user_and_no_others(
    stack: Stack,
) -> None:
    knows = edge("user", "knows", "Ana zqknows")
    await write(stack, node("Ana zqknows"), knows, subject="zquser")
    with stack.database.connect() as conn:
        query = "SELECT id::text FROM graph_nodes WHERE subject = 'zquser' AND anchor = 2"
        [(user,)] = conn.execute(query).fetchall()
    first, second = [await _node(stack, f"{name} zquserk") for name in ("Em", "Emi")]
    await _merge(stack, user, first, second)
    assert (await erase(stack, node_id=first)).erasure.row_counts["graph_nodes"] == 1
    assert count(stack, "SELECT count(*) FROM graph_nodes WHERE id::text = %s", user) == 1
    await erase(stack, subject="zquser")
    assert rows_with(stack, "zquserk") == {}
    lost = "SELECT count(*) FROM graph_nodes n WHERE NOT EXISTS (SELECT FROM graph_nodes WHERE id = n.merged_into)"
    assert count(stack, f"{lost} AND merged_into IS NOT NULL") == 0


async def _node(stack: Stack, label: str) -> str:
    made = await stack.graph.CreateNode(graph.CreateNodeRequest(node=node(label)))
    return made.node.id


async def _merge(stack: Stack, kept: str, *merged: str) -> None:
    request = graph.MergeNodesRequest(node_id=kept, merged_node_ids=merged)
    await stack.graph.MergeNodes(request)


async def test_only_ingest_role_may_call_erasure_functions(stack: Stack) -> None:
    with stack.database.connect() as conn:
        allowed = conn.execute(
            """SELECT p.proname, r.rolname FROM pg_proc p CROSS JOIN pg_roles r
                WHERE p.pronamespace = 'everword'::regnamespace AND r.rolname LIKE 'everword\\_%%'
                  AND NOT pg_has_role(r.oid, (SELECT relowner FROM pg_class WHERE relname = 'erasures'), 'USAGE')
                  AND p.proname = ANY(%s) AND has_function_privilege(r.oid, p.oid, 'EXECUTE')""",
            [["remove_messages", "erase_memories", "erase_rows", "begin_erasure", "erase_batch"]],
        ).fetchall()
    # Calls with a scoped key use a member of ingest's role, and are refused earlier.
    assert {role for _, role in allowed} == {"everword_ingest", "everword_ingest_scoped"}
    assert {name for name, _ in allowed} == {"begin_erasure", "erase_batch"}
