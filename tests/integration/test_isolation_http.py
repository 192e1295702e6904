"""HTTP reveals as little of other namespaces as gRPC: through the gateway and through MCP's tools."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from typing import Any

import pytest
import pytest_asyncio
from mcp import Client as McpClient
from mcp.types import Tool

from everword.adapters.tools.registry import SETS
from everword.chat.settings import ChatSettings
from everword.v1 import note_pb2, note_service_pb2
from support.callers import make_namespaces, within
from support.databases import cloned
from support.foreign_filled import fill_other_namespace
from support.foreign_namespaces import MODEL
from support.http_process import serving
from support.mcp import http_server, over_http, said, text_of
from support.probes import NOBODY, another, damaged, plain, rows_of
from support.stack import Stack, running_stack
from support.twins import find_differences, twins

#: How much is returned and from where on, how much something matters, whether it is added or over: these name nothing.
NAMELESS = {"limit", "depth", "importance", "token_budget", "start", "append", "several", "ended"}
#: Arguments that are optional and go together.
_COMPANIONS = {"repo", "issue"}
#: Ends of relations that are in every namespace.
_ANCHORS = {"from_label": "me", "to_label": "user"}
#: What tools need to do more than refuse, or to go the longer of two ways.
_OF_TOOLS: Mapping[str, Mapping[str, str]] = {
    "graph_update_node": {"description": "Other words."},
    "quick_capture": {"kind": "handoff"},
    # The only file that agents write.
    "workspace_read": {"name": "MEMORY"},
    "workspace_write": {"name": "MEMORY"},
}

#: An argument, and the field of the objects that it is a list of.
Place = tuple[str, ...]


def places(tool: Tool) -> Iterator[Place]:
    """Yield where strings stand in the arguments of a tool."""
    for name, schema in tool.input_schema["properties"].items():
        items = schema.get("items", schema)
        if "$ref" in items:
            yield from ((name, inner) for inner in _definition(tool, items)["properties"])
        elif items["type"] != "string":
            assert name in NAMELESS, f"{tool.name}: say what {name} names"
        elif "enum" not in items:
            yield (name,)


def kind_of(tool: Tool, place: Place) -> str:
    """Return what a place takes: the id of a node, edge, conversation or memory, a page token, or words."""
    if place == ("page_token",):
        return "page_token"
    if place == ("conversation",):
        return "conversation"
    if place == ("id",):
        return next((kind for kind in ("node", "edge") if kind in tool.name), "memory")
    return "words"


def arguments(
    tool: Tool, values: Mapping[str, str], place: Place = (), value: str = ""
) -> dict[str, Any]:
    """Return what a tool needs to do its work on the values of each kind; in one place stands another value."""
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


pytestmark = pytest.mark.asyncio(loop_scope="module")

#: Tools whose optional arguments name a conversation or a page of the owner, by the name of the argument.
NAMING = {
    "conversation": ("memory_context", "memory_search", "memory_browse", "memory_write"),
    "page_token": ("memory_browse",),
}
#: It needs a language model.
UNANSWERED = "memory_answer"
#: The name of everything in the other namespace, and a word of its content.
THEIRS, SECRET = "theirs", "Zanzibar"
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC")
_numbers = count()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        chat = ChatSettings("http://127.0.0.1:9", MODEL)
        async with running_stack(database, chat=chat, embedder=False) as stack:
            yield stack


@pytest.mark.slow
async def test_gateway_reveals_nothing_of_another_namespace(stack: Stack) -> None:
    """Neither answers nor errors nor statements differ, whatever value is in any JSON field."""
    theirs = await fill_other_namespace(stack)
    before = rows_of(stack.database, "theirs")
    async with (
        serving(stack, "web", "--gateway", "{address}") as url,
        twins(stack, "over-1", "over-2", gateway=url) as both,
    ):
        named = {"request_id": "pattern", "reason": "Their reason."}
        texts = await both.texts_of("theirs") | named
        assert await find_differences(both, theirs, texts) == []
    assert rows_of(stack.database, "theirs") == before


@pytest.mark.slow
async def test_mcp_tools_reveal_nothing_of_another_namespace(stack: Stack) -> None:
    """A tool called with another namespace's ids answers as it does for ids that do not exist."""
    await make_namespaces(stack, "toolbox")
    wrong = []
    async with http_server(stack, *SETS) as url, in_namespace(url, "toolbox") as owner:
        tools = (await owner.list_tools()).tools
        theirs = await fill(owner, tools)
        before = rows_of(stack.database, "toolbox")
        for tool, tried in tries(tools):
            async with caller(stack, url) as first, caller(stack, url) as second:
                for place in tried:
                    told, alike = await ask_both((first, second), tool, place, theirs)
                    if told != alike or SECRET in told:
                        wrong.append(f"{tool.name} {'.'.join(place)}: {told} and not {alike}")
        assert wrong == []
        assert rows_of(stack.database, "toolbox") == before
        # The checks above would also pass if tools ignored their arguments.
        for tool in sorted(tools, key=changes):
            naming = [(name,) for name, names in NAMING.items() if tool.name in names]
            for place in [(), *naming] if tool.name != UNANSWERED else []:
                value = theirs[kind_of(tool, place)]
                given = arguments(tool, theirs, place, value)
                assert said(await owner.call_tool(tool.name, given))


