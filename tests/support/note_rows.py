"""A note with a version, and parameters with which every statement of notes affects it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg

from everword.domain.ids import new_id
from support.address_rows import address_parameters
from support.checkpoint_rows import checkpoint_parameters
from support.earlier_rows import earlier_parameters

VERSION, GRANT = UUID(int=81), UUID(int=82)
KEY = "Xanthippe's key"
DAY = date(2001, 2, 3)
BEGAN = datetime(2001, 2, 3, tzinfo=UTC)


def insert_notes(
    conn: psycopg.Connection, namespace_id: int, message_ids: Sequence[UUID], words: str
) -> None:
    """Store a note with the first message's id, so that the message's index rows belong to the note, too."""
    conn.execute(
        "INSERT INTO notes (namespace_id, id, key, key_hash, kind, version, log_date) "
        "VALUES (%s, %s, %s, %s, 'daily_log', 1, %s)",
        [namespace_id, message_ids[0], KEY, b"hash", DAY],
    )
    conn.execute(
        "INSERT INTO note_versions (namespace_id, note_id, version, id, content, written_at) "
        "VALUES (%s, %s, 1, %s, %s, %s)",
        [namespace_id, message_ids[0], VERSION, words, BEGAN],
    )
    conn.execute(
        "INSERT INTO advisor_grants (namespace_id, id, secret_hash, repo, issue, max_calls, expires_at) "
        "VALUES (%s, %s, %s, 'acme/shop', '41', 2, now() + interval '1 day')",
        [namespace_id, GRANT, b"secret"],
    )


def note_parameters(
    message_ids: Sequence[UUID], conversation_id: UUID
) -> dict[str, dict[str, Any]]:
    """Return what the statements of notes, handoffs, checkpoints and addresses mean, by their names."""
    package = "everword_ingest.notes"
    note = {"note_id": message_ids[0]}
    scope = {"agent": "", "subject": "", "conversation_id": None}
    version: dict[str, Any] = {
        **note,
        "version": 2,
        "id": new_id(),
        "deleted": False,
        "content": "Smuggled in.",
        "kind": "",
        "tags": [],
        "importance": 3,
        "author": "",
        "expires_at": None,
        "written_at": BEGAN,
    }
    page = {"conversation_ids": None, "key_prefix": "", "min_importance": 0, "after_id": None}
    return {
        f"{package}.insert_note": {
            **scope,
            "id": new_id(),
            "key": "new",
            "key_hash": b"new",
            "log_date": None,
        },
        f"{package}.find_conversation": {"conversation_id": conversation_id},
        f"{package}.find_key": {"key_hash": b"hash"},
        f"{package}.lock_note": note,
        f"{package}.get_version": {**note, "version": 1},
        f"{package}.find_version": {"version_id": VERSION},
        f"{package}.insert_version": version,
        f"{package}.update_note": version,
        f"{package}.get_class": {"memory_id": message_ids[0]},
        f"{package}.get_note": note,
        f"{package}.list_notes": page,
        f"{package}.list_versions": {**note, "before_version": None},
        "everword_ingest.handoffs.insert_grant": {
            "id": new_id(),
            "secret_hash": b"new",
            "repo": "r",
            "issue": "1",
            "max_calls": 2,
            "lifetime": timedelta(hours=1),
        },
        "everword_ingest.handoffs.list_grants": {"repo": "acme/shop", "issue": "41"},
        "everword_search.passages.find_log_entries": {"first_day": DAY},
        **checkpoint_parameters(conversation_id),
        **address_parameters(conversation_id),
        **earlier_parameters(conversation_id),
    }
