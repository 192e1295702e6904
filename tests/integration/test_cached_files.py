"""Large namespaces are searched from files, and where there is no room for those the database answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from everword.domain.settings import NO_SECRET
from everword_search.cache import namespace_cache, storage
from everword_search.cache.namespace_cache import IDLE_S
from everword_search.model import PageRequest, SearchMode, SearchResponse
from everword_search.query_embedder import QueryEmbedder
from support.background import embed_everything
from support.cached import check_same, count_as_large, searching
from support.cached_passages import disk_bytes, full_disk, mapped_bytes, open_files
from support.callers import make_namespaces, within
from support.calls import append
from support.stack import Stack
from support.waiting import until

#: More passages than these count as many here.
MANY = 20
PLENTY = 64 << 20


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    count_as_large(monkeypatch, MANY)


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has no more reserved than is needed, so that every append needs some."""
    monkeypatch.setattr(storage, "_STEP_BYTES", 1)
    monkeypatch.setattr(storage, "_GROWTH", 1 << 40)


def ferries(count: int, first: int = 0) -> list[str]:
    return [f"The ferry {number} leaves at nine." for number in range(first, first + count)]


async def fill(stack: Stack, **counts: int) -> list[int]:
    """Make namespaces of so many passages, and return their ids."""
    await make_namespaces(stack, *counts)
    for name, count in counts.items():
        await append(stack, *ferries(count), metadata=within(name))
    with stack.database.connect() as conn:
        ids: dict[str, int] = dict(conn.execute("SELECT name, id FROM namespaces").fetchall())
    return [ids[name] for name in counts]


