"""Two namespaces with the same content and the same calls: differences in their answers reveal whether an id exists."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count, product
from typing import Any

import grpc
import httpx2
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass
from opentelemetry.trace import SpanKind

from everword.client.channel import open_channel
from fuzz.kinds import kind_of, strings_of
from fuzz.requests import WATCHES, methods
from scripts.recipes import Recipe, read_recipes
from support.any_rpc import caller_of
from support.callers import make_namespaces, within
from support.connect import HttpError, call_over_http
from support.learned_facts import learn_some, learning_transaction
from support.probes import (
    Path,
    bad_tokens,
    keep,
    numbers,
    paths,
    plain,
    requests_of,
    set_request_id,
    values_for,
)
from support.refusals import read_refusal
from support.spans import exporter
from support.stack import Stack

#: RPCs of operators, who may access all namespaces.
OPERATORS = "AdminService"
#: Lists of the deployment, whose page tokens are the same for all namespaces.
SHARED_LISTS = {"ListPrices"}
#: Statements that find out who calls, whose results are kept for a while.
OF_CALLERS = {"api_keys_exist", "find_namespace", "close_deployment", "list_generations"}
_numbers = count(1)
#: Seconds until an endless stream sends something.
MAX_WAIT_SECONDS = 30.0


@dataclass(frozen=True)
class ObservedAnswer:
    """An answer without values that differ between calls, and the statements executed for it."""

    answer: str
    statements: tuple[str, ...]
    #: Reason of the refusal; empty if the call succeeded.
    reason: str = ""
    #: Duration of the call, in seconds.
    seconds: float = 0.0

    def differs(self, other: ObservedAnswer, statements: bool) -> bool:
        """Return whether the answers, or the executed statements, differ."""
        return self.answer != other.answer or (statements and self.statements != other.statements)


@dataclass
class Twins:
    """The namespaces, two for probes, and values from earlier answers in each."""

    stack: Stack
    channels: Mapping[str, grpc.aio.Channel]
    names: tuple[str, ...]
    #: The gateway through which probes go, None for gRPC itself.
    gateway: httpx2.AsyncClient | None = None
    kept: dict[str, dict[str, str]] = field(init=False)
    #: Values sent to each namespace that belong to the other one or to none; later answers contain them, too.
    sent: dict[str, list[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.kept = {name: {} for name in self.names}
        self.sent = {name: [name] for name in self.names}

    async def go_on(self, method: MethodDescriptor, recipe: Recipe) -> None:
        """Call a recipe in both, and keep values of its answers for later recipes."""
        for name in self.names:
            kept = self.kept[name]
            if recipe.method == "ListTopics":
                await self.learn(name)
            try:
                answers = await self.call(method, recipe, self.requests(method, recipe, name), name)
            except grpc.aio.AioRpcError:
                assert not recipe.keep, recipe.method
            else:
                keep(recipe, answers, kept)

    async def probe(
        self,
        method: MethodDescriptor,
        recipe: Recipe,
        path: Path,
        values: tuple[str, str],
        number: Path | None = None,
    ) -> list[ObservedAnswer]:
        """Call a recipe with one of `values` at `path` in each namespace; return the two answers.

        `number` is the path of a version or part number, which is the first one in both calls.
        """
        told = []
        for name, value in zip(self.names, values, strict=True):
            requests = self.requests(method, recipe, name)
            called = next(_numbers)
            set_request_id(requests[0], f"probe {called}")
            path.put(requests[0], value)
            if number is not None:
                number.put(requests[0], 1)
            trace = f"{called:032x}"
            parent = (("traceparent", f"00-{trace}-b7ad6b7169203331-01"),)
            begun = time.perf_counter()
            answer, reason = await self._ask(method, recipe, requests, name, parent)
            seconds = time.perf_counter() - begun
            self.sent[name].append(value)
            said = plain(answer, self.sent[name])
            told.append(ObservedAnswer(said, _statements(int(trace, 16)), reason, seconds))
        exporter().clear()
        return told

    async def _ask(
        self,
        method: MethodDescriptor,
        recipe: Recipe,
        requests: list[Any],
        name: str,
        more: tuple[tuple[str, str], ...],
    ) -> tuple[Any, str]:
        """Return the answer of a probe, or its error with the reason."""
        if self.gateway is not None:
            [request], headers = requests, dict((*within(name), *more))
            answer = await call_over_http(
                self.gateway, method, request, headers, endless=method.name in WATCHES
            )
            return answer, answer.reason if isinstance(answer, HttpError) else ""
        try:
            return await self.call(method, recipe, requests, name, more), ""
        except grpc.aio.AioRpcError as error:
            refusal = read_refusal(error)
            return refusal, refusal.reason

    async def texts_of(self, name: str) -> dict[str, str]:
        """Return a text of another namespace by kind, as its own lists show it."""
        texts: dict[str, str] = {}
        for method, recipe in recipes():
            if not method.name.startswith(("List", "Browse")):
                continue
            request = GetMessageClass(method.input_type)()
            try:
                [answer] = await self.call(method, recipe, [request], name)
            except grpc.aio.AioRpcError:
                continue
            for field_, value in strings_of(answer):
                if len(value) > 5:
                    texts.setdefault(kind_of(field_), value)
        return texts

    def requests(self, method: MethodDescriptor, recipe: Recipe, name: str) -> list[Any]:
        """Return a recipe's requests for a namespace, without a need for a model."""
        requests = requests_of(method, recipe, self.kept[name])
        if method.name == "Answer":
            requests[0].query = "zzyzx"  # An answer without hits, so that no model is called.
        elif method.name in ("ReadAddress", "ListAddress"):
            requests[0].address = requests[0].address.replace("default", name)
        return requests

    async def call(
        self,
        method: MethodDescriptor,
        recipe: Recipe,
        requests: list[Any],
        name: str,
        more: Any = (),
    ) -> list[Any]:
        """Call a recipe in a namespace, and return the answers. Raises AioRpcError."""
        make = caller_of(
            self.channels[recipe.server],
            method,
            type(requests[0]).SerializeToString,
            GetMessageClass(method.output_type).FromString,
        )
        sent = iter(requests) if method.client_streaming else requests[0]
        call = make(sent, metadata=(*within(name), *more), timeout=MAX_WAIT_SECONDS)
        if not method.server_streaming:
            return [await call]
        answers = []
        async for each in call:
            answers.append(each)
            if method.name in WATCHES:
                call.cancel()
                break
        return answers

    async def learn(self, name: str) -> None:
        """Store learned rows in a namespace, as Sleep does with a model."""
        with self.stack.database.connect() as conn:
            row = conn.execute("SELECT id FROM namespaces WHERE name = %s", [name]).fetchone()
        assert row
        kept = self.kept[name]
        said = (kept["MESSAGE_ID"], kept["CONVERSATION_ID"], [kept["NODE_ID"]])
        async with learning_transaction(self.stack.database, row[0]) as conn_of_compactor:
            await learn_some(conn_of_compactor, "Ana", *said, row[0])


