"""Every RPC has a recipe in `examples/grpcurl`, and every recipe works with reflection alone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest_asyncio
from google.protobuf import descriptor_pb2, json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from everword.chat.settings import ChatSettings
from everword.client.channel import open_channel
from scripts.recipes import Recipe, read_recipes
from support.any_rpc import caller_of
from support.command_line import CommandResult, run
from support.databases import cloned
from support.documents import ROOT
from support.grpcurl import with_grpcurl
from support.learned_facts import learn_some, learning_transaction
from support.scripted_chat import ScriptedChat
from support.stack import Stack, running_stack

KEY = "a-key-of-an-operator-for-tests"
METADATA = (("authorization", f"Bearer {KEY}"),)
#: Streams that only end when the client leaves.
WATCHES = {"WatchMemories", "Sleep"}
#: Recipes that are also run by third-party programs: of each server, streaming ones, with and without ids.
SAMPLE = (
    *("AppendMessages", "ListMessages", "StreamContext", "UploadDocument"),
    *("WriteNote", "SearchGraph", "GetQueueStatus", "Embed"),
)


class Reflected:
    """A server's methods, known only through reflection."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.channel = channel
        self.methods: dict[str, MethodDescriptor] = {}

    async def read(self) -> None:
        """Ask for all services."""
        generated: Any = reflection_pb2_grpc  # Typed only for synchronous channels.
        asking = generated.ServerReflectionStub(self.channel).ServerReflectionInfo()
        request = reflection_pb2.ServerReflectionRequest
        await asking.write(request(list_services=""))
        names = [each.name for each in (await asking.read()).list_services_response.service]
        files: dict[str, descriptor_pb2.FileDescriptorProto] = {}
        for name in names:
            await asking.write(request(file_containing_symbol=name))
            found = (await asking.read()).file_descriptor_response.file_descriptor_proto
            for each in map(descriptor_pb2.FileDescriptorProto.FromString, found):
                files[each.name] = each
        await asking.done_writing()
        pool = DescriptorPool()
        for name in list(files):
            _add(pool, files, name)
        for name in names:
            service = pool.FindServiceByName(name)
            self.methods |= {f"{name}/{each.name}": each for each in service.methods}

    async def call(self, recipe: Recipe, kept: dict[str, str]) -> Any:
        """Return the answer as JSON; the first one of a stream."""
        path = f"{recipe.package}.{recipe.service}/{recipe.method}"
        method = self.methods[path]
        request_type = GetMessageClass(method.input_type)
        requests = [
            json_format.ParseDict(_filled(each, kept), request_type()) for each in recipe.requests
        ]
        answer_type = GetMessageClass(method.output_type)
        call = caller_of(
            self.channel, method, request_type.SerializeToString, answer_type.FromString
        )(iter(requests) if method.client_streaming else requests[0], metadata=METADATA, timeout=30)
        if not method.server_streaming:
            return json_format.MessageToDict(await call)
        answers = []
        async for each in call:
            answers.append(json_format.MessageToDict(each))
            if recipe.method in WATCHES:
                call.cancel()
                break
        return answers[0]


def _add(pool: DescriptorPool, files: dict[str, Any], name: str) -> None:
    """Add a file to the pool after its dependencies."""
    if name in files:
        file = files.pop(name)
        for needed in file.dependency:
            _add(pool, files, needed)
        pool.Add(file)


def _filled(value: Any, kept: dict[str, str]) -> Any:
    """Insert kept values into a request."""
    if isinstance(value, dict):
        return {name: _filled(each, kept) for name, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, kept) for each in value]
    return re.sub(r"\$([A-Z_]+)", lambda m: kept[m[1]], value) if isinstance(value, str) else value


def _picked(answer: Any, path: str) -> str:
    """Return the value at a `jq` path such as .messages[0].messageId."""
    for name, number in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        answer = answer[name] if name else answer[int(number)]
    assert isinstance(answer, str)
    return answer


@pytest_asyncio.fixture
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database, ScriptedChat().running() as model:
        chat = ChatSettings(model.url, model.model)
        async with running_stack(database, admin_key=KEY, chat=chat, embedder=False) as stack:
            yield stack


async def _learn(stack: Stack, kept: dict[str, str]) -> None:
    """Store memories that background work learns from Ana's message, and a page about a node."""
    async with learning_transaction(stack.database) as conn:
        said = (kept["MESSAGE_ID"], kept["CONVERSATION_ID"])
        await learn_some(conn, "Ana", *said, [kept["NODE_ID"]])


@asynccontextmanager
async def _reflected(stack: Stack) -> AsyncIterator[dict[str, Reflected]]:
    """Yield the reflection data of the servers, by service."""
    async with AsyncExitStack() as channels:
        servers = {}
        for name, address in stack.addresses.items():
            channel = await channels.enter_async_context(open_channel(address))
            servers[name] = Reflected(channel)
            await servers[name].read()
        yield servers


async def test_every_rpc_has_a_recipe_that_works(stack: Stack, tmp_path: Path) -> None:
    kept: dict[str, str] = {}
    recipes = {f"{each.package}.{each.service}/{each.method}": each for each in read_recipes()}
    async with _reflected(stack) as servers:
        offered = {path for server in servers.values() for path in server.methods}
        assert {path for path in offered if path.startswith("everword.")} == set(recipes)
        for recipe in recipes.values():
            if recipe.method == "ListTopics":
                await _learn(stack, kept)
            answer = await servers[recipe.server].call(recipe, kept)
            kept |= {name: _picked(answer, path) for name, path in recipe.keep.items()}
    await _run_some(
        stack, [each for each in recipes.values() if each.method in SAMPLE], kept, tmp_path
    )


async def _run_some(
    stack: Stack, recipes: list[Recipe], kept: dict[str, str], folder: Path
) -> None:
    """Run commands as on the page, in a shell whose `grpcurl` is `buf curl`."""
    assert len(recipes) == len(SAMPLE)
    variables = {**kept, **with_grpcurl(folder, KEY)}
    page = (ROOT / "docs" / "reference" / "recipes.md").read_text(encoding="utf-8")

    async def run_one(recipe: Recipe) -> CommandResult:
        assert f"```sh\n{recipe.command}\n```" in page
        command = recipe.command.replace(recipe.address, stack.addresses[recipe.server])
        return await run(stack, "bash", "-c", command, variables=variables)

    for recipe, done in zip(recipes, await asyncio.gather(*map(run_one, recipes)), strict=True):
        assert done.status == 0, f"{recipe.method}: {done.errors}"
        assert done.output.startswith("{"), recipe.method
