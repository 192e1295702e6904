"""Two users of one agent over MCP, at default settings: what one tells the agent, the other never sees."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest
import pytest_asyncio
from mcp import Client as McpClient

from everword.adapters.tools.registry import SETS
from everword.text.tokens.counter import packaged_counter
from support.background import embed_everything
from support.databases import cloned
from support.learning import learn, say
from support.mcp import http_server, over_http, over_stdio, said, text_of
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: Words that only Ana's memory has.
ANAS = ("shellfish", "Lantern Street", "Marmalade", "viola", "Tomas", "lighthouse", "quince")
TURNS = (
    (
        "user",
        "Good morning! Before we plan the week: the viola lesson with Tomas moved from Tuesday to Thursday at five, "
        "because the music school repairs its heating. Please keep the evening free of anything else.",
    ),
    (
        "assistant",
        "Noted. The viola lesson is on Thursday at five now, and I keep the evening free. Shall I tell your sister, "
        "who wanted to come by on Thursday?",
    ),
    (
        "user",
        "Yes, ask her to come on Friday instead. She can bring the quince jelly that she promised me in October.",
    ),
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            yield stack


async def _tell(client: McpClient) -> str:
    """Store Ana's memories by every tool that writes; return the id of her note's memory."""

    async def call(tool: str, **arguments: object) -> str:
        return said(await client.call_tool(tool, arguments))

    await call("fact_remember", attribute="Allergy", value="shellfish, since childhood")
    await call("fact_remember", attribute="residence", value="14 Harbour Road")
    wrong = await call("fact_remember", attribute="cat", value="Marmelade")
    assert "cat: Marmelade" in wrong
    corrected = await call(
        "fact_correct", attribute="cat", value="Marmalade", reason="She spelt it for me."
    )
    assert "cat was never Marmelade; right is Marmalade" in corrected
    moved = await call("fact_remember", attribute="residence", value="3 Lantern Street")
    assert "replaces '14 Harbour Road'" in moved
    note = (
        "For birthdays she wants no surprise parties. The last one, at the lighthouse, ended with half of the guests "
        "lost on the causeway, and she had to call the coast guard."
    )
    await call("memory_write", key="birthdays", content=note)
    await call("daily_log_write", content="Planned the week around the viola lesson on Thursday.")
    await call(
        "memory_significant",
        title="The lighthouse",
        content="She told me about the night at the lighthouse, and that she has not trusted surprises since.",
    )
    await call("workspace_write", name="MEMORY", content="Ana plays the viola. Call her by name.")
    await call(
        "vault_write",
        title="Recipes",
        content="# Quince cake\n\nBake the quince cake for an hour at 160 degrees.",
    )
    for role, content in TURNS:
        await call("memory_append", conversation="main", role=role, content=content)
    found = await call("memory_search", query="Does she like surprise parties?", kinds=["note"])
    return str(re.findall(r"id ([0-9a-f-]{36})", found)[0])


async def _reads(client: McpClient, memory_id: str) -> list[str]:
    """Return the answers of all tools that read, to questions about what Ana told."""
    questions = ("When is the viola lesson?", "Does she like surprises?", "Where do I live?")
    calls: list[tuple[str, dict[str, object]]] = [
        ("fact_profile", {}),
        ("memory_browse", {"limit": 200}),
        ("memory_browse", {"conversation": "main"}),
        ("memory_get", {"key": "birthdays"}),
        ("memory_get_full", {"id": memory_id}),
        ("workspace_list", {}),
        ("workspace_read", {"name": "MEMORY"}),
        ("vault_list", {}),
        ("vault_read", {"title": "Recipes"}),
        ("vault_search", {"query": "How long is the cake in the oven?"}),
        ("graph_search", {"query": "Tomas"}),
    ]
    for query in questions:
        calls += [
            ("memory_context", {"query": query}),
            ("memory_context", {"query": query, "conversation": "main"}),
            ("memory_search", {"query": query, "limit": 50}),
            ("memory_search", {"query": query, "conversation": "main"}),
            ("memory_search", {"query": "viola|quince|shellfish", "mode": "regex"}),
        ]
    return [text_of(await client.call_tool(name, arguments)) for name, arguments in calls]


async def test_two_users_of_one_agent_share_no_memory_over_stdio(stack: Stack) -> None:
    """Each host starts `everword mcp` for its user; a later session recalls, and another user's never does."""
    ana = ("--agent", "helper", "--subject", "ana")
    async with over_stdio(stack, *SETS, options=ana) as client:
        memory_id = await _tell(client)
    await embed_everything(stack)
    async with over_stdio(stack, *SETS, options=ana) as client:
        profile = said(await client.call_tool("fact_profile", {}))
        assert "allergy: shellfish, since childhood" in profile
        assert "3 Lantern Street" in profile
        assert "Harbour" not in profile
        assert "Marmelade" not in profile
        for query, answer in (
            ("Can we have prawns on Friday?", "shellfish"),
            ("Should we throw a surprise party for her birthday?", "lighthouse"),
            ("When is the viola lesson this week?", "Thursday at five"),
            ("Where does she live now?", "Lantern Street"),
        ):
            asked = {"query": query, "token_budget": 1_000}
            context = said(await client.call_tool("memory_context", asked))
            assert answer in context, (query, context)
        assert "Call her by name" in said(
            await client.call_tool("workspace_read", {"name": "MEMORY"})
        )
        answers = await _reads(client, memory_id)
        assert all(any(word in text for text in answers) for word in ANAS)
    bo = ("--agent", "helper", "--subject", "bo")
    async with over_stdio(stack, *SETS, options=bo) as client:
        mine = {
            "conversation": "main",
            "role": "user",
            "content": "My bicycle was stolen from the station on Monday night, so I walk for now.",
        }
        said(await client.call_tool("memory_append", mine))
        answers = await _reads(client, memory_id)
        assert not [
            text for text in answers for word in ANAS if word in text and "viola|" not in text
        ]
        context = said(
            await client.call_tool("memory_context", {"query": "What happened on Monday?"})
        )
        assert "bicycle" in context
        # The server counts all users together; a tool of one user does not show these numbers.
        stats = said(await client.call_tool("memory_stats", {}))
        assert "messages:" not in stats
        assert "of all users together:" in stats
        extra = said(await client.call_tool("memory_search", {"query": "bicycle", "top_k": 3}))
        assert extra.endswith(
            "conversation, tags, task, address_prefix, page_token. Fixed here: agents, subject.)"
        )
        forced = await client.call_tool("fact_profile", {"subject": "ana"})
        assert "subject is always 'bo' here" in text_of(forced)
        tools = (await client.list_tools()).tools
        assert not any("subject" in tool.input_schema["properties"] for tool in tools)


