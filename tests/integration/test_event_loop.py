"""No admitted request blocks the event loop for long, whatever its content."""

from __future__ import annotations

import pytest

from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import memory_pb2 as memory
from everword.v1 import search_service_pb2 as search
from support.calls import append_request, message
from support.loops import longest_step, slowness
from support.stack import Stack

MIB = 1024 * 1024
#: Ten times the usual duration in seconds on an idle machine. Without portions and threads, it was 0.4 to 1.4 s.
LONGEST_S = 0.25


def blocks(count: int, **fields: str) -> memory.NewMessage:
    return message(content_blocks=[memory.ContentBlock(type="t", **fields)] * count)


APPENDS: dict[str, ingest.AppendMessagesRequest] = {
    "blocks": append_request(*[blocks(120)] * 1000),
    "escaped": append_request(*[blocks(1, json="\x01" * (MIB - 200))] * 15),
    "metadata": append_request(
        *[message(metadata={str(number): number for number in range(48)})] * 1000
    ),
}


@pytest.mark.parametrize("name", APPENDS)
async def test_large_append_does_not_block_the_event_loop(stack: Stack, name: str) -> None:
    await stack.ingest.AppendMessages(append_request("What is read once."))
    # Serialise in advance, since this process is the client, too.
    raw = APPENDS[name].SerializeToString()
    call = stack.ingest.AppendMessages
    async with longest_step() as longest:
        answer = await call(ingest.AppendMessagesRequest.FromString(raw))
    assert len(answer.messages) == len(APPENDS[name].messages)
    assert longest[0] / slowness() < LONGEST_S


@pytest.mark.parametrize("unit", ["-", "a -a ", "a OR ", "a ", "學", "😀"])
async def test_long_query_does_not_block_the_event_loop(stack: Stack, unit: str) -> None:
    await stack.ingest.AppendMessages(append_request("Something."))
    await stack.search.Search(search.SearchRequest(query="something"))
    query = unit * (8192 // len(unit.encode()))
    async with longest_step() as longest:
        await stack.search.Search(search.SearchRequest(query=query))
    assert longest[0] / slowness() < LONGEST_S


async def test_large_append_is_stored_unchanged_and_counted_once(stack: Stack) -> None:
    """It is written in portions, which all belong to one append."""
    texts = [f"{number}. " + "a." * 400 for number in range(600)]
    request = append_request(
        *[message(text, author=f"Ann{n % 60}") for n, text in enumerate(texts)]
    )
    answer = await stack.ingest.AppendMessages(request)
    assert [entry.seq for entry in answer.messages] == list(range(1, 601))
    with stack.database.connect() as conn:
        stored = conn.execute("SELECT content FROM messages ORDER BY seq").fetchall()
        assert [content for (content,) in stored] == texts
        passages = conn.execute(
            "SELECT string_agg(content, '' ORDER BY part) FROM memories GROUP BY seq ORDER BY seq"
        ).fetchall()
        assert [content for (content,) in passages] == texts
        [counted] = conn.execute(
            "SELECT sum(messages), sum(turns), sum(passages), sum(content_bytes) FROM corpus_counts"
        ).fetchall()
        [(many,)] = conn.execute("SELECT count(*) FROM memories").fetchall()
        [(highest,)] = conn.execute("SELECT max(id) FROM memories").fetchall()
        names = conn.execute("SELECT count(*) FROM author_names").fetchone()
    assert many > 1000
    assert tuple(map(int, counted)) == (600, 600, many, sum(map(len, texts)))
    assert names == (60,)
    assert highest
    found = await stack.search.Search(
        search.SearchRequest(query="599", at_least_as_fresh=answer.consistency_token)
    )
    assert found.results[0].memory.seq == 600


async def test_append_recognises_existing_external_ids_by_hash(stack: Stack) -> None:
    first = append_request(message("One.", external_id="e", tool_args="a", tool_result="b"))
    await stack.ingest.AppendMessages(first)
    again = await stack.ingest.AppendMessages(first)
    assert [entry.existed for entry in again.messages] == [True]
    with stack.database.connect() as conn:
        assert conn.execute("SELECT count(*) FROM messages").fetchone() == (1,)
