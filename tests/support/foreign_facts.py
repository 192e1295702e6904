"""Calls on facts with ids of another namespace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from everword.v1 import fact_pb2
from everword.v1 import fact_query_service_pb2 as profile
from everword.v1 import fact_service_pb2 as facts
from support.callers import within
from support.foreign import NO_MEMORY, NO_PAGE, NO_TOKEN, Call

NO_FACT = "FACT_NOT_FOUND"


def remember_request(value: str = "Berlin", **fields: Any) -> facts.RememberRequest:
    return facts.RememberRequest(subject="emi", attribute="like", value=value, **fields)


def facts_request(**fields: Any) -> profile.ListFactsRequest:
    return profile.ListFactsRequest(page_size=1, **fields)


#: Like `REFUSED` and `EMPTY` of the test.
FACTS_REFUSED: dict[str, tuple[str, Call]] = {
    "Remember evidence.message_id": (
        NO_MEMORY,
        lambda s, t: s.facts.Remember(
            remember_request(evidence=[fact_pb2.NewEvidence(message_id=t.message_id)])
        ),
    ),
    "CorrectFact fact_id": (
        NO_FACT,
        lambda s, t: s.facts.CorrectFact(facts.CorrectFactRequest(fact_id=t.fact_id)),
    ),
    "ConfirmFact fact_id": (
        NO_FACT,
        lambda s, t: s.facts.ConfirmFact(facts.ConfirmFactRequest(fact_id=t.fact_id)),
    ),
    "CloseFact fact_id": (
        NO_FACT,
        lambda s, t: s.facts.CloseFact(facts.CloseFactRequest(fact_id=t.fact_id)),
    ),
    "ExplainFact fact_id": (
        NO_FACT,
        lambda s, t: s.fact_queries.ExplainFact(profile.ExplainFactRequest(fact_id=t.fact_id)),
    ),
    "ListFacts page_token": (
        NO_PAGE,
        lambda s, t: s.fact_queries.ListFacts(facts_request(page_token=t.page_tokens["ListFacts"])),
    ),
    "ListFacts at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.fact_queries.ListFacts(facts_request(at_least_as_fresh=t.consistency_token)),
    ),
    "GetProfile at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.fact_queries.GetProfile(
            profile.GetProfileRequest(subject="emi", at_least_as_fresh=t.consistency_token)
        ),
    ),
    "GetFactHistory at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.fact_queries.GetFactHistory(
            profile.GetFactHistoryRequest(
                subject="emi", attribute="like", at_least_as_fresh=t.consistency_token
            )
        ),
    ),
    "ExplainFact at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.fact_queries.ExplainFact(
            profile.ExplainFactRequest(fact_id=t.fact_id, at_least_as_fresh=t.consistency_token)
        ),
    ),
    "ListThemes at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.fact_queries.ListThemes(
            profile.ListThemesRequest(at_least_as_fresh=t.consistency_token)
        ),
    ),
}
FACTS_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "Remember": (
        lambda s, t: s.facts.Remember(
            remember_request(request_id="fact"), metadata=within("third")
        ),
        lambda answer: answer.replayed,
    ),
    "GetProfile": (
        lambda s, t: s.fact_queries.GetProfile(profile.GetProfileRequest(subject="emi")),
        lambda answer: (len(answer.facts), answer.omitted) == (0, 0),
    ),
    "ListFacts": (
        lambda s, t: s.fact_queries.ListFacts(facts_request(include_superseded=True)),
        lambda answer: not answer.facts,
    ),
    "GetFactHistory": (
        lambda s, t: s.fact_queries.GetFactHistory(
            profile.GetFactHistoryRequest(subject="emi", attribute="like")
        ),
        lambda answer: not answer.facts,
    ),
}
