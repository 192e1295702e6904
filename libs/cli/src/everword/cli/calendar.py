"""`everword rollup` and `everword significant`: the calendar of summaries, and what it leaves as it is."""

from __future__ import annotations

import click

from everword.cli.maintenance import dry_run_option
from everword.cli.output import json_option, line, print_json
from everword.cli.session import remote
from everword.client import Client
from everword.v1 import ingest_service_pb2, maintenance_service_pb2


@click.command()
@click.option(
    "--since", default="", help="The first day, such as 2026-04-18; the earliest if unset."
)
@click.option("--before", default="", help="The day after the last one; today if unset.")
@dry_run_option
@json_option
@remote
async def rollup(client: Client, since: str, before: str, dry_run: bool, as_json: bool) -> None:
    """Schedule the summaries of days that have ended, and of weeks, months and years above them."""
    response = await client.maintenance_service.RollUp(
        maintenance_service_pb2.RollUpRequest(start_date=since, end_date=before, dry_run=dry_run)
    )
    if as_json:
        print_json(response)
    else:
        line(f"{response.periods} periods {'would be' if dry_run else 'are'} summed up")


@click.command()
@click.argument("content")
@click.option("--title", default="", help="What it is called.")
@click.option("--instance", default="", help="The embodiment of the agent that writes.")
@click.option("--agent", default="", help="The agent whose memory it is.")
@click.option("--subject", default="", help="The user whom it is about.")
@click.option("--request-id", default="", help="Makes the command safe to repeat.")
@json_option
@remote
async def significant(
    client: Client,
    content: str,
    title: str,
    instance: str,
    agent: str,
    subject: str,
    request_id: str,
    as_json: bool,
) -> None:
    """Write down what is to stay as it is: no summary ever consolidates it."""
    response = await client.ingest_service.RecordSignificant(
        ingest_service_pb2.RecordSignificantRequest(
            content=content,
            title=title,
            instance=instance,
            agent=agent,
            subject=subject,
            request_id=request_id,
        )
    )
    if as_json:
        print_json(response)
    else:
        line(
            f"{response.summary_id} {'was written already' if response.replayed else 'is written'}"
        )
