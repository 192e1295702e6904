"""One run: a stack, calls of every RPC at once, and what came of them."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from asyncio.subprocess import PIPE
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import grpc

from everword.client.channel import open_channel
from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.process import ProcessSpec
from everword.embedded.services import service_specs
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.v1 import admin_service_pb2, search_service_pb2
from fuzz.requests import KEPT, SELDOM, draw_request, methods, to_wire
from fuzz.values import Values
from support.callers import Metadata, bearer, within
from support.refusals import read_refusal

ADMIN_KEY = "operators-key-for-the-fuzzer"
CALLERS = 8
TIMEOUT_S = 20.0
#: What a call that waits is given.
PATIENCE_S = 0.5
#: Part of the calls after which memory is first looked at.
WARM_UP = 0.3
#: Errors that say that something else is away, which is so: no language model is configured.
AWAY = {"CHAT_NOT_CONFIGURED", "EMBEDDER_UNAVAILABLE"}
FORBIDDEN = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DATA_LOSS}


@dataclass
class Outcome:
    """What came of a run."""

    seed: int
    calls: int = 0
    #: Answers by RPC and code.
    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: What must not happen, with the request that did it.
    faults: list[str] = field(default_factory=list)
    #: Megabytes of each service, after the warm-up and at the end.
    memory_mb: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: Seconds of all answers about the health.
    health_s: list[float] = field(default_factory=list)

    @property
    def growth(self) -> float:
        return max(after / before for before, after in self.memory_mb.values())

    def health_quantile(self, share: float) -> float:
        return sorted(self.health_s)[int(share * (len(self.health_s) - 1))]


async def run(calls: int, seed: int, tell: Callable[[int], None]) -> Outcome:
    """Make calls, and return what came of them. `tell` gets how many were made."""
    outcome = Outcome(seed)
    settings = StackSettings(data=None, ports=Ports.free())
    async with stack(settings, services=_services) as running, AsyncExitStack() as resources:
        fuzzer = Fuzzer(running, outcome)
        await fuzzer.open(resources)
        health = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "fuzz.health", *_public(running).values()),
            stdin=PIPE,
            stdout=PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        await fuzzer.call(int(calls * WARM_UP), tell)
        before = _memory(running)
        await fuzzer.call(calls - int(calls * WARM_UP), tell)
        after = _memory(running)
        outcome.memory_mb = {name: (before[name], after[name]) for name in before}
        answered, _ = await health.communicate(b"")
        if health.returncode:
            outcome.faults.append("a service did not tell its health")
        else:
            outcome.health_s = [each for took in json.loads(answered).values() for each in took]
        await fuzzer.read_everything()
    return outcome


def _services(running: RunningStack) -> list[ProcessSpec]:
    """Describe the services, with an operator's key, and without workers: what they do depends on the load."""
    return [
        replace(spec, environment={**spec.environment, "EVERWORD_ADMIN_KEY": ADMIN_KEY})
        for spec in service_specs(running)
        if not spec.name.endswith("worker")
    ]


def _public(running: RunningStack) -> dict[str, str]:
    return {name: running.addresses[name] for name in ("ingest", "search", "compactor")}


def _memory(running: RunningStack) -> dict[str, int]:
    """Return the megabytes that each public service has."""
    found = {}
    for process in running.processes:
        if process.name in _public(running):
            status = Path(f"/proc/{process.pid}/status").read_text()
            [line] = [line for line in status.splitlines() if line.startswith("VmRSS")]
            found[process.name] = int(line.split()[1]) // 1024
    return found


