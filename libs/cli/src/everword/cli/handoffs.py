"""`everword handoffs`: the state of a task for an advisor, and a key for one run of it."""

from __future__ import annotations

from datetime import timedelta

import click

from everword.cli.output import json_option, line, note, print_json, print_table, when
from everword.cli.session import remote
from everword.client import Client
from everword.v1 import note_service_pb2 as pb


@click.group()
def handoffs() -> None:
    """Show the handoff of an issue, and grant an advisor a key."""


@handoffs.command()
@click.argument("repo")
@click.argument("issue")
@click.option(
    "--instructions", is_flag=True, help="Print instructions for the asking agent's prompt, too."
)
@json_option
@remote
async def show(client: Client, repo: str, issue: str, instructions: bool, as_json: bool) -> None:
    """Show the handoff of ISSUE of REPO with its advice and grants."""
    request = pb.GetHandoffRequest(
        key=pb.HandoffKey(repo=repo, issue=issue), include_instructions=instructions
    )
    found = await client.note_service.GetHandoff(request)
    if as_json:
        print_json(found)
        return
    if found.HasField("handoff"):
        line(found.handoff.body.content)
    else:
        note(f"nothing was handed over of {repo} issue {issue}")
    for each in found.advisor_notes:
        line(f"advice of {when(each.update_time)}: {each.body.content}")
    rows = [
        (each.id, f"{each.used_calls} of {each.max_calls}", when(each.expire_time))
        for each in found.grants
    ]
    if rows:
        print_table(("grant", "calls", "ends"), rows)
    if instructions:
        line(found.instructions)


@handoffs.command()
@click.argument("repo")
@click.argument("issue")
@click.option("--calls", type=click.IntRange(1, 100), default=2, show_default=True)
@click.option(
    "--minutes",
    type=click.IntRange(1, 1440),
    default=60,
    show_default=True,
    help="Set the lifetime in minutes.",
)
@json_option
@remote
async def grant(
    client: Client, repo: str, issue: str, calls: int, minutes: int, as_json: bool
) -> None:
    """Create a key for an advisor, for a few calls about ISSUE of REPO.

    Set the advisor's EVERWORD_API_KEY to the secret. It is not shown again.
    """
    request = pb.CreateAdvisorGrantRequest(
        key=pb.HandoffKey(repo=repo, issue=issue), max_calls=calls
    )
    request.lifetime.FromTimedelta(timedelta(minutes=minutes))
    made = await client.note_service.CreateAdvisorGrant(request)
    if as_json:
        print_json(made)
        return
    print_table(
        ("grant", made.grant.id),
        [("secret", made.secret), ("calls", calls), ("ends", when(made.grant.expire_time))],
    )
    line(made.instructions)
