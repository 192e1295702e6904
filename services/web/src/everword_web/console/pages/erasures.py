"""Erasing: what would go, shown before it goes, and what went."""

from __future__ import annotations

from uuid import UUID, uuid4

from starlette.responses import Response

from everword.v1 import erasure_service_pb2 as pb
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as search
from everword_web.console.phrases import word
from everword_web.console.values import BadInputError, Values
from everword_web.console.visits import Visit

#: Kinds of erasure targets, and the field of each.
_FIELDS = {
    "message": "message_id",
    "conversation": "conversation_id",
    "subject": "subject",
    "author": "author",
    "note": "note_id",
    "document": "document_id",
    "fact": "fact_id",
    "node": "node_id",
    "learned": "learned_id",
    "pattern": "pattern_id",
    "memory": "memory_id",
}
#: Pages of targets that are erased by id.
_PLACES = {
    "message": "/memories",
    "conversation": "/conversations",
    "note": "/notes",
    "document": "/documents",
    "fact": "/facts",
    "node": "/graph",
    "pattern": "/patterns",
    "memory": "/memories",
}
#: Tables with what people know, and its name.
_KNOWN = {
    "conversations": "conversations",
    "messages": "messages",
    "notes": "notes",
    "documents": "documents",
    "checkpoints": "checkpoints",
    "people": "people",
    "events": "events",
    "patterns": "patterns",
    "graph_nodes": "nodes of the graph",
    "graph_edges": "relations of the graph",
}


async def list_erasures(visit: Visit) -> Response:
    """Show past erasures, and the form for a new one."""
    request = pb.ListErasuresRequest(page_token=visit.values.text("page"))
    listed = await visit.call(visit.client.erasure_service.ListErasures, request)
    return visit.page("erasures.html", listed=listed)


async def preview(visit: Visit) -> Response:
    """Show the preview of an erasure. It changes nothing; it is a POST since it may take seconds."""
    return await _preview(visit, visit.form, str(uuid4()))


async def erase(visit: Visit) -> Response:
    """Erase a target after the visitor has seen the preview and confirmed it."""
    request_id = visit.form.text("request")
    if visit.form.text("sure") != "yes":
        said = ["Say that you are sure, then erase."]
        return await _preview(visit, visit.form, request_id, said)
    request = pb.EraseRequest(
        target=_target(visit.form), requested_by=visit.form.text("by"), request_id=request_id
    )
    answer = await visit.call(visit.client.erasure_service.Erase, request)
    return visit.go(f"/erasures/{answer.erasure.id}")


async def erasure(visit: Visit) -> Response:
    """Show how an erasure stands."""
    request = pb.GetErasureRequest(erasure_id=visit.id)
    found = await visit.call(visit.client.erasure_service.GetErasure, request)
    return visit.page("erasure.html", erasure=found.erasure)


async def _preview(
    visit: Visit, asked: Values, request_id: str, said: list[str] | None = None
) -> Response:
    request = pb.PreviewErasureRequest(target=_target(asked))
    found = await visit.call(visit.client.erasure_service.PreviewErasure, request)
    kind, of = asked.text("kind"), asked.text("of")
    rows = dict(found.row_counts)
    counts = {
        **{name: rows.get(table, 0) for table, name in _KNOWN.items()},
        "summaries, to be rewritten or deleted": found.summaries_withdrawn,
        "facts that go": found.facts_gone,
        "facts that lose evidence": found.facts_losing_evidence,
    }
    return visit.page(
        "erase.html",
        400 if said else 200,
        said=said or [],
        kind=kind,
        named=word(found, "kind"),
        of=of,
        similar=list(found.similar_names),
        place=f"{_PLACES[kind]}/{of}" if kind in _PLACES else "/erasures",
        counts={name: count for name, count in counts.items() if count},
        rows=rows,
        sample=await _sample(visit, found.sample_message_ids),
        request_id=request_id,
    )


def _target(asked: Values) -> pb.ErasureTarget:
    """Return the erasure target of the form. Raises BadInputError."""
    kind, of = asked.text("kind"), asked.text("of")
    if kind not in _FIELDS:
        raise BadInputError(f"Choose one of {', '.join(_FIELDS)} to erase, not {kind[:40]!r}.")
    if not of:
        raise BadInputError(f"Name the {kind} to erase.")
    if kind not in ("subject", "author") and not _is_id(of):
        raise BadInputError(f"Give the id of the {kind}; its page shows it.")
    return pb.ErasureTarget(**{_FIELDS[kind]: of})


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


async def _sample(visit: Visit, ids: list[str]) -> list[memory_pb2.Memory]:
    """Return some of the messages that would go."""
    service = visit.client.search_service
    request = search.BatchGetMemoriesRequest(memory_ids=ids)
    return list((await visit.call(service.BatchGetMemories, request)).memories) if ids else []
