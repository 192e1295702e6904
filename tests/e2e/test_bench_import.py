"""Whole conversations are appended over gRPC, and every message can be found by its words at once.

EVERWORD_BENCH_DATA names a folder with the public sets `locomo-dev.json` and `beam100k-dev.json` in the format of
`everword import`; their licences do not allow shipping them. Without it, the shipped sample is used.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from everword.client import Client, ClientSettings
from everword.importer import import_records
from everword.samples import sample_path
from everword.transcripts import Entry, read_transcript
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from support.stack import Stack

CONCURRENT_SEARCHES = 8
RARE_WORDS = 6
#: Number of places in a long text that are searched for.
PARTS = 40
_WORD = re.compile(r"\w+")


def chats() -> Path:
    """Return a set of many short messages."""
    folder = os.environ.get("EVERWORD_BENCH_DATA")
    return Path(folder) / "locomo-dev.json" if folder else sample_path()


def long_texts() -> Path:
    """Return a set with one message that is much longer than all others."""
    folder = os.environ.get("EVERWORD_BENCH_DATA")
    return Path(folder) / "beam100k-dev.json" if folder else sample_path()


@dataclass(frozen=True)
class SentMessage:
    """A sent message, its id, and the token that covers it."""

    sent: memory_pb2.NewMessage
    message_id: str
    conversation_id: str
    token: str


def client_of(stack: Stack) -> ClientSettings:
    at = stack.addresses
    return ClientSettings(at["ingest"], at["search"], at["compactor"])


def words_of(message: memory_pb2.NewMessage) -> set[str]:
    text = f"{message.content} {message.tool_name} {message.tool_args} {message.tool_result}"
    return {word.lower() for word in _WORD.findall(text)}


async def import_entries(client: Client, entries: Sequence[Entry]) -> list[SentMessage]:
    """Import messages, and return them in the order in which their conversations list them."""
    token = (await import_records(client, entries)).consistency_token
    keys = {entry.target.key.SerializeToString(): entry.target.key for entry in entries}
    imported = []
    for key in keys.values():
        conversation = await client.get_conversation(key)
        listed = [message async for message in client.iter_messages(conversation.id)]
        sent = [entry.message for entry in entries if entry.target.key == key]
        assert [message.body for message in listed] == sent
        imported += [
            SentMessage(message.body, message.id, conversation.id, token) for message in listed
        ]
    return imported


async def search(client: Client, query: str, message: SentMessage, limit: int) -> pb.SearchResponse:
    """Search for words in the message's conversation, with the token that its write returned."""
    return await client.search_service.Search(
        pb.SearchRequest(
            query=query,
            mode=pb.SEARCH_MODE_LEXICAL,
            filter=memory_pb2.MemoryFilter(
                conversation_ids=[message.conversation_id], include_automated=True
            ),
            page_size=limit,
            at_least_as_fresh=message.token,
            max_content_chars=1,
        )
    )


def questions(message: memory_pb2.NewMessage, frequency: Counter[str]) -> Iterator[tuple[str, int]]:
    """Yield queries that must find a message, each with the number of results to examine.

    A message of stop words alone, such as "You too!", is found by its author and time.
    """
    rare = sorted(words_of(message), key=lambda word: (frequency[word], word))[:RARE_WORDS]
    if rare:
        yield " ".join(rare), 20
    time = message.create_time.ToDatetime()
    yield f"{message.author} {time.day} {time:%B %Y}", 200


async def is_found(client: Client, message: SentMessage, frequency: Counter[str]) -> bool:
    for query, limit in questions(message.sent, frequency):
        response = await search(client, query, message, limit)
        if message.message_id in {result.memory.id for result in response.results}:
            return True
    return False


async def not_found(client: Client, messages: Sequence[SentMessage]) -> list[str]:
    """Return the words of the messages that no search finds."""
    frequency = Counter(word for each in messages for word in words_of(each.sent))
    free = asyncio.Semaphore(CONCURRENT_SEARCHES)

    async def look(message: SentMessage) -> str | None:
        async with free:
            return None if await is_found(client, message, frequency) else message.sent.content

    return [lost for lost in await asyncio.gather(*map(look, messages)) if lost is not None]


@pytest.mark.slow
async def test_search_finds_every_imported_message_by_its_words(stack: Stack) -> None:
    entries = list(read_transcript(chats()))
    async with Client.connect(client_of(stack)) as client:
        imported = await import_entries(client, entries)
        assert len(imported) == len(entries) >= 150
        assert await not_found(client, imported) == []


async def test_longest_message_is_stored_whole_and_found_by_words_of_all_its_parts(
    stack: Stack,
) -> None:
    every = list(read_transcript(long_texts()))
    longest = max(every, key=lambda entry: len(entry.message.content))
    if "EVERWORD_BENCH_DATA" in os.environ:
        assert len(longest.message.content.encode()) > 340_000
    entries = [entry for entry in every if entry.target.key == longest.target.key]
    async with Client.connect(client_of(stack)) as client:
        imported = await import_entries(client, entries)
        assert await not_found(client, imported) == []
        [whole] = [each for each in imported if each.sent == longest.message]
        for words in rare_words_of_parts(longest.message.content):
            response = await search(client, " ".join(words), whole, 200)
            [result] = [r for r in response.results if r.memory.id == whole.message_id]
            assert any(word in result.passage.lower() for word in words)


def rare_words_of_parts(text: str) -> list[list[str]]:
    """Cut a text into parts and return the words of each that are rarest in the whole."""
    words = [word.lower() for word in _WORD.findall(text)]
    frequency = Counter(words)
    step = max(len(words) // PARTS, 20)
    return [
        sorted(set(words[start : start + step]), key=lambda word: (frequency[word], word))[
            :RARE_WORDS
        ]
        for start in range(0, len(words), step)
    ]
