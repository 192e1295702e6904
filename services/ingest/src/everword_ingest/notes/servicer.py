"""NoteService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from collections.abc import Callable

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.v1 import note_service_pb2 as pb
from everword.v1.note_service_pb2_grpc import NoteServiceServicer
from everword_ingest.notes.delete_note import delete_note
from everword_ingest.notes.model import WrittenNote
from everword_ingest.notes.read_notes import get_note, get_note_history, list_notes
from everword_ingest.notes.translate import (
    note_to_proto,
    to_deletion,
    to_entry,
    to_filter,
    to_target,
    to_writing,
    version_to_proto,
)
from everword_ingest.notes.write_note import append_daily_log, write_note


class NoteServicer(NoteServiceServicer):
    """Notes, daily logs, and their history."""

    def __init__(self, database: Database, wake: Callable[[], None]) -> None:
        self._database = database
        self._wake = wake

    async def WriteNote(
        self, request: pb.WriteNoteRequest, context: Context
    ) -> pb.WriteNoteResponse:
        written = await write_note(
            self._database, current_namespace(), to_writing(request), self._wake
        )
        return pb.WriteNoteResponse(
            note_id=str(written.note_id),
            version=written.version,
            version_id=str(written.version_id),
            consistency_token=await self._seal(written),
            replayed=written.replayed,
        )

    async def GetNote(self, request: pb.GetNoteRequest, context: Context) -> pb.GetNoteResponse:
        found = await get_note(self._database, current_namespace(), to_target(request))
        return pb.GetNoteResponse(note=note_to_proto(found))

    async def DeleteNote(
        self, request: pb.DeleteNoteRequest, context: Context
    ) -> pb.DeleteNoteResponse:
        deleted = await delete_note(
            self._database, current_namespace(), to_deletion(request), self._wake
        )
        return pb.DeleteNoteResponse(
            note_id=str(deleted.note_id),
            version=deleted.version,
            consistency_token=await self._seal(deleted),
            replayed=deleted.replayed,
        )

    async def ListNotes(
        self, request: pb.ListNotesRequest, context: Context
    ) -> pb.ListNotesResponse:
        notes, token = await list_notes(
            self._database,
            current_namespace(),
            to_filter(request.filter),
            request.max_content_chars,
            to_page(request),
        )
        return pb.ListNotesResponse(
            notes=[note_to_proto(each) for each in notes], next_page_token=token
        )

    async def GetNoteHistory(
        self, request: pb.GetNoteHistoryRequest, context: Context
    ) -> pb.GetNoteHistoryResponse:
        note_id, versions, token = await get_note_history(
            self._database, current_namespace(), to_target(request), to_page(request)
        )
        return pb.GetNoteHistoryResponse(
            versions=[version_to_proto(each) for each in versions],
            next_page_token=token,
            note_id=str(note_id),
        )

    async def AppendDailyLog(
        self, request: pb.AppendDailyLogRequest, context: Context
    ) -> pb.AppendDailyLogResponse:
        written = await append_daily_log(
            self._database, current_namespace(), to_entry(request), self._wake
        )
        return pb.AppendDailyLogResponse(
            note_id=str(written.note_id),
            log_date=written.log_date.isoformat() if written.log_date else "",
            consistency_token=await self._seal(written),
            replayed=written.replayed,
        )

    async def _seal(self, written: WrittenNote) -> str:
        return written.consistency_token.seal(await self._database.token_secret())
