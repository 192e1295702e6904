"""Changes that pages offer to a visitor. Everword itself checks each call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

import grpc

from everword.client import CallError, Client
from everword.v1 import erasure_service_pb2, maintenance_service_pb2
from everword_web.console.sessions import Credentials

#: For how long an answer is kept, and how long it is taken that there was none.
_COUNTS_S, _UNANSWERED_S = 60.0, 5.0
#: The most visitors whose rights are kept.
_MOST_VISITORS = 1000


@dataclass(frozen=True)
class Rights:
    """The changes that pages offer."""

    write: bool = False
    """Correct facts, and retry failed jobs."""
    erase: bool = False
    """Erase what was written, and change settings: an operator's rights."""


class RightsOfVisitors:
    """Rights, asked for by calls that change nothing."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: dict[Credentials, tuple[Rights, float]] = {}

    async def of(self, visitor: Credentials) -> Rights:
        """Return the rights of a visitor; none if they cannot be determined."""
        rights, until = self._known.get(visitor, (Rights(), 0.0))
        if monotonic() < until:
            return rights
        metadata = visitor.metadata
        retry = maintenance_service_pb2.RetryJobsRequest(dry_run=True, limit=1)
        erasures = erasure_service_pb2.ListErasuresRequest(page_size=1)
        write, erase = await asyncio.gather(
            _may(self._client.maintenance_service.RetryJobs, retry, metadata),
            _may(self._client.erasure_service.ListErasures, erasures, metadata),
        )
        rights = Rights(bool(write), bool(erase))
        if len(self._known) >= _MOST_VISITORS:
            self._known.clear()
        counts_s = _UNANSWERED_S if None in (write, erase) else _COUNTS_S
        self._known[visitor] = rights, monotonic() + counts_s
        return rights


async def _may(
    rpc: Callable[..., Awaitable[Any]], request: Any, metadata: tuple[tuple[str, str], ...]
) -> bool | None:
    """Return whether a call is allowed; None if that cannot be determined."""
    try:
        await rpc(request, metadata=metadata)
    except CallError as error:
        return False if error.code is grpc.StatusCode.PERMISSION_DENIED else None
    return True
