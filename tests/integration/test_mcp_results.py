"""Calls of tools by a model: forms of arguments, filters, sizes, and paging."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from google.protobuf.timestamp_pb2 import Timestamp
from mcp import Client as McpClient

from everword.adapters.tools.registry import SETS
from everword.text.tokens.counter import packaged_counter
from support.background import embed_everything
from support.calls import ASSISTANT, append, message
from support.databases import cloned
from support.mcp import over_stdio, said, text_of
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

MAX_TOKENS = 10_000
MAX_DEFINITION_TOKENS = 2_500
TURNS = (
    (
        "2026-03-02T09:00:00Z",
        "Mira",
        "The cutover of the billing database is on the fourteenth. We freeze the schema three days before, and Jonas "
        "writes the rollback plan, because he knows the old triggers best.",
    ),
    (
        "2026-03-03T10:30:00Z",
        "Jonas",
        "I finished the rollback plan last night. If the replica lags by more than ninety seconds, we abort and switch "
        "the writers back to the old cluster within ten minutes.",
    ),
    (
        "2026-03-04T23:30:00Z",
        "Mira",
        "The vendor moved our maintenance window: we may start at four in the morning, and not at two as planned.",
    ),
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            for time, author, content in TURNS:
                sent = Timestamp()
                sent.FromJsonString(time)
                role = ASSISTANT if author == "Jonas" else 2
                await append(
                    stack,
                    message(content, author=author, role=role, create_time=sent),
                    session_key=author,
                )
            await embed_everything(stack)
            yield stack


async def _call(client: McpClient, name: str, /, **arguments: Any) -> str:
    """Return the answer of a tool, which fits into a model's context."""
    text = said(await client.call_tool(name, arguments))
    assert packaged_counter().count(text) <= MAX_TOKENS, (name, len(text))
    return text


async def test_default_tools_take_few_tokens_of_each_turn(stack: Stack) -> None:
    async with over_stdio(stack) as client:
        listed = (await client.list_tools()).model_dump(
            mode="json", by_alias=True, exclude_none=True
        )
        assert packaged_counter().count(json.dumps(listed)) <= MAX_DEFINITION_TOKENS
        names = [tool["name"] for tool in listed["tools"]]
        assert {"memory_context", "memory_search", "memory_write", "fact_remember"} <= set(names)


async def test_tools_understand_arguments_as_models_write_them(stack: Stack) -> None:
    """Null, empty texts, unknown names, lists as JSON text, and a single name for a list."""
    async with over_stdio(stack, *SETS) as client:
        question = "When is the cutover of the billing database?"
        plain = await _call(client, "memory_search", query=question, authors=["Mira"])
        assert "fourteenth" in plain
        assert "Jonas writes" in plain
        for other in (
            {"authors": "Mira"},
            {"authors": '["Mira"]'},
            {"authors": ["Mira", None, ""], "kinds": "", "since": None, "limit": None, "mode": ""},
            {"authors": "Mira", "kinds": [], "since": "null", "limit": "10"},
            {"authors": "Mira", "subject": None, "conversation": ""},
        ):
            assert await _call(client, "memory_search", query=question, **other) == plain, other
        others = await _call(client, "memory_search", query=question, agents="others")
        assert "Try to: search without the filters" in others
        unknown = await _call(client, "memory_search", query=question, authors="Mira", top_k=3)
        assert unknown.startswith(plain)
        assert unknown.endswith("tags, task, address_prefix, page_token.)")
        assert "(Ignored: top_k. memory_search takes query, limit," in unknown
        # Tools without a use for them ignore the arguments that others have.
        assert "Ignored" not in await _call(client, "memory_stats", subject="ana", conversation="x")
        nodes = '[{"label": "Mira", "type": "person", "description": null}]'
        assert "1 nodes" in await _call(client, "graph_write_batch", nodes=nodes, edges="[]")
        assert "1 nodes" in await _call(
            client, "graph_write_batch", nodes={"label": "Jo", "type": "cat"}
        )
        for wrong, advice in (
            ({"query": None}, "query: Field required"),
            ({"query": "x", "kinds": ["letter"]}, "'message', 'summary', 'note', 'fact'"),
            ({"query": "x", "limit": "many"}, "limit: Input should be a valid integer"),
        ):
            refused = await client.call_tool("memory_search", wrong)
            assert refused.is_error
            assert advice in text_of(refused)


async def test_filters_of_search_and_browse_select_what_they_say(stack: Stack) -> None:
    async with over_stdio(stack, *SETS, options=("--agent", "filters")) as client:
        await _call(client, "memory_write", content="The rollback plan is in the wiki, page 31.")
        everything = {"query": "rollback plan cutover maintenance window", "mode": "lexical"}
        for tool, asked in (("memory_search", everything), ("memory_browse", {})):
            for given, wanted, unwanted in (
                ({"kinds": "note"}, ["page 31"], ["fourteenth", "ninety", "four in the"]),
                ({"kinds": "message"}, ["fourteenth", "ninety", "four in the"], ["page 31"]),
                ({"authors": "Jonas"}, ["ninety"], ["fourteenth", "four in the", "page 31"]),
                ({"since": "2026-03-03"}, ["ninety", "four in the", "page 31"], ["fourteenth"]),
                # The last day is a part of the time.
                ({"until": "2026-03-04"}, ["fourteenth", "ninety", "four in the"], ["page 31"]),
                (
                    {"since": "2026-03-03", "until": "2026-03-03"},
                    ["ninety"],
                    ["fourteenth", "four in"],
                ),
                (
                    {"until": "2026-03-03T10:00"},
                    ["fourteenth"],
                    ["ninety", "four in the", "page 31"],
                ),
                ({"subject": "mira"}, ["fourteenth", "page 31"], []),
            ):
                found = await _call(client, tool, **asked, **given)
                assert all(each in found for each in wanted), (tool, given, found)
                assert not any(each in found for each in unwanted), (tool, given, found)
            other = await client.call_tool(tool, {**asked, "agents": ["others"]})
            assert "agents is always 'filters' here" in text_of(other)
            missing = await client.call_tool(tool, {**asked, "conversation": "no such talk"})
            assert "There is no conversation 'no such talk'" in text_of(missing)


