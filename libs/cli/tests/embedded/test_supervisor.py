"""The supervisor, with real processes."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from everword.embedded import process as process_module
from everword.embedded import supervisor as supervisor_module
from everword.embedded.errors import StartError
from everword.embedded.folder import RunningProcess
from everword.embedded.process import ProcessSpec
from everword.embedded.supervisor import Supervisor


class Witness:
    """Records the reports of a supervisor."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.processes: list[RunningProcess] = []
        self._heard = asyncio.Event()

    def say(self, line: str) -> None:
        self.lines.append(line)
        self._heard.set()

    def note(self, processes: list[RunningProcess]) -> None:
        self.processes = processes

    def count(self, part: str) -> int:
        return sum(part in line for line in self.lines)

    async def hears(self, part: str, times: int = 1) -> None:
        async with asyncio.timeout(60):
            while self.count(part) < times:
                self._heard.clear()
                await self._heard.wait()


MakeSpec = Callable[..., ProcessSpec]


@pytest.fixture
def witness() -> Witness:
    return Witness()


@pytest.fixture
async def supervisor(tmp_path: Path, witness: Witness) -> AsyncIterator[Supervisor]:
    supervisor = Supervisor(tmp_path / "logs", witness.say, witness.note)
    yield supervisor
    await supervisor.stop()


async def test_started_service_is_ready_and_writes_to_its_log(
    supervisor: Supervisor, witness: Witness, health_spec: MakeSpec, tmp_path: Path
) -> None:
    spec = health_spec("ingest")
    await supervisor.start(spec)
    assert spec.ready()
    assert (tmp_path / "logs" / "ingest.log").read_text() == "listening\n"
    assert [process.name for process in witness.processes] == ["ingest"]
    await supervisor.stop()
    assert (tmp_path / "logs" / "ingest.log").read_text() == "listening\nstopped\n"


async def test_start_fails_if_service_is_not_serving_in_time(
    supervisor: Supervisor, health_spec: MakeSpec
) -> None:
    spec = health_spec("ingest", "not-serving", start_timeout_s=1.0)
    with pytest.raises(StartError, match=r"(?s)ingest was not ready within 1 s.*listening"):
        await supervisor.start(spec)


async def test_service_that_exits_during_start_raises_with_the_end_of_its_log(
    supervisor: Supervisor, health_spec: MakeSpec
) -> None:
    with pytest.raises(StartError, match=r"(?s)exit status 1.*the configuration is broken"):
        await supervisor.start(health_spec("ingest", "broken"))


async def test_killed_service_is_restarted_and_reported_to_the_user(
    supervisor: Supervisor,
    witness: Witness,
    health_spec: MakeSpec,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor_module, "FIRST_PAUSE_S", 0.1)
    spec = health_spec("search")
    await supervisor.start(spec)
    [before] = witness.processes
    os.kill(before.pid, signal.SIGKILL)
    await witness.hears("search is ready again")
    [after] = witness.processes
    assert after.pid != before.pid
    assert spec.ready()
    assert witness.count("search ended (killed by signal 9); starting it again in 0.1 s") == 1


async def test_restart_pauses_double_up_to_a_limit(
    supervisor: Supervisor, witness: Witness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor_module, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(supervisor_module, "LONGEST_PAUSE_S", 0.04)
    spec = ProcessSpec("worker", [sys.executable, "-S", "-c", "import time; time.sleep(.1)"], {})
    await supervisor.start(spec)
    await witness.hears("worker ended", times=5)
    ended = [line for line in witness.lines if "worker ended" in line]
    pauses = [line.split(" in ")[1].split(" s;")[0] for line in ended]
    assert pauses == ["0.01", "0.02", "0.04", "0.04", "0.04"]


async def test_stop_ends_processes_in_reverse_order_of_start(
    supervisor: Supervisor, health_spec: MakeSpec, is_alive: Callable[[int], bool]
) -> None:
    engine = health_spec("engine")
    await supervisor.start(engine)
    await supervisor.start(health_spec("ingest", "deaf", stop=((signal.SIGTERM, 1.0),)))
    first, second = supervisor.processes()
    stopping = asyncio.create_task(supervisor.stop())
    await asyncio.sleep(0.5)
    assert is_alive(second.pid), "the service was given less than its second"
    assert engine.ready(), "the engine stopped before the service"
    await stopping
    assert not is_alive(first.pid)
    assert not is_alive(second.pid)


async def test_stop_cancels_pending_restarts(
    supervisor: Supervisor, witness: Witness, health_spec: MakeSpec
) -> None:
    await supervisor.start(health_spec("ingest"))
    [process] = witness.processes
    os.kill(process.pid, signal.SIGKILL)
    await witness.hears("ingest ended")
    await supervisor.stop()
    await asyncio.sleep(supervisor_module.FIRST_PAUSE_S + 0.2)
    assert witness.count("ingest is ready again") == 0
    assert supervisor.processes() == []


async def test_large_log_is_rotated_at_start(
    supervisor: Supervisor, health_spec: MakeSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "LOG_LIMIT", 10)
    log = tmp_path / "logs" / "ingest.log"
    log.parent.mkdir()
    log.write_text("of the run before\n")
    await supervisor.start(health_spec("ingest"))
    assert log.read_text() == "listening\n"
    assert log.with_name("ingest.log.1").read_text() == "of the run before\n"
