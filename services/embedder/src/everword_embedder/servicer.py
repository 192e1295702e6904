"""EmbedderService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from everword.db.pool import Database
from everword.internal.v1 import embedder_service_pb2 as pb
from everword.internal.v1.embedder_service_pb2_grpc import EmbedderServiceServicer
from everword.rpc.interceptors.base import Context
from everword_embedder.coverage import coverage
from everword_embedder.embed import embed


class EmbedderServicer(EmbedderServiceServicer):
    """Vectors, for Everword's other services."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def Embed(self, request: pb.EmbedRequest, context: Context) -> pb.EmbedResponse:
        await embed(list(request.texts), request.generation_id)
        return pb.EmbedResponse()

    async def Coverage(self, request: pb.CoverageRequest, context: Context) -> pb.CoverageResponse:
        found = await coverage(self._database, request.generation_id)
        return pb.CoverageResponse(
            generation_id=found.generation_id, owed=found.owed, failed=found.failed
        )
