"""The deadline of the current call, which applies to every statement and every outgoing call.

gRPC for Python does not propagate deadlines; a context variable does, set by the deadline interceptor.
"""

from __future__ import annotations

import time
from contextvars import ContextVar

_deadline: ContextVar[float | None] = ContextVar("everword_deadline", default=None)


def set_deadline(seconds: float) -> None:
    """Let the current context end `seconds` from now."""
    _deadline.set(time.monotonic() + seconds)


def remaining(cap: float) -> float:
    """Return the seconds left to the current call, at least 1 ms and at most `cap`."""
    deadline = _deadline.get()
    if deadline is None:
        return cap
    return max(0.001, min(cap, deadline - time.monotonic()))
