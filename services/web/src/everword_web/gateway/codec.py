"""Parses and writes messages as JSON or protobuf. Values are counted before parsing; long messages use a thread."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import ParamSpec, TypeVar

from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from everword.admission.fair_share import FairShare, Group, QueueFull, ShareLimits
from everword.admission.json_scan import MAX_DIGITS, PIECE_BYTES, Scan, scan_json
from everword.admission.limits import RequestLimits
from everword.admission.refusals import too_large, too_many
from everword.admission.wire import MalformedError, count_fields
from everword_web.gateway.errors import bad_request
from everword_web.gateway.methods import Method

#: Messages up to this size are scanned, and protobuf is parsed, on the event loop: within a millisecond.
_AT_ONCE_BYTES = 64 * 1024
#: JSON of up to this many values is parsed on the event loop, within 2 ms. 64 KiB may be 21,700 empty objects, which
#: take 100 to 400 ms.
_AT_ONCE_VALUES = 250
#: Long messages that are parsed or written at once: of all callers, and of one, so that no caller delays the others.
_THREADS, _THREADS_OF_CALLER = 2, 1
_WAITING, _WAITING_OF_CALLER = 256, 192
#: JSON of more values is decoded in Python: the decoder in C decodes everything in one call, which blocks the event
#: loop, for .8 s with 700,000 values.
_SINGLE_CALL_VALUES = 10_000
#: JSON values allowed for each field that the RPC takes; JSON may repeat default values, which are no fields.
_VALUES_PER_FIELD = 4
#: A string of this many pieces is refused: 4 MiB as base64 have fewer, and so has 1 MiB of fully escaped text. A
#: string is parsed in a single call, which blocks other threads for 20 ms per MiB.
_MAX_STRING_PIECES = 97

_P = ParamSpec("_P")
_T = TypeVar("_T")


class LongWork:
    """Threads for long messages; callers take turns."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, "long-messages")
        self._turns = FairShare(
            ShareLimits(_THREADS, _THREADS_OF_CALLER, None, 0, _WAITING, _WAITING_OF_CALLER)
        )

    async def do(
        self, caller: Group, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Run `work` in a thread when it is the caller's turn.

        Raises RequestRefused if too many of its messages wait.
        """
        try:
            await self._turns.take(caller)
        except QueueFull as full:
            raise too_many(full.limit) from None
        doing = asyncio.get_running_loop().run_in_executor(
            self._threads, lambda: work(*args, **kwargs)
        )
        # If the caller disconnects, the thread goes on.
        doing.add_done_callback(lambda _: self._turns.give(caller))
        return await doing


@dataclass(frozen=True)
class Codec:
    """A form of messages."""

    is_json: bool

    async def read(
        self, method: Method, body: bytearray, threads: LongWork, caller: Group
    ) -> Message:
        """Return the request in `body`. Raises CallError if it is malformed.

        Raises RequestRefused if it is too large, or if too many long messages of the caller wait.
        """
        if len(body) > _AT_ONCE_BYTES:
            return await threads.do(caller, self._parse_long, method, body)
        if self.is_json:
            found = _ensure_short_contents(body, method.limits)
            if found.values > _AT_ONCE_VALUES:
                return await threads.do(caller, self._parse, method, body, found.values)
        return self._parse(method, body)

    async def write(self, message: Message, threads: LongWork, caller: Group) -> bytes:
        """Return a response. Raises RequestRefused if too many of the caller's messages wait."""
        # A field takes a byte at least: JSON of a thousand fields takes 10 ms.
        if self.is_json and message.ByteSize() > _AT_ONCE_BYTES // 8:
            return await threads.do(caller, self._write, message)
        return self._write(message)

    def _write(self, message: Message) -> bytes:
        if self.is_json:
            return json_format.MessageToJson(message, indent=None).encode()
        return message.SerializeToString()

    def _parse_long(self, method: Method, body: bytearray) -> Message:
        """Parse a message within the RPC's limit of values: an empty value is two bytes, and 100 bytes in memory."""
        values = 0
        if self.is_json:
            values = _ensure_short_contents(body, method.limits).values
        else:
            _ensure_few_fields(bytes(body), method.limits)
        message = self._parse(method, body, values)
        if message.ByteSize() > method.limits.max_bytes:
            raise too_large(message.ByteSize(), method.limits.max_bytes)
        return message

    def _parse(self, method: Method, body: bytearray, values: int = 0) -> Message:
        try:
            if self.is_json and values > _SINGLE_CALL_VALUES:
                return json_format.ParseDict(_DECODER.decode(body.decode()), method.request())
            if self.is_json:
                return json_format.Parse(body.decode() or "{}", method.request())
            return method.request.FromString(bytes(body))
        # A ValueError comes from the decoder, or from text that is not UTF-8.
        except (json_format.ParseError, DecodeError, ValueError, RecursionError) as error:
            name = method.request.DESCRIPTOR.name
            raise bad_request(f"The body is not valid {name}: {str(error)[:300]}") from error


class _PausingDecoder(json.JSONDecoder):
    """Decodes JSON in Python, so that other threads run between two values. Refuses duplicate keys."""

    def __init__(self) -> None:
        super().__init__(object_pairs_hook=_without_duplicates)
        self.scan_once = py_make_scanner(self)


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found


_DECODER = _PausingDecoder()


def _ensure_short_contents(body: bytearray, limits: RequestLimits) -> Scan:
    """Return decoded JSON. Raises CallError for more values than the RPC takes, or too long a string or number."""
    most = _VALUES_PER_FIELD * limits.max_fields
    found = scan_json(body)
    if found.values > most:
        raise bad_request(f"The body has more than {most:,} values.")
    if found.string_pieces >= _MAX_STRING_PIECES:
        raise bad_request(
            f"The body has a string of {found.string_pieces * PIECE_BYTES:,} bytes or more."
        )
    if found.has_long_number:
        raise bad_request(f"The body has a number of more than {MAX_DIGITS} digits.")
    return found


def _ensure_few_fields(raw: bytes, limits: RequestLimits) -> None:
    """Raise the service's own errors early: CallError for too many fields, and RequestRefused for too many bytes."""
    if len(raw) > limits.max_bytes:
        raise too_large(len(raw), limits.max_bytes)
    try:
        _, violations = count_fields(raw, limits, 1)
    except MalformedError as error:
        raise bad_request("The body is not valid protobuf.") from error
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
