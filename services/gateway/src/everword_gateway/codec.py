"""The forms of messages, JSON and protobuf. What is long is counted before it is parsed, beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from everword.admission.bodies import too_large
from everword.admission.limits import RequestLimits
from everword.admission.wire import MalformedError, count_fields
from everword_gateway.errors import bad_request
from everword_gateway.methods import Method

#: Bodies that are read without a thread: within a millisecond or two.
_AT_ONCE_BYTES = 64 * 1024
#: Parsing keeps the interpreter, and takes some times the bytes of a body: of long ones, one is parsed at a time.
_THREAD = ThreadPoolExecutor(1, "long-bodies")
#: How many values JSON may have for each field that the RPC takes: those that say nothing are no fields.
_VALUES_PER_FIELD = 4
#: So much is looked at before others get the interpreter.
_PIECE_BYTES = 64 * 1024
#: A string of so many pieces is refused: 4 MiB as base64 have less, and so has 1 MiB of text, all of it escaped. One is
#: looked through in a single call, which keeps the interpreter from everybody else for 20 ms a MiB.
_MAX_STRING_PIECES = 97


@dataclass(frozen=True)
class Codec:
    """A form of messages."""

    is_json: bool

    async def read(self, method: Method, body: bytearray) -> Message:
        """Return the request in `body`. Raises CallError where it is none, and Refused where it is too large."""
        if len(body) <= _AT_ONCE_BYTES:
            return self._parse(method, body)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(_THREAD, self._parse_long, method, body)

    def write(self, message: Message) -> bytes:
        """Return a response."""
        if self.is_json:
            return json_format.MessageToJson(message, indent=None).encode()
        return message.SerializeToString()

    def _parse_long(self, method: Method, body: bytearray) -> Message:
        """Parse what has no more in it than the RPC takes: an empty value is two bytes, and a hundred in memory."""
        if self.is_json:
            _ensure_few_values(body, method.limits)
        else:
            _ensure_few_fields(bytes(body), method.limits)
        message = self._parse(method, body)
        if message.ByteSize() > method.limits.max_bytes:
            raise too_large(message.ByteSize(), method.limits.max_bytes)
        return message

    def _parse(self, method: Method, body: bytearray) -> Message:
        try:
            if self.is_json:
                return json_format.Parse(body.decode() or "{}", method.request())
            return method.request.FromString(bytes(body))
        except (json_format.ParseError, DecodeError, UnicodeDecodeError, RecursionError) as error:
            name = method.request.DESCRIPTOR.name
            raise bad_request(f"The body is no {name}: {str(error)[:300]}") from error


def _ensure_few_values(body: bytearray, limits: RequestLimits) -> None:
    """Raise CallError where JSON has more values than a request of an RPC, or a longer string than any field takes."""
    most = _VALUES_PER_FIELD * limits.max_fields
    values, pieces = measure(body)
    if values > most:
        raise bad_request(f"The body has more than {most:,} values.")
    if pieces >= _MAX_STRING_PIECES:
        raise bad_request(f"The body has a string of {pieces * _PIECE_BYTES:,} bytes or more.")


def measure(body: bytearray) -> tuple[int, int]:
    """Return how many values JSON has, and how many pieces its longest string fills.

    What is empty counts twice: counted is what begins or parts values, outside of strings.
    """
    found, longest, filled, is_within, cut = 1, 0, 0, 0, b""
    for start in range(0, len(body), _PIECE_BYTES):
        piece = (cut + body[start : start + _PIECE_BYTES]).replace(b"\\\\", b"")
        cut = b"\\" if piece.endswith(b"\\") else b""
        parts = piece.removesuffix(cut).replace(b'\\"', b"").split(b'"')
        outside = b"".join(parts[is_within::2])
        found += sum(map(outside.count, (b",", b"[", b"{")))
        filled = filled + 1 if is_within and len(parts) == 1 else 0
        longest = max(longest, filled)
        is_within ^= (len(parts) - 1) % 2
    return found, longest


def _ensure_few_fields(raw: bytes, limits: RequestLimits) -> None:
    """Raise what the service would: CallError where a request has too much in it, and Refused for too many bytes."""
    if len(raw) > limits.max_bytes:
        raise too_large(len(raw), limits.max_bytes)
    try:
        _, violations = count_fields(raw, limits, 1)
    except MalformedError as error:
        raise bad_request("The body is no protobuf.") from error
    if violations:
        [(field, text)] = violations
        raise bad_request(f"{field}: {text}".removeprefix(": "), violations)


#: By content type: the form of messages, and whether they come in a stream.
CODECS: Mapping[str, tuple[Codec, bool]] = {
    "application/json": (Codec(is_json=True), False),
    "application/proto": (Codec(is_json=False), False),
    "application/connect+json": (Codec(is_json=True), True),
    "application/connect+proto": (Codec(is_json=False), True),
}
