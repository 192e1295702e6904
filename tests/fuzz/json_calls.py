"""Calls over HTTP and JSON: requests, and checks of errors."""

from __future__ import annotations

import base64
from typing import Any

import grpc
import httpx2
from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2

from everword_web.gateway.methods import CODES
from fuzz.requests import to_wire
from fuzz.values import Values
from support.callers import Metadata
from support.refusals import INSIDES, Refusal

_CODES = {word: code for code, (_, word) in CODES.items()}
#: HTTP statuses more specific than the code's own: a body that is late, too large, or not JSON.
_FURTHER = {408, 413, 415}
_INFO = "google.rpc.ErrorInfo"


class HttpError(Exception):
    """An error response."""

    def __init__(self, answered: httpx2.Response) -> None:
        super().__init__(answered.text)
        self._answered = answered

    @property
    def code(self) -> grpc.StatusCode:
        try:
            return _CODES[self._answered.json()["code"]]
        except ValueError:
            return grpc.StatusCode.UNKNOWN

    def read(self) -> Refusal:
        """Parse the error. Asserts its code's HTTP status, one ErrorInfo, and no internals."""
        told = self._answered.json()
        assert self._answered.status_code in {CODES[self.code][0], *_FURTHER}, told
        types = [each["type"] for each in told["details"]]
        assert types.count(_INFO) == 1, told
        assert len(set(types)) == len(types), told
        assert not INSIDES.search(told["message"]), told["message"]
        packed = told["details"][types.index(_INFO)]["value"]
        info = error_details_pb2.ErrorInfo.FromString(base64.b64decode(packed + "=="))
        assert info.domain == "everword.dev"
        return Refusal(self.code, info.reason, told["message"], dict(info.metadata), {}, types)


def as_json(values: Values, request: Message) -> bytes | None:
    """Return a request as JSON, sometimes broken; None if it has no JSON form, such as a time out of range."""
    try:
        text = json_format.MessageToJson(
            request,
            indent=None,
            ensure_ascii=values.rng.random() < 0.5,
            preserving_proto_field_name=values.rng.random() < 0.2,
        )
    except (ValueError, json_format.Error):
        return None
    return to_wire(values, text.encode())


async def call(
    http: httpx2.AsyncClient,
    method: MethodDescriptor,
    body: bytes,
    metadata: Metadata,
    timeout_s: float,
) -> bytes:
    """Return the answer of a call as protobuf. Raises HttpError, and httpx2.TransportError."""
    answered = await http.post(
        f"/{method.containing_service.full_name}/{method.name}",
        content=body,
        headers={
            "content-type": "application/json",
            "connect-timeout-ms": str(int(timeout_s * 1000)),
            **dict(metadata),
        },
        # The gateway's own timeout ends the call, with a proper error.
        timeout=2 * timeout_s,
    )
    if answered.status_code != 200:
        raise HttpError(answered)
    response: Any = GetMessageClass(method.output_type)()
    return bytes(json_format.Parse(answered.text, response).SerializeToString())
