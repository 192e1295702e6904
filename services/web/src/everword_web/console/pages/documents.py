"""Documents: the list, and the text of each."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from everword.v1 import document_service_pb2 as pb
from everword_web.console.visits import Visit

_PART_CHARS = 20_000


async def list_documents(visit: Visit) -> Response:
    """Show documents."""
    values = visit.values
    request = pb.ListDocumentsRequest(
        filter=pb.DocumentFilter(
            title_prefix=values.text("title"),
            subjects=values.one("subject"),
            agents=values.one("agent"),
            tags=values.one("tag"),
        ),
        page_token=values.text("page"),
    )
    listed = await visit.call(visit.client.document_service.ListDocuments, request)
    return visit.page("documents.html", listed=listed, values=values)


async def document(visit: Visit) -> Response:
    """Show a part of a document's text, with its sections and versions."""
    service = visit.client.document_service
    start = visit.values.number("from", 0, 999_999_999)
    found, read, history = await asyncio.gather(
        visit.call(service.GetDocument, pb.GetDocumentRequest(document_id=visit.id)),
        visit.call(
            service.ReadDocument,
            pb.ReadDocumentRequest(document_id=visit.id, start_char=start, max_chars=_PART_CHARS),
        ),
        visit.call(
            service.GetDocumentHistory,
            pb.GetDocumentHistoryRequest(document_id=visit.id, max_content_chars=1),
        ),
    )
    return visit.page(
        "document.html",
        document=found.document,
        sections=found.sections,
        read=read,
        versions=history.versions,
    )
