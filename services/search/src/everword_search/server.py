"""Composition root of the search service."""

from __future__ import annotations

from everword.db.pool import Database
from everword.rpc.server import Registration, RpcServer
from everword.v1 import (
    context_service_pb2,
    context_service_pb2_grpc,
    search_service_pb2,
    search_service_pb2_grpc,
)
from everword_search.context_servicer import ContextServicer
from everword_search.query_embedder import QueryEmbedder
from everword_search.ranking.ranker import Ranker
from everword_search.search import Sources
from everword_search.servicer import SearchServicer
from everword_search.settings import SERVICE, Settings


class SearchServer:
    """Everything that the search service is made of."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings.server
        self._database = Database(settings.database, SERVICE)
        self._embedder = QueryEmbedder(settings.embedder_address, settings.server.internal_token)
        sources = Sources(self._database, self._embedder, Ranker.load())
        search = search_service_pb2.DESCRIPTOR.services_by_name["SearchService"]
        context = context_service_pb2.DESCRIPTOR.services_by_name["ContextService"]
        self._server = RpcServer(
            settings.server,
            self._database,
            [
                Registration(
                    search,
                    search_service_pb2_grpc.add_SearchServiceServicer_to_server,
                    SearchServicer(sources),
                ),
                Registration(
                    context,
                    context_service_pb2_grpc.add_ContextServiceServicer_to_server,
                    ContextServicer(sources),
                ),
            ],
        )

    async def start(self) -> str:
        await self._database.open()
        await self._embedder.open()
        return await self._server.start()

    async def stop(self) -> None:
        await self._server.stop()
        await self._embedder.close()
        await self._database.close()