class Fuzzer:
    """Makes the calls of a run."""

    def __init__(self, running: RunningStack, outcome: Outcome) -> None:
        self._running = running
        self._outcome = outcome
        self._values = Values(random.Random(outcome.seed))
        self._methods = methods()
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._keys: list[Metadata] = []

    async def open(self, resources: AsyncExitStack) -> None:
        """Connect, and make the namespace and a key of each role."""
        for name, address in _public(self._running).items():
            self._channels[name] = await resources.enter_async_context(open_channel(address))
        pb = admin_service_pb2
        await self._admin(
            "CreateNamespace", pb.CreateNamespaceRequest(namespace=pb.Namespace(name=KEPT)), pb
        )
        for role in (pb.API_KEY_ROLE_READ, pb.API_KEY_ROLE_WRITE):
            request = pb.CreateApiKeyRequest(api_key=pb.ApiKey(namespace=KEPT, role=role))
            made = pb.CreateApiKeyResponse.FromString(
                await self._admin("CreateApiKey", request, pb)
            )
            self._keys.append(bearer(made.secret))

    async def _admin(self, name: str, request: Any, module: Any) -> bytes:
        path = f"/everword.v1.AdminService/{name}"
        return await self._raw("ingest", path, request.SerializeToString(), bearer(ADMIN_KEY))

    async def call(self, calls: int, tell: Callable[[int], None]) -> None:
        left = iter(range(calls))

        async def caller() -> None:
            for _ in left:
                await self._one()
                self._outcome.calls += 1
                tell(self._outcome.calls)

        await asyncio.gather(*(caller() for _ in range(CALLERS)))

    async def _one(self) -> None:
        rng = self._values.rng
        host, method = rng.choice(self._methods)
        if method.name in SELDOM and rng.random() < 0.7:
            host, method = rng.choice(self._methods)
        request = draw_request(self._values, method)
        raw = to_wire(self._values, request)
        path = f"/{method.containing_service.full_name}/{method.name}"
        patience = PATIENCE_S if method.name in SELDOM else TIMEOUT_S
        try:
            answer = await self._raw(
                host, path, raw, self._metadata(), method.client_streaming, patience
            )
        except grpc.aio.AioRpcError as error:
            self._refused(method.name, error, raw, waits=method.name in SELDOM)
            return
        self._outcome.codes[method.name, "OK"] += 1
        response = _response(method)
        response.ParseFromString(answer)
        self._remember(response)

    async def _raw(
        self,
        host: str,
        path: str,
        raw: bytes,
        metadata: Metadata,
        streaming: bool = False,
        timeout_s: float = TIMEOUT_S,
    ) -> bytes:
        channel: Any = self._channels[host]
        if streaming:
            batches = [raw] * self._values.rng.choice([0, 1, 1, 2])
            call = channel.stream_unary(path)(iter(batches), metadata=metadata, timeout=timeout_s)
        elif path.endswith(("/StreamContext", "/Sleep")):
            call = channel.unary_stream(path)(raw, metadata=metadata, timeout=timeout_s)
            parts: list[bytes] = [part async for part in call]
            return parts[-1]
        else:
            call = channel.unary_unary(path)(raw, metadata=metadata, timeout=timeout_s)
        answer: bytes = await call
        return answer

    def _metadata(self) -> Metadata:
        rng = self._values.rng
        dice = rng.random()
        if dice < 0.03:
            return rng.choice([(), bearer("ew_wrong"), bearer("x" * 6000), within("nobody")])
        if dice < 0.2:
            return rng.choice(self._keys)
        return (*bearer(ADMIN_KEY), *within(KEPT))

    def _refused(self, name: str, error: grpc.aio.AioRpcError, raw: bytes, *, waits: bool) -> None:
        code = error.code()
        self._outcome.codes[name, code.name] += 1
        # Where the client's own clock ends the call, no server has said why.
        if waits and code is grpc.StatusCode.DEADLINE_EXCEEDED:
            return
        try:
            refusal = read_refusal(error)
        except AssertionError as problem:
            self._fault(name, code, f"{problem}", raw)
            return
        unforeseen = code is grpc.StatusCode.UNAVAILABLE and refusal.reason not in AWAY
        if code in FORBIDDEN or unforeseen or code is grpc.StatusCode.DEADLINE_EXCEEDED:
            self._fault(name, code, refusal.message, raw)

    def _fault(self, name: str, code: grpc.StatusCode, message: str, raw: bytes) -> None:
        self._outcome.faults.append(f"{name} {code.name}: {message[:300]} after {raw[:400]!r}")

    def _remember(self, response: Any) -> None:
        """Keep ids and tokens of a response for later requests."""
        for name, value in _strings(response):
            if name in ("conversation_id", "consistency_token", "summary_id", "api_key_id"):
                self._values.remember(name, value)
            elif name == "name" and value != KEPT:
                self._values.remember("name", value)
            elif name == "id" and isinstance(response, admin_service_pb2.CreateApiKeyResponse):
                self._values.remember("api_key_id", value)
            elif name == "message_id":
                self._values.remember("memory_id", value)
                self._values.remember("message_id", value)
            elif name == "next_page_token" and value:
                self._values.remember("page_token", value)

    async def read_everything(self) -> None:
        """Hold that what was stored can be read: all of it, page by page."""
        request = search_service_pb2.BrowseRequest(page_size=200, max_content_chars=100)
        request.filter.include_automated = True
        metadata = (*bearer(ADMIN_KEY), *within(KEPT))
        path = "/everword.v1.SearchService/Browse"
        while True:
            raw = await self._raw("search", path, request.SerializeToString(), metadata)
            request.page_token = search_service_pb2.BrowseResponse.FromString(raw).next_page_token
            if not request.page_token:
                return


def _response(method: Any) -> Any:
    from google.protobuf.message_factory import GetMessageClass

    return GetMessageClass(method.output_type)()


def _strings(message: Any) -> Iterator[tuple[str, str]]:
    """Yield the strings of a message with the names of their fields."""
    for field_, value in message.ListFields():
        if field_.type == field_.TYPE_STRING and not field_.is_repeated:
            yield field_.name, value
        elif field_.type == field_.TYPE_MESSAGE and not field_.message_type.GetOptions().map_entry:
            for inner in list(value)[:5] if field_.is_repeated else [value]:
                yield from _strings(inner)
