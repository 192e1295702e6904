"""Everything with an id can be erased by it, and the preview equals the erasure."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from google.protobuf.struct_pb2 import Struct

from everword import v1
from everword.domain.ids import new_id
from everword.v1 import erasure_service_pb2 as pb
from everword.v1 import graph_query_service_pb2 as graph_queries
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import pattern_service_pb2 as patterns
from everword.v1 import search_service_pb2 as search
from support.command_line import everword
from support.databases import cloned
from support.erasable_data import write_everything
from support.erasure_checks import erase, rows_with
from support.erasure_planted import plant
from support.graphs import edge, lines, node, write
from support.notes import write as write_note
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOKEN = "zqanyid9k"


@dataclass(frozen=True)
class Thing:
    """A kind of thing with an id: how to find one, its kind in the erasure, and the tables of the erased rows."""

    messages: tuple[str, ...]
    """The proto messages whose `id`, `memory_id` or `version_id` it is."""
    query: str
    """Returns its id; `%(token)s` is in it or in what it belongs to."""
    kind: str
    tables: frozenset[str]


def _thing(messages: str, query: str, kind: str, tables: str) -> Thing:
    return Thing(tuple(messages.split()), query, kind, frozenset(tables.split()))


def _with_token(table: str, column: str = "id", where: str = "true") -> str:
    return (
        f"SELECT {column} FROM {table} AS t WHERE strpos(t::text, %(token)s) > 0 AND {where} "
        f"ORDER BY {column} LIMIT 1"
    )


_VERSION = (
    "SELECT v.id FROM {0}_versions v JOIN {0}s o ON o.id = v.{0}_id AND o.version {1} v.version "
    "WHERE strpos(v.content, %(token)s) > 0 LIMIT 1"
)
#: In this order: parts before wholes, and themes before their sources.
THINGS: dict[str, Thing] = {
    "a theme": _thing("Theme", _with_token("themes"), "THEME", "themes"),
    "a significant memory": _thing(
        "Summary", _with_token("summaries", where="level = 8"), "SUMMARY", "summaries memories"
    ),
    "a relation": _thing(
        "Edge", _with_token("graph_edges", "edge_id", "fact_id IS NULL"), "EDGE", "graph_edges"
    ),
    "a former version of a note": _thing(
        "NoteVersion", _VERSION.format("note", ">"), "NOTE_VERSION", "note_versions"
    ),
    "the latest version of a note": _thing(
        "NoteVersion", _VERSION.format("note", "="), "NOTE", "note_versions notes memories"
    ),
    "a note": _thing(
        "Note", _with_token("note_versions", "note_id"), "NOTE", "note_versions notes memories"
    ),
    "a former version of a document": _thing(
        "DocumentVersion WorkspaceFileVersion",
        _VERSION.format("document", ">"),
        "DOCUMENT_VERSION",
        "document_versions",
    ),
    "a workspace file": _thing(
        "WorkspaceFile", "SELECT id FROM documents WHERE kind = 2", "DOCUMENT", "documents memories"
    ),
    "a chunk": _thing(
        "Memory",
        "SELECT id FROM document_chunks ORDER BY id LIMIT 1",
        "DOCUMENT",
        "documents document_versions document_chunks memories",
    ),
    "a document": _thing(
        "Document", "SELECT id FROM documents LIMIT 1", "DOCUMENT", "documents memories"
    ),
    "an entry of a lorebook": _thing(
        "LoreEntry", _with_token("lore_entries"), "LORE_ENTRY", "lore_entries memories"
    ),
    "a lorebook": _thing(
        "LoreBook",
        "SELECT book_id FROM lore_entries LIMIT 1",
        "LORE_BOOK",
        "lore_books lore_entries memories",
    ),
    "a checkpoint": _thing("Checkpoint", _with_token("checkpoints"), "CHECKPOINT", "checkpoints"),
    "a decision by a pattern": _thing(
        "PatternDecision",
        "SELECT id FROM pattern_decisions LIMIT 1",
        "PATTERN_DECISION",
        "pattern_decisions",
    ),
    "a pattern": _thing("Pattern", _with_token("patterns"), "PATTERN", "patterns pattern_outcomes"),
    "a page about a topic": _thing("Topic", _with_token("topic_pages"), "TOPIC", "topic_pages"),
    "a node, by a version": _thing(
        "Node",
        _with_token("graph_node_versions"),
        "NODE",
        "graph_nodes graph_node_versions graph_names memories",
    ),
    "a node": _thing(
        "Node Topic", _with_token("graph_node_versions", "node_id"), "NODE", "graph_nodes memories"
    ),
    "a fact, by its memory": _thing(
        "Fact",
        "SELECT i.id FROM fact_intervals i JOIN facts f ON f.id = i.fact_id "
        "WHERE strpos(f.value, %(token)s) > 0",
        "FACT",
        "facts fact_intervals fact_evidence memories",
    ),
    "a fact": _thing("Fact", "SELECT id FROM facts LIMIT 1", "FACT", "facts memories"),
    "a question": _thing("Strategy", _with_token("strategies"), "LEARNED", "strategies"),
    "a person": _thing(
        "Person", _with_token("people"), "LEARNED", "people learned_evidence learned_changes"
    ),
    "an event": _thing("Event", _with_token("events"), "LEARNED", "events learned_evidence"),
    "a way of communicating": _thing(
        "UserTrait", _with_token("user_models"), "LEARNED", "user_models learned_evidence"
    ),
    "a trajectory": _thing(
        "Trajectory", _with_token("trajectories"), "LEARNED", "trajectories learned_evidence"
    ),
    "a summary of messages": _thing(
        "Summary",
        _with_token("summaries", where="level = 1 AND NOT hidden"),
        "SUMMARY",
        "memories summaries_withdrawn",
    ),
    "a summary of a day": _thing(
        "Summary",
        _with_token("summaries", where="level = 4 AND NOT hidden"),
        "SUMMARY",
        "memories summaries_withdrawn",
    ),
    "a message": _thing(
        "Message Memory", _with_token("messages"), "MESSAGE", "messages memories summary_sources"
    ),
    "a conversation": _thing(
        "Conversation",
        "SELECT conversation_id FROM messages LIMIT 1",
        "CONVERSATION",
        "conversations messages memories",
    ),
}
#: Proto messages with an id but without memories: there is nothing to erase.
OPERATIONS = {
    "AdvisorGrant": "a permission; ended by RevokeAdvisorGrant",
    "ApiKey": "a permission; ended by RevokeApiKey",
    "Budget": "a limit; ended by DeleteBudget",
    "Erasure": "the record of an erasure, without content",
    "NamespaceDeletion": "the record of a deletion, without content",
    "LegalHold": "DeleteLegalHold ends it; while it exists, its data cannot be erased",
    "RetentionRun": "the record of what a policy removed, without content",
    "SleepSession": "a session that was read; erased with its messages",
    "TopicCitation": "the id of the fact or summary that a page cites",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """A stack with one thing of each kind, which contains a token."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            planted = await plant(stack, TOKEN)
            await write_everything(stack, TOKEN)
            await write_note(stack, f"Once more on {TOKEN}.", "twice")
            await write_note(stack, f"Still on {TOKEN}.", "twice")
            await stack.ingest.RecordSignificant(significant(f"The {TOKEN} sang for us."))
            data = Struct()
            data.update({"account": TOKEN})
            record = patterns.RecordPatternRequest(entity=TOKEN, type="account", data=data)
            await stack.patterns.RecordPattern(record)
            decide = patterns.DecidePatternRequest(entity=TOKEN, type="account")
            await stack.patterns.DecidePattern(decide)
            with stack.database.connect() as conn:
                conn.execute(
                    "INSERT INTO topic_pages (namespace_id, node_id, id, title, type, content, source_ids, "
                    "source_kinds) SELECT 1, node_id, %s, label, type, 'Of ' || label, ARRAY[%s::uuid], '{4}' "
                    "FROM graph_node_versions WHERE strpos(label, %s) > 0 LIMIT 1",
                    [new_id(), planted.shared_fact, TOKEN],
                )
            yield stack


