"""`everword end`: end the session of a conversation, so that Sleep learns from it now."""

from __future__ import annotations

import click

from everword.cli.names import find_conversation, key_options
from everword.cli.output import line
from everword.cli.session import remote
from everword.client import Client
from everword.v1.ingest_service_pb2 import EndConversationRequest


@click.command()
@click.argument("conversation")
@key_options
@remote
async def end(client: Client, conversation: str, agent: str, channel: str) -> None:
    """End the session of CONVERSATION, an id or a session key.

    Sleep learns from it in the background now, instead of after 30 minutes without a message;
    `everword sleep CONVERSATION` also waits until that is done. The next message begins another
    session.
    """
    found = await find_conversation(client, conversation, agent, channel)
    await client.ingest_service.EndConversation(EndConversationRequest(conversation_id=found.id))
    line(f"{found.key.session_key}: the session has ended")
