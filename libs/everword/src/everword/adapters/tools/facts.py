"""Facts about the user: the profile, remembering, and correcting."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC
from typing import Annotated

from pydantic import Field

from everword.adapters.tools.limits import MAX_TOKENS, count_fitting
from everword.adapters.tools.memory import Names
from everword.adapters.tools.model import READS, REPLACES, Tool, ToolCaller, ToolError, ToolSet
from everword.adapters.tools.owners import Subject
from everword.adapters.tools.text import one_line
from everword.v1 import fact_pb2, fact_query_service_pb2, fact_service_pb2

Attribute = Annotated[
    str,
    Field(
        min_length=1, max_length=128, description="Such as residence, job, allergy, likes, goal."
    ),
]
Value = Annotated[str, Field(max_length=60_000)]
#: The subject of facts that are learned in conversations without one.
_USER = "user"
_MOST_FACTS, _VALUE_CHARS = 300, 2_000


async def fact_profile(caller: ToolCaller, attributes: Names = (), subject: Subject = "") -> str:
    """List the current facts about the user: learned from messages, and remembered."""
    response = await caller.client.fact_query_service.GetProfile(
        fact_query_service_pb2.GetProfileRequest(
            subject=subject or _USER,
            attributes=[_attribute_name(each) for each in attributes],
            max_facts=_MOST_FACTS,
            at_least_as_fresh=caller.token,
        ),
        metadata=caller.metadata,
    )
    facts = response.facts
    if not facts:
        return f"No facts are known about {subject or 'the user'}. fact_remember adds one."
    lines = [_line(each) for each in facts]
    fitting = count_fitting(lines, MAX_TOKENS)
    more = len(lines) - fitting + response.omitted
    rest = [f"There are {more} more: give attributes."] if more else []
    return "\n".join([*lines[:fitting], *rest])


async def fact_remember(
    caller: ToolCaller,
    attribute: Attribute,
    value: Value,
    several: Annotated[bool, Field(description="Keep the earlier values, too.")] = False,
    subject: Subject = "",
) -> str:
    """Remember a lasting fact about the user: a wish, a preference, a home, a friend.

    It takes the place of the value that was true before.
    """
    response = await caller.client.fact_service.Remember(
        fact_service_pb2.RememberRequest(
            subject=subject or _USER,
            attribute=_attribute_name(attribute),
            value=value,
            # Unset, the definition of the attribute applies: a person has several allergies.
            several_values=True if several else None,
            agent=caller.scope.agent,
        ),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    replaced = _values(response.superseded)
    return f"Remembered: {_line(response.fact)}" + (f"; replaces {replaced}" if replaced else "")


async def fact_correct(
    caller: ToolCaller,
    attribute: Attribute,
    value: Annotated[Value, Field(description="The right value; empty if there is none.")] = "",
    wrong: Annotated[str, Field(description="The wrong value, if there are several.")] = "",
    ended: Annotated[
        bool, Field(description="It was true until now, and nothing replaces it.")
    ] = False,
    reason: Annotated[str, Field(max_length=1_000)] = "",
    subject: Subject = "",
) -> str:
    """Correct a fact that was never true, or end one. For a value that changed, call fact_remember."""
    fact = await _current_fact(caller, subject or _USER, _attribute_name(attribute), wrong)
    service = caller.client.fact_service
    if ended:
        closed = await service.CloseFact(
            fact_service_pb2.CloseFactRequest(fact_id=fact.id, reason=reason),
            metadata=caller.metadata,
        )
        caller.wrote(closed.consistency_token)
        return f"Ended: {_line(fact)}"
    corrected = await service.CorrectFact(
        fact_service_pb2.CorrectFactRequest(fact_id=fact.id, value=value, reason=reason),
        metadata=caller.metadata,
    )
    caller.wrote(corrected.consistency_token)
    now = f"; right is {one_line(value, _VALUE_CHARS)}" if value else ""
    return f"Corrected: {fact.attribute} was never {one_line(fact.value, _VALUE_CHARS)}{now}"


async def _current_fact(
    caller: ToolCaller, subject: str, attribute: str, value: str
) -> fact_pb2.Fact:
    """Return the only current fact of an attribute, or the one with this value. Raises ToolError."""
    response = await caller.client.fact_query_service.ListFacts(
        fact_query_service_pb2.ListFactsRequest(
            subjects=[subject],
            attributes=[attribute],
            page_size=200,
            at_least_as_fresh=caller.token,
        ),
        metadata=caller.metadata,
    )
    named = [each for each in response.facts if each.value.casefold() == value.casefold()]
    found = named if value else list(response.facts)
    if len(found) == 1:
        return found[0]
    known = _values(response.facts)
    if known:
        raise ToolError(f"{attribute} is known as {known}. Name one of them in wrong.")
    raise ToolError(f"Nothing is known of {attribute}. See fact_profile, or call fact_remember.")


def _attribute_name(text: str) -> str:
    """Return the name of an attribute in the form of the service: `Favorite color` is `favorite_color`."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = re.sub("[^a-z0-9]+", "_", plain).strip("_")
    if not name or name[0].isdigit():
        raise ToolError(f"attribute is {text!r}; give an English word such as residence.")
    return name


def _line(fact: fact_pb2.Fact) -> str:
    state = fact_pb2.FactState.Name(fact.state).removeprefix("FACT_STATE_").lower()
    marks = [state] if fact.state == fact_pb2.FACT_STATE_SUSPECTED else []
    if fact.disputed:
        marks.append("disputed")
    if fact.weight < fact.confidence:
        marks.append("may be outdated")
    heard = fact.last_seen_time if fact.HasField("last_seen_time") else fact.known_from_time
    if heard.seconds:
        marks.append(f"as of {heard.ToDatetime(UTC):%Y-%m-%d}")
    return f"{fact.attribute}: {one_line(fact.value, _VALUE_CHARS)} ({', '.join(marks)})"


def _values(facts: Iterable[fact_pb2.Fact]) -> str:
    return ", ".join(repr(one_line(each.value, 100)) for each in facts)


FACTS = ToolSet(
    (
        Tool(fact_profile, "What is known about the user", READS),
        Tool(fact_remember, "Remember a fact", REPLACES),
        Tool(fact_correct, "Correct a fact", REPLACES),
    ),
    "When the user tells something about themselves that stays true, call fact_remember, also when it changed; "
    "when the user says that something remembered is wrong, call fact_correct. Facts are in each context of the user.",
)
