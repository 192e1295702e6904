"""The memory of each process: services right after searches, workers once they have worked."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
import psycopg

from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.load import name_of, namespace
from everword.bench.speed.resources import LIBRARIES
from everword.bench.speed.row import Floor, Row
from everword.bench.speed.sustained_rate import prepare
from everword.embedded.services import SERVICES, SUMMARISING_WORKERS, WORKERS

MB = 1_000_000
#: Largest size wanted, in MB.
SERVICE_MB, WORKER_MB = 200, 250
#: The longest that workers are given for what waited for them.
_WORK_S = 30.0
_POLL_INTERVAL_S = 0.5

_DUE = """
SELECT task, count(*) FROM jobs
 WHERE state = 'running' OR state = 'pending' AND not_before <= now()
 GROUP BY task
"""


async def measure(bench: BenchStack, scale: int, queries: Sequence[str]) -> Row:
    """Return the resident memory of the largest service, right after searches of the large namespace.

    `details` has the largest worker after the paused workers have done their work, the memory of each process, and its
    peak.
    """
    with bench.paused(*SUMMARISING_WORKERS):
        async with namespace(bench, name_of(scale)) as client:
            await prepare(client, queries)
        resident = _resident(bench)
    due = await asyncio.to_thread(_work, bench)
    resident |= {name: size for name, size in _resident(bench).items() if name in WORKERS}
    peak = {process.name: _peak(process.pid) for process in bench.running.processes}
    told = {"MB": resident, "peak_MB": peak}
    details: dict[str, Any] = {
        "worst_service": _worst(resident, SERVICES, SERVICE_MB),
        "worst_worker": _worst(resident, WORKERS, WORKER_MB),
        "jobs_due": due,
        **{name: {of: round(size, 1) for of, size in each.items()} for name, each in told.items()},
    }
    floor = Floor(
        await asyncio.to_thread(_measure_bare_process), "Python with the libraries that all use"
    )
    value = max(resident[name] for name in SERVICES)
    return Row("memory_1m", scale, value, "MB", floor, details)


def _worst(resident: Mapping[str, float], names: Iterable[str], limit: int) -> dict[str, Any]:
    name = max(names, key=lambda each: resident[each])
    return {"name": name, "MB": round(resident[name], 1), "limit_MB": limit}


def _work(bench: BenchStack) -> dict[str, dict[str, int]]:
    """Let the workers do what waited for them, for a while; returns the jobs of each task before and after."""
    deadline = time.monotonic() + _WORK_S
    with bench.connect() as conn:
        before = after = _count_due_jobs(conn)
        while after and time.monotonic() < deadline:
            time.sleep(_POLL_INTERVAL_S)
            after = _count_due_jobs(conn)
    return {"before": before, "after": after}


def _count_due_jobs(conn: psycopg.Connection) -> dict[str, int]:
    return dict(conn.execute(_DUE).fetchall())


def _resident(bench: BenchStack) -> dict[str, float]:
    return {
        process.name: psutil.Process(process.pid).memory_info().rss / MB
        for process in bench.running.processes
    }


def _peak(pid: int) -> float:
    """Return the most megabytes that a process ever had in memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    [kibibytes] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(kibibytes) * 1024 / MB


def _measure_bare_process() -> float:
    report = f"{LIBRARIES}; import psutil; print(psutil.Process().memory_info().rss)"
    done = subprocess.run(
        [sys.executable, "-c", report], capture_output=True, text=True, check=True
    )
    return int(done.stdout) / MB
