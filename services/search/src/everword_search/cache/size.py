"""The memory that the cache takes where nobody says how much."""

from __future__ import annotations

import os
from pathlib import Path

#: The most that it takes by default, and the share of the machine's or container's memory, as a divisor.
MOST_CACHE_BYTES = 1 << 30
_SHARE = 4
#: Where the kernel says what a container may take: version 2 of control groups, and version 1.
_LIMITS = ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes")


def default_cache_bytes(root: Path = Path("/")) -> int:
    """Return a quarter of the memory that there is, and at most 1 GiB; `root` is where the kernel's files are."""
    there = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for name in _LIMITS:
        try:
            there.append(int((root / name).read_text()))
        except (OSError, ValueError):
            continue  # the other version's, or `max`: no limit
    return min(min(there) // _SHARE, MOST_CACHE_BYTES)
