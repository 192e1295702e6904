"""Draining the embedding queue: every passage gets a vector or an error, however the model behaves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import psycopg
import pytest

from everword.db.blocking import BlockingDatabase
from everword.domain.errors import InvalidArgument
from everword.domain.settings import NO_SECRET
from everword.jobs.store import StartedJob
from everword.jobs.task import JobRun
from everword.telemetry import names
from everword_embedder.embed import Embedder
from everword_embedder.queue import drain as drain_module
from everword_embedder.queue import store as drain_store
from everword_embedder.queue.calibration import UNRELATED
from everword_embedder.queue.drain import HARMLESS, Drain
from everword_embedder.queue.embedder import ModelUnavailable, TextsRejected
from everword_embedder.queue.remote import RemoteEmbedder
from everword_embedder.queue.schedule import record_backlog, schedule_pending
from support.calls import append, message
from support.databases import DatabaseUnderTest
from support.jobs import make_namespace
from support.stack import Stack

#: Texts of the first two calls, which measure the model: unrelated texts as questions, and as passages.
BACKGROUND = [len(UNRELATED)] * 2
DIMENSIONS = 384
OTHER = [("x-everword-namespace", "other")]


class ScriptedModel:
    """A scripted model whose vectors encode the texts' lengths."""

    def __init__(self) -> None:
        #: Texts that contain one of these are refused.
        self.refused: set[str] = set()
        #: Texts that contain one of these make the model fail.
        self.stumbles: set[str] = set()
        self.away = False
        self.asked: list[int] = []

    def embed(
        self, generation_id: int, texts: Sequence[str], *, queries: bool = False
    ) -> npt.NDArray[np.float32]:
        if self.away:
            raise ModelUnavailable("UNAVAILABLE: connection refused")
        self.asked.append(len(texts))
        refused = [n for n, text in enumerate(texts) if any(word in text for word in self.refused)]
        if refused:
            raise TextsRejected(dict.fromkeys(refused, "it is too long"))
        if any(word in text for text in texts for word in self.stumbles):
            raise ModelUnavailable("INTERNAL: 500")
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        vectors[:, 0] = [len(text) for text in texts]
        return vectors


@pytest.fixture
def jobs(database: DatabaseUnderTest) -> Iterator[BlockingDatabase]:
    blocking = BlockingDatabase(database.settings("embedder"), "embedder")
    blocking.open()
    yield blocking
    blocking.close()


@pytest.fixture
def owner(database: DatabaseUnderTest) -> Iterator[psycopg.Connection]:
    with database.connect() as conn:
        yield conn


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


def run(jobs: BlockingDatabase, model: ScriptedModel) -> None:
    job = StartedJob(1, 1, "embed", "shard-0", 1, 1, 1, None)
    Drain(jobs, model).run(JobRun(job, lambda: None, lambda: None))


def queue(owner: psycopg.Connection) -> list[tuple[object, ...]]:
    return owner.execute(
        """SELECT m.content, q.state, q.error
             FROM embedding_queue q
             JOIN memories m ON m.namespace_id = q.namespace_id AND m.id = q.memory_id ORDER BY m.id"""
    ).fetchall()


def vectors(owner: psycopg.Connection) -> int:
    [count] = owner.execute("SELECT count(*) FROM memory_vectors_1").fetchone() or (0,)
    return int(count)


async def test_drain_embeds_pending_passages_of_all_namespaces(
    stack: Stack, jobs: BlockingDatabase, model: ScriptedModel, owner: psycopg.Connection
) -> None:
    make_namespace(owner, "other")
    await append(stack, *[f"message {number}" for number in range(70)])
    await append(stack, "theirs", metadata=OTHER)
    run(jobs, model)
    assert queue(owner) == []
    assert vectors(owner) == 71
    assert model.asked[:2] == BACKGROUND
    # The last namespace's texts come alone or with the last texts of the larger one. Two lanes make the order random.
    assert sorted(model.asked[2:]) in ([1, 7, 63], [8, 63])
    mismatched = """SELECT count(*) FROM memory_vectors_1 v
                      LEFT JOIN memories m ON m.namespace_id = v.namespace_id AND m.id = v.memory_id
                     WHERE m.id IS NULL"""
    assert owner.execute(mismatched).fetchone() == (0,)


