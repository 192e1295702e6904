"""`make test-fuzz-documents`: uploads damaged files of each format, and reports the outcome."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import grpc
import psutil
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from everword.embedded.ports import free_ports
from everword.embedded.postgres import EmbeddedPostgres
from everword_ingest.documents import prepare
from everword_ingest.documents.parsing import Chunk, ParsedDocument, Unreadable, chunk_document
from everword_ingest.documents.parsing.decoder import clean
from fuzz.files import Upload, draw_upload
from support.callers import make_namespaces, within
from support.databases import DatabaseUnderTest, cloned, prepare_template
from support.document_calls import upload_requests
from support.refusals import read_refusal
from support.row_counts import RowCounts, changed
from support.stack import Stack, running_stack

#: A file waits for those of other callers, each of which may take its parser's whole time limit.
DEADLINE_S = 200.0
#: CPU seconds for chunking files of this size.
CUTTING_S = 3.0
CALLERS = 4
GROWTH_MB = 60
#: Share of the files before memory is first measured.
WARM_UP = 0.2
#: Status codes with which a file may be refused.
REFUSALS = (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED)


@dataclass
class Outcome:
    """Outcome of a run."""

    seed: int
    files: int = 0
    #: By file name, and `READ` or the reason of the refusal.
    results: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: Violations, with the number of the file.
    faults: list[str] = field(default_factory=list)
    #: Exit statuses of parsers without an answer.
    deaths: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0
    memory_mb: tuple[float, float] = (0.0, 0.0)


class Uploads:
    """Uploads files into a namespace one by one, and checks that refused files leave no rows."""

    def __init__(self, stack: Stack, namespace: str) -> None:
        self._stack = stack
        self._namespace = namespace
        self.rows = RowCounts(stack, namespace)
        self._known = self.rows.now()

    async def send(self, file: Upload, title: str) -> tuple[str, list[str]]:
        """Return `READ` or the reason of the refusal, and the violations."""
        result, faults = await self._send(file, title)
        before, self._known = self._known, self.rows.now()
        if result != "READ" and (left := changed(before, self._known)):
            faults.append(f"{result} left rows: {left}")
        return result, faults

    async def _send(self, file: Upload, title: str) -> tuple[str, list[str]]:
        requests = upload_requests(file.data, title, file.name, media_type=file.media_type or "")
        try:
            await self._stack.documents.UploadDocument(
                requests, timeout=DEADLINE_S, metadata=within(self._namespace)
            )
        except grpc.aio.AioRpcError as error:
            return _read_refusal(error)
        return "READ", []


@contextmanager
def uploading(stack: Stack, namespace: str) -> Iterator[Uploads]:
    """Yield the uploads of a namespace."""
    uploads = Uploads(stack, namespace)
    try:
        yield uploads
    finally:
        uploads.rows.close()


def _read_refusal(error: grpc.aio.AioRpcError) -> tuple[str, list[str]]:
    try:
        refusal = read_refusal(error)
    except AssertionError as wrong:
        return "FAULT", [f"{error.code()} {error.details()}: {wrong}"[:300]]
    problem = refusal.metadata.get("problem", refusal.reason)
    faults = []
    if refusal.code not in REFUSALS:
        faults.append(f"{refusal.code} {refusal.message}"[:300])
    if refusal.reason == "DOCUMENT_UNREADABLE" and (
        problem not in set(Unreadable)
        or not 10 < len(refusal.message) < 200
        or "/" in refusal.message
    ):
        faults.append(f"{problem}: {refusal.message}"[:300])
    return problem, faults


async def run(stack: Stack, count: int, seed: int, progress: Callable[[int], None]) -> Outcome:
    """Upload files. For a seed, the file of a number is the same in each run."""
    outcome = Outcome(seed)
    numbers = iter(range(count))
    callers = [f"uploads-{seed}-{number}" for number in range(CALLERS)]
    # Create all namespaces first, since their table is compared, too.
    await make_namespaces(stack, *callers)

    async def call(uploads: Uploads) -> None:
        for number in numbers:
            file = draw_upload(random.Random(f"{seed} {number}"))
            began = time.monotonic()
            result, faults = await uploads.send(file, f"File {number}")
            outcome.slowest_s = max(outcome.slowest_s, time.monotonic() - began)
            outcome.faults += [f"{number} ({file.name}): {fault}" for fault in faults]
            outcome.results[file.name, result] += 1
            outcome.files += 1
            if outcome.files == max(int(count * WARM_UP), 1):
                outcome.memory_mb = (_memory_mb(), 0.0)
            progress(outcome.files)

    with ExitStack() as resources:
        resources.enter_context(_watching(outcome))
        senders = [resources.enter_context(uploading(stack, each)) for each in callers]
        await asyncio.gather(*(call(sender) for sender in senders))
    outcome.memory_mb = (outcome.memory_mb[0], _memory_mb())
    left = [child for child in psutil.Process().children() if "parsing.worker" in str(child)]
    if left:
        outcome.faults.append(f"{len(left)} parsers are left")
    return outcome


@contextmanager
def _watching(outcome: Outcome) -> Iterator[None]:
    """Record chunking and abnormal ends of parsers while the block lasts."""

    def cut(parsed: ParsedDocument) -> list[Chunk]:
        began = time.thread_time()
        chunks = chunk_document(parsed)
        took_s = time.thread_time() - began
        faults = _check(parsed, chunks, took_s)
        outcome.faults += [f"near {outcome.files}: {fault}" for fault in faults]
        return chunks

    listener = _Deaths(outcome)
    log = logging.getLogger("everword_ingest.documents.parsing.process")
    log.addHandler(listener)
    try:
        with patch.object(prepare, "chunk_document", cut):
            yield
    finally:
        log.removeHandler(listener)


def _check(parsed: ParsedDocument, chunks: Sequence[Chunk], took_s: float) -> list[str]:
    """Return the violations in a parsed document and its chunks."""
    faults = []
    if clean(parsed.text) != parsed.text or "\0" in f"{parsed.title}{parsed.sections}":
        faults.append("control characters")
    if took_s > CUTTING_S:
        faults.append(f"cutting took {took_s:.0f} s")
    held = "".join(chunk.content for chunk in chunks)
    if len(held) < sum(len("".join(section.text.split())) for section in parsed.sections):
        faults.append("text was lost")
    if not all(chunk.content.strip() for chunk in chunks):
        faults.append("a chunk is empty")
    return faults


class _Deaths(logging.Handler):
    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self._outcome = outcome

    def emit(self, record: logging.LogRecord) -> None:
        self._outcome.deaths[str(record.__dict__.get("exit_code"))] += 1


def _memory_mb() -> float:
    return float(psutil.Process().memory_info().rss) / 1e6


def main() -> None:
    options = argparse.ArgumentParser(prog="fuzz.documents", description=__doc__)
    options.add_argument("--files", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--json", type=Path, help="file to write what came of it to")
    given = options.parse_args()
    print(f"seed {given.seed}")
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("uploading", total=given.files)
        outcome = _run_alone(
            given.files, given.seed, lambda made: progress.update(task, completed=made)
        )
    Console().print(_table(outcome))
    for fault in outcome.faults[:40]:
        print(fault)
    first, last = outcome.memory_mb
    print(f"parsers that ended by {dict(outcome.deaths)}, slowest {outcome.slowest_s:.1f} s")
    print(f"memory {first:.0f} MB, then {last:.0f} MB")
    if given.json:
        results = {f"{name} {result}": n for (name, result), n in outcome.results.items()}
        summary = {"seed": outcome.seed, "results": results, "faults": outcome.faults}
        given.json.write_text(json.dumps(summary, indent=1) + "\n")
    sys.exit(1 if outcome.faults or last - first > GROWTH_MB else 0)


def _run_alone(count: int, seed: int, progress: Callable[[int], None]) -> Outcome:
    """Upload files to services with a temporary database."""

    async def upload_to(database: DatabaseUnderTest) -> Outcome:
        async with running_stack(database, embedder=False) as stack:
            return await run(stack, count, seed, progress)

    with tempfile.TemporaryDirectory() as folder:
        # PostgreSQL's user must be able to traverse the folder.
        Path(folder).chmod(0o711)
        server = EmbeddedPostgres(Path(folder) / "postgres", free_ports(1)[0], durable=False)
        with server.running():
            prepare_template(server.admin_url)
            with cloned(server.admin_url) as database:
                return asyncio.run(upload_to(database))


def _table(outcome: Outcome) -> Table:
    results = sorted({result for _, result in outcome.results})
    table = Table("file", *results)
    for name in sorted({name for name, _ in outcome.results}):
        table.add_row(name, *(str(outcome.results[name, result] or "") for result in results))
    return table


if __name__ == "__main__":
    main()
