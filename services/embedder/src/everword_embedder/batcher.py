"""One queue before each provider, with three classes: queries, short background work, and long background work.

The provider sets the size of a batch. Long background work leaves one call free for short background work (passages
that a tenant has just written), and both leave one call free for queries, so that no backlog delays the others. Callers
give up by cancelling: a text without callers is dropped from the queue, and a call without callers is cancelled.
"""

from __future__ import annotations

import asyncio
import contextvars
import enum
import logging
import time
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial

from opentelemetry import trace

from everword.admission.frames import forget_frames
from everword.domain.background import end_tasks
from everword.domain.errors import Overloaded
from everword.telemetry import names
from everword.telemetry.tracing import duration_histogram, up_down_counter
from everword_embedder.providers.errors import ProviderError, ProviderUnavailable
from everword_embedder.providers.isolation import Outcome, embed_isolating
from everword_embedder.providers.provider import EmbeddingProvider

log = logging.getLogger(__name__)
#: Texts that may wait, by class: a few seconds' work of the slowest provider. More is refused at once instead of late.
QUERY_CAPACITY = 256
BACKGROUND_CAPACITY = 1024
#: Background work of at most this many texts is short.
SHORT_TEXTS = 16


class Priority(enum.Enum):
    """The kind of caller that waits for a vector."""

    QUERY = "query"
    #: Background work of a few texts; callers say BACKGROUND.
    SHORT = "short"
    BACKGROUND = "background"


class _Item:
    """A text in the queue, and the number of callers that wait for it."""

    def __init__(self, text: str, priority: Priority) -> None:
        self.text = text
        self.priority = priority
        self.callers = 0
        self.entered_at = time.perf_counter()
        self.outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self.batch: _Batch | None = None
        self.context = contextvars.copy_context()
        self.span = trace.get_current_span().get_span_context()


class _Batch:
    """Texts in one call."""

    def __init__(self, priority: Priority, items: list[_Item]) -> None:
        self.priority = priority
        self.items = items
        self.task: asyncio.Task[list[Outcome]] | None = None