def in_namespace(url: str, name: str) -> AbstractAsyncContextManager[McpClient]:
    return over_http(url, **dict(within(name)))


def changes(tool: Tool) -> tuple[bool, bool, str]:
    """Return a sort key: tools without changes first, deleting tools last."""
    assert tool.annotations
    return (not tool.annotations.read_only_hint, "delete" in tool.name, tool.name)


async def fill(owner: McpClient, tools: Sequence[Tool]) -> dict[str, str]:
    """Call each tool that adds something; return the added values by kind."""
    found = {"words": THEIRS, "conversation": THEIRS}

    async def make(name: str, **more: str) -> str:
        [tool] = [tool for tool in tools if tool.name == name]
        return said(await owner.call_tool(name, arguments(tool, found) | more))

    def id_in(text: str) -> str:
        return str(re.findall(r"[0-9a-f-]{36}", text)[-1])

    secret = {"content": f"{SECRET}, {THEIRS}."}
    found["memory"] = id_in(await make("memory_write", key=THEIRS, **secret))
    found["conversation"] = id_in(await make("memory_append", external_id=THEIRS, **secret))
    found["node"] = id_in(await make("graph_create_node", description=SECRET))
    found["edge"] = id_in(await make("graph_create_edge", from_label=THEIRS, to_label="user"))
    for name in (
        *("vault_write", "daily_log_write", "quick_capture", "save_standard"),
        *("memory_significant", "workspace_write"),
    ):
        await make(name, **secret)
    await make("fact_remember", value=SECRET)
    browsed = said(await owner.call_tool("memory_browse", {"limit": 1}))
    return found | {"page_token": browsed.rpartition("page_token ")[2]}


def tries(tools: Sequence[Tool]) -> Iterator[tuple[Tool, list[Place]]]:
    """Yield tools with arguments to try in the same two namespaces: a single one if the tool may change something
    there.
    """
    for tool in tools:
        assert tool.annotations
        found = list(places(tool))
        together = [found] if tool.annotations.read_only_hint else [[each] for each in found]
        yield from ((tool, each) for each in together)


async def ask_both(
    callers: Sequence[McpClient], tool: Tool, place: Place, theirs: Mapping[str, str]
) -> list[str]:
    """Call a tool with a value of the other namespace in one argument, and with an unused one; return both answers."""
    kind = kind_of(tool, place)
    nobodys = {"words": another(THEIRS), "page_token": damaged(theirs["page_token"])}
    values = theirs[kind], nobodys.get(kind, NOBODY)
    told = []
    for each, value in zip(callers, values, strict=True):
        answered = await each.call_tool(tool.name, arguments(tool, theirs, place, value))
        text = plain(TIME.sub("<time>", text_of(answered)), [*values, THEIRS])
        told.append(f"{answered.is_error}: {text}")
    return told


@asynccontextmanager
async def caller(stack: Stack, url: str) -> AsyncIterator[McpClient]:
    """Yield a client in a new namespace with a note of its own."""
    name = f"caller-{next(_numbers)}"
    await make_namespaces(stack, name)
    own = note_pb2.NewNote(key="own", content="Words of the caller's own.")
    request = note_service_pb2.WriteNoteRequest(note=own)
    await stack.notes.WriteNote(request, metadata=within(name))
    async with in_namespace(url, name) as client:
        yield client
