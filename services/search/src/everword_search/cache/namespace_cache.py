"""A cache of the most recently searched namespaces, limited by memory.

The first search of a namespace uses the database and starts loading it in the background; later searches use the copy.
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
from everword_search.cache.load import NotCopied, load_late_vectors, refresh_copy
from everword_search.cache.store import PassagesRow, active_namespaces
from everword_search.passages.vectors import GenerationRow
from everword_search.records.model import MemoryFilter

log = logging.getLogger(__name__)

#: Seconds between checks for erased namespaces, and until freed memory is returned to the system.
_ERASED_S = 1.0
_TIDY_S = 15.0
#: Seconds until caching a refused namespace is attempted again, and how many refusals are remembered.
_REFUSED_S = 120.0
_MOST_REFUSED = 10_000
#: Seconds before loading starts, so that the search that triggered it has the processors for itself.
_AFTER_S = 0.05
#: Namespaces loaded concurrently, each on one connection of the service's pool, and namespaces that may wait.
_CONCURRENT_REFRESHES = 2
_MOST_WAITING = 100
#: Estimated bytes of a passage without its vector and words, of each of its lexemes, and of each number of its vector
#: including the sign.
_PASSAGE_BYTES, _LEXEME_BYTES, _NUMBER_BYTES = 180, 14, 2.125


class NamespaceCache:
    """The cached namespaces of this process."""

    def __init__(
        self, database: Database, limit_bytes: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """All copies together use at most `limit_bytes`; 0 disables the cache."""
        self._database = database
        self._clock = clock
        self._copies: LRUCache[int, CachedNamespace] = LRUCache(
            limit_bytes, getsizeof=lambda copy: copy.index.nbytes
        )
        self._few = asyncio.Semaphore(_CONCURRENT_REFRESHES)
        #: Reading many vectors occupies a connection for a while and is not urgent, so one check runs at a time.
        self._poll_lock = asyncio.Semaphore(1)
        self._refused: TTLCache[int, None] = TTLCache(_MOST_REFUSED, _REFUSED_S, timer=clock)
        #: Running loads by namespace, which are not searched meanwhile, and their estimated bytes.
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._loading_bytes = 0
        #: Running background checks for late vectors, by namespace.
        self._looking: dict[int, asyncio.Task[None]] = {}
        self._rounds = PeriodicTask(
            "namespace cache", _ERASED_S, [self._forget_erased, self._return_free_memory]
        )
        #: True if a copy was loaded or evicted since freed memory was last returned to the system.
        self._untidy = False
        self._tidied_at = clock()

    def open(self) -> None:
        self._rounds.start()

    async def close(self) -> None:
        await self._rounds.stop()
        await end_tasks([*self._tasks.values(), *self._looking.values()])

    @property
    def nbytes(self) -> int:
        """Estimated bytes of all copies."""
        return int(self._copies.currsize)

    def find(self, namespace_id: int) -> CachedNamespace | None:
        """Return the copy of a namespace, which may lack the latest passages; None if it is not cached."""
        return self._copies.get(namespace_id)

    def ask(self, namespace_id: int) -> CopyRequest | None:
        """Return a request for the missing passages of a cached namespace.

        None if it is not cached, is being loaded, or was last updated before the change log begins; the last starts a
        refresh.
        """
        copy = self._copies.get(namespace_id)
        if copy is None or namespace_id in self._tasks:
            return None
        if copy.is_behind:
            self._refresh_copy(copy, copy.index.nbytes, is_new=False)
            return None
        return copy.ask(AT_ONCE)

    def answer(
        self,
        copy_request: CopyRequest,
        row: PassagesRow,
        active_id: int | None,
        memory_filter: MemoryFilter,
    ) -> CachedIndex | None:
        """Return the completed copy as the search's transaction sees it; None if the search must use the database.

        That is so if too much is missing, which is then added in the background; if the copy was evicted or is
        outdated; or if another search is about to add the same passages.
        """
        copy, found, changes = copy_request.copy, row.found(), row.changes()
        namespace_id = copy.namespace_id
        if not self._has(copy) or namespace_id in self._tasks:
            return None
        if copy.generation_id != active_id or copy.is_outgrown:
            self.forget(namespace_id)
            return None
        if not copy.is_complete(copy_request, row, found, changes):
            self._refresh_copy(copy, copy.index.nbytes, is_new=False)
            return None
        if copy.conflicts(copy_request, found, changes):
            return None
        copy.add(row, found, changes)
        if len(found.ids):
            self._keep(copy)
        if copy.is_due and self._has(copy) and namespace_id not in self._looking:
            _begin(self._looking, namespace_id, self._load_late_vectors(copy))
        vectors = None if copy.lacks_vectors else copy.index.vectors
        return CachedIndex(copy, copy.index.snapshot(), vectors, memory_filter, row.now)

    def consider(
        self, namespace_id: int, passages: int, lexemes: int, generation: GenerationRow | None
    ) -> None:
        """Start loading a namespace that a search read from the database, if it may fit.

        `lexemes` is the total length of its passages.
        """
        if not passages or namespace_id in self._tasks or namespace_id in self._refused:
            return
        if len(self._tasks) >= _MOST_WAITING:
            return
        nbytes = _estimate(passages, lexemes, generation)
        if nbytes <= self._copies.maxsize:
            copy = CachedNamespace(namespace_id, generation, passages, self._clock)
            self._refresh_copy(copy, nbytes, is_new=True)

    def forget(self, namespace_id: int) -> None:
        """Evict a namespace."""
        self._evict(namespace_id)
        if task := self._tasks.get(namespace_id):
            task.cancel()

    def _refresh_copy(self, copy: CachedNamespace, nbytes: int, is_new: bool) -> None:
        # The search that triggered the load does not show its cost, so log it.
        log.info(
            "cache.namespace_loading",
            extra={"namespace_id": copy.namespace_id, "is_new": is_new},
        )
        # Searches use the database meanwhile, and afterwards if the load fails: half a copy is useless.
        self._evict(copy.namespace_id)
        _begin(self._tasks, copy.namespace_id, self._load(copy, nbytes, is_new))

    async def _load(self, copy: CachedNamespace, nbytes: int, is_new: bool) -> None:
        namespace_id = copy.namespace_id
        try:
            if is_new:
                await asyncio.sleep(_AFTER_S)
            async with self._few:
                with self._reserved_bytes(nbytes):
                    limit_bytes = int(self._copies.maxsize)
                    await refresh_copy(self._database, copy, is_new, limit_bytes)
        except (psycopg.Error, NotCopied) as error:
            self._refuse(namespace_id, error)
            return
        except Exception:  # Top level of the task: without this handler, each following search would start it again.
            log.exception("cache.load_failed")
            self._refused[namespace_id] = None
            return
        self._keep(copy)

    @contextmanager
    def _reserved_bytes(self, nbytes: int) -> Iterator[None]:
        """Evict copies until `nbytes` fit, and reserve these while the block runs."""
        self._loading_bytes += nbytes
        while self._copies and self.nbytes + self._loading_bytes > self._copies.maxsize:
            self._copies.popitem()
        try:
            yield
        finally:
            self._loading_bytes -= nbytes

    def _keep(self, copy: CachedNamespace) -> None:
        """Store a copy or update its size; the least recently searched copies are evicted."""
        self._untidy = True
        self._copies.pop(copy.namespace_id, None)
        try:
            self._copies[copy.namespace_id] = copy
        except ValueError:  # The copy alone exceeds the limit.
            self._evict(copy.namespace_id)
            self._refuse(copy.namespace_id, NotCopied("it exceeds the free cache size"))

    def _refuse(self, namespace_id: int, error: Exception) -> None:
        log.info("cache.namespace_refused", extra={"reason": repr(error)})
        self._refused[namespace_id] = None

    def _evict(self, namespace_id: int) -> None:
        if self._copies.pop(namespace_id, None):
            self._untidy = True
        if looking := self._looking.pop(namespace_id, None):
            looking.cancel()

    async def _load_late_vectors(self, copy: CachedNamespace) -> None:
        try:
            async with self._poll_lock:
                await load_late_vectors(self._database, copy)
        except psycopg.Error as error:
            log.warning("cache.late_vectors_not_loaded", extra={"error": repr(error)})

    def _has(self, copy: CachedNamespace) -> bool:
        """Return whether the copy is still cached, and was neither evicted nor reloaded."""
        return self._copies.get(copy.namespace_id) is copy

    async def _return_free_memory(self) -> None:
        """Return freed memory to the system, at most every `_TIDY_S` seconds."""
        if self._untidy and self._clock() >= self._tidied_at + _TIDY_S:
            self._untidy, self._tidied_at = False, self._clock()
            await asyncio.to_thread(give_back)

    async def _forget_erased(self) -> None:
        """Evict erased namespaces, because nothing of them may remain in this process."""
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
    """Run a coroutine for a namespace as a task, and keep it in `tasks` until it ends."""
    # In a new context: the task belongs to no request and must not end with one.
    task = tasks[namespace_id] = asyncio.create_task(work, context=Context())

    def ended(_: asyncio.Task[None]) -> None:
        if tasks.get(namespace_id) is task:
            del tasks[namespace_id]

    task.add_done_callback(ended)


def _estimate(passages: int, lexemes: int, generation: GenerationRow | None) -> int:
    """Return the estimated bytes of a namespace."""
    dimensions = generation.dimensions if generation and generation.dimensions else 0
    each = _PASSAGE_BYTES + _NUMBER_BYTES * dimensions
    return math.ceil(passages * each + _LEXEME_BYTES * lexemes)
