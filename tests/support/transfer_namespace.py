"""A namespace with every kind of record, and calls that export and import it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

import psycopg
from google.protobuf.struct_pb2 import Struct

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import erasure_service_pb2 as erase
from support.calls import append_request, message, target
from support.fact_rows import insert_facts
from support.foreign_filled import THEIRS, fill_other_namespace
from support.foreign_namespaces import Theirs, class_request
from support.people_rows import insert_people
from support.sleep_rows import insert_sleep
from support.stack import Stack
from support.summary_rows import insert_summaries
from support.theme_rows import insert_theme
from support.tool_calls import tool_call
from support.waits import until

#: Text with characters that JSON must escape.
SAID = 'She said: "the gecko\'s name is Zoë\\Żaneta" \u2028 \U0001f98e\n\tand left.'
KEY = "moved"


@dataclass(frozen=True)
class Filled:
    """Ids and tokens of the namespace `theirs`."""

    theirs: Theirs
    conversation_id: str
    message_id: str


async def fill_everything(stack: Stack) -> Filled:
    """Fill `theirs` with every kind of record: through RPCs, and directly for rows that only background work writes."""
    theirs = await fill_other_namespace(stack)
    metadata = Struct()
    metadata.update({"at": 1.5, "deep": {"empty": {}, "none": None, "many": [1, True, "ß"]}})
    said = append_request(
        message(SAID, author="Zoë Żuk", external_id="x-1", metadata=metadata, tags=["a,b", '"']),
        message("Secret.", author="Zoë Żuk", external_id="x-2"),
        tool_call(external_id="x-3"),
        tool_call(external_id="x-4", tool_result="x" * 300_000, content="Long."),
    )
    said.conversation.CopyFrom(target(KEY, agent="kit", channel="cli"))
    said.request_id = "said"
    kept = await stack.ingest.AppendMessages(said, metadata=THEIRS)
    ids = [each.message_id for each in kept.messages]
    goes = erase.EraseRequest(target=erase.ErasureTarget(message_id=ids[1]))
    await stack.erasures.Erase(goes, metadata=THEIRS)
    await until(lambda: not erasing(stack))
    await stack.ingest.UpdateMemory(class_request(ids[0]), metadata=THEIRS)
    left = [UUID(id_) for id_ in (ids[0], ids[2], ids[3])]
    with stack.database.connect() as conn:
        _insert_derived(conn, UUID(kept.conversation_id), left)
        _settle_jobs(conn)
    return Filled(theirs, kept.conversation_id, ids[0])


def _insert_derived(
    conn: psycopg.Connection, conversation_id: UUID, message_ids: list[UUID]
) -> None:
    """Store rows that only background work writes."""
    row = conn.execute("SELECT id FROM namespaces WHERE name = 'theirs'").fetchone()
    assert row
    namespace_id = int(row[0])
    conn.execute("DELETE FROM compaction_progress WHERE conversation_id = %s", [conversation_id])
    summaries = insert_summaries(conn, namespace_id, conversation_id, message_ids, "In short.")
    insert_facts(conn, namespace_id, message_ids, "sleeps")
    insert_people(conn, namespace_id, conversation_id, message_ids, "Zoë")
    insert_sleep(conn, namespace_id, conversation_id, message_ids, "sleeps")
    insert_theme(conn, namespace_id, "geckos")
    conn.execute(
        "INSERT INTO graph_nodes (namespace_id, id, first_seen_at, last_seen_at) "
        "SELECT %s, id, now(), now() FROM unnest(%s::uuid[]) AS id ON CONFLICT DO NOTHING",
        [namespace_id, [summaries.leaf]],
    )
    conn.execute(
        "INSERT INTO topic_sources (namespace_id, node_id, source_id, kind) VALUES (%s, %s, %s, 2)",
        [namespace_id, summaries.leaf, summaries.leaf],
    )
    conn.execute(
        "INSERT INTO pattern_decisions SELECT namespace_id, id, id, true, 0.1 + 0.2, 1e-7, 1, 2, 0, now() FROM patterns"
    )
    conn.execute(
        "INSERT INTO tool_sentences (namespace_id, message_id, content, model, prompt_version) "
        "VALUES (%s, %s, 'It read a file.', 'm', 1)",
        [namespace_id, message_ids[1]],
    )
    conn.execute(
        "INSERT INTO importance_suggestions (namespace_id, memory_id, importance_class, model, prompt_version) "
        "VALUES (%s, %s, 2, 'm', '1')",
        [namespace_id, message_ids[0]],
    )


def _settle_jobs(conn: psycopg.Connection) -> None:
    """Make all jobs due, so that no sweep changes them, except one that waits for the night."""
    conn.execute("UPDATE jobs SET not_before = now() - interval '90.000001 seconds'")
    conn.execute(
        "INSERT INTO jobs (namespace_id, task, subject, not_before) "
        "SELECT id, 'learn', 'themes', now() + interval '7654.321098 seconds' FROM namespaces WHERE name = 'theirs'"
    )


def erasing(stack: Stack) -> bool:
    """Return whether an erasure is running."""
    with stack.database.connect() as conn:
        return bool(conn.execute("SELECT FROM erasures WHERE state = 1").fetchall())


async def export(stack: Stack, name: str) -> bytes:
    call = stack.admin.ExportNamespace(admin.ExportNamespaceRequest(name=name))
    return b"".join([part.data async for part in call])


def requests(name: str, file: bytes, size: int = 50_000) -> Iterator[admin.ImportNamespaceRequest]:
    """Yield the requests of an import of a file."""
    yield admin.ImportNamespaceRequest(name=name)
    for start in range(0, len(file), size):
        yield admin.ImportNamespaceRequest(data=file[start : start + size])


async def import_file(stack: Stack, name: str, file: bytes) -> admin.ImportNamespaceResponse:
    return await stack.admin.ImportNamespace(requests(name, file))
