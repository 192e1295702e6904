"""Cuts a conversation into sessions: runs of messages without a long pause in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from everword.jobs.enqueue import SESSION_IDLE_S
from everword_compactor.sleep.store import StoredMessage

#: A pause that ends a session.
IDLE = timedelta(seconds=SESSION_IDLE_S)
#: A session has at most so many messages; what is longer is several.
MOST_MESSAGES = 400


@dataclass(frozen=True)
class MessageRun:
    """Messages that belong together, and whether others may follow."""

    messages: Sequence[StoredMessage]
    is_finished: bool


def cut_sessions(
    messages: Sequence[StoredMessage], wanted_seq: int, now: datetime, *, has_more: bool
) -> Iterator[MessageRun]:
    """Yield the sessions of messages that follow each other, in their order.

    The last one is finished where nothing came after it for long enough, or a caller wants it to be; with `has_more`,
    messages follow that are not among these.
    """
    run: list[StoredMessage] = []
    for message in messages:
        if run and (_is_pause(run[-1], message) or len(run) == MOST_MESSAGES):
            yield MessageRun(run, True)
            run = []
        run.append(message)
    if run:
        rested = now - max(message.recorded_at for message in run) >= IDLE
        wanted = run[-1].seq <= wanted_seq
        full = len(run) == MOST_MESSAGES
        yield MessageRun(run, full or (not has_more and (rested or wanted)))


def _is_pause(before: StoredMessage, after: StoredMessage) -> bool:
    return after.occurred_at - before.occurred_at >= IDLE
