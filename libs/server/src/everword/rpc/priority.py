"""The priority of threads and processes for the processor."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

#: As far as a thread can give way. Beside two threads that embed, a query took 1.04 times as long as alone at 19, 1.2
#: times at 10, and 3.2 times at 0 (measured, 2 cores).
NICENESS = 19
#: The priority of a session, where Linux shares the processor among sessions first: see sched(7), autogroup. At 10 it
#: gets a tenth of what another one does, so that its work goes on where the others never rest.
SESSION_NICENESS = 10
_SESSION = Path("/proc/self/autogroup")
#: The kernel takes ten such changes a second, of everybody together.
_TRIES, _PAUSE_S = 20, 0.12


def give_way() -> None:
    """Let this thread, and those that it starts, take what nobody else wants of a core, which is mostly all of it.

    Does nothing where threads have no priority of their own, or may not change it. It counts within a session.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def let_process_give_way() -> None:
    """Let the whole process give way, also to processes of other sessions where it leads a session of its own.

    May block for some seconds where many processes start at once.
    """
    give_way()
    if os.getsid(0) != os.getpid():
        return
    for _ in range(_TRIES):
        try:
            _SESSION.write_text(str(SESSION_NICENESS))
        except BlockingIOError:
            time.sleep(_PAUSE_S)
        except OSError:
            return
        else:
            return
