"""Makes the calls of a run, and checks their answers."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import grpc
import httpx2
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from everword.client.channel import open_channel
from everword.embedded.folder import RunningStack
from everword.v1 import admin_service_pb2, search_service_pb2
from fuzz import json_calls
from fuzz.kinds import kind_of, kinds_of, strings_of
from fuzz.logs import find_exception
from fuzz.outcome import Outcome
from fuzz.planted_faults import plant
from fuzz.requests import KEPT, SELDOM, WATCHES, draw_requests, methods, to_wire
from fuzz.seeds import seeds
from fuzz.values import OF_ONE_RPC, Values
from support.any_rpc import caller_of
from support.callers import Metadata, bearer, within
from support.http_process import serving
from support.refusals import Refusal, read_refusal

ADMIN_KEY = "operators-key-for-the-fuzzer"
CALLERS = 8
TIMEOUT_S = 20.0
#: Share of unary calls that are made over HTTP and JSON.
OVER_HTTP = 0.2
#: Timeout in seconds of calls that wait.
MAX_WAIT_SECONDS = 0.5
#: Share of calls for RPCs without any successful answer yet.
BEHIND = 0.2
#: Errors about an unavailable dependency, which is indeed unavailable.
AWAY = {"EMBEDDER_UNAVAILABLE"}
FORBIDDEN = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DATA_LOSS}
#: Maximal length of texts from answers that are used in later requests.
SHORT = 200
#: A traceback through all interceptors has about 6,000 characters.
MAX_MESSAGE_CHARS = 10_000


def public(running: RunningStack) -> dict[str, str]:
    return {name: running.addresses[name] for name in ("ingest", "search", "compactor")}


class Fuzzer:
    """Makes the calls of a run."""

    def __init__(self, running: RunningStack, outcome: Outcome) -> None:
        self._running = running
        self._outcome = outcome
        self._values = Values(random.Random(outcome.seed))
        self._methods = methods()
        self._seeds = seeds()
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._http: httpx2.AsyncClient
        self._keys: list[Metadata] = []
        self._own_keys: set[str] = set()
        outcome.unanswered = {method.name for _, method in self._methods}

    async def open(self, resources: AsyncExitStack) -> None:
        """Connect, create a key of each role, and call every RPC once as in its recipe, to get ids and tokens."""
        for name, address in public(self._running).items():
            self._channels[name] = await resources.enter_async_context(open_channel(address))
        url = await resources.enter_async_context(
            serving(self._running, "web", "--gateway", "{address}")
        )
        self._http = await resources.enter_async_context(httpx2.AsyncClient(base_url=url))
        pb = admin_service_pb2
        for role in (pb.API_KEY_ROLE_READ, pb.API_KEY_ROLE_WRITE):
            request = pb.CreateApiKeyRequest(api_key=pb.ApiKey(namespace=KEPT, role=role))
            answer = await self._raw(
                *("ingest", self._method("CreateApiKey")),
                [request.SerializeToString()],
                bearer(ADMIN_KEY),
            )
            made = pb.CreateApiKeyResponse.FromString(answer[0])
            self._keys.append(bearer(made.secret))
            self._own_keys.add(made.api_key.id)
        for name in self._seeds:
            if name == "ListTopics":
                await plant(self._running, self._values)
            if any(method.name == name for _, method in self._methods):
                await self._one(self._method(name), as_is=True)

    def _method(self, name: str) -> MethodDescriptor:
        return next(method for _, method in self._methods if method.name == name)

    async def call(self, calls: int, tell: Callable[[int], None]) -> None:
        left = iter(range(calls))

        async def caller() -> None:
            for _ in left:
                await self._one(await self._draw_method())
                self._outcome.calls += 1
                tell(self._outcome.calls)

        await asyncio.gather(*(caller() for _ in range(CALLERS)))

    async def _draw_method(self) -> MethodDescriptor:
        rng = self._values.rng
        if self._outcome.unanswered and rng.random() < BEHIND:
            name = rng.choice(sorted(self._outcome.unanswered))
            # Its data may be deleted: run the earlier recipes again.
            for earlier in self._seeds.values():
                if earlier.method == name:
                    break
                if earlier.service == self._seeds[name].service:
                    await self._one(self._method(earlier.method), as_is=True)
            return self._method(name)
        _, method = rng.choice(self._methods)
        if method.name in SELDOM and rng.random() < 0.7:
            _, method = rng.choice(self._methods)
        return method

    async def _one(self, method: MethodDescriptor, *, as_is: bool = False) -> None:
        recipe = self._seeds[method.name]
        requests = draw_requests(self._values, method, recipe, as_is=as_is)
        metadata = (*bearer(ADMIN_KEY), *within(KEPT)) if as_is else self._metadata(method.name)
        body = None if as_is else self._as_json(method, requests)
        if body is None:
            raw = [each.SerializeToString() for each in requests]
            if not as_is:
                raw = [to_wire(self._values, each) for each in raw]
            calling = self._raw(recipe.server, method, raw, metadata)
        else:
            raw = [body]
            calling = self._over_http(method, body, metadata)
        try:
            answers = await calling
        except grpc.aio.AioRpcError as error:
            self._refused(method.name, error.code(), partial(read_refusal, error), raw)
            return
        except json_calls.HttpError as error:
            self._refused(method.name, error.code, error.read, raw)
            return
        except httpx2.TransportError as error:
            self._fault(method.name, grpc.StatusCode.UNAVAILABLE, repr(error), raw)
            return
        if not as_is:
            self._outcome.codes[method.name, "OK"] += 1
            self._outcome.unanswered.discard(method.name)
        for answer in answers:
            self._remember(method, answer)

    def _as_json(self, method: MethodDescriptor, requests: Sequence[Message]) -> bytes | None:
        """Return the JSON body of a call over HTTP; None for calls over gRPC."""
        streams = method.client_streaming or method.server_streaming
        if streams or method.name in SELDOM or self._values.rng.random() >= OVER_HTTP:
            return None
        return json_calls.as_json(self._values, requests[0])

    async def _over_http(
        self, method: MethodDescriptor, body: bytes, metadata: Metadata
    ) -> list[bytes]:
        return [await json_calls.call(self._http, method, body, metadata, TIMEOUT_S)]

    async def _raw(
        self, host: str, method: MethodDescriptor, raw: Sequence[bytes], metadata: Metadata
    ) -> list[bytes]:
        """Return the answers of a call; only the first of an endless stream."""
        call = caller_of(self._channels[host], method)(
            iter(raw) if method.client_streaming else raw[0],
            metadata=metadata,
            timeout=MAX_WAIT_SECONDS if method.name in SELDOM else TIMEOUT_S,
        )
        if not method.server_streaming:
            return [await call]
        answers = list[bytes]()
        async for each in call:
            answers.append(each)
            if method.name in WATCHES:
                call.cancel()
                break
        return answers

    def _metadata(self, rpc: str) -> Metadata:
        rng = self._values.rng
        dice = rng.random()
        if dice < 0.03:
            return rng.choice([(), bearer("ew_wrong"), bearer("x" * 6000), within("nobody")])
        if dice < 0.2:
            return rng.choice(self._keys)
        return (*bearer(ADMIN_KEY), *within(KEPT))

    def _refused(
        self,
        name: str,
        code: grpc.StatusCode,
        read: Callable[[], Refusal],
        raw: Sequence[bytes],
    ) -> None:
        self._outcome.codes[name, code.name] += 1
        # If the client's own timeout ends the call, there is no error of the server.
        if name in SELDOM and code is grpc.StatusCode.DEADLINE_EXCEEDED:
            return
        try:
            refusal = read()
        except AssertionError as problem:
            self._fault(name, code, f"{problem}", raw)
            return
        unforeseen = code is grpc.StatusCode.UNAVAILABLE and refusal.reason not in AWAY
        if code in FORBIDDEN or unforeseen or code is grpc.StatusCode.DEADLINE_EXCEEDED:
            message = refusal.message
            if code in FORBIDDEN:
                id_ = refusal.metadata.get("request_id", "")
                traceback = find_exception(self._running, id_) if id_ else ""
                message = f"{message}\n{traceback}\n"
            self._fault(name, code, message, raw)

    def _fault(self, name: str, code: grpc.StatusCode, message: str, raw: Sequence[bytes]) -> None:
        sent = [each[:400] for each in raw[:3]]
        self._outcome.faults.append(
            f"{name} {code.name}: {message[:MAX_MESSAGE_CHARS]} after {sent!r}"
        )

    def _remember(self, method: MethodDescriptor, answer: bytes) -> None:
        """Keep ids, tokens and names from an answer for later requests."""
        response: Any = GetMessageClass(method.output_type)()
        response.ParseFromString(answer)
        if method.name == "ExportNamespace":
            self._values.remember("exported", response.data.decode())
            return
        for field, value in strings_of(response):
            if not value or value == KEPT or value in self._own_keys:
                continue
            if field.name.removeprefix("next_") in OF_ONE_RPC:
                self._values.remember(f"{method.name}.{field.name.removeprefix('next_')}", value)
            elif len(value) < SHORT or kind_of(field).endswith("_token"):
                for kind in kinds_of(field):
                    self._values.remember(kind, value)

    async def read_everything(self) -> None:
        """Assert that everything stored can be read, page by page."""
        request = search_service_pb2.BrowseRequest(page_size=200, max_content_chars=100)
        request.filter.include_automated = True
        metadata = (*bearer(ADMIN_KEY), *within(KEPT))
        while True:
            [raw] = await self._raw(
                "search", self._method("Browse"), [request.SerializeToString()], metadata
            )
            request.page_token = search_service_pb2.BrowseResponse.FromString(raw).next_page_token
            if not request.page_token:
                return
