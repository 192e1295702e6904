"""Which namespaces are in memory: those that are searched often, as many as there is room for."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Coroutine, Sequence
from contextvars import Context
from dataclasses import dataclass

import psycopg
from cachetools import TTLCache

from everword.db.pool import Database
from everword.rpc.heap import give_back
from everword_search.cache.budget import Budget
from everword_search.cache.cached_index import CachedIndex
from everword_search.cache.cached_namespace import AT_ONCE, Asked, CachedNamespace
from everword_search.cache.columns import Unreadable
from everword_search.cache.descriptors import allow_files
from everword_search.cache.lately import LatelySearched
from everword_search.cache.load import NotCopied, bring_up_to_date, look_for_vectors
from everword_search.cache.storage import (
    IN_MEMORY_PASSAGES,
    Mappable,
    MappedFile,
    Memory,
    NoRoom,
    Outgrown,
    Storage,
)
from everword_search.cache.store import PassagesRow
from everword_search.model import MemoryFilter
from everword_search.vectors import GenerationRow

log = logging.getLogger(__name__)

#: Searches of a namespace, each within `_OFTEN_S` seconds of the last, that make it worth being in memory.
OFTEN = 3
#: The same of a small one. To load 1,000 passages takes 40 ms of the processors, 27 of them in Postgres; a search from
#: memory takes 12 ms less than one by the database: after four, it has paid.
OFTEN_SMALL = 2
_SMALL_PASSAGES = 2_000
#: The most files, and what their copies may have in memory together. Of 1,000 passages that is 23 to 173 KB, by how
#: many conversations there are; one that has very much counts for no more than its share: it is worth it.
MOST_FILES = 1_024
HELD_BYTES = 40 << 20
_LARGEST_HELD = HELD_BYTES // 4
_OFTEN_S = 60.0
_COUNTED = 10_000
#: Seconds after which a namespace that nobody searches leaves memory; and when it may give way to others.
IDLE_S = 900.0
_AT_REST_S = 60.0
#: Seconds between two looks for those that nobody searches.
_SWEEP_S = 15.0
#: Seconds until a namespace that could not be kept is tried again.
_REFUSED_S = 120.0
#: Namespaces that are brought up to date at the same time: each takes a connection from the searches.
_BROUGHT_UP_AT_ONCE = 2
#: About what a passage takes, in bytes, beside its vector and its words; what each of its lexemes does, and each number
#: of its vector, with its sign.
_PASSAGE_BYTES, _LEXEME_BYTES, _NUMBER_BYTES = 200, 14, 2.125


@dataclass(frozen=True)
class Limits:
    """What namespaces may take: small ones of memory, large ones of disk; with 0 there are none."""

    memory_bytes: int
    file_bytes: int
    #: Where the files are; None for the system's folder for temporary files.
    folder: str | None = None


class NamespaceCache:
    """The namespaces in this process' memory."""

    def __init__(
        self, database: Database, limits: Limits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._limits = limits
        self._clock = clock
        self._copies: dict[int, CachedNamespace] = {}
        self._used: dict[int, float] = {}
        #: Of those in memory, bytes; of those in files, bytes in all, those of memory, and files.
        self._in_memory = Budget(limits.memory_bytes)
        self._in_files = Budget(limits.file_bytes, HELD_BYTES, allow_files(MOST_FILES))
        self._mappable = Mappable()
        self._lately = LatelySearched(self._mappable)
        self._few = asyncio.Semaphore(_BROUGHT_UP_AT_ONCE)
        #: To look for many vectors takes a connection for a while, and none of those is in a hurry.
        self._one_looking = asyncio.Semaphore(1)
        self._refused: TTLCache[int, None] = TTLCache(_COUNTED, _REFUSED_S, timer=clock)
        self._searches: TTLCache[int, int] = TTLCache(_COUNTED, _OFTEN_S, timer=clock)
        #: What is brought up to date, and not searched meanwhile.
        self._tasks: dict[int, asyncio.Task[None]] = {}
        #: What looks for vectors that came late, beside the searches.
        self._looking: dict[int, asyncio.Task[None]] = {}
        self._sweeping: asyncio.Task[None] | None = None
        #: Whether something was loaded or let go since freed memory was given back.
        self._untidy = False

    def open(self) -> None:
        self._sweeping = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        tasks = [*self._tasks.values(), *self._looking.values()]
        tasks += [self._sweeping] if self._sweeping else []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def find(self, namespace_id: int) -> CachedNamespace | None:
        """Return the copy of a namespace, which may lack what came lately; None where it is not there."""
        return self._copies.get(namespace_id)

    def searched(self, namespace_id: int) -> None:
        """A search of a namespace ended."""
        if copy := self._copies.get(namespace_id):
            self._lately.searched(copy)

    def ask(self, namespace_id: int) -> Asked | None:
        """Return what asks for what a namespace in memory lacks; None where it is not there."""
        copy = self._copies.get(namespace_id)
        if copy is None or namespace_id in self._tasks:
            return None
        self._budget(copy).searched(namespace_id)
        self._used[namespace_id] = self._clock()
        return copy.ask(AT_ONCE)

    def answer(
        self, asked: Asked, row: PassagesRow, active_id: int | None, wanted: MemoryFilter
    ) -> CachedIndex | None:
        """Return the namespace with what it lacked; None where that is too much, and is added beside the search."""
        copy, found = asked.copy, row.found()
        namespace_id = copy.namespace_id
        if self._copies.get(namespace_id) is not copy or namespace_id in self._tasks:
            return None
        if copy.generation_id != active_id or copy.is_outgrown:
            self.forget(namespace_id)
            return None
        if not copy.is_complete(asked, row, found):
            self._bring_up(copy, is_new=False)
            return None
        try:
            if not copy.add(found):
                return None
        except NoRoom as error:
            self.forget(namespace_id)
            if not isinstance(error, Outgrown):
                self._refuse(namespace_id, error)
            return None
        if len(found.ids):
            self._weigh(copy)
            self._shrink()
        if copy.is_due and self._has(copy) and namespace_id not in self._looking:
            _begin(self._looking, namespace_id, self._look_for_vectors(copy))
        vectors = None if copy.lacks_vectors else copy.index.vectors
        return CachedIndex(copy, copy.index.snapshot(), vectors, wanted)

    def consider(
        self, namespace_id: int, passages: int, lexemes: int, generation: GenerationRow | None
    ) -> None:
        """Count a search that asked the database, and begin to load the namespace where that pays.

        `lexemes` is how long its passages are together.
        """
        if not passages or namespace_id in self._tasks or namespace_id in self._refused:
            return
        count = self._searches[namespace_id] = self._searches.get(namespace_id, 0) + 1
        often = OFTEN_SMALL if passages <= _SMALL_PASSAGES else OFTEN
        if count < often or len(self._tasks) >= _BROUGHT_UP_AT_ONCE:
            return
        if not self._fits(passages, lexemes, generation):
            return
        del self._searches[namespace_id]
        try:
            storage = self._storage(passages, generation)
            copy = CachedNamespace(namespace_id, generation, storage, self._clock)
        except NoRoom as error:
            self._refuse(namespace_id, error)
            return
        self._bring_up(copy, is_new=True)

    def give_up(self, namespace_id: int, error: Unreadable | NoRoom) -> None:
        """Let a namespace go that cannot be read or written, and leave it to the database for a while."""
        self.forget(namespace_id)
        self._refuse(namespace_id, error)

    def forget(self, namespace_id: int) -> None:
        """Let a namespace go."""
        self._let_go(namespace_id)
        if task := self._tasks.get(namespace_id):
            task.cancel()

    def _storage(self, passages: int, generation: GenerationRow | None) -> Storage:
        """Return where a namespace is kept: a small one in memory, a large one in a file. Raises NoRoom."""
        if passages <= IN_MEMORY_PASSAGES:
            return Memory(passages)
        return MappedFile(self._limits.folder, passages, _dimensions(generation), self._mappable)

    @property
    def nbytes(self) -> int:
        """What all of them take, of memory and of disk."""
        return self._in_memory.totals[0] + self._in_files.totals[0]

    def _budget(self, copy: CachedNamespace) -> Budget:
        return self._in_memory if copy.index.in_memory else self._in_files

    def _fits(self, passages: int, lexemes: int, generation: GenerationRow | None) -> bool:
        """Return whether a namespace probably fits, once those that were not searched lately are gone."""
        each = _PASSAGE_BYTES + _NUMBER_BYTES * _dimensions(generation)
        nbytes = math.ceil(passages * each + _LEXEME_BYTES * lexemes)
        if passages <= IN_MEMORY_PASSAGES:
            return self._make_room(self._in_memory, (nbytes,))
        return self._make_room(self._in_files, (nbytes, self._in_files.mean[1], 1))

    def _make_room(self, budget: Budget, wanted: Sequence[int]) -> bool:
        """Return whether there is room for so much, once those that were not searched lately are gone."""
        at_rest = self._clock() - _AT_REST_S
        leaving = budget.leaving(wanted, lambda each: self._used[each] <= at_rest)
        for namespace_id in leaving or ():
            self.forget(namespace_id)
        return leaving is not None

    def _bring_up(self, copy: CachedNamespace, is_new: bool) -> None:
        _begin(self._tasks, copy.namespace_id, self._keep(copy, is_new))

    async def _look_for_vectors(self, copy: CachedNamespace) -> None:
        try:
            async with self._one_looking:
                await look_for_vectors(self._database, copy)
        except psycopg.Error as error:
            log.warning("vectors were not looked for", extra={"error": repr(error)})
        except (NoRoom, Unreadable) as error:
            if self._has(copy):
                self.give_up(copy.namespace_id, error)

    def _has(self, copy: CachedNamespace) -> bool:
        """Tell whether a copy was not let go meanwhile, and perhaps made anew."""
        return self._copies.get(copy.namespace_id) is copy

    async def _keep(self, copy: CachedNamespace, is_new: bool) -> None:
        namespace_id, budget = copy.namespace_id, self._budget(copy)
        # The database answers the searches meanwhile, and goes on to where this fails: half of a copy is none.
        self._let_go(namespace_id)
        try:
            async with self._few:
                await bring_up_to_date(self._database, copy, is_new, budget.limits[0])
            # What turns out larger than it seemed must push nothing aside that is searched.
            if is_new and not self._make_room(budget, _weight(copy)):
                raise NotCopied("there is no room for it")
        except (psycopg.Error, NotCopied, NoRoom, Unreadable) as error:
            # What has outgrown its file is made anew by the next searches.
            if is_new or not isinstance(error, Outgrown):
                self._refuse(namespace_id, error)
            return
        except Exception:  # the task's edge: without it, the next searches would begin it again
            log.exception("a namespace cannot be kept in memory")
            self._refused[namespace_id] = None
            return
        self._copies[namespace_id] = copy
        self._used[namespace_id] = self._clock()
        self._untidy = True
        self._weigh(copy)
        self._shrink()

    def _refuse(self, namespace_id: int, error: Exception) -> None:
        # A folder or a disk is for somebody to put right.
        level = logging.WARNING if isinstance(error, NoRoom | Unreadable) else logging.INFO
        log.log(level, "a namespace is not kept in memory", extra={"reason": repr(error)})
        self._refused[namespace_id] = None

    def _weigh(self, copy: CachedNamespace) -> None:
        # What was let go meanwhile has no weight.
        if self._has(copy):
            self._budget(copy).take(copy.namespace_id, *_weight(copy))
            self._mappable.held_bytes = self._in_files.totals[1]

    def _shrink(self) -> None:
        """Let those go for which there is no room any more, those first that were not searched for longest."""
        for budget in (self._in_memory, self._in_files):
            while (leaving := budget.excess()) is not None:
                self.forget(leaving)
                self._refuse(leaving, NotCopied("there is no room for it"))

    def _let_go(self, namespace_id: int) -> None:
        if namespace_id in self._copies:
            # Closing a file frees its disk, which takes milliseconds: the last reference is the list's, in a thread.
            gone = [self._copies.pop(namespace_id)]
            self._lately.rest(gone[0])
            if looking := self._looking.pop(namespace_id, None):
                looking.cancel()
            asyncio.get_running_loop().run_in_executor(None, gone.clear)
            self._untidy = True
        self._used.pop(namespace_id, None)
        for budget in (self._in_memory, self._in_files):
            budget.drop(namespace_id)
        self._mappable.held_bytes = self._in_files.totals[1]

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_S)
            try:
                await self._tidy_up()
            except Exception:  # the task's edge: nobody else would look, ever
                log.exception("namespaces in memory were not looked after")

    async def _tidy_up(self) -> None:
        now = self._clock()
        for namespace_id, used in list(self._used.items()):
            if used < now - IDLE_S:
                self.forget(namespace_id)
            elif used < now - _SWEEP_S:
                self._lately.rest(self._copies[namespace_id])
        if self._untidy:
            self._untidy = False
            await asyncio.to_thread(give_back)


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


def _weight(copy: CachedNamespace) -> Sequence[int]:
    """Return what a copy takes, as its budget counts it."""
    index = copy.index
    if index.in_memory:
        return (index.nbytes,)
    return index.nbytes, min(index.memory_bytes, _LARGEST_HELD), 1


def _dimensions(generation: GenerationRow | None) -> int:
    return (generation and generation.dimensions) or 0
