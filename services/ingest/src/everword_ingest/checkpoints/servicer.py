"""Checkpoints of IngestService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.rpc.interceptors.base import Context
from everword.rpc.long_work import run_in_thread
from everword.rpc.pages import to_page
from everword.v1 import ingest_service_pb2 as pb
from everword.v1.ingest_service_pb2_grpc import IngestServiceServicer
from everword_ingest.checkpoints.read_checkpoints import (
    delete_checkpoints,
    get_checkpoint,
    list_checkpoints,
)
from everword_ingest.checkpoints.save_checkpoint import save_checkpoint
from everword_ingest.checkpoints.translate import (
    checkpoint_to_proto,
    to_listing,
    to_place,
    to_saving,
)


class CheckpointServicer(IngestServiceServicer):
    """The state of agents, per conversation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def SaveCheckpoint(
        self, request: pb.SaveCheckpointRequest, context: Context
    ) -> pb.SaveCheckpointResponse:
        # Its hash is taken over megabytes.
        saving = await run_in_thread(to_saving, request)
        saved = await save_checkpoint(self._database, current_namespace(), saving)
        return pb.SaveCheckpointResponse(
            checkpoint_id=str(saved.checkpoint_id), version=saved.version, replayed=saved.replayed
        )

    async def GetCheckpoint(
        self, request: pb.GetCheckpointRequest, context: Context
    ) -> pb.GetCheckpointResponse:
        by_name = request.HasField("latest")
        target = to_place(request.latest) if by_name else UUID(request.checkpoint_id)
        found = await get_checkpoint(self._database, current_namespace(), target)
        return pb.GetCheckpointResponse(checkpoint=checkpoint_to_proto(found), state=found.state)

    async def ListCheckpoints(
        self, request: pb.ListCheckpointsRequest, context: Context
    ) -> pb.ListCheckpointsResponse:
        found, token = await list_checkpoints(
            self._database, current_namespace(), to_listing(request), to_page(request)
        )
        return pb.ListCheckpointsResponse(
            checkpoints=[checkpoint_to_proto(each) for each in found], next_page_token=token
        )

    async def DeleteCheckpoints(
        self, request: pb.DeleteCheckpointsRequest, context: Context
    ) -> pb.DeleteCheckpointsResponse:
        named = to_place(request.name) if request.HasField("name") else None
        whole = UUID(request.conversation_id) if request.conversation_id else None
        deleted = await delete_checkpoints(
            self._database,
            current_namespace(),
            checkpoint_id=UUID(request.checkpoint_id) if request.checkpoint_id else None,
            conversation_id=named.conversation_id if named else whole,
            name=named.name if named else None,
        )
        return pb.DeleteCheckpointsResponse(deleted=deleted)
