"""Lines of a context, and summaries with their sources in every client, at default settings."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime

import pytest
import pytest_asyncio

from everword.client import AsyncEverword, Client, ClientSettings, ContextPart, Expansion, Hit
from everword.importer import import_records
from everword.samples import sample_path
from everword.text.tokens.counter import packaged_counter
from everword.transcripts import read_transcript
from everword.v1 import context_service_pb2 as pb
from everword.v1 import conversation_pb2, ingest_service_pb2, memory_pb2
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from support.background import embed_everything
from support.command_line import everword
from support.compaction import compact_everything, roll_up_everything
from support.console_site import in_this_process
from support.databases import cloned
from support.document_calls import write
from support.mcp import over_stdio, said
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUESTIONS = (
    "When is the cutover, and why was it moved?",
    "How long were writes stopped during the cutover?",
    "Until when do we have the old MySQL machine?",
    "Which change fixed refresh_token_reused in shop 3, and in which release did it ship?",
    "What must the cooks respect at the Seehaus?",
    "Why did the backup fail on Sunday, and what was done about it?",
)
CUTOVER = "What was decided about the cutover of orderdesk?"
NOTE = "The cutover of orderdesk needs a written go from Mara, given in the channel before 21:00 on the day itself."
RUNBOOK = "# Cutover\n\nAt 21:30 the gateway goes read-only, and atlas compares the counts of all 61 tables."
#: The line with the date, and with the conversation if it is another one.
DATE = re.compile(r"\d{1,2} [A-Z][a-z]{2}(?: \d{4})?(?: · (?P<conversation>.+))?")
ITEM = re.compile(r"\[\d+(?: (?P<kind>[a-z][^;\]]*))?(?:; [^\]]*)?\](?:(?P<relevance>\d+)%)? ")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """The sample's two weeks, embedded and summarised, with a note, a document and a significant memory."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            async with _client(stack) as client:
                await import_records(client, read_transcript(sample_path()))
                await AsyncEverword(client=client).write_note(NOTE, "orderdesk/cutover")
                significant = ingest_service_pb2.RecordSignificantRequest(
                    content="The night of the cutover was the first time that all of the team worked as one."
                )
                await client.ingest_service.RecordSignificant(significant)
            await write(stack, RUNBOOK, "Runbook")
            await compact_everything(stack, ExtractiveComposer())
            await roll_up_everything(stack, ExtractiveComposer())
            await embed_everything(stack)
            yield stack


def _settings(stack: Stack) -> ClientSettings:
    at = stack.addresses
    return ClientSettings(at["ingest"], at["search"], at["compactor"])


def _client(stack: Stack) -> AbstractAsyncContextManager[Client]:
    return Client.connect(_settings(stack))


@pytest_asyncio.fixture(loop_scope="module")
async def memory(stack: Stack) -> AsyncIterator[AsyncEverword]:
    async with _client(stack) as client:
        yield AsyncEverword(client=client, agent="atlas", channel="slack")


def _kinds(text: str) -> set[str]:
    found = map(ITEM.match, text.splitlines())
    return {each["kind"] or "message" for each in found if each}


async def test_lines_name_date_speaker_relevance_and_kind(memory: AsyncEverword) -> None:
    context = await memory.context(CUTOVER)
    headings = [line for line in context.text.splitlines() if line.startswith("## ")]
    assert "## Relevant memories" in headings
    opened = [
        line for line in context.text.splitlines() if line and not line.startswith(("  ", "## "))
    ]
    assert all(ITEM.match(line) or DATE.fullmatch(line) for line in opened)
    # The year stands above the first day of a block.
    assert re.search(r"^## Relevant memories\n\d+ [A-Z][a-z]{2} \d{4}$", context.text, re.M)
    blocks = {block.source: block.items for block in context.proto.blocks}
    for item in blocks[pb.CONTEXT_SOURCE_MEMORIES]:
        found = ITEM.match(item.text)
        assert found
        assert found["relevance"] == f"{100 * item.relevance:.0f}"
        if item.memory.author:
            assert item.text[found.end() :].startswith(f"{item.memory.author}: ")
    assert {"message", "note", "significant memory"} <= _kinds(context.text)


