"""Authors' names: stored by appends, and removed from queries before embedding."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from everword.db.generations import Generations, NewGeneration
from everword.v1 import admin_service_pb2, context_service_pb2, ingest_service_pb2
from support.background import embed_everything
from support.callers import make_namespaces, within
from support.calls import append, message, target
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.scripted_embedder import ScriptedEmbedder
from support.stack import Stack, running_stack
from support.waits import until


def known_names(stack: Stack, namespace: str = "default") -> list[str]:
    with stack.database.connect() as conn:
        rows = conn.execute(
            "SELECT a.name FROM author_names a JOIN namespaces n ON n.id = a.namespace_id "
            "WHERE n.name = %s ORDER BY a.name",
            [namespace],
        ).fetchall()
    return [name for (name,) in rows]


# Appends


async def test_append_stores_each_word_of_author_names(stack: Stack) -> None:
    await append(
        stack,
        message("Hello.", author="Mary-Jane O'Brien"),
        message("Olá.", author="INÉS 2"),
        message("你好。", author="田中"),
        message("Hm.", author="mary"),
        "Somebody without a name.",
    )
    assert known_names(stack) == ["brien", "inés", "jane", "mary", "田中"]


async def test_roles_are_not_stored_as_author_names(stack: Stack) -> None:
    roles = ("user", "Assistant", "SYSTEM", "tool", "human", "AI", "bot")
    await append(stack, *(message("Hello.", author=role) for role in roles))
    assert known_names(stack) == []


async def test_repeated_author_names_are_stored_once(stack: Stack) -> None:
    for number in range(3):
        said = [message("Hello.", author=author) for author in ("Ana", "Ben", "Ana")]
        await append(stack, *said, session_key=str(number))
    assert known_names(stack) == ["ana", "ben"]


async def test_concurrent_appends_with_same_new_names_do_not_deadlock(
    stack: Stack,
) -> None:
    """The first name of one is the last of the other: without a common order, they would deadlock."""

    def waiting() -> bool:
        found = owner.execute("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
        return found.fetchone() == (2,)

    with stack.database.connect() as owner, stack.database.connect() as holder:
        with holder.transaction(force_rollback=True):
            holder.execute("INSERT INTO author_names VALUES (1, 'mel')")
            appends = [
                asyncio.create_task(
                    append(
                        stack,
                        *(message("Hello.", author=author) for author in authors),
                        session_key=authors[0],
                    )
                )
                for authors in (("Ana", "Mel", "Zoe"), ("Zoe", "Mel", "Ana"))
            ]
            await until(waiting)
        await asyncio.gather(*appends)
    assert known_names(stack) == ["ana", "mel", "zoe"]


async def test_authors_in_unindexed_channels_are_not_stored_as_names(stack: Stack) -> None:
    with stack.database.connect() as conn:
        conn.execute("""UPDATE namespaces SET channel_policies = '{"discord": {"index": false}}'""")
    hidden = ingest_service_pb2.AppendMessagesRequest(
        conversation=target("s", channel="discord"), messages=[message("Hello.", author="Ana")]
    )
    await stack.ingest.AppendMessages(hidden)
    assert known_names(stack) == []


async def test_names_are_erased_with_their_namespace(stack: Stack) -> None:
    await make_namespaces(stack, "theirs")
    for namespace, author in (("default", "Ana"), ("theirs", "Ben")):
        await append(stack, message("Hello.", author=author), metadata=within(namespace))
    await stack.admin.DeleteNamespace(admin_service_pb2.DeleteNamespaceRequest(name="theirs"))
    assert (known_names(stack), known_names(stack, "theirs")) == (["ana"], [])
    with stack.database.connect() as conn:
        assert conn.execute("SELECT count(*) FROM author_names").fetchone() == (1,)


# Embedding of queries


@pytest.fixture
def model() -> Iterator[ScriptedEmbedder]:
    with ScriptedEmbedder().running() as model:
        yield model


@pytest.fixture
async def knowing(database: DatabaseUnderTest, model: ScriptedEmbedder) -> AsyncIterator[Stack]:
    """A stack that embeds with `model`, with messages by Caroline and Mel O'Brien."""
    async with running_stack(database) as stack:
        generations = Generations(database.admin_url)
        new = NewGeneration("openai", model.model, model.dimensions, endpoint=model.url)
        added = await asyncio.to_thread(generations.add, new)
        await append(
            stack,
            message("I adopted a dog.", author="Caroline"),
            message("How lovely!", author="Mel O'Brien"),
        )
        await embed_everything(stack)
        await asyncio.to_thread(generations.switch, added)
        yield stack


async def test_passages_are_embedded_without_author_and_time(
    knowing: Stack, model: ScriptedEmbedder
) -> None:
    embedded = {text for texts in model.texts for text in texts}
    assert {"I adopted a dog.", "How lovely!"} <= embedded
    assert not any("Caroline" in text or "202" in text for text in embedded)


@pytest.mark.parametrize("mode", ["HYBRID", "SEMANTIC"])
@pytest.mark.parametrize(
    ("query", "embedded"),
    [
        ("What did Caroline adopt?", "What did adopt?"),
        ("What is CAROLINE’s dog called?", "What is dog called?"),
        ("What did Mel tell O'Brien's dog?", "What did tell dog?"),
        ("Who carolines  at home?", "Who carolines  at home?"),
        ("Caroline", "Caroline"),
    ],
)
async def test_query_is_embedded_without_author_names(
    knowing: Stack, model: ScriptedEmbedder, mode: str, query: str, embedded: str
) -> None:
    model.requests.clear()
    await knowing.search.Search(search_request(query, mode))
    assert model.texts == [[embedded]]


async def test_query_keeps_author_names_of_other_namespaces(
    knowing: Stack, model: ScriptedEmbedder
) -> None:
    await make_namespaces(knowing, "theirs")
    await append(knowing, "I adopted a dog.", metadata=within("theirs"))
    model.requests.clear()
    request = search_request("What did Caroline adopt?", "SEMANTIC")
    await knowing.search.Search(request, metadata=within("theirs"))
    assert model.texts == [["What did Caroline adopt?"]]


async def test_context_query_is_embedded_without_author_names(
    knowing: Stack, model: ScriptedEmbedder
) -> None:
    model.requests.clear()
    request = context_service_pb2.BuildContextRequest(query="What did Caroline adopt?")
    await knowing.context.BuildContext(request)
    assert model.texts == [["What did adopt?"]]
