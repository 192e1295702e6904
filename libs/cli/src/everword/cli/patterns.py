"""`everword patterns`: learned patterns with their confidence."""

from __future__ import annotations

import json
from collections.abc import Iterable

import click
from google.protobuf import json_format

from everword.cli.output import json_option, line, print_json, print_table, shorten, when
from everword.cli.session import remote
from everword.client import Client
from everword.client.pages import list_all
from everword.v1 import pattern_service_pb2 as pb

_COLUMNS = ("id", "entity", "type", "category", "data", "right", "wrong", "confidence", "last seen")


@click.group()
def patterns() -> None:
    """List learned patterns with their confidence."""


@patterns.command("list")
@click.option("--entity", default="", help="Include only this entity.")
@click.option("--type", "type_", default="", help="Include only this type.")
@click.option("--category", default="", help="Include only this category.")
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
@click.argument("pattern_id", metavar="ID")
@json_option
@remote
async def why(client: Client, pattern_id: str, as_json: bool) -> None:
    """Show the outcomes and the decisions of the pattern ID."""
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
