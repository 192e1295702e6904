"""Concurrent erasures and writes of the same memory wait for each other, and neither fails with INTERNAL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import psycopg
import pytest
import pytest_asyncio
from google.protobuf.struct_pb2 import Struct

from everword.domain.ids import new_id
from everword.v1 import erasure_service_pb2 as pb
from everword.v1 import fact_pb2
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import pattern_service_pb2 as patterns
from support.calls import append
from support.databases import cloned
from support.document_calls import write as write_document
from support.erasable_data import write_everything
from support.erasure_checks import count, erase
from support.erasure_planted import plant
from support.lore import entry, write_book, write_entry
from support.notes import write as write_note
from support.refusals import refused
from support.stack import Stack, running_stack
from support.waits import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOKEN = "zqrace9k"
#: Tables of targets, each with a referring table and its column.
REFERENCES = [
    ("facts", "fact_evidence", "fact_id"),
    ("facts", "fact_intervals", "fact_id"),
    ("graph_nodes", "graph_edges", "from_id"),
    ("graph_nodes", "graph_names", "node_id"),
    ("notes", "note_versions", "note_id"),
    ("documents", "document_versions", "document_id"),
    ("documents", "document_chunks", "document_id"),
    ("lore_books", "lore_entries", "book_id"),
    ("patterns", "pattern_outcomes", "pattern_id"),
    ("messages", "summary_sources", "message_id"),
    ("conversations", "checkpoints", "conversation_id"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            await plant(stack, TOKEN)
            await write_everything(stack, TOKEN)
            data = Struct()
            data.update({"account": TOKEN})
            record = patterns.RecordPatternRequest(entity=TOKEN, type="account", data=data)
            await stack.patterns.RecordPattern(record)
            yield stack


def rewrite(conn: psycopg.Connection, table: str, column: str, target: str) -> None:
    """Replace the rows that refer to a target by equal rows, which are invisible to a running statement."""
    for statement in (
        f"CREATE TEMPORARY TABLE rewritten ON COMMIT DROP AS SELECT * FROM {table} WHERE {column} = %s",
        f"DELETE FROM {table} WHERE {column} = %s",
    ):
        conn.execute(statement.encode(), [target])
    conn.execute(f"INSERT INTO {table} SELECT * FROM rewritten".encode())


def waiting_for_locks(stack: Stack) -> int:
    """Return the number of calls of ingest that wait for a lock."""
    query = (
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'everword-ingest'"
    )
    return count(stack, query)


async def test_erase_during_an_uncommitted_write_deletes_the_written_rows(stack: Stack) -> None:
    # In this order, since erasing messages and facts deletes rows of the tables before them.
    for targets, table, column in REFERENCES:
        await erase_beside_a_write(stack, targets, table, column)


async def erase_beside_a_write(stack: Stack, targets: str, table: str, column: str) -> None:
    with stack.database.connect() as conn:
        row = conn.execute(
            f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY 1 LIMIT 1".encode()
        ).fetchone()
        assert row, f"no row of {table} refers to {targets}"
        target = str(row[0])
        with conn.transaction():
            rewrite(conn, table, column, target)
            erasing = asyncio.ensure_future(erase(stack, memory_id=target))
            await until(lambda: erasing.done() or waiting_for_locks(stack) > 0)
            assert not erasing.done(), f"erasing {targets} does not wait for {table}"
    await erasing
    assert count(stack, f"SELECT count(*) FROM {targets} WHERE id = %s", target) == 0, targets
    assert count(stack, f"SELECT count(*) FROM {table} WHERE {column} = %s", target) == 0, table


@dataclass(frozen=True)
class RaceData:
    """Memories of one test, with unique names."""

    stack: Stack
    name: str
    message_id: str

    async def pattern(self) -> str:
        data = Struct()
        data.update({"account": "6640"})
        record = patterns.RecordPatternRequest(entity=self.name, type="account", data=data)
        return (await self.stack.patterns.RecordPattern(record)).pattern.id

    async def fact(self) -> str:
        return (await self.remember("")).fact.id

    async def note(self) -> str:
        return (await write_note(self.stack, "Once.", self.name)).note_id

    async def document(self) -> str:
        return (await write_document(self.stack, "Once.", self.name)).document_id

    async def book(self) -> str:
        return await write_book(self.stack, self.name)

    def remember(self, _: str) -> Awaitable[facts.RememberResponse]:
        evidence = [fact_pb2.NewEvidence(message_id=self.message_id)]
        request = facts.RememberRequest(
            subject=self.name, attribute="role", value="cook", evidence=evidence
        )
        return self.stack.facts.Remember(request)

    def correct(self, id_: str) -> Awaitable[object]:
        return self.stack.facts.CorrectFact(facts.CorrectFactRequest(fact_id=id_, value="baker"))

    def confirm(self, id_: str) -> Awaitable[object]:
        return self.stack.facts.ConfirmFact(facts.ConfirmFactRequest(fact_id=id_))

    def close(self, id_: str) -> Awaitable[object]:
        return self.stack.facts.CloseFact(facts.CloseFactRequest(fact_id=id_))

    def record_outcome(self, id_: str) -> Awaitable[object]:
        request = patterns.RecordOutcomeRequest(pattern_id=id_, agreed=True)
        return self.stack.patterns.RecordOutcome(request)

    def write_again(self, _: str) -> Awaitable[object]:
        return write_note(self.stack, "Twice.", self.name)

    def write_document_again(self, _: str) -> Awaitable[object]:
        return write_document(self.stack, "Twice.", self.name)

    def write_entry(self, id_: str) -> Awaitable[object]:
        return write_entry(self.stack, id_, entry("Gate", "The gate stands open.", "gate"))


#: Concurrent writes to an erased memory: kind, the memory, the write, and its error; "" if it succeeds.
WRITES = [
    (pb.ERASURE_KIND_PATTERN, RaceData.pattern, RaceData.record_outcome, "CONCURRENT_UPDATE"),
    (pb.ERASURE_KIND_FACT, RaceData.fact, RaceData.remember, "CONCURRENT_UPDATE"),
    (pb.ERASURE_KIND_FACT, RaceData.fact, RaceData.correct, "CONCURRENT_UPDATE"),
    (pb.ERASURE_KIND_FACT, RaceData.fact, RaceData.confirm, "CONCURRENT_UPDATE"),
    (pb.ERASURE_KIND_FACT, RaceData.fact, RaceData.close, "CONCURRENT_UPDATE"),
    (pb.ERASURE_KIND_NOTE, RaceData.note, RaceData.write_again, ""),
    (pb.ERASURE_KIND_DOCUMENT, RaceData.document, RaceData.write_document_again, ""),
    (pb.ERASURE_KIND_LORE_BOOK, RaceData.book, RaceData.write_entry, "LORE_BOOK_NOT_FOUND"),
]


@pytest.mark.parametrize(
    ("kind", "make", "write", "reason"), WRITES, ids=[write[2].__name__ for write in WRITES]
)
async def test_write_during_an_uncommitted_erasure_waits_for_it(
    stack: Stack,
    kind: pb.ErasureKind.ValueType,
    make: Callable[[RaceData], Awaitable[str]],
    write: Callable[[RaceData, str], Awaitable[object]],
    reason: str,
) -> None:
    said = await append(stack, "Hello.", session_key=write.__name__)
    written = RaceData(stack, write.__name__, said.messages[0].message_id)
    id_ = await make(written)
    with stack.database.connect() as conn, conn.transaction():
        conn.execute("SELECT set_config('everword.namespace_id', '1', true)")
        begin = "SELECT begin_erasure(1, %s, %s::smallint, %s, NULL, 'test', 99)"
        conn.execute(begin, [new_id(), int(kind), id_])
        writing = asyncio.ensure_future(write(written, id_))
        await until(lambda: writing.done() or waiting_for_locks(stack) > 0)
        assert not writing.done()
    if reason:
        assert (await refused(writing)).reason == reason
    else:
        await writing
