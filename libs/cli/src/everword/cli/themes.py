"""`everword themes`: list the themes of a namespace."""

from __future__ import annotations

import click

from everword.cli.output import json_option, print_json, print_table, when
from everword.cli.session import remote
from everword.client import Client
from everword.v1.fact_query_service_pb2 import ListThemesRequest


@click.command()
@json_option
@remote
async def themes(client: Client, as_json: bool) -> None:
    """List the themes of memories, as of last night."""
    response = await client.fact_query_service.ListThemes(ListThemesRequest())
    if as_json:
        print_json(response)
        return
    rows = [
        (
            each.label,
            f"{each.share:.0%}",
            ", ".join(each.words),
            each.memory_ids[0] if each.memory_ids else "",
            when(each.create_time),
        )
        for each in response.themes
    ]
    print_table(("theme", "share", "words", "for example", "made"), rows, right="share")
