"""A distributed database is restored to a restore point, with the commands of docs/data-safety.md."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from everword.integrity.verify import verify_everything
from support.callers import make_namespaces, within
from support.calls import append_request
from support.citus_cluster import Cluster, Node, citus_programs, connect, running_cluster
from support.databases import prepare_distributed_template
from support.documents import code_blocks
from support.stack import Stack, running_stack

NAMESPACES = [f"restored-{number}" for number in range(6)]
GUIDE = "docs/data-safety.md"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's account can traverse."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.fixture
def cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster that archives its write-ahead log, as the guide says."""
    (folder / "nodes").mkdir(mode=0o711)
    with running_cluster(citus_programs(), folder / "nodes", durable=True) as cluster:
        for url, node in cluster.servers.items():
            archive = folder / node.data.parent.name
            archive.mkdir()
            archive.chmod(0o777)
            with connect(url) as conn:
                for name, value in _settings(0, archive).items():
                    conn.execute(f"ALTER SYSTEM SET {name} = {value}".encode())
            node.kill()
            node.start()
        prepare_distributed_template(cluster.coordinator, cluster.workers)
        yield cluster


def _settings(number: int, archive: Path) -> dict[str, str]:
    """Return settings of the guide, with the archive of a server."""
    lines = code_blocks(GUIDE, "ini")[number].replace("/archive", str(archive)).splitlines()
    return dict(line.split(" = ", 1) for line in lines)


def _run_on_coordinator(cluster: Cluster, number: int) -> list[tuple[object, ...]]:
    """Run the statements of a block, and return the first row of each."""
    rows = []
    with connect(cluster.coordinator) as conn:
        for line in code_blocks(GUIDE, "sql")[number].splitlines():
            done = conn.execute(line.encode())
            rows.append((done.fetchone() or ()) if done.description else ())
    return rows


async def _append(stack: Stack, words: str) -> None:
    for name in NAMESPACES:
        request = append_request(f"{words} in {name}.", session_key=words)
        await stack.ingest.AppendMessages(request, metadata=within(name))


def _save(url: str, target: Path) -> None:
    command = [str(citus_programs() / "pg_basebackup"), "--dbname", url, "--pgdata", str(target)]
    done = subprocess.run([*command, "--checkpoint=fast"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def _restore(node: Node, saved: Path, archive: Path) -> None:
    """Replace the files of a stopped server by the saved ones, and recover it."""
    owner = node.data.stat()
    shutil.rmtree(node.data)
    shutil.copytree(saved, node.data)
    (node.data / "recovery.signal").touch()
    with (node.data / "postgresql.auto.conf").open("a") as file:
        for name, value in _settings(1, archive).items():
            file.write(f"{name} = {value}\n")
    for path in (node.data, *node.data.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)
    node.data.chmod(0o700)


def _messages(cluster: Cluster) -> list[str]:
    with connect(cluster.coordinator) as conn:
        rows = conn.execute("SELECT content FROM messages ORDER BY content").fetchall()
    return [content for (content,) in rows]


def _is_in_recovery(url: str) -> bool:
    try:
        with connect(url) as conn:
            return conn.execute("SELECT pg_is_in_recovery()").fetchone() != (False,)
    except psycopg.OperationalError:
        return True


@pytest.mark.long
def test_restored_cluster_has_the_rows_of_the_restore_point(cluster: Cluster, folder: Path) -> None:
    async def write() -> None:
        async with running_stack(cluster.database, embedder=False) as stack:
            await make_namespaces(stack, *NAMESPACES)
            await _append(stack, "before the backup")
            for url, node in cluster.servers.items():
                await asyncio.to_thread(_save, url, folder / f"saved {node.data.parent.name}")
                await _append(stack, f"after {url}")
            _run_on_coordinator(cluster, 0)
            expected.extend(_messages(cluster))
            await _append(stack, "after the restore point")

    async def read_and_write() -> None:
        async with running_stack(cluster.database, embedder=False) as stack:
            await _append(stack, "after the restore")

    expected: list[str] = []
    asyncio.run(write())
    assert len(expected) == 4 * len(NAMESPACES)
    for node in cluster.servers.values():
        node.kill()
    for node in cluster.servers.values():
        name = node.data.parent.name
        _restore(node, folder / f"saved {name}", folder / name)
        node.start()
    while any(_is_in_recovery(url) for url in cluster.nodes):
        pass
    _, healthy, _ = _run_on_coordinator(cluster, 1)
    assert healthy == (True,)
    assert _messages(cluster) == expected
    assert verify_everything(cluster.database.admin_url) == []
    asyncio.run(read_and_write())
    assert len(_messages(cluster)) == 5 * len(NAMESPACES)
