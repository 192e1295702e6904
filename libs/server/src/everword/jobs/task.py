"""The definition of a job: a name, a queue, and a function that does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from everword.jobs.store import StartedJob

#: A job that failed this often is given up, and stays visible until it is retried.
MAX_ATTEMPTS = 3
#: A worker that dies is mostly no fault of its job. A job whose workers died this often in a row is given up as well.
MAX_DEATHS = 10


class PermanentFailure(Exception):
    """Trying again cannot help; the job is given up at once. The message is what operators see."""


class DependencyUnavailable(Exception):
    """A dependency of every job of the task is unavailable, so this counts as no attempt of the job.

    `pause_s` is the time until the next try, if it is known better than for the whole task.
    """

    def __init__(self, message: str, pause_s: float | None = None) -> None:
        super().__init__(message)
        self.pause_s = pause_s


class LeaseLost(Exception):
    """Somebody else has the job: whatever this worker still does must not count."""


@dataclass(frozen=True)
class JobRun:
    """One attempt at a job, as the task's function sees it."""

    job: StartedJob
    #: Says that a step is done and need not be done again: attempts and time count from then on. Raises LeaseLost.
    checkpoint: Callable[[], None]
    #: Raises LeaseLost if another worker owns the job. The lease is extended without it: call it where long work should
    #: stop early.
    heartbeat: Callable[[], None]
    #: Returns whether a job of another namespace waits. Call it after each step of long work; then leave the rest to a
    #: later run, by returning the present time.
    other_namespaces_wait: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Task:
    """A kind of background work. Its function may run again for work that was done, and must change nothing then."""

    #: The name in the table `jobs`, such as `embed`.
    name: str
    #: Does the work that was due when the job was started, and returns when there will be more, if that is known. Any
    #: exception means another attempt.
    run: Callable[[JobRun], datetime | None]
    #: How long a worker may be silent before the job is taken from it.
    lease_s: float = 60.0
    #: How long a step may take, from one `checkpoint` to the next. It ends what hangs; a slow model needs many minutes.
    step_s: float = 2 * 3600.0
    #: Pauses before the second and later attempts; the last one repeats.
    pauses_s: tuple[float, ...] = (5.0, 30.0, 120.0)

    #: Pause while something that every job needs is away. There may be many jobs, and each looks.
    away_s: float = 30.0

    def pause_after(self, attempt: int) -> float:
        """Return the pause after a failed attempt, numbered from 1."""
        return self.pauses_s[min(attempt, len(self.pauses_s)) - 1]


def queue_name(task: str) -> str:
    """Return the RQ queue of a task. A thread serves one queue, for which RQ moves wake-ups without losing any."""
    return f"everword-{task}"
