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

    `waiting` are the first messages that wait up to `conversation.through`: `after_messages`, or as many as there are.
    A leaf is full earlier if its size limit is reached.
    """
    if not waiting:
        return LeafPlan(through=conversation.through)
    seqs = [message.seq for message in waiting[: _fitting(waiting)]]
    is_full = sum(message.bytes for message in waiting) >= MOST_LEAF_BYTES
    if is_full or len(waiting) >= settings.after_messages:
        return LeafPlan(seqs, through=seqs[-1])
    if conversation.is_wanted:
        return LeafPlan(seqs, through=conversation.through)
    enough = 2 * len(waiting) >= settings.after_messages
    idle_s = settings.idle_s if enough else settings.long_idle_s
    due_at = waiting[-1].recorded_at + timedelta(seconds=idle_s)
    return LeafPlan(due_at=due_at) if due_at > now else LeafPlan(seqs, conversation.through)


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
