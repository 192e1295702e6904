"""Search on a streaming standby waits for tokens at any lag, and has all data after a failover."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from everword.client import CallError, Client
from everword.v1 import search_service_pb2 as search_pb
from everword.v1.conversation_pb2 import ConversationKey
from support.calls import append_request, message
from support.standby import Pair, running_pair, writing_and_reading
from support.waiting import until

KEY = ConversationKey(session_key="s")
#: Far shorter than the lag of a paused standby.
SHORT_S = 1.0


@pytest.fixture
def pair() -> Iterator[Pair]:
    with tempfile.TemporaryDirectory(prefix="everword-standby-") as name:
        Path(name).chmod(0o711)
        with running_pair(Path(name)) as pair:
            yield pair


async def say(client: Client, text: str) -> str:
    """Append a message, and return its token."""
    return (await client.append(KEY, [message(text)])).consistency_token


async def found(client: Client, word: str, token: str = "", timeout_s: float = 30.0) -> int:
    """Return the number of results with a word."""
    request = search_pb.SearchRequest(
        query=word, mode=search_pb.SEARCH_MODE_LEXICAL, at_least_as_fresh=token
    )
    answer = await client.search_service.Search(request, timeout=timeout_s)
    return sum(word in result.memory.content for result in answer.results)


@pytest.mark.slow
async def test_search_on_a_standby_waits_for_a_token_and_outlives_a_failover(pair: Pair) -> None:
    async with writing_and_reading(pair.primary, pair.standby) as client:
        token = await say(client, "The heron came at dawn.")
        assert await found(client, "heron", token) == 1
        pair.lag()
        late = await say(client, "The bittern came at noon.")
        with pytest.raises(CallError) as waited:
            await found(client, "bittern", late, SHORT_S)
        assert waited.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
        # A call without a token gets the standby's current data.
        assert (await found(client, "bittern"), await found(client, "heron", token)) == (0, 1)
        pair.catch_up()
        assert await found(client, "bittern", late) == 1
        last = await say(client, "The egret came at dusk.")
        await until(pair.received_all)
        pair.fail_over()
        # The process keeps reading from the same server.
        assert await found(client, "egret", last) == 1
        with pytest.raises(CallError) as refused:
            await client.ingest_service.AppendMessages(
                append_request("Nobody takes this."), timeout=SHORT_S
            )
        assert refused.value.code in {
            grpc.StatusCode.UNAVAILABLE,
            grpc.StatusCode.DEADLINE_EXCEEDED,
        }
    async with writing_and_reading(pair.standby, pair.standby) as client:
        after = await say(client, "The spoonbill came at night.")
        assert [await found(client, each, after) for each in ("heron", "bittern", "egret")] == [
            1
        ] * 3
        assert await found(client, "spoonbill", max(after, last)) == 1
        conversation = await client.get_conversation(KEY)
        said = [each.body.content async for each in client.iter_messages(conversation.id)]
    assert [text.split()[1] for text in said] == ["heron", "bittern", "egret", "spoonbill"]
