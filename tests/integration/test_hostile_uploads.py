"""Hostile and damaged uploads are read or refused in time; refused files leave no row in any table.

The randomly generated files are the short form of `make test-fuzz-documents`.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest
import pytest_asyncio

from everword_ingest.documents.parsing import parse_document, process
from everword_ingest.documents.parsing.model import ParseLimits
from fuzz.documents import Uploads, run, uploading
from fuzz.files import Upload, samples
from support.callers import make_namespaces
from support.databases import cloned
from support.hostile_files import HOSTILE
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")
FILES = 30
SEED = 20261125


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            await make_namespaces(stack, "hostile")
            yield stack


@pytest.fixture
def uploads(stack: Stack) -> Iterator[Uploads]:
    with uploading(stack, "hostile") as uploads:
        yield uploads


async def test_damaged_files_are_read_or_refused_and_end_nothing_but_their_parser(
    stack: Stack,
) -> None:
    outcome = await run(stack, FILES, SEED, lambda made: None)
    assert outcome.faults == [], f"seed {SEED}: {outcome.faults[:5]}"
    assert outcome.files == FILES
    # Otherwise all files would be refused before anything is parsed.
    read = {name for name, result in outcome.results if result == "READ"}
    assert len(read & set(samples())) >= 6
    assert {result for _, result in outcome.results} >= {"READ", "MALFORMED", "MISNAMED"}


async def test_hostile_files_are_refused_and_leave_no_row(uploads: Uploads) -> None:
    for name, make, reasons in HOSTILE:
        result, faults = await uploads.send(Upload(make(), name, None), f"Hostile {name}")
        assert result in reasons.split(), (name, reasons)
        assert faults == [], (name, reasons)


@pytest.mark.parametrize(
    ("number", "result"), [(signal.SIGKILL, "TOO_LARGE"), (signal.SIGSEGV, "MALFORMED")]
)
async def test_a_parser_that_is_killed_leaves_no_row(
    uploads: Uploads, number: signal.Signals, result: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = f"import os; os.kill(os.getpid(), {int(number)})"
    monkeypatch.setattr(process, "_WORKER", (sys.executable, "-I", "-c", ending))
    assert await uploads.send(Upload(b"words", "a.txt", None), "Killed") == (result, [])


async def test_a_parser_that_takes_too_long_leaves_no_row(
    uploads: Uploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    impatient = replace(ParseLimits(), wall_s=0.3)
    monkeypatch.setattr(parse_document, "__defaults__", (impatient,))
    slow = Upload(b"<html>" + b"<b>x</b>\n" * 900_000, "a.html", None)
    assert await uploads.send(slow, "Slow") == ("TIMED_OUT", [])


async def test_what_is_accepted_leaves_rows(uploads: Uploads) -> None:
    """The row counts do notice an accepted upload."""
    before = uploads.rows.now()
    assert await uploads.send(Upload(b"Some words.", "a.txt", None), "Kept") == ("READ", [])
    after = uploads.rows.now()
    written = {"documents", "document_versions", "document_chunks", "memories", "embedding_queue"}
    assert written <= {table for table, count in after.items() if count > before[table]}
