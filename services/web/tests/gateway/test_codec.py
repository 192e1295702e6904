"""Large JSON is parsed without blocking the event loop, with the same result as small JSON."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from everword.admission.fair_share import Group
from everword.admission.limits import limits_table
from everword.client import CallError
from everword.v1 import ingest_service_pb2 as pb
from everword_web.gateway.codec import CODECS, LongWork
from everword_web.gateway.methods import Method

_SERVICE = pb.DESCRIPTOR.services_by_name["IngestService"]
_PATH = "/everword.v1.IngestService/AppendMessages"
APPEND = Method(
    _PATH, pb.AppendMessagesRequest, limits_table([_SERVICE])[_PATH], False, False, None
)
JSON = CODECS["application/json"][0]


async def _read(text: str) -> pb.AppendMessagesRequest:
    message = await JSON.read(APPEND, bytearray(text.encode()), LongWork(), Group("caller"))
    assert isinstance(message, pb.AppendMessagesRequest)
    return message


@pytest.mark.parametrize("count", [1, 100, 5000, 20_000])
async def test_codec_parses_small_and_large_bodies_equally(count: int) -> None:
    one = {"role": "ROLE_USER", "content": 'a "é", 😀', "metadata": {"n": 1.5, "deep": [[], {}]}}
    found = await _read(json.dumps({"messages": [one] * count, "requestId": "r"}))
    assert len(found.messages) == count
    assert found.messages[-1] == found.messages[0]
    assert found.messages[0].content == 'a "é", 😀'
    assert found.request_id == "r"


@pytest.mark.parametrize("count", [2, 100, 20_000])
@pytest.mark.parametrize("end", ['"requestId": "a", "requestId": "b"}', '"nope": 1}', "}", ""])
async def test_codec_refuses_invalid_small_and_large_bodies_equally(count: int, end: str) -> None:
    with pytest.raises(CallError) as caught:
        await _read('{"messages": [%s], %s' % (", ".join(["{}"] * count), end))  # noqa: UP031
    assert caught.value.reason == "VALIDATION_FAILED"


async def test_codec_does_not_block_the_event_loop_for_many_values() -> None:
    body = "{" + ",".join(f'"f{n}": 1' for n in range(500_000)) + "}"
    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0.01)
    started = time.perf_counter()
    with pytest.raises(CallError):
        await _read(body)
    elapsed = time.perf_counter() - started
    watching.cancel()
    # A decoder in C would block the loop for nearly all of the time.
    assert longest <= elapsed / 3
