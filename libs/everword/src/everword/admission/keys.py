"""Checks the key of an HTTP caller with a service before its body is read."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import Generic, TypeVar

import grpc

from everword.admission.fair_share import FairShare, Group, QueueFull, ShareLimits
from everword.admission.frames import forget_frames
from everword.admission.refusals import RequestRefused, too_many
from everword.client import CallError, Client
from everword.client.headers import CHECK_HEADER, KEY_HEADER
from everword.v1 import ingest_service_pb2, search_service_pb2

#: Seconds for which a key counts as valid after a check. The services refuse a revoked key at once; until then, bodies
#: of its holder are still parsed.
GOOD_S = 10.0
#: Seconds for which a refused key is refused without another check; a key that is created meanwhile works after them.
REFUSED_S = 2.0
_KEYS = 4096
#: Limits of simultaneous key checks: for all callers, and for one address; and of waiting ones.
CHECKS, CHECKS_OF_ADDRESS = 16, 4
WAITING, WAITING_OF_ADDRESS = 256, 192
#: Seconds until a service must answer a check.
CHECK_TIMEOUT_S = 5.0

Check = Callable[[str], Awaitable[None]]


_Value = TypeVar("_Value")


class _RecentResults(Generic[_Value]):
    """Results of key checks, kept for `seconds`; if there are too many, the oldest is evicted."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._found: OrderedDict[bytes, tuple[float, _Value]] = OrderedDict()

    def note(self, hashed: bytes, value: _Value) -> None:
        self._found[hashed] = time.monotonic(), value
        self._found.move_to_end(hashed)
        if len(self._found) > _KEYS:
            self._found.popitem(last=False)

    def get(self, hashed: bytes) -> _Value | None:
        since, value = self._found.get(hashed, (float("-inf"), None))
        return value if time.monotonic() < since + self._seconds else None


class KnownKeys:
    """Caches which keys are valid and which were refused lately, by their hashes.

    A request with an invalid key gets no memory, and its body is not parsed. The empty key is the key of callers
    without one, which a deployment without keys accepts.
    """

    def __init__(self) -> None:
        self._good = _RecentResults[bool](GOOD_S)
        self._refused = _RecentResults[CallError](REFUSED_S)
        self._turns = FairShare(
            ShareLimits(CHECKS, CHECKS_OF_ADDRESS, None, 0, WAITING, WAITING_OF_ADDRESS)
        )
        self._check: Check | None = None

    def ask(self, client: Client) -> None:
        """Set the client that key checks call."""
        services = _Services(client)
        self._check = services.check

    def note(self, shown: str | None) -> None:
        """Cache as valid the key in this `authorization` header: a call with it was answered."""
        if shown:
            self._good.note(_hash(shown.encode("latin-1")), True)

    def group(self, shown: bytes, address: str) -> Group:
        """Return the group of a caller: its key's if a check accepted the key in the last 10 s, else its address's."""
        hashed = _hash(shown)
        return Group(hashed if shown and self._good.get(hashed) else (address, bool(shown)))

    async def ensure_good(self, shown: bytes, address: str) -> None:
        """Raise RequestRefused unless the services accept this `authorization` header."""
        hashed = _hash(shown)
        if self._is_good(hashed) or self._check is None:
            return
        try:
            async with self._turns.acquired(Group(address)):
                # Another call with the same key may have checked it meanwhile.
                if self._is_good(hashed):
                    return
                await self._check(shown.decode("latin-1"))
        except QueueFull as full:
            raise too_many(full.limit) from None
        except CallError as error:
            forget_frames(error)
            if error.code is grpc.StatusCode.UNAUTHENTICATED:
                self._refused.note(hashed, error)
            raise RequestRefused(replace(error)) from None
        self._good.note(hashed, True)

    def _is_good(self, hashed: bytes) -> bool:
        """Return whether a key is known to be valid. Raises RequestRefused if it was refused lately."""
        refused = self._refused.get(hashed)
        if refused is not None:
            raise RequestRefused(replace(refused))
        return self._good.get(hashed) is not None


class _Services:
    """Asks a service whether a key is valid, and another service if the first does not answer."""

    def __init__(self, client: Client) -> None:
        self._asked: list[Callable[..., Awaitable[object]]] = [
            _call(client.search_service.GetMemory, search_service_pb2.GetMemoryRequest()),
            _call(
                client.ingest_service.WaitForIndexing, ingest_service_pb2.WaitForIndexingRequest()
            ),
        ]

    async def check(self, shown: str) -> None:
        """Raise CallError if the header is refused, or if no service answers."""
        metadata = [(CHECK_HEADER, "1")]
        if shown:
            metadata.append((KEY_HEADER, shown))
        unanswered: CallError | None = None
        for ask in tuple(self._asked):
            try:
                await ask(metadata)
            except CallError as error:
                if error.is_unanswered or error.code is grpc.StatusCode.DEADLINE_EXCEEDED:
                    # From now on, the other service is asked first.
                    self._asked.reverse()
                    unanswered = error
                    continue
                if error.code in _REFUSALS:
                    raise
            # Any other error is about the call: the key is valid.
            return
        assert unanswered is not None
        raise unanswered


#: Codes about the key or the service. Any other code means that the key was accepted.
_REFUSALS = (
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.UNAVAILABLE,
)


def _call(
    rpc: Callable[..., Awaitable[object]], request: object
) -> Callable[[Iterable[tuple[str, str]]], Awaitable[object]]:
    async def call(metadata: Iterable[tuple[str, str]]) -> object:
        return await rpc(request, metadata=tuple(metadata), timeout=CHECK_TIMEOUT_S)

    return call


def _hash(shown: bytes) -> bytes:
    return hashlib.sha256(shown).digest()
