"""Namespaces in memory: those that were searched last, as many as there is room for.

The first search of a namespace asks the database, and loads it beside that; the second one finds it here.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import Context

import psycopg
from cachetools import LRUCache, TTLCache

from everword.db.periodic import PeriodicTask
from everword.db.pool import Database
from everword.domain.background import end_tasks
from everword.processes.heap import give_back
from everword_search.cache.cached_index import CachedIndex
from everword_search.cache.cached_namespace import AT_ONCE, CachedNamespace, CopyRequest
from everword_search.cache.load import NotCopied, bring_up_to_date, look_for_vectors
from everword_search.cache.store import PassagesRow, active_namespaces
from everword_search.passages.vectors import GenerationRow
from everword_search.records.model import MemoryFilter

log = logging.getLogger(__name__)

#: Seconds between two looks for namespaces that were erased, and until freed memory is given back.
_ERASED_S = 1.0
_TIDY_S = 15.0
#: Seconds until a namespace that could not be kept is tried again, and how many such are remembered.
_REFUSED_S = 120.0
_MOST_REFUSED = 10_000
#: Seconds until a namespace begins to be loaded: the search that asked for it should have the processors for itself.
_AFTER_S = 0.05
#: Namespaces that are brought up to date at once, each with a connection of the searches', and those that may wait.
_BROUGHT_UP_AT_ONCE = 2
_MOST_WAITING = 100
#: About what a passage takes, in bytes, beside its vector and its words; what each of its lexemes does, and each number
#: of its vector, with its sign.
_PASSAGE_BYTES, _LEXEME_BYTES, _NUMBER_BYTES = 180, 14, 2.125


class NamespaceCache:
    """The namespaces in this process' memory."""

    def __init__(
        self, database: Database, limit_bytes: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """All of them take at most `limit_bytes`; with 0, there are none."""
        self._database = database
        self._clock = clock
        self._copies: LRUCache[int, CachedNamespace] = LRUCache(
            limit_bytes, getsizeof=lambda copy: copy.index.nbytes
        )
        self._few = asyncio.Semaphore(_BROUGHT_UP_AT_ONCE)
        #: To look for many vectors takes a connection for a while, and none of those is in a hurry.
        self._one_looking = asyncio.Semaphore(1)
        self._refused: TTLCache[int, None] = TTLCache(_MOST_REFUSED, _REFUSED_S, timer=clock)
        #: What is brought up to date, and not searched meanwhile; and about what it takes of memory.
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._loading_bytes = 0
        #: What looks for vectors that came late, beside the searches.
        self._looking: dict[int, asyncio.Task[None]] = {}
        self._rounds = PeriodicTask(
            "namespace cache", _ERASED_S, [self._forget_erased, self._give_back]
        )
        #: Whether something was loaded or let go since freed memory was given back.
        self._untidy = False
        self._tidied_at = clock()

    def open(self) -> None:
        self._rounds.start()

    async def close(self) -> None:
        await self._rounds.stop()
        await end_tasks([*self._tasks.values(), *self._looking.values()])

    @property
    def nbytes(self) -> int:
        """About what all of them take of memory."""
        return int(self._copies.currsize)

    def find(self, namespace_id: int) -> CachedNamespace | None:
        """Return the copy of a namespace, which may lack what came lately; None where it is not there."""
        return self._copies.get(namespace_id)

    def ask(self, namespace_id: int) -> CopyRequest | None:
        """Return what asks for what a namespace in memory lacks; None where it is not there."""
        copy = self._copies.get(namespace_id)
        if copy is None or namespace_id in self._tasks:
            return None
        if copy.is_behind:
            self._bring_up(copy, copy.index.nbytes, is_new=False)
            return None
        return copy.ask(AT_ONCE)

    def answer(
        self, asked: CopyRequest, row: PassagesRow, active_id: int | None, wanted: MemoryFilter
    ) -> CachedIndex | None:
        """Return the namespace with what it lacked, as the search's transaction sees it.

        None where that is too much, and is added beside the search, or where another search is about to add it.
        """
        copy, found, changes = asked.copy, row.found(), row.changes()
        namespace_id = copy.namespace_id
        if not self._has(copy) or namespace_id in self._tasks:
            return None
        if copy.generation_id != active_id or copy.is_outgrown:
            self.forget(namespace_id)
            return None
        if not copy.is_complete(asked, row, found, changes):
            self._bring_up(copy, copy.index.nbytes, is_new=False)
            return None
        if copy.conflicts(asked, found, changes):
            return None
        copy.add(row, found, changes)
        if len(found.ids):
            self._keep(copy)
        if copy.is_due and self._has(copy) and namespace_id not in self._looking:
            _begin(self._looking, namespace_id, self._look_for_vectors(copy))
        vectors = None if copy.lacks_vectors else copy.index.vectors
        return CachedIndex(copy, copy.index.snapshot(), vectors, wanted, row.now)

    def consider(
        self, namespace_id: int, passages: int, lexemes: int, generation: GenerationRow | None
    ) -> None:
        """Begin to load a namespace that a search asked the database of, where there may be room for it.

        `lexemes` is how long its passages are together.
        """
        if not passages or namespace_id in self._tasks or namespace_id in self._refused:
            return
        if len(self._tasks) >= _MOST_WAITING:
            return
        nbytes = _estimate(passages, lexemes, generation)
        if nbytes <= self._copies.maxsize:
            copy = CachedNamespace(namespace_id, generation, passages, self._clock)
            self._bring_up(copy, nbytes, is_new=True)

    def forget(self, namespace_id: int) -> None:
        """Let a namespace go."""
        self._let_go(namespace_id)
        if task := self._tasks.get(namespace_id):
            task.cancel()

    def _bring_up(self, copy: CachedNamespace, nbytes: int, is_new: bool) -> None:
        # What it costs is not seen in the search that asked for it.
        log.info(
            "a namespace is brought into memory",
            extra={"namespace_id": copy.namespace_id, "is_new": is_new},
        )
        # The database answers the searches meanwhile, and goes on to where this fails: half of a copy is none.
        self._let_go(copy.namespace_id)
        _begin(self._tasks, copy.namespace_id, self._load(copy, nbytes, is_new))

    async def _load(self, copy: CachedNamespace, nbytes: int, is_new: bool) -> None:
        namespace_id = copy.namespace_id
        try:
            if is_new:
                await asyncio.sleep(_AFTER_S)
            async with self._few:
                with self._room(nbytes):
                    limit_bytes = int(self._copies.maxsize)
                    await bring_up_to_date(self._database, copy, is_new, limit_bytes)
        except (psycopg.Error, NotCopied) as error:
            self._refuse(namespace_id, error)
            return
        except Exception:  # the task's edge: without it, the next searches would begin it again
            log.exception("a namespace cannot be kept in memory")
            self._refused[namespace_id] = None
            return
        self._keep(copy)

    @contextmanager
    def _room(self, nbytes: int) -> Iterator[None]:
        """Make room for what is being loaded."""
        self._loading_bytes += nbytes
        while self._copies and self.nbytes + self._loading_bytes > self._copies.maxsize:
            self._copies.popitem()
        try:
            yield
        finally:
            self._loading_bytes -= nbytes

    def _keep(self, copy: CachedNamespace) -> None:
        """Keep a copy, or weigh it again; those give way that were not searched for longest."""
        self._untidy = True
        self._copies.pop(copy.namespace_id, None)
        try:
            self._copies[copy.namespace_id] = copy
        except ValueError:  # it takes more than all of them may
            self._let_go(copy.namespace_id)
            self._refuse(copy.namespace_id, NotCopied("there is no room for it"))

    def _refuse(self, namespace_id: int, error: Exception) -> None:
        log.info("a namespace is not kept in memory", extra={"reason": repr(error)})
        self._refused[namespace_id] = None

    def _let_go(self, namespace_id: int) -> None:
        if self._copies.pop(namespace_id, None):
            self._untidy = True
        if looking := self._looking.pop(namespace_id, None):
            looking.cancel()

    async def _look_for_vectors(self, copy: CachedNamespace) -> None:
        try:
            async with self._one_looking:
                await look_for_vectors(self._database, copy)
        except psycopg.Error as error:
            log.warning("vectors were not looked for", extra={"error": repr(error)})

    def _has(self, copy: CachedNamespace) -> bool:
        """Tell whether a copy was not let go meanwhile, and perhaps made again."""
        return self._copies.get(copy.namespace_id) is copy

    async def _give_back(self) -> None:
        """Return freed memory to the system now and then."""
        if self._untidy and self._clock() >= self._tidied_at + _TIDY_S:
            self._untidy, self._tidied_at = False, self._clock()
            await asyncio.to_thread(give_back)

    async def _forget_erased(self) -> None:
        """Let go what was erased: nothing of it may stay in this process."""
        cached = [*self._copies, *self._tasks]
        if not cached:
            return
        async with self._database.connection() as conn:
            active = await active_namespaces(conn, cached)
        for namespace_id in cached:
            if namespace_id not in active:
                self.forget(namespace_id)


def _begin(
    tasks: dict[int, asyncio.Task[None]], namespace_id: int, work: Coroutine[None, None, None]
) -> None:
    """Do something for a namespace; until it has ended, it is among `tasks`."""
    # In a context of its own: it belongs to no request, and must not end with one.
    task = tasks[namespace_id] = asyncio.create_task(work, context=Context())

    def ended(_: asyncio.Task[None]) -> None:
        if tasks.get(namespace_id) is task:
            del tasks[namespace_id]

    task.add_done_callback(ended)


def _estimate(passages: int, lexemes: int, generation: GenerationRow | None) -> int:
    """Return about what a namespace takes, in bytes."""
    dimensions = generation.dimensions if generation and generation.dimensions else 0
    each = _PASSAGE_BYTES + _NUMBER_BYTES * dimensions
    return math.ceil(passages * each + _LEXEME_BYTES * lexemes)
