"""The CPU time that a call may spend on lorebooks, and the threads in which it spends it.

The cost of a lorebook depends on its patterns and on the text. A call that has used up its time skips the remaining
triggers and reports them. Lore has separate threads; a namespace uses one of them at a time, so that it does not delay
other namespaces.
"""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from everword.admission.fair_share import Group, ShareLimits
from everword.rpc.capacity import CallShare

P = ParamSpec("P")
T = TypeVar("T")
#: Seconds of CPU time that a call may spend on lorebooks in total, and on compiling and searching for patterns. The
#: last search may exceed them by up to .2 s in a message of 32 KB.
TOTAL_CPU_S, PATTERNS_CPU_S = 1.5, 0.3
_THREADS = ThreadPoolExecutor(2, "lore")
_LIMITS = ShareLimits(total=2, of_group=1, waiting=1000, waiting_in_group=200)
_SHARES: WeakKeyDictionary[asyncio.AbstractEventLoop, CallShare] = WeakKeyDictionary()


class CpuLimit:
    """A limit to the CPU time of the blocks that it surrounds, each in one thread."""

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._began: float | None = None

    def __enter__(self) -> None:
        self._began = time.thread_time()

    def __exit__(self, *_: object) -> None:
        self._left = self._remaining()
        self._began = None

    def is_reached(self) -> bool:
        return self._remaining() <= 0

    def _remaining(self) -> float:
        return self._left - (time.thread_time() - self._began if self._began is not None else 0.0)


class Evaluation:
    """A call's evaluation of lorebooks, which ends in time."""

    def __init__(self, total_s: float = TOTAL_CPU_S, patterns_s: float = PATTERNS_CPU_S) -> None:
        self._total = CpuLimit(total_s)
        #: Surrounds compiling patterns and searching for them.
        self.patterns = CpuLimit(patterns_s)
        self._is_cancelled = False

    def is_over(self) -> bool:
        """Return whether to stop, because the CPU time is used up or because the caller is gone."""
        return self._is_cancelled or self._total.is_reached()

    def is_over_for_patterns(self) -> bool:
        """Return whether the CPU time for patterns is used up."""
        return self.is_over() or self.patterns.is_reached()

    async def run(
        self, namespace_id: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work` in a lore thread when it is the namespace's turn, and return its result.

        If the caller is cancelled, the evaluation is over, and `work` ends soon. Raises Overloaded if too many calls
        wait.
        """
        try:
            return await run_for_lore(namespace_id, self._timed, partial(work, *args, **kwargs))
        except asyncio.CancelledError:
            self._is_cancelled = True
            raise

    def _timed(self, work: Callable[[], T]) -> T:
        with self._total:
            return work()


async def run_for_lore(
    namespace_id: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run `work` in a lore thread when it is the namespace's turn. Raises Overloaded if too many calls wait."""
    loop = asyncio.get_running_loop()
    share = _SHARES.get(loop)
    if share is None:
        share = _SHARES[loop] = CallShare(_LIMITS)
    doing = partial(contextvars.copy_context().run, work, *args, **kwargs)
    group = Group(namespace_id)
    await share.take(group)
    running = loop.run_in_executor(_THREADS, doing)
    # The thread may outlast the caller; the namespace's turn lasts until it ends.
    running.add_done_callback(lambda _: share.give(group))
    return await asyncio.shield(running)
