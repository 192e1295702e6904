"""ErasureService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.v1 import erasure_service_pb2 as pb
from everword.v1.erasure_service_pb2_grpc import ErasureServiceServicer
from everword_ingest.erasure.erase import erase
from everword_ingest.erasure.preview_erasure import preview_erasure
from everword_ingest.erasure.read_erasures import get_erasure, list_erasures
from everword_ingest.erasure.translate import erasure_to_proto, preview_to_proto, to_target
from everword_ingest.request_ids.claims import hash_body


class ErasureServicer(ErasureServiceServicer):
    """Erasures, and the record of them."""

    def __init__(self, database: Database, wake: Callable[[], None]) -> None:
        self._database = database
        self._wake = wake

    async def PreviewErasure(
        self, request: pb.PreviewErasureRequest, context: Context
    ) -> pb.PreviewErasureResponse:
        found = await preview_erasure(
            self._database, current_namespace(), to_target(request.target)
        )
        return preview_to_proto(found)

    async def Erase(self, request: pb.EraseRequest, context: Context) -> pb.EraseResponse:
        erased = await erase(
            self._database,
            current_namespace(),
            to_target(request.target),
            request.requested_by,
            request.request_id,
            hash_body(request),
            self._wake,
        )
        return pb.EraseResponse(
            erasure=erasure_to_proto(erased.erasure),
            messages_left=erased.messages_left,
            replayed=erased.replayed,
        )

    async def GetErasure(
        self, request: pb.GetErasureRequest, context: Context
    ) -> pb.GetErasureResponse:
        found = await get_erasure(self._database, current_namespace(), UUID(request.erasure_id))
        return pb.GetErasureResponse(erasure=erasure_to_proto(found))

    async def ListErasures(
        self, request: pb.ListErasuresRequest, context: Context
    ) -> pb.ListErasuresResponse:
        found, token = await list_erasures(self._database, current_namespace(), to_page(request))
        return pb.ListErasuresResponse(
            erasures=[erasure_to_proto(each) for each in found], next_page_token=token
        )
