"""Everword connects to no hosts except the configured ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.all_processes import BEYOND

TESTS = Path(__file__).parents[1]


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason="a network of its own is made by root alone")
def test_whole_stack_opens_no_connections_to_other_machines(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("EVERWORD_", "OTEL_"))}
    run = [sys.executable, "-m", "support.closed_network", str(tmp_path / "seen")]
    done = subprocess.run(
        [*run, sys.executable, "-m", "support.all_processes", str(tmp_path)],
        env={**inherited, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    host, port = BEYOND
    # Only the test's own deliberate last call.
    assert (tmp_path / "seen").read_text() == f"{host} {port}\n"
