"""`everword demo`: all of it once, from nothing to answers, and nothing left behind."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable
from typing import TypeVar

import click
from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule

from everword.cli.background import wait_until_embedded
from everword.cli.output import line, note, plain, shorten, speaker
from everword.cli.session import explain
from everword.client import CallError, Client, ClientSettings
from everword.client.kinds import kind_number
from everword.db.migrate import MigrationError
from everword.embedded.errors import EmbeddedError
from everword.embedded.ports import Ports
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.importer import ImportSummary, import_records
from everword.samples import sample_path
from everword.transcripts import read_transcript
from everword.v1.context_service_pb2 import BuildContextRequest
from everword.v1.memory_pb2 import MemoryFilter
from everword.v1.search_service_pb2 import SearchRequest

RESULTS = 3
DISPLAYED_CHARS = 200
#: As much as there is to say about the question.
CONTEXT_BUDGET = 300
#: How long the background may take; a slow machine needs a quarter of it.
BACKGROUND_S = 120.0
NEXT_STEPS = """\
everword up                  keeps Everword running on this machine
everword import FILE         brings in your conversations, OpenAI's chats too
everword search "QUESTION"   finds what they say
README.md, "First calls"     does all this over gRPC and from Python"""
T = TypeVar("T")


@click.command()
def demo() -> None:
    """Start Everword on free ports, import a sample conversation, search it, and stop.

    Keeps nothing, and does not touch an Everword that runs on this machine.
    """
    try:
        asyncio.run(_demo())
    except (EmbeddedError, MigrationError) as error:
        raise click.ClickException(str(error)) from error
    except CallError as error:
        raise click.ClickException(explain(error)) from error


async def _demo() -> None:
    async with (
        stack(StackSettings(data=None, ports=Ports.free()), note) as running,
        Client.connect(ClientSettings.at(running.address)) as client,
    ):
        summary = await _import(client)
        changed, *others = demo_queries()
        _title("Messages, found by words and by meaning")
        for query in others:
            await _show_results(client, query, summary.consistency_token)
        _title("An answer that changed: the newest statement first")
        await _show_results(client, changed, summary.consistency_token, only_messages=True)
        _title("The context for an agent that continues the conversation")
        await _show_context(client, changed, summary.consistency_token)
        _title("What to do next")
        line(NEXT_STEPS)


async def _import(client: Client) -> ImportSummary:
    """Import the sample, and wait until it can be found by its meaning."""
    summary, elapsed_s = await _timed(import_records(client, read_transcript(sample_path())))
    line(
        f"{summary.messages} messages of {len(summary.conversations)} conversations are stored, and "
        f"found by their words: {elapsed_s:.1f} s."
    )
    waiting = wait_until_embedded(client, summary.consistency_token, BACKGROUND_S)
    _, elapsed_s = await _timed(waiting)
    line(f"They are found by their meaning, too: {elapsed_s:.1f} s more.")
    return summary


async def _show_results(
    client: Client, query: str, token: str, *, only_messages: bool = False
) -> None:
    kinds = [kind_number("message")] if only_messages else []
    request = SearchRequest(
        query=query, page_size=RESULTS, at_least_as_fresh=token, filter=MemoryFilter(kinds=kinds)
    )
    response, elapsed_s = await _timed(client.search_service.Search(request))
    _command(
        f"everword search {_quoted(query)}", "--kind message" if only_messages else "", elapsed_s
    )
    for result in response.results:
        memory = result.memory
        day = memory.occur_time.ToJsonString()[:10]
        told = shorten(result.passage or memory.content, DISPLAYED_CHARS)
        Console().print(
            Padding(plain(f"{day} {speaker(memory)}: {told}"), (0, 0, 0, 2), expand=False)
        )


async def _show_context(client: Client, query: str, token: str) -> None:
    """Continue the conversation of the sample's first message."""
    key = next(read_transcript(sample_path())).target.key
    conversation = await client.get_conversation(key)
    request = BuildContextRequest(
        query=query,
        conversation_id=conversation.id,
        token_budget=CONTEXT_BUDGET,
        max_recent_turns=1,
        at_least_as_fresh=token,
    )
    built, elapsed_s = await _timed(client.context_service.BuildContext(request))
    option = f"--budget {CONTEXT_BUDGET} --conversation …"
    _command(f"everword context {_quoted(query)}", option, elapsed_s)
    line(built.text)
    line(f"{built.token_count} of {CONTEXT_BUDGET} tokens; {built.omitted} more did not fit")


def demo_queries() -> list[str]:
    """Return the sample's questions that show different kinds of queries; the answer to the first one changed."""
    sample = json.loads(sample_path().read_text(encoding="utf-8"))
    return [
        query["text"]
        for conversation in sample["conversations"]
        for query in conversation["queries"]
        if query["category"] == "demo"
    ]


async def _timed(call: Awaitable[T]) -> tuple[T, float]:
    """Return the result of a call, and the seconds that it took."""
    began = time.perf_counter()
    return await call, time.perf_counter() - began


def _title(text: str) -> None:
    line("")
    Console().print(Rule(plain(text), align="left"))


def _command(command: str, options: str, took_s: float) -> None:
    """Show a command that does the same, and how long its call took."""
    line("")
    line(f"$ {' '.join(filter(None, (command, options)))}  ({took_s * 1000:.0f} ms)")


def _quoted(query: str) -> str:
    return f'"{query}"'
