"""`everword people`, `events` and `strategies`: learned people, events and questions, with evidence."""

from __future__ import annotations

from collections.abc import Iterable

import click
from google.protobuf.message import Message

from everword.cli.output import (
    json_option,
    line,
    print_entries,
    print_json,
    print_table,
    shorten,
    when,
)
from everword.cli.session import remote, run_default
from everword.client import Client
from everword.v1 import fact_query_service_pb2 as reads
from everword.v1 import people_pb2

_PEOPLE = ("id", "name", "relation", "of", "status", "messages", "last")
_EVENTS = ("id", "what", "category", "of", "starts", "expires", "importance", "status")
_STRATEGIES = ("id", "kind", "of", "state", "offers")
subject_option = click.option(
    "--subject", "subjects", multiple=True, help="Include only this user."
)
limit_option = click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True)


@click.group(invoke_without_command=True)
@click.pass_context
def people(context: click.Context) -> None:
    """List the people whom users mention, with evidence. Without a command, list them all."""
    run_default(context, list_people)


@people.command("list")
@subject_option
@click.option("--all", "everything", is_flag=True, help="Include rejected people.")
@limit_option
@json_option
@remote
async def list_people(
    client: Client, subjects: tuple[str, ...], everything: bool, limit: int, as_json: bool
) -> None:
    """List people, oldest first."""
    response = await client.fact_query_service.ListPeople(
        reads.ListPeopleRequest(subjects=subjects, include_rejected=everything, page_size=limit)
    )
    _print_people(response, response.people, as_json)


@people.command("why")
@click.argument("person_id", metavar="ID")
@json_option
@remote
async def why_person(client: Client, person_id: str, as_json: bool) -> None:
    """Show the person ID with its evidence and audit trail."""
    response = await client.fact_query_service.ExplainLearned(
        reads.ExplainLearnedRequest(person_id=person_id)
    )
    _print_people(response, [response.person], as_json)
    if not as_json:
        _print_evidence(response.evidence, response.changes)


@people.command("model")
@click.argument("subject")
@json_option
@remote
async def show_model(client: Client, subject: str, as_json: bool) -> None:
    """Show how SUBJECT communicates, and the trajectory of their life."""
    request = reads.GetUserModelRequest(subject=subject, include_evidence=True)
    found = await client.fact_query_service.GetUserModel(request)
    if as_json:
        print_json(found)
        return
    rows = [(each.dimension, each.value, when(each.held_from_time)[:10]) for each in found.traits]
    print_table(("trait", "value", "since"), rows)
    if found.HasField("trajectory"):
        line(f"{found.trajectory.phase}: {found.trajectory.summary}")


@click.group(invoke_without_command=True)
@click.pass_context
def events(context: click.Context) -> None:
    """List events in users' lives, with evidence. Without a command, list them all."""
    run_default(context, list_events)


@events.command("list")
@subject_option
@click.option("--all", "everything", is_flag=True, help="Include past and rejected events.")
@limit_option
@json_option
@remote
async def list_events(
    client: Client, subjects: tuple[str, ...], everything: bool, limit: int, as_json: bool
) -> None:
    """List events, oldest first."""
    response = await client.fact_query_service.ListEvents(
        reads.ListEventsRequest(subjects=subjects, include_past=everything, page_size=limit)
    )
    _print_events(response, response.events, as_json)


@events.command("why")
@click.argument("event_id", metavar="ID")
@json_option
@remote
async def why_event(client: Client, event_id: str, as_json: bool) -> None:
    """Show the event ID with its evidence and audit trail."""
    response = await client.fact_query_service.ExplainLearned(
        reads.ExplainLearnedRequest(event_id=event_id)
    )
    _print_events(response, [response.event], as_json)
    if not as_json:
        _print_evidence(response.evidence, response.changes)


@click.group(invoke_without_command=True)
@click.pass_context
def strategies(context: click.Context) -> None:
    """List questions that are worth asking. Without a command, list them all."""
    run_default(context, list_strategies)


