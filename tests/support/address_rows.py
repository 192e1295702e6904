"""Parameters with which every statement on addresses hits something."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from everword.domain.memory_kinds import MemoryKind
from support.fact_rows import FACT
from support.graph_rows import NODE

_DIRECTORIES = [kind.traits.directory[-1] for kind in MemoryKind if kind.traits.directory]


def address_parameters(conversation_id: UUID) -> dict[str, dict[str, Any]]:
    """Return the parameters of the address statements, by statement name."""
    package = "everword_search.addresses"
    page = {"parent": conversation_id, "after": None}
    return {
        f"{package}.find_message_at": {"conversation_id": conversation_id, "seq": 1},
        f"{package}.find_note_key": {"key_hash": b"hash"},
        "everword_search.watch.list_changes": {"after": 0},
        "everword_search.watch.list_expired": {
            "expired_at": 0.0,
            "expired_id": UUID(int=0),
            "until_at": 4e9,
            "limit": 100,
        },
        f"{package}.find_interval": {"fact_id": FACT},
        f"{package}.find_version": {"node_id": NODE},
        f"{package}.read_conversations": {
            "conversation_id": conversation_id,
            "chars": 100,
            "after": None,
        },
        **{
            f"{package}.list_{name}": page
            for name in ("messages", "conversation_summaries", *_DIRECTORIES)
        },
    }
