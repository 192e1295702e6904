"""`everword patterns`: what is done with things again and again, and how far that is trusted."""

from __future__ import annotations

import json
from collections.abc import Iterable

import click
from google.protobuf import json_format, struct_pb2

from everword.cli.output import json_option, line, note, print_json, print_table, shorten, when
from everword.cli.session import remote
from everword.cli.suggestions import did_you_mean
from everword.client import Client
from everword.client.pages import list_all
from everword.v1 import pattern_service_pb2 as pb

_COLUMNS = ("id", "entity", "type", "category", "data", "right", "wrong", "confidence", "last seen")
reason_option = click.option("--reason", default="", help="Why, for the audit trail.")
request_id_option = click.option(
    "--request-id", default="", help="Makes the command safe to repeat."
)


class _Data(click.ParamType[struct_pb2.Struct]):
    """A JSON object."""

    name = "json"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> struct_pb2.Struct:
        try:
            return json_format.Parse(str(value), struct_pb2.Struct())
        except json_format.ParseError:
            self.fail('give a JSON object, such as {"account": "6540"}', param, ctx)


@click.group()
def patterns() -> None:
    """Show and record what is done with things, and ask whether it may be done without asking."""


@patterns.command("list")
@click.option("--entity", default="", help="Only of this thing.")
@click.option("--type", "type_", default="", help="Only of this type.")
@click.option("--category", default="", help="Only of this category.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@json_option
@remote
async def list_(
    client: Client, entity: str, type_: str, category: str, limit: int, as_json: bool
) -> None:
    """List patterns, most trusted first."""
    request = pb.ListPatternsRequest(entity=entity, type=type_, category=category, page_size=limit)
    found = await list_all(client.pattern_service.ListPatterns, request, limit)
    if as_json:
        print_json(found)
    else:
        _print(found.patterns)


@patterns.command()
@click.argument("entity")
@click.argument("type_", metavar="TYPE")
@click.argument("data", type=_Data())
@click.option("--category", default="", help="Groups patterns.")
@reason_option
@request_id_option
@json_option
@remote
async def record(
    client: Client,
    entity: str,
    type_: str,
    data: struct_pb2.Struct,
    category: str,
    reason: str,
    request_id: str,
    as_json: bool,
) -> None:
    """Record that DATA was done with ENTITY, and was right."""
    request = pb.RecordPatternRequest(
        entity=entity,
        type=type_,
        data=data,
        category=category,
        reason=reason,
        request_id=request_id,
    )
    response = await client.pattern_service.RecordPattern(request)
    if as_json:
        print_json(response)
    else:
        _print([response.pattern])


@patterns.command()
@click.argument("pattern_id", metavar="ID")
@click.option("--right/--wrong", "agreed", required=True, help="Whether it was right.")
@reason_option
@request_id_option
@json_option
@remote
async def outcome(
    client: Client, pattern_id: str, agreed: bool, reason: str, request_id: str, as_json: bool
) -> None:
    """Say whether the pattern ID was right when it was used."""
    response = await client.pattern_service.RecordOutcome(
        pb.RecordOutcomeRequest(
            pattern_id=pattern_id, agreed=agreed, reason=reason, request_id=request_id
        )
    )
    if as_json:
        print_json(response)
    else:
        _print([response.pattern])


@patterns.command()
@click.argument("entity")
@click.argument("type_", metavar="TYPE")
@click.option("--auto-approve", type=click.FloatRange(0, 1), help="The confidence that is needed.")
@json_option
@remote
async def decide(
    client: Client, entity: str, type_: str, auto_approve: float | None, as_json: bool
) -> None:
    """Say whether the pattern of ENTITY and TYPE may be used without asking, and why."""
    response = await client.pattern_service.DecidePattern(
        pb.DecidePatternRequest(entity=entity, type=type_, auto_approve=auto_approve)
    )
    if as_json:
        print_json(response)
        return
    line("approved" if response.decision.approved else "ask first")
    line(response.decision.explanation)
    if response.HasField("pattern"):
        _print([response.pattern])


@patterns.command()
@click.argument("type_", metavar="TYPE")
@click.argument("auto_approve", metavar="CONFIDENCE", type=click.FloatRange(0, 1))
@json_option
@remote
async def threshold(client: Client, type_: str, auto_approve: float, as_json: bool) -> None:
    """Let patterns of TYPE be used without asking from CONFIDENCE on."""
    response = await client.pattern_service.SetPatternThreshold(
        pb.SetPatternThresholdRequest(type=type_, auto_approve=auto_approve)
    )
    of_type = pb.ListPatternsRequest(type=type_, page_size=1)
    if not (await client.pattern_service.ListPatterns(of_type)).patterns:
        page = await client.pattern_service.ListPatterns(pb.ListPatternsRequest(page_size=200))
        similar = did_you_mean(type_, {each.type for each in page.patterns})
        note(f"no pattern has the type {type_!r} yet.{similar}")
    if as_json:
        print_json(response)
    else:
        before = f"{response.previous:.2f}" if response.HasField("previous") else "the default"
        line(f"{type_}: {auto_approve:.2f}; before: {before}")


@patterns.command()
@click.argument("pattern_id", metavar="ID")
@json_option
@remote
async def why(client: Client, pattern_id: str, as_json: bool) -> None:
    """Show what the confidence of the pattern ID rests on, and what was decided by it."""
    request = pb.ExplainPatternRequest(pattern_id=pattern_id)
    response = await client.pattern_service.ExplainPattern(request)
    if as_json:
        print_json(response)
        return
    _print([response.pattern])
    line(f"used without asking from a confidence of {response.threshold:.2f} on")
    outcomes = [
        (
            when(each.outcome_time),
            "right" if each.agreed else "wrong",
            each.reason or ("recorded" if each.recorded else ""),
            each.other_pattern_id,
        )
        for each in response.outcomes
    ]
    print_table(("when", "was", "why", "instead"), outcomes)
    decisions = [
        (when(each.decide_time), "approved" if each.approved else "ask first", each.explanation)
        for each in response.decisions
    ]
    print_table(("when", "decided", "why"), decisions)


def _print(found: Iterable[pb.Pattern]) -> None:
    rows = [
        (
            each.id,
            each.entity,
            each.type,
            each.category,
            shorten(json.dumps(json_format.MessageToDict(each.data), ensure_ascii=False), 60),
            str(each.occurrences),
            str(each.disagreements),
            f"{each.confidence:.3f}",
            when(each.last_seen_time),
        )
        for each in found
    ]
    print_table(_COLUMNS, rows, right="right wrong confidence")
