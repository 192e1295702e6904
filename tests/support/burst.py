"""`python -m support.burst NAMESPACE ADDRESSES CALLS`: makes many calls at once, in a process of its own.

It connects to each address twice, prints a line, reads the start time from its standard input, calls
EnsureConversation at each address in turn at that time, and prints the number of calls by code and reason as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from asyncio.subprocess import PIPE
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import grpc

from everword.v1.conversation_pb2 import ConversationKey
from everword.v1.ingest_service_pb2 import EnsureConversationRequest
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from support.callers import within
from support.refusals import read_refusal

TESTS = Path(__file__).resolve().parents[1]
#: Seconds for all connected clients to read the start time.
START_S = 0.3


async def bursts(
    namespace: str, addresses: Sequence[str], calls: int, clients: int
) -> Counter[str]:
    """Make `calls` simultaneous calls from each of several processes, and return how they ended."""
    words = ("-m", "support.burst", namespace, ",".join(addresses), str(calls))
    running = [
        await asyncio.create_subprocess_exec(
            sys.executable, *words, stdin=PIPE, stdout=PIPE, cwd=TESTS
        )
        for _ in range(clients)
    ]
    for client in running:
        assert client.stdout
        assert await client.stdout.readline(), "a client ended before its calls"
    start = f"{time.time() + START_S}\n".encode()
    printed = await asyncio.gather(*(client.communicate(start) for client in running))
    ended: Counter[str] = Counter()
    for output, _ in printed:
        ended.update(json.loads(output))
    return ended


async def _burst(namespace: str, addresses: Sequence[str], calls: int) -> Counter[str]:
    # Without the retries of Everword's client. A local subchannel pool gives each channel its own connection.
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [
        grpc.aio.insecure_channel(address, options=options) for address in [*addresses, *addresses]
    ]
    for channel in channels:
        await channel.channel_ready()
    print("connected", flush=True)
    start = float(sys.stdin.readline())
    await asyncio.sleep(start - time.time())
    made = (_call(channels[number % len(channels)], namespace) for number in range(calls))
    return Counter(await asyncio.gather(*made))


async def _call(channel: grpc.aio.Channel, namespace: str) -> str:
    request = EnsureConversationRequest(key=ConversationKey(session_key="s"))
    try:
        await IngestServiceStub(channel).EnsureConversation(
            request, metadata=within(namespace), timeout=60
        )
    except grpc.aio.AioRpcError as error:
        try:
            refusal = read_refusal(error)
        except AssertionError:
            return f"{error.code().name} without details: {error.details()}"
        return f"{refusal.code.name} {refusal.reason} {','.join(refusal.details)}"
    return "OK"


if __name__ == "__main__":
    namespace, addresses, calls = sys.argv[1:]
    print(json.dumps(asyncio.run(_burst(namespace, addresses.split(","), int(calls)))))
