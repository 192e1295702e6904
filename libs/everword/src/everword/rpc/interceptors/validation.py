"""Checks each request against the rules that its proto states, before any of Everword's code sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import protovalidate
from google.protobuf.message import DecodeError, Message

from everword.domain.errors import InvalidArgument, RequestTooLarge
from everword.rpc.interceptors.base import (
    Context,
    Continuation,
    Handler,
    behavior_of,
    replace_behavior,
)
from everword.rpc.methods import INTERNAL, PUBLIC

#: The largest request. The transport itself takes more, so that this limit can explain itself.
MAX_REQUEST_BYTES = 16 * 1024 * 1024
#: Violations that an error names at most: details travel in trailers, which are small.
MAX_VIOLATIONS = 10


class ValidationInterceptor(grpc.aio.ServerInterceptor):
    """Parses and validates requests itself: a request that gRPC cannot parse would become INTERNAL."""

    def __init__(self) -> None:
        self._validator = protovalidate.Validator()

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        handler = await continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith((PUBLIC, INTERNAL)):
            return handler
        parse = handler.request_deserializer
        behavior = behavior_of(handler)

        async def unary(raw: bytes, context: Context) -> Any:
            return await behavior(self.check(raw, parse), context)

        async def stream(raws: AsyncIterator[bytes], context: Context) -> Any:
            return await behavior((self.check(raw, parse) async for raw in raws), context)

        raw_handler = handler._replace(request_deserializer=None)  # type: ignore[attr-defined]
        return replace_behavior(raw_handler, stream if handler.request_streaming else unary)

    def check(self, raw: bytes, parse: Any) -> Message:
        """Return the request in `raw`. Raises InvalidArgument or RequestTooLarge."""
        if len(raw) > MAX_REQUEST_BYTES:
            raise RequestTooLarge(bytes=len(raw), limit_bytes=MAX_REQUEST_BYTES)
        try:
            request: Message = parse(raw)
        except DecodeError as error:
            raise InvalidArgument(
                "The request is not valid protobuf; strings must be UTF-8."
            ) from error
        violations = list(self._violations(request))
        # A zero byte on the wire is usually a number; only then is it worth looking.
        if b"\0" in raw:
            violations += [
                (path, "NUL characters cannot be stored") for path in _nul_paths(request)
            ]
        if violations:
            raise InvalidArgument(violations=tuple(violations[:MAX_VIOLATIONS]))
        return request

    def _violations(self, request: Message) -> Iterator[tuple[str, str]]:
        for violation in self._validator.collect_violations(request):
            yield field_path(violation.proto.field), violation.proto.message


def field_path(path: Any) -> str:
    """Return a violation's place, such as `messages[2].content`."""
    text = ""
    for element in path.elements if path else ():
        text += f".{element.field_name}"
        subscript = element.subscript
        if subscript is not None:
            text += f"[{subscript.value!r}]"
    return text.removeprefix(".")


def _nul_paths(message: Message, prefix: str = "") -> Iterator[str]:
    """Yield the paths of strings with a NUL character, map keys and values included."""
    for field, value in message.ListFields():
        path = f"{prefix}{field.name}"
        if field.type == field.TYPE_STRING:
            values = value if field.is_repeated else [value]
            yield from (path for text in values if "\0" in text)
        elif field.type == field.TYPE_MESSAGE:
            yield from _nul_paths_within(field, value, path)


def _nul_paths_within(field: Any, value: Any, path: str) -> Iterator[str]:
    if field.message_type.GetOptions().map_entry:
        for key, item in value.items():
            if isinstance(key, str) and "\0" in key:
                yield f"{path} (a key)"
            if isinstance(item, Message):
                yield from _nul_paths(item, f"{path}[{key!r}].")
            elif isinstance(item, str) and "\0" in item:
                yield f"{path}[{key!r}]"
    elif field.is_repeated:
        for index, item in enumerate(value):
            yield from _nul_paths(item, f"{path}[{index}].")
    else:
        yield from _nul_paths(value, f"{path}.")
