"""Composition root of the embedder service."""

from __future__ import annotations

import asyncio
from functools import partial

from everword.db.blocking import BlockingDatabase
from everword.db.periodic import PeriodicThread
from everword.db.pool import Database
from everword.internal.v1 import embedder_service_pb2, embedder_service_pb2_grpc
from everword.rpc.server import Registration, RpcServer
from everword_embedder.embed import Embedder
from everword_embedder.queue.schedule import backfill_generations, record_backlog, schedule_pending
from everword_embedder.servicer import EmbedderServicer
from everword_embedder.settings import SERVICE, EmbedderSettings


class EmbedderServer:
    """Everything that the embedder service is made of."""

    def __init__(self, settings: EmbedderSettings) -> None:
        self.settings = settings.server
        self._database = Database(settings.database, SERVICE)
        self._embedder = Embedder(self._database, settings.embed)
        self._blocking = BlockingDatabase(settings.database, SERVICE)
        self._sweeper = PeriodicThread(
            "sweep",
            settings.queue.sweep_s,
            [
                partial(record_backlog, self._blocking),
                partial(backfill_generations, self._blocking),
                # A write's own job gets half a round to begin.
                partial(schedule_pending, self._blocking, settings.queue.sweep_s / 2),
            ],
        )
        self._server = RpcServer(
            settings.server,
            self._database,
            [
                Registration(
                    embedder_service_pb2.DESCRIPTOR,
                    embedder_service_pb2_grpc.add_EmbedderServiceServicer_to_server,
                    EmbedderServicer(self._database, self._embedder),
                )
            ],
        )

    async def start(self) -> str:
        await self._database.open()
        # Health says SERVING only afterwards.
        await self._embedder.warm_up()
        address = await self._server.start()
        self._blocking.open()
        self._sweeper.start()
        return address

    async def stop(self) -> None:
        await self._server.stop()
        await self._embedder.close()
        await asyncio.to_thread(self._sweeper.stop)
        self._blocking.close()
        await self._database.close()
