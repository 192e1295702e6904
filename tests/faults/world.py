"""What faults are done to: the processes of a stack, its engines, the ways to them, and the models."""

from __future__ import annotations

import os
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from everword.embedded.folder import RunningStack, read_run_file
from faults.proxy import Proxy
from support.scripted_chat import ScriptedChat
from support.scripted_embedder import ScriptedEmbedder
from support.waiting import until

if TYPE_CHECKING:
    from faults.clocks import Clocks

#: What has ended gets ready again, on a busy machine too.
REVIVAL_S = 600.0


@dataclass
class World:
    """Everything that a fault may touch."""

    data: Path
    running: RunningStack
    database: Proxy
    valkey: Proxy
    embedder: ScriptedEmbedder
    chat: ScriptedChat
    random: random.Random
    #: What a job's worker may be silent for.
    lease_s: float
    #: None where there is no compiler for the library that shifts them.
    clocks: Clocks | None = None
    ended: set[int] = field(default_factory=set)

    def alive(self, name: str) -> list[int]:
        """Return the process of a name, unless a fault ended it."""
        running = read_run_file(self.data)
        return [
            process.pid
            for process in (running.processes if running else [])
            if process.name == name
            and process.pid not in self.ended
            and psutil.pid_exists(process.pid)
        ]

    async def pid_of(self, name: str) -> int:
        """Return the process, once it runs again after it was ended last."""
        await until(lambda: bool(self.alive(name)), REVIVAL_S)
        return self.alive(name)[0]

    async def end(self, name: str, signal: int) -> None:
        """Send a signal that a process ends by; the supervisor starts it again."""
        pid = await self.pid_of(name)
        self.ended.add(pid)
        os.kill(pid, signal)


Inject = Callable[[World], Awaitable[None]]


@dataclass(frozen=True)
class Fault:
    """One way of failing: what is done, and to what. Faults of one `place` never overlap."""

    kind: str
    place: str
    inject: Inject
