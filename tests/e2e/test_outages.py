"""However the model server behaves: writes succeed, nothing is lost, no wrong vector is stored, the backlog drains."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from socket import socket

import numpy as np
import psycopg
import pytest

from everword.model_server import breaker
from support.calls import append_request
from support.databases import DatabaseUnderTest
from support.running_stack import Background, embed_with, running_background, worker
from support.scripted_embedder import (
    Answer,
    Behaviour,
    ScriptedEmbedder,
    fewer,
    garbage,
    hang,
    not_a_number,
    reset,
    status,
    wrong_dimensions,
)
from support.waits import until

#: A write does not wait for the model, but on a busy machine it may wait for a processor.
APPEND_TIMEOUT_S = 20.0
DRAIN_S = 90.0
AWAY = {
    "hangs": hang,
    "resets": reset,
    "asks for a pause": status(429, retry_after="1"),
    "fails": status(500),
}
WRONG = {
    "sends NaN": not_a_number,
    "sends too long vectors": wrong_dimensions,
    "sends fewer vectors": fewer,
    "sends garbage": garbage,
}


@dataclass(frozen=True)
class World:
    """The parts of a deployment under the test's control."""

    background: Background
    server: ScriptedEmbedder
    owner: psycopg.Connection
    generation_id: int

    async def append(self, *contents: str) -> None:
        for content in contents:
            await self.background.ingest.AppendMessages(
                append_request(content), timeout=APPEND_TIMEOUT_S
            )

    def queue(self) -> list[tuple[str, str, str | None]]:
        """Return content, state and error of pending and parked texts."""
        return self.owner.execute(
            """SELECT m.content, q.state, q.error FROM embedding_queue q
                 JOIN memories m ON m.id = q.memory_id ORDER BY m.id"""
        ).fetchall()

    def jobs(self) -> list[tuple[str, int, int]]:
        """Return state, dirty_seq and done_seq of every embedding job."""
        return self.owner.execute(
            "SELECT state, dirty_seq, done_seq FROM jobs WHERE task = 'embed'"
        ).fetchall()

    def is_met(self) -> bool:
        """Return whether everything pending has an error."""
        rows = self.queue()
        return bool(rows) and all(error for _, _, error in rows)

    def is_drained(self) -> bool:
        parked = all(state == "failed" for _, state, _ in self.queue())
        return parked and all(state == "done" for state, _, _ in self.jobs())

    def embedded(self) -> set[str]:
        """Return the contents that have a vector. Asserts that it is that of the text, or of its beginning."""
        rows = self.owner.execute(
            f"""SELECT m.content, v.embedding::text
                  FROM memory_vectors_{self.generation_id} v
                  JOIN memories m ON m.namespace_id = v.namespace_id AND m.id = v.memory_id"""
        ).fetchall()
        for content, stored in rows:
            words = content.split()
            beginnings = (" ".join(words[:count]) for count in range(len(words), 0, -1))
            vectors = map(self.server.vector, beginnings)
            assert any(np.allclose(json.loads(stored), each, atol=1e-3) for each in vectors), (
                content
            )
        return {content for content, _ in rows}


@pytest.fixture
def server() -> Iterator[ScriptedEmbedder]:
    # It answers 400 for a text over the limit, like servers that cannot truncate.
    with ScriptedEmbedder(vllm=False).running() as server:
        yield server


@pytest.fixture
def read_timeout_s() -> float:
    """Timeout of the embedder for a hanging server."""
    return 0.5


