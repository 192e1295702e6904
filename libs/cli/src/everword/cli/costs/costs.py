"""`everword costs`: costs of calls of models."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import click

from everword.cli.costs.plot import print_costs
from everword.cli.output import json_option, print_json, print_json_documents, shorten
from everword.cli.session import remote
from everword.cli.times import TimeParam
from everword.client import Client
from everword.client.headers import NAMESPACE_HEADER
from everword.client.pages import PAGE_SIZE, list_all
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import cost_service_pb2 as pb

GROUPINGS = {
    "day": pb.COST_GROUPING_DAY,
    "model": pb.COST_GROUPING_MODEL,
    "provider": pb.COST_GROUPING_PROVIDER,
    "agent": pb.COST_GROUPING_AGENT,
    "conversation": pb.COST_GROUPING_CONVERSATION,
    "run": pb.COST_GROUPING_RUN,
    "purpose": pb.COST_GROUPING_PURPOSE,
    "source": pb.COST_GROUPING_SOURCE,
}
SOURCES = {"agent": pb.COST_SOURCE_AGENT, "everword": pb.COST_SOURCE_EVERWORD}
_PAGE = 1_000


@click.command()
@click.option(
    "--by",
    "groupings",
    type=click.Choice([*GROUPINGS]),
    multiple=True,
    default=("day",),
    show_default=True,
    help="Group by this; repeat for up to 4 levels.",
)
@click.option("--since", type=TimeParam(), help="Set the first day; 30 days ago by default.")
@click.option("--until", type=TimeParam(), help="Set the last day; today by default.")
@click.option("--model", "models", multiple=True, help="Include only this model.")
@click.option("--agent", "agents", multiple=True, help="Include only this agent.")
@click.option("--run", "runs", multiple=True, help="Include only this run.")
@click.option(
    "--source",
    type=click.Choice([*SOURCES]),
    help="Include only agents' calls, or only Everword's own.",
)
@click.option(
    "--all", "everywhere", is_flag=True, help="Include all namespaces; requires an admin key."
)
@json_option
@remote
async def costs(
    client: Client,
    groupings: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    models: tuple[str, ...],
    agents: tuple[str, ...],
    runs: tuple[str, ...],
    source: str | None,
    everywhere: bool,
    as_json: bool,
) -> None:
    """Show the tokens and the cost of calls of models."""
    requested = list(dict.fromkeys(groupings))
    request = pb.GetCostsRequest(
        filter=pb.CostFilter(
            start_date=f"{since:%Y-%m-%d}" if since else "",
            end_date=f"{until + timedelta(days=1):%Y-%m-%d}" if until else "",
            models=models,
            agents=agents,
            run_ids=runs,
            source=SOURCES[source] if source else pb.COST_SOURCE_UNSPECIFIED,
        ),
        group_by=[GROUPINGS[name] for name in requested],
        page_size=_PAGE,
    )
    if everywhere:
        namespaces = await list_all(
            client.admin_service.ListNamespaces, admin.ListNamespacesRequest(page_size=PAGE_SIZE)
        )
        found = {
            each.name: await _groups(client, request, each.name) for each in namespaces.namespaces
        }
        if as_json:
            print_json_documents(found)
            return
        rows = [
            ((name, *_named(group, requested)), group)
            for name, response in found.items()
            for group in response.groups
        ]
        print_costs(("namespace", *requested), rows)
        return
    response = await _groups(client, request)
    if as_json:
        print_json(response)
    else:
        print_costs(
            tuple(requested), [(_named(group, requested), group) for group in response.groups]
        )


async def _groups(
    client: Client, request: pb.GetCostsRequest, namespace: str = ""
) -> pb.GetCostsResponse:
    """Return all sums, of one namespace if `namespace` is given."""
    metadata = ((NAMESPACE_HEADER, namespace),) if namespace else ()
    return await list_all(partial(client.cost_service.GetCosts, metadata=metadata), request)


def _named(group: pb.CostGroup, groupings: Sequence[str]) -> tuple[str, ...]:
    """Return the group's value for each grouping, in the order of `groupings`."""
    names: dict[str, Any] = {
        "conversation": group.session_key or group.conversation_id,
        "run": group.run_id,
        "source": pb.CostSource.Name(group.source).removeprefix("COST_SOURCE_").lower(),
    }
    return tuple(shorten(str(names.get(name, getattr(group, name, ""))), 60) for name in groupings)
