"""Cost of the proxy per call: `make bench-proxy`.

Small calls alternate between search's own address and the proxy. Appends do the same, alone and during an import over
the same connection.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from uuid import uuid4

import psutil

from everword.client import Client, ClientSettings
from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.v1.conversation_pb2 import ConversationKey
from everword.v1.ingest_service_pb2 import (
    AppendMessagesRequest,
    ConversationTarget,
    ImportMessagesRequest,
)
from everword.v1.memory_pb2 import ROLE_USER, NewMessage
from everword.v1.search_service_pb2 import ListConversationsRequest

CALLS = 300
WARM_UP = 50
IMPORTED = 200

Call = Callable[[Client], Awaitable[object]]


async def _list(client: Client) -> object:
    return await client.search_service.ListConversations(ListConversationsRequest(page_size=1))


async def _append(client: Client) -> object:
    key = ConversationKey(session_key="bench", agent="bench")
    return await client.append(key, [NewMessage(content="The VPN drops at noon.", role=ROLE_USER)])


async def _compare(call: Call, clients: dict[str, Client]) -> dict[str, float]:
    """Return the median milliseconds of a call by each client; the clients alternate."""
    took: dict[str, list[float]] = {name: [] for name in clients}
    for number in range(CALLS + WARM_UP):
        order = list(clients.items())
        for name, client in order if number % 2 else reversed(order):
            started = time.perf_counter()
            await call(client)
            took[name].append((time.perf_counter() - started) * 1000)
    return {name: statistics.median(each[WARM_UP:]) for name, each in took.items()}


async def _import(client: Client) -> None:
    async def batches() -> AsyncIterator[ImportMessagesRequest]:
        for _ in range(IMPORTED):
            texts = (f"{uuid4()} " + "A long message. " * 60 for _ in range(500))
            yield ImportMessagesRequest(
                batch=AppendMessagesRequest(
                    conversation=ConversationTarget(
                        key=ConversationKey(session_key=str(uuid4()), agent="bench")
                    ),
                    messages=[NewMessage(content=text, role=ROLE_USER) for text in texts],
                )
            )

    await client.ingest_service.ImportMessages(batches(), timeout=3600)


def _proxy_mb(running: RunningStack) -> float:
    (pid,) = (process.pid for process in running.processes if process.name == "proxy")
    return float(psutil.Process(pid).memory_full_info().pss) / 1e6


async def main() -> None:
    async with stack(StackSettings(data=None, ports=Ports.free())) as running:
        at = running.addresses
        direct = ClientSettings(at["ingest"], at["search"], at["compactor"])
        async with (
            Client.connect(direct) as directly,
            Client.connect(ClientSettings.at(running.address)) as proxied,
        ):
            clients = {"direct": directly, "proxy": proxied}
            _show("ListConversations", await _compare(_list, clients))
            _show("AppendMessages", await _compare(_append, clients))
            for name, client in clients.items():
                importing = asyncio.create_task(_import(client))
                await asyncio.sleep(2)
                _show(
                    f"AppendMessages beside an import, {name}",
                    await _compare(_append, {name: client}),
                )
                importing.cancel()
                with suppress(asyncio.CancelledError):
                    await importing
        print(f"memory of the proxy: {_proxy_mb(running):.0f} MB")


def _show(what: str, medians: dict[str, float]) -> None:
    print(f"{what}: " + ", ".join(f"{name} {each:.2f} ms" for name, each in medians.items()))


if __name__ == "__main__":
    asyncio.run(main())
