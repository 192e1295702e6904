"""EmbedderService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from dataclasses import asdict

from everword.db.pool import Database
from everword.internal.v1 import embedder_service_pb2 as pb
from everword.internal.v1.embedder_service_pb2_grpc import EmbedderServiceServicer
from everword.rpc.interceptors.base import Context
from everword_embedder.batcher import Priority
from everword_embedder.coverage import get_coverage
from everword_embedder.embed import Embedder
from everword_embedder.providers.openai.provider import ServerState
from everword_embedder.providers.vectors import to_bytes

_PRIORITIES = {
    pb.EMBED_PRIORITY_QUERY: Priority.QUERY,
    pb.EMBED_PRIORITY_BACKGROUND: Priority.BACKGROUND,
}


class EmbedderServicer(EmbedderServiceServicer):
    """Vectors, for Everword's other services."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder

    async def Embed(self, request: pb.EmbedRequest, context: Context) -> pb.EmbedResponse:
        priority = _PRIORITIES[request.priority]
        embedded = await self._embedder.embed(
            request.texts, priority, request.generation_id, request.namespace_id
        )
        backgrounds = embedded.backgrounds
        english = backgrounds and backgrounds.english
        others = backgrounds and backgrounds.others
        return pb.EmbedResponse(
            generation_id=embedded.generation_id,
            dimensions=embedded.dimensions,
            vectors=[to_bytes(vector) for vector in embedded.vectors],
            input_tokens=embedded.input_tokens,
            background=pb.Background(**asdict(english)) if english else None,
            other_languages=pb.Background(**asdict(others)) if others else None,
        )

    async def GetCoverage(
        self, request: pb.GetCoverageRequest, context: Context
    ) -> pb.GetCoverageResponse:
        found = await get_coverage(self._database, request.generation_id)
        return pb.GetCoverageResponse(
            generation_id=found.generation_id, pending=found.pending, failed=found.failed
        )

    async def DescribeModel(
        self, request: pb.DescribeModelRequest, context: Context
    ) -> pb.DescribeModelResponse:
        choice = await self._embedder.describe_model()
        if choice is None:
            return pb.DescribeModelResponse()
        if isinstance(choice, ServerState):
            server = pb.ModelServer(**asdict(choice) | {"max_tokens": choice.max_tokens or 0})
            return pb.DescribeModelResponse(server=server)
        return pb.DescribeModelResponse(
            forms=[
                pb.ModelForm(
                    name=form,
                    in_use=form is choice.form,
                    question_ms=speed.question_ms,
                    passage_ms=speed.passage_ms,
                )
                for form, speed in choice.speeds.items()
            ]
        )
