"""`python -m support.burst ADDRESSES CALLS START`: makes many calls at once, in a process of its own.

It calls EnsureConversation in the namespace `acme` at each address in turn, over two connections to each, at the time
START, and prints the number of calls by code and reason as JSON.
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
#: Seconds for a client to start and to connect.
START_S = 3.0


async def bursts(addresses: Sequence[str], calls: int, clients: int) -> Counter[str]:
    """Make `calls` simultaneous calls from each of several processes, and return how they ended."""
    start = str(time.time() + START_S)
    words = ("-m", "support.burst", ",".join(addresses), str(calls), start)
    running = [
        await asyncio.create_subprocess_exec(sys.executable, *words, stdout=PIPE, cwd=TESTS)
        for _ in range(clients)
    ]
    ended: Counter[str] = Counter()
    for client in running:
        printed, _ = await client.communicate()
        ended.update(json.loads(printed))
    return ended


async def _burst(addresses: Sequence[str], calls: int, start: float) -> Counter[str]:
    # Without the retries of Everword's client. A local subchannel pool gives each channel its own connection.
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [
        grpc.aio.insecure_channel(address, options=options) for address in [*addresses, *addresses]
    ]
    for channel in channels:
        await channel.channel_ready()
    await asyncio.sleep(start - time.time())
    made = (_call(channels[number % len(channels)]) for number in range(calls))
    return Counter(await asyncio.gather(*made))


async def _call(channel: grpc.aio.Channel) -> str:
    request = EnsureConversationRequest(key=ConversationKey(session_key="s"))
    try:
        await IngestServiceStub(channel).EnsureConversation(
            request, metadata=within("acme"), timeout=60
        )
    except grpc.aio.AioRpcError as error:
        try:
            refusal = read_refusal(error)
        except AssertionError:
            return f"{error.code().name} without details: {error.details()}"
        return f"{refusal.code.name} {refusal.reason} {','.join(refusal.details)}"
    return "OK"


if __name__ == "__main__":
    addresses, calls, start = sys.argv[1:]
    print(json.dumps(asyncio.run(_burst(addresses.split(","), int(calls), float(start)))))
