"""Composition root of the compactor service."""

from __future__ import annotations

import asyncio
from functools import partial

from everword.db.blocking import BlockingDatabase
from everword.db.periodic import PeriodicThread
from everword.db.pool import Database
from everword.jobs.sweep import sweep
from everword.rpc.server import Registration, RpcServer
from everword.v1 import maintenance_service_pb2, maintenance_service_pb2_grpc
from everword_compactor.calendar.catch_up import catch_up_task
from everword_compactor.calendar.schedule import schedule_roll_ups
from everword_compactor.compose.current_composer import current_composer
from everword_compactor.conversations.schedule import schedule_outdated
from everword_compactor.maintenance.prune_usage import prune_usage
from everword_compactor.servicer import MaintenanceServicer
from everword_compactor.settings import SERVICE, CompactorSettings
from everword_compactor.sleep.runs.schedule import schedule_nights
from everword_compactor.topics.schedule import schedule_topics


class CompactorServer:
    """Everything that the compactor service is made of."""

    def __init__(self, settings: CompactorSettings) -> None:
        self.settings = settings.server
        self._database = Database(settings.database, SERVICE)
        self._blocking = BlockingDatabase(settings.database, SERVICE)
        every_s = settings.queue.sweep_s
        current = current_composer(settings.chat)
        self._sweeper = PeriodicThread(
            "sweep",
            every_s,
            [
                partial(sweep, self._blocking),
                partial(schedule_outdated, self._blocking, current),
                partial(schedule_roll_ups, self._blocking, current),
                partial(schedule_nights, self._blocking),
                partial(schedule_topics, self._blocking),
                partial(prune_usage, self._blocking),
            ],
        )
        self._catch_up = catch_up_task(self._database)
        self._server = RpcServer(
            settings.server,
            self._database,
            [
                Registration(
                    maintenance_service_pb2.DESCRIPTOR,
                    maintenance_service_pb2_grpc.add_MaintenanceServiceServicer_to_server,
                    MaintenanceServicer(
                        self._database,
                        current.model,
                        settings.small_chat is not None,
                        settings.chat,
                    ),
                )
            ],
        )

    async def start(self) -> str:
        await self._database.open()
        address = await self._server.start()
        self._blocking.open()
        self._sweeper.start()
        self._catch_up.start()
        return address

    async def stop(self) -> None:
        await self._server.stop()
        await self._catch_up.stop()
        await asyncio.to_thread(self._sweeper.stop)
        self._blocking.close()
        await self._database.close()