@asynccontextmanager
async def twins(stack: Stack, *names: str, gateway: str = "") -> AsyncIterator[Twins]:
    """Create namespaces. Probes go through the gateway at this URL if given."""
    exporter()
    await make_namespaces(stack, *names)
    async with AsyncExitStack() as resources:
        channels = {
            name: await resources.enter_async_context(open_channel(address))
            for name, address in stack.addresses.items()
        }
        http = None
        if gateway:
            client = httpx2.AsyncClient(base_url=gateway, timeout=30)
            http = await resources.enter_async_context(client)
        yield Twins(stack, channels, names, http)


async def find_differences(both: Twins, theirs: Any, texts: Mapping[str, str]) -> list[str]:
    """Probe every field of every RPC; return differences between existing and non-existing foreign ids, and leaks.

    If `texts` is empty, only ids are probed.
    """
    wrong = []
    for method, recipe in recipes():
        if method.name in SHARED_LISTS:
            continue
        # A gateway takes no streams of requests.
        places = () if both.gateway and method.client_streaming else _places(method)
        for path, number in places:
            values = values_for(method, path, theirs, texts)
            if values is None or not (texts or path.is_id):
                continue
            first, second = await both.probe(method, recipe, path, values, number)
            # Watch calls poll repeatedly.
            counted = method.name not in WATCHES
            if first.differs(second, counted):
                # Earlier probes may have made the twins' content differ; a real leak shows in each of them.
                unlike, alike = await both.probe(method, recipe, path, values[::-1], number)
                if not (first.differs(unlike, counted) and alike.differs(second, counted)):
                    second = first
            case = f"{method.name} {path}" + (f" with {number}" if number else "")
            if first.answer != second.answer or "Their" in first.answer:
                wrong.append(f"{case}: {first.answer[:400]} and not {second.answer[:400]}")
            elif counted and first.statements != second.statements:
                wrong.append(f"{case}: {first.statements} and not {second.statements}")
            # With a number, the id may be one under which the preceding probe has created something.
            elif path.is_id and number is None and first.reason == "VALIDATION_FAILED":
                wrong.append(
                    f"{case} is refused before anything is looked for: {first.answer[:400]}"
                )
            if texts and path.kind.endswith("_token"):
                wrong += await _with_bad_tokens(both, theirs, method, recipe, path)
        await both.go_on(method, recipe)
    return wrong


def _places(method: MethodDescriptor) -> Iterator[tuple[Path, Path | None]]:
    """Yield the paths to probe: each string, and each id combined with each number that belongs to it."""
    yield from product(paths(method), [None])
    for path, number in product(paths(method), numbers(method)):
        if path.is_id and number.within:
            yield path, number


async def _with_bad_tokens(
    both: Twins, theirs: Any, method: MethodDescriptor, recipe: Recipe, path: Path
) -> list[str]:
    """Return the foreign or damaged tokens that are not refused as invalid."""
    found = values_for(method, path, theirs, {})
    assert found
    other = "ListNotes" if method.name != "ListNotes" else "Browse"
    token = both.kept[both.names[0]].get("TOKEN", found[0]) if "cons" in path.kind else found[0]
    wrong = []
    for pair in bad_tokens(token, theirs.page_tokens[other]):
        wrong += [
            f"{method.name} {path}: {pair} {told.answer[:300]}"
            for told in await both.probe(method, recipe, path, pair)
            if not told.reason.endswith("TOKEN_INVALID")
        ]
    return wrong


def recipes() -> list[tuple[MethodDescriptor, Recipe]]:
    """Return every tenant RPC, in an order in which the recipes can be called."""
    by_path = {(m.containing_service.name, m.name): m for _, m in methods()}
    return [
        (by_path[each.service, each.method], each)
        for each in read_recipes()
        if each.service != OPERATORS and (each.service, each.method) in by_path
    ]


def _statements(trace_id: int) -> tuple[str, ...]:
    """Return the statements of a trace, sorted: those of concurrent reads end in any order."""
    return tuple(
        sorted(
            span.name
            for span in exporter().get_finished_spans()
            if span.context
            and span.context.trace_id == trace_id
            and span.kind is SpanKind.CLIENT
            and span.name not in OF_CALLERS
        )
    )