class Batcher:
    """Merges callers' texts into calls of one provider."""

    def __init__(self, provider: EmbeddingProvider) -> None:
        self._provider = provider
        # Ordered, because an item leaves from the middle when its callers give up.
        self._queues: dict[Priority, OrderedDict[_Item, None]] = {
            priority: OrderedDict() for priority in Priority
        }
        #: Waiting queries by text, so that equal queries share one vector.
        self._queries: dict[str, _Item] = {}
        self._running: set[_Batch] = set()
        self._closed = False

    async def embed(self, texts: Sequence[str], priority: Priority) -> list[Outcome]:
        """Return for each text, in order, its vector or the error that prevented one.

        Raises Overloaded at once if the queue has no capacity for all of them.
        """
        if priority is Priority.BACKGROUND and len(texts) <= SHORT_TEXTS:
            priority = Priority.SHORT
        self._refuse_beyond_capacity(len(texts), priority)
        # Sorted by length, since the texts of a call are padded to the longest one.
        by_length = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        entered = {place: self._enter(texts[place], priority) for place in by_length}
        items = [entered[place] for place in range(len(texts))]
        self._start_calls()
        try:
            # Shielded: others may wait for the same text.
            return [await asyncio.shield(item.outcome) for item in items]
        finally:
            for item in items:
                self._release_item(item)

    async def close(self) -> None:
        """Cancel running calls, fail waiting ones, and close the provider."""
        self._closed = True
        await end_tasks([batch.task for batch in self._running])
        stopping = ProviderUnavailable("the embedder is stopping")
        for queue in self._queues.values():
            for item in list(queue):
                self._complete(item, stopping)
        await self._provider.close()

    def _refuse_beyond_capacity(self, texts: int, priority: Priority) -> None:
        if self._closed:
            raise Overloaded("The embedder is stopping.")
        capacity = QUERY_CAPACITY if priority is Priority.QUERY else BACKGROUND_CAPACITY
        if len(self._queues[priority]) + texts > capacity:
            raise Overloaded(waiting=len(self._queues[priority]), limit=capacity)

    def _enter(self, text: str, priority: Priority) -> _Item:
        item = self._queries.get(text) if priority is Priority.QUERY else None
        if item is None:
            item = _Item(text, priority)
            self._queues[priority][item] = None
            self._count_waiting(priority, 1)
            if priority is Priority.QUERY:
                self._queries[text] = item
        item.callers += 1
        return item

    def _release_item(self, item: _Item) -> None:
        """Release an item; it is dropped if no other caller waits for it and it is not done."""
        item.callers -= 1
        if item.callers or item.outcome.done():
            return
        item.outcome.cancel()
        self._forget(item)
        batch = item.batch
        if batch and batch.task and all(other.outcome.done() for other in batch.items):
            batch.task.cancel()

    def _complete(self, item: _Item, outcome: Outcome) -> None:
        self._forget(item)
        if not item.outcome.done():
            item.outcome.set_result(outcome)

    def _forget(self, item: _Item) -> None:
        if item in self._queues[item.priority]:
            del self._queues[item.priority][item]
            self._count_waiting(item.priority, -1)
        if self._queries.get(item.text) is item:
            del self._queries[item.text]

    def _start_calls(self) -> None:
        for priority in Priority:
            while self._queues[priority] and self._may_start(priority):
                self._start(priority)

    def _may_start(self, priority: Priority) -> bool:
        """Return whether a call may start: each class leaves one for those before it, and long work one for
        short work.
        """
        background, running = self._provider.limits.background, len(self._running)
        if priority is Priority.QUERY:
            return running < background + 2
        of_its_kind = sum(batch.priority is priority for batch in self._running)
        return running < background + 1 and of_its_kind < background

    def _take(self, priority: Priority) -> list[_Item]:
        """Take the next batch off a queue: the longest waiting, as many as the provider likes, and at least one."""
        queue, limits = self._queues[priority], self._provider.limits
        most = limits.queries if priority is Priority.QUERY else limits.texts
        items: list[_Item] = []
        characters = 0
        while queue and len(items) < most:
            characters += len(next(iter(queue)).text)
            if items and characters > limits.characters:
                break
            items.append(queue.popitem(last=False)[0])
        self._count_waiting(priority, -len(items))
        return items

    def _start(self, priority: Priority) -> None:
        items = self._take(priority)
        batch = _Batch(priority, items)
        self._running.add(batch)
        wait = duration_histogram(names.EMBED_WAIT)
        started_at = time.perf_counter()
        for item in items:
            item.batch = batch
            wait.record(started_at - item.entered_at, {names.EMBED_PRIORITY: priority.value})
        links = [trace.Link(item.span) for item in items[1:] if item.span.is_valid]
        texts, urgent = [item.text for item in items], priority is not Priority.BACKGROUND
        call = embed_isolating(self._provider, texts, links, urgent=urgent)
        # In the context of the first caller, to whose trace the call belongs; the spans of the others are linked.
        batch.task = asyncio.create_task(call, context=items[0].context)
        batch.task.add_done_callback(partial(self._end, batch))

    def _end(self, batch: _Batch, task: asyncio.Task[list[Outcome]]) -> None:
        self._running.discard(batch)
        for item, outcome in zip(batch.items, _outcomes(batch, task), strict=True):
            if isinstance(outcome, ProviderError):
                forget_frames(outcome)
            self._complete(item, outcome)
            # The batch refers to the item: this cycle would keep a text and its vector until a garbage collection.
            item.batch = None
        if not self._closed:
            self._start_calls()

    def _count_waiting(self, priority: Priority, change: int) -> None:
        labels = {names.EMBED_PRIORITY: priority.value}
        up_down_counter(names.EMBED_WAITING, "{text}").add(change, labels)


def _outcomes(batch: _Batch, task: asyncio.Task[list[Outcome]]) -> list[Outcome]:
    if task.cancelled():
        return [ProviderUnavailable("the call was given up")] * len(batch.items)
    error = task.exception()
    if error is None:
        return task.result()
    if not isinstance(error, ProviderError):
        log.error("provider failed", exc_info=error)
        error = ProviderUnavailable("the provider failed")
    return [error] * len(batch.items)
