"""A memory of any kind, whole."""

from __future__ import annotations

from starlette.responses import Response

from everword.client.kinds import kind_number
from everword.v1 import fact_query_service_pb2, memory_pb2
from everword.v1 import search_service_pb2 as pb
from everword_web.console.phrases import data, place_of_memory, word
from everword_web.console.visits import Visit

_BEFORE = 5
#: Pages of a subject's facts to read.
_MOST_PAGES = 5


async def memory(visit: Visit) -> Response:
    """Show a memory, or go on to the page that its kind has."""
    service = visit.client.search_service
    found = await visit.call(service.GetMemory, pb.GetMemoryRequest(memory_id=visit.id))
    shown: memory_pb2.Memory = found.memory
    place = place_of_memory(shown)
    if place != visit.request.url.path:
        return visit.go(place)
    kind = word(shown, "kind")
    if kind == "fact" and (fact_id := await _fact_id(visit, shown)):
        return visit.go(f"/facts/{fact_id}")
    before = []
    if kind == "message":
        before = await _preceding_messages(visit, shown)
    return visit.page(
        "memory.html",
        memory=shown,
        message=found.message,
        before=before,
        metadata=data(shown.metadata, indent=2) if shown.metadata.fields else "",
    )


async def _preceding_messages(visit: Visit, message: memory_pb2.Memory) -> list[memory_pb2.Memory]:
    """Return the messages right before a message, in order."""
    request = pb.BrowseRequest(
        filter=memory_pb2.MemoryFilter(
            kinds=[kind_number("message")],
            conversation_ids=[message.conversation_id],
            as_of_message_id=message.id,
            include_automated=True,
            excluded_memory_ids=[message.id],
        ),
        page_size=_BEFORE,
        max_content_chars=400,
    )
    listed = await visit.call(visit.client.search_service.Browse, request)
    return list(reversed(listed.memories))


async def _fact_id(visit: Visit, memory: memory_pb2.Memory) -> str:
    """Return the id of the fact that a memory belongs to.

    Empty if it is gone, or not among the first thousand facts of its subject.
    """
    request = fact_query_service_pb2.ListFactsRequest(
        subjects=[memory.subject],
        include_superseded=True,
        page_size=200,
    )
    for _ in range(_MOST_PAGES):
        page = await visit.call(visit.client.fact_query_service.ListFacts, request)
        for fact in page.facts:
            if fact.memory_id == memory.id:
                return str(fact.id)
        request.page_token = page.next_page_token
        if not request.page_token:
            break
    return ""
