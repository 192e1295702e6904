"""One worker of the compactor, with an Everword of its own that consists of ingest only.

In the measured Everword, work loaded for other figures would wait in the same queue.
"""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from subprocess import Popen

from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.processes import spec_of
from everword.embedded.ports import Ports
from everword.embedded.process import log_path, run_blocking
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack

NAME = "compactor-worker"
#: The one task that it serves.
TASK = "compact"
_LOG_TAIL = 1_000


@asynccontextmanager
async def separate_ingest(bench: BenchStack) -> AsyncIterator[BenchStack]:
    """Run a second Everword with ingest only for the duration of the block. Raises EmbeddedError."""
    folder = bench.folder / "compaction"
    settings = StackSettings(data=folder, ports=Ports.free())
    async with stack(settings, services=lambda running: [spec_of(running, "ingest")]) as running:
        yield BenchStack(running, folder, bench.stub_url)


@dataclass(frozen=True)
class WorkerProcess:
    """The worker's process."""

    process: Popen[bytes]
    bench: BenchStack

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keep it from working while the block lasts."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def check(self) -> None:
        """Raise RuntimeError if the worker has ended."""
        if self.process.poll() is not None:
            raise self.failure("the worker ended")

    def failure(self, what: str) -> RuntimeError:
        """Return what went wrong, with the end of the worker's log: nothing else is kept of it."""
        told = log_path(self.bench.folder / "logs", NAME).read_bytes()[-_LOG_TAIL:]
        return RuntimeError(f"{what}; its log ends with:\n{told.decode(errors='replace').strip()}")


@contextmanager
def compact_worker(bench: BenchStack, variables: Mapping[str, str]) -> Iterator[WorkerProcess]:
    """Run a worker with these settings in addition to those of its Everword."""
    spec = spec_of(bench.running, NAME)
    spec = replace(spec, argv=[*spec.argv, TASK], environment={**spec.environment, **variables})
    with run_blocking(spec, bench.folder / "logs") as process:
        yield WorkerProcess(process, bench)
