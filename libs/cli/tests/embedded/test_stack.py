"""The whole stack, on real engines; the services are small gRPC servers with the same duties."""

import asyncio
import os
import signal
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from everword.domain.settings import Environment
from everword.embedded.errors import EmbeddedError, StartError
from everword.embedded.folder import RunningStack, read_run_file
from everword.embedded.ports import Ports
from everword.embedded.postgres import EmbeddedPostgres
from everword.embedded.process import ProcessSpec
from everword.embedded.services import (
    SERVICES,
    SUMMARISING_WORKERS,
    WORKERS,
    is_serving,
    service_specs,
)
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.embedded.valkey import EmbeddedValkey

HEALTH_SERVER = Path(__file__).with_name("health_server.py")


def one_service(running: RunningStack) -> list[ProcessSpec]:
    """The ingest service as it is described, but with a health server for its program."""
    [ingest] = [spec for spec in service_specs(running) if spec.name == "ingest"]
    return [replace(ingest, argv=[sys.executable, str(HEALTH_SERVER)])]


def broken_service(running: RunningStack) -> list[ProcessSpec]:
    argv = [sys.executable, str(HEALTH_SERVER), running.addresses["ingest"], "broken"]
    return [replace(one_service(running)[0], argv=argv)]


async def test_stack_starts_a_migrated_database_a_queue_services_and_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERWORD_ADMIN_DATABASE_URL", "postgresql://owner@db")
    settings = StackSettings(tmp_path, Ports.free())
    async with stack(settings, services=one_service) as running:
        assert [process.name for process in running.processes] == [
            "postgres",
            "valkey",
            "ingest",
            "proxy",
        ]
        assert is_serving(running.addresses["ingest"])
        assert is_serving(running.address)
        with psycopg.connect(running.database_url) as connection:
            connection.execute("SET ROLE everword_ingest")
            connection.execute("SELECT count(*) FROM everword.namespaces")
        with redis.Redis.from_url(running.redis_url) as client:
            assert client.ping()
        assert read_run_file(tmp_path) == running
        # No service gets the URL of the database's owner.
        environment = psutil.Process(running.processes[-2].pid).environ()
        assert environment["EVERWORD_DATABASE_URL"] == running.database_url
        assert environment["EVERWORD_EMBEDDER_ADDRESS"] == running.addresses["embedder"]
        assert "EVERWORD_ADMIN_DATABASE_URL" not in environment
        assert running.admin_database_url
        assert running.admin_database_url not in environment.values()
    assert read_run_file(tmp_path) is None


def test_every_service_receives_its_own_and_all_other_addresses(tmp_path: Path) -> None:
    addresses = {name: f"127.0.0.1:{port}" for port, name in enumerate(SERVICES, start=4000)}
    specs = service_specs(
        RunningStack(1, "127.0.0.1:2", addresses, "postgresql://", None, "redis://", "token")
    )
    listening = {spec.name: spec.environment.get("EVERWORD_LISTEN") for spec in specs}
    assert listening == addresses | dict.fromkeys(WORKERS)
    for spec in specs:
        for name, address in addresses.items():
            assert spec.environment[f"EVERWORD_{name.upper()}_ADDRESS"] == address


async def test_data_and_internal_token_survive_a_restart(tmp_path: Path) -> None:
    settings = StackSettings(tmp_path, Ports.free())
    async with stack(settings, services=one_service) as first:
        assert first.admin_database_url
        with psycopg.connect(first.admin_database_url) as connection:
            connection.execute("CREATE TABLE kept ()")
        with redis.Redis.from_url(first.redis_url) as client:
            client.set("job", "1")
    async with stack(settings, services=one_service) as second:
        assert second.admin_database_url
        with psycopg.connect(second.admin_database_url) as connection:
            connection.execute("SELECT FROM kept")
        with redis.Redis.from_url(second.redis_url) as client:
            assert client.get("job") == b"1"
        assert second.internal_token == first.internal_token


async def test_killed_database_is_restarted_with_its_data(
    tmp_path: Path,
) -> None:
    back = asyncio.Event()

    def say(line: str) -> None:
        if line == "postgres is ready again":
            back.set()

    settings = StackSettings(tmp_path, Ports.free())
    async with stack(settings, say, services=one_service) as running:
        assert running.admin_database_url
        with psycopg.connect(running.admin_database_url) as connection:
            connection.execute("CREATE TABLE kept ()")
        os.kill(running.processes[0].pid, signal.SIGKILL)
        await asyncio.wait_for(back.wait(), 60)
        with psycopg.connect(running.admin_database_url) as connection:
            connection.execute("SELECT FROM kept")


async def test_failed_service_start_leaves_no_processes_running(tmp_path: Path) -> None:
    settings = StackSettings(tmp_path, Ports.free())
    before = psutil.Process().children()
    with pytest.raises(StartError, match="the configuration is broken"):
        async with stack(settings, services=broken_service):
            pass
    # Other tests' engines may run in this process too.
    assert set(psutil.Process().children()) <= set(before)
    assert read_run_file(tmp_path) is None


async def test_an_ephemeral_stack_leaves_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with stack(StackSettings(None, Ports.free()), services=one_service) as running:
        assert len(os.listdir(tmp_path)) == 1
        assert running.admin_database_url
        with psycopg.connect(running.admin_database_url) as connection:
            assert connection.execute("SHOW fsync").fetchone() == ("off",)
    assert os.listdir(tmp_path) == []


async def test_configured_external_servers_are_used_instead_of_embedded_ones(
    tmp_path: Path,
) -> None:
    ports = Ports.free()
    postgres = EmbeddedPostgres(tmp_path / "theirs", ports.postgres, durable=False)
    valkey = EmbeddedValkey(tmp_path / "queue", ports.valkey, durable=False)
    with ExitStack() as foreign:
        foreign.enter_context(postgres.running())
        foreign.enter_context(valkey.running())
        environment = {
            "EVERWORD_DATABASE_URL": postgres.admin_url,
            "EVERWORD_ADMIN_DATABASE_URL": postgres.admin_url,
            "EVERWORD_REDIS_URL": valkey.url,
        }
        settings = StackSettings.from_environment(
            tmp_path / "data", ports, Environment(environment)
        )
        async with stack(settings, services=one_service) as running:
            assert [process.name for process in running.processes] == ["ingest", "proxy"]
            assert running.database_url == postgres.admin_url
            assert running.redis_url == valkey.url
            with psycopg.connect(postgres.admin_url) as connection:
                connection.execute("SELECT FROM everword.namespaces")


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"EVERWORD_ADMIN_DATABASE_URL": "postgresql://owner@db"}, "EVERWORD_DATABASE_URL is not"),
        ({"EVERWORD_TLS_CERT": "server.pem"}, "without TLS"),
    ],
)
def test_contradictory_stack_settings_are_refused(variables: dict[str, str], message: str) -> None:
    with pytest.raises(EmbeddedError, match=message):
        StackSettings.from_environment(None, Ports(), Environment(variables))


def test_service_specs_run_summarising_workers_as_background_work() -> None:
    addresses = dict.fromkeys(SERVICES, "127.0.0.1:1")
    specs = service_specs(
        RunningStack(1, "127.0.0.1:2", addresses, "postgresql://", None, "redis://", "token")
    )
    background = {spec.name for spec in specs if spec.background}
    assert background == SUMMARISING_WORKERS
