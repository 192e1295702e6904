"""The priority of a thread for the processor."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

#: As far as a thread can give way. Beside two threads that embed, a query took 1.04 times as long as alone at 19, 1.2
#: times at 10, and 3.2 times at 0 (measured, 2 cores).
NICENESS = 19


def give_way() -> None:
    """Let this thread, and those that it starts, take what nobody else wants of a core, which is mostly all of it.

    Does nothing where threads have no priority of their own, or may not change it.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
