"""`everword demo` as a newcomer runs it."""

from __future__ import annotations

import os
import subprocess

import pytest

from everword.cli.demo import demo_queries
from support.command_line import EVERWORD


@pytest.mark.slow
def test_the_demo_imports_searches_six_times_builds_a_context_and_leaves_nothing() -> None:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("EVERWORD_")}
    done = subprocess.run(
        [EVERWORD, "demo"],
        env={**inherited, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    assert "214 messages of 6 conversations" in done.stdout
    sections = done.stdout.split("everword search ")[1:]
    assert len(sections) == len(demo_queries()) == 6
    for found in ("cutover", "orders_pkey", "auth.rs", "budget", "allerg", "E-73"):
        assert any(found in section.split("\n", 1)[1] for section in sections)
    assert "## " in sections[-1].split("everword context ")[1]
    assert "Traceback" not in done.stderr