async def test_lines_name_the_level_and_period_of_summaries(stack: Stack) -> None:
    summaries = memory_pb2.MemoryFilter(kinds=[memory_pb2.MEMORY_KIND_SUMMARY])
    async with _client(stack) as client:
        request = pb.BuildContextRequest(query=CUTOVER, filter=summaries)
        response = await client.context_service.BuildContext(request)
    kinds = _kinds(response.text)
    assert kinds & {"leaf summary", "branch summary", "root summary"}
    assert any(re.fullmatch(r"(day|week of) 2026-03-\d\d", kind) for kind in kinds)


async def test_lines_name_another_conversation_but_not_the_own_one(memory: AsyncEverword) -> None:
    context = await memory.context(CUTOVER, session="a new thread", subject="brotkorb-team")
    names = {
        found["conversation"]
        for line in context.text.splitlines()
        if (found := DATE.fullmatch(line))
    }
    assert "Moving orderdesk from M…" in names
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", context.text)
    for item in (each for block in context.proto.blocks for each in block.items):
        assert len(item.memory.conversation_label) <= 24
    own = await memory.context(CUTOVER, session="slack:orders-db")
    assert "Moving orderdesk" not in "".join(filter(DATE.fullmatch, own.text.splitlines()))


async def test_provenance_takes_an_eighth_of_a_default_context(
    memory: AsyncEverword,
) -> None:
    counter = packaged_counter()
    shares = {}
    for session in ("", "slack:orders-db"):
        tokens = said_tokens = 0
        for question in QUESTIONS:
            context = await memory.context(question, session=session)
            tokens += counter.count(context.text)
            items = [item for block in context.proto.blocks for item in block.items]
            said_tokens += sum(counter.count(ITEM.sub("", item.text, count=1)) for item in items)
        shares[session] = 1 - said_tokens / tokens
    # Messages of the sample have 17 words on average; longer ones have a smaller share.
    assert max(shares.values()) <= 0.13, shares


async def test_parts_of_lines_can_be_left_out(stack: Stack, memory: AsyncEverword) -> None:
    context = await memory.context(
        CUTOVER,
        session="a new thread",
        subject="brotkorb-team",
        omit=("relevance", "conversation"),
    )
    assert not re.search(r"^\[[^\]]*\]\d+%", context.text, re.M)
    assert " · " not in "".join(line for line in context.text.splitlines() if DATE.fullmatch(line))
    every: tuple[ContextPart, ...] = ("kind", "date", "speaker", "relevance", "conversation")
    bare = await memory.context(CUTOVER, omit=every)
    opened = [
        line for line in bare.text.splitlines() if line and not line.startswith(("  ", "## "))
    ]
    assert all(re.match(r"\[\d+(?:; [^\]]*)?\] ", line) for line in opened)
    command = await everword(stack, "context", CUTOVER, "--omit", "relevance", "--omit", "date")
    assert command.status == 0
    assert not any(map(DATE.fullmatch, command.output.splitlines()))


async def test_json_lines_have_the_same_facts(stack: Stack, memory: AsyncEverword) -> None:
    async with _client(stack) as client:
        key = conversation_pb2.ConversationKey(session_key="a new thread", agent="atlas")
        request = pb.BuildContextRequest(
            query=CUTOVER,
            conversation=pb.ContextConversation(key=key, subject="brotkorb-team"),
            format=pb.CONTEXT_FORMAT_JSON_LINES,
        )
        response = await client.context_service.BuildContext(request)
    lines = [json.loads(line) for line in response.text.splitlines()]
    assert {"message", "note"} <= {line.get("kind") for line in lines}
    assert {"leaf", "branch", "root", "significant"} & {line.get("level") for line in lines}
    assert all("time" in line and "author" in line for line in lines)
    assert "Moving orderdesk from M…" in {line.get("conversation") for line in lines}
    assert any(line.get("relevance", 0) > 0 for line in lines)


