"""The data folder: one user at a time, and nothing left over from the last one."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from everword.embedded.errors import EmbeddedError
from everword.embedded.folder import (
    RunningProcess,
    RunningStack,
    find_running_stack,
    identify,
    locked,
    read_run_file,
    stop_leftovers,
)
from everword.embedded.process import ProcessSpec

SLEEPER = [sys.executable, "-c", "print(flush=True); input()"]


@contextmanager
def sleeper() -> Iterator[tuple[subprocess.Popen[bytes], RunningProcess]]:
    """A process, and the note of it."""
    process = subprocess.Popen(SLEEPER, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout
        # For an instant after its start a process has no command line yet.
        process.stdout.readline()
        noted = identify(ProcessSpec("worker", SLEEPER, {}), process.pid)
        assert noted is not None
        yield process, noted
    finally:
        process.kill()
        process.communicate()


def stack_of(supervisor: int, *processes: RunningProcess) -> RunningStack:
    return RunningStack(
        supervisor=supervisor,
        address="127.0.0.1:50050",
        addresses={"ingest": "127.0.0.1:50051"},
        database_url="postgresql://u:p@127.0.0.1/everword",
        admin_database_url=None,
        redis_url="redis://127.0.0.1",
        internal_token="token",
        processes=list(processes),
    )


@pytest.fixture
def ended_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_lock_on_folder_in_use_names_the_process(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    # flock(2) treats a second open of the file like another process.
    refused = pytest.raises(EmbeddedError, match=r"process \d+\) already runs on")
    with locked(folder), refused, locked(folder):
        pass
    with locked(folder):
        pass


def test_folder_that_cannot_be_created_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "data"
    with pytest.raises(EmbeddedError, match=f"{folder} for data: Not a directory"), locked(folder):
        pass


def test_run_file_round_trips_and_is_private(tmp_path: Path) -> None:
    with sleeper() as (process, noted):
        stack = stack_of(process.pid, noted)
        stack.write(tmp_path)
        assert find_running_stack(tmp_path) == stack
    assert (tmp_path / "run.json").stat().st_mode & 0o777 == 0o600


def test_stack_with_ended_processes_is_not_found_as_running(tmp_path: Path) -> None:
    assert find_running_stack(tmp_path) is None
    with sleeper() as (process, noted):
        stack_of(process.pid, noted).write(tmp_path)
    assert find_running_stack(tmp_path) is None


def test_stop_leftovers_stops_processes_of_an_unclean_end(tmp_path: Path, ended_pid: int) -> None:
    lines: list[str] = []
    with sleeper() as (process, noted):
        stack_of(ended_pid, noted).write(tmp_path)
        stop_leftovers(tmp_path, lines.append)
        assert not psutil.pid_exists(process.pid)
    assert lines == [f"stopping worker (process {noted.pid}), left over from an unclean end"]
    assert read_run_file(tmp_path) is None


@pytest.mark.parametrize(
    "other",
    [
        lambda noted: replace(noted, argv=[*noted.argv, "other"]),
        lambda noted: replace(noted, started=noted.started - 60),
    ],
    ids=["another command line", "started at another time"],
)
def test_stop_leftovers_ignores_another_process_with_a_reused_pid(
    tmp_path: Path, ended_pid: int, other: Callable[[RunningProcess], RunningProcess]
) -> None:
    with sleeper() as (process, noted):
        stack_of(ended_pid, other(noted)).write(tmp_path)
        stop_leftovers(tmp_path, print)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
