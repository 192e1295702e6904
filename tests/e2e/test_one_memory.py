"""Memories written through one interface are visible in all others: separate processes with the same key."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import httpx2

from everword.v1 import admin_service_pb2 as admin
from support.callers import bearer, make_namespaces
from support.command_line import run
from support.databases import DatabaseUnderTest
from support.documents import ROOT
from support.grpcurl import with_grpcurl
from support.http_process import serving
from support.mcp import over_stdio, said
from support.stack import Stack, running_stack

OPERATOR = "operators-key-for-tests"
BOAT = "My boat is called Iris."
#: An item of a graph's store, as the adapter writes it.
BERTH = {
    "key": "langgraph/users.me..berth",
    "kind": "langgraph_item",
    "content": '{"text": "Iris lies at berth 4711."}',
    "tags": ["langgraph/", "langgraph/users.", "langgraph/users.me."],
}
AGENT = """
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

from everword.adapters.langgraph import EverwordStore
from everword.client import Everword


def answer(state: MessagesState, *, store: BaseStore) -> dict[str, list[tuple[str, str]]]:
    [item] = store.search(("users", "me"), query=state["messages"][-1].content)
    return {"messages": [("ai", item.value["text"])]}


with Everword() as memory:
    builder = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer")
    graph = builder.compile(store=EverwordStore(memory))
    print(graph.invoke({"messages": [("user", "Where does Iris lie?")]})["messages"][-1].content)
"""


async def test_langgraph_mcp_and_console_read_memories_written_with_grpcurl(
    database: DatabaseUnderTest, tmp_path: Path
) -> None:
    async with running_stack(database, admin_key=OPERATOR, embedder=False) as stack:
        key = await _key_of(stack, "boats")
        shell = with_grpcurl(tmp_path, key)
        conversation = {"key": {"sessionKey": "s", "agent": "helper"}, "details": {"subject": "me"}}
        messages = [{"role": "ROLE_USER", "content": BOAT, "author": "me"}]
        append = {"conversation": conversation, "messages": messages}
        await asyncio.gather(
            _write(stack, shell, "IngestService/AppendMessages", append),
            _write(stack, shell, "NoteService/WriteNote", {"note": BERTH}),
        )
        example = str(ROOT / "examples" / "langgraph_agent.py")
        await asyncio.gather(
            _agent_answers("It is called Iris.", stack, key, example, "What is my boat called?"),
            _agent_answers("Iris lies at berth 4711.", stack, key, "-c", AGENT),
            _mcp_client_finds(stack, key),
            _console_shows(stack, key),
        )


async def _key_of(stack: Stack, namespace: str) -> str:
    """Create a namespace; return a key for writing in it."""
    await make_namespaces(stack, namespace, metadata=bearer(OPERATOR))
    new = admin.ApiKey(namespace=namespace, role=admin.API_KEY_ROLE_WRITE)
    request = admin.CreateApiKeyRequest(api_key=new)
    return (await stack.admin.CreateApiKey(request, metadata=bearer(OPERATOR))).secret


async def _write(stack: Stack, shell: dict[str, str], method: str, request: Any) -> None:
    where = (stack.addresses["ingest"], f"everword.v1.{method}")
    command = ("grpcurl", "-plaintext", "-d", json.dumps(request), *where)
    done = await run(stack, "bash", "-c", 'exec "$@"', "", *command, variables=shell)
    assert done.status == 0, done.errors


async def _agent_answers(answer: str, stack: Stack, key: str, *program: str) -> None:
    done = await run(stack, sys.executable, *program, variables={"EVERWORD_API_KEY": key})
    assert done.output.strip() == answer, done.errors


async def _mcp_client_finds(stack: Stack, key: str) -> None:
    async with over_stdio(stack, EVERWORD_API_KEY=key) as client:
        for query, words in (("What is my boat called?", BOAT), ("berth", "berth 4711")):
            assert words in said(await client.call_tool("memory_search", {"query": query}))


async def _console_shows(stack: Stack, key: str) -> None:
    async with (
        serving(stack, "web", "--console", "{address}", EVERWORD_API_KEY=key) as url,
        httpx2.AsyncClient(base_url=url) as visitor,
    ):
        assert BOAT in await _text(visitor, "/search?q=what+is+my+boat+called")
        assert "berth 4711" in await _text(visitor, "/notes")


async def _text(visitor: httpx2.AsyncClient, path: str) -> str:
    """Return the text of a page, without `mark` tags around search terms."""
    return re.sub(r"</?mark>", "", (await visitor.get(path)).text)
