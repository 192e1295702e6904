"""Arguments of an agent's tools with ids of another namespace, generated from every tool's schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mcp.types import Tool

#: Arguments that identify nothing: limits, offsets, importance, flags.
NAMELESS = {"limit", "depth", "importance", "token_budget", "start", "append"}
#: Optional arguments that must be given together.
_COMPANIONS = {"repo", "issue"}
#: Node labels that exist in every namespace.
_ANCHORS = {"from_label": "me", "to_label": "user"}
#: Arguments without which a tool only refuses, or takes the shorter of two code paths.
_OF_TOOLS: Mapping[str, Mapping[str, str]] = {
    "graph_update_node": {"description": "Other words."},
    "quick_capture": {"kind": "handoff"},
}

#: An argument, or an argument and a field of its list's objects.
Place = tuple[str, ...]


def places(tool: Tool) -> Iterator[Place]:
    """Yield the paths of string arguments of a tool."""
    for name, schema in tool.input_schema["properties"].items():
        items = schema.get("items", schema)
        if "$ref" in items:
            yield from ((name, inner) for inner in _definition(tool, items)["properties"])
        elif items["type"] != "string":
            assert name in NAMELESS, f"{tool.name}: say what {name} names"
        elif "enum" not in items:
            yield (name,)


def kind_of(tool: Tool, place: Place) -> str:
    """Return the kind of value an argument takes: id of a node, edge, conversation or memory, page token, or words."""
    if place == ("page_token",):
        return "page_token"
    if place == ("conversation_id",):
        return "conversation"
    if place == ("id",):
        return next((kind for kind in ("node", "edge") if kind in tool.name), "memory")
    return "words"


def arguments(
    tool: Tool, values: Mapping[str, str], place: Place = (), value: str = ""
) -> dict[str, Any]:
    """Return valid arguments of a tool from the values of each kind, with `value` at `place`."""
    properties = tool.input_schema["properties"]
    needed = {*tool.input_schema.get("required", ()), *_COMPANIONS & properties.keys()}
    given: dict[str, Any] = {
        name: _least(properties[name], name, values[kind_of(tool, (name,))]) for name in needed
    }
    given |= _OF_TOOLS.get(tool.name, {})
    if place:
        name, *inner = place
        schema = properties[name]
        if inner:
            needed = set(_definition(tool, schema["items"])["required"])
            words = {each: _ANCHORS.get(each, values["words"]) for each in needed}
            given[name] = [words | {inner[0]: value}]
        else:
            given[name] = [value] if schema["type"] == "array" else value
    return given


def _least(schema: Mapping[str, Any], name: str, value: str) -> str:
    return str(schema["enum"][0]) if "enum" in schema else _ANCHORS.get(name, value)


def _definition(tool: Tool, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = tool.input_schema["$defs"][schema["$ref"].rpartition("/")[2]]
    return found
