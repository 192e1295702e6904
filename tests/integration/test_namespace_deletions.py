"""Deleted namespaces leave nothing but a record, whatever runs concurrently."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import grpc
import psycopg
import pytest

from everword.db.pool import Database
from everword.v1 import admin_service_pb2 as pb
from everword.v1 import ingest_service_pb2, maintenance_service_pb2
from everword_ingest.namespaces.deletions import delete_namespace, preview_namespace_deletion
from support.callers import bearer, make_namespaces, within
from support.calls import append, append_request
from support.databases import DatabaseUnderTest
from support.namespace_rows import fill_every_table, id_of, rows_of
from support.refusals import read_refusal, refused
from support.stack import Stack, running_stack
from support.waits import until

WORDS = "Words to erase."


def _begin_deletion(stack: Stack, name: str) -> None:
    """Execute the first step of DeleteNamespace, as if the call ended after it."""
    with stack.database.connect() as conn:
        conn.execute("SELECT begin_namespace_deletion(%s, NULL, '')", [name])


async def _preview(stack: Stack, name: str) -> dict[str, int]:
    request = pb.PreviewNamespaceDeletionRequest(name=name)
    return dict((await stack.admin.PreviewNamespaceDeletion(request)).row_counts)


async def _delete(stack: Stack, name: str, by: str = "") -> pb.DeleteNamespaceResponse:
    request = pb.DeleteNamespaceRequest(name=name, requested_by=by)
    return await stack.admin.DeleteNamespace(request)


async def _listed(stack: Stack, namespace: str = "") -> list[pb.NamespaceDeletion]:
    request = pb.ListNamespaceDeletionsRequest(namespace=namespace)
    return list((await stack.admin.ListNamespaceDeletions(request)).deletions)


async def test_delete_namespace_erases_all_its_rows_and_no_other_namespace(
    database: DatabaseUnderTest,
) -> None:
    await fill_every_table(database, ["acme", "other"], WORDS)
    id_, other = id_of(database, "acme"), id_of(database, "other")
    with database.connect() as conn:
        # A legal hold prevents the deletion of an active namespace, but not of an unfinished import.
        conn.execute("UPDATE namespaces SET state = 'importing' WHERE name = 'acme'")
    before, others = rows_of(database, id_), rows_of(database, other)
    assert [table for table, rows in before.items() if not rows] == [], "fill these, too"
    ingest = Database(database.settings("ingest"), "ingest")
    await ingest.open()
    try:
        assert await preview_namespace_deletion(ingest, "acme") == before
        assert rows_of(database, id_) == before, "a preview changes nothing"
        rows, record = await delete_namespace(ingest, "acme", None, "")
    finally:
        await ingest.close()
    assert [table for table, left in rows_of(database, id_).items() if left] == []
    assert rows_of(database, other) == others
    assert rows == sum(record.counts.values())
    assert record.counts == before


async def test_namespace_recreated_after_deletion_is_empty(stack: Stack) -> None:
    await append(stack, WORDS)
    id_ = id_of(stack.database, "default")
    await _delete(stack, "default")
    gone = await refused(stack.admin.GetNamespace(pb.GetNamespaceRequest(name="default")))
    assert gone.reason == "NAMESPACE_NOT_FOUND"
    for call in (_delete(stack, "default"), _preview(stack, "default")):
        assert (await refused(call)).reason == "NAMESPACE_NOT_FOUND"
    await make_namespaces(stack, "default")
    assert id_of(stack.database, "default") != id_
    for each in (id_, id_of(stack.database, "default")):
        assert set(rows_of(stack.database, each).values()) == {0}


async def test_deletion_record_without_content_is_listed_by_namespace_name(stack: Stack) -> None:
    await make_namespaces(stack, "acme", "other")
    await append(stack, WORDS, session_key="acme-thread", metadata=within("acme"))
    first = (await _delete(stack, "acme", "Ana, by mail")).deletion
    other = (await _delete(stack, "other")).deletion
    await make_namespaces(stack, "acme")
    second = (await _delete(stack, "acme")).deletion
    assert await _listed(stack) == [second, other, first]
    assert await _listed(stack, "acme") == [second, first]
    assert await _listed(stack, "never") == []
    assert second.name_hash == first.name_hash != other.name_hash
    assert (first.requested_by, first.row_counts["messages"]) == ("Ana, by mail", 1)
    assert (dict(second.row_counts), UUID(first.id).version) == ({}, 7)
    assert first.request_time.ToDatetime() < first.finish_time.ToDatetime()
    with stack.database.connect() as conn:
        kept = str(conn.execute("SELECT d::text FROM namespace_deletions d").fetchall())
    assert "acme" not in kept
    assert WORDS not in kept


async def test_list_namespace_deletions_pages_and_rejects_token_of_another_request(
    stack: Stack,
) -> None:
    names = ("a", "b", "c")
    await make_namespaces(stack, *names)
    made = [(await _delete(stack, name)).deletion.id for name in names]
    request = pb.ListNamespaceDeletionsRequest(page_size=2)
    page = await stack.admin.ListNamespaceDeletions(request)
    request.page_token = page.next_page_token
    rest = await stack.admin.ListNamespaceDeletions(request)
    assert [each.id for each in [*page.deletions, *rest.deletions]] == made[::-1]
    assert rest.next_page_token == ""
    request.namespace = "a"
    refusal = await refused(stack.admin.ListNamespaceDeletions(request))
    assert refusal.reason == "PAGE_TOKEN_INVALID"


async def test_deletion_record_names_the_api_key_and_is_immutable_to_services(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database, admin_key="boss", embedder=False) as stack:
        await make_namespaces(stack, "acme", "other", metadata=bearer("boss"))
        admin = pb.ApiKey(role=pb.API_KEY_ROLE_ADMIN)
        made = await stack.admin.CreateApiKey(
            pb.CreateApiKeyRequest(api_key=admin), metadata=bearer("boss")
        )
        found = {}
        for name, secret in (("acme", made.secret), ("other", "boss")):
            request = pb.DeleteNamespaceRequest(name=name)
            found[name] = await stack.admin.DeleteNamespace(request, metadata=bearer(secret))
        assert found["acme"].deletion.api_key_id == made.api_key.id
        assert found["other"].deletion.api_key_id == ""
    for change in (
        "DELETE FROM namespace_deletions",
        "UPDATE namespace_deletions SET counts = '{}'",
    ):
        options = "-c role=everword_ingest -c search_path=everword,public"
        with psycopg.connect(database.service_url, options=options) as conn:
            assert conn.execute("SELECT count(*) FROM namespace_deletions").fetchone() == (2,)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(change.encode())


async def test_namespace_under_deletion_is_not_found_or_listed(stack: Stack) -> None:
    await make_namespaces(stack, "acme")
    _begin_deletion(stack, "acme")
    update = pb.UpdateNamespaceRequest(namespace=pb.Namespace(name="acme"))
    update.update_mask.paths.append("settings.time_zone")
    for call in (
        stack.admin.GetNamespace(pb.GetNamespaceRequest(name="acme")),
        stack.admin.UpdateNamespace(update),
        stack.admin.CreateApiKey(
            pb.CreateApiKeyRequest(api_key=pb.ApiKey(namespace="acme", role=pb.API_KEY_ROLE_READ))
        ),
        stack.admin.ListApiKeys(pb.ListApiKeysRequest(namespace="acme")),
        stack.ingest.AppendMessages(append_request("Too late."), metadata=within("acme")),
    ):
        assert (await refused(call)).reason == "NAMESPACE_NOT_FOUND"
    listed = await stack.admin.ListNamespaces(pb.ListNamespacesRequest())
    assert [namespace.name for namespace in listed.namespaces] == ["default"]
    taken = await refused(
        stack.admin.CreateNamespace(pb.CreateNamespaceRequest(namespace=pb.Namespace(name="acme")))
    )
    assert taken.reason == "NAMESPACE_ALREADY_EXISTS"
    assert "being deleted" in taken.message


async def test_interrupted_namespace_deletion_is_finished_by_a_second_call(stack: Stack) -> None:
    await make_namespaces(stack, "acme")
    await append(stack, WORDS, WORDS, metadata=within("acme"))
    before = await _preview(stack, "acme")
    _begin_deletion(stack, "acme")
    with stack.database.connect() as conn:
        conn.execute("SELECT erase_namespace_rows(%s, 1)", [id_of(stack.database, "acme")])
    left = await _preview(stack, "acme")
    assert sum(left.values()) == sum(before.values()) - 1
    [begun] = await _listed(stack, "acme")
    assert (sum(begun.row_counts.values()), begun.HasField("finish_time")) == (1, False)
    erased = await _delete(stack, "acme", "somebody else")
    counts = dict(erased.deletion.row_counts)
    assert sum(counts.values()) == erased.rows_erased + 1
    assert counts["messages"] == 2
    assert (erased.deletion.id, erased.deletion.requested_by) == (begun.id, "")
    assert await _listed(stack) == [erased.deletion]
    await make_namespaces(stack, "acme")


async def test_append_after_namespace_deletion_is_refused_despite_cached_id(
    stack: Stack,
) -> None:
    """A server caches a namespace's id slightly longer than the namespace exists."""
    await make_namespaces(stack, "acme")
    await append(stack, WORDS, metadata=within("acme"))
    await stack.admin.DeleteNamespace(pb.DeleteNamespaceRequest(name="acme"))
    late = append_request("Too late.", session_key=str(uuid4()))
    refusal = await refused(stack.ingest.AppendMessages(late, metadata=within("acme")))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "NAMESPACE_NOT_FOUND")


