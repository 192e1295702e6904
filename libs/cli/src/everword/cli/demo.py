"""`everword demo`: all of it once, from nothing to answers, and nothing left behind."""

from __future__ import annotations

import asyncio
import json

import click
from rich.console import Console
from rich.rule import Rule

from everword.cli.background import wait_until_embedded
from everword.cli.output import line, note, plain
from everword.cli.search import print_results
from everword.cli.session import explain
from everword.client import CallError, Client, ClientSettings
from everword.db.migrate import MigrationError
from everword.embedded.errors import EmbeddedError
from everword.embedded.ports import Ports
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.importing import ImportSummary, import_messages
from everword.samples import sample_path
from everword.transcripts import read_transcript
from everword.v1.context_service_pb2 import BuildContextRequest
from everword.v1.search_service_pb2 import SearchRequest

RESULTS = 3
CONTEXT_BUDGET = 600
#: How long the background may take; a slow machine needs a quarter of it.
BACKGROUND_S = 120.0


@click.command()
def demo() -> None:
    """Start Everword on free ports, import a sample conversation, search it, and stop.

    Nothing is kept, and an Everword that runs on this machine is left alone.
    """
    try:
        asyncio.run(_demo())
    except (EmbeddedError, MigrationError) as error:
        raise click.ClickException(str(error)) from error
    except CallError as error:
        raise click.ClickException(explain(error)) from error


async def _demo() -> None:
    async with stack(StackSettings(data=None, ports=Ports.free()), note) as running:
        at = running.addresses
        settings = ClientSettings(at["ingest"], at["search"], at["compactor"])
        async with Client.connect(settings) as client:
            summary = await import_messages(client, read_transcript(sample_path()))
            line(
                f"{summary.messages} messages of {len(summary.conversations)} conversations are "
                "stored, and can be found by their words already."
            )
            embedding = await wait_until_embedded(client, summary.consistency_token, BACKGROUND_S)
            line(
                f"{embedding.coverage:.0%} of their passages have a vector now, and can be found by "
                "their meaning. Some questions:"
            )
            for query in demo_queries():
                _title(f"everword search {query!r}")
                request = SearchRequest(
                    query=query, page_size=RESULTS, at_least_as_fresh=summary.consistency_token
                )
                print_results((await client.search_service.Search(request)).results)
            await _show_context(client, summary)


async def _show_context(client: Client, summary: ImportSummary) -> None:
    """Continue the conversation of the sample's first message."""
    key = next(read_transcript(sample_path())).target.key
    conversation = await client.get_conversation(key)
    query = demo_queries()[0]
    _title(f"everword context {query!r} --conversation {conversation.id}")
    built = await client.context_service.BuildContext(
        BuildContextRequest(
            query=query,
            conversation_id=conversation.id,
            token_budget=CONTEXT_BUDGET,
            max_recent_turns=RESULTS,
            at_least_as_fresh=summary.consistency_token,
        )
    )
    line(built.text)
    line(f"{built.token_count} of {CONTEXT_BUDGET} tokens; {built.omitted} memories did not fit")


def demo_queries() -> list[str]:
    """Return the sample's questions that show different kinds of queries."""
    sample = json.loads(sample_path().read_text(encoding="utf-8"))
    return [
        query["text"]
        for conversation in sample["conversations"]
        for query in conversation["queries"]
        if query["category"] == "demo"
    ]


def _title(text: str) -> None:
    Console().print(Rule(plain(text), align="left"))
