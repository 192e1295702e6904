"""A test over its time limit fails with the stacks of its threads, and its fixtures clean up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[2]
ENDLESS = """
import asyncio, subprocess, sys
import pytest

@pytest.fixture
def process():
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    print("started", process.pid)
    yield process
    process.kill()
    process.wait()

async def test_that_waits_for_ever(process):
    await asyncio.Event().wait()

def test_that_blocks_for_ever(process):
    process.wait()

def test_after_them():
    pass
"""


def test_endless_tests_fail_at_time_limit_and_leave_no_process(tmp_path: Path) -> None:
    test = tmp_path / "test_endless.py"
    test.write_text(ENDLESS)
    options = [
        "-o",
        "timeout=2",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "--rootdir",
        str(tmp_path),
    ]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", ROOT / "pyproject.toml", *options, test],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 1, run.stdout + run.stderr
    assert "2 failed, 1 passed" in run.stdout
    assert run.stdout.count("Timeout (>2.0s) from pytest-timeout") >= 2
    assert "process.wait()" in run.stdout
    started = [
        int(line.split()[1]) for line in run.stdout.splitlines() if line.startswith("started ")
    ]
    assert len(started) == 2
    assert not any(psutil.pid_exists(pid) for pid in started)


def test_pytest_timeout_is_at_most_900_seconds(request: pytest.FixtureRequest) -> None:
    assert 0 < float(request.config.getini("timeout")) <= 900
