"""Resources of processes during faults: memory, descriptors, connections; and their log messages above WARNING."""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from everword.embedded.folder import RunningProcess, read_run_file

SAMPLE_S = 10.0
#: Seconds in which a process fills its caches and pools.
WARM_UP_S = 600.0
#: Engines follow their own settings, and are restarted by faults.
ENGINES = frozenset({"postgres", "valkey"})
#: Ids and numbers, in which lines of one kind differ.
_DIFFERS = re.compile(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\d+(\.\d+)?")
#: The line of a traceback with the exception.
_RAISED = re.compile(r"^(?:(?:[a-z_]\w*\.)+[A-Z]\w*|[A-Z][a-z]\w*)(?:: .*)?$", re.MULTILINE)
_WORKER = re.compile(r"Worker [0-9a-f]{32}")


@dataclass(frozen=True)
class Sample:
    """Resources of a process at a moment."""

    #: Seconds since the process started.
    age_s: float
    #: Bytes of the process alone (USS).
    memory: int
    #: Open files, sockets included.
    descriptors: int
    connections: int


@dataclass(frozen=True)
class Growth:
    """Resources of a warm process at the beginning and at the end: medians of a quarter of its samples each."""

    name: str
    minutes: float
    memory: tuple[float, float]
    descriptors: tuple[float, float]
    connections: tuple[float, float]

    @property
    def ratio(self) -> float:
        """Memory at the end divided by memory when warm."""
        return self.memory[1] / self.memory[0]


@dataclass
class Usage:
    """The samples of each process, by name and process id."""

    samples: dict[tuple[str, int], list[Sample]] = field(default_factory=lambda: defaultdict(list))

    def growths(self, load_s: float) -> Iterator[Growth]:
        """Yield the growth of each process that lived at least twice its warm-up during the load."""
        for (name, _), samples in sorted(self.samples.items()):
            warm = [sample for sample in samples if WARM_UP_S < sample.age_s <= load_s]
            if not warm or warm[-1].age_s < 2 * WARM_UP_S:
                continue
            quarter = max(1, len(warm) // 4)
            first, last = warm[:quarter], warm[-quarter:]
            yield Growth(
                name,
                warm[-1].age_s / 60,
                (_median(first, "memory"), _median(last, "memory")),
                (_median(first, "descriptors"), _median(last, "descriptors")),
                (_median(first, "connections"), _median(last, "connections")),
            )

    def missing(self, growths: Sequence[Growth]) -> Iterator[str]:
        """Yield processes without growth data, since they never lived long enough."""
        known = {growth.name for growth in growths}
        for name in sorted({name for name, _ in self.samples} - known):
            yield f"{name} never lived for {2 * WARM_UP_S / 60:.0f} minutes"


def _median(samples: list[Sample], what: str) -> float:
    return float(statistics.median(getattr(sample, what) for sample in samples))


@asynccontextmanager
async def watched(data: Path) -> AsyncIterator[Usage]:
    """Sample each process of a stack repeatedly while the block lasts."""
    usage = Usage()

    async def watch() -> None:
        while True:
            await asyncio.to_thread(_measure_usage, data, usage)
            await asyncio.sleep(SAMPLE_S)

    task = asyncio.create_task(watch())
    try:
        yield usage
    finally:
        task.cancel()


def _measure_usage(data: Path, usage: Usage) -> None:
    running = read_run_file(data)
    for process in running.processes if running else []:
        # The process may end meanwhile.
        with suppress(psutil.Error):
            if process.name not in ENGINES:
                usage.samples[process.name, process.pid].append(_sample(process))


def _sample(process: RunningProcess) -> Sample:
    seen = psutil.Process(process.pid)
    return Sample(
        age_s=time.time() - seen.create_time(),
        memory=seen.memory_full_info().uss,
        descriptors=seen.num_fds(),
        connections=len(seen.net_connections()),
    )


def errors(data: Path) -> Counter[tuple[str, str]]:
    """Return the number of lines above WARNING and of failed jobs, by logger and message without numbers and ids."""
    found: Counter[tuple[str, str]] = Counter()
    for log in sorted((data / "logs").glob("*.log*")):
        if log.name.partition(".")[0] in ENGINES:
            continue
        for line in log.read_text(errors="replace").splitlines():
            said = _entry(line)
            if said:
                found[said] += 1
    return found


def _entry(line: str) -> tuple[str, str] | None:
    """Return logger and message of a relevant log line; None for others. Tracebacks outside log entries come from a
    crash.
    """
    try:
        entry = json.loads(line)
    except ValueError:
        return ("", _DIFFERS.sub("N", line)) if line.startswith("Traceback") else None
    if not isinstance(entry, dict) or not _counts(entry):
        return None
    # RQ puts a traceback into its message, after the worker's name.
    first, _, more = _WORKER.sub("Worker", str(entry.get("event"))).partition("\n")
    said = ": ".join(filter(None, (first, _reason(more), _reason(str(entry.get("exception", ""))))))
    return str(entry.get("logger")), _DIFFERS.sub("N", said)


def _counts(entry: dict[str, object]) -> bool:
    """Return whether a line is above WARNING or reports a failed job, since a retry may hide a bug."""
    return entry.get("level") in ("ERROR", "CRITICAL") or entry.get("event") == "job failed"


def _reason(traceback: str) -> str:
    """Return the line with the class of the last exception; Postgres' details may follow it."""
    lines = _RAISED.findall(traceback) or traceback.splitlines()
    return lines[-1] if lines else ""
