"""The model server of `everword bench speed`: its answers pass the compactor's checks, and take the configured time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import httpx2
import pytest

from everword.bench.speed import corpus, stub
from everword.bench.speed.bench_stack import running_stub
from everword.chat.blocking import BlockingChat
from everword.chat.model import ChatRequest
from everword.chat.settings import ChatSettings
from everword_compactor.compose.llm.composer import LlmComposer
from everword_compactor.compose.model import Composition, Draft, Level, Source
from everword_compactor.outcomes.sentence import Call
from everword_compactor.tool_sentences.check import check_sentence
from everword_compactor.tool_sentences.prompt import read_sentence, tool_sentence_request

NOON = datetime(2026, 4, 18, 12, 0, tzinfo=UTC)
CHATS = UUID(int=7), UUID(int=8)
TEXTS = [
    "Invoice INV-00042 over 1,250.50 € came on 2026-04-17, see https://example.org/i?n=42.",
    "- with [chat:c9] and\n[#03 a header] in a list",
    'She said "we ship on Friday" and renamed parser.py at 14:05.\nNobody objected.',
    *corpus.texts(9, stream=77),
]


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with running_stub(tmp_path) as running:
        yield running


def messages(chats: tuple[UUID, ...] = CHATS[:1], instance: str = "laptop") -> list[Source]:
    return [
        Source(
            id=UUID(int=100 + place),
            level=0,
            text=text,
            earliest_at=NOON + timedelta(minutes=place),
            latest_at=NOON + timedelta(minutes=place),
            message_count=1,
            conversation_id=chats[place % len(chats)],
            agent="Bo",
            channel="cli",
            role=2,
            author="Ada",
            instance=instance,
        )
        for place, text in enumerate(TEXTS)
    ]


def above(nodes: list[Composition], level: Level) -> list[Source]:
    """Return the nodes as sources of the next level."""
    return [
        Source(
            id=UUID(int=200 + place),
            level=level - 1,
            text=node.content,
            earliest_at=NOON,
            latest_at=NOON + timedelta(minutes=len(TEXTS)),
            message_count=len(TEXTS),
            conversation_id=None if level.of_calendar else CHATS[0],
            agent="Bo",
        )
        for place, node in enumerate(nodes)
    ]


def asked_of_model(url: str, ask: Callable[[BlockingChat], None]) -> None:
    chat = BlockingChat(ChatSettings(url, stub.CHAT_MODEL, pauses_s=()), beat_s=0.05)
    try:
        ask(chat)
    finally:
        chat.close()


async def asked_since(url: str) -> list[dict[str, object]]:
    async with httpx2.AsyncClient(trust_env=False) as http:
        found = (await http.get(f"{url}/asked")).raise_for_status().json()["asked"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    "ladder",
    [
        [Level.LEAF, Level.BRANCH, Level.ROOT],
        [Level.DAY, Level.WEEK, Level.MONTH, Level.YEAR],
    ],
    ids=["conversation", "calendar"],
)
async def test_stub_summaries_of_every_level_are_faithful_at_first_request(
    url: str, ladder: list[Level]
) -> None:
    made: list[Composition] = []

    def climb(chat: BlockingChat) -> None:
        composer = LlmComposer(chat)
        sources = messages(CHATS if ladder[0].of_calendar else CHATS[:1])
        for level in ladder:
            chat_id = None if level.of_calendar else CHATS[0]
            draft = Draft(level, sources, "2026", conversation_id=chat_id, agent="Bo")
            made.append(composer.compose(draft, lambda: None))
            # In reality, the next level's sources differ; here they are equal. More are split into several requests.
            sources = above([made[-1]] * 2, Level(level + 1))

    await asyncio.to_thread(asked_of_model, url, climb)
    assert [list(node.faithfulness.unsupported) for node in made] == [[] for _ in ladder]
    assert [list(node.faithfulness.wrong_tags) for node in made] == [[] for _ in ladder]
    assert len(await asked_since(url)) == len(ladder)
    assert await asked_since(url) == []
    # The stub quotes some of its sources and omits the rest.
    assert TEXTS[0] in made[0].content
    assert TEXTS[5] not in made[0].content
    assert ladder[0].of_calendar or "[chat:c9]" in made[0].content


@pytest.mark.parametrize(
    ("tool", "args"),
    [("read_file", '{"path": "src/app.py"}'), ("x", ""), ("search everything", "{}"), ("", "")],
)
async def test_stub_tool_sentence_passes_checks(url: str, tool: str, args: str) -> None:
    def ask(chat: BlockingChat) -> None:
        call = Call(tool, args, "42 lines")
        sentence = read_sentence(chat.complete(tool_sentence_request(call)))
        assert check_sentence(sentence, call) == []

    await asyncio.to_thread(asked_of_model, url, ask)


async def test_stub_answers_take_configured_time(url: str) -> None:
    number, rate = 10, 40.0
    async with httpx2.AsyncClient(base_url=url, trust_env=False) as http:
        speed = {"texts": None, "answers": rate}
        (await http.post("/speed", json=speed)).raise_for_status()
        body = {"model": stub.CHAT_MODEL, "messages": [{"role": "user", "content": "Hello."}]}
        started = time.perf_counter()
        # Concurrent requests share one queue.
        await asyncio.gather(*(http.post("/v1/chat/completions", json=body) for _ in range(number)))
        took_s = time.perf_counter() - started
        # The embedding endpoint has a queue of its own.
        started = time.perf_counter()
        texts = {"model": stub.MODEL, "input": ["one", "two"]}
        (await http.post("/v1/embeddings", json=texts)).raise_for_status()
    assert took_s >= 0.98 * number / rate


async def test_stub_answers_request_without_schema_in_plain_text(url: str) -> None:
    def ask(chat: BlockingChat) -> None:
        request = ChatRequest(task="probe", system="Answer.", user="Hello.", max_tokens=16)
        assert chat.complete(request).text == "Yes."

    await asyncio.to_thread(asked_of_model, url, ask)
