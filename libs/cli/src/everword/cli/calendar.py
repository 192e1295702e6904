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
    "--since", default="", help="Set the first day, such as 2026-04-18; the earliest by default."
)
@click.option("--before", default="", help="Set the day after the last one; today by default.")
@dry_run_option
@json_option
@remote
async def rollup(client: Client, since: str, before: str, dry_run: bool, as_json: bool) -> None:
    """Schedule summaries of days that have ended, and of their weeks, months and years."""
    response = await client.maintenance_service.RollUp(
        maintenance_service_pb2.RollUpRequest(start_date=since, end_date=before, dry_run=dry_run)
    )
    if as_json:
        print_json(response)
    else:
        line(f"{response.periods} periods {'would be' if dry_run else 'are'} summed up")
