"""What was freed goes back to the system.

Loading namespaces leaves holes between what stays, which glibc keeps for later: some 20 MB after a million passages.
"""

from __future__ import annotations

import ctypes

_LIBC = ctypes.CDLL(None)


def give_back() -> None:
    """Return freed memory to the system, without the interpreter's lock; without glibc, do nothing."""
    if hasattr(_LIBC, "malloc_trim"):
        _LIBC.malloc_trim(ctypes.c_size_t(0))
