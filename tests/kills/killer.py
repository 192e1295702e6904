"""Kills processes of a running stack at random points of the import."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import redis

from everword.embedded.folder import read_run_file
from support.waiting import until

#: Every process of the stack.
VICTIMS = (
    "postgres",
    "valkey",
    "ingest",
    "search",
    "compactor",
    "embedder",
    "embedder-worker",
    "compact-worker",
    "learn-worker",
    "roll-up-worker",
    "sleep-worker",
    "tool-sentences-worker",
)
#: A point is a number of acknowledged messages, and up to so long after it: not always between two calls.
LATEST_S = 0.5
#: A whole import.
IMPORT_S = 900.0
#: Restarted processes get ready, and the longest pause of the supervisor passes.
REVIVAL_S = 60.0


@dataclass(frozen=True)
class Kill:
    """Whom to kill, and when."""

    victim: str
    #: How many messages are acknowledged by then.
    after_messages: int
    delay_s: float


def plan(victims: tuple[str, ...], kills: int, messages: int, seed: int) -> list[Kill]:
    """Return kills in the order of time: each victim once at least, the rest at random."""
    rng = random.Random(seed)
    chosen = [*victims, *rng.choices(victims, k=kills - len(victims))]
    rng.shuffle(chosen)
    # One in each of as many stretches of the import; what comes after the last one shows that all is well again.
    stretch = 0.95 * messages / kills
    points = [int((number + rng.random()) * stretch) for number in range(kills)]
    return [
        Kill(victim, point, rng.uniform(0.0, LATEST_S))
        for victim, point in zip(chosen, points, strict=True)
    ]


class Killer:
    """Carries a plan out, and empties Valkey in the middle of it."""

    def __init__(
        self, data: Path, acknowledged: Callable[[], int], say: Callable[[str], None]
    ) -> None:
        self._data = data
        self._acknowledged = acknowledged
        self._say = say
        self._killed: set[int] = set()

    async def run(self, kills: list[Kill]) -> int:
        """Return how many processes were killed."""
        for number, kill in enumerate(kills):
            await until(partial(self._is_reached, kill), IMPORT_S)
            await asyncio.sleep(kill.delay_s)
            if number == len(kills) // 2:
                await self._flush_valkey()
            await self._kill(kill.victim)
        return len(self._killed)

    def _is_reached(self, kill: Kill) -> bool:
        return self._acknowledged() >= kill.after_messages

    async def _kill(self, victim: str) -> None:
        pid = await self._pid_of(victim)
        os.kill(pid, signal.SIGKILL)
        self._killed.add(pid)
        self._say(f"killed {victim} ({pid}) after {self._acknowledged()} messages")

    async def _pid_of(self, victim: str) -> int:
        """Return the process, once it runs again after its last kill."""
        await until(lambda: bool(self._alive(victim)), REVIVAL_S)
        return self._alive(victim)[0]

    def _alive(self, victim: str) -> list[int]:
        running = read_run_file(self._data)
        return [
            process.pid
            for process in (running.processes if running else [])
            if process.name == victim
            and process.pid not in self._killed
            and psutil.pid_exists(process.pid)
        ]

    async def _flush_valkey(self) -> None:
        await until(lambda: asyncio.to_thread(self._is_flushed), REVIVAL_S)
        self._say(f"flushed valkey after {self._acknowledged()} messages")

    def _is_flushed(self) -> bool:
        running = read_run_file(self._data)
        try:
            with redis.Redis.from_url(
                running.redis_url if running else "", socket_timeout=2
            ) as valkey:
                return bool(valkey.flushall())
        except redis.RedisError:
            return False