def reasons(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return why namespaces were not kept, as the log says."""
    return [record.__dict__["reason"] for record in caplog.records if "reason" in record.__dict__]


async def test_a_large_namespace_is_kept_in_a_file_and_a_small_one_is_not(
    stack: Stack, tmp_path: Path
) -> None:
    small, large = await fill(stack, small=MANY, large=MANY + 1)
    async with searching(stack, folder=str(tmp_path)) as search:
        await search.often(small)
        assert search.holds(small)
        assert open_files(tmp_path) == []
        await search.often(large)
        assert search.holds(large)
        assert open_files(tmp_path)
        assert disk_bytes(tmp_path) > 0
    async with searching(stack, 0, folder=str(tmp_path)) as nothing:
        for id_ in (small, large):
            await nothing.often(id_)
            assert not nothing.holds(id_)


async def test_a_large_namespace_rests_where_nobody_searches_it(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(namespace_cache, "_SWEEP_S", 0.02)
    await append(stack, *ferries(40))
    async with searching(stack, folder=str(tmp_path)) as search:
        expected = await search.search("ferry 7 nine")
        await search.often()
        for number in range(3):
            check_same(await search.search("ferry 7 nine"), expected)
            held = mapped_bytes(tmp_path)
            search.clock.now += 1
            await until(lambda held=held: mapped_bytes(tmp_path) < held / 4)  # type: ignore[misc]
            assert search.holds()
            # What comes meanwhile is written to pages that are read again.
            await append(stack, f"buoy{number}", session_key="buoys")
            assert await search.contents(f"buoy{number}") == [f"buoy{number}"]
            expected = await _of_the_database(stack, "ferry 7 nine")
        search.clock.now += IDLE_S + 1
        await until(lambda: not open_files(tmp_path))


async def _of_the_database(stack: Stack, text: str) -> SearchResponse:
    async with searching(stack, 0) as nothing:
        return await nothing.search(text)


# How many there are


async def test_the_file_that_was_not_searched_for_longest_gives_way_and_small_ones_stay(
    stack: Stack, tmp_path: Path
) -> None:
    ids = await fill(stack, small=5, first=40, second=40, third=40)
    small, first, second, third = ids
    async with searching(stack) as search:
        await search.often(first)
        size = search.cache.nbytes
    async with searching(stack, PLENTY, int(2.5 * size), str(tmp_path)) as search:
        for namespace_id in (small, first, second):
            await search.often(namespace_id)
            search.clock.now += 61
        await search.search("ferry", first)
        search.clock.now += 61
        await search.often(third)
        assert [search.holds(each) for each in ids] == [True, True, False, True]
        assert len(await search.contents("ferry", second)) == 10


async def check_two_files_fit(stack: Stack, folder: Path, ids: Sequence[int]) -> None:
    """Check that of a small namespace and three large ones two of those are kept, and the one searched last stays."""
    small, first, second, third = ids
    async with searching(stack, folder=str(folder)) as search:
        for namespace_id in (first, second, third):
            await search.often(namespace_id)
        # Those that are searched now stay, and what is in memory has a limit of its own.
        await search.often(small)
        assert [search.holds(each) for each in ids] == [True, True, True, False]
        search.clock.now += 61
        await search.search("ferry", first)
        search.clock.now += 1
        await search.often(third)
        assert [search.holds(each) for each in ids] == [True, True, False, True]
        assert len(await search.contents("ferry", second)) == 10


async def test_there_are_so_many_files_and_the_one_not_searched_for_longest_gives_way(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(namespace_cache, "MOST_FILES", 2)
    ids = await fill(stack, small=5, first=40, second=40, third=40)
    await check_two_files_fit(stack, tmp_path, ids)


async def test_files_have_so_much_in_memory_and_the_one_not_searched_for_longest_gives_way(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await fill(stack, small=5, first=40, second=40, third=40)
    async with searching(stack, folder=str(tmp_path)) as search:
        await search.often(ids[1])
        copy = search.cache.find(ids[1])
        assert copy is not None
        monkeypatch.setattr(namespace_cache, "HELD_BYTES", int(2.5 * copy.index.memory_bytes))
    await check_two_files_fit(stack, tmp_path, ids)


async def test_what_turns_out_to_need_much_memory_pushes_nothing_aside(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "everword_search")
    [first, second] = await fill(stack, first=40, second=1)
    for number, text in enumerate(ferries(39)):
        await append(stack, text, session_key=f"{number}", metadata=within("second"))
    async with searching(stack, folder=str(tmp_path)) as search:
        await search.often(first)
        copy = search.cache.find(first)
        assert copy is not None
        # As much again fits; what a conversation for each passage takes does not.
        monkeypatch.setattr(namespace_cache, "HELD_BYTES", 2 * copy.index.memory_bytes)
    async with searching(stack, folder=str(tmp_path)) as search:
        await search.often(first)
        await search.often(second)
        assert [search.holds(each) for each in (first, second)] == [True, False]
        assert reasons(caplog) == ["NotCopied('there is no room for it')"]


async def test_a_file_that_has_much_in_memory_counts_for_its_share_alone(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(namespace_cache, "HELD_BYTES", 10_000)
    monkeypatch.setattr(namespace_cache, "_LARGEST_HELD", 4_000)
    ids = await fill(stack, first=40, second=40, third=40)
    async with searching(stack, folder=str(tmp_path)) as search:
        for namespace_id in ids:
            await search.often(namespace_id)
        assert [search.holds(each) for each in ids] == [True, True, False]


async def test_what_memory_is_too_small_for_leaves_files_alone(
    stack: Stack, tmp_path: Path
) -> None:
    large, first, second = await fill(stack, large=40, first=MANY, second=MANY)
    async with searching(stack) as search:
        await search.often(first)
        size = search.cache.nbytes
    async with searching(stack, int(1.5 * size), PLENTY, str(tmp_path)) as search:
        for namespace_id in (large, first):
            await search.often(namespace_id)
            search.clock.now += 61
        await search.often(second)
        assert [search.holds(each) for each in (large, first, second)] == [True, False, True]


async def test_what_turns_out_not_to_fit_pushes_nothing_aside(
    stack: Stack,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "everword_search")
    monkeypatch.setattr(storage, "_STEP_BYTES", 64)
    # As if passages took much more than they usually do.
    monkeypatch.setattr(namespace_cache, "_dimensions", lambda _: 0)
    monkeypatch.setattr(namespace_cache, "_PASSAGE_BYTES", 1)
    monkeypatch.setattr(namespace_cache, "_LEXEME_BYTES", 1)
    first, large = await fill(stack, first=40, large=90)
    async with searching(stack, folder=str(tmp_path)) as search:
        await search.often(first)
        size = search.cache.nbytes
    async with searching(stack, PLENTY, int(1.3 * size), str(tmp_path)) as search:
        await search.often(first)
        assert search.holds(first)
        search.clock.now += 1
        for _ in range(2):
            await search.often(large)
            assert [search.holds(each) for each in (first, large)] == [True, False]
            assert len(await search.contents("ferry", large)) == 10
    assert reasons(caplog) == ["NotCopied('there is no room for it')"]


# Where there is no disk


@pytest.mark.usefixtures("exact")
@pytest.mark.parametrize("granted", [0, 1, 5, 12, 15])
async def test_a_disk_that_is_full_leaves_searches_to_the_database(
    stack: Stack,
    granted: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "everword_search")
    await append(stack, *ferries(40))
    await embed_everything(stack)
    async with searching(stack, folder=str(tmp_path)) as search:
        await search.often()
        assert search.holds()
        await append(stack, *(f"buoy {number} lights" for number in range(30)), session_key="b")
        await embed_everything(stack)
        with full_disk(monkeypatch, granted):
            searches = [search.contents(f"buoy {number} lights") for number in range(10)]
            for number, contents in enumerate(await asyncio.gather(*searches)):
                assert contents[0] == f"buoy {number} lights"
            assert not search.holds()
            [reason] = reasons(caplog)
            assert "No space left on device" in reason
            assert open_files(tmp_path) == []
        # It is not tried again at once.
        await search.often()
        assert not search.holds()
        search.clock.now += 121
        await search.often()
        assert search.holds()
        assert (await search.contents("buoy 29 lights"))[0] == "buoy 29 lights"
    assert "buoy" not in caplog.text


@pytest.mark.usefixtures("exact")
async def test_what_found_no_disk_is_not_tried_again_at_once(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where there is some again."""
    await append(stack, *ferries(40))
    async with searching(stack, folder=str(tmp_path)) as search:
        await search.often()
        await append(stack, "A buoy lights.")
        with full_disk(monkeypatch):
            assert await search.contents("buoy") == ["A buoy lights."]
        await search.often()
        assert not search.holds()
        search.clock.now += 121
        await search.often()
        assert search.holds()


@pytest.mark.parametrize("granted", [0, 3, 15])
async def test_a_disk_that_is_full_while_a_namespace_is_loaded_is_no_fault(
    stack: Stack,
    granted: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "everword_search")
    await append(stack, *ferries(40))
    async with searching(stack, folder=str(tmp_path)) as search:
        with full_disk(monkeypatch, granted):
            for _ in range(3):
                await search.often()
                assert await search.contents("ferry 7 leaves", page=PageRequest(1)) == [
                    "The ferry 7 leaves at nine."
                ]
                assert not search.holds()
        assert open_files(tmp_path) == []
        assert search.cache.nbytes == 0
        search.clock.now += 121
        await search.often()
        assert search.holds()
    [reason] = reasons(caplog)
    assert "No space left on device" in reason
    assert "cannot be kept" not in caplog.text


async def test_a_folder_that_is_not_there_leaves_searches_to_the_database(
    stack: Stack, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "everword_search")
    await append(stack, *ferries(40))
    async with searching(stack, folder=str(tmp_path / "nowhere")) as search:
        for _ in range(3):
            await search.often()
            assert len(await search.contents("ferry")) == 10
            assert not search.holds()
        search.clock.now += 121
        await search.often()
    logged = reasons(caplog)
    assert len(logged) == 2
    assert all("no file can be made" in reason and "nowhere" in reason for reason in logged)


# What grows


async def test_a_namespace_that_more_than_doubles_is_loaded_anew(
    stack: Stack, tmp_path: Path
) -> None:
    await append(stack, *ferries(30))
    async with searching(stack, folder=str(tmp_path)) as search:
        await search.often()
        for number in range(30, 60):
            await append(stack, *ferries(1, number))
            assert (await search.contents(f"ferry {number}"))[0] == ferries(1, number)[0]
            assert search.holds()
        await append(stack, *ferries(1, 60))
        assert (await search.contents("ferry 60"))[0] == ferries(1, 60)[0]
        assert not search.holds()
        await until(lambda: not open_files(tmp_path))
        await search.often()
        assert search.holds()
        expected = await _of_the_database(stack, "ferry 60 leaves")
        check_same(await search.search("ferry 60 leaves"), expected)


async def test_a_namespace_that_more_than_doubles_at_once_is_loaded_anew(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is too much for a search is added beside it; there is no room for it there either."""
    monkeypatch.setattr(namespace_cache, "AT_ONCE", 20)
    await append(stack, *ferries(30))
    async with searching(stack, folder=str(tmp_path)) as search:
        await search.often()
        assert search.holds()
        await append(stack, *ferries(40, 30))
        assert (await search.contents("ferry 60"))[0] == ferries(1, 60)[0]
        await search.settled()
        await search.often()
        assert search.holds()
        assert (await search.contents("ferry 69"))[0] == ferries(1, 69)[0]


async def test_searches_by_meaning_at_once_add_what_came_to_a_file_once(
    stack: Stack, tmp_path: Path
) -> None:
    embedder = QueryEmbedder(stack.addresses["embedder"], NO_SECRET)
    await append(stack, *ferries(30), "Our cat Miso sleeps on the radiator.")
    await embed_everything(stack)
    async with searching(stack, folder=str(tmp_path), embedder=embedder) as search:
        await search.often()
        await append(stack, "Our dog Rex sleeps under the table.")
        await embed_everything(stack)
        pets = "Which pets do we have?"
        for mode in (SearchMode.HYBRID, SearchMode.SEMANTIC):
            searches = [search.contents(pets, mode=mode) for _ in range(5)]
            for contents in await asyncio.gather(*searches):
                assert {text[:7] for text in contents[:2]} == {"Our cat", "Our dog"}
        assert search.holds()
