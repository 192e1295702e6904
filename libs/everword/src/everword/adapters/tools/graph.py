"""The graph of people, places and things: looking up, and writing."""

from __future__ import annotations

from typing import Annotated

from google.protobuf.field_mask_pb2 import FieldMask
from pydantic import BaseModel, Field

from everword.adapters.tools.limits import MAX_TOKENS, count_fitting
from everword.adapters.tools.memory import Query
from everword.adapters.tools.model import (
    ADDS,
    READS,
    REPLACES,
    Tool,
    ToolCaller,
    ToolError,
    ToolSet,
)
from everword.adapters.tools.owners import Subject, own_and_shared
from everword.adapters.tools.text import indented
from everword.v1 import graph_pb2, graph_query_service_pb2, graph_service_pb2

Label = Annotated[str, Field(min_length=1, max_length=256, description="The name, such as Ana.")]
Type = Annotated[
    str,
    Field(
        min_length=1, max_length=64, description="What it is, such as person; or how they relate."
    ),
]
Id = Annotated[str, Field(description="The id, as graph_search shows it.")]
Description = Annotated[str, Field(max_length=4_000)]
Relation = Annotated[
    str, Field(max_length=128, description="The relation in words, such as works at.")
]
Reason = Annotated[str, Field(max_length=1_000, description="Why, for the record.")]


class NewNode(BaseModel):
    """A node of a batch."""

    label: Label
    type: Type
    description: Description = ""


class NewEdge(BaseModel):
    """A relation of a batch; its ends are known by their labels, `me` and `user` among them."""

    from_label: Label
    to_label: Label
    type: Type
    label: Relation = ""


async def graph_search(
    caller: ToolCaller,
    query: Query,
    depth: Annotated[int, Field(ge=1, le=3, description="How many relations away.")] = 1,
    subject: Subject = "",
) -> str:
    """Look up how people, places and things relate, a line for each relation."""
    view = graph_pb2.GraphView(
        agents=own_and_shared(caller.scope.agent), subjects=own_and_shared(subject)
    )
    found = await caller.client.graph_query_service.SearchGraph(
        graph_query_service_pb2.SearchGraphRequest(
            query=query, depth=depth, view=view, at_least_as_fresh=caller.token
        ),
        metadata=caller.metadata,
    )
    if not found.nodes:
        return "The graph knows nothing of this. Try a name, or memory_search."
    lines = [f"node {each.id}: {_line(each.label)} ({_line(each.type)})" for each in found.nodes]
    lines += [f"edge {each.id}: {_line(each.text)}" for each in found.edges]
    fitting = count_fitting(lines, MAX_TOKENS)
    rest = ["There is more: ask for something narrower."] if fitting < len(lines) else []
    return "\n".join([*lines[:fitting], *rest])


