"""Compare a node's position, span and count with those of its sources."""

from __future__ import annotations

from collections.abc import Sequence

from everword.domain.records import SummaryRecord
from everword_compactor.audits.store import AuditedSource
from everword_compactor.compose.model import Source
from everword_compactor.nodes.store import MessageSource


def find_disagreements(
    node: SummaryRecord, messages: Sequence[MessageSource], nodes: Sequence[AuditedSource]
) -> list[str]:
    """Describe disagreements between a node and its sources; empty if there are none.

    A stale node is expected to disagree: its sources have changed, and it is due to be written again.
    """
    sources = [*(each.source for each in messages), *(each.source for each in nodes)]
    if not sources:
        return ["it has no sources"]
    problems = [
        f"source {child.id} is under {child.parent_id or 'no node'}"
        for child in nodes
        if child.parent_id != node.id
    ]
    if node.stale:
        return problems
    problems += _spans(node, sources)
    if node.first_seq is not None and node.last_seq is not None:
        problems += _places(node, node.first_seq, node.last_seq, messages, nodes)
    return problems


def _spans(node: SummaryRecord, sources: Sequence[Source]) -> list[str]:
    problems = []
    count = sum(source.message_count for source in sources)
    if count != node.message_count:
        problems.append(f"it counts {node.message_count} messages, its sources {count}")
    earliest = min(source.earliest_at for source in sources)
    latest = max(source.latest_at for source in sources)
    if (earliest, latest) != (node.earliest_at, node.latest_at):
        problems.append(
            f"it spans {node.earliest_at.isoformat()} to {node.latest_at.isoformat()}, its sources "
            f"{earliest.isoformat()} to {latest.isoformat()}"
        )
    return problems


def _places(
    node: SummaryRecord,
    first: int,
    last: int,
    messages: Sequence[MessageSource],
    nodes: Sequence[AuditedSource],
) -> list[str]:
    """Describe disagreements along a conversation. A leaf may skip empty messages."""
    problems = []
    of = {*(each.conversation_id for each in messages), *(each.conversation_id for each in nodes)}
    if of != {node.conversation_id}:
        problems.append("a source is of another conversation")
    places = [message.seq for message in messages]
    if any(not first <= place <= last for place in places):
        problems.append(f"a source lies outside of the places {first} to {last}")
    if nodes and (nodes[0].first_seq, nodes[-1].last_seq) != (first, last):
        problems.append(
            f"it is of the places {first} to {last}, its sources of {nodes[0].first_seq} to {nodes[-1].last_seq}"
        )
    begins = places or [child.first_seq or 0 for child in nodes]
    if begins != sorted(set(begins)):
        problems.append("its sources are not in their order")
    return problems
