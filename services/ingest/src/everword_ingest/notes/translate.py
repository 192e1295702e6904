"""Requests of NoteService to the model, and notes to messages."""

from __future__ import annotations

from uuid import UUID

from everword.domain.errors import InvalidArgument
from everword.rpc.translate import optional_time, text_of, to_date, to_timestamp
from everword.v1 import note_pb2
from everword.v1 import note_service_pb2 as pb
from everword_ingest.notes.model import (
    DAILY_LOG,
    HANDOFF,
    NewNote,
    NoteDeletion,
    NoteFilter,
    NoteKey,
    NoteScope,
    NoteWrite,
)
from everword_ingest.notes.store import NoteRow, NoteVersionRow
from everword_ingest.request_ids.claims import hash_body

#: Kinds with calls of their own.
_RESERVED = {DAILY_LOG: "AppendDailyLog", HANDOFF: "NoteService.WriteHandoff"}


def to_scope(scope: note_pb2.NoteScope) -> NoteScope:
    conversation_id = UUID(scope.conversation_id) if scope.conversation_id else None
    return NoteScope(scope.agent, scope.subject, conversation_id)


def to_target(
    request: pb.GetNoteRequest | pb.DeleteNoteRequest | pb.GetNoteHistoryRequest,
) -> UUID | NoteKey:
    """Return the key or id of a request's note."""
    if request.HasField("key"):
        return NoteKey(request.key.key, to_scope(request.key.scope))
    return UUID(request.note_id)


def to_writing(request: pb.WriteNoteRequest) -> NoteWrite:
    """Return the write of a request. Raises InvalidArgument."""
    note = request.note
    expected = request.expected_version if request.HasField("expected_version") else None
    if not note.key and (request.append or expected is not None):
        raise InvalidArgument(violations=(("note.key", "is required for this kind of note"),))
    if note.kind in _RESERVED:
        text = f"is reserved: call {_RESERVED[note.kind]}"
        raise InvalidArgument(violations=(("note.kind", text),))
    return NoteWrite(
        NewNote(
            note.key,
            to_scope(note.scope),
            note.content,
            note.kind,
            list(note.tags),
            note.importance,
            note.author,
            optional_time(note, "expire_time", "note."),
        ),
        request.append,
        expected,
        request.request_id,
        hash_body(request),
    )


def to_entry(request: pb.AppendDailyLogRequest) -> NoteWrite:
    """Return an entry of a daily log that has no date yet."""
    note = NewNote(
        "",
        to_scope(request.scope),
        request.content,
        DAILY_LOG,
        list(request.tags),
        author=request.author,
    )
    return NoteWrite(note, request_id=request.request_id, body_hash=hash_body(request))


def to_deletion(request: pb.DeleteNoteRequest) -> NoteDeletion:
    expected = request.expected_version if request.HasField("expected_version") else None
    return NoteDeletion(
        to_target(request), expected, request.author, request.request_id, hash_body(request)
    )


def to_filter(wanted: pb.NoteFilter) -> NoteFilter:
    """Return which notes are listed. Raises InvalidArgument."""
    return NoteFilter(
        agents=list(wanted.agents) or None,
        subjects=list(wanted.subjects) or None,
        conversation_ids=[UUID(id_) for id_ in wanted.conversation_ids] or None,
        kinds=list(wanted.kinds) or None,
        tags=list(wanted.tags) or None,
        key_prefix=wanted.key_prefix,
        min_importance=wanted.min_importance,
        since=to_date(wanted.start_date, "filter.start_date"),
        before=to_date(wanted.end_date, "filter.end_date"),
    )


def note_to_proto(row: NoteRow) -> note_pb2.Note:
    scope = note_pb2.NoteScope(
        agent=row.agent, subject=row.subject, conversation_id=text_of(row.conversation_id)
    )
    return note_pb2.Note(
        id=str(row.id),
        version=row.version,
        version_id=str(row.version_id),
        body=note_pb2.NewNote(
            key=row.key,
            scope=scope,
            content=row.content,
            kind=row.kind,
            tags=row.tags,
            importance=row.importance,
            author=row.author,
            expire_time=to_timestamp(row.expires_at),
        ),
        log_date=row.log_date.isoformat() if row.log_date else "",
        create_time=to_timestamp(row.created_at),
        update_time=to_timestamp(row.written_at),
    )


def version_to_proto(row: NoteVersionRow) -> note_pb2.NoteVersion:
    return note_pb2.NoteVersion(
        id=str(row.id),
        version=row.version,
        deleted=row.deleted,
        content=row.content,
        kind=row.kind,
        tags=row.tags,
        importance=row.importance,
        author=row.author,
        expire_time=to_timestamp(row.expires_at),
        write_time=to_timestamp(row.written_at),
    )
