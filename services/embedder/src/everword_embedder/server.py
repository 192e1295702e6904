"""Composition root of the embedder service."""

from __future__ import annotations

from everword.db.pool import Database
from everword.internal.v1 import embedder_service_pb2, embedder_service_pb2_grpc
from everword.rpc.server import Registration, RpcServer
from everword_embedder.servicer import EmbedderServicer
from everword_embedder.settings import SERVICE, Settings


class EmbedderServer:
    """Everything that the embedder service is made of."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings.server
        self._database = Database(settings.database, SERVICE)
        self._server = RpcServer(
            settings.server,
            self._database,
            [
                Registration(
                    embedder_service_pb2.DESCRIPTOR.services_by_name["EmbedderService"],
                    embedder_service_pb2_grpc.add_EmbedderServiceServicer_to_server,
                    EmbedderServicer(self._database),
                )
            ],
        )

    async def start(self) -> str:
        await self._database.open()
        return await self._server.start()

    async def stop(self) -> None:
        await self._server.stop()
        await self._database.close()
