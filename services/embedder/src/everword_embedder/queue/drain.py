"""Embeds pending passages in batches over all namespaces, until none is pending.

Passages are embedded unchanged, except that credentials are masked if the model is on a server (`mask_texts.py`). A
name or a date before each passage would make passages similar that have nothing else in common.

Namespaces share each batch, so that no namespace waits for the backlog of another; namespaces with few passages come
first. If a batch has fewer places than there are namespaces with pending passages, the next batch continues with the
namespaces that were left out.

Texts are read, and vectors written, in one short transaction per namespace; the model is called between the two,
outside of transactions. While the model embeds one batch, another is read or stored, so that the model is always busy.
Texts that the model refuses are parked; a failing batch is split until the bad text is alone.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import numpy as np
import numpy.typing as npt
import psycopg
import regex

from everword.costs.model import ModelCall
from everword.costs.store import insert_usage_blocking
from everword.db.blocking import BlockingDatabase
from everword.jobs.task import JobRun
from everword.telemetry import names
from everword.telemetry.tracing import counter, duration_histogram
from everword_embedder.queue import store
from everword_embedder.queue.calibration import UNRELATED, measure
from everword_embedder.queue.charges import Charging
from everword_embedder.queue.embedder import ModelUnavailable, TextEmbedder, TextsRejected
from everword_embedder.queue.mask_texts import read_around, sent_texts
from everword_embedder.queue.store import PendingVector, WrittenGeneration, by_namespace

_BLOB = regex.compile(r"[A-Za-z0-9+/=_-]{200,}")
#: A text is a blob where runs of base64 are more than this share of it.
_BLOB_SHARE = 0.9


@dataclass(frozen=True)
class Item:
    """A passage being embedded."""

    pending: PendingVector
    text: str


def by_share(items: Sequence[Item], few: int) -> tuple[list[Item], list[Item]]:
    """Return the passages of namespaces with up to `few` in a batch, which must not wait for the rest, and
    the others.
    """
    shares = Counter(item.pending.namespace_id for item in items)
    of_few = [item for item in items if shares[item.pending.namespace_id] <= few]
    return of_few, [item for item in items if shares[item.pending.namespace_id] > few]


log = logging.getLogger(__name__)
#: Passages that are claimed at once. The model server batches within them as it sees fit.
BATCH = 64
#: Passages of a namespace in a batch if many namespaces have some: each is read and stored in transactions of its own.
FEW = 16
#: Batches at once: the model has one while the other is read or stored.
LANES = 2
#: Seconds between polls for other namespaces' new passages while both batches are busy.
POLL_INTERVAL_S = 0.05
#: After an empty poll, wait this many times the poll's own duration.
POLL_DURATION_SHARE = 5
#: A text that fails alone is parked after this many attempts.
MAX_ATTEMPTS = 3

#: A text that any model can embed, to distinguish an unavailable model from a bad text.
HARMLESS = "hello"


@dataclass(frozen=True)
class DrainSettings:
    """Lease and pauses of a drain."""

    #: Seconds of a claim: longer than a batch takes on a slow CPU. Work of a dead worker waits this long.
    lease_s: float = 120.0
    #: Seconds of pause after a first failure, and before an unreachable model is called again; later pauses are longer.
    pause_s: float = 5.0

    @property
    def pauses_s(self) -> tuple[float, ...]:
        """Seconds of pause after the first, second and every later failed attempt."""
        return self.pause_s, 6 * self.pause_s, 24 * self.pause_s


class Drain:
    """Empties the queue of one generation after the other."""

    def __init__(
        self,
        database: BlockingDatabase,
        embedder: TextEmbedder,
        settings: DrainSettings = DrainSettings(),
        charging: Charging | None = None,
    ) -> None:
        """Without `charging`, vectors are free."""
        self._charging = charging
        self._database = database
        self._embedder = embedder
        self._lease_s = settings.lease_s
        self._pauses_s = settings.pauses_s
        #: By generation and `only_few`, the namespace whose turn was last. If lanes race, some turns come again.
        self._last_turns: dict[tuple[int, bool], int] = {}

    def run(self, run: JobRun) -> None:
        """Do the due work; the function of the task `embed`."""
        with self._database.connection() as conn:
            generations = store.live_generations(conn)
        for generation in generations:
            self._calibrate(generation)
            self._drain(generation, run)

    def _drain(self, generation: WrittenGeneration, run: JobRun) -> None:
        """Empty the queue of a generation. An error in one lane is raised when the others have ended."""
        pool = ThreadPoolExecutor(LANES, thread_name_prefix="drain")
        # Each in the trace of the job.
        lanes = [
            pool.submit(copy_context().run, self._drain_batches, generation, run)
            for _ in range(LANES)
        ]
        # If this thread must end, it does not wait for the lanes, which end when the database is closed.
        pool.shutdown(wait=False)
        pause = POLL_INTERVAL_S
        while wait(lanes, timeout=pause).not_done:
            started = time.perf_counter()
            made = self._drain_recent_writes(generation, run)
            # With a backlog in thousands of namespaces, a poll takes a second.
            elapsed = 0.0 if made else time.perf_counter() - started
            pause = max(POLL_INTERVAL_S, POLL_DURATION_SHARE * elapsed)
        for lane in lanes:
            lane.result()

    def _drain_recent_writes(self, generation: WrittenGeneration, run: JobRun) -> bool:
        """Embed the few new passages of other namespaces, if any, so that they do not wait for a long batch."""
        try:
            if run.other_namespaces_wait() and self.drain_batch(generation, only_few=True):
                run.checkpoint()
                return True
        except psycopg.Error as error:
            # The lanes go on, and find out for themselves whether the database is gone.
            log.warning("other namespaces not checked", extra={"error": str(error)})
        return False

    def _drain_batches(self, generation: WrittenGeneration, run: JobRun) -> None:
        while self.drain_batch(generation):
            run.checkpoint()

    def drain_batch(self, generation: WrittenGeneration, only_few: bool = False) -> bool:
        """Do one batch, with `only_few` of namespaces that have few; False if nothing is due, or the model is away."""
        if self._charging:
            self._charging.forget()
        after = self._last_turns.get((generation.id, only_few), 0)
        with self._database.connection() as conn:
            sizes = (FEW if only_few else BATCH, FEW)
            claim = partial(store.claim_pending, conn, generation.id, after, *sizes, self._lease_s)
            # Derived text before its minute is over only if no message waits in any namespace.
            pending = claim(only_few=True) if only_few else claim() or claim(early=True)
        if not pending:
            return False
        # They began after that one, and went on with the first.
        self._last_turns[generation.id, only_few] = max(
            (entry.namespace_id for entry in pending), key=lambda each: (each <= after, each)
        )
        admitted = self._charging.admit(generation, pending) if self._charging else pending
        few, many = by_share(self._read(generation, admitted), FEW)
        if not self._embed(generation, few):
            return bool(many) and self._release(generation, many, "the model is away")
        return self._embed(generation, many)

    def _calibrate(self, generation: WrittenGeneration) -> None:
        """Measure the cosine of unrelated texts in the model, once. If the model is unavailable, the next
        job does it.
        """
        if generation.calibrated:
            return
        try:
            passages = queries = self._embedder.embed(generation.id, UNRELATED)
            if generation.query_prefix != generation.passage_prefix:
                queries = self._embedder.embed(generation.id, UNRELATED, queries=True)
        except (TextsRejected, ModelUnavailable):
            return
        mean, deviation = measure(queries, passages)
        with self._database.connection() as conn:
            store.set_background(conn, generation.id, mean, deviation)

    def _read(self, generation: WrittenGeneration, pending: Sequence[PendingVector]) -> list[Item]:
        """Return the passages to embed; unembeddable ones are parked, and deleted ones leave the queue."""
        items: list[Item] = []
        for namespace_id, group in by_namespace(pending).items():
            with self._database.transaction(namespace_id) as conn:
                ids = [entry.memory_id for entry in group]
                passages = store.read_passages(conn, namespace_id, ids)
                contents = {passage.memory_id: passage.content for passage in passages}
                gone = [entry for entry in group if entry.memory_id not in contents]
                if gone:
                    store.complete_pending(conn, namespace_id, generation.id, gone)
                around = read_around(conn, generation, namespace_id, passages)
                retained: list[PendingVector] = []
                for entry in (each for each in group if each.memory_id in contents):
                    if reason := unembeddable_reason(contents[entry.memory_id]):
                        store.fail_pending(
                            conn, generation.id, entry, reason, final=True, pause_s=0.0
                        )
                        _count("parked", 1)
                    else:
                        retained.append(entry)
            texts = sent_texts(passages, around)
            items += [Item(entry, texts[entry.memory_id]) for entry in retained]
        return items

    def _embed(self, generation: WrittenGeneration, items: Sequence[Item]) -> bool:
        """Embed and store; False where the model is away."""
        if not items:
            return True
        try:
            vectors = self._embedder.embed(generation.id, [item.text for item in items])
        except TextsRejected as error:
            self._charge(generation, items)
            return self._park_rejected(generation, items, error.reasons)
        except ModelUnavailable as error:
            self._charge(generation, items)
            # A model that answers a harmless text has a problem with these; one that does not is away.
            if self._answers(generation):
                return self._split(generation, items, str(error))
            return self._release(generation, items, str(error))
        self._store(generation, items, vectors)
        return True

    def _park_rejected(
        self, generation: WrittenGeneration, items: Sequence[Item], reasons: Mapping[int, str]
    ) -> bool:
        """Park the texts that the model refuses, and embed the rest of the batch."""
        for index, reason in reasons.items():
            self._fail(generation, items[index].pending, reason, final=True)
        rest = [item for index, item in enumerate(items) if index not in reasons]
        return self._embed(generation, rest)

    def _answers(self, generation: WrittenGeneration) -> bool:
        try:
            self._embedder.embed(generation.id, [HARMLESS])
        except (TextsRejected, ModelUnavailable):
            return False
        return True

    def _split(self, generation: WrittenGeneration, items: Sequence[Item], error: str) -> bool:
        """Halve a failing batch until the bad text is alone, and record its failure."""
        if len(items) > 1:
            half = len(items) // 2
            if self._embed(generation, items[:half]):
                return self._embed(generation, items[half:])
            return self._release(generation, items[half:], error)
        pending = items[0].pending
        self._fail(generation, pending, error, final=pending.attempts >= MAX_ATTEMPTS)
        return True

    def _fail(
        self, generation: WrittenGeneration, pending: PendingVector, error: str, *, final: bool
    ) -> None:
        pause = self._pauses_s[min(pending.attempts, len(self._pauses_s)) - 1]
        with self._database.connection() as conn:
            store.fail_pending(conn, generation.id, pending, error, final=final, pause_s=pause)
        _count("parked" if final else "failed", 1)
        log.warning("passage not embedded", extra={"memory_id": pending.memory_id, "error": error})

    def _release(self, generation: WrittenGeneration, items: Sequence[Item], error: str) -> bool:
        """Give passages back: the model is away, and that is not their fault."""
        pending = [item.pending for item in items]
        with self._database.connection() as conn:
            for namespace_id, group in by_namespace(pending).items():
                pause = self._pauses_s[0]
                store.release_pending(conn, namespace_id, generation.id, group, pause, error)
        log.warning("embedding model unavailable", extra={"passages": len(items), "error": error})
        return False

    def _store(
        self, generation: WrittenGeneration, items: Sequence[Item], vectors: npt.NDArray[np.float32]
    ) -> None:
        rows = {item.pending.memory_id: row for row, item in enumerate(items)}
        calls = self._calls(generation, items)
        for namespace_id, group in by_namespace([item.pending for item in items]).items():
            with self._database.transaction(namespace_id) as conn:
                completed = list(store.complete_pending(conn, namespace_id, generation.id, group))
                if completed:
                    retained = vectors[[rows[memory_id] for memory_id in completed]]
                    store.store_vectors(conn, namespace_id, generation, completed, retained)
                # With the vectors, so that none is free; last, for it holds sums of budgets.
                if call := calls.get(namespace_id):
                    insert_usage_blocking(conn, [call])
            _count("embedded", len(completed))
        now = datetime.now(UTC)
        for item in items:
            lag = max(0.0, (now - item.pending.enqueued_at).total_seconds())
            duration_histogram(names.EMBED_LAG).record(lag)

    def _charge(self, generation: WrittenGeneration, items: Sequence[Item]) -> None:
        """Charge the tokens that the model read of passages without storing vectors."""
        for namespace_id, call in self._calls(generation, items).items():
            with self._database.transaction(namespace_id) as conn:
                insert_usage_blocking(conn, [call])

    def _calls(self, generation: WrittenGeneration, items: Sequence[Item]) -> dict[int, ModelCall]:
        """Return the charges for the last calls of the model, by namespace."""
        if self._charging is None:
            return {}
        sizes: Counter[int] = Counter()
        for item in items:
            sizes[item.pending.namespace_id] += len(item.text)
        return self._charging.calls(generation, sizes)


def _count(outcome: str, passages: int) -> None:
    counter(names.EMBED_PASSAGES, "{passage}").add(passages, {names.JOB_OUTCOME: outcome})


def unembeddable_reason(text: str) -> str | None:
    """Return the reason why `text` cannot be embedded; None if it can."""
    stripped = text.strip()
    if not any(character.isalnum() for character in stripped):
        return "it holds no words"
    blobs = sum(len(match[0]) for match in _BLOB.finditer(stripped))
    if blobs > _BLOB_SHARE * len(stripped):
        return "it is encoded data, not text"
    return None
