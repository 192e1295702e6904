"""Composition root of the compactor service."""

from __future__ import annotations

from everword.db.pool import Database
from everword.rpc.server import Registration, RpcServer
from everword.v1 import maintenance_service_pb2, maintenance_service_pb2_grpc
from everword_compactor.servicer import MaintenanceServicer
from everword_compactor.settings import SERVICE, Settings


class CompactorServer:
    """Everything that the compactor service is made of."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings.server
        self._database = Database(settings.database, SERVICE)
        self._server = RpcServer(
            settings.server,
            self._database,
            [
                Registration(
                    maintenance_service_pb2.DESCRIPTOR.services_by_name["MaintenanceService"],
                    maintenance_service_pb2_grpc.add_MaintenanceServiceServicer_to_server,
                    MaintenanceServicer(self._database),
                )
            ],
        )

    async def start(self) -> str:
        await self._database.open()
        return await self._server.start()

    async def stop(self) -> None:
        await self._server.stop()
        await self._database.close()
