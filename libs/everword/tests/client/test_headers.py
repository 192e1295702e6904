"""Headers that can be sent, and consistency tokens."""

from __future__ import annotations

from dataclasses import replace

import grpc
import pytest

from everword.client import CallError, Client, ClientSettings
from everword.client.freshness import Freshness
from everword.v1.context_service_pb2 import StreamContextRequest
from everword.v1.search_service_pb2 import GetStatsRequest

#: No server listens there: unsendable headers are refused before any call.
NOWHERE = ClientSettings(search_address="127.0.0.1:1", timeout_s=5)


@pytest.mark.parametrize("key", ["schlüssel", "ew_1\n", "日本"])
async def test_api_key_invalid_in_a_header_is_refused_without_showing_it(key: str) -> None:
    async with Client.connect(replace(NOWHERE, api_key=key)) as client:
        with pytest.raises(CallError) as caught:
            await client.search_service.GetStats(GetStatsRequest())
        with pytest.raises(CallError) as streamed:
            async for _ in client.context_service.StreamContext(StreamContextRequest()):
                pass
    for error in (caught.value, streamed.value):
        assert error.code is grpc.StatusCode.UNAUTHENTICATED
        assert error.reason == "CREDENTIALS_INVALID"
        assert key not in str(error)


async def test_metadata_that_cannot_be_sent_is_named_in_the_error() -> None:
    async with Client.connect(NOWHERE) as client:
        sent = (("x-request-id", "zwölf"),)
        with pytest.raises(CallError, match="x-request-id") as caught:
            await client.search_service.GetStats(GetStatsRequest(), metadata=sent)
    assert caught.value.code is grpc.StatusCode.INVALID_ARGUMENT


def test_freshness_keeps_token_of_the_latest_begun_write() -> None:
    fresh = Freshness()
    first, second = fresh.begin(), fresh.begin()
    fresh.wrote("2.second", second)
    fresh.wrote("1.first", first)
    assert fresh.token == "2.second"
    # After a restore, log positions may be smaller: a write that began after all others covers them.
    fresh.wrote("0.third", fresh.begin())
    assert fresh.token == "0.third"
