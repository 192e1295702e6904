"""A Citus cluster of a coordinator and two workers, in temporary folders."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from everword.embedded.account import account_for, privileges
from everword.embedded.ports import free_ports
from everword.embedded.process import ProcessSpec, run_blocking
from support.databases import DatabaseUnderTest, database_of

OWNER = "everword_owner"
DATABASE = "everword"
WORKERS = 2
SHARDS = 8
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "shared_preload_libraries": "citus",
    "wal_level": "logical",
    "max_connections": "200",
    "max_prepared_transactions": "200",
    # Citus has a process in each database.
    "max_worker_processes": "32",
    "shared_buffers": "128MB",
    "jit": "off",
    "timezone": "UTC",
    # The PostgreSQL of the tests is built without TLS.
    "citus.node_conninfo": "sslmode=disable",
}
_VOLATILE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(frozen=True)
class Cluster:
    """Running nodes with an empty database."""

    coordinator: str
    #: URLs of the owner, as is `coordinator`.
    workers: tuple[str, ...]
    #: Servers by the owner's URL.
    servers: Mapping[str, Node]

    @property
    def nodes(self) -> tuple[str, ...]:
        return (self.coordinator, *self.workers)

    @property
    def database(self) -> DatabaseUnderTest:
        return database_of(self.coordinator)


def citus_programs() -> Path:
    """Return the folder of the programs of a PostgreSQL with Citus. Skips the test without `EVERWORD_TEST_CITUS`."""
    folder = os.environ.get("EVERWORD_TEST_CITUS")
    if not folder:
        pytest.skip("EVERWORD_TEST_CITUS is not set: no PostgreSQL with Citus")
    return Path(folder) / "bin"


def connect(url: str, **options: Any) -> psycopg.Connection:
    """Connect in autocommit mode, with Everword's schema in the search path."""
    return psycopg.connect(
        url, autocommit=True, options="-c search_path=everword,public", **options
    )


class Node:
    """One server of a cluster, which can be killed and started again."""

    def __init__(
        self, programs: Path, folder: Path, port: int, settings: Mapping[str, str]
    ) -> None:
        self._folder = folder
        self.data = data = folder / "data"
        folder.mkdir(mode=0o711)
        data.mkdir(mode=0o700)
        url = f"postgresql://{OWNER}@127.0.0.1:{port}/postgres"
        self._spec = ProcessSpec(
            name="postgres",
            argv=[
                str(programs / "postgres"),
                *("-D", str(data), "-p", str(port)),
                *(part for name, value in settings.items() for part in ("-c", f"{name}={value}")),
            ],
            environment={"PATH": os.environ["PATH"]},
            ready=lambda: _answers(url),
            stop=((signal.SIGINT, 20.0), (signal.SIGQUIT, 10.0)),
            cwd=Path("/"),
            privileges=_initialise(programs, data),
        )
        self._running = ExitStack()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Process id of the running server."""
        assert self._process
        return self._process.pid

    def start(self) -> None:
        """Start the server, and return when it answers."""
        self._process = self._running.enter_context(run_blocking(self._spec, self._folder))

    def kill(self) -> None:
        """End all processes of the server at once, without a shutdown."""
        server = psutil.Process(self.pid)
        for process in (server, *server.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._running.close()

    def close(self) -> None:
        """Stop the server, and remove its files."""
        self._running.close()
        shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def temporary_cluster(*, shards: int = SHARDS, durable: bool = False) -> Iterator[Cluster]:
    """Run a cluster in a folder that is deleted afterwards. Skips the test without a PostgreSQL that has Citus."""
    programs = citus_programs()
    with tempfile.TemporaryDirectory() as name:
        # PostgreSQL's user must be able to traverse the folder.
        Path(name).chmod(0o711)
        with running_cluster(programs, Path(name), shards=shards, durable=durable) as cluster:
            yield cluster


@contextmanager
def running_cluster(
    programs: Path,
    folder: Path,
    *,
    workers: int = WORKERS,
    shards: int = SHARDS,
    durable: bool = False,
) -> Iterator[Cluster]:
    """Run a coordinator and workers with the programs of a PostgreSQL that has Citus; yield them once connected.

    Only a durable cluster keeps its last transactions if a node is killed.
    """
    ports = free_ports(1 + workers)
    settings = {**SETTINGS, **({} if durable else _VOLATILE), "citus.shard_count": str(shards)}
    with ExitStack() as stack:
        nodes = [Node(programs, folder / str(port), port, settings) for port in ports]
        for node in nodes:
            stack.callback(node.close)
            node.start()
        urls = [_create_database(port) for port in ports]
        with connect(urls[0]) as conn:
            conn.execute("SELECT citus_set_coordinator_host('127.0.0.1', %s)", [ports[0]])
            for port in ports[1:]:
                conn.execute("SELECT citus_add_node('127.0.0.1', %s)", [port])
        yield Cluster(urls[0], tuple(urls[1:]), dict(zip(urls, nodes, strict=True)))


@contextmanager
def running_worker(programs: Path, folder: Path, cluster: Cluster) -> Iterator[str]:
    """Add a worker without shards to a cluster, and yield its URL."""
    [port] = free_ports(1)
    with closing(Node(programs, folder / str(port), port, {**SETTINGS, **_VOLATILE})) as node:
        node.start()
        url = _create_database(port)
        with psycopg.connect(cluster.coordinator, autocommit=True) as conn:
            # As in psql: with Everword's schema in the path, Citus would send names of types without the schema.
            conn.execute("SELECT citus_add_node('127.0.0.1', %s)", [port])
        yield url


def _create_database(port: int) -> str:
    """Create a node's database with Citus, and return its URL."""
    server = f"postgresql://{OWNER}@127.0.0.1:{port}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {DATABASE}".encode())
    url = f"{server}/{DATABASE}"
    with connect(url) as conn:
        conn.execute("CREATE EXTENSION citus")
    return url


def _initialise(programs: Path, data: Path) -> Sequence[str]:
    """Create the data folder's files; return the options of setpriv(1) with which the server must run."""
    account = account_for(data)
    options: list[str] = []
    if account:
        os.chown(data, account.uid, account.gid)
        options = privileges(account, programs / "postgres", data)
    locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C.UTF-8"]
    command = [str(programs / "initdb"), f"--pgdata={data}", "--encoding=UTF8", *locale]
    command += [f"--username={OWNER}", "--auth=trust", "--no-sync"]
    if options:
        command = ["setpriv", *options, "--", *command]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
    assert done.returncode == 0, done.stderr
    return options


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True
