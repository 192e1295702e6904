"""A process to be kept running, as data, and the ways to start it that every caller shares."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from everword.embedded.errors import StartError

POLL_S = 0.05
#: Exit status of a process whose parent, the fork server, ended before it did; real ones are below 256.
STATUS_UNKNOWN = 256
LOG_LIMIT = 10 * 1024 * 1024
LOG_TAIL = 2000


def running() -> bool:
    """Return True: a process that listens nowhere is ready while it runs."""
    return True


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """One process of the stack."""

    name: str
    argv: Sequence[str]
    #: the whole environment, not additions to this process's
    environment: Mapping[str, str]
    #: a probe that answers within two seconds or so, and does not raise
    ready: Callable[[], bool] = running
    #: HOST:PORT, shown to users; empty if it does not listen.
    address: str = ""
    #: signals to stop it by, each with the seconds it is given; SIGKILL comes last of all
    stop: Sequence[tuple[signal.Signals, float]] = ((signal.SIGTERM, 10.0),)
    start_timeout_s: float = 120.0
    cwd: Path | None = None
    #: options of setpriv(1) under which it runs
    privileges: Sequence[str] = ()
    #: modules that a fork server imports, and shares with other processes, before it forks this one
    imports: Sequence[str] = ()
    #: True: runs at background priority from its first import on
    background: bool = False


def launch_command(spec: ProcessSpec) -> list[str]:
    """Return the command line that makes the process end when its parent is killed.

    The kernel ties this to the *thread* that starts the process: start it from a thread that stays alive. Without
    setpriv (outside Linux), leftover processes are found at the next start instead.
    """
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return list(spec.argv)
    death_signal = spec.stop[0][0].name.removeprefix("SIG")
    return [setpriv, "--pdeathsig", death_signal, *spec.privileges, "--", *spec.argv]


def log_path(logs: Path, name: str) -> Path:
    return logs / f"{name}.log"


@contextmanager
def opened_log(path: Path) -> Iterator[int]:
    """Open a log for appending; a large one is first put aside, in place of its predecessor."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if path.stat().st_size > LOG_LIMIT:
            path.replace(path.with_suffix(".log.1"))
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def describe_exit(status: int) -> str:
    if status == STATUS_UNKNOWN:
        return "with the fork server"
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


def start_error(spec: ProcessSpec, what: str, log: Path) -> StartError:
    tail = log.read_bytes()[-LOG_TAIL:].decode(errors="replace").strip()
    return StartError(f"{spec.name} {what}; its log {log} ends with:\n{tail}")


@contextmanager
def run_blocking(spec: ProcessSpec, logs: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run one process without a supervisor while the block lasts; it is ready on entry."""
    log = log_path(logs, spec.name)
    with opened_log(log) as output:
        process = subprocess.Popen(
            launch_command(spec),
            env=dict(spec.environment),
            cwd=spec.cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        _wait_until_ready(spec, process, log)
        yield process
    finally:
        _stop(spec, process)


def _wait_until_ready(spec: ProcessSpec, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + spec.start_timeout_s
    while not spec.ready():
        if process.poll() is not None:
            raise start_error(spec, f"ended ({describe_exit(process.returncode)})", log)
        if time.monotonic() > deadline:
            raise start_error(spec, f"was not ready within {spec.start_timeout_s:g} s", log)
        time.sleep(POLL_S)


def _stop(spec: ProcessSpec, process: subprocess.Popen[bytes]) -> None:
    for number, grace_s in spec.stop:
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(grace_s)
            return
    process.kill()
    process.wait()