async def test_drain_stores_each_vector_with_its_passage(
    stack: Stack, jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    class Slow(ScriptedModel):
        def embed(
            self, generation_id: int, texts: Sequence[str], *, queries: bool = False
        ) -> npt.NDArray[np.float32]:
            # Another worker has claimed one text meanwhile: its vector is omitted, and no other vector takes its place.
            owner.execute(
                "UPDATE embedding_queue q SET attempts = attempts + 1 FROM memories m"
                " WHERE m.namespace_id = q.namespace_id AND m.id = q.memory_id AND m.content = 'xx'"
            )
            return super().embed(generation_id, texts)

    make_namespace(owner, "other")
    await append(stack, *["x" * number for number in (5, 1, 2, 4, 3)])
    await append(stack, *["x" * number for number in (7, 6)], metadata=OTHER)
    run(jobs, Slow())
    found = owner.execute(
        "SELECT length(m.content), v.embedding::real[] FROM memory_vectors_1 v"
        "  JOIN memories m ON m.namespace_id = v.namespace_id AND m.id = v.memory_id ORDER BY 1"
    ).fetchall()
    assert [length for length, _ in found] == [1, 3, 4, 5, 6, 7]
    assert all(vector == [length, *[0.0] * (DIMENSIONS - 1)] for length, vector in found)


async def test_drain_parks_texts_without_words_with_a_reason(
    stack: Stack, jobs: BlockingDatabase, model: ScriptedModel, owner: psycopg.Connection
) -> None:
    blob = "iVBORw0KGgo" * 60
    await append(stack, "real words", message("🎉 …"), message(blob), message(""))
    run(jobs, model)
    assert queue(owner) == [
        ("🎉 …", "failed", "it holds no words"),
        (blob, "failed", "it is encoded data, not text"),
    ]
    assert vectors(owner) == 1


async def test_drain_parks_refused_texts_and_embeds_the_rest_of_the_batch(
    stack: Stack, jobs: BlockingDatabase, model: ScriptedModel, owner: psycopg.Connection
) -> None:
    model.refused = {"poison", "venom"}
    fine = [f"fine {number}" for number in range(20)]
    await append(stack, "venom", *fine, "poison", "fine too")
    run(jobs, model)
    assert queue(owner) == [
        ("venom", "failed", "it is too long"),
        ("poison", "failed", "it is too long"),
    ]
    assert vectors(owner) == 21
    assert model.asked == [*BACKGROUND, 23, 21]


async def test_drain_parks_a_failing_text_after_three_attempts(
    stack: Stack, jobs: BlockingDatabase, model: ScriptedModel, owner: psycopg.Connection
) -> None:
    model.stumbles = {"odd"}
    await append(stack, "fine", "odd")
    states = []
    for _ in range(3):
        run(jobs, model)
        states.append(queue(owner)[0][1])
        owner.execute("UPDATE embedding_queue SET not_before = now()")
    assert states == ["pending", "pending", "failed"]
    assert vectors(owner) == 1


async def test_drain_counts_no_attempts_while_the_model_is_unavailable(
    stack: Stack, jobs: BlockingDatabase, model: ScriptedModel, owner: psycopg.Connection
) -> None:
    await append(stack, *[f"message {number}" for number in range(10)])
    model.away = True
    for _ in range(5):
        run(jobs, model)
        owner.execute("UPDATE embedding_queue SET not_before = now()")
    attempts = owner.execute("SELECT DISTINCT state, attempts, error FROM embedding_queue")
    assert attempts.fetchall() == [("pending", 0, "UNAVAILABLE: connection refused")]
    model.away = False
    run(jobs, model)
    assert queue(owner) == []
    assert vectors(owner) == 10


async def test_drain_discards_vectors_of_a_worker_with_an_expired_lease(
    stack: Stack, jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    class Slow(ScriptedModel):
        def embed(
            self, generation_id: int, texts: Sequence[str], *, queries: bool = False
        ) -> npt.NDArray[np.float32]:
            if texts[0] not in (UNRELATED[0], HARMLESS):
                # The lease has expired, and another worker takes the passages over.
                owner.execute("UPDATE embedding_queue SET attempts = attempts + 1")
            return super().embed(generation_id, texts)

    await append(stack, "one", "two")
    run(jobs, Slow())
    assert vectors(owner) == 0
    assert [state for _, state, _ in queue(owner)] == ["pending", "pending"]


async def test_drain_stores_no_vector_for_a_passage_erased_meanwhile(
    stack: Stack, jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    class Slow(ScriptedModel):
        def embed(
            self, generation_id: int, texts: Sequence[str], *, queries: bool = False
        ) -> npt.NDArray[np.float32]:
            owner.execute("DELETE FROM memories WHERE content = 'secret'")
            return super().embed(generation_id, texts)

    await append(stack, "kept", "secret")
    run(jobs, Slow())
    assert vectors(owner) == 1
    assert owner.execute("SELECT count(*) FROM embedding_queue").fetchone() == (0,)


async def test_schedule_pending_creates_missing_embed_jobs(
    stack: Stack, jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    await append(stack, "one")
    owner.execute("DELETE FROM jobs")
    assert schedule_pending(jobs) == 0
    owner.execute("UPDATE embedding_queue SET not_before = now() - interval '1 minute'")
    assert schedule_pending(jobs) == 1
    assert schedule_pending(jobs) == 0
    assert owner.execute("SELECT task, state FROM jobs").fetchall() == [("embed", "pending")]
    owner.execute("UPDATE jobs SET state = 'failed'")
    assert schedule_pending(jobs) == 1


async def test_backlog_length_and_age_are_recorded(
    stack: Stack,
    jobs: BlockingDatabase,
    model: ScriptedModel,
    owner: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorded: dict[str, float] = {}

    def gauge(name: str, unit: str) -> SimpleNamespace:
        return SimpleNamespace(set=partial(recorded.__setitem__, name))

    monkeypatch.setattr("everword_embedder.queue.schedule.gauge", gauge)
    make_namespace(owner, "other")
    await append(stack, "one", "two")
    await append(stack, "theirs", metadata=OTHER)
    owner.execute("UPDATE embedding_queue SET enqueued_at = now() - interval '1 hour'")
    record_backlog(jobs)
    assert recorded[names.EMBED_PENDING] == 3
    assert 3600 <= recorded[names.EMBED_PENDING_AGE] < 3660
    with jobs.connection() as conn:
        assert drain_store.measure_backlog(conn, cap=2).pending == 2
    run(jobs, model)
    record_backlog(jobs)
    assert recorded == {names.EMBED_PENDING: 0, names.EMBED_PENDING_AGE: 0}


async def test_background_statistics_of_a_model_are_measured_once(
    stack: Stack, jobs: BlockingDatabase, model: ScriptedModel, owner: psycopg.Connection
) -> None:
    run(jobs, model)
    measured = "SELECT background_mean, background_deviation FROM model_generations"
    assert owner.execute(measured).fetchall() == [(1.0, 0.0)]
    run(jobs, model)
    assert model.asked == BACKGROUND


async def test_vectors_are_stored_as_arrays_until_pgvector_is_installed(
    stack: Stack, jobs: BlockingDatabase, model: ScriptedModel, owner: psycopg.Connection
) -> None:
    owner.execute("SELECT drop_vector_table(1)")
    owner.execute("DROP EXTENSION vector")
    owner.execute(
        "INSERT INTO model_generations (state, provider, model, dimensions, backfilled_at)"
        " VALUES ('active', 'local', 'm', 384, now())"
    )
    [generation] = owner.execute("SELECT id FROM model_generations").fetchone() or (0,)
    owner.execute("SELECT create_vector_table(%s)", [generation])
    await append(stack, "three", "two")
    run(jobs, model)
    table = f"memory_vectors_{generation}"
    arrays = owner.execute(f"SELECT embedding[1], cardinality(embedding) FROM {table} ORDER BY 1")
    assert arrays.fetchall() == [(3.0, DIMENSIONS), (5.0, DIMENSIONS)]
    assert owner.execute("SELECT upgrade_vector_tables()").fetchone() == (1,)
    kept = owner.execute(f"SELECT pg_typeof(embedding)::text FROM {table}")
    assert kept.fetchall() == [("halfvec",), ("halfvec",)]
    await append(stack, "four")
    run(jobs, model)
    assert owner.execute(f"SELECT count(*) FROM {table}").fetchone() == (3,)


async def test_drain_requests_the_next_batch_before_storing_the_previous_one(
    stack: Stack, jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    class Pair(ScriptedModel):
        """Waits with the first answer until a second request has arrived."""

        def __init__(self) -> None:
            super().__init__()
            self.both = threading.Barrier(2)

        def embed(
            self, generation_id: int, texts: Sequence[str], *, queries: bool = False
        ) -> npt.NDArray[np.float32]:
            if texts[0] != UNRELATED[0]:
                self.both.wait(timeout=60)
            return super().embed(generation_id, texts)

    await append(stack, *[f"message {number}" for number in range(65)])
    run(jobs, Pair())
    assert queue(owner) == []
    assert vectors(owner) == 65


async def test_remote_embedder_reports_which_texts_were_refused(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise InvalidArgument(violations=(("texts[0]", "too long"), ("texts[2]", "no words")))

    monkeypatch.setattr(Embedder, "embed", refuse)
    with (
        closing(RemoteEmbedder(stack.addresses["embedder"], NO_SECRET)) as remote,
        pytest.raises(TextsRejected) as caught,
    ):
        await asyncio.to_thread(remote.embed, 1, ["a", "b", "c"])
    assert caught.value.reasons == {0: "too long", 2: "no words"}


async def test_unknown_generation_is_reported_as_unavailable_model_not_as_refused_texts(
    stack: Stack,
) -> None:
    with (
        closing(RemoteEmbedder(stack.addresses["embedder"], NO_SECRET)) as remote,
        pytest.raises(ModelUnavailable, match="INVALID_ARGUMENT"),
    ):
        await asyncio.to_thread(remote.embed, 99, ["a", "b"])


def test_batch_fits_the_limit_of_the_embedder() -> None:
    assert drain_module.BATCH <= 64
