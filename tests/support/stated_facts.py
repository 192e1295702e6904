"""Short helpers for messages and for facts with these messages as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from everword.v1 import context_service_pb2 as context
from everword.v1 import fact_pb2
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import search_service_pb2 as search
from support.calls import append_request, message, target
from support.stack import Stack

BEGAN = datetime(2024, 1, 1, tzinfo=UTC)


def day(number: float) -> datetime:
    return BEGAN + timedelta(days=number)


def stamp(moment: datetime) -> Timestamp:
    stamped = Timestamp()
    stamped.FromDatetime(moment)
    return stamped


async def say(
    stack: Stack, text: str, at: float, *, subject: str, session: str = "", **fields: Any
) -> str:
    """Append a message on a day; return its id."""
    spoken = message(text, create_time=stamp(day(at)), **fields)
    request = append_request(spoken)
    request.conversation.CopyFrom(target(session or subject, subject=subject))
    return (await stack.ingest.AppendMessages(request)).messages[0].message_id


async def remember(
    stack: Stack,
    value: str,
    said: Sequence[str] = (),
    *,
    subject: str,
    attribute: str = "residence",
    **fields: Any,
) -> fact_pb2.Fact:
    """Remember a fact with messages as its evidence."""
    evidence = [fact_pb2.NewEvidence(message_id=each) for each in said]
    request = facts.RememberRequest(
        subject=subject,
        attribute=attribute,
        value=value,
        evidence=evidence,
        **{"lifetime_days": 36500, **fields},
    )
    return (await stack.facts.Remember(request)).fact


async def tell(
    stack: Stack,
    text: str,
    value: str,
    at: float,
    *,
    subject: str,
    attribute: str = "residence",
    session: str = "",
    **fields: Any,
) -> str:
    """Append a message and remember the fact that it states; return the message's id."""
    id_ = await say(stack, text, at, subject=subject, session=session, **fields)
    await remember(stack, value, [id_], subject=subject, attribute=attribute)
    return id_


async def find(
    stack: Stack, query: str, *, subject: str, mode: str = "HYBRID", **fields: Any
) -> search.SearchResponse:
    request = search.SearchRequest(
        query=query, mode=search.SearchMode.Value(f"SEARCH_MODE_{mode}"), **fields
    )
    request.filter.subjects.append(subject)
    return await stack.search.Search(request)


def ids(response: search.SearchResponse) -> list[str]:
    return [result.memory.id for result in response.results]


def marks(response: search.SearchResponse) -> dict[str, list[str]]:
    """Return superseded facts by memory id: value, ending, day, and current value."""
    return {
        result.memory.id: [marked(each) for each in result.superseded]
        for result in response.results
        if result.superseded
    }


def marked(each: fact_pb2.SupersededFact) -> str:
    """Format a superseded fact: its value, how and on which day it ended, and the current value."""
    ended = each.ended_time.ToDatetime(UTC).date().isoformat()
    how = fact_pb2.FactEnding.Name(each.ending).removeprefix("FACT_ENDING_").lower()
    return f"{each.value} {how} {ended} -> {each.current_value or 'nothing'}"


async def context_of(
    stack: Stack, query: str, *, subject: str, **fields: Any
) -> context.BuildContextResponse:
    request = context.BuildContextRequest(query=query, **fields)
    request.filter.subjects.append(subject)
    return await stack.context.BuildContext(request)
