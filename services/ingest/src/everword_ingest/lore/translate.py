"""Requests of LoreService to the model, and lorebooks to messages."""

from __future__ import annotations

from uuid import UUID

from everword.lore.find_lore import FoundEntry
from everword.lore.model import DEFAULT_SCAN_DEPTH, Trigger, TriggerMode
from everword.rpc.long_work import LONG_BYTES, run_in_thread
from everword.rpc.translate import text_of, to_timestamp
from everword.v1 import lore_pb2
from everword.v1 import lore_service_pb2 as pb
from everword_ingest.lore.model import (
    BookFilter,
    BookKey,
    BookTarget,
    IdempotencyKey,
    LoreScope,
    NewBook,
    NewEntry,
)
from everword_ingest.lore.store import BookRow, EntryRow
from everword_ingest.request_ids.claims import hash_body

_Write = (
    pb.WriteLoreBookRequest
    | pb.DeleteLoreBookRequest
    | pb.ImportLoreBookRequest
    | pb.WriteLoreEntryRequest
    | pb.DeleteLoreEntryRequest
)
_OfBook = (
    pb.GetLoreBookRequest
    | pb.DeleteLoreBookRequest
    | pb.WriteLoreEntryRequest
    | pb.ListLoreEntriesRequest
)


def to_scope(scope: lore_pb2.LoreScope) -> LoreScope:
    conversation_id = UUID(scope.conversation_id) if scope.conversation_id else None
    return LoreScope(scope.agent, scope.subject, conversation_id)


def to_target(request: _OfBook) -> BookTarget:
    """Return the key or id of a request's lorebook."""
    if request.HasField("key"):
        return BookKey(request.key.name, to_scope(request.key.scope))
    return UUID(request.book_id)


def to_request(request: _Write) -> IdempotencyKey:
    """Return the request id and body hash of a write."""
    return IdempotencyKey(request.request_id, hash_body(request))


def to_book(book: lore_pb2.NewLoreBook) -> NewBook:
    return NewBook(book.name, to_scope(book.scope), book.description, book.disabled)


def to_entry(entry: lore_pb2.NewLoreEntry) -> NewEntry:
    depth = entry.scan_depth if entry.HasField("scan_depth") else DEFAULT_SCAN_DEPTH
    return NewEntry(
        title=entry.title,
        content=entry.content,
        triggers=tuple(map(_to_trigger, entry.triggers)),
        scan_depth=depth,
        priority=entry.priority,
        sticky_turns=entry.sticky_turns,
        disabled=entry.disabled,
        constant=entry.constant,
        prevent_recursion=entry.prevent_recursion,
        exclude_recursion=entry.exclude_recursion,
    )


async def to_import(
    request: pb.ImportLoreBookRequest,
) -> tuple[NewBook, list[NewEntry], IdempotencyKey]:
    """Return a whole lorebook to write. A lorebook with thousands of triggers is translated in a thread."""
    if request.ByteSize() <= LONG_BYTES:
        return _to_import(request)
    return await run_in_thread(_to_import, request)


def _to_import(request: pb.ImportLoreBookRequest) -> tuple[NewBook, list[NewEntry], IdempotencyKey]:
    return to_book(request.book), list(map(to_entry, request.entries)), to_request(request)


def _to_trigger(trigger: lore_pb2.LoreTrigger) -> Trigger:
    mode = TriggerMode(trigger.mode or TriggerMode.SUBSTRING)
    return Trigger(trigger.text, mode, trigger.case_sensitive)


def to_filter(wanted: pb.LoreBookFilter) -> BookFilter:
    return BookFilter(
        agents=list(wanted.agents) or None,
        subjects=list(wanted.subjects) or None,
        conversation_ids=[UUID(id_) for id_ in wanted.conversation_ids] or None,
    )


def book_to_proto(row: BookRow) -> lore_pb2.LoreBook:
    scope = lore_pb2.LoreScope(
        agent=row.agent, subject=row.subject, conversation_id=text_of(row.conversation_id)
    )
    return lore_pb2.LoreBook(
        id=str(row.id),
        body=lore_pb2.NewLoreBook(
            name=row.name, scope=scope, description=row.description, disabled=row.disabled
        ),
        version=row.version,
        entry_count=row.entries,
        create_time=to_timestamp(row.created_at),
        update_time=to_timestamp(row.updated_at),
    )


def entry_to_proto(row: EntryRow) -> lore_pb2.LoreEntry:
    body = row.body()
    return lore_pb2.LoreEntry(
        id=str(row.id),
        book_id=str(row.book_id),
        body=lore_pb2.NewLoreEntry(
            **{**vars(body), "triggers": list(map(_trigger_to_proto, body.triggers))}
        ),
        version=row.version,
        create_time=to_timestamp(row.created_at),
        update_time=to_timestamp(row.updated_at),
    )


def match_to_proto(found: FoundEntry) -> lore_pb2.LoreMatch:
    rule, reason = found.rule, found.reason
    held = found.trigger
    return lore_pb2.LoreMatch(
        entry_id=str(rule.id),
        book_id=str(rule.book_id),
        title=rule.title,
        priority=rule.priority,
        cause=lore_pb2.LoreCause.ValueType(reason.cause),
        trigger=_trigger_to_proto(held) if held else None,
        by_entry_id=text_of(reason.by),
        turns_left=reason.turns_left,
        content=found.content,
    )


def _trigger_to_proto(trigger: Trigger) -> lore_pb2.LoreTrigger:
    return lore_pb2.LoreTrigger(
        text=trigger.text,
        mode=lore_pb2.LoreTriggerMode.ValueType(trigger.mode),
        case_sensitive=trigger.case_sensitive,
    )
