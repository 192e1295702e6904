"""Client of the embedder service, for the vectors of queries."""

from __future__ import annotations

import hashlib
from contextlib import suppress

import grpc
import numpy as np
from cachetools import TTLCache
from opentelemetry import propagate

from everword.client.channel import open_channel
from everword.domain.deadline import remaining
from everword.domain.settings import Secret
from everword.internal.v1 import embedder_service_pb2 as pb
from everword.internal.v1.embedder_service_pb2_grpc import EmbedderServiceStub
from everword.rpc.authentication import INTERNAL_HEADER
from everword_search.passages.vectors import QueryNotEmbedded, QueryVector

#: Maximum seconds that a search waits for its vector; the other arms answer without it.
TIMEOUT_S = 2.0
#: Maximum share of the remaining time for the vector.
TIME_SHARE = 0.5
#: Seconds after which statistics are returned without the description of the model.
DESCRIBE_TIMEOUT_S = 0.5
#: Seconds that a starting search service waits for the embedder, which may be starting at the same time.
START_TIMEOUT_S = 3.0
#: Bytes of cached query vectors; about 2,700 vectors of 384 dimensions.
CACHE_BYTES = 4 * 1024 * 1024
#: Seconds until a cached vector is dropped; it never changes, but a query should not be remembered longer.
CACHE_TTL_S = 300.0


class QueryEmbedder:
    """Client of the embedder service. Without an address, `embed` raises QueryNotEmbedded."""

    def __init__(self, address: str, token: Secret) -> None:
        self._address = address
        self._metadata = ((INTERNAL_HEADER, token.reveal()),) if token else ()
        self._channel: grpc.aio.Channel | None = None
        # A generation's vectors never change, and queries are repeated for the next page or by another agent. The key
        # includes the namespace, because response times must not reveal the queries of other tenants.
        self._cache: TTLCache[tuple[int, int, bytes], QueryVector] = TTLCache(
            CACHE_BYTES, CACHE_TTL_S, getsizeof=lambda vector: vector.values.nbytes
        )

    async def open(self) -> None:
        if self._address:
            self._channel = open_channel(self._address)

    async def close(self) -> None:
        if self._channel:
            await self._channel.close()

    async def warm_up(self) -> None:
        """Connect to the embedder and wait briefly for it to start. No request is sent to a hosted model."""
        if self._channel is None:
            return
        describing = EmbedderServiceStub(self._channel).DescribeModel(
            pb.DescribeModelRequest(),
            timeout=START_TIMEOUT_S,
            metadata=self._metadata,
            wait_for_ready=True,
        )
        with suppress(grpc.aio.AioRpcError, QueryNotEmbedded):
            if (await describing).forms:
                # The embedder embedded this text at its own start and has its vector cached.
                await self.embed(0, "warm-up", None)

    def known(self, namespace_id: int, query: str, generation_id: int | None) -> QueryVector | None:
        """Return the query's cached vector of a generation; None if the namespace did not request it recently."""
        return self._cache.get((namespace_id, generation_id or 0, _digest(query)))

    async def embed(self, namespace_id: int, query: str, generation_id: int | None) -> QueryVector:
        """Return the query's vector of a generation, by default the active one. Raises QueryNotEmbedded."""
        if self._channel is None:
            text = "no embedder is configured (EVERWORD_EMBEDDER_ADDRESS)"
            raise QueryNotEmbedded(text, expected=True)
        carrier: dict[str, str] = {}
        propagate.inject(carrier)
        try:
            response = await EmbedderServiceStub(self._channel).Embed(
                pb.EmbedRequest(
                    texts=[query],
                    priority=pb.EMBED_PRIORITY_QUERY,
                    generation_id=generation_id or 0,
                    namespace_id=namespace_id,
                ),
                timeout=min(TIMEOUT_S, remaining(TIMEOUT_S / TIME_SHARE) * TIME_SHARE),
                metadata=(*self._metadata, *carrier.items()),
            )
        except grpc.aio.AioRpcError as error:
            raise QueryNotEmbedded(_reason(error)) from error
        [values] = response.vectors
        vector = QueryVector(
            response.generation_id,
            np.frombuffer(values, dtype="<f4"),
            _pair(response.background) if response.HasField("background") else None,
            _pair(response.other_languages) if response.HasField("other_languages") else None,
        )
        self._cache[namespace_id, vector.generation_id, _digest(query)] = vector
        return vector

    async def describe_model(self) -> pb.DescribeModelResponse:
        """Return the embedder's description of its active model; empty if it does not answer."""
        if self._channel is None:
            return pb.DescribeModelResponse()
        try:
            described: pb.DescribeModelResponse = await EmbedderServiceStub(
                self._channel
            ).DescribeModel(
                pb.DescribeModelRequest(), timeout=DESCRIBE_TIMEOUT_S, metadata=self._metadata
            )
        except grpc.aio.AioRpcError:
            return pb.DescribeModelResponse()
        return described


def _pair(background: pb.Background) -> tuple[float, float]:
    return background.mean, background.deviation


def _digest(query: str) -> bytes:
    """Return the digest that identifies a query. The text itself may be long and private, so it is not stored."""
    return hashlib.blake2b(query.encode(), digest_size=16).digest()


def _reason(error: grpc.aio.AioRpcError) -> str:
    if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
        return "the embedding model did not answer in time"
    if error.code() is grpc.StatusCode.INVALID_ARGUMENT:
        return "the embedding model cannot take the query"
    return "the embedding model cannot be reached"
