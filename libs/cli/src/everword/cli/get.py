"""`everword get`: one memory, message, summary or conversation, whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shlex import quote
from uuid import UUID

import click
from google.protobuf import json_format
from google.protobuf.struct_pb2 import Struct

from everword.cli.groups import HintingGroup
from everword.cli.names import find_conversation, key_options
from everword.cli.output import json_option, line, print_json, print_table, speaker, trust_of, when
from everword.cli.session import remote
from everword.cli.summaries import LEVELS, show
from everword.client import Client
from everword.client.kinds import kind_word
from everword.v1 import conversation_pb2, memory_pb2
from everword.v1 import search_service_pb2 as pb

Details = Iterable[tuple[str, object]]


def _what_was_meant(argument: str) -> list[str]:
    """Return the commands that show what an argument may name."""
    try:
        UUID(argument)
    except ValueError:
        return [f"everword get conversation {quote(argument)}"]
    return [f"everword get {kind} {argument}" for kind in ("memory", "conversation")]


@click.group(cls=HintingGroup, hint=_what_was_meant)
def get() -> None:
    """Show one whole memory, message, summary or conversation."""


get.add_command(show, "summary")


@get.command()
@click.argument("memory_id", type=click.UUID)
@json_option
@remote
async def memory(client: Client, memory_id: UUID, as_json: bool) -> None:
    """Show a memory of any kind, by its id."""
    request = pb.GetMemoryRequest(memory_id=str(memory_id))
    found = await client.search_service.GetMemory(request)
    if as_json:
        print_json(found)
        return
    _print_details("memory", _of_memory(found.memory))
    line(found.memory.content)


@get.command()
@click.argument("message_id", type=click.UUID, required=False)
@click.option(
    "--external-id", default="", help="Look up the sender's own id instead of MESSAGE_ID."
)
@click.option(
    "--conversation",
    default="",
    help="Look up --external-id in this conversation, an id or a session key.",
)
@key_options
@json_option
@remote
async def message(
    client: Client,
    message_id: UUID | None,
    external_id: str,
    conversation: str,
    agent: str,
    channel: str,
    as_json: bool,
) -> None:
    """Show a message as it was sent, by its id or by its sender's own id."""
    if bool(message_id) == bool(external_id) or bool(external_id) != bool(conversation):
        raise click.UsageError("give a MESSAGE_ID, or both --external-id and --conversation")
    request = pb.GetMemoryRequest(memory_id=str(message_id or ""), include_unindexed=True)
    if external_id:
        within = await find_conversation(client, conversation, agent, channel)
        key = pb.ExternalMessageKey(conversation_id=within.id, external_id=external_id)
        request = pb.GetMemoryRequest(external=key)
    found = (await client.search_service.GetMemory(request)).message
    if as_json:
        print_json(found)
        return
    _print_details("message", _of_message(found))
    for text in _texts(found):
        line(text)


@get.command()
@click.argument("conversation")
@key_options
@json_option
@remote
async def conversation(
    client: Client, conversation: str, agent: str, channel: str, as_json: bool
) -> None:
    """Show a conversation, by its id or its session key."""
    found = await find_conversation(client, conversation, agent, channel)
    if as_json:
        print_json(found)
        return
    _print_details("conversation", _of_conversation(found))


def _print_details(what: str, details: Details) -> None:
    """Print names with their values, those alone that have one."""
    print_table((what, ""), [(name, value) for name, value in details if value not in {"", 0}])


def _of_memory(memory: memory_pb2.Memory) -> Details:
    level = LEVELS[memory.summary_level - 1] if memory.summary_level else ""
    return [
        ("id", memory.id),
        ("kind", kind_word(memory.kind)),
        ("when", when(memory.occur_time)),
        ("who", speaker(memory)),
        ("agent", memory.agent),
        ("subject", memory.subject),
        ("channel", memory.channel),
        ("trust", trust_of(memory)),
        ("instance", memory.instance),
        ("conversation", memory.conversation_id),
        ("place", f"#{memory.seq}" if memory.seq else ""),
        ("external id", memory.external_id),
        ("tool", memory.tool_name),
        ("tags", ", ".join(memory.tags)),
        ("importance", _importance(memory.importance_class)),
        ("level", level),
        ("period from", memory.period_start),
        ("used", f"{memory.use_count} times" if memory.use_count else ""),
        ("last used", when(memory.last_use_time)),
        ("metadata", _json(memory.metadata)),
        ("in a sentence", memory.synthesized_content),
    ]


def _of_message(message: memory_pb2.Message) -> Details:
    body = message.body
    role = memory_pb2.Role.Name(body.role).removeprefix("ROLE_").lower()
    return [
        ("id", message.id),
        ("conversation", message.conversation_id),
        ("place", f"#{message.seq}"),
        ("when", when(body.create_time)),
        ("stored", when(message.record_time)),
        ("who", f"{body.author} ({role})" if body.author else role),
        ("instance", body.instance),
        ("external id", body.external_id),
        ("answers", body.parent_id),
        ("tool", body.tool_name),
        ("tags", ", ".join(body.tags)),
        ("importance", _importance(body.importance_class)),
        ("automated", "yes" if body.automated else ""),
        ("tokens", body.token_count),
        ("metadata", _json(body.metadata)),
        ("in a sentence", message.synthesized_content),
    ]


def _texts(message: memory_pb2.Message) -> Iterator[str]:
    """Yield the content of a message, then its blocks, tool arguments and tool result, each under a heading."""
    body = message.body
    if body.content:
        yield body.content
    for block in body.content_blocks:
        yield f"\n{block.type}:\n{block.text or block.json}"
    if body.tool_args:
        yield f"\narguments:\n{body.tool_args}"
    if body.tool_result:
        yield f"\nresult:\n{body.tool_result}"


def _of_conversation(found: conversation_pb2.Conversation) -> Details:
    key, details = found.key, found.details
    return [
        ("id", found.id),
        ("session key", key.session_key),
        ("agent", key.agent),
        ("channel", key.channel),
        ("channel id", details.channel_id),
        ("bot identity", details.bot_identity),
        ("instance", details.instance),
        ("subject", details.subject),
        ("client session", details.client_session_id),
        ("task", details.task_id),
        ("title", details.title),
        ("state", "active" if found.active else "closed"),
        ("messages", str(found.message_count)),
        ("of them turns", str(found.turn_count)),
        ("made", when(found.create_time)),
        ("changed", when(found.update_time)),
        ("latest message", when(found.last_message_time)),
        ("settings", _json(details.settings)),
    ]


def _importance(given: memory_pb2.ImportanceClass.ValueType) -> str:
    name = memory_pb2.ImportanceClass.Name(given).removeprefix("IMPORTANCE_CLASS_").lower()
    return name if given else ""


def _json(struct: Struct) -> str:
    return json_format.MessageToJson(struct, indent=None, ensure_ascii=False) if struct else ""
