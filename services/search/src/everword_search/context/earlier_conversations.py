"""The end of earlier conversations, for a context at the start of a new one.

    ## Earlier conversations
    17 Apr 2026 · Spring work on the Heron
    [5] task: Send the harbour office the insurance papers.
    [6 leaf summary] - Ana: The mast is repaired, the rigging is not.
    [7] Ana: Tomorrow we pick the paint for the hull.

They are read without a search, because a question such as "Where were we?" shares no words with its answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from uuid import UUID

from everword.db.pool import STATEMENT_CAP_S, Connection
from everword.db.statements import fetch_each
from everword.domain.deadline import remaining
from everword.domain.records import ConversationRecord
from everword_search.context.budget import ContextDraft
from everword_search.context.item import ContextItem, ItemContext
from everword_search.context.model import BlockSource, ContextCandidate, ContextRequest
from everword_search.context.text import Layout
from everword_search.endings.read_endings import Endings, read_endings
from everword_search.passages.store import (
    Scope,
    earlier_summaries_statement,
    earlier_turns_statement,
    find_earlier_conversations,
    latest_periods_statement,
    open_tasks_statement,
)
from everword_search.records.model import MemoryFilter, max_parts
from everword_search.records.store import MemoryRow, read_memories, use_generic_plans
from everword_search.retrieval.full_text import FullText

#: A conversation is new until it has this many turns; then its own turns show its subject.
NEW_TURNS = 10
#: Share of the budget, within the half of the chat history, and the part of it for turns before tasks and summaries.
SHARE, TURNS_SHARE = 0.2, 0.6
#: Share of the budget, beyond that half, if the question asks for the end of the last conversation.
RESUMED_SHARE = 0.8
#: Maximum earlier conversations read, their summaries, a day and a week of the calendar, and maximum tasks.
_CONVERSATIONS, _SUMMARIES, _PERIODS, _TASKS = 5, 3, 2, 5
#: Maximum characters of an item, and in a small budget the maximum share of the block, at this many characters a token.
_MOST_CHARS, _ITEM_SHARE, _CHARS_A_TOKEN = 2_000, 0.4, 4
_READ_CHARS = 2 * _MOST_CHARS


@dataclass(frozen=True)
class EarlierConversations:
    """The last turns of earlier conversations, with their summaries, and open tasks."""

    #: Newest first.
    turns: Sequence[MemoryRow] = ()
    summaries: Sequence[MemoryRow] = ()
    tasks: Sequence[MemoryRow] = ()
    #: Outdated facts of turns and summaries.
    endings: Endings = field(default_factory=dict)

    def without_summaries(self, ids: AbstractSet[UUID]) -> EarlierConversations:
        """Return these without the summaries `ids`, which another block shows."""
        return replace(self, summaries=[each for each in self.summaries if each.id not in ids])


def is_new(request: ContextRequest, record: ConversationRecord, most_turns: int) -> bool:
    """Return whether the context of a conversation has turns of earlier ones, `most_turns` at most."""
    return _turns_left(request, record, most_turns) > 0


def _turns_left(request: ContextRequest, record: ConversationRecord, most_turns: int) -> int:
    return min(most_turns, min(request.max_recent_turns, NEW_TURNS) - record.turn_count)


async def read_earlier_conversations(
    conn: Connection,
    namespace_id: int,
    request: ContextRequest,
    record: ConversationRecord,
    most_turns: int,
    *,
    has_endings: bool,
) -> EarlierConversations:
    """Return the end of the latest conversations of the same agent and subject, for a new one."""
    most = _turns_left(request, record, most_turns)
    await use_generic_plans(conn, remaining(STATEMENT_CAP_S))
    scope = Scope(namespace_id, _filter(request, {record.agent}, {record.subject}))
    # Tasks and periods have no agent, or this one. Tasks without a subject may belong to any user.
    of_subject = Scope(namespace_id, _filter(request, {record.agent, ""}, {record.subject}))
    ids = await find_earlier_conversations(conn, scope, record.id, _CONVERSATIONS)
    found = await fetch_each(
        conn,
        earlier_turns_statement(scope, ids, most),
        earlier_summaries_statement(scope, ids, _SUMMARIES),
        latest_periods_statement(of_subject, _PERIODS),
        open_tasks_statement(of_subject, _TASKS),
    )
    turn_ids, of_conversations, periods, task_ids = (
        [row.source_id for row in rows] for rows in found
    )
    summary_ids = [*of_conversations, *periods]
    wanted = [*turn_ids, *summary_ids, *task_ids]
    if not wanted:
        return EarlierConversations()
    rows = await read_memories(
        conn, namespace_id, wanted, max_chars=_READ_CHARS, max_parts=max_parts(_READ_CHARS)
    )
    memories = {row.id: row for row in rows}
    endings = await read_endings(conn, scope, [*turn_ids, *summary_ids]) if has_endings else {}

    def existing(ids: Sequence[UUID]) -> list[MemoryRow]:
        return [memories[id_] for id_ in ids if id_ in memories]

    return EarlierConversations(
        existing(turn_ids), existing(summary_ids), existing(task_ids), endings
    )


def _filter(request: ContextRequest, agents: set[str], subjects: set[str]) -> MemoryFilter:
    """Return the request's filter, limited to these agents and subjects unless it names some."""
    requested = request.filter
    return replace(
        requested,
        agents=sorted(agents) if requested.agents is None else requested.agents,
        subjects=sorted(subjects) if requested.subjects is None else requested.subjects,
    )


def add_earlier_conversations(
    draft: ContextDraft, layout: Layout, earlier: EarlierConversations, limit: int
) -> None:
    """Add turns, tasks and summaries of earlier conversations, at most `limit` tokens."""
    longest = min(_MOST_CHARS, int(limit * _ITEM_SHARE * _CHARS_A_TOKEN))
    if longest <= 0:
        return
    turns = [_item(layout, each, earlier.endings, longest) for each in earlier.turns]
    tasks = [_task(layout, each, longest) for each in earlier.tasks]
    summaries = [_item(layout, each, earlier.endings, longest) for each in earlier.summaries]

    def fill(items: Sequence[ContextItem], tokens: int) -> None:
        source, there = BlockSource.EARLIER_CONVERSATIONS, draft.keys
        left = [item for item in items if item.key not in there]
        draft.fill(source, left, maximum=len(left), limit=tokens, alone=True)

    # Turns come first, so that summaries repeat none of their sentences.
    fill(turns, int(limit * TURNS_SHARE) if tasks or summaries else limit)
    fill(tasks, limit)
    fill(summaries, limit)
    fill(turns, limit)


def _item(layout: Layout, memory: MemoryRow, endings: Endings, longest: int) -> ContextItem:
    words = memory.content or memory.synthesized_content
    full = FullText.of_beginning(words, memory.content_truncated)
    about = ItemContext(endings=endings.get(memory.id, ()), full=full)
    item = layout.memory(memory, words, about, masks=layout.masks)
    return layout.shown(item, longest)


def _task(layout: Layout, memory: MemoryRow, longest: int) -> ContextItem:
    full = FullText.of_beginning(memory.content, memory.content_truncated)
    candidate = ContextCandidate(
        memory.note_kind, memory.content, memory.id, memory.occurred_at, about=memory, full=full
    )
    return layout.shown(layout.candidate(candidate), longest)
