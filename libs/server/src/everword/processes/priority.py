"""The priority of threads and processes for the processor."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

#: Lowest priority of a thread. With two threads that embed, a query took 1.04 times as long as alone at 19, 1.2 times
#: at 10, and 3.2 times at 0 (measured, 2 cores).
NICENESS = 19
#: The priority of a session, by which Linux shares a processor that no control group divides: see sched(7), autogroup.
#: At 10 it gets a tenth of another session's share, so that its work goes on even on a busy machine.
SESSION_NICENESS = 10
_SESSION = Path("/proc/self/autogroup")
#: The kernel allows processes without root ten such changes a second in total.
_TRIES, _PAUSE_S = 20, 0.12


def lower_priority() -> None:
    """Lower the CPU priority of this thread, and of threads that it starts, to the lowest.

    Does nothing on systems without a priority for each thread, or without the right to change it. It counts within a
    session.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def lower_process_priority() -> None:
    """Lower the CPU priority of the whole process, and of its session if it leads one.

    May block for two seconds if very many processes start at once.
    """
    lower_priority()
    if sys.platform == "linux" and os.getsid(0) == os.getpid():
        with suppress(OSError):
            _lower_session()


def lower_session(pid: int) -> None:
    """Lower the CPU priority of the session that another process leads, such as a new worker.

    Does nothing if the kernel has no session priority, or if the process has ended.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            Path(f"/proc/{pid}/autogroup").write_text(str(SESSION_NICENESS))


def _lower_session() -> None:
    for _ in range(_TRIES):
        if session_niceness() >= SESSION_NICENESS:
            return
        try:
            _SESSION.write_text(str(SESSION_NICENESS))
        except BlockingIOError:
            time.sleep(_PAUSE_S)


def session_niceness() -> int:
    """Return the niceness of this process's session. Raises OSError where sessions have none."""
    # Such as: /autogroup-25 nice 0
    words = _SESSION.read_text().split()
    if not words:
        raise FileNotFoundError(_SESSION)
    return int(words[-1])