@strategies.command("list")
@subject_option
@click.option("--all", "everything", is_flag=True, help="Include answered and dropped questions.")
@limit_option
@json_option
@remote
async def list_strategies(
    client: Client, subjects: tuple[str, ...], everything: bool, limit: int, as_json: bool
) -> None:
    """List questions that are worth asking, oldest first."""
    response = await client.fact_query_service.ListStrategies(
        reads.ListStrategiesRequest(subjects=subjects, include_ended=everything, page_size=limit)
    )
    _print_strategies(response, response.strategies, as_json)


@strategies.command("why")
@click.argument("strategy_id", metavar="ID")
@json_option
@remote
async def why_strategy(client: Client, strategy_id: str, as_json: bool) -> None:
    """Show the question ID with its evidence and audit trail."""
    request = reads.ExplainLearnedRequest(strategy_id=strategy_id)
    response = await client.fact_query_service.ExplainLearned(request)
    _print_strategies(response, [response.strategy], as_json)
    if not as_json:
        _print_evidence(response.evidence, response.changes)


@click.command()
@subject_option
@click.option("--conversation", "conversation_id", default="", help="Include only this one's id.")
@limit_option
@json_option
@remote
async def sessions(
    client: Client, subjects: tuple[str, ...], conversation_id: str, limit: int, as_json: bool
) -> None:
    """List the sessions that Sleep has read, oldest first, with topics and observations."""
    response = await client.fact_query_service.ListSessions(
        reads.ListSessionsRequest(
            subjects=subjects, conversation_id=conversation_id, page_size=limit
        )
    )
    if as_json:
        print_json(response)
        return
    for each in response.sessions:
        topics = ", ".join(each.topics)
        line(f"{when(each.start_time)} {each.conversation_id} {each.state} {topics}".rstrip())
        for observed in each.observations:
            known = f"{observed.about or observed.subject}: {observed.attribute} {observed.value}"
            line(
                f"  {known}{'?' if observed.hypothesis else ''}: {shorten(observed.quotes[0], 120)}"
            )
        if each.error:
            line(f"  {each.error}")


def _print_people(response: Message, found: Iterable[people_pb2.Person], as_json: bool) -> None:
    if as_json:
        print_json(response)
        return
    rows = [
        (
            each.id,
            " / ".join((each.name, *each.aliases)),
            each.relation,
            each.subject,
            _lower(people_pb2.RelationStatus.Name(each.status), "RELATION_STATUS_"),
            str(each.mention_count),
            when(each.last_seen_time)[:10],
        )
        for each in found
    ]
    print_table(_PEOPLE, rows, right="messages")


def _print_events(response: Message, found: Iterable[people_pb2.Event], as_json: bool) -> None:
    if as_json:
        print_json(response)
        return
    rows = [
        (
            each.id,
            shorten(each.title, 60),
            each.category,
            each.subject,
            when(each.start_time)[:10],
            when(each.expire_time)[:10],
            f"{each.importance:.2f}",
            _lower(people_pb2.EventStatus.Name(each.status), "EVENT_STATUS_"),
        )
        for each in found
    ]
    print_table(_EVENTS, rows, right="importance")


def _print_strategies(
    response: Message, found: Iterable[people_pb2.Strategy], as_json: bool
) -> None:
    if as_json:
        print_json(response)
        return
    rows = [
        (
            each.id,
            _lower(people_pb2.StrategyKind.Name(each.kind), "STRATEGY_KIND_"),
            each.subject,
            _lower(people_pb2.StrategyState.Name(each.state), "STRATEGY_STATE_"),
            str(each.offer_count),
            f"{each.question} ({each.reason})" if each.reason else each.question,
        )
        for each in found
    ]
    print_entries(_STRATEGIES, rows, right="offers", fold="of")


def _print_evidence(
    evidence: Iterable[people_pb2.LearnedEvidence], changes: Iterable[people_pb2.LearnedChange]
) -> None:
    said = [
        (when(each.said_time), each.aspect, each.value, shorten(each.quote, 120), each.message_id)
        for each in evidence
    ]
    print_table(("said", "tells", "what", "words", "message"), said)
    done = [(when(each.change_time), each.actor, each.action, each.reason) for each in changes]
    if done:
        line("")
        print_table(("when", "who", "did", "why"), done)


def _lower(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).lower()
