"""The fork server, with real processes that run small modules."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from everword.embedded import supervisor as supervisor_module
from everword.embedded.errors import StartError
from everword.embedded.folder import RunningProcess, RunningStack, find_running_stack
from everword.embedded.fork_client import PYTHON, ForkClient
from everword.embedded.process import STATUS_UNKNOWN, ProcessSpec
from everword.embedded.services import SERVICES, fork_client, service_specs
from everword.embedded.supervisor import Supervisor

IsAlive = Callable[[int], bool]
Wait = Callable[[Callable[[], object]], None]

#: Writes its state to its standard output, and then does what its argument says.
MODULE = """
import atexit, json, os, signal, sys, threading
from shared import LOADED_BY

if __name__ == "__main__":
    print(json.dumps({
        "arguments": sys.argv[1:], "variable": os.environ.get("VARIABLE"), "loaded_by": LOADED_BY,
        "session": os.getsid(0), "files": sorted(os.listdir("/proc/self/fd")), "input": sys.stdin.read(),
    }), flush=True)
    if sys.argv[1] == "pause":
        signal.pause()
    atexit.register(print, "exit function", end="")
    threading.Timer(0.2, print, ["thread"]).start()
    sys.exit(sys.argv[1])
"""


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "shared.py").write_text("import os\n\nLOADED_BY = os.getpid()\n")
    (folder / "work.py").write_text(MODULE)
    return folder


@asynccontextmanager
async def client_of(modules: Path, preloaded: str = "work") -> AsyncIterator[ForkClient]:
    environment = {**os.environ, "PYTHONPATH": str(modules), "VARIABLE": "of the server"}
    # A forked process writes its own command line over this one.
    client = ForkClient(modules / "logs", environment, [preloaded, "xml.dom.minidom"])
    try:
        yield client
    finally:
        await client.stop()


def spec_of(*arguments: str, **fields: object) -> ProcessSpec:
    given = {"environment": {**os.environ, "VARIABLE": "of the process"}} | fields
    return ProcessSpec("worker", [*PYTHON, "work", *arguments], imports=["work"], **given)  # type: ignore[arg-type]


def output(modules: Path) -> dict[str, object]:
    """Return the state that a process wrote to its log."""
    line = (modules / "logs" / "worker.log").read_text().splitlines()[0]
    state: dict[str, object] = json.loads(line)
    return state


def shown_by_ps(pid: int) -> str:
    ps = ["ps", "-o", "args=", "-p", str(pid)]
    return subprocess.run(ps, capture_output=True, text=True).stdout.strip()


def priority(pid: int) -> int:
    return int(Path(f"/proc/{pid}/autogroup").read_text().split()[-1])


async def test_fork_gives_a_process_its_arguments_environment_and_standard_files(
    modules: Path,
) -> None:
    async with client_of(modules) as client:
        process = await client.fork(spec_of("0"))
        assert await process.wait() == 1
        assert client.pid
        assert output(modules) == {
            "arguments": ["0"],
            "variable": "of the process",
            "loaded_by": client.pid,
            "session": process.pid,
            # The fourth one reads the folder itself.
            "files": ["0", "1", "2", "3"],
            "input": "",
        }


async def test_wait_for_a_forked_process_returns_its_exit_status_or_signal(modules: Path) -> None:
    async with client_of(modules) as client:
        failed = await client.fork(spec_of("a reason"))
        assert await failed.wait() == 1
        killed = await client.fork(spec_of("pause"))
        killed.send_signal(signal.SIGKILL)
        assert await killed.wait() == -signal.SIGKILL
        with pytest.raises(ProcessLookupError):
            killed.send_signal(signal.SIGTERM)
    log = (modules / "logs" / "worker.log").read_text()
    assert log.splitlines()[1:3] == ["a reason", "thread"]


async def test_forked_process_ends_after_its_threads_and_exit_functions(modules: Path) -> None:
    async with client_of(modules) as client:
        process = await client.fork(spec_of("done"))
        await process.wait()
    log = (modules / "logs" / "worker.log").read_text()
    # Output without a final newline is flushed, too.
    assert log.endswith("thread\nexit function")


async def test_forked_process_has_its_own_command_line(modules: Path) -> None:
    async with client_of(modules) as client:
        process = await client.fork(spec_of("pause"))
        seen = psutil.Process(process.pid)
        argv = [*PYTHON, "work", "pause"]
        noted = RunningProcess("worker", process.pid, seen.create_time(), argv, signal.SIGTERM, "")
        stack = RunningStack(1, "", {}, "", None, "", "", [noted])
        stack.write(modules)
        assert find_running_stack(modules) == stack
        assert shown_by_ps(process.pid) == " ".join(argv)
        process.send_signal(signal.SIGTERM)
        await process.wait()


async def test_forked_processes_get_their_signal_if_the_fork_server_is_killed(
    modules: Path, wait_until: Wait
) -> None:
    async with client_of(modules) as client:
        process = await client.fork(spec_of("pause", stop=((signal.SIGINT, 10.0),)))
        await asyncio.to_thread(wait_until, (modules / "logs" / "worker.log").read_text)
        assert client.pid
        os.kill(client.pid, signal.SIGKILL)
        async with asyncio.timeout(60):
            assert await process.wait() == STATUS_UNKNOWN
        # Python ends so at SIGINT, and says nothing at SIGTERM.
        assert "KeyboardInterrupt" in (modules / "logs" / "worker.log").read_text()


async def test_fork_after_the_fork_server_was_killed_starts_another_one(
    modules: Path, wait_until: Wait
) -> None:
    async with client_of(modules) as client:
        await client.start()
        first = client.pid
        assert first
        os.kill(first, signal.SIGKILL)
        await asyncio.to_thread(wait_until, lambda: client.pid != first)
        process = await client.fork(spec_of("0"))
        await process.wait()
        assert output(modules)["loaded_by"] == client.pid != first


async def test_start_with_a_module_that_cannot_be_imported_raises_with_the_reason(
    modules: Path,
) -> None:
    (modules / "broken.py").write_text("raise RuntimeError('the release is broken')")
    async with client_of(modules, "broken") as client:
        with pytest.raises(StartError, match=r"(?s)fork-server ended.*the release is broken"):
            await client.start()


async def test_supervisor_restarts_killed_processes_and_all_after_a_killed_fork_server(
    modules: Path, monkeypatch: pytest.MonkeyPatch, is_alive: IsAlive
) -> None:
    monkeypatch.setattr(supervisor_module, "FIRST_PAUSE_S", 0.1)
    said: asyncio.Queue[str] = asyncio.Queue()
    noted: list[list[RunningProcess]] = []
    async with client_of(modules) as client:
        supervisor = Supervisor(modules / "logs", said.put_nowait, noted.append, client)

        async def hears(text: str) -> None:
            async with asyncio.timeout(60):
                while text not in await said.get():
                    pass

        try:
            await supervisor.start(spec_of("pause"))
            server, worker = supervisor.processes()
            assert [server.name, worker.name] == ["fork-server", "worker"]
            os.kill(worker.pid, signal.SIGKILL)
            await hears("worker ended (killed by signal 9); starting it again")
            await hears("worker is ready again")
            server, worker = supervisor.processes()
            os.kill(server.pid, signal.SIGKILL)
            await hears("worker ended (with the fork server); starting it again")
            await hears("worker is ready again")
            again, _ = noted[-1]
            assert again.name == "fork-server"
            assert again.pid != server.pid
            assert not is_alive(worker.pid)
        finally:
            await supervisor.stop()
        assert not any(is_alive(process.pid) for process in noted[-1])


async def test_supervisor_lowers_the_priority_of_a_forked_background_process_alone(
    modules: Path,
) -> None:
    async with client_of(modules) as client:
        supervisor = Supervisor(modules / "logs", print, lambda processes: None, client)
        try:
            await supervisor.start(spec_of("pause", background=True))
            server, worker = supervisor.processes()
            assert priority(server.pid) == 0
            assert priority(worker.pid) == 10
        finally:
            await supervisor.stop()


def test_preloaded_modules_open_nothing_and_start_no_threads() -> None:
    code = (
        "import os, sys\nfrom importlib import import_module\nbefore = os.listdir('/proc/self/fd')\n"
        "for name in sys.argv[1:]: import_module(name)\n"
        "print(sorted(set(os.listdir('/proc/self/fd')) - set(before)), len(os.listdir('/proc/self/task')))"
    )
    specs = service_specs(RunningStack(1, "", dict.fromkeys(SERVICES, ""), "", None, "", ""))
    imported = [name for spec in specs for name in spec.imports]
    # NumPy's linear algebra ends its own threads before a fork and starts them again after it.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [*PYTHON[:2], "-c", code, *imported], env=environment, capture_output=True, text=True
    )
    assert done.stdout == "[] 1\n", done.stderr


def test_fork_server_command_line_is_as_long_as_that_of_any_service(tmp_path: Path) -> None:
    specs = service_specs(RunningStack(1, "", dict.fromkeys(SERVICES, ""), "", None, "", ""))
    available = len("\0".join(fork_client(tmp_path).spec.argv))
    assert max(len("\0".join(spec.argv)) for spec in specs) <= available
