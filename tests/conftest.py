"""Fixtures: one real PostgreSQL and Valkey per run, a database and running services per test."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from everword.embedded.ports import free_ports
from everword.embedded.postgres import EmbeddedPostgres
from everword.embedded.valkey import EmbeddedValkey
from support.added_migrations import AddMigrations, added_migrations
from support.citus_cluster import citus_programs, running_cluster
from support.citus_skips import reason_to_skip
from support.databases import (
    DatabaseUnderTest,
    cloned,
    prepare_distributed_template,
    prepare_template,
)
from support.spans import exporter
from support.stack import Stack, running_stack

MEMORY = Path("/dev/shm")
MEMORY_BYTES = 4 << 30
#: Time limit of a test marked `long`; the limit of the others is in pyproject.toml.
LONG_TEST_S = 3600


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "of a generated history, of which a quarter as many moments are asked for"
    parser.addoption("--changes", type=int, default=160, help=text)
    parser.addoption("--erasures", type=int, default=7, help="in a row, under load")
    parser.addoption("--pictures", default="", help="folder for pictures of the console")
    parser.addoption("--erased-messages", type=int, default=3000, help="in one conversation")
    text = "databases distributed over the nodes of a Citus cluster (requires EVERWORD_TEST_CITUS)"
    parser.addoption("--citus", action="store_true", help=text)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Set the time limit of long tests, and run files with slow tests first.

    Otherwise one process would still run them after the others have ended.
    """
    for item in items:
        if config.getoption("--citus") and (reason := reason_to_skip(item.nodeid)):
            item.add_marker(pytest.mark.skip(reason=reason))
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONG_TEST_S))
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """Exempt all objects loaded so far from garbage collection, as services do when they start.

    Otherwise each full collection, which services run after long work, traverses all collected tests.
    """
    gc.collect()
    gc.freeze()


def _fast_folder() -> str | None:
    """Return a folder in memory, or None if there is none; cloning a database there takes a sixth of the time."""
    usable = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= MEMORY_BYTES
    return str(MEMORY) if usable else None


@pytest.fixture(scope="session")
def postgres_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """URL of the owner of a migrated database, from which each test's database is cloned."""
    with tempfile.TemporaryDirectory(dir=_fast_folder()) as name:
        folder = Path(name)
        # PostgreSQL's user must be able to traverse the folder.
        folder.chmod(0o711)
        if request.config.getoption("--citus"):
            with running_cluster(citus_programs(), folder, shards=4) as cluster:
                prepare_distributed_template(cluster.coordinator, cluster.workers)
                yield cluster.coordinator
            return
        server = EmbeddedPostgres(folder / "postgres", free_ports(1)[0], durable=False)
        with server.running():
            prepare_template(server.admin_url)
            yield server.admin_url


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server = EmbeddedValkey(tmp_path_factory.mktemp("valkey"), free_ports(1)[0], durable=False)
    with server.running():
        yield server.url


@pytest.fixture
def add_migrations(monkeypatch: pytest.MonkeyPatch) -> Iterator[AddMigrations]:
    """Adds migrations to those of this release."""
    with added_migrations(monkeypatch) as add:
        yield add


@pytest.fixture
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    with cloned(postgres_url) as database:
        yield database


@pytest.fixture
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database, embedder=False) as stack:
        yield stack


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    """The spans that end while the test runs."""
    memory = exporter()
    memory.clear()
    yield memory
    memory.clear()