def significant(content: str, request_id: str = "") -> ingest.RecordSignificantRequest:
    return ingest.RecordSignificantRequest(content=content, request_id=request_id)


def find(stack: Stack, thing: Thing) -> str | None:
    """Return the id of an existing thing; None if there is none."""
    with stack.database.connect() as conn:
        row: Any = conn.execute(thing.query.encode(), {"token": TOKEN}).fetchone()
    return str(row[0]) if row else None


async def test_erase_by_memory_id_deletes_each_kind_as_previewed(stack: Stack) -> None:
    # One after the other, as parts come before wholes.
    for name, thing in THINGS.items():
        id_ = find(stack, thing)
        assert id_, f"there is {name}"
        target = pb.ErasureTarget(memory_id=id_)
        preview = await stack.erasures.PreviewErasure(pb.PreviewErasureRequest(target=target))
        assert find(stack, thing) == id_
        erased = (await erase(stack, memory_id=id_)).erasure
        kind = pb.ErasureKind.Value(f"ERASURE_KIND_{thing.kind}")
        assert (preview.kind, erased.kind) == (kind, kind), name
        assert dict(preview.row_counts) == dict(erased.row_counts), name
        assert preview.matched_rows == erased.matched_rows > 0, name
        assert thing.tables <= set(erased.row_counts), name
        assert find(stack, thing) != id_, name
        again = await refused(erase(stack, memory_id=id_))
        assert again.reason == "MEMORY_NOT_FOUND", name


