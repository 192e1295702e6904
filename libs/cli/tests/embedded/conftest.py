"""Small real servers, and a look at the processes of this machine."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from everword.embedded.ports import HOST, free_ports
from everword.embedded.postgres import EmbeddedPostgres
from everword.embedded.process import ProcessSpec
from everword.embedded.services import is_serving

HEALTH_SERVER = Path(__file__).with_name("health_server.py")


@pytest.fixture
def health_spec() -> Callable[..., ProcessSpec]:
    """Describes a health server on a free port; it takes other fields of the spec, too."""

    def make(name: str = "ingest", behaviour: str = "", **fields: object) -> ProcessSpec:
        address = f"{HOST}:{free_ports(1)[0]}"
        argv = [sys.executable, str(HEALTH_SERVER), address, *([behaviour] if behaviour else [])]
        given = {"environment": dict(os.environ), "ready": partial(is_serving, address)} | fields
        return ProcessSpec(name=name, argv=argv, address=address, **given)  # type: ignore[arg-type]

    return make


@pytest.fixture
def postgres(tmp_path: Path) -> EmbeddedPostgres:
    return EmbeddedPostgres(tmp_path / "postgres", free_ports(1)[0], durable=False)


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], None]:
    """Waits for a condition, at most a minute: a shutdown of PostgreSQL waits for a busy disk."""

    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, "the condition did not come true within a minute"
            time.sleep(0.02)

    return wait


@pytest.fixture
def is_alive() -> Callable[[int], bool]:
    def alive(pid: int) -> bool:
        try:
            return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return False

    return alive


@pytest.fixture(autouse=True)
def _no_process_outlives_its_test() -> Iterator[None]:
    before = psutil.Process().children()
    yield
    left = set(psutil.Process().children()).difference(before)
    assert not left, f"left running: {left}"
