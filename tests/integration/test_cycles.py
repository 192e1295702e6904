"""Calls, failed ones too, leave no reference cycles: during an outage, memory would fill with requests."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import FrameType

import grpc
import pytest

from everword.chat.client import ChatClient
from everword.chat.errors import ChatError
from everword.chat.model import ChatRequest
from everword.chat.settings import ChatSettings
from everword.internal.v1 import embedder_service_pb2 as pb
from support.databases import DatabaseUnderTest
from support.running_stack import embed_with
from support.scripted_chat import ScriptedChat
from support.scripted_chat import status as chat_status
from support.scripted_embedder import Behaviour, ScriptedEmbedder, garbage, status
from support.stack import Stack, running_stack

ASKED = ChatRequest(task="leaf", system="Be brief.", user="What holds?", max_tokens=100)
POISON = "poison"


async def _left(call: Callable[[], Awaitable[object]]) -> set[str]:
    """Return Everword's functions and classes whose frames and objects some calls left in reference cycles."""
    for _ in range(3):
        await call()
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        for _ in range(5):
            await call()
        gc.collect()
        return {
            each.f_code.co_qualname
            for each in gc.garbage
            if isinstance(each, FrameType) and "everword" in each.f_code.co_filename
        } | {
            type(each).__qualname__
            for each in gc.garbage
            if type(each).__module__.startswith("everword")
        }
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


async def test_successful_embed_leaves_no_reference_cycles(database: DatabaseUnderTest) -> None:
    with ScriptedEmbedder().running() as server:
        embed_with(database, server)
        async with running_stack(database, embedder=False) as stack:
            request = pb.EmbedRequest(texts=["A text."], priority=pb.EMBED_PRIORITY_BACKGROUND)
            assert await _left(lambda: stack.embedder.Embed(request)) == set()


@pytest.mark.parametrize("texts", [[POISON], ["fine", POISON, "fine, too"]])
async def test_embed_of_refused_texts_leaves_no_reference_cycles(
    database: DatabaseUnderTest, texts: list[str]
) -> None:
    with ScriptedEmbedder().running() as server:
        server.poison = POISON
        embed_with(database, server)
        async with running_stack(database, embedder=False) as stack:
            request = pb.EmbedRequest(texts=texts, priority=pb.EMBED_PRIORITY_BACKGROUND)

            assert await _left(lambda: _refused(stack, request)) == set()


@pytest.mark.parametrize("behaviour", [status(500), garbage])
async def test_embed_with_failing_model_leaves_no_reference_cycles(
    database: DatabaseUnderTest, behaviour: Behaviour
) -> None:
    with ScriptedEmbedder().running() as server:
        embed_with(database, server)
        async with running_stack(database, embedder=False) as stack:
            server.always = behaviour
            request = pb.EmbedRequest(texts=["A text."], priority=pb.EMBED_PRIORITY_BACKGROUND)
            await _refused(stack, request)
            assert await _left(lambda: _refused(stack, request)) == set()


async def _refused(stack: Stack, request: pb.EmbedRequest) -> None:
    with suppress(grpc.aio.AioRpcError):
        await stack.embedder.Embed(request)
        raise AssertionError("it was answered")


async def test_failed_language_model_call_leaves_no_reference_cycles() -> None:
    with ScriptedChat().running() as server:
        server.always = chat_status(500)
        client = ChatClient(ChatSettings(server.url, server.model, pauses_s=()))

        async def call() -> None:
            with suppress(ChatError):
                await client.complete(ASKED)
                raise AssertionError("it was answered")

        assert await _left(call) == set()
        await client.close()
