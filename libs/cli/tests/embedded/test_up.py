"""`everword up` as a user runs it: a process of its own, with signals and kill -9."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from everword.embedded.ports import HOST, Ports
from everword.embedded.services import SERVICES, WORKERS, is_serving

HEALTH_SERVER = Path(__file__).with_name("health_server.py")
UP = [sys.executable, "-c", "from everword.cli.up import up; up()"]

Wait = Callable[[Callable[[], bool]], None]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Has health servers in place of the services' own modules, and workers that wait."""
    modules = tmp_path / "modules"
    for module in SERVICES.values():
        (modules / module).mkdir(parents=True)
        (modules / module / "__init__.py").touch()
        (modules / module / "__main__.py").write_text(HEALTH_SERVER.read_text())
    for module, *_ in WORKERS.values():
        worker = modules.joinpath(*module.split(".")).with_suffix(".py")
        worker.write_text('import signal\n\nif __name__ == "__main__":\n    signal.pause()\n')
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("EVERWORD_")}
    path = os.pathsep.join(filter(None, [str(modules), inherited.get("PYTHONPATH")]))
    # Wide enough for rich not to break the lines looked for here.
    return inherited | {"PYTHONPATH": path, "COLUMNS": "400"}


@contextmanager
def started_up(
    environment: dict[str, str], *arguments: str
) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """Yield the running command, and the JSON that it printed when it was ready."""
    process = subprocess.Popen(
        [*UP, "--free-ports", "--json", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield process, json.loads(line)
    finally:
        process.kill()
        process.communicate()


def test_signal_stops_all_processes_cleanly_and_a_killed_stack_starts_again(
    environment: dict[str, str],
    tmp_path: Path,
    is_alive: Callable[[int], bool],
    wait_until: Wait,
) -> None:
    data = tmp_path / "data"
    for number in (signal.SIGINT, signal.SIGKILL, signal.SIGTERM):
        with started_up(environment, "--data", str(data)) as (process, ready):
            assert all(is_serving(ready[name]) for name in ("address", *SERVICES))
            process.send_signal(number)
            if number is signal.SIGKILL:
                wait_until(lambda: not any(is_alive(pid) for pid in ready["processes"].values()))
                continue
            # A second Ctrl-C does not interrupt the shutdown.
            process.send_signal(number)
            _, errors = process.communicate(timeout=90)
        assert process.returncode == 0, errors
        assert not any(is_alive(pid) for pid in ready["processes"].values())
        log = (data / "logs" / "postgres.log").read_text()
        assert log.rstrip().endswith("database system is shut down")


def test_up_names_a_taken_port_before_starting_anything(
    environment: dict[str, str], tmp_path: Path
) -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        # Whatever else runs on this machine may have the usual ports.
        others = {name: each for name, each in asdict(Ports.free()).items() if name != "valkey"}
        chosen = [part for name, each in others.items() for part in (f"--{name}-port", str(each))]
        done = subprocess.run(
            [*UP, "--data", str(tmp_path / "data"), *chosen, "--valkey-port", str(port)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=90,
        )
    assert done.returncode == 1
    assert f"port {port} (valkey) is already in use" in done.stderr
    assert "--valkey-port" in done.stderr
    assert not (tmp_path / "data" / "postgres").exists()


def test_ephemeral_up_prints_every_address_and_warns_that_data_is_lost(
    environment: dict[str, str],
) -> None:
    process = subprocess.Popen(
        [*UP, "--ephemeral", "--free-ports"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    said = []
    for line in process.stderr:
        said.append(line)
        if "Everword is ready" in line:
            break
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=90)
    assert "NOTHING IS KEPT" in said[0]
    for name in ("postgres", "valkey", *SERVICES):
        [row] = [line for line in output.splitlines() if f" {name} " in line]
        assert f"{HOST}:" in row
