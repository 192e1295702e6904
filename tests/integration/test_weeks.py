"""A week of a companion and a week of a coding agent: questions, answered from default contexts through MCP.

`tests/weeks/` has the messages, written for these tests, in the format of `everword bench context`. A question has the
texts of its answer, and `related`: the messages on the same subject.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from google.protobuf.json_format import ParseDict

from everword.v1 import ingest_service_pb2
from everword.v1.memory_pb2 import NewMessage
from support.background import embed_everything
from support.calls import target
from support.databases import cloned
from support.mcp import over_stdio, said
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

WEEKS = Path(__file__).parents[1] / "weeks"
ROLES = {"user": "ROLE_USER", "assistant": "ROLE_ASSISTANT", "tool": "ROLE_TOOL"}


@dataclass(frozen=True)
class Week:
    """A stored week, with its questions."""

    stack: Stack
    user: str
    agent: str
    queries: list[dict[str, Any]]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["companion", "coding"])
async def week(request: pytest.FixtureRequest, postgres_url: str) -> AsyncIterator[Week]:
    [conversation] = json.loads((WEEKS / f"{request.param}.json").read_text())["conversations"]
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            found = conversation["messages"]
            user, agent = (
                next(each["author"] for each in found if each["role"] == role)
                for role in ("user", "assistant")
            )
            for session in dict.fromkeys(each["session"] for each in found):
                await stack.ingest.AppendMessages(
                    ingest_service_pb2.AppendMessagesRequest(
                        conversation=target(session, agent=agent, subject=user),
                        messages=[_message(each) for each in found if each["session"] == session],
                    )
                )
            await embed_everything(stack)
            yield Week(stack, user, agent, conversation["queries"])


def _message(entry: dict[str, Any]) -> NewMessage:
    named: dict[str, Any] = {name: entry[name] for name in ("content", "author", "create_time")}
    tool: dict[str, Any] = {
        name: entry[name] for name in ("tool_name", "tool_args", "tool_result") if name in entry
    }
    return ParseDict({**named, **tool, "role": ROLES[entry["role"]]}, NewMessage())


@pytest.mark.parametrize(("budget", "most_missing"), [(400, 3), (1000, 1)])
async def test_default_context_of_a_new_session_contains_the_answers(
    week: Week, budget: int, most_missing: int
) -> None:
    missing = []
    options = ("--agent", week.agent, "--subject", week.user)
    async with over_stdio(week.stack, options=options) as client:
        for query in week.queries:
            arguments = {"query": query["text"], "token_budget": budget}
            text = said(await client.call_tool("memory_context", arguments)).casefold()
            if not any(answer.casefold() in text for answer in query["answers"]):
                missing.append(query["text"])
    assert len(missing) <= most_missing, missing
