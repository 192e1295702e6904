"""Conversations as people name them: by an id, or by the session key that they were given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

import click

from everword.client import Client
from everword.v1.conversation_pb2 import Conversation, ConversationKey
from everword.v1.search_service_pb2 import GetConversationRequest

Command = TypeVar("Command", bound=Callable[..., Any])


def key_options(command: Command) -> Command:
    """Add the options that say which of several conversations with a session key is meant."""
    channel = click.option("--channel", default="", help="Set the channel of a session key.")
    agent = click.option("--agent", default="", help="Set the agent of a session key.")
    return agent(channel(command))


async def find_conversation(
    client: Client, named: str, agent: str = "", channel: str = ""
) -> Conversation:
    """Return the conversation with an id or a session key. Raises CallError."""
    try:
        request = GetConversationRequest(conversation_id=str(UUID(named)))
    except ValueError:
        key = ConversationKey(session_key=named, agent=agent, channel=channel)
        request = GetConversationRequest(key=key)
    return (await client.search_service.GetConversation(request)).conversation
