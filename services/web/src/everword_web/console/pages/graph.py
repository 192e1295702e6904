"""The graph: nodes, and the neighbourhood of one of them."""

from __future__ import annotations

from starlette.responses import Response

from everword.v1 import graph_pb2
from everword.v1 import graph_query_service_pb2 as pb
from everword_web.console.graph_layout import WIDTH, lay_out
from everword_web.console.visits import Visit


async def find(visit: Visit) -> Response:
    """Show the nodes related to a query, or all nodes."""
    values, service = visit.values, visit.client.graph_query_service
    if query := values.text("q"):
        found = await visit.call(service.SearchGraph, pb.SearchGraphRequest(query=query))
    else:
        request = pb.ListNodesRequest(types=values.one("type"), page_token=values.text("page"))
        found = await visit.call(service.ListNodes, request)
    return visit.page("graph.html", found=found, query=query, values=values)


async def around(visit: Visit) -> Response:
    """Show a node with its relations, as a drawing and as a list."""
    values, service = visit.values, visit.client.graph_query_service
    depth = values.number("depth", 1, 2) or 1
    view = graph_pb2.GraphView(valid_at_time=values.end_of_day("at"))
    request = pb.TraverseRequest(node_ids=[visit.id], view=view, depth=depth)
    found = await visit.call(service.GetNode, pb.GetNodeRequest(node_id=visit.id))
    if found.node.id != visit.id:
        # It was merged into another.
        return visit.go(f"/graph/{found.node.id}")
    part = pb.TraverseResponse(nodes=[found.node])
    if not found.node.HasField("known_until_time"):
        part = await visit.call(service.Traverse, request)
    return visit.page(
        "node.html",
        node=found.node,
        versions=found.versions,
        part=part,
        names={node.id: node.label for node in part.nodes},
        drawing=lay_out(visit.id, part.nodes, part.edges),
        width=WIDTH,
        depth=depth,
        at=values.day("at"),
    )
