"""The commands of `everword graph`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import click

from everword.cli.graph.formats import FORMATS
from everword.cli.output import json_option, line, note, print_json, print_table, shorten, when
from everword.cli.session import remote
from everword.cli.times import TimeParam
from everword.client import Client
from everword.client.pages import list_all
from everword.rpc.translate import to_timestamp
from everword.v1 import graph_pb2
from everword.v1 import graph_query_service_pb2 as reads
from everword.v1 import graph_service_pb2 as writes

valid_at_option = click.option(
    "--valid-at", type=TimeParam(), help="Show values that are true at this time; now by default."
)
known_at_option = click.option(
    "--known-at", type=TimeParam(), help="Show what was known at this time; now by default."
)
subject_option = click.option("--subject", default="", help="Set the user that it belongs to.")
agent_option = click.option("--agent", default="", help="Set the agent that it belongs to.")
_PERSON = graph_pb2.GRAPH_SOURCE_PERSON


@click.group()
def graph() -> None:
    """Show, write and export entities and their relations."""


@graph.command()
@click.argument("label")
@click.argument("type_", metavar="TYPE")
@click.option("--description", default="", help="Describe the node.")
@subject_option
@agent_option
@json_option
@remote
async def node(
    client: Client,
    label: str,
    type_: str,
    description: str,
    subject: str,
    agent: str,
    as_json: bool,
) -> None:
    """Create a node, such as: node Ana person."""
    response = await client.graph_service.CreateNode(
        writes.CreateNodeRequest(
            node=graph_pb2.NewNode(label=label, type=type_, description=description),
            subject=subject,
            agent=agent,
            source=_PERSON,
        )
    )
    if as_json:
        print_json(response)
    else:
        _print_nodes([response.node])


@graph.command()
@click.argument("start", metavar="FROM")
@click.argument("type_", metavar="RELATION")
@click.argument("end", metavar="TO")
@click.option("--since", type=TimeParam(), help="Set the time since which it is true.")
@click.option("--until", type=TimeParam(), help="Set the time until which it is true.")
@subject_option
@agent_option
@json_option
@remote
async def relate(
    client: Client,
    start: str,
    type_: str,
    end: str,
    since: datetime | None,
    until: datetime | None,
    subject: str,
    agent: str,
    as_json: bool,
) -> None:
    """Create a relation between nodes by their labels, such as: relate Ana "works at" Initech."""
    response = await client.graph_service.CreateEdge(
        writes.CreateEdgeRequest(
            edge=graph_pb2.NewEdge(
                from_node=graph_pb2.NodeReference(label=start),
                to_node=graph_pb2.NodeReference(label=end),
                type=type_,
                valid_from_time=to_timestamp(since),
                valid_until_time=to_timestamp(until),
            ),
            subject=subject,
            agent=agent,
            source=_PERSON,
        )
    )
    if as_json:
        print_json(response)
    else:
        line(response.edge.text)


@graph.command()
@click.argument("query")
@click.option("--depth", type=click.IntRange(1, 4), default=2, show_default=True)
@click.option("--subject", "subjects", multiple=True, help="Include only this user.")
@valid_at_option
@known_at_option
@json_option
@remote
async def search(
    client: Client,
    query: str,
    depth: int,
    subjects: tuple[str, ...],
    valid_at: datetime | None,
    known_at: datetime | None,
    as_json: bool,
) -> None:
    """Show relations around the nodes that QUERY names."""
    response = await client.graph_query_service.SearchGraph(
        reads.SearchGraphRequest(
            query=query, depth=depth, view=_view((), subjects, valid_at, known_at)
        )
    )
    if as_json:
        print_json(response)
        return
    for edge in response.edges:
        line(edge.text)
    if not response.edges:
        line("none")


@graph.command("list")
@click.option("--type", "types", multiple=True, help="Include only this type.")
@click.option("--label", default="", help="Include only nodes with this label or alias.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@json_option
@remote
async def list_(
    client: Client, types: tuple[str, ...], label: str, limit: int, as_json: bool
) -> None:
    """List nodes, oldest first."""
    request = reads.ListNodesRequest(types=types, label=label, page_size=limit)
    found = await list_all(client.graph_query_service.ListNodes, request, limit)
    if as_json:
        print_json(found)
    else:
        _print_nodes(found.nodes)


@graph.command()
@click.argument("node_id", metavar="ID")
@json_option
@remote
async def show(client: Client, node_id: str, as_json: bool) -> None:
    """Show the node ID, its relations, and likely duplicates."""
    got = await client.graph_query_service.GetNode(reads.GetNodeRequest(node_id=node_id))
    if as_json:
        print_json(got)
        return
    _print_nodes(got.versions)
    if got.node.HasField("known_until_time"):
        return
    around = await client.graph_query_service.Traverse(
        reads.TraverseRequest(node_ids=[got.node.id], depth=1)
    )
    for edge in around.edges:
        line(edge.text)
    alike = await client.graph_query_service.SuggestMerges(
        reads.SuggestMergesRequest(node_id=got.node.id)
    )
    for each in alike.suggestions:
        line(f"may be the same: {each.node.label}, {each.node.id}")


@graph.command()
@click.option(
    "--format", "form", type=click.Choice(list(FORMATS)), default="graphml", show_default=True
)
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file."
)
@click.option("--ended", is_flag=True, help="Include ended relations.")
@click.option("--subject", "subjects", multiple=True, help="Include only this user.")
@click.option("--agent", "agents", multiple=True, help="Include only this agent.")
@valid_at_option
@known_at_option
@remote
async def export(
    client: Client,
    form: str,
    output: Path | None,
    ended: bool,
    subjects: tuple[str, ...],
    agents: tuple[str, ...],
    valid_at: datetime | None,
    known_at: datetime | None,
) -> None:
    """Write the graph as GraphML, Mermaid or JSON."""
    request = reads.ExportGraphRequest(
        view=_view(agents, subjects, valid_at, known_at), include_ended=ended
    )
    nodes, edges = list[graph_pb2.Node](), list[graph_pb2.Edge]()
    async for part in client.graph_query_service.ExportGraph(request):
        nodes += part.nodes
        edges += part.edges
    with click.open_file(str(output or "-"), "w", encoding="utf-8") as file:
        file.write(FORMATS[form](nodes, edges))
    if output:
        note(f"{len(nodes)} nodes and {len(edges)} relations in {output}")


def _view(
    agents: Sequence[str],
    subjects: Sequence[str],
    valid_at: datetime | None,
    known_at: datetime | None,
) -> graph_pb2.GraphView:
    return graph_pb2.GraphView(
        agents=agents,
        subjects=subjects,
        valid_at_time=to_timestamp(valid_at),
        known_at_time=to_timestamp(known_at),
    )


def _print_nodes(nodes: Iterable[graph_pb2.Node]) -> None:
    rows = [
        (
            each.id,
            each.label,
            each.type,
            shorten(each.description, 60),
            each.subject,
            when(each.known_from_time)[:10],
            f"{each.confidence:.2f}",
        )
        for each in nodes
    ]
    columns = ("id", "label", "type", "description", "subject", "known since", "confidence")
    print_table(columns, rows, right="confidence")
