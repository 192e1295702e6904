"""Notes: the list, the text of each, and its earlier versions."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from everword.v1 import note_service_pb2 as pb
from everword_web.console.visits import Visit


async def list_notes(visit: Visit) -> Response:
    """Show notes, with the beginning of each."""
    values = visit.values
    request = pb.ListNotesRequest(
        filter=pb.NoteFilter(
            key_prefix=values.text("key"),
            subjects=values.one("subject"),
            agents=values.one("agent"),
            kinds=values.one("kind"),
            tags=values.one("tag"),
        ),
        max_content_chars=300,
        page_token=values.text("page"),
    )
    listed = await visit.call(visit.client.note_service.ListNotes, request)
    return visit.page("notes.html", listed=listed, values=values)


async def note(visit: Visit) -> Response:
    """Show a note, whole, and its versions."""
    service = visit.client.note_service
    found, history = await asyncio.gather(
        visit.call(service.GetNote, pb.GetNoteRequest(note_id=visit.id)),
        visit.call(service.GetNoteHistory, pb.GetNoteHistoryRequest(note_id=visit.id)),
    )
    return visit.page("note.html", note=found.note, versions=history.versions)