async def test_question_that_nothing_answers_gets_no_page_of_results(stack: Stack) -> None:
    async with over_stdio(stack, *SETS) as client:
        question = "Which turbocharger fits a Scania lorry at night?"
        nothing = await _call(client, "memory_search", query=question)
        assert nothing.startswith("Nothing that is remembered seems to answer this.")
        assert len(nothing.splitlines()) <= 4
        assert packaged_counter().count(nothing) < 400
        context = await _call(client, "memory_context", query=question)
        assert context.startswith("Nothing that is remembered seems to answer this.")


async def test_long_results_end_with_what_asks_for_the_rest(stack: Stack) -> None:
    """Each page has at most 10,000 tokens, in any script, and all pages together have everything."""
    async with over_stdio(stack, *SETS, options=("--agent", "ferries")) as client:
        for number in range(36):
            story = (
                f"Entry {number:03d}: the ferry left late and we counted the gulls on the railing. "
                "我们星期一在河边见面，她告诉我她在里斯本的新工作，还有她的猫最近总是半夜叫。"
            )
            await _call(client, "memory_write", content=story * 8, tags=["ferry"])
        for tool, asked in (
            ("memory_browse", {"limit": 200, "kinds": "note"}),
            ("memory_search", {"query": "ferry gulls railing", "mode": "lexical", "limit": 50}),
        ):
            seen, token = set(), ""
            for _ in range(60):
                page = await _call(client, tool, **asked, page_token=token)
                seen |= set(re.findall(r"Entry (\d{3})", page))
                # A write between two pages does not end the list.
                await _call(client, "fact_remember", attribute="mood", value=f"fine {len(seen)}")
                more = re.search(r"There is more: page_token (\S+)$", page)
                if not more:
                    break
                token = more[1]
            assert len(seen) == 36, (tool, len(seen))

        words = [f"{number:05d} Wörter über den Fährhafen" for number in range(2_000)]
        written = await _call(client, "memory_write", key="long", content=", ".join(words))
        found = await _call(client, "memory_search", query="01999 Fährhafen", mode="trigram")
        assert "cut short" in found
        note_id = re.findall(r"id ([0-9a-f-]{36})", written)[0]
        await _call(client, "vault_write", title="Long", content="\n\n".join(words))
        await _call(client, "workspace_write", name="MEMORY", content="\n\n".join(words))
        for tool, named in (
            ("memory_get_full", {"id": note_id}),
            ("memory_get", {"key": "long"}),
            ("vault_read", {"title": "Long"}),
            ("workspace_read", {"name": "MEMORY"}),
        ):
            read, start = "", 0
            for _ in range(20):
                page = await _call(client, tool, **named, start=start)
                more = re.search(r"\nThere is more: start (\d+)$", page)
                read += "".join(line[4:] for line in page.splitlines() if line.startswith("    "))
                if not more:
                    break
                start = int(more[1])
            assert all(word in read for word in words), tool
            assert start > 0

        context = await _call(client, "memory_context", query="ferry gulls", token_budget=8_500)
        assert "Entry" in context


async def test_answer_without_a_language_model_says_what_to_call(stack: Stack) -> None:
    async with over_stdio(stack, *SETS) as client:
        refused = await client.call_tool("memory_answer", {"query": "When is the cutover?"})
        assert refused.is_error
        assert "no language model. Call memory_search or memory_context" in text_of(refused)


async def test_facts_with_several_values_are_corrected_by_value(stack: Stack) -> None:
    async with over_stdio(stack, *SETS) as client:
        for value in ("peanuts", "penicillin"):
            await _call(client, "fact_remember", attribute="allergy", value=value, subject="lena")
        unclear = await client.call_tool(
            "fact_correct", {"attribute": "allergy", "subject": "lena"}
        )
        assert "'peanuts', 'penicillin'. Name one of them in wrong." in text_of(unclear)
        corrected = await _call(
            client, "fact_correct", attribute="allergy", wrong="Peanuts", subject="lena"
        )
        assert "allergy was never peanuts" in corrected
        ended = await _call(client, "fact_correct", attribute="allergy", ended=True, subject="lena")
        assert "Ended: allergy: penicillin" in ended
        assert "No facts are known" in await _call(client, "fact_profile", subject="lena")
        nothing = await client.call_tool("fact_correct", {"attribute": "Lieblingsfarbe"})
        assert "Nothing is known of lieblingsfarbe" in text_of(nothing)
        wrong = await client.call_tool("fact_remember", {"attribute": "中文", "value": "x"})
        assert "give an English word" in text_of(wrong)
