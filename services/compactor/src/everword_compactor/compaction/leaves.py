"""Leaves: summaries of consecutive messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from everword.db.blocking import Connection
from everword_compactor.compaction import store
from everword_compactor.compaction.bench import Bench
from everword_compactor.compaction.model import Compacted
from everword_compactor.compaction.plan import LeafPlan, plan_leaf
from everword_compactor.compose.model import Level, Source
from everword_compactor.nodes.store import read_message_sources
from everword_compactor.nodes.write import NodeExists


@dataclass(frozen=True)
class _Step:
    conversation: Compacted
    plan: LeafPlan
    sources: Sequence[Source]


def make_leaves(bench: Bench) -> datetime | None:
    """Sum up what is due; returns when there may be more to do, if anything waits."""
    for _ in bench.steps():
        step = _next_step(bench)
        if step is None or step.plan.through is None:
            return step.plan.due_at if step else None
        if step.sources:
            _make_leaf(bench, step, step.plan.through)
        else:
            _pass(bench, step.conversation, step.plan.through)
    return bench.workshop.now()


def _next_step(bench: Bench) -> _Step | None:
    """Read what is to be done next; None where everything is."""
    settings, namespace_id = bench.workshop.compaction, bench.namespace_id
    with bench.workshop.database.transaction(namespace_id) as conn:
        conversation = store.read_compacted(conn, namespace_id, bench.conversation_id)
        if conversation is None or conversation.last_seq <= conversation.summarised_seq:
            return None
        waiting = store.next_messages(conn, namespace_id, conversation, settings.after_messages)
        plan = plan_leaf(conversation, waiting, settings, bench.workshop.now())
        rows = []
        if plan.seqs:
            rows = read_message_sources(conn, namespace_id, conversation.id, plan.seqs)
    # Postgres and Unicode differ on what is space.
    sources = [row.source for row in rows if row.source.text.strip()]
    return _Step(conversation, plan, sources)


def _make_leaf(bench: Bench, step: _Step, through: int) -> None:
    first = step.conversation.summarised_seq + 1
    bench.write(
        step.conversation,
        Level.LEAF,
        step.sources,
        (first, through),
        also=lambda conn: _advance(conn, bench, step.conversation, through),
    )


def _pass(bench: Bench, conversation: Compacted, through: int) -> None:
    bench.commit(lambda conn: _advance(conn, bench, conversation, through))


def _advance(conn: Connection, bench: Bench, conversation: Compacted, through: int) -> None:
    if not store.advance_progress(conn, bench.namespace_id, conversation, through):
        raise NodeExists
