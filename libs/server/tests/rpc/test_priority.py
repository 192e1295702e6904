"""Processes that give way, also where Linux shares the processor among sessions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from everword.rpc.priority import NICENESS, SESSION_NICENESS

GIVE_WAY = """
import os, pathlib
from everword.rpc.priority import let_process_give_way
let_process_give_way()
print(os.getpriority(os.PRIO_PROCESS, 0), pathlib.Path("/proc/self/autogroup").read_text().split()[-1])
"""


def _given(*, own_session: bool) -> list[int]:
    """Return the niceness of a process that gave way, and that of its session."""
    command = [sys.executable, "-c", GIVE_WAY]
    printed = subprocess.check_output(command, start_new_session=own_session)
    return [int(each) for each in printed.split()]


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="sessions share nothing here")
def test_a_process_gives_way_with_its_session_where_it_leads_one() -> None:
    own = int(Path("/proc/self/autogroup").read_text().split()[-1])
    assert _given(own_session=True) == [NICENESS, SESSION_NICENESS]
    # Whoever started it in a session of theirs keeps their priority.
    assert _given(own_session=False) == [NICENESS, own]
    assert os.getpriority(os.PRIO_PROCESS, 0) < NICENESS
