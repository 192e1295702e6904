"""MaintenanceService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from uuid import UUID

from everword.chat.settings import ChatSettings
from everword.db.pool import Database
from everword.domain.caller import current_caller, current_namespace
from everword.rpc.interceptors.base import Context
from everword.rpc.interceptors.request_id import send_request_id
from everword.rpc.pages import to_page
from everword.rpc.translate import to_date
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1.maintenance_service_pb2_grpc import MaintenanceServiceServicer
from everword_compactor.audits.audit_summaries import audit_summaries
from everword_compactor.audits.compaction_status import get_compaction_status
from everword_compactor.audits.translate import audit_to_proto, compaction_to_proto
from everword_compactor.calendar.roll_up import roll_up
from everword_compactor.compose.model import EXTRACTIVE
from everword_compactor.conversations.compact import compact
from everword_compactor.conversations.flush_conversation import flush_conversation
from everword_compactor.conversations.translate import flush_request, flushed_to_proto
from everword_compactor.maintenance.backfill import BackfillTarget, backfill
from everword_compactor.maintenance.check_model import check_model
from everword_compactor.maintenance.queue import get_queue_status, retry_jobs
from everword_compactor.maintenance.translate import model_check_to_proto, queue_status_to_proto
from everword_compactor.sleep.rpc.reread import estimate_rereading
from everword_compactor.sleep.rpc.sleep import sleep
from everword_compactor.sleep.rpc.translate import estimate_to_proto, progress_to_proto, to_scope


class MaintenanceServicer(MaintenanceServiceServicer):
    """The background work of a namespace, as its owner sees and steers it."""

    def __init__(
        self,
        database: Database,
        model: str,
        with_sentence_model: bool,
        chat: ChatSettings | None = None,
    ) -> None:
        """`model` is the workers' model for summaries, or `extractive`; sentences may have another model.

        `chat` are the settings of the model for summaries.
        """
        self._database = database
        self._chat = chat
        self._model = model
        self._with_sentence_model = with_sentence_model

    async def GetQueueStatus(
        self, request: pb.GetQueueStatusRequest, context: Context
    ) -> pb.GetQueueStatusResponse:
        status = await get_queue_status(self._database, current_namespace(), request.task)
        return queue_status_to_proto(status, current_caller().role)

    async def RetryJobs(
        self, request: pb.RetryJobsRequest, context: Context
    ) -> pb.RetryJobsResponse:
        jobs = await retry_jobs(
            self._database,
            current_namespace(),
            current_caller().role,
            request.task,
            request.error_contains,
            request.dry_run,
            request.limit or None,
        )
        return pb.RetryJobsResponse(jobs=jobs)

    async def Backfill(self, request: pb.BackfillRequest, context: Context) -> pb.BackfillResponse:
        target = BackfillTarget(request.target)
        limit = request.limit or None
        items = await backfill(
            self._database,
            current_namespace(),
            target,
            request.dry_run,
            limit,
            self._with_sentence_model,
        )
        return pb.BackfillResponse(items=items)

    async def Compact(self, request: pb.CompactRequest, context: Context) -> pb.CompactResponse:
        conversation_id = UUID(request.conversation_id) if request.conversation_id else None
        result = await compact(
            self._database, current_namespace(), conversation_id, request.dry_run
        )
        return pb.CompactResponse(conversations=result.conversations, messages=result.messages)

    async def FlushConversation(
        self, request: pb.FlushConversationRequest, context: Context
    ) -> pb.FlushConversationResponse:
        flushed = await flush_conversation(
            self._database, current_namespace(), flush_request(request)
        )
        return flushed_to_proto(flushed)

    async def RollUp(self, request: pb.RollUpRequest, context: Context) -> pb.RollUpResponse:
        periods = await roll_up(
            self._database,
            current_namespace(),
            to_date(request.start_date, "start_date"),
            to_date(request.end_date, "end_date"),
            request.dry_run,
        )
        return pb.RollUpResponse(periods=periods)

    async def Sleep(  # type: ignore[override]
        self, request: pb.SleepRequest, context: Context
    ) -> None:
        """Write progress as it arrives. Interceptors wait for the call's end, so it is no generator."""
        model = "" if self._model == EXTRACTIVE else self._model
        scope, namespace = to_scope(request), current_namespace()
        if request.dry_run:
            estimate = await estimate_rereading(self._database, namespace, scope, model)
            await send_request_id(context)
            await context.write(estimate_to_proto(estimate))
            return
        async for progress in sleep(self._database, namespace, scope, model):
            await send_request_id(context)
            await context.write(progress_to_proto(progress))

    async def GetCompactionStatus(
        self, request: pb.GetCompactionStatusRequest, context: Context
    ) -> pb.GetCompactionStatusResponse:
        status = await get_compaction_status(self._database, current_namespace(), self._model)
        response = compaction_to_proto(status)
        if request.check_model and self._chat:
            check = await check_model(self._database, current_namespace(), self._chat)
            response.model_check.CopyFrom(model_check_to_proto(check, current_caller().role))
        return response

    async def AuditSummaries(
        self, request: pb.AuditSummariesRequest, context: Context
    ) -> pb.AuditSummariesResponse:
        audit = await audit_summaries(
            self._database,
            current_namespace(),
            UUID(request.conversation_id) if request.conversation_id else None,
            to_page(request),
        )
        return audit_to_proto(audit)
