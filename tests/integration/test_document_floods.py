"""A document of a megabyte takes CPU time according to its length, and does not delay other callers.

With more texts and all RPCs: `make test-floods`.
"""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from uuid import uuid4

import grpc
import pytest
import pytest_asyncio

from everword.v1 import document_service_pb2 as pb
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import note_pb2
from everword.v1 import note_service_pb2 as notes
from support import calls
from support.callers import make_namespaces, within
from support.databases import cloned
from support.document_calls import append, new_document, read, write
from support.heavy_texts import CROWDED_TEXTS, HEAVY_TEXTS, prose
from support.loops import longest_step, slowness
from support.refusals import refused
from support.stack import Stack, running_stack

# Slow: all tests of the file together, which one process runs.
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]
INVALID = grpc.StatusCode.INVALID_ARGUMENT
MIB = 1024 * 1024
#: Ten times the usual duration on an idle machine. Before the fix, it was 16 s.
LONGEST_STEP_S = 0.5
#: Maximum ratio of a text's CPU time to the CPU time of prose. Before the fix, it was seven to ten.
MOST_TIMES = 4


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            await make_namespaces(stack, "neighbour")
            await write(stack, prose(100_000), "Loads what is loaded once")
            yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def usual_s(stack: Stack) -> float:
    """CPU time of a megabyte of prose."""
    return await cpu_s(lambda: write(stack, prose(MIB), "Usual prose"))


async def cpu_s(work: Callable[[], Awaitable[object]]) -> float:
    """Return the CPU time of this process, which runs the services, and of its parser processes."""

    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    begun = used()
    await work()
    return used() - begun


def writing(content: str, title: str) -> pb.WriteDocumentRequest:
    """Return a serialised request, so that encoding it in this process is not measured."""
    request = pb.WriteDocumentRequest(document=new_document(title), content=content)
    return pb.WriteDocumentRequest.FromString(request.SerializeToString())


async def appends_beside(stack: Stack, work: Awaitable[object]) -> int:
    """Return the number of consecutive appends of another tenant while `work` lasted."""
    working = asyncio.ensure_future(work)
    made = 0
    while not working.done():
        await calls.append(stack, f"Tide {made}.", metadata=within("neighbour"))
        made += 1
    await working
    return made


@pytest.mark.parametrize("name", ["- a\\n", "link targets", "sections"])
async def test_heavy_document_costs_about_as_much_as_prose_and_blocks_no_caller(
    stack: Stack, name: str
) -> None:
    heavy = writing(HEAVY_TEXTS[name](MIB), f"Heavy {name}")
    async with longest_step() as longest:
        assert await appends_beside(stack, stack.documents.WriteDocument(heavy)) >= 5
    assert longest[0] / slowness() < LONGEST_STEP_S
    assert await cost_of(stack, HEAVY_TEXTS[name]) < MOST_TIMES


async def cost_of(stack: Stack, text: Callable[[int], str]) -> float:
    """Return how many times the CPU time of prose a text takes, half a second of other work not counted.

    A ratio over the limit is measured once more, since other work of this process takes CPU time too.
    """

    async def written(make: Callable[[int], str]) -> float:
        request = writing(make(MIB), f"Document {uuid4()}")
        return await cpu_s(lambda: stack.documents.WriteDocument(request))

    usual, heavy = await written(prose), await written(text)
    if heavy - 0.5 > MOST_TIMES * usual:
        usual, heavy = await written(prose), await written(text)
    return (heavy - 0.5) / usual


@pytest.mark.parametrize("name", CROWDED_TEXTS)
async def test_document_with_too_many_sections_is_refused_early(
    stack: Stack, usual_s: float, name: str
) -> None:
    request = writing(CROWDED_TEXTS[name](MIB), f"Crowded {name}")

    async def call() -> None:
        refusal = await refused(stack.documents.WriteDocument(request))
        assert (refusal.code, refusal.reason) == (INVALID, "DOCUMENT_UNREADABLE")
        assert refusal.metadata["problem"] == "TOO_LARGE"

    async with longest_step() as longest:
        # Before the fix, it was 65 s.
        assert await cpu_s(call) < 3 * usual_s + 0.5
    assert longest[0] / slowness() < LONGEST_STEP_S


async def test_append_to_document_keeps_all_but_its_last_chunks(stack: Stack) -> None:
    text = prose(400_000)
    written = await write(stack, text, "Logbook")

    def chunks() -> dict[str, int]:
        with stack.database.connect() as conn:
            rows = conn.execute(
                "SELECT id::text, place FROM document_chunks WHERE document_id = %s",
                [written.document_id],
            ).fetchall()
        return dict(rows)

    before = chunks()
    added = prose(3000)
    appended = await append(stack, added, "Logbook")
    after = chunks()
    assert appended.chunk_count == len(after) >= len(before) > 100
    assert len(before.items() - after.items()) <= 2
    assert await read(stack, "Logbook") == f"{text}\n{added}"


async def test_concurrent_appends_to_a_long_document_block_no_caller(stack: Stack) -> None:
    await write(stack, "- a\n" * 40_000, "Minutes")
    lines = [f"Resolution number {n}." for n in range(12)]
    many = asyncio.gather(*(append(stack, line, "Minutes") for line in lines))
    assert await appends_beside(stack, many) >= len(lines)
    text = await read(stack, "Minutes")
    assert sorted(text.splitlines()[-len(lines) :]) == sorted(lines)


@pytest.mark.parametrize("name", ["1 ", "/a/b.c "])
async def test_heavy_notes_and_messages_block_no_caller(stack: Stack, name: str) -> None:
    note = notes.WriteNoteRequest(note=note_pb2.NewNote(content=HEAVY_TEXTS[name](60_000)))
    messages = calls.append_request(*[HEAVY_TEXTS[name](MIB)] * 2, session_key=name)
    note = notes.WriteNoteRequest.FromString(note.SerializeToString())
    async with longest_step() as longest:
        await appends_beside(stack, stack.notes.WriteNote(note))
    assert longest[0] / slowness() < LONGEST_STEP_S
    messages = ingest.AppendMessagesRequest.FromString(messages.SerializeToString())
    async with longest_step() as longest:
        await appends_beside(stack, stack.ingest.AppendMessages(messages))
    assert longest[0] / slowness() < LONGEST_STEP_S


async def test_document_just_below_the_section_limit_is_stored(stack: Stack) -> None:
    text = "".join(f"# h{n}\n\nword{n}\n\n" for n in range(9_900))
    written = await write(stack, text, "Nearly too much")
    assert written.chunk_count == 9_900
    refusal = await refused(write(stack, text + "# h\n\nword\n\n" * 200, "Too much"))
    assert (refusal.code, refusal.reason) == (INVALID, "DOCUMENT_UNREADABLE")
