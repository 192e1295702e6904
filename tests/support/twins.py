"""Two namespaces with the same content, called in the same way: where answers differ, they tell what was asked for."""

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
from support.learned import learn_some, learning_transaction
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

#: Its caller is an operator, whose namespaces are all of them.
OPERATORS = "AdminService"
#: Lists of the deployment, whose page tokens are the same for all namespaces.
SHARED_LISTS = {"ListPrices"}
#: Statements that find out who calls, whose results are kept for a while.
OF_CALLERS = {"api_keys_exist", "find_namespace", "close_deployment", "list_generations"}
_numbers = count(1)
#: Until a stream that goes on says something.
PATIENCE_S = 10.0


@dataclass(frozen=True)
class Told:
    """An answer, as far as it can tell something, and the statements that were run for it."""

    answer: str
    statements: tuple[str, ...]
    #: Why it was refused; empty where it was not.
    reason: str = ""
    #: How long the call took.
    seconds: float = 0.0

    def differs(self, other: Told, statements: bool) -> bool:
        """Return whether another answer, or another way to it, tells the two apart."""
        return self.answer != other.answer or (statements and self.statements != other.statements)


@dataclass
class Twins:
    """The namespaces, and what earlier answers held of each."""

    stack: Stack
    channels: Mapping[str, grpc.aio.Channel]
    names: tuple[str, str]
    #: The gateway through which probes go, None for gRPC itself.
    gateway: httpx2.AsyncClient | None = None
    kept: dict[str, dict[str, str]] = field(init=False)
    #: What was sent to each of what is another's, or nobody's: it is in later answers, too.
    sent: dict[str, list[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.kept = {name: {} for name in self.names}
        self.sent = {name: [name] for name in self.names}

    async def go_on(self, method: MethodDescriptor, recipe: Recipe) -> None:
        """Call a recipe in both, and keep of its answers what later ones need."""
        for name in self.names:
            kept = self.kept[name]
            if recipe.method == "ListTopics":
                await self._learn(name)
            try:
                answers = await self._call(
                    method, recipe, self._requests(method, recipe, name), name
                )
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
    ) -> list[Told]:
        """Call a recipe with a value in one place, another one in each namespace; return what they tell.

        `number` is a place that says which version or part of it, the first one in both.
        """
        told = []
        for name, value in zip(self.names, values, strict=True):
            requests = self._requests(method, recipe, name)
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
            told.append(Told(said, _statements(int(trace, 16)), reason, seconds))
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
        """Return the answer of a probe, or its refusal with the reason."""
        if self.gateway is not None:
            [request], headers = requests, dict((*within(name), *more))
            answer = await call_over_http(
                self.gateway, method, request, headers, endless=method.name in WATCHES
            )
            return answer, answer.reason if isinstance(answer, HttpError) else ""
        try:
            return await self._call(method, recipe, requests, name, more), ""
        except grpc.aio.AioRpcError as error:
            refusal = read_refusal(error)
            return refusal, refusal.reason

    async def texts_of(self, name: str) -> dict[str, str]:
        """Return by kind a text of another namespace, as its lists show it to itself."""
        texts: dict[str, str] = {}
        for method, recipe in recipes():
            if not method.name.startswith(("List", "Browse")):
                continue
            request = GetMessageClass(method.input_type)()
            try:
                [answer] = await self._call(method, recipe, [request], name)
            except grpc.aio.AioRpcError:
                continue
            for field_, value in strings_of(answer):
                if len(value) > 5:
                    texts.setdefault(kind_of(field_), value)
        return texts

    def _requests(self, method: MethodDescriptor, recipe: Recipe, name: str) -> list[Any]:
        requests = requests_of(method, recipe, self.kept[name])
        if method.name == "Answer":
            requests[0].query = "zzyzx"  # nothing is found, and no model is asked
        elif method.name in ("ReadAddress", "ListAddress"):
            requests[0].address = requests[0].address.replace("default", name)
        return requests

    async def _call(
        self,
        method: MethodDescriptor,
        recipe: Recipe,
        requests: list[Any],
        name: str,
        more: Any = (),
    ) -> list[Any]:
        make = caller_of(
            self.channels[recipe.server],
            method,
            type(requests[0]).SerializeToString,
            GetMessageClass(method.output_type).FromString,
        )
        sent = iter(requests) if method.client_streaming else requests[0]
        call = make(sent, metadata=(*within(name), *more), timeout=PATIENCE_S)
        if not method.server_streaming:
            return [await call]
        answers = []
        async for each in call:
            answers.append(each)
            if method.name in WATCHES:
                call.cancel()
                break
        return answers

    async def _learn(self, name: str) -> None:
        with self.stack.database.connect() as conn:
            row = conn.execute("SELECT id FROM namespaces WHERE name = %s", [name]).fetchone()
        assert row
        kept = self.kept[name]
        said = (kept["MESSAGE_ID"], kept["CONVERSATION_ID"], [kept["NODE_ID"]])
        async with learning_transaction(self.stack.database, row[0]) as conn_of_compactor:
            await learn_some(conn_of_compactor, "Ana", *said, row[0])


@asynccontextmanager
async def twins(stack: Stack, *names: str, gateway: str = "") -> AsyncIterator[Twins]:
    """Make two namespaces. Probes go through the gateway at this URL, where one is given."""
    exporter()
    first, second = names
    await make_namespaces(stack, first, second)
    async with AsyncExitStack() as resources:
        channels = {
            name: await resources.enter_async_context(open_channel(address))
            for name, address in stack.addresses.items()
        }
        http = None
        if gateway:
            client = httpx2.AsyncClient(base_url=gateway, timeout=30)
            http = await resources.enter_async_context(client)
        yield Twins(stack, channels, (first, second), http)


async def tell_apart(both: Twins, theirs: Any, texts: Mapping[str, str]) -> list[str]:
    """Probe every place of every RPC; return how what is theirs was told from what never was, and what leaked.

    Without `texts`, ids alone are tried.
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
            # Whoever watches asks again and again.
            counted = method.name not in WATCHES
            if first.differs(second, counted):
                # What the twins hold may differ by what was done in them: what tells something does so in each of them.
                unlike, alike = await both.probe(method, recipe, path, values[::-1], number)
                if not (first.differs(unlike, counted) and alike.differs(second, counted)):
                    second = first
            case = f"{method.name} {path}" + (f" with {number}" if number else "")
            if first.answer != second.answer or "Their" in first.answer:
                wrong.append(f"{case}: {first.answer[:400]} and not {second.answer[:400]}")
            elif counted and first.statements != second.statements:
                wrong.append(f"{case}: {first.statements} and not {second.statements}")
            # Beside a number, an id may be one under which the probe before has made something.
            elif path.is_id and number is None and first.reason == "VALIDATION_FAILED":
                wrong.append(
                    f"{case} is refused before anything is looked for: {first.answer[:400]}"
                )
            if texts and path.kind.endswith("_token"):
                wrong += await _with_bad_tokens(both, theirs, method, recipe, path)
        await both.go_on(method, recipe)
    return wrong


def _places(method: MethodDescriptor) -> Iterator[tuple[Path, Path | None]]:
    """Yield the places to probe: each of a string, and each of an id beside each number that goes with one."""
    yield from product(paths(method), [None])
    for path, number in product(paths(method), numbers(method)):
        if path.is_id and number.within:
            yield path, number


async def _with_bad_tokens(
    both: Twins, theirs: Any, method: MethodDescriptor, recipe: Recipe, path: Path
) -> list[str]:
    """Return which tokens that nobody issued for this are not refused for what they are."""
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
    """Return every public RPC that is not an operator's, in the order in which their recipes can be called."""
    by_path = {(m.containing_service.name, m.name): m for _, m in methods()}
    return [
        (by_path[each.service, each.method], each)
        for each in read_recipes()
        if each.service != OPERATORS and (each.service, each.method) in by_path
    ]


def _statements(trace_id: int) -> tuple[str, ...]:
    """Return the statements of a trace, in the order in which they ended."""
    return tuple(
        span.name
        for span in exporter().get_finished_spans()
        if span.context
        and span.context.trace_id == trace_id
        and span.kind is SpanKind.CLIENT
        and span.name not in OF_CALLERS
    )
