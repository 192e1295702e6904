"""The choice of the next messages to summarise: rules without a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate

from everword.domain.compaction import CompactionSettings
from everword_compactor.compose.model import Level
from everword_compactor.conversations.model import CompactedConversation, WaitingMessage

#: How many nodes of the level below a node is made from.
FEWEST = {Level.BRANCH: 5, Level.ROOT: 3}
MOST = {Level.BRANCH: 8, Level.ROOT: 5}
#: A leaf of more than one message reads no more than this: about ten times what fills it. Ten messages of a megabyte
#: are ten leaves, each of which is stored before the next is begun.
MOST_LEAF_BYTES = 256 * 1024


@dataclass(frozen=True)
class LeafPlan:
    """The decision about the messages that wait."""

    #: Positions of the leaf; empty if none is due.
    seqs: Sequence[int] = ()
    #: Position up to which the conversation is done afterwards; None if nothing is done.
    through: int | None = None
    #: When there may be more to do, if nothing is done now.
    due_at: datetime | None = None


def plan_leaf(
    conversation: CompactedConversation,
    waiting: Sequence[WaitingMessage],
    settings: CompactionSettings,
    now: datetime,
) -> LeafPlan:
    """Decide on the next leaf.

    `waiting` are the first messages that wait up to `conversation.through`: `most_waiting`, or as many as there are. A
    leaf is full earlier if its size limit is reached, and may be longer than `after_messages` to keep a phase whole.
    """
    if not waiting:
        return LeafPlan(through=conversation.through)
    seqs = [message.seq for message in waiting]
    full = waiting[: settings.after_messages]
    if sum(message.bytes for message in full) >= MOST_LEAF_BYTES:
        size = _fitting(full)
        return LeafPlan(seqs[:size], through=seqs[size - 1])
    if len(waiting) >= settings.after_messages:
        size = _whole_phases(waiting, settings)
        if not size and conversation.is_wanted:
            size = settings.after_messages
        if size:
            return LeafPlan(seqs[:size], through=seqs[size - 1])
    if conversation.is_wanted:
        return LeafPlan(seqs, through=conversation.through)
    enough = 2 * len(waiting) >= settings.after_messages
    idle_s = settings.idle_s if enough else settings.long_idle_s
    due_at = waiting[-1].recorded_at + timedelta(seconds=idle_s)
    return LeafPlan(due_at=due_at) if due_at > now else LeafPlan(seqs, conversation.through)


def most_waiting(settings: CompactionSettings) -> int:
    """Return how many waiting messages decide on the next leaf: twice a leaf, so that a phase may end."""
    return 2 * settings.after_messages


def _whole_phases(waiting: Sequence[WaitingMessage], settings: CompactionSettings) -> int:
    """Return the number of messages of a leaf that splits no phase; 0 while a phase may still end.

    A phase that is longer than `most_waiting` is split.
    """
    after = settings.after_messages
    ends = [
        place
        for place in range(1, len(waiting) + 1)
        if not waiting[place - 1].phase
        or (place < len(waiting) and waiting[place].phase != waiting[place - 1].phase)
    ]
    earlier = [place for place in ends if after <= 2 * place <= 2 * after]
    later = [place for place in ends if after < place <= _fitting(waiting)]
    if earlier or later:
        return earlier[-1] if earlier else later[0]
    return (
        after if len(waiting) >= most_waiting(settings) or _fitting(waiting) < len(waiting) else 0
    )


def _fitting(waiting: Sequence[WaitingMessage]) -> int:
    """Return how many of the messages a leaf may read: one, however long, or as many as are short enough together."""
    read = accumulate(message.bytes for message in waiting)
    return max(1, sum(1 for size in read if size <= MOST_LEAF_BYTES))


def group_size(level: Level, orphans: int) -> int:
    """Return the number of nodes below, in order, that make the next node of a level; 0 if it is too early.

    A level is made as soon as possible. With many nodes it takes the largest allowed number, so that a backlog makes
    fewer nodes. The rest stays without a parent until there is more.
    """
    return min(orphans, MOST[level]) if orphans >= FEWEST[level] else 0
