"""Which namespaces are in memory: those that are searched often, as many as there is room for."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from contextvars import Context
from functools import partial

import psycopg
from cachetools import TTLCache

from everword.db.pool import Database
from everword_search.arms.semantic import EXACT_PASSAGES
from everword_search.model import MemoryFilter
from everword_search.resident.copy import AT_ONCE, Asked, NamespaceCopy
from everword_search.resident.load import NotCopied, bring_up_to_date
from everword_search.resident.resident import Resident
from everword_search.resident.store import PassagesRow
from everword_search.vectors import GenerationRow

log = logging.getLogger(__name__)

#: Searches of a namespace, each within `_OFTEN_S` seconds of the last, that make it worth being in memory.
OFTEN = 3
_OFTEN_S = 60.0
_COUNTED = 10_000
#: Seconds after which a namespace that nobody searches leaves memory; and when it may give way to others.
IDLE_S = 900.0
_AT_REST_S = 60.0
#: Seconds until a namespace that could not be kept is tried again.
_REFUSED_S = 120.0
#: Namespaces that are brought up to date at the same time: each takes a connection from the searches.
_BROUGHT_UP_AT_ONCE = 2
#: About what a passage takes, in bytes, beside its vector.
_PASSAGE_BYTES = 350


class Residents:
    """The namespaces in this process' memory."""

    def __init__(
        self, database: Database, limit_bytes: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """With a limit of 0 there are none."""
        self._database = database
        self._limit_bytes = limit_bytes
        self._clock = clock
        #: The one that was searched last comes last.
        self._copies: OrderedDict[int, NamespaceCopy] = OrderedDict()
        self._used: dict[int, float] = {}
        #: What each takes: to add it all up again took 16 ms of 1,000 namespaces.
        self._bytes: dict[int, int] = {}
        self._few = asyncio.Semaphore(_BROUGHT_UP_AT_ONCE)
        self._refused: TTLCache[int, None] = TTLCache(_COUNTED, _REFUSED_S, timer=clock)
        self._searches: TTLCache[int, int] = TTLCache(_COUNTED, _OFTEN_S, timer=clock)
        #: What is brought up to date, and not searched meanwhile.
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._sweeping: asyncio.Task[None] | None = None

    def open(self) -> None:
        self._sweeping = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        tasks = [*self._tasks.values(), *([self._sweeping] if self._sweeping else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def find(self, namespace_id: int) -> NamespaceCopy | None:
        """Return the copy of a namespace, which may lack what came lately; None where it is not there."""
        return self._copies.get(namespace_id)

    def ask(self, namespace_id: int) -> Asked | None:
        """Return what asks for what a namespace in memory lacks; None where it is not there."""
        copy = self._copies.get(namespace_id)
        if copy is None or namespace_id in self._tasks:
            return None
        self._copies.move_to_end(namespace_id)
        self._used[namespace_id] = self._clock()
        return copy.ask(AT_ONCE)

    def answer(
        self, asked: Asked, row: PassagesRow, active_id: int | None, wanted: MemoryFilter
    ) -> Resident | None:
        """Return the namespace with what it lacked; None where that is too much, and is added beside the search."""
        copy, found = asked.copy, row.found()
        namespace_id = copy.namespace_id
        if self._copies.get(namespace_id) is not copy or namespace_id in self._tasks:
            return None
        if copy.generation_id != active_id or copy.is_outgrown:
            self.forget(namespace_id)
            return None
        if not copy.is_complete(asked, row, found) or (copy.lacks_vectors and copy.is_due):
            self._bring_up(copy, is_new=False)
            return None
        if not copy.add(found):
            return None
        if len(found.ids):
            self._weigh(copy)
            self._shrink()
        vectors = None if copy.lacks_vectors else copy.index.vectors
        return Resident(copy, copy.index.snapshot(), vectors, wanted)

    def consider(self, namespace_id: int, passages: int, generation: GenerationRow | None) -> None:
        """Count a search that asked the database, and begin to load the namespace where that pays."""
        if namespace_id in self._tasks or namespace_id in self._refused:
            return
        count = self._searches[namespace_id] = self._searches.get(namespace_id, 0) + 1
        if count < OFTEN or self._tasks or not self._make_room(passages, generation):
            return
        del self._searches[namespace_id]
        copy = NamespaceCopy(namespace_id, generation, passages, self._clock)
        self._bring_up(copy, is_new=True)

    def forget(self, namespace_id: int) -> None:
        """Let a namespace go."""
        self._let_go(namespace_id)
        if task := self._tasks.get(namespace_id):
            task.cancel()

    @property
    def nbytes(self) -> int:
        return sum(self._bytes.values())

    def _make_room(self, passages: int, generation: GenerationRow | None) -> bool:
        """Return whether a namespace fits, once those that were not searched lately are gone."""
        dimensions = (generation and generation.dimensions) or 0
        wanted = passages * (_PASSAGE_BYTES + (4 if passages <= EXACT_PASSAGES else 1) * dimensions)
        if not 0 < wanted <= self._limit_bytes:
            return False
        room, at_rest, leaving = self._limit_bytes - self.nbytes, self._clock() - _AT_REST_S, []
        for namespace_id in self._copies:
            if room >= wanted or self._used[namespace_id] > at_rest:
                break
            room += self._bytes[namespace_id]
            leaving.append(namespace_id)
        if room < wanted:
            return False
        for namespace_id in leaving:
            self.forget(namespace_id)
        return True

    def _bring_up(self, copy: NamespaceCopy, is_new: bool) -> None:
        # In a context of its own: it belongs to no request, and must not end with one.
        task = asyncio.create_task(self._keep(copy, is_new), context=Context())
        self._tasks[copy.namespace_id] = task
        task.add_done_callback(partial(self._ended, copy.namespace_id))

    def _ended(self, namespace_id: int, task: asyncio.Task[None]) -> None:
        if self._tasks.get(namespace_id) is task:
            del self._tasks[namespace_id]

    async def _keep(self, copy: NamespaceCopy, is_new: bool) -> None:
        namespace_id = copy.namespace_id
        # The database answers the searches meanwhile, and goes on to where this fails: half of a copy is none.
        self._let_go(namespace_id)
        try:
            async with self._few:
                await bring_up_to_date(self._database, copy, is_new)
        except (psycopg.Error, NotCopied) as error:
            log.info("a namespace is not kept in memory", extra={"reason": repr(error)})
            self._refused[namespace_id] = None
            return
        except Exception:  # the task's edge: without it, every third search would begin it again
            log.exception("a namespace cannot be kept in memory")
            self._refused[namespace_id] = None
            return
        self._copies[namespace_id] = copy
        self._used[namespace_id] = self._clock()
        self._weigh(copy)
        self._shrink()

    def _weigh(self, copy: NamespaceCopy) -> None:
        # What was let go meanwhile has no weight.
        if self._copies.get(copy.namespace_id) is copy:
            self._bytes[copy.namespace_id] = copy.index.nbytes

    def _shrink(self) -> None:
        """Let those go for which there is no room any more, those first that were not searched for longest."""
        while self._copies and self.nbytes > self._limit_bytes:
            oldest = next(iter(self._copies))
            self.forget(oldest)
            self._refused[oldest] = None

    def _let_go(self, namespace_id: int) -> None:
        self._copies.pop(namespace_id, None)
        self._used.pop(namespace_id, None)
        self._bytes.pop(namespace_id, None)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_AT_REST_S)
            idle = self._clock() - IDLE_S
            for namespace_id in [each for each, used in self._used.items() if used < idle]:
                self.forget(namespace_id)