async def test_every_proto_message_with_an_id_can_be_erased() -> None:
    with_ids = set[str]()
    for entry in pkgutil.iter_modules(v1.__path__, "everword.v1."):
        if entry.name.endswith("_pb2"):
            file = importlib.import_module(entry.name).DESCRIPTOR
            with_ids |= {
                name
                for name, message in file.message_types_by_name.items()
                if "id" in message.fields_by_name and not name.endswith(("Request", "Response"))
            }
    erasable = {name for thing in THINGS.values() for name in thing.messages}
    assert with_ids == erasable | OPERATIONS.keys()


async def test_erase_of_a_relation_keeps_its_nodes_and_other_relations(stack: Stack) -> None:
    ends = node("Nora zqedge9k"), node("Otto zqedge9k"), node("Pia")
    parts = (
        edge("Nora zqedge9k", "married to", "Otto zqedge9k"),
        edge("Nora zqedge9k", "knows", "Pia"),
    )
    request: dict[str, Any] = {"request_id": "zqedge9k", "subject": "nora"}
    written = await write(stack, *ends, *parts, **request)
    married, knows = written.edges
    finished = await everword(stack, "erase", "memory", married.id, "--yes")
    assert finished.status == 0, finished.errors
    assert "graph_edges" in finished.output
    found = await lines(stack, "Nora zqedge9k", subjects=["nora"])
    assert len(found) == 1
    assert "Pia" in found[0]
    for end in written.nodes:
        await stack.graph_queries.GetNode(graph_queries.GetNodeRequest(node_id=end.id))
    # A repeated call does not write it again.
    repeated = await refused(write(stack, *ends, *parts, **request))
    assert repeated.reason == "CONTENT_ERASED"
    await erase(stack, memory_id=knows.id)
    assert await lines(stack, "Nora zqedge9k", subjects=["nora"]) == []


async def test_erase_of_a_significant_memory_deletes_its_text_and_refuses_its_replay(
    stack: Stack,
) -> None:
    request = significant("The zqstay9k must stay.", request_id="zqstay9k")
    written = await stack.ingest.RecordSignificant(request)
    erased = (await erase(stack, memory_id=written.summary_id)).erasure
    assert erased.kind == pb.ERASURE_KIND_SUMMARY
    assert rows_with(stack, "must stay") == {}
    get = search.GetMemoryRequest(memory_id=written.summary_id)
    assert (await refused(stack.search.GetMemory(get))).reason == "MEMORY_NOT_FOUND"
    find_it = search.SearchRequest(query="zqstay9k", mode=search.SEARCH_MODE_LEXICAL)
    assert not (await stack.search.Search(find_it)).results
    assert (await refused(stack.ingest.RecordSignificant(request))).reason == "CONTENT_ERASED"
