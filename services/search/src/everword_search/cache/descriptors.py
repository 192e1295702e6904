"""How many files this process may keep open for copies."""

from __future__ import annotations

import resource

#: Descriptors of a file: one of its map, and one to reserve disk and read by.
_EACH = 2
#: What is left to connections, and to what else a service opens.
_LEFT = 512


def allow_files(most: int) -> int:
    """Return how many files there may be, at most so many; the soft limit of descriptors is raised for them.

    1,024 is a common soft limit, for programs that wait by `select`: this one does not.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = most * _EACH + _LEFT
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return most if soft == resource.RLIM_INFINITY else max(0, min(most, (soft - _LEFT) // _EACH))