@pytest.fixture
async def world(
    database: DatabaseUnderTest,
    valkey_url: str,
    server: ScriptedEmbedder,
    read_timeout_s: float,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[World]:
    monkeypatch.setattr(breaker, "PAUSE_S", 0.2)
    generation_id = embed_with(database, server)
    with database.connect() as owner:
        async with running_background(database, valkey_url, read_timeout_s) as background:
            yield World(background, server, owner, generation_id)


async def endure(world: World, troubles: Mapping[str, Behaviour]) -> None:
    """Let the server misbehave in one way after another, and recover in between."""
    said: set[str] = set()
    for trouble, behaviour in troubles.items():
        world.server.always = behaviour
        during = {f"It {trouble}, {number}." for number in range(5)}
        await world.append(*sorted(during))
        await until(world.is_met, DRAIN_S)
        assert {(content, state) for content, state, _ in world.queue()} == {
            (content, "pending") for content in during
        }, trouble
        assert world.embedded() == said, trouble
        world.server.always = None
        await until(world.is_drained, DRAIN_S)
        said |= during
        assert world.queue() == []
        assert world.embedded() == said, trouble


async def test_backlog_drains_after_embedding_server_was_unavailable(world: World) -> None:
    async with worker(world.background):
        await endure(world, AWAY)


async def test_invalid_responses_of_embedding_server_are_never_stored(world: World) -> None:
    async with worker(world.background):
        await endure(world, WRONG)


async def test_texts_refused_by_embedding_server_are_parked_with_reason(world: World) -> None:
    """One makes the server send NaN and has no vector; one is too long and is embedded by its beginning."""

    def spoil(server: ScriptedEmbedder, right: Answer, connection: socket) -> Answer:
        spoilt = any("spoil" in text for text in server.requests[-1]["input"])
        return not_a_number(server, right, connection) if spoilt and right.status == 200 else right

    long, odd = "word " * 110, "This will spoil it."
    fine = {f"It is fine, {number}." for number in range(10)}
    world.server.always = spoil
    await world.append(*sorted(fine), long, odd)
    async with worker(world.background):
        await until(world.is_drained, DRAIN_S)
    parked = {content: error for content, _, error in world.queue()}
    assert parked.keys() == {odd}
    assert "not a number" in (parked[odd] or "")
    assert world.embedded() == {*fine, long}


async def test_append_latency_is_unaffected_by_hanging_embedding_server(world: World) -> None:
    async with worker(world.background):
        await world.append("The first makes connections.")
        await until(world.is_drained, DRAIN_S)
        before = await _ninety_fifth(world)
        await until(world.is_drained, DRAIN_S)
        world.server.always = hang
        during = await _ninety_fifth(world)
        world.server.always = None
        await until(world.is_drained, DRAIN_S)
    assert during < 2 * before + 1


async def _ninety_fifth(world: World) -> float:
    """Return the 95th percentile of the duration of 100 appends."""
    times = []
    for number in range(40):
        started = time.perf_counter()
        await world.append(f"Number {number}.")
        times.append(time.perf_counter() - started)
    return sorted(times)[37]


@pytest.mark.parametrize("read_timeout_s", [30.0])
async def test_message_appended_during_embedding_job_is_embedded_too(world: World) -> None:
    released = threading.Event()

    def held(server: ScriptedEmbedder, right: Answer, connection: socket) -> Answer:
        released.wait(DRAIN_S)
        return right

    world.server.always = held
    await world.append("Before.")
    async with worker(world.background):
        await until(lambda: world.jobs()[0][0] == "running", DRAIN_S)
        await world.append("Meanwhile.")
        assert world.jobs() == [("running", 2, 0)]
        released.set()
        await until(world.is_drained, DRAIN_S)
    assert world.jobs() == [("done", 2, 2)]
    assert world.embedded() == {"Before.", "Meanwhile."}


async def test_second_worker_finishes_job_of_killed_worker(world: World) -> None:
    world.server.always = hang
    await world.append("In its hands.")
    async with worker(world.background) as first:
        await until(lambda: world.jobs()[0][0] == "running", DRAIN_S)
        first.send_signal(signal.SIGKILL)
        await first.wait()
    world.server.always = None
    async with worker(world.background):
        await until(world.is_drained, DRAIN_S)
    assert world.embedded() == {"In its hands."}
