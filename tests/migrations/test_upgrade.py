"""A database of an earlier schema is brought up to date, or restored, and keeps what it holds."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from threading import Event, Thread
from uuid import uuid4

import grpc
import psycopg
import pytest
from psycopg import errors

from everword.cli.backup.restore import restore
from everword.cli.backup.save import save
from everword.db.migrate import latest_version, migrate
from support.calls import append, message
from support.corpus import search_request
from support.databases import database_of, empty_database
from support.stack import Stack, running_stack

#: What an outage may be, and an upgrade is one.
PROMISED = {"UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "ABORTED"}
#: Of each writer, once the schema is up to date.
AFTERWARDS = 5


class OlderWriter(Thread):
    """Stores messages as a release of an earlier schema did, and notes what was committed."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self.ended = Event()
        self.stored: list[str] = []
        self.failed = Counter[str]()

    def run(self) -> None:
        options = "-c search_path=everword,public"
        with psycopg.connect(self._url, autocommit=True, options=options) as conn:
            while not self.ended.is_set():
                try:
                    with conn.transaction():
                        name = self._store(conn)
                    self.stored.append(name)
                except (errors.UndefinedColumn, errors.NotNullViolation) as error:
                    self.failed[type(error).__name__] += 1
                self.ended.wait(0.01)

    def _store(self, conn: psycopg.Connection) -> str:
        name, conversation = f"older {len(self.stored)}", uuid4()
        conn.execute(
            "INSERT INTO conversations (namespace_id, id, session_key, last_seq) VALUES (1, %s, %s, 1)",
            [conversation, name],
        )
        conn.execute(
            "INSERT INTO messages (namespace_id, id, conversation_id, seq, role, content, occurred_at) "
            "VALUES (1, %s, %s, 1, 2, %s, now())",
            [uuid4(), conversation, name],
        )
        return name


class Callers:
    """Writers and searchers of services of this release, who repeat what is refused."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self.stored: dict[str, list[str]] = {}
        self.refused = Counter[str]()
        self.migrated = False

    async def write(self, who: str) -> None:
        stored = self.stored.setdefault(who, [])
        afterwards = 0
        while afterwards < AFTERWARDS:
            name = f"{who} says {len(stored)}"
            with self._refusals():
                await append(self._stack, message(name, external_id=name), session_key=who)
                stored.append(name)
                afterwards += self.migrated
            await asyncio.sleep(0.01)

    async def search(self) -> None:
        found = 0
        while found < AFTERWARDS:
            with self._refusals():
                await self._stack.search.Search(search_request("says", "LEXICAL"))
                found += self.migrated
            await asyncio.sleep(0.01)

    def _refusals(self) -> _Refusals:
        return _Refusals(self.refused)


class _Refusals:
    """Notes the code of a call that fails, and goes on."""

    def __init__(self, refused: Counter[str]) -> None:
        self._refused = refused

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, grpc.aio.AioRpcError):
            return False
        self._refused[error.code().name] += 1
        return True


@pytest.mark.parametrize(
    "schema",
    [44, *(pytest.param(each, marks=pytest.mark.long) for each in (10, 21, 29, 36, 51))],
)
async def test_an_earlier_schema_is_brought_up_to_date_under_load(
    postgres_url: str, schema: int, tmp_path: Path
) -> None:
    """Writes of both releases are kept; callers of this one meet an outage and nothing else."""
    with empty_database(postgres_url) as url:
        migrate(url, to=schema)
        older = OlderWriter(url)
        older.start()
        try:
            async with running_stack(database_of(url)) as stack:
                callers = Callers(stack)
                calls = [callers.write(f"writer-{n}") for n in range(3)]
                tasks = [asyncio.ensure_future(each) for each in (*calls, callers.search())]
                await asyncio.sleep(0.2)
                _save(url, tmp_path / "saved")
                await asyncio.to_thread(migrate, url)
                callers.migrated = True
                await asyncio.wait_for(asyncio.gather(*tasks), 60)
        finally:
            older.ended.set()
            older.join()
        assert callers.refused["UNAVAILABLE"]
        assert set(callers.refused) <= PROMISED
        assert len(older.stored) > 5
        assert not older.failed
        told = Counter(
            [*older.stored, *(name for each in callers.stored.values() for name in each)]
        )
        assert _contents(url) == told
    with empty_database(postgres_url) as url:
        # What an earlier release saved is restored by this one.
        restore(url, tmp_path / "saved", lambda total: None, lambda: None)
        assert migrate(url) == []
        kept = _contents(url)
        assert kept
        assert kept.keys() <= set(older.stored)


def _save(url: str, folder: Path) -> None:
    manifest = save(url, folder, lambda total: None, lambda: None)
    assert manifest.schema < latest_version()


def _contents(url: str) -> Counter[str]:
    with psycopg.connect(url) as conn:
        return Counter(
            name for (name,) in conn.execute("SELECT content FROM everword.messages").fetchall()
        )
