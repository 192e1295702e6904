"""Processes with low priority, also if Linux shares the processor among sessions."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from everword.processes.priority import NICENESS, SESSION_NICENESS, session_niceness

GIVE_WAY = """
import os
from everword.processes.priority import lower_process_priority, session_niceness
lower_process_priority()
print(os.getpriority(os.PRIO_PROCESS, 0), session_niceness())
"""


def _given(*, own_session: bool) -> list[int]:
    """Return the niceness of a process that gave way, and that of its session."""
    command = [sys.executable, "-c", GIVE_WAY]
    printed = subprocess.check_output(command, start_new_session=own_session)
    return [int(each) for each in printed.split()]


def test_lower_priority_includes_the_session_only_if_the_process_leads_it() -> None:
    try:
        own = session_niceness()
    except OSError:
        pytest.skip("sessions have no priority here")
    before = os.getpriority(os.PRIO_PROCESS, 0)
    assert _given(own_session=True) == [NICENESS, SESSION_NICENESS]
    # Whoever started it in a session of theirs keeps their priority.
    assert _given(own_session=False) == [NICENESS, own]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
