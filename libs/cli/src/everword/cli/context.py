"""`everword context`: what an agent would be given to have in mind."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import click

from everword.cli.filters import context_options
from everword.cli.output import json_option, note, print_json, verbatim
from everword.cli.search import PROFILES, note_degraded
from everword.cli.session import remote
from everword.client import Client
from everword.v1.context_service_pb2 import BuildContextRequest, ContextConversation, ContextPart
from everword.v1.conversation_pb2 import ConversationKey
from everword.v1.lore_pb2 import LoreOmission
from everword.v1.memory_pb2 import MemoryFilter
from everword.v1.search_service_pb2 import VERDICT_NOTHING_RELEVANT

PARTS = ("kind", "date", "speaker", "relevance", "conversation")


@click.command()
@click.argument("query", default="")
@click.option(
    "--conversation",
    metavar="ID|KEY",
    default="",
    help="Continue this conversation, an id or a session key, which need not exist.",
)
@click.option("--channel", default="", help="Set the channel of a session key.")
@click.option("--budget", type=click.IntRange(1, 1_000_000), default=4000, show_default=True)
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="recall",
    show_default=True,
    help="Rank by relevance, or also by time and importance.",
)
@click.option(
    "--omit",
    type=click.Choice(PARTS),
    multiple=True,
    help="Leave this part out of each line. Repeatable.",
)
@click.option(
    "--count-use", is_flag=True, help="Count a use of the included memories, as for an agent."
)
@json_option
@remote
@context_options
async def context(
    client: Client,
    query: str,
    conversation: str,
    channel: str,
    budget: int,
    profile: str,
    omit: tuple[str, ...],
    count_use: bool,
    as_json: bool,
    filter: MemoryFilter,
) -> None:
    """Build a context for QUERY within a token budget, with a conversation's recent turns.

    Without QUERY, the conversation's latest user message is the query. The context has memories of the conversation's
    agent and subject, or of --agent and --subject; without any of these, of all agents and subjects. With a session
    key, --agent is a part of the conversation's key, and --subject is the user whom the conversation is about.
    Nothing is written.
    """
    if not query and not conversation:
        raise click.UsageError("give a QUERY, or a conversation to continue by --conversation")
    response = await client.context_service.BuildContext(
        BuildContextRequest(
            query=query,
            **_named(conversation, channel, filter),
            token_budget=budget,
            skip_use_count=not count_use,
            profile=profile,
            omit_parts=[ContextPart.Value(f"CONTEXT_PART_{each.upper()}") for each in omit],
        )
    )
    if as_json:
        print_json(response)
        return
    if response.verdict == VERDICT_NOTHING_RELEVANT:
        is_uncertain = any(item.uncertain for block in response.blocks for item in block.items)
        nearest = "those marked uncertain are" if is_uncertain else "`everword search` shows"
        note(f"No memory answers this; {nearest} the nearest ones.")
    for arm in response.degraded:
        note_degraded(arm)
    for omission in response.lore_omissions:
        note(_describe_omission(omission))
    if response.text:
        verbatim(response.text)
    note(f"{response.token_count} of {budget} tokens; {response.omitted} did not fit")


def _named(conversation: str, channel: str, filter: MemoryFilter) -> dict[str, Any]:
    """Return the request's fields for the conversation, by its id or key, and for the scope of memories."""
    if not conversation:
        return {"filter": filter}
    try:
        return {"filter": filter, "conversation_id": str(UUID(conversation))}
    except ValueError:
        pass
    if len(filter.agents) > 1 or len(filter.subjects) > 1:
        raise click.UsageError("give one --agent and one --subject with the key of a conversation")
    key = ConversationKey(session_key=conversation, agent="".join(filter.agents), channel=channel)
    named = ContextConversation(key=key, subject="".join(filter.subjects))
    # The agent and the subject belong to the key; the context also has memories without an agent or a subject.
    moments = MemoryFilter()
    moments.CopyFrom(filter)
    moments.ClearField("agents")
    moments.ClearField("subjects")
    return {"filter": moments, "conversation": named}


def _describe_omission(omission: LoreOmission) -> str:
    if not omission.entry_id:
        return f"Lore of {omission.book} may be missing: {omission.reason}."
    about = (
        f"{omission.title} of {omission.book}, whose pattern {omission.pattern!r} {omission.reason}"
    )
    return f"Lore may be missing: {about}."
