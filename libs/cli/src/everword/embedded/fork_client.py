"""Starts processes of the stack by forking one that has imported their modules (`fork_server.py`)."""

import asyncio
import json
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from everword.embedded.fork_server import Request
from everword.embedded.process import (
    STATUS_UNKNOWN,
    ProcessSpec,
    describe_exit,
    launch_command,
    log_path,
    opened_log,
    start_error,
)

#: Command of a process that can be forked, before its module. With -P, a file in the folder that everword is started
#: from cannot replace a module.
PYTHON = (sys.executable, "-P", "-m")
STOP_S = 5.0
_ORPHAN_POLL_S = 0.1


class ForkedProcess:
    """A process that the fork server has started, with those members of asyncio's `Process` that a supervisor needs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        #: None while the process runs; STATUS_UNKNOWN if the fork server ended first.
        self.returncode: int | None = None
        self._ended = asyncio.Event()

    async def wait(self) -> int:
        """Wait for the end of the process, and return its status."""
        await self._ended.wait()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal. Raises ProcessLookupError if the process has ended."""
        if self.returncode is not None:
            raise ProcessLookupError
        os.kill(self.pid, number)

    def end(self, status: int) -> None:
        """Record that the process has ended."""
        self.returncode = status
        self._ended.set()


class ForkClient:
    """Runs a fork server, and starts another one if it ends. Use it from one event loop."""

    def __init__(self, logs: Path, environment: Mapping[str, str], modules: Sequence[str]) -> None:
        """The fork server imports `modules` when it starts, and others when a process needs them."""
        argv = [*PYTHON, "everword.embedded.fork_server", *modules]
        #: The fork server as a process of the stack.
        self.spec = ProcessSpec("fork-server", argv, environment, stop=((signal.SIGTERM, STOP_S),))
        self._logs = logs
        self._server: Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._replies: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._forked: dict[int, ForkedProcess] = {}
        self._orphans: set[asyncio.Task[None]] = set()
        #: One request at a time, so that each reply belongs to it.
        self._one = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """The fork server's process id; None if it does not run."""
        server = self._server
        return server.pid if server and server.returncode is None else None

    def can_fork(self, spec: ProcessSpec) -> bool:
        """Return whether a process runs a module that it names among its imports, with the usual options."""
        argv = tuple(spec.argv)
        return argv[:3] == PYTHON and not {argv[3], f"{argv[3]}.__main__"}.isdisjoint(spec.imports)

    async def start(self) -> None:
        """Start the fork server, unless it runs; return when the modules are imported. Raises StartError."""
        async with self._one:
            await self._ensure_running()

    async def fork(self, spec: ProcessSpec) -> ForkedProcess:
        """Start a process that appends to its log. Raises OSError, and StartError if the fork server does not start."""
        log = log_path(self._logs, spec.name)
        with opened_log(log):
            request = Request(
                imports=list(spec.imports),
                argv=list(spec.argv),
                environment=dict(spec.environment),
                log=str(log),
                death_signal=spec.stop[0][0],
            )
        async with self._one:
            server = await self._ensure_running()
            assert server.stdin
            server.stdin.write(json.dumps(request).encode() + b"\n")
            await server.stdin.drain()
            reply = await self._replies.get()
        if reply is None:
            raise OSError(f"the fork server ended while {spec.name} was started")
        if "failed" in reply:
            raise OSError(f"{spec.name} cannot be forked: {reply['failed']}")
        forked: ForkedProcess = reply["process"]
        return forked

    async def stop(self) -> None:
        """Stop the fork server. Its processes must have ended."""
        if self._server and self._reading:
            assert self._server.stdin
            self._server.stdin.close()
            try:
                await asyncio.wait_for(self._server.wait(), STOP_S)
            except TimeoutError:
                self._server.kill()
            await self._reading
        if self._orphans:
            await asyncio.wait(self._orphans)

    async def _ensure_running(self) -> Process:
        if self._server and self._server.returncode is None:
            return self._server
        log = log_path(self._logs, self.spec.name)
        with opened_log(log) as output:
            self._server = await asyncio.create_subprocess_exec(
                *launch_command(self.spec),
                env=dict(self.spec.environment),
                stdin=PIPE,
                stdout=PIPE,
                stderr=output,
                start_new_session=True,
            )
        self._replies = asyncio.Queue()
        self._reading = asyncio.create_task(self._read(self._server), name="read fork server")
        if await self._replies.get() is None:
            ended = describe_exit(await self._server.wait())
            raise start_error(self.spec, f"ended ({ended})", log)
        return self._server

    async def _read(self, server: Process) -> None:
        assert server.stdout
        replies = self._replies
        with suppress(ConnectionError):
            async for line in server.stdout:
                reply = json.loads(line)
                if "ended" in reply:
                    self._forked.pop(reply["ended"]).end(reply["status"])
                    continue
                if "started" in reply:
                    # Known before the next line is read, which may report its end.
                    reply["process"] = self._forked[reply["started"]] = ForkedProcess(
                        reply["started"]
                    )
                replies.put_nowait(reply)
        await server.wait()
        replies.put_nowait(None)
        for process in self._forked.values():
            waiting = asyncio.create_task(_await_orphan(process), name=f"orphan {process.pid}")
            self._orphans.add(waiting)
            waiting.add_done_callback(self._orphans.discard)
        self._forked.clear()


async def _await_orphan(process: ForkedProcess) -> None:
    """Wait for a process whose fork server has ended: the kernel sends it the signal that stops it."""
    await asyncio.to_thread(_wait_for_orphan, process.pid)
    process.end(STATUS_UNKNOWN)


def _wait_for_orphan(pid: int) -> None:
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        # A container's first process may not collect the status of orphans, which stay zombies then.
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(_ORPHAN_POLL_S)
