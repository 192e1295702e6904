"""Which namespaces are cached, how many, and for how long."""

from __future__ import annotations

import pytest

from everword.domain.not_found import NamespaceNotFound
from support.cached_search import locked, searching
from support.callers import make_namespaces, within
from support.calls import append
from support.stack import Stack
from support.waits import until

PLENTY = 64 << 20


async def fill(stack: Stack, *names: str, count: int = 40) -> list[int]:
    """Create namespaces of equal size, and return their ids."""
    await make_namespaces(stack, *names)
    for name in names:
        texts = [
            f"The ferry number {number} of the line leaves at nine." for number in range(count)
        ]
        await append(stack, *texts, metadata=within(name))
    with stack.database.connect() as conn:
        ids: dict[str, int] = dict(conn.execute("SELECT name, id FROM namespaces").fetchall())
    return [ids[name] for name in names]


async def size_of(stack: Stack, namespace_id: int) -> int:
    async with searching(stack) as search:
        await search.often(namespace_id)
        return search.cache.nbytes


async def test_namespace_is_loaded_in_background_of_first_search(
    stack: Stack,
) -> None:
    [some] = await fill(stack, "some")
    async with searching(stack) as search:
        # Only loading the cache reads this table; a lexical search in the database does not.
        with locked(stack, "index_changes") as lock:
            assert len(await search.contents("ferry", some)) == 10
            assert search.cache.nbytes == 0
            lock.rollback()
        await search.loaded()
        assert search.holds(some)
        search.clock.now += 19 * 3600
        assert search.holds(some)


async def test_namespaces_waiting_to_be_loaded_are_loaded_eventually(stack: Stack) -> None:
    crowd = await fill(stack, *(f"one-of-{number}" for number in range(6)), count=5)
    async with searching(stack) as search:
        # Only loading the cache reads this table; a lexical search in the database does not.
        with locked(stack, "index_changes") as lock:
            for each in crowd:
                await search.search("ferry", each)
            lock.rollback()
        await search.loaded()
        assert all(search.holds(each) for each in crowd)


async def test_deleted_namespace_is_evicted_within_two_seconds(stack: Stack) -> None:
    [gone, other, asked] = await fill(stack, "gone", "other", "asked")
    async with searching(stack) as search:
        for each in (gone, other, asked):
            await search.often(each)
            assert search.holds(each)
        with stack.database.connect() as conn:
            conn.execute(
                "UPDATE namespaces SET state = 'deleting' WHERE id = ANY(%s)", [[gone, asked]]
            )
        with pytest.raises(NamespaceNotFound):
            await search.search("ferry", asked)
        assert search.cache.find(asked) is None
        await until(lambda: search.cache.find(gone) is None, within_s=2.0)
        assert search.holds(other)


async def test_least_recently_searched_namespace_is_evicted(stack: Stack) -> None:
    [first, second, third] = await fill(stack, "first", "second", "third")
    limit = int(2.5 * await size_of(stack, first))
    async with searching(stack, limit) as search:
        await search.often(first)
        await search.often(second)
        await search.search("ferry", first)
        await search.often(third)
        assert search.cache.nbytes <= limit
        assert [search.holds(each) for each in (first, second, third)] == [True, False, True]
        assert len(await search.contents("ferry", second)) == 10


async def test_namespace_that_outgrows_memory_limit_is_evicted(stack: Stack) -> None:
    [growing] = await fill(stack, "growing")
    limit = int(1.2 * await size_of(stack, growing))
    async with searching(stack, limit) as search:
        await search.often(growing)
        assert search.holds(growing)
        texts = [f"The ferry has a cabin with the number {number}." for number in range(200)]
        for start in range(0, 200, 50):
            await append(stack, *texts[start : start + 50], metadata=within("growing"))
        assert await search.contents("199", growing) == [texts[-1]]
        assert search.cache.nbytes == 0
        # It would not fit, so loading is not retried at once.
        await search.often(growing)
        assert search.cache.nbytes == 0
        assert await search.contents("199", growing) == [texts[-1]]


async def test_namespace_over_memory_limit_is_never_loaded_and_evicts_nothing(stack: Stack) -> None:
    [small] = await fill(stack, "small", count=5)
    [large] = await fill(stack, "large", count=400)
    limit = await size_of(stack, small) + 1000
    async with searching(stack, limit) as search:
        await search.often(small)
        kept = search.cache.nbytes
        assert 0 < kept <= limit
        for _ in range(3):
            await search.often(large)
            assert search.cache.nbytes == kept
        assert search.holds(small)


async def test_memory_limit_zero_disables_cache(stack: Stack) -> None:
    [some] = await fill(stack, "some")
    [empty] = await fill(stack, "empty", count=1)
    async with searching(stack, 0) as search:
        for namespace_id in (some, empty):
            for _ in range(3):
                await search.often(namespace_id)
                assert search.cache.nbytes == 0
        assert len(await search.contents("ferry", some)) == 10
