"""CPU time and memory of a process with all its descendants."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path

import psutil

#: A system is at rest when it uses at most this share of a core over POLL_INTERVAL_S, or after IDLE_TIMEOUT_S.
IDLE_CPU_SHARE, POLL_INTERVAL_S, IDLE_TIMEOUT_S = 0.05, 3.0, 30.0


def family(pid: int) -> list[psutil.Process]:
    """Return a process and its descendants."""
    root = psutil.Process(pid)
    return [root, *root.children(recursive=True)]


def pss_mb(pid: int) -> float:
    """Return the proportional set size of a process and its descendants, MB: shared pages count once."""
    total = 0
    for process in family(pid):
        with suppress(FileNotFoundError, ProcessLookupError):
            lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text("ascii").splitlines()
            total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total / 1_000_000


def cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process and its living descendants."""
    total = 0.0
    for process in family(pid):
        with suppress(psutil.NoSuchProcess):
            used = process.cpu_times()
            total += used.user + used.system
    return total


async def wait_until_idle(pid: int) -> float:
    """Wait until a system's background work ended, at most IDLE_TIMEOUT_S; return the seconds."""
    started = time.monotonic()
    while time.monotonic() - started < IDLE_TIMEOUT_S:
        before = await asyncio.to_thread(cpu_s, pid)
        await asyncio.sleep(POLL_INTERVAL_S)
        if await asyncio.to_thread(cpu_s, pid) - before <= IDLE_CPU_SHARE * POLL_INTERVAL_S:
            break
    return time.monotonic() - started