async def graph_create_node(
    caller: ToolCaller,
    label: Label,
    type: Type,
    description: Description = "",
    subject: Subject = "",
) -> str:
    """Add a person, place or thing that lasts. One of the same label and type is there already: it is returned."""
    response = await caller.client.graph_service.CreateNode(
        graph_service_pb2.CreateNodeRequest(
            node=graph_pb2.NewNode(label=label, type=type, description=description),
            agent=caller.scope.agent,
            subject=subject,
        ),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return f"{'It is there already' if response.existed else 'Added'}: node {response.node.id}."


async def graph_create_edge(
    caller: ToolCaller,
    from_label: Label,
    to_label: Label,
    type: Type,
    label: Relation = "",
    subject: Subject = "",
) -> str:
    """Relate two nodes that are there. `me` is the agent and `user` its user."""
    edge = NewEdge(from_label=from_label, to_label=to_label, type=type, label=label)
    response = await caller.client.graph_service.CreateEdge(
        graph_service_pb2.CreateEdgeRequest(
            edge=_new_edge(edge), agent=caller.scope.agent, subject=subject
        ),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return f"{'It is there already' if response.existed else 'Added'}: edge {response.edge.id}."


async def graph_update_node(
    caller: ToolCaller, id: Id, label: str = "", description: Description = ""
) -> str:
    """Change the label or the description of a node. What is left empty stays."""
    given = {"label": label, "description": description}
    changed = [name for name, value in given.items() if value]
    if not changed:
        raise ToolError("Give a label or a description.")
    response = await caller.client.graph_service.UpdateNode(
        graph_service_pb2.UpdateNodeRequest(
            node=graph_pb2.Node(id=id, label=label, description=description),
            update_mask=FieldMask(paths=changed),
        ),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return f"Changed: node {id}."


async def graph_update_edge(
    caller: ToolCaller,
    id: Id,
    label: Annotated[
        str, Field(min_length=1, max_length=128, description="The relation in words.")
    ],
) -> str:
    """Change how a relation is worded."""
    response = await caller.client.graph_service.UpdateEdge(
        graph_service_pb2.UpdateEdgeRequest(
            edge=graph_pb2.Edge(id=id, label=label), update_mask=FieldMask(paths=["label"])
        ),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return f"Changed: edge {id}."


async def graph_delete_node(caller: ToolCaller, id: Id, reason: Reason = "") -> str:
    """End a node and its relations: they are not shown any more, and questions about the past still know them."""
    response = await caller.client.graph_service.DeleteNode(
        graph_service_pb2.DeleteNodeRequest(node_id=id, reason=reason), metadata=caller.metadata
    )
    caller.wrote(response.consistency_token)
    return f"Deleted node {id} and {response.deleted_edges} relations."


async def graph_delete_edge(caller: ToolCaller, id: Id, reason: Reason = "") -> str:
    """End a relation: it is not shown any more, and questions about the past still know it."""
    response = await caller.client.graph_service.DeleteEdge(
        graph_service_pb2.DeleteEdgeRequest(edge_id=id, reason=reason), metadata=caller.metadata
    )
    caller.wrote(response.consistency_token)
    return f"Deleted edge {id}."


async def graph_write_batch(
    caller: ToolCaller,
    nodes: Annotated[tuple[NewNode, ...], Field(max_length=100)] = (),
    edges: Annotated[tuple[NewEdge, ...], Field(max_length=200)] = (),
    subject: Subject = "",
) -> str:
    """Add nodes and relations together, all or none. Relations name their ends by label."""
    response = await caller.client.graph_service.WriteGraph(
        graph_service_pb2.WriteGraphRequest(
            nodes=[
                graph_pb2.NewNode(label=each.label, type=each.type, description=each.description)
                for each in nodes
            ],
            edges=[_new_edge(each) for each in edges],
            agent=caller.scope.agent,
            subject=subject,
        ),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return f"Added {response.created_nodes} nodes and {response.created_edges} relations; others were there already."


def _new_edge(edge: NewEdge) -> graph_pb2.NewEdge:
    return graph_pb2.NewEdge(
        from_node=graph_pb2.NodeReference(label=edge.from_label),
        to_node=graph_pb2.NodeReference(label=edge.to_label),
        type=edge.type,
        label=edge.label,
    )


def _line(text: str) -> str:
    """Return stored text on one line."""
    return " ".join(indented(text).split())


GRAPH = ToolSet(
    (
        Tool(graph_search, "Look up relations", READS),
        Tool(graph_create_node, "Add a node", ADDS),
        Tool(graph_create_edge, "Relate two nodes", ADDS),
        Tool(graph_update_node, "Change a node", REPLACES),
        Tool(graph_update_edge, "Change a relation", REPLACES),
        Tool(graph_delete_node, "Delete a node", REPLACES),
        Tool(graph_delete_edge, "Delete a relation", REPLACES),
        Tool(graph_write_batch, "Add nodes and relations", ADDS),
    ),
    "Keep in the graph what lasts: who somebody is, how people and things relate. What passes belongs into notes.",
)
