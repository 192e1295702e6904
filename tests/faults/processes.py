"""Processes of services and workers that are killed, terminated, or stopped for longer than their lease."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterable
from contextlib import suppress

from everword.embedded.services import SERVICES
from faults.world import Fault, Inject, World
from support.waits import until

END_S = 600.0


def process_faults(names: Iterable[str]) -> list[Fault]:
    return [
        Fault(kind, name, inject)
        for name in names
        for kind, inject in (
            ("killed (SIGKILL)", _ending(name, signal.SIGKILL)),
            ("told to end (SIGTERM)", _ending(name, signal.SIGTERM)),
            ("held for longer than its lease (SIGSTOP)", _paused_process(name)),
        )
    ]


def rolling_restart() -> Fault:
    """Return a restart of all services, one after the other."""

    async def inject(world: World) -> None:
        for name in SERVICES:
            before = await world.pid_of(name)
            await world.end(name, signal.SIGTERM)
            await world.pid_of(name)
            await until(lambda before=before: not _runs(before), END_S)  # type: ignore[misc]

    return Fault("restarted one after the other", "all services", inject)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _ending(name: str, number: int) -> Inject:
    async def inject(world: World) -> None:
        await world.end(name, number)

    return inject


def _paused_process(name: str) -> Inject:
    async def inject(world: World) -> None:
        pid = await world.pid_of(name)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            await asyncio.sleep(1.3 * world.lease_s)
            os.kill(pid, signal.SIGCONT)

    return inject
