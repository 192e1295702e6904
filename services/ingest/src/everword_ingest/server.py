"""Composition root of the ingest service."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from everword.db.pool import Database
from everword.rpc.server import Registration, RpcServer
from everword.v1 import (
    admin_service_pb2,
    admin_service_pb2_grpc,
    cost_service_pb2,
    cost_service_pb2_grpc,
    document_service_pb2,
    document_service_pb2_grpc,
    erasure_service_pb2,
    erasure_service_pb2_grpc,
    fact_service_pb2,
    fact_service_pb2_grpc,
    graph_service_pb2,
    graph_service_pb2_grpc,
    ingest_service_pb2,
    ingest_service_pb2_grpc,
    lore_service_pb2,
    lore_service_pb2_grpc,
    note_service_pb2,
    note_service_pb2_grpc,
    pattern_service_pb2,
    pattern_service_pb2_grpc,
)
from everword_ingest.admin.servicer import AdminServicer
from everword_ingest.checkpoints.servicer import CheckpointServicer
from everword_ingest.costs.servicer import CostServicer
from everword_ingest.documents.servicer import DocumentServicer
from everword_ingest.erasure.resumer import ErasureResumer
from everword_ingest.erasure.servicer import ErasureServicer
from everword_ingest.facts.servicer import FactServicer
from everword_ingest.graph.servicer import GraphServicer
from everword_ingest.handoffs.servicer import HandoffServicer
from everword_ingest.housekeeping.housekeeping import Housekeeping
from everword_ingest.lore.servicer import LoreServicer
from everword_ingest.notes.servicer import NoteServicer
from everword_ingest.outbox import Outbox
from everword_ingest.patterns.servicer import PatternServicer
from everword_ingest.people.servicer import ReviewServicer
from everword_ingest.retention.runner import RetentionRunner
from everword_ingest.retention.servicer import RetentionServicer
from everword_ingest.servicer import IngestServicer
from everword_ingest.settings import SERVICE, IngestSettings
from everword_ingest.workspace.servicer import WorkspaceServicer


class IngestService(IngestServicer, CheckpointServicer):
    """Every RPC of the service: conversations and messages, and checkpoints of agents."""


class NoteService(NoteServicer, HandoffServicer):
    """Every RPC of the service: notes, and handoffs, which are kept as notes."""


class DocumentService(DocumentServicer, WorkspaceServicer):
    """Every RPC of the service: documents, and workspace files, which are kept as documents."""


class FactService(FactServicer, ReviewServicer):
    """Every RPC of the service: facts, and reviews of people, events and questions."""


class ErasureService(ErasureServicer, RetentionServicer):
    """Every RPC of the service: erasures on request, and by the age of data."""

    def __init__(
        self, database: Database, wake: Callable[[], None], wake_retention: Callable[[], None]
    ) -> None:
        ErasureServicer.__init__(self, database, wake)
        RetentionServicer.__init__(self, database, wake_retention)


class IngestServer:
    """Everything that the ingest service is made of."""

    def __init__(self, settings: IngestSettings) -> None:
        self.settings = settings.server
        self._database = Database(settings.database, SERVICE)
        self._housekeeping = Housekeeping(self._database)
        self._resuming = ErasureResumer(self._database)
        self._outbox = Outbox(settings.database, SERVICE, settings.queue)
        self._retention = RetentionRunner(self._database, self._outbox.wake)
        registrations = [
            *self._written(settings),
            *self._knowledge_services(),
            self._costs(),
            self._erased(),
        ]
        self._server = RpcServer(settings.server, self._database, registrations)

    def _written(self, settings: IngestSettings) -> list[Registration]:
        """Return the services for callers' own content, and the one for operators."""
        return [
            Registration(
                ingest_service_pb2.DESCRIPTOR,
                ingest_service_pb2_grpc.add_IngestServiceServicer_to_server,
                IngestService(self._database, settings.compaction, self._outbox.wake),
            ),
            Registration(
                note_service_pb2.DESCRIPTOR,
                note_service_pb2_grpc.add_NoteServiceServicer_to_server,
                NoteService(self._database, self._outbox.wake),
            ),
            Registration(
                lore_service_pb2.DESCRIPTOR,
                lore_service_pb2_grpc.add_LoreServiceServicer_to_server,
                LoreServicer(self._database, self._outbox.wake),
            ),
            Registration(
                document_service_pb2.DESCRIPTOR,
                document_service_pb2_grpc.add_DocumentServiceServicer_to_server,
                DocumentService(self._database, self._outbox.wake),
            ),
            Registration(
                admin_service_pb2.DESCRIPTOR,
                admin_service_pb2_grpc.add_AdminServiceServicer_to_server,
                AdminServicer(self._database, bool(settings.server.admin_key), self._outbox.wake),
            ),
        ]

    def _knowledge_services(self) -> list[Registration]:
        """Return the services that write and correct knowledge."""
        return [
            Registration(
                fact_service_pb2.DESCRIPTOR,
                fact_service_pb2_grpc.add_FactServiceServicer_to_server,
                FactService(self._database, self._outbox.wake),
            ),
            Registration(
                pattern_service_pb2.DESCRIPTOR,
                pattern_service_pb2_grpc.add_PatternServiceServicer_to_server,
                PatternServicer(self._database),
            ),
            Registration(
                graph_service_pb2.DESCRIPTOR,
                graph_service_pb2_grpc.add_GraphServiceServicer_to_server,
                GraphServicer(self._database, self._outbox.wake),
            ),
        ]

    def _costs(self) -> Registration:
        """Return the service that keeps what models cost."""
        return Registration(
            cost_service_pb2.DESCRIPTOR,
            cost_service_pb2_grpc.add_CostServiceServicer_to_server,
            CostServicer(self._database, self._outbox.wake),
        )

    def _erased(self) -> Registration:
        """Return the service for erasures and retention."""

        def wake() -> None:
            self._outbox.wake()
            self._resuming.wake()

        return Registration(
            erasure_service_pb2.DESCRIPTOR,
            erasure_service_pb2_grpc.add_ErasureServiceServicer_to_server,
            ErasureService(self._database, wake, self._retention.wake),
        )

    async def start(self) -> str:
        await self._database.open()
        address = await self._server.start()
        self._housekeeping.start()
        self._resuming.start()
        self._retention.start()
        self._outbox.start()
        return address

    async def stop(self) -> None:
        await self._server.stop()
        await self._housekeeping.stop()
        await self._resuming.stop()
        await self._retention.stop()
        await asyncio.to_thread(self._outbox.stop)
        await self._database.close()
