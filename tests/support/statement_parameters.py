"""A database with something in one namespace, and parameters with which every named statement hits it.

A new statement works with the parameters of the same name, or gets its own in `_special`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb
from psycopg.types.numeric import Int8

from everword.domain.ids import new_id
from everword.v1 import memory_pb2 as memory
from support.databases import DatabaseUnderTest

WORDS = "xylophone concerto in auth.rs"
AUTHOR = "Xenokrates"
LATE = datetime(9000, 1, 1, tzinfo=UTC)
EARLY = datetime(1000, 1, 1, tzinfo=UTC)
LAST_ID = UUID(int=2**128 - 1)


@dataclass(frozen=True)
class Filled:
    """A database in which the namespace `theirs` is full and `ours` is empty."""

    database: DatabaseUnderTest
    #: The same without `theirs`.
    empty: DatabaseUnderTest
    ours: int
    theirs: int
    conversation_id: UUID
    message_ids: list[UUID]
    passage_ids: list[int]


def parameters_of(name: str, filled: Filled) -> dict[str, Any]:
    """Return parameters for a statement that hit what there is in `theirs`."""
    return {
        **common_parameters(filled),
        **_special(filled).get(name, {}),
        "namespace_id": Int8(filled.theirs),
    }


def common_parameters(filled: Filled) -> dict[str, Any]:
    """Return parameters by their names, as most statements mean them."""
    nothing = dict.fromkeys(
        (
            *("constraint", "kinds", "conversation_ids", "agents", "subjects", "channels"),
            *("instances", "authors", "roles", "tags", "since", "before", "settings", "max_chars"),
        )
    )
    return {
        **nothing,
        **dict.fromkeys(("channel", "agent", "task", "error_contains"), ""),
        "session_key": "s",
        "conversation_id": filled.conversation_id,
        "message_ids": filled.message_ids,
        "memory_ids": sorted(filled.message_ids),
        "memory_id": filled.message_ids[0],
        "importance_class": 1,
        "external_ids": ["external"],
        "request_id": "their-request",
        "body_hash": b"",
        "fields": ["title"],
        "title": "Taken over",
        "active": True,
        "client_session_id": "",
        "messages": 1,
        "turns": 1,
        "last_message_at": LATE,
        "limit": 100,
        "include_automated": True,
        "queries": ["'xylophon'"],
        "prefixes": [None],
        "stems": [None],
        "k1": 0.9,
        "b": 0.4,
        "min_score": 0.0,
        "after_score": float("inf"),
        "after_id": 2**62,
        "source_ids": filled.message_ids,
        "passage_ids": filled.passage_ids,
        "tokens": ["auth.rs"],
        "words": [AUTHOR.lower()],
        "pattern": "concerto",
        "after_occurred_at": LATE,
        "after_source_id": LAST_ID,
        "max_parts": 10,
        "turn": memory.MEMORY_KIND_MESSAGE,
        "reach": 3,
        "after_seq": 1000,
        "max_bytes": 1_000_000,
        "role": memory.ROLE_USER,
        "after": 0,
        "last": 2**62,
        "generation_id": 1,
        "vector": f"[{','.join(['0.05'] * 384)}]",
        "floor": 0.0,
    }


def _special(filled: Filled) -> dict[str, dict[str, Any]]:
    """Return what single statements mean otherwise."""
    return {
        "everword_ingest.insert_conversation": {
            **dict.fromkeys(("channel_id", "bot_identity", "instance", "subject"), ""),
            "id": new_id(),
            "session_key": "new",
        },
        "everword_ingest.claim_request": {"request_id": "new"},
        "everword_ingest.insert_messages": _message_arrays(),
        "everword_ingest.insert_memories": _passage_arrays(),
        "everword_embedder.read_passages": {"memory_ids": filled.passage_ids},
        "everword_embedder.store_halfvecs": _vectors(filled),
        "everword_embedder.store_arrays": _vectors(filled),
        "everword_search.list_conversations": {"after_id": LAST_ID, "active": None},
        "everword_search.browse_oldest": {"after_occurred_at": EARLY},
        "everword_search.list_messages_oldest": {"after_seq": 0},
        "everword_search.find_mentions": {
            "words": ["xylophone"],
            "config": "english",
            "conversation_ids": [filled.conversation_id],
        },
    }


def _vectors(filled: Filled) -> dict[str, Any]:
    vector = f"[{','.join(['0.1'] * 384)}]"
    return {"memory_ids": filled.passage_ids, "vectors": [vector] * len(filled.passage_ids)}


def _message_arrays() -> dict[str, Any]:
    texts = ("author", "instance", "tool_name", "tool_args", "tool_result")
    return {
        **{name: [""] for name in texts},
        **{name: [None] for name in ("content_blocks", "metadata", "external_id", "parent_id")},
        "id": [new_id()],
        "seq": [1000],
        "role": [2],
        "content": ["Smuggled in."],
        "tags": [Jsonb([])],
        "importance_class": [0],
        "automated": [False],
        "token_count": [0],
        "occurred_at": [LATE],
    }


def _passage_arrays() -> dict[str, Any]:
    return {
        **dict.fromkeys(("agent", "subject", "channel"), ""),
        **{name: [""] for name in ("instance", "author")},
        **dict.fromkeys(("conversations", "content_bytes"), 0),
        "kind": 1,
        "source_id": [new_id()],
        "part": [0],
        "seq": [1000],
        "role": [2],
        "tags": [Jsonb([])],
        "importance_class": [0],
        "automated": [False],
        "occurred_at": [LATE],
        "content": ["Smuggled in."],
        "indexed_text": ["Smuggled in."],
        "literals": [None],
        "ranking": [b""],
        "author_names": ["smuggled"],
        "text_search_config": "english",
    }
