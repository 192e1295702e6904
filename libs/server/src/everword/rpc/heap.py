"""The return of freed memory to the system.

Large requests, and loading namespaces for searches, leave holes between what stays, which glibc keeps for later:
hundreds of MB after 16 MiB of text. And each thread takes an arena of its own, of which 5 to 10 MB are left: 50 MB with
ten of them.
"""

from __future__ import annotations

import ctypes
import gc

_LIBC = ctypes.CDLL(None)
#: glibc's number for the most arenas; one for the event loop, and one for all others, which take turns anyway.
_M_ARENA_MAX = -8
_ARENAS = 2


def share_arenas() -> None:
    """Have the threads that begin from now on share what they allocate from; without glibc, do nothing."""
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
