"""Fixtures: one real PostgreSQL and Valkey a run, a database and running services a test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from everword.embedded.ports import free_ports
from everword.embedded.postgres import EmbeddedPostgres
from everword.embedded.valkey import EmbeddedValkey
from support.databases import DatabaseUnderTest, cloned, prepare_template
from support.spans import exporter
from support.stack import Stack, running_stack


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The owner's URL of a migrated database, from which each test's is cloned."""
    folder = tmp_path_factory.mktemp("postgres")
    server = EmbeddedPostgres(folder, free_ports(1)[0], durable=False)
    with server.running():
        prepare_template(server.admin_url)
        yield server.admin_url


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server = EmbeddedValkey(tmp_path_factory.mktemp("valkey"), free_ports(1)[0], durable=False)
    with server.running():
        yield server.url


@pytest.fixture
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    with cloned(postgres_url) as database:
        yield database


@pytest.fixture
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database) as stack:
        yield stack


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    """The spans that end while the test runs."""
    memory = exporter()
    memory.clear()
    yield memory
    memory.clear()
