"""Handoffs of NoteService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from collections.abc import Callable

from everword.db.pool import Database
from everword.domain.caller import current_caller, current_namespace
from everword.rpc.interceptors.base import Context
from everword.v1 import note_service_pb2 as pb
from everword.v1.note_service_pb2_grpc import NoteServiceServicer
from everword_ingest.handoffs.grants import create_advisor_grant
from everword_ingest.handoffs.handoffs import get_handoff, save_advisor_note, write_handoff
from everword_ingest.handoffs.instructions import advisor_instructions, caller_instructions
from everword_ingest.handoffs.translate import (
    grant_to_proto,
    to_advisor_note,
    to_calls,
    to_handoff,
    to_key,
    to_lifetime,
)
from everword_ingest.notes.model import WrittenNote
from everword_ingest.notes.translate import note_to_proto


class HandoffServicer(NoteServiceServicer):
    """Handoffs to an advisor, and their results."""

    def __init__(self, database: Database, wake: Callable[[], None]) -> None:
        self._database = database
        self._wake = wake

    async def WriteHandoff(
        self, request: pb.WriteHandoffRequest, context: Context
    ) -> pb.WriteHandoffResponse:
        written = await write_handoff(
            self._database, current_namespace(), to_handoff(request), self._wake
        )
        return pb.WriteHandoffResponse(
            note_id=str(written.note_id),
            version=written.version,
            consistency_token=await self._seal(written),
            replayed=written.replayed,
        )

    async def GetHandoff(
        self, request: pb.GetHandoffRequest, context: Context
    ) -> pb.GetHandoffResponse:
        key = to_key(request.key)
        found = await get_handoff(self._database, current_namespace(), key)
        return pb.GetHandoffResponse(
            handoff=note_to_proto(found.handoff) if found.handoff else None,
            advisor_notes=map(note_to_proto, found.advisor_notes),
            grants=map(grant_to_proto, found.grants),
            instructions=caller_instructions(key) if request.include_instructions else "",
        )

    async def SaveAdvisorNote(
        self, request: pb.SaveAdvisorNoteRequest, context: Context
    ) -> pb.SaveAdvisorNoteResponse:
        written = await save_advisor_note(
            self._database, current_namespace(), to_advisor_note(request), self._wake
        )
        return pb.SaveAdvisorNoteResponse(
            note_id=str(written.note_id),
            consistency_token=await self._seal(written),
            replayed=written.replayed,
        )

    async def CreateAdvisorGrant(
        self, request: pb.CreateAdvisorGrantRequest, context: Context
    ) -> pb.CreateAdvisorGrantResponse:
        key, calls = to_key(request.key), to_calls(request)
        made, secret = await create_advisor_grant(
            self._database, current_namespace(), current_caller(), key, calls, to_lifetime(request)
        )
        return pb.CreateAdvisorGrantResponse(
            grant=grant_to_proto(made), secret=secret, instructions=advisor_instructions(key, calls)
        )

    async def _seal(self, written: WrittenNote) -> str:
        return written.consistency_token.seal(await self._database.token_secret())
