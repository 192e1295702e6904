"""`everword rollup`: schedule summaries of days, weeks, months and years."""

from __future__ import annotations

import click

from everword.cli.maintenance import dry_run_option
from everword.cli.output import json_option, line, print_json
from everword.cli.session import remote
from everword.client import Client
from everword.v1 import maintenance_service_pb2


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
