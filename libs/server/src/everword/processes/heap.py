"""The return of freed memory to the system.

Large requests, and loading namespaces for searches, leave holes between what stays, which glibc keeps for later:
hundreds of MB after 16 MiB of text. And each thread takes an arena of its own, of which 5 to 10 MB are left: 50 MB with
ten of them.
"""

from __future__ import annotations

import ctypes
import gc
import threading
import time

#: Seconds between two full collections, which take a few ms, and their maximum share of the time. The collector itself
#: runs one after a million objects; failed calls and lost connections leave some hundred each.
COLLECT_S = 60.0
COLLECT_SHARE = 0.0005
#: Seconds until freed memory is returned, and the CPU seconds below which a process has had no work meanwhile.
MEMORY_RETURN_INTERVAL_S = 20.0
IDLE_S = 0.1
_LIBC = ctypes.CDLL(None)
#: glibc's number for the most arenas; one for the event loop, and one for all others, which take turns anyway.
_M_ARENA_MAX = -8
_ARENAS = 2


def share_arenas() -> None:
    """Have threads started from now on share memory arenas; does nothing without glibc."""
    if hasattr(_LIBC, "mallopt"):
        _LIBC.mallopt(_M_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Return freed memory to the system, without the interpreter's lock; without glibc, do nothing."""
    if hasattr(_LIBC, "malloc_trim"):
        _LIBC.malloc_trim(ctypes.c_size_t(0))


def collect() -> None:
    """Free what lies in cycles that nothing reaches, and return freed memory to the system."""
    gc.collect()
    give_back()


def collect_regularly() -> None:
    """Start a daemon thread that frees unreachable cycles and returns freed memory to the system now and then."""
    threading.Thread(target=_collect_regularly, name="collect", daemon=True).start()


def _collect_regularly() -> None:
    worked_s, collect_at = time.process_time(), time.monotonic() + COLLECT_S
    while True:
        time.sleep(min(MEMORY_RETURN_INTERVAL_S, COLLECT_S))
        if time.monotonic() >= collect_at:
            # CPU time, since on a busy machine it waits for far longer.
            started = time.thread_time()
            gc.collect()
            elapsed_s = time.thread_time() - started
            collect_at = time.monotonic() + max(COLLECT_S, elapsed_s / COLLECT_SHARE)
        if time.process_time() > worked_s + IDLE_S:
            give_back()
            worked_s = time.process_time()
