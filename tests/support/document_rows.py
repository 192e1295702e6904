"""A document with a version and a chunk, and parameters with which every statement of documents affects it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg

from everword.domain.ids import new_id

DOCUMENT, VERSION = UUID(int=91), UUID(int=92)
TITLE = "MEMORY"
BEGAN = datetime(2001, 2, 3, tzinfo=UTC)


def insert_documents(
    conn: psycopg.Connection, namespace_id: int, message_ids: Sequence[UUID], words: str
) -> None:
    """Store a workspace file whose chunk has the first message's id and so shares that message's index rows."""
    conn.execute(
        "INSERT INTO documents (namespace_id, id, kind, title, key_hash, version, chunks) "
        "VALUES (%s, %s, 2, %s, %s, 1, 1)",
        [namespace_id, DOCUMENT, TITLE, b"hash"],
    )
    conn.execute(
        "INSERT INTO document_versions (namespace_id, document_id, version, id, content, chars, written_at) "
        "VALUES (%s, %s, 1, %s, %s, 10, %s)",
        [namespace_id, DOCUMENT, VERSION, words, BEGAN],
    )
    conn.execute(
        "INSERT INTO document_chunks (namespace_id, id, document_id, place, start_char, end_char, digest) "
        "VALUES (%s, %s, %s, 0, 0, 10, %s)",
        [namespace_id, message_ids[0], DOCUMENT, b"digest"],
    )


def document_parameters(conversation_id: UUID, chunk_id: UUID) -> dict[str, dict[str, Any]]:
    """Return the parameters of the document statements, by statement name."""
    package = "everword_ingest.documents"
    document = {"document_id": DOCUMENT}
    version: dict[str, Any] = {
        **document,
        "version": 2,
        "id": new_id(),
        "deleted": False,
        "content": "Smuggled in.",
        "chars": 12,
        "tags": [],
        "author": "",
        "writer": 0,
        "file_name": "",
        "media_type": "",
        "file_bytes": 0,
        "file_sha256": b"",
        "written_at": BEGAN,
    }
    chunk = {
        "ids": [new_id()],
        "places": [1],
        "headings": ["{}"],
        "starts": [0],
        "ends": [1],
        "pages": [0],
        "digests": [b""],
    }
    part = {"start": 0, "max_chars": 100}
    return {
        f"{package}.insert_document": {
            "id": new_id(),
            "kind": 1,
            "title": "new",
            "agent": "",
            "subject": "",
            "conversation_id": None,
            "key_hash": b"new",
        },
        f"{package}.find_key": {"key_hash": b"hash"},
        f"{package}.find_kind": document,
        f"{package}.lock_document": document,
        f"{package}.get_version_id": {**document, "version": 1},
        f"{package}.get_text": {**document, "version": 1},
        f"{package}.find_version": {"version_id": VERSION},
        f"{package}.insert_version": version,
        f"{package}.update_document": {**version, "chunks": 5},
        f"{package}.list_chunks": document,
        f"{package}.delete_chunks": {**document, "ids": [chunk_id]},
        f"{package}.insert_chunks": {**document, **chunk},
        f"{package}.get_document": document,
        f"{package}.read_text": {**document, **part, "version": 1},
        f"{package}.list_documents": {
            "kind": 2,
            "conversation_ids": None,
            "title_prefix": "",
            "after_id": None,
        },
        f"{package}.list_versions": {**document, **part, "version": 0, "before_version": None},
        "everword_search.passages.find_workspace_chunks": {
            "names": [TITLE],
            "most": 5,
            "conversation_id": conversation_id,
            "assistant": 3,
        },
    }
