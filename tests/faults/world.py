"""Targets of faults: the processes of a stack, its engines, the proxies to them, and the models."""

from __future__ import annotations

import os
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from everword.embedded.folder import RunningProcess, RunningStack, read_run_file
from faults.proxy import Proxy
from support.scripted_chat import ScriptedChat
from support.scripted_embedder import ScriptedEmbedder
from support.waits import until

if TYPE_CHECKING:
    from faults.clocks import Clocks

#: Seconds until an ended process is ready again, on a busy machine too.
REVIVAL_S = 600.0


@dataclass
class World:
    """All possible targets of faults."""

    data: Path
    running: RunningStack
    database: Proxy
    valkey: Proxy
    embedder: ScriptedEmbedder
    chat: ScriptedChat
    random: random.Random
    #: Seconds until the lease of a silent worker's job expires.
    lease_s: float
    #: None if no compiler for the library is installed.
    clocks: Clocks | None = None
    #: By pid and start time, since pids repeat in a long run.
    ended: set[tuple[int, float]] = field(default_factory=set)

    def alive(self, name: str) -> list[RunningProcess]:
        """Return the process with a name, unless a fault ended it."""
        running = read_run_file(self.data)
        return [
            process
            for process in (running.processes if running else [])
            if process.name == name
            and (process.pid, process.started) not in self.ended
            and psutil.pid_exists(process.pid)
        ]

    async def pid_of(self, name: str) -> int:
        """Return the process id, once the process runs again after it was ended."""
        await until(lambda: bool(self.alive(name)), REVIVAL_S)
        return self.alive(name)[0].pid

    async def end(self, name: str, signal: int) -> None:
        """Send a signal that ends the process; the supervisor restarts it."""
        await self.pid_of(name)
        [process] = self.alive(name)
        self.ended.add((process.pid, process.started))
        os.kill(process.pid, signal)


Inject = Callable[[World], Awaitable[None]]


@dataclass(frozen=True)
class Fault:
    """A kind of fault and its target. Faults of one `place` never overlap."""

    kind: str
    place: str
    inject: Inject
