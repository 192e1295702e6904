"""People and events that were learned, and the words that they rest on."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.responses import Response

from everword.v1 import fact_query_service_pb2 as pb
from everword.v1 import people_pb2
from everword_web.console.visits import Visit

#: Evidence, and its parts: text with the class that marks it.
Told = tuple[people_pb2.LearnedEvidence, list[tuple[str, str]]]


async def list_people(visit: Visit) -> Response:
    """Show whom subjects speak of."""
    values = visit.values
    request = pb.ListPeopleRequest(
        subjects=values.one("subject"),
        include_rejected=bool(values.text("all")),
        page_token=values.text("page"),
    )
    listed = await visit.call(visit.client.fact_query_service.ListPeople, request)
    return visit.page("people.html", listed=listed, values=values)


async def person(visit: Visit) -> Response:
    """Show a person, with all that was said of them."""
    request = pb.ExplainLearnedRequest(person_id=visit.id)
    found = await visit.call(visit.client.fact_query_service.ExplainLearned, request)
    return visit.page(
        "person.html", person=found.person, found=found, told=_evidence_rows(found.evidence)
    )


async def list_events(visit: Visit) -> Response:
    """Show what happens to subjects."""
    values = visit.values
    request = pb.ListEventsRequest(
        subjects=values.one("subject"),
        include_past=bool(values.text("all")),
        page_token=values.text("page"),
    )
    listed = await visit.call(visit.client.fact_query_service.ListEvents, request)
    return visit.page("events.html", listed=listed, values=values)


async def event(visit: Visit) -> Response:
    """Show an event, with all that was said of it."""
    request = pb.ExplainLearnedRequest(event_id=visit.id)
    found = await visit.call(visit.client.fact_query_service.ExplainLearned, request)
    return visit.page(
        "event.html", event=found.event, found=found, told=_evidence_rows(found.evidence)
    )


def _evidence_rows(evidence: Iterable[people_pb2.LearnedEvidence]) -> list[Told]:
    """Return each quotation with all that it tells, as aspects and values; the latest first."""
    found: dict[tuple[str, str], Told] = {}
    for each in evidence:
        _, tells = found.setdefault((each.message_id, each.quote), (each, []))
        value = each.value[:16].replace("T", " ") if each.aspect in ("start", "end") else each.value
        tells.append((each.aspect.replace("_", " "), value))
    return list(reversed(found.values()))
