"""Leaves: summaries of consecutive messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from everword.db.blocking import Connection
from everword_compactor.compose.model import Level, Source
from everword_compactor.conversations import store
from everword_compactor.conversations.model import CompactedConversation
from everword_compactor.conversations.plan import LeafPlan, most_waiting, plan_leaf
from everword_compactor.conversations.summarizer import ConversationSummarizer
from everword_compactor.nodes.store import read_message_sources
from everword_compactor.nodes.write import NodeExists


@dataclass(frozen=True)
class _Step:
    conversation: CompactedConversation
    plan: LeafPlan
    sources: Sequence[Source]


def make_leaves(summarizer: ConversationSummarizer) -> datetime | None:
    """Make the due leaves; returns the time of further work, if messages wait."""
    for _ in summarizer.steps():
        step = _next_step(summarizer)
        if step is None or step.plan.through is None:
            return step.plan.due_at if step else None
        if step.sources:
            _make_leaf(summarizer, step, step.plan.through)
        else:
            _pass(summarizer, step.conversation, step.plan.through)
    return summarizer.job.worker_context.now()


def _next_step(summarizer: ConversationSummarizer) -> _Step | None:
    """Read the next step; None if everything is done."""
    settings, namespace_id = summarizer.job.worker_context.compaction, summarizer.namespace_id
    with summarizer.job.transaction() as conn:
        conversation = store.read_compacted(conn, namespace_id, summarizer.conversation_id)
        if conversation is None or conversation.last_seq <= conversation.summarised_seq:
            return None
        waiting = store.next_messages(conn, namespace_id, conversation, most_waiting(settings))
        plan = plan_leaf(conversation, waiting, settings, summarizer.job.worker_context.now())
        rows = []
        if plan.seqs:
            rows = read_message_sources(conn, namespace_id, conversation.id, plan.seqs)
    # PostgreSQL and Unicode disagree on whitespace.
    sources = [row.source for row in rows if row.source.text.strip()]
    return _Step(conversation, plan, sources)


def _make_leaf(summarizer: ConversationSummarizer, step: _Step, through: int) -> None:
    first = step.conversation.summarised_seq + 1
    summarizer.write(
        step.conversation,
        Level.LEAF,
        step.sources,
        (first, through),
        also=lambda conn: _advance(conn, summarizer, step.conversation, through),
    )


def _pass(
    summarizer: ConversationSummarizer, conversation: CompactedConversation, through: int
) -> None:
    summarizer.record(lambda conn: _advance(conn, summarizer, conversation, through))


def _advance(
    conn: Connection,
    summarizer: ConversationSummarizer,
    conversation: CompactedConversation,
    through: int,
) -> None:
    if not store.advance_progress(conn, summarizer.namespace_id, conversation, through):
        raise NodeExists
