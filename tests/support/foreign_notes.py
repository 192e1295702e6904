"""Calls on notes with ids of another namespace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from everword.v1 import note_pb2
from everword.v1 import note_service_pb2 as notes
from support.callers import within
from support.foreign import NO_CONVERSATION, NO_PAGE, Call, Theirs
from support.stack import Stack

NO_NOTE = "NOTE_NOT_FOUND"


def note_request(content: str = "Their note.", **fields: Any) -> notes.WriteNoteRequest:
    return notes.WriteNoteRequest(note=note_pb2.NewNote(key="theirs", content=content), **fields)


def notes_request(**fields: Any) -> notes.ListNotesRequest:
    return notes.ListNotesRequest(page_size=1, **fields)


def history_request(**fields: Any) -> notes.GetNoteHistoryRequest:
    return notes.GetNoteHistoryRequest(page_size=1, **fields)


ISSUE = notes.HandoffKey(repo="their/repo", issue="7")


def handoff_request(**fields: Any) -> notes.WriteHandoffRequest:
    return notes.WriteHandoffRequest(key=ISSUE, content="Their task.", **fields)


def found_request(**fields: Any) -> notes.SaveAdvisorNoteRequest:
    return notes.SaveAdvisorNoteRequest(key=ISSUE, content="Their advice.", **fields)


def grant_request() -> notes.CreateAdvisorGrantRequest:
    return notes.CreateAdvisorGrantRequest(key=ISSUE)


@dataclass(frozen=True)
class TheirNotes:
    """Ids and tokens of a namespace's notes."""

    note_id: str
    grant_id: str
    page_tokens: dict[str, str]


async def write_notes(stack: Stack, namespace: str) -> TheirNotes:
    """Write two versions of a note, an entry of a log, and a handoff with grant and advice."""
    metadata = within(namespace)
    await stack.notes.WriteNote(note_request(request_id="note"), metadata=metadata)
    written = await stack.notes.WriteNote(note_request("Their newer note."), metadata=metadata)
    entry = notes.AppendDailyLogRequest(content="Their day.")
    await stack.notes.AppendDailyLog(entry, metadata=metadata)
    handed = handoff_request(request_id="handoff")
    await stack.notes.WriteHandoff(handed, metadata=metadata)
    saved = found_request(request_id="found")
    await stack.notes.SaveAdvisorNote(saved, metadata=metadata)
    granted = await stack.notes.CreateAdvisorGrant(grant_request(), metadata=metadata)
    listed = await stack.notes.ListNotes(notes_request(), metadata=metadata)
    history = history_request(note_id=written.note_id)
    versions = await stack.notes.GetNoteHistory(history, metadata=metadata)
    tokens = {
        "ListNotes": listed.next_page_token,
        "GetNoteHistory": versions.next_page_token,
    }
    return TheirNotes(written.note_id, granted.grant.id, tokens)


def _scope(theirs: Theirs) -> note_pb2.NoteScope:
    return note_pb2.NoteScope(conversation_id=theirs.conversation_id)


def _key(theirs: Theirs) -> note_pb2.NoteKey:
    return note_pb2.NoteKey(key="theirs", scope=_scope(theirs))


#: Like `REFUSED` and `EMPTY` of the test.
NOTES_REFUSED: dict[str, tuple[str, Call]] = {
    "WriteNote note.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.notes.WriteNote(
            notes.WriteNoteRequest(note=note_pb2.NewNote(content="Mine.", scope=_scope(t)))
        ),
    ),
    "GetNote note_id": (
        NO_NOTE,
        lambda s, t: s.notes.GetNote(notes.GetNoteRequest(note_id=t.note_id)),
    ),
    "GetNote key": (
        NO_NOTE,
        lambda s, t: s.notes.GetNote(notes.GetNoteRequest(key=note_pb2.NoteKey(key="theirs"))),
    ),
    "GetNote key.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.notes.GetNote(notes.GetNoteRequest(key=_key(t))),
    ),
    "DeleteNote note_id": (
        NO_NOTE,
        lambda s, t: s.notes.DeleteNote(notes.DeleteNoteRequest(note_id=t.note_id)),
    ),
    "DeleteNote key.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.notes.DeleteNote(notes.DeleteNoteRequest(key=_key(t))),
    ),
    "ListNotes page_token": (
        NO_PAGE,
        lambda s, t: s.notes.ListNotes(notes_request(page_token=t.page_tokens["ListNotes"])),
    ),
    "GetNoteHistory note_id": (
        NO_NOTE,
        lambda s, t: s.notes.GetNoteHistory(history_request(note_id=t.note_id)),
    ),
    "GetNoteHistory key.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.notes.GetNoteHistory(history_request(key=_key(t))),
    ),
    "GetNoteHistory page_token": (
        NO_PAGE,
        lambda s, t: s.notes.GetNoteHistory(
            history_request(note_id=t.note_id, page_token=t.page_tokens["GetNoteHistory"])
        ),
    ),
    "AppendDailyLog scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.notes.AppendDailyLog(
            notes.AppendDailyLogRequest(content="Mine.", scope=_scope(t))
        ),
    ),
}
NOTES_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "ListNotes": (
        lambda s, t: s.notes.ListNotes(notes_request()),
        lambda answer: not answer.notes,
    ),
    "ListNotes filter.conversation_ids": (
        lambda s, t: s.notes.ListNotes(
            notes_request(filter=notes.NoteFilter(conversation_ids=[t.conversation_id]))
        ),
        lambda answer: not answer.notes,
    ),
    "GetHandoff": (
        lambda s, t: s.notes.GetHandoff(notes.GetHandoffRequest(key=ISSUE)),
        lambda answer: answer == notes.GetHandoffResponse(),
    ),
    "WriteHandoff": (
        lambda s, t: s.notes.WriteHandoff(
            handoff_request(request_id="handoff"), metadata=within("third")
        ),
        lambda answer: answer.replayed,
    ),
    "SaveAdvisorNote": (
        lambda s, t: s.notes.SaveAdvisorNote(
            found_request(request_id="found"), metadata=within("third")
        ),
        lambda answer: answer.replayed,
    ),
    "WriteNote": (
        lambda s, t: s.notes.WriteNote(note_request(request_id="note"), metadata=within("third")),
        lambda answer: answer.replayed,
    ),
}
