"""`everword demo` as a new user runs it."""

from __future__ import annotations

import os
import re
import subprocess

import pytest
from rich.cells import cell_len

from everword.cli.demo import demo_queries
from support.command_line import EVERWORD
from support.documents import code_blocks

#: Topic of the context for the first question.
TOPIC = ("cutover", "MySQL", "old machine")


@pytest.mark.slow
def test_demo_prints_searches_and_context_as_shown_in_readme() -> None:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("EVERWORD_")}
    done = subprocess.run(
        [EVERWORD, "demo"],
        env={**inherited, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert max(map(cell_len, done.stdout.splitlines())) <= 80
    shown = _flat(done.stdout)
    assert "214 messages of 6 conversations" in shown
    searches = shown.split("$ everword search ")[1:]
    assert len(searches) == len(demo_queries()) == 5
    for found in ("orders_pkey", "auth.rs", "allerg", "E-73", "cutover"):
        assert any(found in each.split(" ms) ", 1)[1] for each in searches)
    changed, context = searches[-1].split("$ everword context ")
    _hold_that_the_newest_is_first(changed)
    assert len(re.findall(r"\(\d+ ms\)", shown)) == len(searches) + 1
    _hold_that_all_is_about_the_question(done.stdout)
    for step in ("everword up", "everword import", "everword search", "README.md"):
        assert step in context.split("What to do next")[1]
    _hold_that_the_readme_shows_this(shown)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _hold_that_the_newest_is_first(changed: str) -> None:
    days = re.findall(r"\b2026-03-\d\d\b", changed)
    assert len(days) == 3
    assert days == sorted(days, reverse=True)
    assert changed.index("14 March at 21:30") < changed.index("Noted: cutover Thursday 12 March")


def _hold_that_all_is_about_the_question(output: str) -> None:
    memories = output.split("## Relevant memories\n")[1].split("## Chat history")[0]
    items = re.split(r"\[\d+[^\]]*\](?:\d+%)? ", memories)[1:]
    assert len(items) >= 3
    assert [each for each in items if not any(word in _flat(each) for word in TOPIC)] == []


def _hold_that_the_readme_shows_this(shown: str) -> None:
    [block] = [each for each in code_blocks("README.md", "text") if "$ everword search" in each]
    for line in block.splitlines():
        for piece in re.split(r"…|\(\d+ ms\)", line):
            assert _flat(piece) in shown
