"""Make room in an agent's context: first its notes, then stored summaries in the place of old turns."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import ConversationNotFound
from everword.domain.records import SummaryRecord
from everword.text.credentials import mask_credentials
from everword_compactor.conversations import requests
from everword_compactor.conversations.cover import cover
from everword_compactor.conversations.model import FlushProgress, VerbatimMessage
from everword_compactor.sleep.rpc.requests import request_sleep

#: From this share of its size on, a context counts as full.
FULL_AT = 0.85
#: So many of the latest messages stay as they are.
RECENT_TURNS_KEPT = 6
#: Maximum share of the context for the messages of a phase that is kept whole.
MAX_PHASE_SHARE = 0.5
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 0.5
INSTRUCTION = (
    "Your context is nearly full. Older messages are about to be replaced by a summary. Before that, save what must "
    "not be lost, with the tools you have for notes and memories: decisions and the reasons for them, facts you were "
    "told, the exact names, numbers, paths, identifiers and wordings you will need again, what was promised to whom, "
    "and what is still to be done. Write each so that it can be parsed without this conversation. Save only what "
    "the conversation says. Never save passwords, keys, tokens or other credentials: note what they open and where "
    "they are kept. If nothing needs saving, say so. Then go on with your work."
)


class FlushAction(IntEnum):
    """The caller's next action. Values equal proto `FlushAction`."""

    NONE = 1
    SAVE_NOTES = 2
    REPLACE = 3


@dataclass(frozen=True)
class FlushRequest:
    """The state of an agent's context: its use, and the messages that must stay."""

    conversation_id: UUID
    context_size: int
    #: If 0, those of the last flush and of the messages since.
    used_tokens: int = 0
    notes_saved: bool = False
    keep_recent: int = RECENT_TURNS_KEPT
    protected_ids: Sequence[UUID] = ()
    full_at: float = FULL_AT


@dataclass(frozen=True)
class FlushResult:
    """The caller's next action, with its data."""

    action: FlushAction
    used_tokens: int
    instruction: str = ""
    summaries: Sequence[SummaryRecord] = ()
    #: 0 if nothing is replaced.
    replaced_through_seq: int = 0
    verbatim_ids: Sequence[UUID] = ()
    #: The kept messages that are covered only by a summary that needs review.
    unconfirmed_ids: Sequence[UUID] = ()
    freed_tokens: int = 0


async def flush_conversation(
    database: Database, namespace: NamespaceScope, request: FlushRequest
) -> FlushResult:
    """Return whether the context has room, or summaries to make some. Nothing of the conversation is deleted.

    With `notes_saved`, waits until the old turns are summarised; the caller's deadline ends the wait, not the work. If
    the job was parked, the existing summaries are returned, and if it failed before, after one more attempt. Raises
    ConversationNotFound.
    """
    id_ = request.conversation_id
    async with database.transaction(namespace.id) as conn:
        conversation = await requests.read_compacted(conn, namespace.id, id_)
        if conversation is None:
            raise ConversationNotFound(conversation_id=id_)
        before = await requests.read_flushed(conn, namespace.id, id_)
        used = request.used_tokens or before.tokens + await requests.count_tokens(
            conn, namespace.id, id_, conversation.last_seq, after=before.through
        )
        through = await _last_replaceable(conn, namespace.id, request, conversation.last_seq)
    if used < request.full_at * request.context_size:
        if not before.through:
            return FlushResult(FlushAction.NONE, used)
        return await _earlier_replacement(database, namespace.id, request, before.through, used)
    if not request.notes_saved:
        return FlushResult(FlushAction.SAVE_NOTES, used, instruction=INSTRUCTION)
    through = max(through, before.through)
    await _sum_up(database, namespace.id, id_, through)
    return await _replacement(database, namespace.id, request, through, used)


async def _last_replaceable(
    conn: Connection, namespace_id: int, request: FlushRequest, last_seq: int
) -> int:
    """Return the last position that may be replaced: before the latest messages, and not within a phase.

    An unfinished phase, or one that the latest messages begin in, is kept whole unless it fills half of the context.
    """
    id_ = request.conversation_id
    through = max(0, last_seq - request.keep_recent)
    before_phase = await requests.read_phase_start(conn, namespace_id, id_, through)
    if before_phase is None:
        return through
    kept = await requests.count_tokens(conn, namespace_id, id_, last_seq, after=before_phase)
    return before_phase if kept <= MAX_PHASE_SHARE * request.context_size else through


