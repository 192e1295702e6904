"""`everword facts`: facts with their history and evidence."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from shlex import quote

import click
from google.protobuf.message import Message

from everword.cli.groups import HintingGroup
from everword.cli.output import (
    json_option,
    line,
    print_entries,
    print_json,
    print_table,
    shorten,
    when,
)
from everword.cli.session import remote
from everword.cli.times import TimeParam
from everword.client import Client
from everword.client.pages import list_all
from everword.rpc.translate import to_timestamp
from everword.v1 import fact_pb2
from everword.v1 import fact_query_service_pb2 as reads
from everword.v1 import fact_service_pb2 as writes

_COLUMNS = ("id", "since", "until", "state", "sure")
valid_at_option = click.option(
    "--valid-at", type=TimeParam(), help="Show values that are true at this time; now by default."
)
known_at_option = click.option(
    "--known-at", type=TimeParam(), help="Show what was believed at this time; now by default."
)


@click.group(cls=HintingGroup, hint=lambda subject: [f"everword facts profile {quote(subject)}"])
def facts() -> None:
    """Show facts with their history and evidence, and store facts."""


@facts.command()
@click.argument("subject")
@valid_at_option
@known_at_option
@json_option
@remote
async def profile(
    client: Client,
    subject: str,
    valid_at: datetime | None,
    known_at: datetime | None,
    as_json: bool,
) -> None:
    """Show the current facts about SUBJECT."""
    response = await client.fact_query_service.GetProfile(
        reads.GetProfileRequest(
            subject=subject,
            valid_at_time=to_timestamp(valid_at),
            known_at_time=to_timestamp(known_at),
        )
    )
    _print(response, response.facts, as_json)
    if response.omitted and not as_json:
        line(f"and {response.omitted} more: everword facts list {subject}")


@facts.command("list")
@click.argument("subjects", metavar="[SUBJECT]...", nargs=-1)
@click.option(
    "--attribute",
    "attributes",
    multiple=True,
    help="Include only this attribute, such as residence.",
)
@click.option("--all", "everything", is_flag=True, help="Include superseded and rejected facts.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@json_option
@remote
async def list_(
    client: Client,
    subjects: tuple[str, ...],
    attributes: tuple[str, ...],
    everything: bool,
    limit: int,
    as_json: bool,
) -> None:
    """List facts about each SUBJECT, or about all, oldest first."""
    request = reads.ListFactsRequest(
        subjects=subjects, attributes=attributes, include_superseded=everything, page_size=limit
    )
    found = await list_all(client.fact_query_service.ListFacts, request, limit)
    _print(found, found.facts, as_json)


@facts.command()
@click.argument("subject")
@click.argument("attribute")
@json_option
@remote
async def timeline(client: Client, subject: str, attribute: str, as_json: bool) -> None:
    """Show all values of ATTRIBUTE of SUBJECT over time."""
    request = reads.GetFactHistoryRequest(subject=subject, attribute=attribute)
    response = await client.fact_query_service.GetFactHistory(request)
    _print(response, response.facts, as_json)


@facts.command()
@click.argument("fact_id", metavar="ID")
@json_option
@remote
async def why(client: Client, fact_id: str, as_json: bool) -> None:
    """Show the evidence and the audit trail of the fact ID."""
    response = await client.fact_query_service.ExplainFact(
        reads.ExplainFactRequest(fact_id=fact_id)
    )
    if as_json:
        print_json(response)
        return
    fact = response.fact
    line(f"{_fact_label(fact)}: {fact.value}")
    line(f"{_state(fact.state)}, confidence {fact.confidence:.2f}, weight {fact.weight:.2f}")
    evidence = [
        (
            when(each.said_time),
            "against" if each.contradicts else "for",
            fact_pb2.FactSource.Name(each.source).removeprefix("FACT_SOURCE_").lower(),
            shorten(each.quote or each.reason, 200),
            each.message_id,
        )
        for each in response.evidence
    ]
    print_table(("said", "speaks", "source", "words", "message"), evidence)
    changes = [
        (when(each.change_time), each.actor, each.action, _state(each.state), each.reason)
        for each in response.changes
    ]
    print_table(("when", "who", "did", "state", "why"), changes)
    links = [
        (
            fact_pb2.FactRelation.Name(each.relation).removeprefix("FACT_RELATION_").lower(),
            "to" if each.from_fact_id == fact.id else "from",
            f"{_fact_label(each.other)}: {each.other.value}",
            f"{each.confidence:.2f}",
            each.reason,
        )
        for each in response.links
    ]
    if links:
        print_table(("link", "", "fact", "sure", "why"), links)
    if response.disputes:
        _print_disputes(response.disputes)


@facts.command()
@click.argument("subjects", metavar="[SUBJECT]...", nargs=-1)
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@json_option
@remote
async def disputes(client: Client, subjects: tuple[str, ...], limit: int, as_json: bool) -> None:
    """List open disputes about each SUBJECT, or about all: pairs of contradicting facts."""
    request = reads.ListDisputesRequest(subjects=subjects, page_size=limit)
    found = await list_all(client.fact_query_service.ListDisputes, request, limit)
    if as_json:
        print_json(found)
    else:
        _print_disputes(found.disputes)


@facts.command()
@click.argument("subject")
@click.argument("attribute")
@click.argument("value")
@click.option(
    "--since", type=TimeParam(), help="Set the time since which it is true; now by default."
)
@click.option("--until", type=TimeParam(), help="Set the time until which it is true.")
@click.option("--guess", is_flag=True, help="Store it as a guess, which supersedes nothing.")
@click.option("--request-id", default="", help="Make the command safe to repeat.")
@json_option
@remote
async def remember(
    client: Client,
    subject: str,
    attribute: str,
    value: str,
    since: datetime | None,
    until: datetime | None,
    guess: bool,
    request_id: str,
    as_json: bool,
) -> None:
    """Store VALUE as ATTRIBUTE of SUBJECT, such as: remember emi residence Lisbon."""
    response = await client.fact_service.Remember(
        writes.RememberRequest(
            subject=subject,
            attribute=attribute,
            value=value,
            source=fact_pb2.FACT_SOURCE_PERSON,
            hypothesis=guess,
            valid_from_time=to_timestamp(since),
            valid_until_time=to_timestamp(until),
            request_id=request_id,
        )
    )
    _print(response, [response.fact, *response.superseded], as_json)


def _print(response: Message, found: Iterable[fact_pb2.Fact], as_json: bool) -> None:
    if as_json:
        print_json(response)
        return
    rows = [
        (
            each.id,
            when(each.valid_from_time)[:10],
            when(each.valid_until_time)[:10],
            _state_text(each),
            f"{each.confidence:.2f}",
            f"{_fact_label(each)}: {shorten(each.value, 60)}",
        )
        for each in found
    ]
    print_entries(_COLUMNS, rows, right="sure", fold="state")


def _print_disputes(disputes: Iterable[fact_pb2.FactDispute]) -> None:
    rows = [
        (
            _fact_label(each.old_fact),
            f"{shorten(each.old_fact.value, 30)} ({each.old_fact.supporting})",
            f"{shorten(each.new_fact.value, 30)} ({each.new_fact.supporting})",
            when(each.open_time)[:10],
            fact_pb2.DisputeOutcome.Name(each.outcome).removeprefix("DISPUTE_OUTCOME_").lower()
            if each.outcome
            else "open",
            each.reason,
        )
        for each in disputes
    ]
    print_table(("dispute", "known", "new", "since", "outcome", "why"), rows)


def _fact_label(fact: fact_pb2.Fact) -> str:
    return f"{fact.attribute} of {fact.subject}" if fact.subject else fact.attribute


def _state_text(fact: fact_pb2.Fact) -> str:
    if fact.HasField("known_until_time"):
        return f"{_state(fact.state)} (not believed)"
    return f"{_state(fact.state)} (disputed)" if fact.disputed else _state(fact.state)


def _state(state: fact_pb2.FactState.ValueType) -> str:
    return fact_pb2.FactState.Name(state).removeprefix("FACT_STATE_").lower()
