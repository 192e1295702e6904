"""Keeps processes running: starts them in order, restarts one that ends, stops them in reverse."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from everword.embedded.errors import StartError
from everword.embedded.folder import RunningProcess, identify
from everword.embedded.fork_client import ForkClient, ForkedProcess
from everword.embedded.process import (
    POLL_S,
    ProcessSpec,
    describe_exit,
    launch_command,
    log_path,
    opened_log,
    start_error,
)
from everword.processes.priority import lower_session

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0

# One that was ready for this long did not end for the reason of the time before: pauses start again.
STEADY_S = 10.0


@dataclass(slots=True)
class Child:
    """A process under supervision; its process is replaced when it is restarted."""

    spec: ProcessSpec
    process: asyncio.subprocess.Process | ForkedProcess
    watcher: asyncio.Task[None] | None = None


class Supervisor:
    """Owns a list of groups of processes. Use it from one event loop, in a thread that outlives it.

    `say` gets a line for people; `changed` gets the processes whenever they are others than before.
    """

    def __init__(
        self,
        logs: Path,
        say: Callable[[str], None],
        changed: Callable[[list[RunningProcess]], None],
        forks: ForkClient | None = None,
    ) -> None:
        self._logs = logs
        self._say = say
        self._changed = changed
        self._forks = forks
        self._groups: list[list[Child]] = []

    @property
    def children(self) -> list[Child]:
        return [child for group in self._groups for child in group]

    def processes(self) -> list[RunningProcess]:
        """Return what runs now, in the order of starting."""
        started = [(child.spec, child.process.pid) for child in self.children]
        if self._forks and self._forks.pid:
            started.insert(0, (self._forks.spec, self._forks.pid))
        known = (identify(spec, pid) for spec, pid in started)
        return [process for process in known if process]

    async def prepare_forks(self, *specs: ProcessSpec) -> None:
        """Start the fork server if it is to start one of these processes. Raises StartError."""
        if self._forks and any(map(self._forks.can_fork, specs)):
            self._say(f"starting {self._forks.spec.name}")
            await self._forks.start()

    async def start(self, *specs: ProcessSpec) -> None:
        """Start processes side by side, and return when all are ready; StartError if one is not."""
        group: list[Child] = []
        # Register the group before waiting for it, so that stop() also stops processes that are still starting.
        self._groups.append(group)
        for spec in specs:
            self._say(f"starting {spec.name}")
            group.append(Child(spec, await self._spawn(spec)))
        self._changed(self.processes())
        for child in group:
            await self._wait_until_ready(child)
        for child in group:
            child.watcher = asyncio.create_task(self._watch(child), name=f"watch {child.spec.name}")

    async def stop(self) -> None:
        """Stop everything, the last started first; each process gets the time its spec grants."""
        while self._groups:
            group = self._groups.pop()
            await asyncio.gather(*(_stop(child) for child in group))
        if self._forks:
            await self._forks.stop()

    async def _spawn(self, spec: ProcessSpec) -> asyncio.subprocess.Process | ForkedProcess:
        process = await self._spawned(spec)
        if spec.background:
            lower_session(process.pid)
        return process

    async def _spawned(self, spec: ProcessSpec) -> asyncio.subprocess.Process | ForkedProcess:
        if self._forks and self._forks.can_fork(spec):
            return await self._forks.fork(spec)
        with opened_log(log_path(self._logs, spec.name)) as output:
            return await asyncio.create_subprocess_exec(
                *launch_command(spec),
                env=dict(spec.environment),
                cwd=spec.cwd,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                # Ctrl-C goes to the terminal's whole process group; it is for the supervisor alone.
                start_new_session=True,
            )

    async def _wait_until_ready(self, child: Child) -> None:
        spec, log = child.spec, log_path(self._logs, child.spec.name)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + spec.start_timeout_s
        while True:
            ready = await asyncio.to_thread(spec.ready)
            # If the process has ended, another process answered the probe.
            if (status := child.process.returncode) is not None:
                raise start_error(spec, f"ended ({describe_exit(status)})", log)
            if ready:
                return
            if loop.time() > deadline:
                raise start_error(spec, f"was not ready within {spec.start_timeout_s:g} s", log)
            await asyncio.sleep(POLL_S)

    async def _watch(self, child: Child) -> None:
        loop = asyncio.get_running_loop()
        pause = FIRST_PAUSE_S
        while True:
            since = loop.time()
            status = await child.process.wait()
            if loop.time() - since > STEADY_S:
                pause = FIRST_PAUSE_S
            log = log_path(self._logs, child.spec.name)
            self._say(
                f"{child.spec.name} ended ({describe_exit(status)}); starting it again in "
                f"{pause:g} s; its log is {log}"
            )
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)
            await self._restart(child)

    async def _restart(self, child: Child) -> None:
        try:
            child.process = await self._spawn(child.spec)
            self._changed(self.processes())
            await self._wait_until_ready(child)
        except (StartError, OSError) as error:
            self._say(str(error))
        else:
            self._say(f"{child.spec.name} is ready again")


async def _stop(child: Child) -> None:
    if child.watcher is not None:
        child.watcher.cancel()
        # Not awaited: should it have failed, the processes are to be stopped all the same.
        await asyncio.wait([child.watcher])
    for number, grace_s in (*child.spec.stop, (signal.SIGKILL, None)):
        with suppress(ProcessLookupError):
            child.process.send_signal(number)
        with suppress(TimeoutError):
            await asyncio.wait_for(child.process.wait(), grace_s)
            return
