"""Facts: current and past values, earlier beliefs, and their evidence."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from starlette.responses import Response

from everword.client.kinds import kind_number
from everword.client.types import to_datetime
from everword.v1 import fact_pb2, memory_pb2, search_service_pb2
from everword.v1 import fact_query_service_pb2 as pb
from everword.v1 import fact_service_pb2 as writes
from everword_web.console.values import BadInputError, Values, day_number, day_of, timestamp
from everword_web.console.visits import Visit

STATES = [name.removeprefix("FACT_STATE_").lower() for name in fact_pb2.FactState.keys()[1:]]
#: Range of a slider in days if the facts do not determine it.
_DAYS_BACK = 365
#: Number of facts read to determine the range, if there are no more.
_FIRST = 50
#: Messages shown after a change.
_DONE = {
    "confirmed": "Confirmed.",
    "closed": "Closed: it held, and does not any more.",
    "corrected": "Corrected: this is what is right. What was wrong is kept, below.",
    "rejected": "Rejected: it never held.",
}


@dataclass(frozen=True)
class Slider:
    """A day to look at, from the first of which something is known until today."""

    name: str
    label: str
    first: int
    today: int
    chosen: int

    @property
    def day(self) -> date:
        return day_of(self.chosen)

    @property
    def is_now(self) -> bool:
        return self.chosen == self.today

    @property
    def end(self) -> Timestamp | None:
        """The end of that day, which is the moment that is asked for; None for now."""
        if self.is_now:
            return None
        return timestamp(datetime.combine(self.day + timedelta(days=1), time(), UTC))

    @classmethod
    def of(cls, name: str, label: str, since: list[Timestamp], values: Values) -> Slider:
        """Return a slider as the visitor has set it. Raises BadInputError."""
        today = day_number(datetime.now(UTC).date())
        days = [day_number(at.date()) for stamp in since if (at := to_datetime(stamp))]
        first = min(days, default=today - _DAYS_BACK)
        first = max(0, min(first, today - 1))
        chosen = values.number(name, today, 10_000_000)
        return cls(name, label, first, today, min(max(chosen, first), today))


async def list_facts(visit: Visit) -> Response:
    """Show facts as of the moments selected by the sliders."""
    values = visit.values
    state = values.text("state")
    if state and state not in STATES:
        raise BadInputError(f"A fact is {', '.join(STATES)}; not {state[:40]!r}.")
    service = visit.client.fact_query_service
    subjects, attributes = values.one("subject"), values.one("attribute")
    first_request = pb.ListFactsRequest(
        subjects=subjects, attributes=attributes, include_superseded=True, page_size=_FIRST
    )
    first = await visit.call(service.ListFacts, first_request)
    held = [fact.valid_from_time for fact in first.facts]
    known = [fact.known_from_time for fact in first.facts]
    if first.next_page_token:
        # No fact of the later pages began before the first one, and none was known before the first message.
        fact, message = kind_number("fact"), kind_number("message")
        held += await _earliest(visit, kinds=[fact], subjects=subjects, include_superseded=True)
        known += await _earliest(visit, kinds=[message], include_automated=True)
    sliders = [
        Slider.of("valid_day", "As it held on", held, values),
        Slider.of("known_day", "As it was known on", known, values),
    ]
    request = pb.ListFactsRequest(
        subjects=subjects,
        attributes=attributes,
        states=[fact_pb2.FactState.Value(f"FACT_STATE_{state.upper()}")] if state else [],
        valid_at_time=sliders[0].end,
        known_at_time=sliders[1].end,
        include_superseded=bool(values.text("superseded")),
        page_size=100,
        page_token=values.text("page"),
    )
    listed = await visit.call(service.ListFacts, request)
    return visit.page("facts.html", listed=listed, values=values, sliders=sliders, states=STATES)


async def _earliest(visit: Visit, **wanted: Any) -> list[Timestamp]:
    """Return the time of the earliest memory that matches a filter; empty if none does."""
    request = search_service_pb2.BrowseRequest(
        filter=memory_pb2.MemoryFilter(**wanted),
        order=memory_pb2.ORDER_OLDEST_FIRST,
        page_size=1,
        max_content_chars=1,
    )
    page = await visit.call(visit.client.search_service.Browse, request)
    return [memory.occur_time for memory in page.memories]


async def fact(visit: Visit) -> Response:
    """Show a fact, why it is believed, and what held before and after."""
    service = visit.client.fact_query_service
    found = await visit.call(service.ExplainFact, pb.ExplainFactRequest(fact_id=visit.id))
    named = pb.GetFactHistoryRequest(subject=found.fact.subject, attribute=found.fact.attribute)
    history = await visit.call(service.GetFactHistory, named)
    return visit.page(
        "fact.html",
        why=found,
        fact=found.fact,
        history=history.facts,
        done=_DONE.get(visit.values.text("done"), ""),
        open=found.fact.state not in (fact_pb2.FACT_STATE_REJECTED, fact_pb2.FACT_STATE_CLOSED),
    )


async def confirm(visit: Visit) -> Response:
    """Say that a fact is right."""
    reason = visit.form.text("reason")
    request = writes.ConfirmFactRequest(
        fact_id=visit.id, reason=reason, actor=fact_pb2.FACT_ACTOR_PERSON
    )
    await visit.call(visit.client.fact_service.ConfirmFact, request)
    return visit.go(f"/facts/{visit.id}?done=confirmed")


async def close(visit: Visit) -> Response:
    """Say that a fact does not hold any more."""
    request = writes.CloseFactRequest(
        fact_id=visit.id,
        valid_until_time=visit.form.start_of_day("until"),
        reason=visit.form.text("reason"),
        actor=fact_pb2.FACT_ACTOR_PERSON,
    )
    await visit.call(visit.client.fact_service.CloseFact, request)
    return visit.go(f"/facts/{visit.id}?done=closed")


async def correct(visit: Visit) -> Response:
    """Mark a fact as wrong, and record the right value."""
    request = writes.CorrectFactRequest(
        fact_id=visit.id,
        value=visit.form.text("value"),
        reason=visit.form.text("reason"),
        actor=fact_pb2.FACT_ACTOR_PERSON,
    )
    answer = await visit.call(visit.client.fact_service.CorrectFact, request)
    if not answer.fact.id:
        return visit.go(f"/facts/{visit.id}?done=rejected")
    return visit.go(f"/facts/{answer.fact.id}?done=corrected")