async def test_headers_limit_tools_to_a_user_over_http(stack: Stack) -> None:
    """One server for all users: the header of a request names the user, also outside of ASCII."""
    async with http_server(stack, *SETS) as url:
        zoe = {"x-everword-agent": "porter", "x-everword-subject": quote("Zoë")}
        async with over_http(url, **zoe) as client:
            memory_id = await _tell(client)
            tools = (await client.list_tools()).tools
            assert not any("subject" in tool.input_schema["properties"] for tool in tools)
            assert "shellfish" in said(await client.call_tool("fact_profile", {}))
        async with over_http(url, **{**zoe, "x-everword-subject": "Yuri"}) as client:
            answers = await _reads(client, memory_id)
            assert not [text for text in answers for word in ANAS if word in text]
        # Without headers, each call may name the user.
        async with over_http(url) as client:
            profile = await client.call_tool("fact_profile", {"subject": "Zoë"})
            assert "shellfish" in said(profile)
            assert "No facts are known" in said(
                await client.call_tool("fact_profile", {"subject": "Yuri"})
            )


async def test_default_server_recalls_facts_and_notes_in_a_later_session(stack: Stack) -> None:
    """The usual setup, a host of one user: no options, no names in calls."""
    async with over_stdio(stack) as client:
        told = {"attribute": "diet", "value": "vegan since January, but honey is fine"}
        said(await client.call_tool("fact_remember", told))
        note = {
            "content": "Decision: releases are cut on Wednesdays. On Fridays nobody is there to roll back, as the "
            "outage of the payment page in May showed."
        }
        said(await client.call_tool("memory_write", note))
    await embed_everything(stack)
    async with over_stdio(stack) as client:
        meal = {"query": "Suggest a dessert for tonight."}
        assert "vegan" in said(await client.call_tool("memory_context", meal))
        release = {"query": "On which day do we cut a release?", "token_budget": 400}
        context = said(await client.call_tool("memory_context", release))
        assert "Wednesdays" in context
        assert packaged_counter().count(context) <= 400
        assert "vegan since January" in said(await client.call_tool("fact_profile", {}))


async def test_profile_marks_facts_that_were_not_heard_of_for_long(stack: Stack) -> None:
    """Facts learned from talk lose weight near the end of their expected lifetime, and the tool marks them."""
    # Days before the last one, which is a month ago; a residence is expected to last for 18 months.
    old = "I live in Berlin, in a flat above a bakery. The smell of bread wakes me up at five."
    await say(stack, old, -450, subject="nadia", session="nadia-1")
    new = "I work as a beekeeper now. The hives stand behind the old railway station."
    await say(stack, new, 29, subject="nadia", session="nadia-2")
    await learn(stack)
    async with over_stdio(stack, options=("--subject", "nadia")) as client:
        lines = said(await client.call_tool("fact_profile", {})).splitlines()
        [residence] = [line for line in lines if line.startswith("residence: Berlin")]
        [job] = [line for line in lines if line.startswith("job: ")]
        assert "may be outdated" in residence
        assert "may be outdated" not in job
