"""A run: a stack, mixed traffic, faults, completion of background work, and the checks."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import psycopg

from everword.client import CallError
from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.process import ProcessSpec
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.v1 import maintenance_service_pb2
from faults.audit import open_work
from faults.callers import traffic
from faults.calls import connect
from faults.check import check
from faults.clocks import can_jump, clock_faults, make_clocks
from faults.engines import disk_fault, postgres_faults, small_disk, valkey_faults
from faults.history import History
from faults.injection import Injected, inject, plan
from faults.links import link_faults
from faults.models import brief, model_faults
from faults.processes import process_faults, rolling_restart
from faults.proxy import running_proxy
from faults.services import Patience, names, specs
from faults.traffic import NAMESPACES, UNEMBEDDABLE
from faults.world import Fault, World
from support.databases import DatabaseUnderTest
from support.running_stack import embed_with
from support.scripted_chat import ScriptedChat
from support.scripted_embedder import ScriptedEmbedder
from support.with_constants import set_constant

Request = TypeVar("Request")
Answer = TypeVar("Answer")
POLL_S = 0.25
#: Seconds between retries of failed jobs, as an operator would make them.
RETRY_S = 20.0
#: Processes and engines answer again within this time after a fault.
ANSWER_S = 60.0


@dataclass(frozen=True)
class Settings:
    """Intensity of a run, and timeouts of its stack."""

    faults: int
    seed: int
    #: Mean seconds between faults.
    every_s: float
    #: Mean seconds between calls of a caller.
    pause_s: float = 3.0
    #: Number of processes of each worker.
    workers: int = 2
    patience: Patience = field(default_factory=Patience)
    #: Selects faults by place and kind.
    picks: Callable[[Fault], bool] = lambda fault: True
    #: Puts PostgreSQL on a small disk of its own, which can get full; only root can mount one.
    disk: bool = False
    #: Time for background work after the last call, in seconds.
    drain_s: float = 600.0


@dataclass(frozen=True)
class Outcome:
    """Result of a run."""

    seed: int
    injected: Injected
    history: History
    summaries: int
    #: Number of jobs that failed permanently, were listed as failed, and succeeded when retried.
    given_up: int
    #: Seconds from the first fault to the last.
    seconds: float
    drained_s: float


async def run(data: Path, settings: Settings, say: Callable[[str], None]) -> Outcome:
    """Call under faults, wait for background work, and check. Creates the data folder if missing."""
    # Restart after a fault without growing pauses.
    set_constant("everword.embedded.supervisor:LONGEST_PAUSE_S", 1.0)
    async with _world(data, settings, say) as world:
        history = History()
        loop = asyncio.get_running_loop()
        began = loop.time()
        async with traffic(world.running, history, settings.pause_s, settings.seed):
            faults = plan(_possible(data, settings), settings.faults, settings.seed)
            injected = await inject(world, faults, settings.every_s, history, say)
        ended = loop.time()
        say(f"waiting for the background; {history.line}")
        given_up = await _drain(world.running, settings.drain_s, say)
        drained = loop.time()
        admin_url = world.running.admin_database_url or ""
        summaries = await asyncio.to_thread(check, admin_url, history)
    seconds, drained_s = ended - began, drained - ended
    return Outcome(settings.seed, injected, history, summaries, given_up, seconds, drained_s)


@asynccontextmanager
async def _world(
    data: Path, settings: Settings, say: Callable[[str], None]
) -> AsyncIterator[World]:
    """Run all targets of faults while the block lasts."""
    chosen = StackSettings(data=data, ports=Ports.free())
    embedder, chat = ScriptedEmbedder(), ScriptedChat(brief, context_tokens=32_768)
    embedder.poison = UNEMBEDDABLE
    clocks = make_clocks(data / "clocks") if can_jump() else None
    async with AsyncExitStack() as resources:
        resources.enter_context(embedder.running())
        resources.enter_context(chat.running())
        if settings.disk:
            resources.enter_context(small_disk(data / "postgres"))
        database = await resources.enter_async_context(running_proxy(chosen.ports.postgres))
        valkey = await resources.enter_async_context(running_proxy(chosen.ports.valkey))

        def services(running: RunningStack) -> list[ProcessSpec]:
            embed_with(DatabaseUnderTest(running.admin_database_url or "", ""), embedder)
            through = replace(
                running,
                database_url=database.through(running.database_url),
                redis_url=valkey.through(running.redis_url),
            )
            return list(specs(through, settings.workers, settings.patience, chat, clocks))

        running = await resources.enter_async_context(stack(chosen, say, services=services))
        drawn, lease_s = random.Random(settings.seed), settings.patience.lease_s
        yield World(data, running, database, valkey, embedder, chat, drawn, lease_s, clocks)


def _possible(data: Path, settings: Settings) -> list[Fault]:
    faults = [
        *process_faults(names(settings.workers)),
        *(clock_faults(names(settings.workers)) if can_jump() else []),
        rolling_restart(),
        *postgres_faults(),
        *valkey_faults(),
        *link_faults(),
        *model_faults(),
        *([disk_fault(data / "postgres")] if settings.disk else []),
    ]
    return [fault for fault in faults if settings.picks(fault)]


async def _drain(running: RunningStack, within_s: float, say: Callable[[str], None]) -> int:
    """Wait until no work is open; the audit finds work that is open after that time.

    Failed jobs are retried, as an operator would do, at the beginning and once more, since work in progress may have
    met the last fault. Returns how many jobs had failed permanently and were retried.
    """
    until = asyncio.get_running_loop().time() + within_s
    given_up = 0
    for _ in range(2):
        await _backfill(running)
        given_up += await _wait_until_idle(running, until, say)
    return given_up


async def _wait_until_idle(running: RunningStack, until: float, say: Callable[[str], None]) -> int:
    """Wait until no work is open, or until that time; return the number of jobs retried meanwhile."""
    loop = asyncio.get_running_loop()
    given_up, retry_at = await _retry(running), loop.time() + RETRY_S
    left: dict[str, int] = {}
    while loop.time() < until:
        # Postgres may have been ended last.
        with suppress(psycopg.OperationalError):
            left = await asyncio.to_thread(open_work, running.admin_database_url or "")
            if not left:
                break
        if loop.time() > retry_at:
            say(f"open: {left}")
            given_up += await _retry(running)
            retry_at = loop.time() + RETRY_S
        await asyncio.sleep(POLL_S)
    return given_up


async def _retry(running: RunningStack) -> int:
    """Retry failed jobs, which an operator sees in the queue's status; return their number."""
    tried = 0
    for namespace in NAMESPACES:
        async with connect(running, namespace) as client:
            request = maintenance_service_pb2.RetryJobsRequest()
            tried += (await _answer(client.maintenance_service.RetryJobs, request)).jobs
    return tried


async def _backfill(running: RunningStack) -> None:
    """Retry abandoned passages and sentences."""
    for namespace in NAMESPACES:
        async with connect(running, namespace) as client:
            for target in (
                maintenance_service_pb2.BACKFILL_TARGET_EMBEDDINGS,
                maintenance_service_pb2.BACKFILL_TARGET_TOOL_SENTENCES,
            ):
                request = maintenance_service_pb2.BackfillRequest(target=target)
                await _answer(client.maintenance_service.Backfill, request)


async def _answer(call: Callable[[Request], Awaitable[Answer]], request: Request) -> Answer:
    """Call until there is an answer, since a fault may have ended the server."""
    loop = asyncio.get_running_loop()
    until = loop.time() + ANSWER_S
    while True:
        try:
            return await call(request)
        except CallError:
            if loop.time() > until:
                raise
            await asyncio.sleep(POLL_S)
