"""Of files, some stay mapped between searches and the rest is read; what cannot be read is left to the database."""

from __future__ import annotations

import errno
import logging
import os
from pathlib import Path

import pytest

from everword.domain.settings import NO_SECRET
from everword_search.cache import storage
from everword_search.model import SearchMode
from everword_search.query_embedder import QueryEmbedder
from support.background import embed_everything
from support.cached import check_same, count_as_large, map_files, searching
from support.cached_passages import mapped_bytes
from support.callers import make_namespaces, within
from support.calls import append
from support.stack import Stack


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than 20 passages count as many here."""
    count_as_large(monkeypatch, 20)


def ferries(count: int) -> list[str]:
    return [f"The ferry {number} leaves at nine." for number in range(count)]


async def test_files_that_were_searched_last_stay_mapped_as_many_as_may(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_namespaces(stack, "first", "second")
    for name in ("first", "second"):
        await append(stack, *ferries(40), metadata=within(name))
    with stack.database.connect() as conn:
        ids: dict[str, int] = dict(conn.execute("SELECT name, id FROM namespaces").fetchall())
    first, second = ids["first"], ids["second"]
    async with searching(stack, folder=str(tmp_path)) as search:
        for namespace_id in (first, second):
            await search.often(namespace_id)
        await search.search("ferry", first)
        one = mapped_bytes(tmp_path)
        await search.search("ferry", second)
        assert mapped_bytes(tmp_path) > 1.5 * one > 0
        copies = [search.cache.find(each) for each in (first, second)]
        mapped, held = zip(
            *((copy.index.mapped_bytes, copy.index.memory_bytes) for copy in copies if copy),
            strict=True,
        )
        map_files(monkeypatch, sum(held) + sum(mapped) - 1)
        for namespace_id in (first, second, first):
            assert len(await search.contents("ferry", namespace_id)) == 10
            assert 0 < mapped_bytes(tmp_path) < 1.5 * one
        assert [search.holds(each) for each in (first, second)] == [True, True]


async def test_a_file_that_is_too_large_to_be_mapped_is_read(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    map_files(monkeypatch, 0)
    # Enough to be kept in the file by words, too.
    await append(stack, *ferries(300))
    await embed_everything(stack)
    embedder = QueryEmbedder(stack.addresses["embedder"], NO_SECRET)
    async with searching(stack, folder=str(tmp_path), embedder=embedder) as search:
        await search.often()
        assert search.holds()
        assert mapped_bytes(tmp_path) == 0
        async with searching(stack, 0, embedder=embedder) as nothing:
            for text in ("ferry 7 nine", "What leaves at nine?"):
                for mode in (SearchMode.HYBRID, SearchMode.SEMANTIC, SearchMode.LEXICAL):
                    expected = await nothing.search(text, mode=mode)
                    check_same(await search.search(text, mode=mode), expected)
                    assert mapped_bytes(tmp_path) == 0


@pytest.mark.parametrize("mode", [SearchMode.HYBRID, SearchMode.SEMANTIC, SearchMode.LEXICAL])
async def test_a_file_that_cannot_be_read_leaves_searches_to_the_database(
    stack: Stack,
    mode: SearchMode,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "everword_search")
    map_files(monkeypatch, 0)
    await append(stack, *ferries(40))
    await embed_everything(stack)
    embedder = QueryEmbedder(stack.addresses["embedder"], NO_SECRET)
    async with searching(stack, folder=str(tmp_path), embedder=embedder) as search:
        await search.often()
        expected = await search.search("ferry 7 nine", mode=mode)
        assert search.holds()

        def refuse(*_: object) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        with monkeypatch.context() as patched:
            patched.setattr(storage, "read_ranges", refuse)
            for _ in range(2):
                check_same(await search.search("ferry 7 nine", mode=mode), expected)
                assert not search.holds()
            await search.often()
            assert not search.holds()
        [reason] = [each.__dict__["reason"] for each in caplog.records if "reason" in each.__dict__]
        assert "Input/output error" in reason
        search.clock.now += 121
        await search.often()
        assert search.holds()
        check_same(await search.search("ferry 7 nine", mode=mode), expected)
    assert "ferry" not in caplog.text


async def test_vectors_that_find_no_disk_leave_searches_to_the_database(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where what was reserved is no promise."""
    await append(stack, *ferries(40))
    await embed_everything(stack)
    embedder = QueryEmbedder(stack.addresses["embedder"], NO_SECRET)
    async with searching(stack, folder=str(tmp_path), embedder=embedder) as search:
        await search.often()
        await append(stack, "Our cat Miso sleeps on the radiator.")
        await embed_everything(stack)

        def refuse(*_: object) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patched:
            patched.setattr(os, "pwrite", refuse)
            found = await search.contents("Which pets do we have?", mode=SearchMode.SEMANTIC)
        assert found[0].startswith("Our cat")
        assert not search.holds()


async def test_what_is_loaded_and_not_searched_is_not_mapped(stack: Stack, tmp_path: Path) -> None:
    await append(stack, *ferries(600))
    async with searching(stack, folder=str(tmp_path)) as search:
        await search.often()
        assert search.holds()
        assert mapped_bytes(tmp_path) == 0