WAITING = """
SELECT count(*) > 0 FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'everword-compactor'
"""


@pytest.mark.parametrize("call", ["Compact", "FlushConversation"])
async def test_maintenance_call_during_namespace_deletion_is_refused(
    stack: Stack, call: str
) -> None:
    """The call reads the conversation, and its write waits for the deletion. A retry finds no namespace."""
    await make_namespaces(stack, "acme")
    appended = await append(stack, *[WORDS] * 3, metadata=within("acme"))
    request: Any = maintenance_service_pb2.CompactRequest()
    if call == "FlushConversation":
        request = maintenance_service_pb2.FlushConversationRequest(
            conversation_id=appended.conversation_id,
            context_size=1,
            used_tokens=1,
            notes_saved=True,
            keep_recent=0,
        )
    ask = partial(getattr(stack.maintenance, call), request, metadata=within("acme"))
    with stack.database.connect() as looking, stack.database.connect() as conn:
        with conn.transaction():
            row = conn.execute(
                "UPDATE namespaces SET state = 'deleting' WHERE name = 'acme' RETURNING id"
            ).fetchone()
            left = "SELECT count(*) FROM conversations WHERE namespace_id = %s"
            while conn.execute(left, row).fetchone() != (0,):
                conn.execute("SELECT erase_namespace_rows(%s, 1000)", row)
            asked = asyncio.ensure_future(refused(ask()))
            await until(lambda: looking.execute(WAITING).fetchone() == (True,))
        assert (await asked).reason == "CONCURRENT_UPDATE"

    async def is_unknown() -> bool:
        try:
            await ask()
        except grpc.aio.AioRpcError as error:
            return read_refusal(error).reason == "NAMESPACE_NOT_FOUND"
        return False

    # Servers cache a namespace for a moment after its deletion.
    await until(is_unknown)


