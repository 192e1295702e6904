"""`everword flush`: make room in an agent's context by summaries in the place of old turns."""

from __future__ import annotations

import click

from everword.cli.naming import find_conversation, key_options
from everword.cli.output import json_option, line, note, print_entries, print_json
from everword.cli.session import remote
from everword.cli.summaries import level_name, short_id, span
from everword.client import Client
from everword.v1 import maintenance_service_pb2 as pb


@click.command()
@click.argument("conversation")
@click.option(
    "--context-size",
    type=click.IntRange(1),
    required=True,
    help="Tokens that the agent's model can take.",
)
@click.option(
    "--used-tokens",
    type=click.IntRange(0),
    default=0,
    show_default="those of the whole conversation",
    help="How many of them are used.",
)
@click.option("--notes-saved", is_flag=True, help="The agent has saved what matters.")
@click.option(
    "--keep-recent",
    type=click.IntRange(0, 1000),
    default=6,
    show_default=True,
    help="How many of the latest messages stay as they are.",
)
@key_options
@json_option
@remote
async def flush(
    client: Client,
    conversation: str,
    context_size: int,
    used_tokens: int,
    notes_saved: bool,
    keep_recent: int,
    agent: str,
    channel: str,
    as_json: bool,
) -> None:
    """Show what stands for the old turns of CONVERSATION, an id or a session key, where a context is nearly full.

    Nothing of the conversation is deleted.
    """
    found = await find_conversation(client, conversation, agent, channel)
    response = await client.maintenance_service.FlushConversation(
        pb.FlushConversationRequest(
            conversation_id=found.id,
            context_size=context_size,
            used_tokens=used_tokens,
            notes_saved=notes_saved,
            keep_recent=keep_recent,
        )
    )
    if as_json:
        print_json(response)
        return
    used = f"{response.used_tokens} of {context_size} tokens are used"
    if response.action == pb.FLUSH_ACTION_SAVE_NOTES:
        line(response.instruction)
        note(f"{used}: let the agent do that, then call again with --notes-saved")
    elif response.action == pb.FLUSH_ACTION_REPLACE:
        rows = [
            (short_id(each.id), level_name(each), span(each), each.token_count, each.content)
            for each in response.summaries
        ]
        print_entries(("id", "level", "span", "tokens"), rows, right="tokens", fold="span")
        note(
            f"{used}: this stands for what was said up to #{response.replaced_through_seq}, but for "
            f"{len(response.kept_message_ids)} messages, and frees {response.freed_tokens} tokens"
        )
    else:
        line(f"{used}: there is room")
