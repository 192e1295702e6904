"""Cuts a conversation into sessions: runs of messages without a long pause in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from everword.jobs.enqueue import SESSION_IDLE_S
from everword_compactor.sleep.store import StoredMessage

#: A pause that ends a session.
IDLE = timedelta(seconds=SESSION_IDLE_S)
#: Largest number of messages in a session; a longer one is split.
MOST_MESSAGES = 400


@dataclass(frozen=True)
class MessageRun:
    """Messages that belong together, and whether others may follow."""

    messages: Sequence[StoredMessage]
    is_finished: bool


def cut_sessions(
    messages: Sequence[StoredMessage], wanted_seq: int, now: datetime, *, has_more: bool
) -> Iterator[MessageRun]:
    """Yield the sessions of consecutive messages, in order.

    The last one is finished if no message came for long enough, or if a caller requests it; with `has_more`, further
    messages follow.
    """
    run: list[StoredMessage] = []
    for message in messages:
        if run and (_is_pause(run[-1], message) or len(run) == MOST_MESSAGES):
            yield MessageRun(run, True)
            run = []
        run.append(message)
    if run:
        rested = now - max(message.recorded_at for message in run) >= IDLE
        requested = run[-1].seq <= wanted_seq
        full = len(run) == MOST_MESSAGES
        yield MessageRun(run, full or (not has_more and (rested or requested)))


def _is_pause(before: StoredMessage, after: StoredMessage) -> bool:
    return after.occurred_at - before.occurred_at >= IDLE
