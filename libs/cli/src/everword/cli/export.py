"""`everword export`: a conversation's transcript."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click

from everword.cli.output import note, printable, progress, when
from everword.cli.session import remote
from everword.client import Client
from everword.transcripts import to_line
from everword.v1.conversation_pb2 import Conversation, ConversationKey
from everword.v1.memory_pb2 import Message, Role
from everword.v1.search_service_pb2 import GetConversationRequest


@click.command()
@click.argument("conversation_id", metavar="[CONVERSATION]", type=click.UUID, required=False)
@click.option(
    "--session-key",
    default="",
    help="Select the conversation by its session key instead of its id.",
)
@click.option("--agent", default="", help="Select the conversation of this agent.")
@click.option("--channel", default="", help="Select the conversation on this channel.")
@click.option("--format", "form", type=click.Choice(["jsonl", "text"]), default="jsonl")
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file."
)
@remote
async def export(
    client: Client,
    conversation_id: object | None,
    session_key: str,
    agent: str,
    channel: str,
    form: str,
    output: Path | None,
) -> None:
    """Write the whole transcript of a conversation, oldest message first.

    JSONL can be imported again. `everword namespaces export` exports a whole namespace.
    """
    if bool(conversation_id) == bool(session_key):
        raise click.UsageError("give the id of a CONVERSATION, or its --session-key")
    key = ConversationKey(session_key=session_key, agent=agent, channel=channel)
    request = (
        GetConversationRequest(conversation_id=str(conversation_id))
        if conversation_id
        else GetConversationRequest(key=key)
    )
    conversation = (await client.search_service.GetConversation(request)).conversation
    written = 0
    with click.open_file(str(output or "-"), "w", encoding="utf-8") as file, progress() as display:
        task = display.add_task("export", total=conversation.message_count, visible=bool(output))
        async for message in client.iter_messages(conversation.id):
            file.write(FORMS[form](conversation, message) + "\n")
            written += 1
            display.update(task, completed=written)
    if output:
        note(f"{written} messages in {output}")


def _jsonl(conversation: Conversation, message: Message) -> str:
    return json.dumps(to_line(conversation, message), ensure_ascii=False)


def _text(conversation: Conversation, message: Message) -> str:
    """Return a message as a person reads it, in this machine's time."""
    body = message.body
    role = Role.Name(body.role).removeprefix("ROLE_").lower()
    lines = [f"[{when(body.create_time)}] {body.author or role} ({role}):"]
    lines += [body.content] if body.content else []
    lines += [block.text for block in body.content_blocks if block.text]
    if body.tool_name:
        lines.append(f"  {body.tool_name} {body.tool_args}".rstrip())
    lines += [f"  {each}" for each in body.tool_result.splitlines()]
    return printable("\n".join(lines)) + "\n"


FORMS: dict[str, Callable[[Conversation, Message], str]] = {"jsonl": _jsonl, "text": _text}
