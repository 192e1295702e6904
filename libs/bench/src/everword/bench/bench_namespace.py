"""A dataset in a namespace of its own: made, filled, waited for, and dropped whatever happens."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import grpc

from everword.bench.answer import Place
from everword.bench.dataset import Dataset
from everword.client import CallError, Client, ClientSettings
from everword.client.pages import PAGE_SIZE, list_all
from everword.importer import ImportSummary, import_records
from everword.v1.admin_service_pb2 import (
    CreateNamespaceRequest,
    DeleteNamespaceRequest,
    ListNamespacesRequest,
    Namespace,
    NamespaceSettings,
)
from everword.v1.ingest_service_pb2 import INDEXING_STAGE_EMBEDDED, WaitForIndexingRequest
from everword.v1.search_service_pb2 import GetStatsRequest

#: Receives a description of the current step, such as `embedding 120/419`.
Say = Callable[[str], None]

#: How long a wait for vectors lasts before it is looked at how many are still pending.
POLL_INTERVAL_S = 2.0
#: Seconds without a new vector after which no embedder is assumed to run.
MAX_WAIT_SECONDS = 60.0
#: A deletion works in steps; a large dataset takes some.
DELETE_TIMEOUT_S = 600.0


@asynccontextmanager
async def namespace(
    settings: ClientSettings, prefix: str, namespace_settings: NamespaceSettings | None = None
) -> AsyncIterator[Client]:
    """Lend a client of a new namespace, which is erased at the end."""
    # Servers cache the id of a namespace's name for some seconds, so each name is used once.
    name = f"{prefix}{secrets.token_hex(4)}"
    async with Client.connect(replace(settings, namespace="")) as operator:
        await operator.admin_service.CreateNamespace(
            CreateNamespaceRequest(namespace=Namespace(name=name, settings=namespace_settings))
        )
        try:
            async with Client.connect(replace(settings, namespace=name)) as client:
                yield client
        finally:
            await _delete(operator, name)


async def drop_leftovers(settings: ClientSettings, prefix: str) -> None:
    """Erase the namespaces that a run with this prefix left when it was killed."""
    request = ListNamespacesRequest(page_size=PAGE_SIZE)
    async with Client.connect(replace(settings, namespace="")) as operator:
        found = await list_all(operator.admin_service.ListNamespaces, request)
        for each in found.namespaces:
            if each.name.startswith(prefix):
                await _delete(operator, each.name)


async def _delete(operator: Client, name: str) -> None:
    request = DeleteNamespaceRequest(name=name)
    await operator.admin_service.DeleteNamespace(request, timeout=DELETE_TIMEOUT_S)


async def fill(client: Client, dataset: Dataset, say: Say) -> tuple[str, dict[str, Place]]:
    """Import a dataset. Returns the consistency token and the place of each message."""
    total = len(dataset.entries)

    def imported(summary: ImportSummary) -> None:
        say(f"importing {summary.messages}/{total}")

    say(f"importing 0/{total}")
    token = (await import_records(client, dataset.entries, imported)).consistency_token
    keys = {entry.target.key.SerializeToString(): entry.target.key for entry in dataset.entries}
    places: dict[str, Place] = {}
    for number, key in enumerate(keys.values()):
        conversation = await client.get_conversation(key)
        async for message in client.iter_messages(conversation.id):
            places[message.id] = Place(number, message.seq, message.body.external_id)
    return token, places


async def wait_until_embedded(
    client: Client, token: str, say: Say, max_wait_s: float = MAX_WAIT_SECONDS
) -> bool:
    """Wait until everything before a token has a vector or a reason; False if no embedder runs."""
    request = WaitForIndexingRequest(consistency_token=token, stage=INDEXING_STAGE_EMBEDDED)
    least: int | None = None
    moved = time.monotonic()
    while True:
        try:
            await client.ingest_service.WaitForIndexing(request, timeout=POLL_INTERVAL_S)
            return True
        except CallError as error:
            if error.code is not grpc.StatusCode.DEADLINE_EXCEEDED:
                raise
        stats = await client.search_service.GetStats(GetStatsRequest())
        pending, passages = stats.embedding.pending, stats.corpus.passages
        say(f"embedding {passages - pending}/{passages}")
        if least is None or pending < least:
            least, moved = pending, time.monotonic()
        elif time.monotonic() - moved > max_wait_s:
            return False
        # The call may have been refused at once.
        await asyncio.sleep(0.1)
