"""Helpers for calls on lorebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everword.v1 import context_service_pb2 as context
from everword.v1 import lore_pb2, memory_pb2
from everword.v1 import lore_service_pb2 as pb
from support.calls import ASSISTANT, append_request, message, target
from support.context_lines import without_marks
from support.stack import Stack

LORE = memory_pb2.MemoryFilter(kinds=[memory_pb2.MEMORY_KIND_LORE])
LOREBOOK = context.CONTEXT_SOURCE_LOREBOOK
SUBSTRING, WORD, EXACT, REGEX = lore_pb2.LoreTriggerMode.values()[1:]


def trigger(text: str, mode: int = 0, **fields: Any) -> lore_pb2.LoreTrigger:
    value = lore_pb2.LoreTriggerMode.ValueType(mode)
    return lore_pb2.LoreTrigger(text=text, mode=value, **fields)


def entry(
    title: str, content: str, *triggers: str | lore_pb2.LoreTrigger, **fields: Any
) -> lore_pb2.NewLoreEntry:
    made = [trigger(each) if isinstance(each, str) else each for each in triggers]
    return lore_pb2.NewLoreEntry(title=title, content=content, triggers=made, **fields)


def book_key(name: str = "world", **scope: Any) -> lore_pb2.LoreBookKey:
    return lore_pb2.LoreBookKey(name=name, scope=lore_pb2.LoreScope(**scope))


async def write_book(stack: Stack, name: str = "world", **scope: Any) -> str:
    """Write an empty lorebook; return its id."""
    book = lore_pb2.NewLoreBook(name=name, scope=lore_pb2.LoreScope(**scope))
    return (await stack.lore.WriteLoreBook(pb.WriteLoreBookRequest(book=book))).book_id


async def write_entry(
    stack: Stack, book_id: str, written: lore_pb2.NewLoreEntry, **fields: Any
) -> pb.WriteLoreEntryResponse:
    request = pb.WriteLoreEntryRequest(book_id=book_id, entry=written, **fields)
    return await stack.lore.WriteLoreEntry(request)


async def import_book(
    stack: Stack, entries: Sequence[lore_pb2.NewLoreEntry], name: str = "world", **scope: Any
) -> pb.ImportLoreBookResponse:
    book = lore_pb2.NewLoreBook(name=name, scope=lore_pb2.LoreScope(**scope))
    return await stack.lore.ImportLoreBook(pb.ImportLoreBookRequest(book=book, entries=entries))


async def say(stack: Stack, agent: str, *words: str, session: str = "s", **fields: Any) -> str:
    """Append turns of a user, each with the agent's answer; return the conversation's id."""
    answer = message("Ah.", role=ASSISTANT)
    said = [turn for word in words for turn in (message(word), answer)]
    return await tell(stack, agent, *said, session=session, **fields)


async def tell(
    stack: Stack, agent: str, *messages: memory_pb2.NewMessage, session: str = "s", **fields: Any
) -> str:
    """Append messages to a conversation of an agent; return the conversation's id."""
    request = append_request(*messages)
    request.conversation.CopyFrom(target(session, agent=agent, **fields))
    return (await stack.ingest.AppendMessages(request)).conversation_id


async def build(stack: Stack, **fields: Any) -> context.BuildContextResponse:
    return await stack.context.BuildContext(context.BuildContextRequest(**fields))


def lore_of(response: context.BuildContextResponse) -> list[str]:
    return [i.text for block in response.blocks if block.source == LOREBOOK for i in block.items]


def titles_of(response: context.BuildContextResponse) -> list[str]:
    return [without_marks(line).partition(":")[0] for line in lore_of(response)]


async def titles(stack: Stack, **fields: Any) -> list[str]:
    return titles_of(await build(stack, **fields))
