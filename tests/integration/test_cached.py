"""A namespace in memory is as fresh as the database: it has acknowledged writes and lacks removed memories."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest

from everword.db.generations import Generations, NewGeneration
from everword.v1 import search_service_pb2 as pb
from everword.v1.memory_pb2 import MemoryFilter
from everword_search.cache.cached_namespace import AT_ONCE
from support.background import embed_everything
from support.cached_search import find, searching, warm_up
from support.callers import make_namespaces, within
from support.calls import append, message
from support.compaction import ScriptedComposer, compact_everything
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.memories import remember, remember_within
from support.stack import Stack, running_stack
from support.tool_calls import tool_call, write_pending_sentences
from support.waits import until


@pytest.fixture
async def knowing(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database) as stack:
        yield stack


def transaction(database: DatabaseUnderTest) -> psycopg.Connection:
    return psycopg.connect(database.admin_url, options="-c search_path=everword,public")


async def test_frequently_searched_namespace_is_answered_from_cache(stack: Stack) -> None:
    await append(stack, "The ferry leaves at nine.")
    assert await find(stack, "ferry") == (["The ferry leaves at nine."], False)
    await warm_up(stack)
    assert await find(stack, "ferry") == (["The ferry leaves at nine."], True)
    narrowed = MemoryFilter(authors=[""])
    assert await find(stack, "ferry", filter=narrowed) == (["The ferry leaves at nine."], True)
    # Queries that memory cannot answer go to the database.
    others: list[tuple[str, dict[str, Any]]] = [
        ("fer*", {}),
        ('"ferry leaves"', {}),
        ("ferry -train", {}),
        ("ferry", {"explain": True}),
    ]
    for query, fields in others:
        assert await find(stack, query, **fields) == (["The ferry leaves at nine."], False)


async def test_cached_search_finds_message_right_after_append(stack: Stack) -> None:
    await append(stack, "nothing yet")
    await warm_up(stack)
    for number in range(30):
        await append(stack, f"gauge{number} was read", session_key=f"s{number % 3}")
        assert await find(stack, f"gauge{number}") == ([f"gauge{number} was read"], True)
        found, in_memory = await find(stack, "gauge read", mode="HYBRID", page_size=100)
        assert (len(found), in_memory) == (number + 1, True)


async def test_cached_searches_during_concurrent_appends_miss_nothing(stack: Stack) -> None:
    await append(stack, "nothing yet")
    await warm_up(stack)

    async def write(writer: int) -> None:
        for number in range(20):
            word = f"w{writer}x{number}"
            await append(stack, f"{word} was said", session_key=f"s{writer}")
            found = await stack.search.Search(_lexical(word))
            assert [result.memory.content for result in found.results] == [f"{word} was said"]

    async with asyncio.TaskGroup() as group:
        for writer in range(8):
            group.create_task(write(writer))
    await warm_up(stack)
    found, in_memory = await find(stack, "said", page_size=200)
    assert (len(found), len(set(found)), in_memory) == (160, 160, True)


async def test_cached_search_finds_late_commit_with_smaller_id(stack: Stack) -> None:
    await append(stack, "nothing yet")
    await warm_up(stack)
    with transaction(stack.database) as late:
        await remember_within(late, "NOTE", "The early bird came late.")
        await remember(stack.database, "NOTE", "The worm was caught.")
        assert await find(stack, "worm bird") == (["The worm was caught."], True)
        late.commit()
    assert sorted((await find(stack, "worm bird"))[0]) == [
        "The early bird came late.",
        "The worm was caught.",
    ]
    await warm_up(stack)
    assert len((await find(stack, "worm bird"))[0]) == 2


async def test_cached_search_finds_commit_after_load_with_smaller_id(stack: Stack) -> None:
    """The late passage has a smaller id than all cached passages."""
    with transaction(stack.database) as late:
        await remember_within(late, "NOTE", "The early bird came late.")
        await remember(stack.database, "NOTE", "The worm was caught.")
        await warm_up(stack)
        late.commit()
    assert len((await find(stack, "worm bird"))[0]) == 2
    await warm_up(stack)
    found, in_memory = await find(stack, "worm bird")
    assert (len(found), in_memory) == (2, True)


async def test_cached_search_does_not_find_rolled_back_passages(stack: Stack) -> None:
    await append(stack, "nothing yet")
    await warm_up(stack)
    with transaction(stack.database) as given_up:
        await remember_within(given_up, "NOTE", "The bird never came.")
        given_up.rollback()
    assert await find(stack, "bird") == ([], True)


async def test_passages_over_update_limit_are_found_in_database_until_cached(stack: Stack) -> None:
    await append(stack, "nothing yet")
    await warm_up(stack)
    texts = [f"lighthouse {number}" for number in range(AT_ONCE + 50)]
    for start in range(0, len(texts), 50):
        await append(stack, *texts[start : start + 50])
    assert await find(stack, f"{AT_ONCE + 49}") == ([texts[-1]], False)
    await warm_up(stack)
    assert await find(stack, f"{AT_ONCE + 49}") == ([texts[-1]], True)


async def test_cached_search_uses_vectors_stored_after_load(knowing: Stack) -> None:
    await append(knowing, "Lea cannot stand mushrooms.")
    await embed_everything(knowing)
    await warm_up(knowing)
    await append(knowing, "Our cat Miso sleeps on the radiator all winter.")
    pets = "Which pets do we have?"
    assert (await find(knowing, pets, "SEMANTIC"))[1]
    await embed_everything(knowing)
    found, in_memory = await find(knowing, pets, "SEMANTIC")
    assert (found[0][:11], in_memory) == ("Our cat Mis", True)


async def test_deleted_passages_leave_cache_and_cache_recovers(stack: Stack) -> None:
    stored = await append(stack, tool_call("a.py"), tool_call("b.py"), message("Words of a.py."))
    await write_pending_sentences(stack)
    await warm_up(stack)
    before, in_memory = await find(stack, "called")
    assert (len(before), in_memory) == (2, True)
    with stack.database.connect() as conn:
        conn.execute("SELECT set_config('everword.namespace_id', '1', false)")
        conn.execute(
            "SELECT drop_derived_passages(1, %s::uuid[])", [[stored.messages[0].message_id]]
        )
    after, _ = await find(stack, "called")
    assert len(after) == 1
    await warm_up(stack)
    again, in_memory = await find(stack, "called")
    assert (again, in_memory) == (after, True)


async def test_cached_search_returns_rewritten_summaries_only(stack: Stack) -> None:
    await append(stack, *(f"Message number {n} of many." for n in range(10)))
    await compact_everything(stack, ScriptedComposer())
    await warm_up(stack)
    assert await find(stack, "scripted 1") == await find(stack, "scripted 1")
    await append(stack, "Something more.")
    await compact_everything(stack, ScriptedComposer(version=2))
    for _ in range(2):
        found, _ = await find(stack, "scripted level")
        assert found
        assert all(text.startswith("scripted 2") for text in found)
        await warm_up(stack)


async def test_cached_search_works_after_switch_of_model_generation(knowing: Stack) -> None:
    await append(knowing, "Our cat Miso sleeps on the radiator.", "Lea is vegetarian.")
    await embed_everything(knowing)
    await warm_up(knowing)
    generations = Generations(knowing.database.admin_url)
    new = NewGeneration("local", "all-MiniLM-L6-v2", 256, matryoshka=True)
    added = await asyncio.to_thread(generations.add, new)
    await embed_everything(knowing)
    await asyncio.to_thread(generations.switch, added)
    for _ in range(2):
        found, _ = await find(knowing, "Which pets do we have?", "SEMANTIC")
        assert found[0].startswith("Our cat")
        await warm_up(knowing)
    assert (await find(knowing, "Which pets do we have?", "SEMANTIC"))[1]


async def test_namespace_with_passages_without_ranking_is_not_cached(stack: Stack) -> None:
    await append(stack, "The ferry leaves at nine.")
    async with searching(stack) as search:
        await search.often()
        assert search.holds()
        await append(stack, "The ferry is late.")
        with stack.database.connect() as conn:
            conn.execute("UPDATE memories SET ranking = NULL WHERE content LIKE '%late%'")
        assert len(await search.contents("ferry")) == 2
        await search.loaded()
        assert not search.holds()
        await search.often()
        assert not search.holds()
        assert len(await search.contents("ferry")) == 2


async def test_cached_search_returns_only_results_of_its_namespace(stack: Stack) -> None:
    await make_namespaces(stack, "ours", "theirs")
    names = ("ours", "theirs")
    for name in names:
        await append(stack, f"The ferry of {name} leaves.", metadata=within(name))
        await warm_up(stack, within(name))
    for round_ in range(3):
        for name in names:
            text = f"Another ferry {round_} of {name}."
            await append(stack, text, metadata=within(name))
            for mode in ("LEXICAL", "HYBRID"):
                found, in_memory = await find(stack, "ferry", mode, within(name), page_size=100)
                assert in_memory
                assert len(found) == round_ + 2
                assert all(name in text for text in found)


async def test_cached_search_works_without_pgvector(
    knowing: Stack,
) -> None:
    await append(knowing, "Our cat Miso sleeps on the radiator.", "Lea is vegetarian.")
    await embed_everything(knowing)
    with knowing.database.connect() as conn:
        conn.execute(
            """
            DROP VIEW visible_vectors_1;
            CREATE TABLE kept AS SELECT namespace_id, memory_id, embedding::real[] AS embedding FROM memory_vectors_1;
            DROP TABLE memory_vectors_1;
            DROP EXTENSION vector;
            SELECT create_vector_table(1);
            INSERT INTO memory_vectors_1 SELECT * FROM kept;
            """
        )
    await warm_up(knowing)
    for _ in range(4):
        found, in_memory = await find(knowing, "Which pets do we have?", "HYBRID")
        assert (found[0][:7], in_memory) == ("Our cat", True)


async def test_namespace_with_many_passages_without_vectors_is_cached(stack: Stack) -> None:
    """No worker makes vectors here, and calls without words never get any."""
    calls = [tool_call(f"file{number}.py") for number in range(1050)]
    for start in range(0, len(calls), 50):
        await append(stack, *calls[start : start + 50])
    await until(lambda: _held(stack), 15)


async def _held(stack: Stack) -> bool:
    return (await find(stack, "anything"))[1]


def _lexical(query: str) -> pb.SearchRequest:
    return search_request(query, "LEXICAL", page_size=50)
