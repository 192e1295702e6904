"""Namespaces of a distributed database are exported, imported, kept for a limited time, held and deleted."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from everword.cli.backup.manifest import BackupError
from everword.cli.backup.save import save
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import erasure_service_pb2 as erasure
from support.callers import within
from support.citus_cluster import Cluster, connect
from support.citus_database import Distributed
from support.databases import DatabaseUnderTest, cloned
from support.namespace_rows import id_of, rows_of
from support.refusals import refused
from support.retention import TIMES, keep, runs
from support.stack import Stack, running_stack
from support.transfer_namespace import export, fill_everything, import_file
from support.waits import until

KINDS = ("MESSAGES", "NOTES", "NOTE_HISTORY", "DOCUMENT_HISTORY", "FACTS", "PATTERNS", "HISTORY")
#: Shards and local tables; distributed tables, which show the rows of all nodes, are left out.
_TABLES = """
SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace_id'
 WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
   AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)
"""


@pytest.fixture(scope="module")
def file(postgres_url: str) -> bytes:
    """The export of a full namespace of a database on one server."""
    with cloned(postgres_url) as database:
        return asyncio.run(_export_full(database))


async def _export_full(database: DatabaseUnderTest) -> bytes:
    async with running_stack(database, embedder=False) as stack:
        await fill_everything(stack)
        return await export(stack, "theirs")


def _rows_on_nodes(cluster: Cluster, namespace_id: int) -> dict[str, int]:
    """Count the rows of a namespace in the shards and local tables of all nodes, by table; without empty ones."""
    counts = {}
    for url in cluster.nodes:
        with connect(url) as conn:
            conn.execute("SET citus.override_table_visibility = off")
            for (table,) in conn.execute(_TABLES.encode()).fetchall():
                query = f"SELECT count(*) FROM {table} WHERE namespace_id = {namespace_id}"
                [(count,)] = conn.execute(query.encode()).fetchall()
                if count:
                    counts[table] = count
    return counts


def test_namespace_is_moved_to_a_distributed_database_and_back(
    distributed: Distributed, file: bytes, database: DatabaseUnderTest
) -> None:
    async def run() -> None:
        async with running_stack(distributed.database, embedder=False) as stack:
            written = await import_file(stack, "moved", file)
            assert written.records == len(file.splitlines()) - 2
            there = await export(stack, "moved")
            assert there == file
            await import_file(stack, "copied", there)
            assert await export(stack, "copied") == file
        async with running_stack(database, embedder=False) as stack:
            await import_file(stack, "back", there)
            assert await export(stack, "back") == file

    asyncio.run(run())
    # Other tests add models.
    vectors = "SELECT count(*) FROM embedding_queue WHERE namespace_id = %s AND generation_id = 1"
    passages = file.count(b'\n{"passage":')
    with distributed.database.connect() as conn:
        for name in ("moved", "copied"):
            id_ = id_of(distributed.database, name)
            assert conn.execute(vectors, [id_]).fetchone() == (passages,)


def test_deleted_namespace_leaves_no_row_on_any_node(distributed: Distributed, file: bytes) -> None:
    async def run() -> None:
        async with running_stack(distributed.database, embedder=False) as stack:
            await import_file(stack, "leaving", file)
            id_ = id_of(distributed.database, "leaving")
            preview = admin.PreviewNamespaceDeletionRequest(name="leaving")
            delete = admin.DeleteNamespaceRequest(name="leaving")
            for call in (
                stack.admin.PreviewNamespaceDeletion(preview),
                stack.admin.DeleteNamespace(delete),
            ):
                assert (await refused(call)).reason == "LEGAL_HOLD"
            await _end_holds(stack, "leaving")
            counts = dict((await stack.admin.PreviewNamespaceDeletion(preview)).row_counts)
            assert sum(counts.values()) > 100
            there = _rows_on_nodes(distributed.cluster, id_)
            assert sum(there.values()) == sum(counts.values()) + 1, "and the row of tenants"
            deleted = await stack.admin.DeleteNamespace(delete)
            assert dict(deleted.deletion.row_counts) == counts
            assert _rows_on_nodes(distributed.cluster, id_) == {}
            for url in distributed.cluster.nodes:
                with connect(url) as conn:
                    assert not conn.execute(
                        "SELECT 1 FROM namespaces WHERE id = %s", [id_]
                    ).fetchall()
            request = admin.GetNamespaceRequest(name="leaving")
            assert (
                await refused(stack.admin.GetNamespace(request))
            ).reason == "NAMESPACE_NOT_FOUND"

    asyncio.run(run())


def test_retention_removes_due_items_of_its_namespace(
    distributed: Distributed, file: bytes
) -> None:
    """Rows of each kind, except those on legal hold."""

    async def run() -> None:
        async with running_stack(distributed.database, embedder=False) as stack:
            ids = {}
            for name in ("expiring", "staying"):
                await import_file(stack, name, file)
                ids[name] = id_of(distributed.database, name)
            own = within("expiring")
            await _end_holds(stack, "expiring")
            _age(distributed.database, ids["expiring"])
            for kind in KINDS:
                await keep(stack, kind, 30, own)
            before, others = (
                rows_of(distributed.database, ids["expiring"]),
                rows_of(distributed.database, ids["staying"]),
            )
            hold = await stack.erasures.CreateLegalHold(
                erasure.CreateLegalHoldRequest(reason="Case 12"), metadata=own
            )
            held = await _preview(stack)
            assert all(each.count == 0 and each.on_hold for each in held.values())
            assert await _run(stack) == {}
            assert rows_of(distributed.database, ids["expiring"]) == {
                **before,
                "legal_holds": 1,
                "retention_runs": before["retention_runs"] + 1,
            }
            await stack.erasures.DeleteLegalHold(
                erasure.DeleteLegalHoldRequest(hold_id=hold.hold.id), metadata=own
            )
            would_go = {kind: each.count for kind, each in (await _preview(stack)).items()}
            assert would_go == {kind: each.on_hold for kind, each in held.items()}
            ran = await _run(stack)
            # Versions go with their notes, and a part of the history with its facts.
            later = {"RETENTION_KIND_NOTE_HISTORY", "RETENTION_KIND_HISTORY"}
            assert {kind: would_go[kind] for kind in would_go.keys() - later} == {
                kind: ran[kind] for kind in ran.keys() - later
            }
            assert not any(each.count for each in (await _preview(stack)).values())
            after = rows_of(distributed.database, ids["expiring"])
            assert (after["messages"], after["notes"], after["facts"], after["patterns"]) == (
                0,
            ) * 4
            assert rows_of(distributed.database, ids["staying"]) == others

    asyncio.run(run())


def _age(database: DatabaseUnderTest, namespace_id: int) -> None:
    """Make everything in a namespace a hundred days old."""
    at = datetime.now(UTC) - timedelta(days=100)
    with database.connect() as conn:
        for table, columns in TIMES.items():
            older = ", ".join(f"{name} = %(at)s" for name in columns)
            query = f"UPDATE {table} SET {older} WHERE namespace_id = %(id)s"
            conn.execute(query.encode(), {"at": at, "id": namespace_id})


async def _end_holds(stack: Stack, name: str) -> None:
    request = erasure.ListLegalHoldsRequest()
    for hold in (await stack.erasures.ListLegalHolds(request, metadata=within(name))).holds:
        end = erasure.DeleteLegalHoldRequest(hold_id=hold.id)
        await stack.erasures.DeleteLegalHold(end, metadata=within(name))


async def _preview(stack: Stack) -> dict[str, erasure.RetentionCount]:
    """Return the expired items of `expiring` by kind."""
    request = erasure.PreviewRetentionRequest()
    found = await stack.erasures.PreviewRetention(request, metadata=within("expiring"))
    return {erasure.RetentionKind.Name(each.kind): each for each in found.removed}


async def _run(stack: Stack) -> dict[str, int]:
    """Start a run in `expiring`, and return the number of removed items by kind once it has ended."""
    metadata = within("expiring")
    begun = await stack.erasures.RunRetention(erasure.RunRetentionRequest(), metadata=metadata)
    ended: list[erasure.RetentionRun] = []

    async def done() -> bool:
        ended[:] = [each for each in await runs(stack, metadata) if each.id == begun.run.id]
        return ended[0].state == erasure.RETENTION_STATE_DONE

    await until(done)
    return {erasure.RetentionKind.Name(each.kind): each.count for each in ended[0].removed}


def test_backup_refuses_a_distributed_database(distributed: Distributed, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="common restore point"):
        save(distributed.database.admin_url, tmp_path / "saved", lambda total: None, lambda: None)
