"""The data folder: its lock, its run file, and the cleanup after a killed supervisor."""

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil

from everword.client.local import RUN_FILE
from everword.embedded.errors import EmbeddedError
from everword.embedded.process import ProcessSpec
from everword.embedded.secret import write_private

LEFTOVER_GRACE_S = 20.0

# A process's start is the kernel's uptime added to the time of boot, which drifts a little.
START_TOLERANCE_S = 2.0


@dataclass(frozen=True, slots=True)
class RunningProcess:
    """One process of the stack, with enough data to recognise it if its pid is reused later."""

    name: str
    pid: int
    started: float
    argv: list[str]
    stop_signal: int
    #: HOST:PORT; empty if it does not listen.
    address: str


@dataclass(frozen=True, slots=True)
class RunningStack:
    """The contents of the run file: where a stack listens, and which processes it consists of.

    The file is the owner's alone: the URLs hold passwords.
    """

    supervisor: int
    #: host:port at which the proxy has all public services
    address: str
    #: host:port of ingest, search, compactor and embedder
    addresses: dict[str, str]
    database_url: str
    admin_database_url: str | None
    redis_url: str
    internal_token: str
    processes: list[RunningProcess] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        write_private(folder / RUN_FILE, json.dumps(asdict(self), indent=1))


def read_run_file(folder: Path) -> RunningStack | None:
    try:
        content = json.loads((folder / RUN_FILE).read_text())
    except FileNotFoundError:
        return None
    processes = [RunningProcess(**process) for process in content.pop("processes")]
    return RunningStack(**content, processes=processes)


def find_running_stack(folder: Path) -> RunningStack | None:
    """Return the stack that runs from a data folder now, or None."""
    stack = read_run_file(folder)
    return stack if stack and any(map(_still_running, stack.processes)) else None


def remove_run_file(folder: Path) -> None:
    (folder / RUN_FILE).unlink(missing_ok=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Create the data folder if it does not exist, and lock it against other supervisors."""
    # Mode 0711 lets the account of PostgreSQL pass through the folder; only the owner can list it.
    try:
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    except OSError as error:
        raise EmbeddedError(f"cannot use {folder} for data: {error.strerror}") from error
    with (folder / "lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise EmbeddedError(
                f"Everword (process {file.read().strip()}) already runs on {folder}; stop it, or "
                f"choose another folder with --data"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def identify(spec: ProcessSpec, pid: int) -> RunningProcess | None:
    """Note a process that has just been started; None if it has already ended."""
    try:
        started = psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        return None
    stop_signal = spec.stop[0][0]
    return RunningProcess(spec.name, pid, started, list(spec.argv), stop_signal, spec.address)


def stop_leftovers(folder: Path, say: Callable[[str], None]) -> None:
    """Stop processes that a killed supervisor left running; the caller must own the lock.

    Only processes with the recorded pid, start time and command line are stopped.
    """
    stack = read_run_file(folder)
    if stack is None:
        return
    for noted in reversed(stack.processes):
        if process := _still_running(noted):
            say(f"stopping {noted.name} (process {noted.pid}), left over from an unclean end")
            _stop(process, noted.stop_signal)
    remove_run_file(folder)


def _still_running(noted: RunningProcess) -> psutil.Process | None:
    with suppress(psutil.Error):
        process = psutil.Process(noted.pid)
        same_start = abs(process.create_time() - noted.started) < START_TOLERANCE_S
        if same_start and _command_line(process) == noted.argv:
            return process
    return None


def _command_line(process: psutil.Process) -> list[str]:
    argv: list[str] = process.cmdline()
    # A forked process has a command line as long as the fork server's, filled up with empty arguments.
    while argv and not argv[-1]:
        argv.pop()
    return argv


def _stop(process: psutil.Process, stop_signal: int) -> None:
    with suppress(psutil.NoSuchProcess):
        process.send_signal(stop_signal)
        try:
            process.wait(LEFTOVER_GRACE_S)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait()
