"""`everword conversations`: which conversations there are."""

from __future__ import annotations

import click

from everword.cli.output import json_option, print_json, print_table, shorten, when
from everword.cli.session import remote
from everword.client import Client
from everword.v1.conversation_pb2 import ConversationFilter
from everword.v1.search_service_pb2 import ListConversationsRequest, ListConversationsResponse


@click.command()
@click.option("--agent", "agents", multiple=True, help="Only conversations of this agent.")
@click.option("--channel", "channels", multiple=True, help="Only conversations on this channel.")
@click.option("--subject", "subjects", multiple=True, help="Only conversations about this user.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@json_option
@remote
async def conversations(
    client: Client,
    agents: tuple[str, ...],
    channels: tuple[str, ...],
    subjects: tuple[str, ...],
    limit: int,
    as_json: bool,
) -> None:
    """List conversations, newest first."""
    only = ConversationFilter(agents=agents, channels=channels, subjects=subjects)
    request = ListConversationsRequest(filter=only, page_size=min(limit, 200))
    found = ListConversationsResponse()
    while len(found.conversations) < limit:
        page = await client.search_service.ListConversations(request)
        found.conversations.extend(page.conversations)
        request.page_token = page.next_page_token
        if not page.next_page_token:
            break
    del found.conversations[limit:]
    if as_json:
        print_json(found)
        return
    rows = [
        (
            each.key.session_key,
            each.key.agent,
            each.key.channel,
            each.message_count,
            when(each.last_message_time),
            shorten(each.details.title, 60),
        )
        for each in found.conversations
    ]
    columns = ("session key", "agent", "channel", "messages", "last", "title")
    print_table(columns, rows, right="messages")
