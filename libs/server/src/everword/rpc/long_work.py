"""Runs long work in a few threads outside of the event loop, and returns its memory to the system.

Python code in a thread yields to the event loop every few milliseconds; a single call into compiled code does not, and
must be short.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from everword.processes.heap import collect

P = ParamSpec("P")
T = TypeVar("T")
#: Requests of more bytes are long work. What is smaller would wait for a thread longer than it takes.
LONG_BYTES = 32 * 1024
#: More of them would each take the interpreter from the event loop in turn, and none would be done sooner.
_THREADS = ThreadPoolExecutor(2, "long-work")
#: Seconds after which freed memory is returned to the system; large requests come in groups.
_MEMORY_RETURN_INTERVAL_S = 1.0
_waiting: set[asyncio.AbstractEventLoop] = set()


async def run_in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work` in a thread, in the context of the caller, and return its result."""
    loop = asyncio.get_running_loop()
    context = contextvars.copy_context()
    doing = partial(context.run, work, *args, **kwargs)
    try:
        return await loop.run_in_executor(_THREADS, doing)
    finally:
        if loop not in _waiting:
            _waiting.add(loop)
            loop.call_later(_MEMORY_RETURN_INTERVAL_S, _return_free_memory, loop)


def _return_free_memory(loop: asyncio.AbstractEventLoop) -> None:
    _waiting.discard(loop)
    # A call's request lies in cycles of the objects around it, which would stay until there are many more of them.
    _THREADS.submit(collect)
