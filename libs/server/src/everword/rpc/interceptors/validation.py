"""Checks each request against the rules that its proto states, before any of Everword's code sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from itertools import chain
from typing import Any

import grpc
import protovalidate
from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from everword.admission.limits import limits_table
from everword.admission.wire import MalformedError, Violation, count_fields
from everword.domain.errors import InvalidArgument, RequestTooLarge
from everword.rpc.interceptors.base import (
    Context,
    Continuation,
    Handler,
    behavior_of,
    replace_behavior,
)
from everword.rpc.long_work import LONG_BYTES, run_in_thread
from everword.rpc.methods import INTERNAL, PUBLIC

#: Violations that an error names at most: details travel in trailers, which are small.
MAX_VIOLATIONS = 10
#: Fields up to which a request's violations are all looked for. Each takes some 15 µs to tell.
_FEW_FIELDS = 2000


@cache
def _shared_validator() -> protovalidate.Validator:
    # Compiling the rules of all services takes 180 ms, which each server of a process would repeat.
    return protovalidate.Validator()


class ValidationInterceptor(grpc.aio.ServerInterceptor):
    """Parses and validates requests itself: a request that gRPC cannot parse would become INTERNAL."""

    def __init__(self, services: list[ServiceDescriptor]) -> None:
        self._validator = _shared_validator()
        self._limits = limits_table(services)
        for method in chain.from_iterable(service.methods for service in services):
            # The first check of a message compiles its rules, which would take a first call 15 ms.
            self._validator.collect_violations(GetMessageClass(method.input_type)())

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        path = handler_call_details.method
        handler = await continuation(handler_call_details)
        if handler is None or not path.startswith((PUBLIC, INTERNAL)):
            return handler
        parse = handler.request_deserializer
        behavior = behavior_of(handler)

        async def unary(raw: bytes, context: Context) -> Any:
            return await behavior(await self.read(raw, parse, path), context)

        async def stream(raws: AsyncIterator[bytes], context: Context) -> Any:
            requests = (await self.read(raw, parse, path) async for raw in raws)
            return await behavior(requests, context)

        raw_handler = handler._replace(request_deserializer=None)  # type: ignore[attr-defined]
        return replace_behavior(raw_handler, stream if handler.request_streaming else unary)

    async def read(self, raw: bytes, parse: Any, path: str) -> Message:
        """Do what `check` does, without holding the event loop."""
        if len(raw) <= LONG_BYTES:
            return self.check(raw, parse, path)
        return await run_in_thread(self.check, raw, parse, path)

    def check(self, raw: bytes, parse: Any, path: str) -> Message:
        """Return the request of the RPC `path` in `raw`. Raises InvalidArgument or RequestTooLarge.

        Bytes and counts are checked first, so that the later checks of each element are bounded by the contract.
        """
        limits = self._limits[path]
        if len(raw) > limits.max_bytes:
            raise RequestTooLarge(bytes=len(raw), limit_bytes=limits.max_bytes)
        try:
            fields, violations = count_fields(raw, limits, MAX_VIOLATIONS)
            request: Message | None = None if violations else parse(raw)
        except (DecodeError, MalformedError) as error:
            raise InvalidArgument(
                "The request is not valid protobuf; strings must be UTF-8."
            ) from error
        if request is not None:
            violations = self._broken_rules(request, fields)
        if violations or request is None:
            raise InvalidArgument(violations=tuple(violations))
        return request

    def _broken_rules(self, request: Message, fields: int) -> list[Violation]:
        """Return the rules that a request breaks; of a large one, only the first."""
        found = self._validator.collect_violations(request, fail_fast=fields > _FEW_FIELDS)
        return [
            (field_path(violation.proto.field), _description(violation))
            for violation in found[:MAX_VIOLATIONS]
        ]


def _description(violation: protovalidate.Violation) -> str:
    """Return the text of a broken rule. `not_in` is only used to require an enum value other than UNSPECIFIED."""
    is_unset = violation.proto.rule_id == "enum.not_in"
    return "is required and has no default" if is_unset else violation.proto.message


def field_path(path: Any) -> str:
    """Return a violation's place, such as `messages[2].content`."""
    text = ""
    for element in path.elements if path else ():
        text += f".{element.field_name}"
        subscript = element.subscript
        if subscript is not None:
            text += f"[{subscript.value!r}]"
    return text.removeprefix(".")
