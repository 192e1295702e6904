"""The graph as a file: GraphML for tools, Mermaid for pages, JSON for programs. Stored text forges nothing in any."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from google.protobuf import json_format
from google.protobuf.message import Message

from everword.cli.output import printable, when
from everword.v1 import graph_pb2

#: Characters that XML does not allow.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NODE_KEYS = ("label", "type", "description", "agent", "subject")
_EDGE_KEYS = ("type", "label", "valid_from", "valid_until", "quote", "text")

Nodes = Sequence[graph_pb2.Node]
Edges = Sequence[graph_pb2.Edge]


def to_graphml(nodes: Nodes, edges: Edges) -> str:
    """Return a GraphML document: http://graphml.graphdrawing.org."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">')
    lines += [*_keys("node", _NODE_KEYS), *_keys("edge", _EDGE_KEYS)]
    lines.append('  <graph id="everword" edgedefault="directed">')
    for node in nodes:
        values = {key: getattr(node, key) for key in _NODE_KEYS}
        lines.append(f"    <node id={quoteattr(node.id)}>")
        lines += [*_data("node", {**values, "confidence": node.confidence}), "    </node>"]
    for number, edge in enumerate(edges):
        # An edge can occur several times, once per period of validity, but an XML id must be unique in a document.
        id_, ends = quoteattr(f"{edge.id}-{number}"), (edge.from_node_id, edge.to_node_id)
        lines.append(f"    <edge id={id_} source={quoteattr(ends[0])} target={quoteattr(ends[1])}>")
        lines += [*_data("edge", _edge_values(edge)), "    </edge>"]
    return "\n".join([*lines, "  </graph>", "</graphml>"]) + "\n"


def _keys(domain: str, keys: Sequence[str]) -> list[str]:
    types = {**dict.fromkeys(keys, "string"), "confidence": "double"}
    return [
        f'  <key id="{domain}_{key}" for="{domain}" attr.name="{key}" attr.type="{type_}"/>'
        for key, type_ in types.items()
    ]


def _edge_values(edge: graph_pb2.Edge) -> dict[str, Any]:
    since, until = edge.HasField("valid_from_time"), edge.HasField("valid_until_time")
    return {
        "type": edge.type,
        "label": edge.label,
        "valid_from": when(edge.valid_from_time) if since else "",
        "valid_until": when(edge.valid_until_time) if until else "",
        "quote": edge.quote,
        "text": edge.text,
        "confidence": edge.confidence,
    }


def to_mermaid(nodes: Nodes, edges: Edges) -> str:
    """Return a Mermaid flowchart: https://mermaid.js.org."""
    names = {node.id: f"n{number}" for number, node in enumerate(nodes)}
    lines = ["flowchart LR"]
    lines += [f'  {names[node.id]}["{_mermaid(node.label)}"]' for node in nodes]
    for edge in edges:
        words = _mermaid(edge.label or edge.type.replace("_", " "))
        start, end = names[edge.from_node_id], names[edge.to_node_id]
        lines.append(f'  {start} -->|"{words}"| {end}')
    return "\n".join(lines) + "\n"


def to_json(nodes: Nodes, edges: Edges) -> str:
    """Return one JSON document, with the fields of `everword.v1.Node` and `Edge`."""
    document = {
        "nodes": [_fields(each) for each in nodes],
        "edges": [_fields(each) for each in edges],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _data(domain: str, values: dict[str, Any]) -> list[str]:
    return [
        f'      <data key="{domain}_{key}">{escape(_NOT_XML.sub("�", str(value)))}</data>'
        for key, value in values.items()
        if value != ""
    ]


def _mermaid(text: str) -> str:
    """Return text that Mermaid takes as text: what means something to it stands as an entity."""
    line = printable(" ".join(text.split()))
    return "".join(each if each.isalnum() or each in " .,-'" else f"#{ord(each)};" for each in line)


def _fields(message: Message) -> dict[str, Any]:
    fields: dict[str, Any] = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return fields


FORMATS: dict[str, Callable[[Nodes, Edges], str]] = {
    "graphml": to_graphml,
    "mermaid": to_mermaid,
    "json": to_json,
}
