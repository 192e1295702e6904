"""Replaced or deleted text is returned by no RPC except the history, in no mode, from no cache."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from everword.v1 import document_service_pb2 as pb
from support.background import embed_everything
from support.cached_search import warm_up
from support.calls import append
from support.corpus import search_request
from support.databases import cloned
from support.document_calls import history, named, write, write_file
from support.every_read import NOBODY, answers, known_values, read_methods
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

FOUND = {
    *("Search", "Browse", "GetMemory", "BatchGetMemories", "BuildContext", "StreamContext"),
    "ReadAddress",
}
MODES = ("LEXICAL", "SEMANTIC", "HYBRID", "TRIGRAM", "REGEX")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            yield stack


async def who_tells(stack: Stack, token: str, title: str, document_id: str) -> set[str]:
    """Return the names of the RPCs whose answers contain a token."""
    said = await append(stack, f"Is there anything about {title}?", session_key=title)
    chunk = await chunk_id(stack, token) or NOBODY
    known = known_values(token, chunk, said.conversation_id, named=title, document_id=document_id)
    found = await answers(stack, known)
    assert {name.split()[0] for name in found} == {method.name for method in read_methods()}
    return {name.split()[0] for name, answer in found.items() if token in answer}


async def chunk_id(stack: Stack, token: str) -> str:
    """Return the id of a memory that contains a token in the index; empty if none does."""
    with stack.database.connect() as conn:
        row = conn.execute(
            "SELECT source_id::text FROM memories WHERE content LIKE %s", [f"%{token}%"]
        ).fetchone()
    return str(row[0]) if row else ""


async def modes_that_find(stack: Stack, token: str) -> set[str]:
    finding = set[str]()
    for mode in MODES:
        query = token.replace(".", r"\.") if mode == "REGEX" else token
        response = await stack.search.Search(search_request(query, mode))
        if any(token in each.memory.content for each in response.results):
            finding.add(mode)
    return finding


@pytest.mark.parametrize("end", ["replaced", "deleted", "file"])
async def test_replaced_document_text_is_returned_only_by_its_history(
    stack: Stack, end: str
) -> None:
    token = f"planted-{end}-7f3a.rs"
    text = "\n\n".join(
        [
            f"# One\n\nThe owl sees {token}.",
            *(f"## Part {n}\n\nWords of part {n}." for n in range(9)),
        ]
    )
    if end == "file":
        document_id = (await write_file(stack, "MEMORY", text)).file_id
        own = {"GetWorkspaceFile"}
        history_name = "GetWorkspaceFileHistory"
    else:
        document_id = (await write(stack, text, end)).document_id
        own = {"ReadDocument"}
        history_name = "GetDocumentHistory"
    await embed_everything(stack)
    await warm_up(stack)
    assert await modes_that_find(stack, token) == set(MODES)
    assert await who_tells(stack, token, end, document_id) == FOUND | own | {history_name}
    kept = text.replace(f"The owl sees {token}.", "The owl is asleep.")
    if end == "file":
        await write_file(stack, "MEMORY", kept)
    elif end == "replaced":
        await write(stack, kept, end)
    else:
        await stack.documents.DeleteDocument(pb.DeleteDocumentRequest(key=named(end)))
    assert await modes_that_find(stack, token) == set()
    await embed_everything(stack)
    assert await who_tells(stack, token, end, document_id) == {history_name}
    if end != "file":
        assert token in (await history(stack, end))[0].content
    with stack.database.connect() as conn:
        strays = [
            conn.execute(
                f"SELECT count(*) FROM {table} t "
                "WHERE NOT EXISTS (SELECT FROM memories m WHERE m.id = t.memory_id)".encode()
            ).fetchone()
            for table in ("memory_vectors_1", "embedding_queue")
        ]
    assert strays == [(0,), (0,)]
