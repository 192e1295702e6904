"""A database with one full namespace, and parameters with which every named statement affects it.

A new statement uses the parameters of the same name, or gets its own in `_special`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from psycopg.types.numeric import Int8

from everword.domain.ids import new_id
from everword.v1 import memory_pb2 as memory
from support.calendar_rows import calendar_parameters
from support.cost_rows import cost_parameters
from support.databases import DatabaseUnderTest
from support.document_rows import document_parameters
from support.erasure_rows import erasure_parameters
from support.fact_rows import correction_parameters, fact_parameters
from support.graph_rows import graph_parameters
from support.kinds import KINDS
from support.note_rows import note_parameters
from support.pattern_rows import pattern_parameters
from support.people_rows import WHO, people_parameters
from support.retention_rows import retention_parameters
from support.sleep_rows import sleep_parameters
from support.summary_rows import SummaryRows
from support.theme_rows import theme_parameters
from support.transfer_rows import transfer_parameters

WORDS = "xylophone concerto in auth.rs"
AUTHOR = "Xenokrates"
LATE = datetime(9000, 1, 1, tzinfo=UTC)
EARLY = datetime(1000, 1, 1, tzinfo=UTC)
LAST_ID = UUID(int=2**128 - 1)

#: Optional parameters that restrict nothing.
UNSET = (
    *("constraint", "kinds", "conversation_ids", "agents", "subjects", "channels", "policies"),
    *("instances", "authors", "roles", "tags", "since", "before", "valid_at", "known_at"),
    *(
        *("document_tags", "document_conversation_ids", "of_subjects_ids"),
        *("in_conversation", "included_memory_ids", "excluded_memory_ids"),
        *("excluded_conversation_ids", "excluded_authors", "excluded_kinds"),
        *("as_of_time", "as_of_conversation_id", "as_of_seq", "settings", "max_chars"),
    ),
)


@dataclass(frozen=True)
class Filled:
    """A database in which the namespace `theirs` is full and `ours` is empty."""

    database: DatabaseUnderTest
    #: The same database without `theirs`.
    empty: DatabaseUnderTest
    ours: int
    theirs: int
    conversation_id: UUID
    message_ids: list[UUID]
    passage_ids: list[int]
    summaries: SummaryRows


def parameters_of(name: str, filled: Filled) -> dict[str, Any]:
    """Return parameters of a statement that match the rows of `theirs`."""
    return {
        **common_parameters(filled),
        **_special(filled).get(name, {}),
        "namespace_id": Int8(filled.theirs),
    }


def common_parameters(filled: Filled) -> dict[str, Any]:
    """Return parameters by name, with the meaning that most statements give them."""
    return {
        **dict.fromkeys(UNSET),
        **dict.fromkeys(("channel", "agent", "subject", "task", "error_contains"), ""),
        **_record_parameters(filled),
        "session_key": "s",
        "conversation_id": filled.conversation_id,
        "message_ids": filled.message_ids,
        "memory_ids": sorted(filled.message_ids),
        "memory_id": filled.message_ids[0],
        "message_id": filled.message_ids[0],
        "importance_class": 1,
        "external_ids": ["external"],
        "request_id": "their-request",
        "body_hash": b"",
        "fields": ["title"],
        "title": "Taken over",
        "active": True,
        "client_session_id": "",
        "task_id": "",
        "messages": 1,
        "turns": 1,
        "last_message_at": LATE,
        "limit": 100,
        "include_automated": True,
        "include_superseded": False,
        "endings_at": None,
        "endings_until": None,
        "current_messages": 5,
        "summed_up": 100,
        "queries": ["'xylophon'"],
        "prefixes": [None],
        "stems": [None],
        "k1": 0.9,
        "b": 0.4,
        "min_score": 0.0,
        "after_score": float("inf"),
        "after_id": 2**62,
        "spare": 5,
        "taken": 200,
        "visited": 2_000,
        "most": 1000,
        "source_ids": filled.message_ids,
        "passage_ids": filled.passage_ids,
        "tokens": ["auth.rs"],
        "places": [0],
        "near": ["xylophone"],
        "word_queries": ["'xylophon'"],
        "near_queries": ["'xylophon'"],
        "only_unknown": False,
        "likenesses": [0.75],
        "retold": 0.99,
        "words": [AUTHOR.lower()],
        "initials": [AUTHOR[0].lower()],
        "pattern": "concerto",
        "after_occurred_at": LATE,
        "after_source_id": LAST_ID,
        "max_parts": 10,
        "reach": 3,
        "reaches": [3] * len(filled.passage_ids),
        "after": 0,
        "last": 2**62,
        "generation_id": 1,
        "vector": f"[{','.join(['0.05'] * 384)}]",
        "floor": 0.0,
    }


def _record_parameters(filled: Filled) -> dict[str, Any]:
    """Return the parameters of statements on stored and on pending records."""
    return {
        "after_seq": 1000,
        "max_bytes": 1_000_000,
        "role": memory.ROLE_USER,
        "max_metadata_chars": 2000,
        "external_id": "external",
        **dict.fromkeys(("client_session_ids", "task_ids")),
        "samples": 10,
        "width": 10,
        "indexed_chars": 32_768,
        "message": memory.MEMORY_KIND_MESSAGE,
        "summary": memory.MEMORY_KIND_SUMMARY,
        "note": memory.MEMORY_KIND_NOTE,
        "chunk": memory.MEMORY_KIND_CHUNK,
    }


def _special(filled: Filled) -> dict[str, dict[str, Any]]:
    """Return parameters of statements that give a name another meaning."""
    new = {"id": new_id(), "conversation_id": new_id(), "session_key": "new", "subject": ""}
    in_conversation = {"conversation_ids": [filled.conversation_id]}
    return {
        "everword_ingest.conversations.insert_conversation": {
            **dict.fromkeys(("channel_id", "bot_identity", "instance"), ""),
            **new,
        },
        "everword_ingest.request_ids.claim_request": {"request_id": "new"},
        "everword_ingest.messages.insert_messages": _message_arrays(),
        "everword.index.insert_passages": _passage_arrays(),
        "everword.index.find_sources": {"source_ids": filled.message_ids},
        **_compaction(filled),
        **calendar_parameters(filled.conversation_id),
        **_nodes(filled),
        **_reading(filled),
        **fact_parameters(),
        **pattern_parameters(),
        **theme_parameters(filled.passage_ids),
        **people_parameters(filled.conversation_id, filled.message_ids[0]),
        **sleep_parameters(filled.conversation_id, filled.message_ids[0]),
        "everword_ingest.conversations.end_sessions": in_conversation,
        "everword_ingest.conversations.find_earlier_sessions": new
        | {"rested_s": 0, "idle_s": 9999},
        **graph_parameters(WORDS, filled.summaries.leaf),
        **{name: each for kind in KINDS for name, each in kind.parameters().items()},
        **note_parameters(filled.message_ids, filled.conversation_id),
        **cost_parameters(filled.conversation_id, WORDS),
        **erasure_parameters(filled.message_ids, AUTHOR, WHO),
        **document_parameters(filled.conversation_id, filled.message_ids[0]),
        **retention_parameters(filled.conversation_id),
        **transfer_parameters(),
        **_learning(filled),
        **_tool_sentences(filled),
        "everword_embedder.queue.read_passages": {"memory_ids": filled.passage_ids},
        "everword_embedder.queue.read_around": {"memory_ids": filled.passage_ids, "around": 9},
        "everword_embedder.queue.store_halfvecs": _vectors(filled),
        "everword_embedder.queue.store_arrays": _vectors(filled),
        "everword_search.records.list_conversations": {"after_id": LAST_ID, "active": None},
        "everword_search.cache.read_passages": {"but": []},
        "everword_search.passages.browse_oldest": {"after_occurred_at": EARLY},
        "everword_search.records.list_messages_oldest": {"after_seq": 0},
        "everword_search.passages.find_mentions": {
            "queries": ["'xylophon'"],
            "conversation_ids": [filled.conversation_id],
        },
    }


def _compaction(filled: Filled) -> dict[str, dict[str, Any]]:
    """Return the parameters of statements on nodes and compaction."""
    of_nodes = {
        "after": 0,
        "through": 1000,
        "id": filled.summaries.branch,
        "summary_ids": [filled.summaries.leaf],
        "protected_ids": filled.message_ids,
        "verbatim_ids": [],
        "first_seqs": [1],
        "last_seqs": [1000],
        "conversation_ids": [filled.conversation_id],
        "seqs": [1000],
        "level": 1,
        "model": "scripted",
        "version": 1,
        "versions": [1, 1, 1],
        "tried": [],
        "trace_context": None,
        "subject": str(filled.conversation_id),
    }
    package = "everword_compactor.conversations"
    names = ("read_compacted", "next_messages", "read_orphans", "read_children", "read_outdated")
    asked = ("read_node_ranges", "verbatim_messages", "read_summaries", "read_flushed")
    return {
        **{f"{package}.{name}": of_nodes for name in (*names, *asked, "read_phase_start")},
        f"{package}.request_leaves": of_nodes,
        f"{package}.count_tokens": {**of_nodes, "after": 0, "only_ids": None},
        f"{package}.mark_flushed": {**of_nodes, "tokens": 1},
        f"{package}.compaction_job": of_nodes,
        f"{package}.advance_progress": {**of_nodes, "after": 1, "through": 2},
        f"{package}.page_conversations": {"after": UUID(int=0)},
    }


def _learning(filled: Filled) -> dict[str, dict[str, Any]]:
    package = "everword_compactor.learning"
    return {
        f"{package}.read_learned": {"conversation_id": filled.conversation_id},
        f"{package}.list_speakers": {
            "conversation_id": filled.conversation_id,
            "after": 0,
            "through": 9,
        },
        f"{package}.next_learnable_messages": {
            "conversation_id": filled.conversation_id,
            "after": 0,
        },
        f"{package}.advance_learned": {
            "conversation_id": filled.conversation_id,
            "after": 0,
            "through": 1,
        },
        **correction_parameters(filled.message_ids),
    }


def _tool_sentences(filled: Filled) -> dict[str, dict[str, Any]]:
    package, count = "everword_compactor.tool_sentences", len(filled.message_ids)
    sentences = {
        "message_ids": sorted(filled.message_ids),
        "contents": ["Smuggled in."] * count,
        "models": ["smuggler"] * count,
        "prompt_versions": [1] * count,
        "template": "template",
    }
    pending = {"after": UUID(int=0), "last": LAST_ID, "with_model": True, "prompt_version": 1}
    return {
        f"{package}.upsert_sentences": sentences,
        **{
            f"{package}.{name}": {**pending, "template": "template"}
            for name in ("last_message", "find_missing_sentences")
        },
    }


def _reading(filled: Filled) -> dict[str, dict[str, Any]]:
    """Return the parameters of statements that read summaries."""
    leaf, branch = filled.summaries.leaf, filled.summaries.branch
    first_few = {"after": 0, "most": 5, "max_chars": 100}
    page = {"levels": [1, 2], "only_needing_review": False}
    search, overview = "everword_search.summaries", "everword_compactor.audits"
    return {
        f"{search}.get_summaries": {"ids": [leaf]},
        f"{search}.read_children": {**first_few, "ids": [branch]},
        f"{search}.read_sources": {**first_few, "ids": [leaf]},
        f"{search}.read_review_flags": {"ids": [leaf]},
        f"{search}.top_summaries": {"conversation_id": filled.conversation_id},
        f"{search}.find_named": {"name": "2000-01-01/theirs"},
        f"{search}.list_summaries_newest": {
            **page,
            "after_latest_at": LATE,
            "after_id": LAST_ID,
        },
        f"{search}.list_summaries_oldest": {
            **page,
            "after_latest_at": EARLY,
            "after_id": UUID(int=0),
        },
        f"{overview}.list_audited": {"after_id": UUID(int=0)},
        f"{overview}.read_audited_nodes": {"id": branch},
        f"{overview}.read_revision": {"id": leaf},
    }


def _nodes(filled: Filled) -> dict[str, dict[str, Any]]:
    """Return the parameters of statements on any node."""
    leaf, branch, orphan = (
        filled.summaries.leaf,
        filled.summaries.branch,
        filled.summaries.orphan,
    )
    package = "everword_compactor.nodes"
    written = {
        **dict.fromkeys(("agent", "subject", "channel", "instance", "name"), ""),
        **dict.fromkeys(("period", "faithfulness"), None),
        **dict.fromkeys(("message_count", "token_count", "prompt_version", "revision"), 1),
        **dict.fromkeys(("earliest_at", "latest_at"), LATE),
        "id": new_id(),
        "level": 1,
        "first_seq": 1000,
        "last_seq": 1000,
        "content": "Smuggled in.",
        "model": "smuggler",
        "needs_review": False,
    }
    return {
        **{f"{package}.{name}": {"id": leaf} for name in ("mark_stale", "delete_summary_sources")},
        **{f"{package}.{name}": {"id": leaf} for name in ("read_source_messages", "read_node")},
        f"{package}.read_source_nodes": {"id": branch},
        f"{package}.read_message_sources": {"seqs": [1, 2]},
        f"{package}.set_parent": {"id": branch, "child_ids": [orphan]},
        f"{package}.insert_summary": written,
        f"{package}.revise_summary": {**written, "id": leaf},
        f"{package}.insert_summary_sources": {
            "id": filled.summaries.bare,
            "axis": 2,
            "message_ids": [filled.message_ids[0]],
            "child_ids": [None],
        },
    }


def _vectors(filled: Filled) -> dict[str, Any]:
    ids = filled.passage_ids
    return {"memory_ids": ids, "vectors": [0.1] * 384 * len(ids), "dimensions": 384}


def _message_arrays() -> dict[str, Any]:
    texts = ("author", "instance", "tool_name", "tool_args", "tool_result")
    return {
        **{name: [""] for name in texts},
        **{name: [None] for name in ("content_blocks", "metadata", "external_id", "parent_id")},
        "id": [new_id()],
        "seq": [1000],
        "role": [2],
        "content": ["Smuggled in."],
        "tags": ["{}"],
        "importance_class": [0],
        "automated": [False],
        "token_count": [0],
        "occurred_at": [LATE],
    }


def _passage_arrays() -> dict[str, Any]:
    return {
        **{name: [""] for name in ("agent", "subject", "channel", "instance", "author")},
        **dict.fromkeys(("conversations", "content_bytes", "vector_delay_s"), 0),
        **dict.fromkeys(("valid_from", "valid_until", "known_from")),
        "kind": [1],
        "conversation_id": [None],
        "source_id": [new_id()],
        "part": [0],
        "seq": [1000],
        "role": [2],
        "tags": ["{}"],
        "importance_class": [0],
        "automated": [False],
        "occurred_at": [LATE],
        "content": ["Smuggled in."],
        "lexemes": ["smuggl:1"],
        "literals": [None],
        "ranking": [b""],
        "author_names": ["smuggled"],
    }