async def test_summary_stored_during_namespace_deletion_is_erased(
    stack: Stack,
) -> None:
    await make_namespaces(stack, "acme")
    appended = await append(stack, *[WORDS] * 12, metadata=within("acme"))
    request, id_ = pb.DeleteNamespaceRequest(name="acme"), id_of(stack.database, "acme")
    with stack.database.connect() as conn:
        with conn.transaction():
            _link_a_leaf(conn, "acme", appended)
            deletion = asyncio.ensure_future(stack.admin.DeleteNamespace(request))
            await until(lambda: _is_deletion_waiting(stack))
        erased = await deletion
    assert erased.rows_erased > 12
    assert set(rows_of(stack.database, id_).values()) == {0}
    await make_namespaces(stack, "acme")


def _link_a_leaf(
    conn: psycopg.Connection, namespace: str, appended: ingest_service_pb2.AppendMessagesResponse
) -> None:
    """Insert the rows that a worker stores for a leaf over the first message."""
    conn.execute(
        """WITH leaf AS (
             INSERT INTO summaries (namespace_id, id, level, conversation_id, first_seq, last_seq, content,
                                    message_count, earliest_at, latest_at)
             SELECT id, %(leaf)s, 1, %(conversation)s, 1, 1, 'A leaf.', 1, now(), now()
               FROM namespaces WHERE name = %(namespace)s
             RETURNING namespace_id, id)
           INSERT INTO summary_sources (namespace_id, summary_id, ordinal, axis, message_id)
           SELECT namespace_id, id, 1, 1, %(message)s FROM leaf""",
        {
            "leaf": uuid4(),
            "conversation": appended.conversation_id,
            "namespace": namespace,
            "message": appended.messages[0].message_id,
        },
    )


def _is_deletion_waiting(stack: Stack) -> bool:
    """Return whether a statement waits for a row lock."""
    with stack.database.connect() as conn:
        row = conn.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        ).fetchone()
    return row is not None