async def test_tool_memory_context_returns_the_same_form(stack: Stack) -> None:
    async with over_stdio(stack, "conversation") as agent:
        text = said(await agent.call_tool("memory_context", {"query": CUTOVER}))
    assert re.search(r"^\[\d+\]\d+% \w+: ", text, re.M)
    assert re.search(r"^\[\d+ significant memory\]\d+% ", text, re.M)


# Results of a search that are summaries have their sources.


def _first_expanded(hits: list[Hit]) -> Expansion:
    expanded = [hit.expansion for hit in hits if hit.expansion]
    assert expanded
    assert len(expanded) <= 3
    return expanded[0]


async def test_client_hit_has_the_sources_of_a_summary(memory: AsyncEverword) -> None:
    hits = await memory.search(CUTOVER, kinds=("summary",))
    assert [hit.expansion is not None for hit in hits[:4]] == [True, True, True, False]
    for hit in hits[:3]:
        assert hit.expansion
        assert hit.expansion.id == hit.memory.id
        assert hit.expansion.level == hit.memory.summary_level
        assert (
            hit.expansion.children
            or hit.expansion.sources
            or hit.memory.summary_level == "significant"
        )
    everything = await memory.search(CUTOVER)
    assert all(hit.expansion is None for hit in everything if hit.memory.kind != "summary")


async def _source(memory: AsyncEverword) -> tuple[str, str]:
    """Return the beginnings of a found summary's first child or message, and of its text."""
    hits = await memory.search(CUTOVER, kinds=("summary",), limit=3)
    for hit in hits:
        if hit.expansion and hit.expansion.sources:
            return hit.memory.id, hit.expansion.sources[0].content[:40]
    raise AssertionError("no summary has messages as its sources")


async def test_command_line_shows_the_sources_of_a_summary(
    stack: Stack, memory: AsyncEverword
) -> None:
    id_, source = await _source(memory)
    shown = await everword(stack, "search", CUTOVER, "--kind", "summary", "--limit", "3")
    assert source in shown.output.partition(id_)[2]
    as_json = (
        await everword(stack, "search", CUTOVER, "--kind", "summary", "--limit", "3", "--json")
    ).json()
    [found] = [each for each in as_json["results"] if each["memory"]["id"] == id_]
    assert found["expansion"]["sources"][0]["content"].startswith(source)


async def test_tool_memory_search_shows_the_sources_of_a_summary(
    stack: Stack, memory: AsyncEverword
) -> None:
    _, source = await _source(memory)
    async with over_stdio(stack) as agent:
        asked = {"query": CUTOVER, "kinds": ["summary"], "limit": 3}
        text = said(await agent.call_tool("memory_search", asked))
    assert re.search(r"^\[1\]\d+% \w+ summary ", text, re.M)
    [line] = [
        line
        for line in text.splitlines()
        if source in line and line.lstrip().startswith("- message · ")
    ]
    assert line.startswith("    ")


async def test_console_shows_the_sources_of_a_summary(stack: Stack, memory: AsyncEverword) -> None:
    id_, source = await _source(memory)
    async with in_this_process(_settings(stack)) as visitor:
        page = await visitor.get("/search", params={"q": CUTOVER, "kind": "summary"})
    assert id_ in page.text
    assert "Made from" in page.text
    assert source.replace("'", "&#39;") in page.text


async def test_search_filters_messages_and_summaries_by_agent_and_dates(
    memory: AsyncEverword,
) -> None:
    of_opus = await memory.search("What did the team decide?", agent="opus", limit=100)
    assert {hit.memory.agent for hit in of_opus} == {"opus"}
    assert {"message", "summary"} <= {hit.memory.kind for hit in of_opus}
    since, until = datetime(2026, 3, 4, tzinfo=UTC), datetime(2026, 3, 7, tzinfo=UTC)
    dated = await memory.search(CUTOVER, agent="atlas", since=since, until=until, limit=100)
    assert len(dated) > 10
    assert {hit.memory.agent for hit in dated} == {"atlas"}
    assert all(hit.memory.time and since <= hit.memory.time < until for hit in dated)
