"""`everword compact`: sum up conversations now, however few messages wait."""

from __future__ import annotations

import click

from everword.cli.maintenance import dry_run_option
from everword.cli.output import json_option, line, print_json
from everword.cli.session import remote
from everword.client import Client
from everword.v1 import maintenance_service_pb2 as pb


@click.command()
@click.argument("conversation_id", default="")
@dry_run_option
@json_option
@remote
async def compact(client: Client, conversation_id: str, dry_run: bool, as_json: bool) -> None:
    """Schedule summaries of one conversation, or of all with unsummarised messages."""
    response = await client.maintenance_service.Compact(
        pb.CompactRequest(conversation_id=conversation_id, dry_run=dry_run)
    )
    if as_json:
        print_json(response)
    else:
        are = "would be" if dry_run else "are"
        line(
            f"{response.messages} messages of {response.conversations} conversations {are} summed up"
        )
