"""Calls of any RPC through the gateway, with JSON by the Connect protocol."""

from __future__ import annotations

import json
import struct
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

#: Flags and length before each message of a stream; the last message contains the final status.
_ENVELOPE = struct.Struct(">BI")
_END = 2


@dataclass(frozen=True)
class HttpError:
    """An error response of the gateway, parsed."""

    code: str
    message: str
    #: Parsed details by message type.
    details: Mapping[str, Any]

    @property
    def reason(self) -> str:
        return str(self.details["google.rpc.ErrorInfo"]["reason"])


async def call_over_http(
    http: httpx2.AsyncClient,
    method: MethodDescriptor,
    request: Any,
    headers: Mapping[str, str],
    *,
    endless: bool,
) -> list[Any] | HttpError:
    """Return the answers of an RPC, or its error; for an `endless` stream, only the first answer."""
    path = f"/{method.containing_service.full_name}/{method.name}"
    body = json_format.MessageToJson(request).encode()
    if not method.server_streaming:
        sent = {**headers, "content-type": "application/json"}
        answered = await http.post(path, content=body, headers=sent)
        if answered.status_code != 200:
            return _error(answered.json())
        return [_answer(method, answered.content)]
    body = _ENVELOPE.pack(0, len(body)) + body
    sent = {**headers, "content-type": "application/connect+json"}
    answers: list[Any] = []
    async with http.stream("POST", path, content=body, headers=sent) as answered:
        async for flags, message in _messages(answered):
            if flags == _END:
                end = json.loads(message)
                return _error(end["error"]) if "error" in end else answers
            answers.append(_answer(method, message))
            if endless:
                return answers
    raise AssertionError(f"{path} does not say how it ended")


async def _messages(answered: httpx2.Response) -> AsyncIterator[tuple[int, bytes]]:
    """Yield the messages of a stream with their flags, as they arrive."""
    held = b""
    async for part in answered.aiter_bytes():
        held += part
        while len(held) >= _ENVELOPE.size:
            flags, length = _ENVELOPE.unpack_from(held)
            if len(held) < _ENVELOPE.size + length:
                break
            yield flags, held[_ENVELOPE.size : _ENVELOPE.size + length]
            held = held[_ENVELOPE.size + length :]


def _answer(method: MethodDescriptor, body: bytes) -> Any:
    return json_format.Parse(body, GetMessageClass(method.output_type)())


def _error(body: Mapping[str, Any]) -> HttpError:
    details = {each["type"]: each["debug"] for each in body["details"]}
    return HttpError(body["code"], body["message"], details)