async def _sum_up(
    database: Database, namespace_id: int, conversation_id: UUID, through: int
) -> None:
    """Ask for leaves up to a place, and wait for them and the levels above."""
    async with database.transaction(namespace_id) as conn:
        conversation = await requests.read_compacted(conn, namespace_id, conversation_id)
        if conversation is None or conversation.summarised_seq >= through:
            return
        job = await requests.compaction_job(conn, namespace_id, conversation_id)
        await requests.request_leaves(conn, namespace_id, [conversation_id], [through])
        await requests.schedule_conversations(conn, namespace_id, [conversation_id])
    # A job that failed before may fail for good: wait for one attempt, and for no pause after it.
    patient = job is None or not job.is_failing
    await _wait(database, namespace_id, conversation_id, through, patient)


async def _wait(
    database: Database, namespace_id: int, conversation_id: UUID, through: int, patient: bool
) -> None:
    """Wait for leaves up to a position; `patient` callers wait for another attempt after a failure."""
    pause = FIRST_PAUSE_S
    while True:
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, LONGEST_PAUSE_S)
        async with database.transaction(namespace_id) as conn:
            job = await requests.compaction_job(conn, namespace_id, conversation_id)
            conversation = await requests.read_compacted(conn, namespace_id, conversation_id)
        if conversation is None or job is None or job.is_abandoned:
            return
        if job.is_failing and not job.is_open and not patient:
            return
        if conversation.summarised_seq >= through and not job.is_open:
            return


@dataclass(frozen=True)
class _Replaced:
    """The summaries up to a position, and the messages that no summary replaces."""

    summaries: Sequence[SummaryRecord]
    retained: Sequence[VerbatimMessage]
    through: int
    masks_credentials: bool

    async def result(self, action: FlushAction, used: int, freed: int = 0) -> FlushResult:
        summaries = self.summaries
        if self.masks_credentials:
            # One that was written before credentials were masked holds what its sources do.
            summaries = await asyncio.to_thread(_masked, summaries)
        return FlushResult(
            action,
            used,
            summaries=summaries,
            replaced_through_seq=self.through,
            verbatim_ids=[message.id for message in self.retained],
            unconfirmed_ids=[message.id for message in self.retained if message.is_unconfirmed],
            freed_tokens=freed,
        )


async def _read_replaced(
    conn: Connection, namespace_id: int, request: FlushRequest, through: int
) -> _Replaced:
    id_ = request.conversation_id
    covered = cover(await requests.read_node_ranges(conn, namespace_id, id_, through))
    ids = [node_range.id for node_range in covered.stretches]
    summaries = await requests.read_summaries(conn, namespace_id, ids)
    retained = await requests.verbatim_messages(
        conn, namespace_id, id_, covered.through, request.protected_ids, covered.gaps
    )
    settings = await get_namespace_settings(conn, namespace_id)
    return _Replaced(summaries, retained, covered.through, settings.masks_credentials)


async def _earlier_replacement(
    database: Database, namespace_id: int, request: FlushRequest, through: int, used: int
) -> FlushResult:
    """Return that there is room, with the summaries of an earlier flush: a caller that lost them goes on with these."""
    async with database.transaction(namespace_id) as conn:
        replaced = await _read_replaced(conn, namespace_id, request, through)
    return await replaced.result(FlushAction.NONE, used)


async def _replacement(
    database: Database, namespace_id: int, request: FlushRequest, through: int, used: int
) -> FlushResult:
    """Return the summaries for the messages up to a position, and the messages that they omit.

    The part freed by an earlier flush is not counted again, because its remaining size is stored.
    """
    id_ = request.conversation_id
    async with database.transaction(namespace_id) as conn:
        before = await requests.read_flushed(conn, namespace_id, id_)
        replaced = await _read_replaced(conn, namespace_id, request, through)
        new = await requests.count_tokens(
            conn, namespace_id, id_, replaced.through, after=before.through
        )
        retained_ids = [message.id for message in replaced.retained]
        stays = await requests.count_tokens(
            conn, namespace_id, id_, replaced.through, only_ids=retained_ids
        )
        stays += sum(summary.token_count for summary in replaced.summaries)
        await requests.mark_flushed(conn, namespace_id, id_, FlushProgress(replaced.through, stays))
        # Learn from messages that leave the agent's context before the agent misses them.
        await request_sleep(conn, namespace_id, [id_])
    freed = max(0, before.tokens + new - stays)
    return await replaced.result(FlushAction.REPLACE, used, freed)


def _masked(summaries: Sequence[SummaryRecord]) -> list[SummaryRecord]:
    return [replace(each, content=mask_credentials(each.content)) for each in summaries]
