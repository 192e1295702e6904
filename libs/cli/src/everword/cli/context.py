"""`everword context`: what an agent would be given to have in mind."""

from __future__ import annotations

import click

from everword.cli.filters import context_options
from everword.cli.output import json_option, note, print_json, verbatim
from everword.cli.search import PROFILES, note_degraded
from everword.cli.session import remote
from everword.client import Client
from everword.v1.context_service_pb2 import BuildContextRequest
from everword.v1.memory_pb2 import MemoryFilter
from everword.v1.search_service_pb2 import VERDICT_NOTHING_RELEVANT


@click.command()
@click.argument("query", default="")
@click.option("--conversation", metavar="ID", default="", help="Conversation to continue.")
@click.option("--budget", type=click.IntRange(1, 1_000_000), default=4000, show_default=True)
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="recall",
    show_default=True,
    help="How memories are ranked: by relevance, or also by time and importance.",
)
@click.option("--count-use", is_flag=True, help="Count what is put in as used, as for an agent.")
@json_option
@remote
@context_options
async def context(
    client: Client,
    query: str,
    conversation: str,
    budget: int,
    profile: str,
    count_use: bool,
    as_json: bool,
    filter: MemoryFilter,
) -> None:
    """Fill a token budget with what matters to QUERY, and with a conversation's recent turns.

    Without QUERY, the conversation's latest user message is taken. Memories are those of the conversation's agent and
    subject, or of those that --agent and --subject name; without any of these, everybody's.
    """
    if not query and not conversation:
        raise click.UsageError("give a QUERY, or a conversation to continue by --conversation")
    response = await client.context_service.BuildContext(
        BuildContextRequest(
            query=query,
            conversation_id=conversation,
            token_budget=budget,
            skip_use_count=not count_use,
            profile=profile,
            filter=filter,
        )
    )
    if as_json:
        print_json(response)
        return
    if response.verdict == VERDICT_NOTHING_RELEVANT:
        note("Nothing that is remembered answers this; `everword search` shows what comes nearest.")
    for arm in response.degraded:
        note_degraded(arm)
    if response.text:
        verbatim(response.text)
    note(f"{response.token_count} of {budget} tokens; {response.omitted} did not fit")
