"""`everword conversations`: which conversations there are."""

from __future__ import annotations

import click

from everword.cli.output import json_option, print_entries, print_json, shorten, when
from everword.cli.session import remote
from everword.client import Client
from everword.client.pages import PAGE_SIZE, list_all
from everword.v1.conversation_pb2 import Conversation, ConversationFilter
from everword.v1.search_service_pb2 import ListConversationsRequest

TITLE_CHARS = 75


@click.command()
@click.option("--agent", "agents", multiple=True, help="Include only conversations of this agent.")
@click.option(
    "--channel", "channels", multiple=True, help="Include only conversations on this channel."
)
@click.option(
    "--subject", "subjects", multiple=True, help="Include only conversations about this user."
)
@click.option(
    "--client-session",
    "sessions",
    multiple=True,
    help="Include only conversations with this client session id.",
)
@click.option("--task", "tasks", multiple=True, help="Include only conversations of this task.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@json_option
@remote
async def conversations(
    client: Client,
    agents: tuple[str, ...],
    channels: tuple[str, ...],
    subjects: tuple[str, ...],
    sessions: tuple[str, ...],
    tasks: tuple[str, ...],
    limit: int,
    as_json: bool,
) -> None:
    """List conversations, newest first."""
    only = ConversationFilter(
        agents=agents,
        channels=channels,
        subjects=subjects,
        client_session_ids=sessions,
        task_ids=tasks,
    )
    request = ListConversationsRequest(filter=only, page_size=min(limit, PAGE_SIZE))
    found = await list_all(client.search_service.ListConversations, request, limit)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            each.id,
            each.message_count,
            when(each.last_message_time),
            _named(each),
        )
        for each in found.conversations
    ]
    print_entries(("id", "messages", "last"), rows, right="messages")


def _named(conversation: Conversation) -> str:
    """Return by what people know a conversation: its key, and its title on a line of its own."""
    key = conversation.key
    of = ", ".join(name for name in (key.agent, key.channel) if name)
    title = shorten(conversation.details.title, TITLE_CHARS)
    return "\n".join(
        text for text in (f"{key.session_key} ({of})" if of else key.session_key, title) if text
    )
