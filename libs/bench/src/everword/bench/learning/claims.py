"""Reads what Everword learned about a session: facts, people with a relation, and events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, tzinfo

from google.protobuf.timestamp_pb2 import Timestamp

from everword.bench.learning.matching import Claim
from everword.client import Client
from everword.client.pages import PAGE_SIZE, pages
from everword.v1 import fact_pb2, people_pb2
from everword.v1 import fact_query_service_pb2 as pb


async def read_claims(client: Client, end: datetime, token: str) -> list[Claim]:
    """Return all claims of the namespace except guesses.

    `end` is the time of the session's last message; days are those of its time zone.
    """
    return [
        *[each async for each in _facts(client, end, token)],
        *[each async for each in _people(client, token)],
        *[each async for each in _events(client, end, token)],
    ]


async def quote_of(client: Client, claim: Claim) -> str:
    """Return the words from which a claim was learned; empty if it names none."""
    if claim.kind == "fact":
        request = pb.ExplainFactRequest(fact_id=claim.id)
        fact = await client.fact_query_service.ExplainFact(request)
        return next((each.quote for each in fact.evidence if not each.contradicts), "")
    learned = pb.ExplainLearnedRequest()
    if claim.kind == "person":
        learned.person_id = claim.id
    else:
        learned.event_id = claim.id
    explained = await client.fact_query_service.ExplainLearned(learned)
    return explained.evidence[0].quote if explained.evidence else ""


async def _facts(client: Client, end: datetime, token: str) -> AsyncIterator[Claim]:
    # All intervals: facts that begin after the session, or have expired since, were learned as well.
    request = pb.ListFactsRequest(
        include_superseded=True, page_size=PAGE_SIZE, at_least_as_fresh=token
    )
    async for page in pages(client.fact_query_service.ListFacts, request):
        for fact in page.facts:
            if fact.hypothesis or fact.HasField("known_until_time"):
                continue
            ended = fact.HasField("valid_until_time") and _time(fact.valid_until_time) <= end
            yield Claim(
                "fact",
                fact.id,
                fact.subject,
                fact.attribute,
                fact.value,
                since=_date(fact.valid_from_time, end.tzinfo)
                if fact.HasField("valid_from_time")
                else "",
                believed=not ended and fact.state != fact_pb2.FACT_STATE_REJECTED,
            )


async def _people(client: Client, token: str) -> AsyncIterator[Claim]:
    request = pb.ListPeopleRequest(page_size=PAGE_SIZE, at_least_as_fresh=token)
    async for page in pages(client.fact_query_service.ListPeople, request):
        for person in page.people:
            if person.relation:
                yield Claim(
                    "person",
                    person.id,
                    person.subject,
                    person.relation,
                    person.name,
                    believed=person.status != people_pb2.RELATION_STATUS_ENDED,
                )


async def _events(client: Client, end: datetime, token: str) -> AsyncIterator[Claim]:
    request = pb.ListEventsRequest(include_past=True, page_size=PAGE_SIZE, at_least_as_fresh=token)
    async for page in pages(client.fact_query_service.ListEvents, request):
        for event in page.events:
            start = _date(event.start_time, end.tzinfo) if event.HasField("start_time") else ""
            yield Claim(
                "event",
                event.id,
                event.subject,
                "event",
                f"{event.title} {start}".rstrip(),
                believed=event.status != people_pb2.EVENT_STATUS_CANCELLED,
            )


def _time(stamp: Timestamp) -> datetime:
    return stamp.ToDatetime(tzinfo=UTC)


def _date(stamp: Timestamp, zone: tzinfo | None) -> str:
    return _time(stamp).astimezone(zone).date().isoformat()
