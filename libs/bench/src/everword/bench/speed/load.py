"""Fill namespaces through the public RPCs, so that an interrupted load can be gone on with."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from everword.bench.speed.bench_stack import POLL_S, BenchStack
from everword.bench.speed.corpus import SEED, CorpusConversation, conversations
from everword.bench.speed.timers import together
from everword.client import CallError, Client
from everword.v1.admin_service_pb2 import CreateNamespaceRequest, DeleteNamespaceRequest, Namespace
from everword.v1.search_service_pb2 import GetStatsRequest

CALLERS = 4
#: Seconds without a new vector after which no embedder is assumed to run.
MAX_WAIT_SECONDS = 60.0
DELETE_TIMEOUT_S = 600.0
#: Called with a step, the number done and the total.
Progress = Callable[[str, int, int], None]

_PENDING = """
SELECT count(*) FROM embedding_queue q JOIN namespaces n ON n.id = q.namespace_id
 WHERE n.name = ANY(%(names)s) AND q.state = 'pending'
   AND (%(kind)s::smallint IS NULL OR EXISTS (
        SELECT FROM memories m
         WHERE m.namespace_id = q.namespace_id AND m.id = q.memory_id AND m.kind = %(kind)s::smallint))
"""


def name_of(scale: int, part: str = "all") -> str:
    return f"speed-{SEED}-{scale}-{part}"


@asynccontextmanager
async def namespace(bench: BenchStack, name: str) -> AsyncIterator[Client]:
    """Lend a client of a namespace, which is created if it does not exist."""
    async with Client.connect(bench.settings()) as operator:
        try:
            await operator.admin_service.CreateNamespace(
                CreateNamespaceRequest(namespace=Namespace(name=name))
            )
        except CallError as error:
            if error.reason != "NAMESPACE_ALREADY_EXISTS":
                raise
    async with Client.connect(bench.settings(name)) as client:
        yield client


@asynccontextmanager
async def scratch(bench: BenchStack, name: str) -> AsyncIterator[tuple[Client, str]]:
    """Lend a client of a new namespace, and its name; it is erased at the end."""
    # Servers cache the id of a namespace's name for some seconds, so each name is used once.
    unique = f"speed-{name}-{time.time_ns():x}"
    async with namespace(bench, unique) as client:
        try:
            yield client, unique
        finally:
            request = DeleteNamespaceRequest(name=unique)
            await client.admin_service.DeleteNamespace(request, timeout=DELETE_TIMEOUT_S)


async def load(
    client: Client, messages: int, stream: int = 0, progress: Progress = lambda *told: None
) -> None:
    """Append a corpus. What is there already, all of it or the beginning, is not sent again."""
    stored = (await client.search_service.GetStats(GetStatsRequest())).corpus.messages
    if stored >= messages:
        return
    rest = _unstored_conversations(conversations(messages, stream), stored)
    done = stored

    async def caller() -> None:
        nonlocal done
        for conversation in rest:
            await append(client, conversation)
            done = min(messages, done + len(conversation.messages))
            progress("loading", done, messages)

    await together(caller() for _ in range(CALLERS))


async def append(client: Client, conversation: CorpusConversation) -> None:
    await client.append(conversation.key, conversation.messages)


def _unstored_conversations(
    corpus: Iterable[CorpusConversation], stored: int
) -> Iterable[CorpusConversation]:
    """Yield conversations that may not be stored yet. Callers finish out of order; external ids deduplicate
    repetitions.
    """
    before = 0
    for conversation in corpus:
        before += len(conversation.messages)
        if before > stored - CALLERS * 100:
            yield conversation


async def drained(
    bench: BenchStack,
    namespaces: Iterable[str],
    progress: Progress = lambda *told: None,
    kind: int | None = None,
) -> float:
    """Wait until no vector is pending, of one kind of memories or of all. Returns the seconds that took.

    Raises TimeoutError if no embedder runs.
    """
    names = list(namespaces)
    started = moved = time.monotonic()
    first = least = -1
    with bench.connect() as conn:
        while True:
            given = {"names": names, "kind": kind}
            [pending] = conn.execute(_PENDING, given).fetchone() or (0,)
            now = time.monotonic()
            first = max(first, pending)
            progress("embedding", first - pending, first)
            if pending == 0:
                return now - started
            if least < 0 or pending < least:
                least, moved = pending, now
            elif now - moved > MAX_WAIT_SECONDS:
                raise TimeoutError(f"{pending} vectors are pending, and none was made for a while")
            # A large queue is not counted as often.
            await asyncio.sleep(max(POLL_S, pending / 20_000))
