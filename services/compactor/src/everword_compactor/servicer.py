"""MaintenanceService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from google.protobuf import duration_pb2

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.rpc.interceptors.base import Context
from everword.rpc.translate import to_timestamp
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1 import search_service_pb2
from everword.v1.maintenance_service_pb2_grpc import MaintenanceServiceServicer
from everword_compactor.backfill import BackfillTarget, backfill
from everword_compactor.model import FailedJob, TaskStatus
from everword_compactor.queue_status import queue_status
from everword_compactor.retry_jobs import retry_jobs


class MaintenanceServicer(MaintenanceServiceServicer):
    """The background work of a namespace, as its owner sees and steers it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def QueueStatus(
        self, request: pb.QueueStatusRequest, context: Context
    ) -> pb.QueueStatusResponse:
        status = await queue_status(self._database, current_namespace(), request.task)
        return pb.QueueStatusResponse(
            tasks=[_task(task) for task in status.tasks],
            failed_jobs=[_failed(job) for job in status.failed],
            parked_passages=[
                pb.ParkedPassage(
                    memory_id=str(passage.memory_id), part=passage.part, error=passage.error
                )
                for passage in status.parked
            ],
        )

    async def RetryJobs(
        self, request: pb.RetryJobsRequest, context: Context
    ) -> pb.RetryJobsResponse:
        jobs = await retry_jobs(
            self._database,
            current_namespace(),
            request.task,
            request.error_contains,
            request.dry_run,
        )
        return pb.RetryJobsResponse(jobs=jobs)

    async def Backfill(self, request: pb.BackfillRequest, context: Context) -> pb.BackfillResponse:
        target = BackfillTarget(request.target)
        items = await backfill(self._database, current_namespace(), target, request.dry_run)
        return pb.BackfillResponse(items=items)


def _task(status: TaskStatus) -> search_service_pb2.TaskStats:
    oldest = None
    if status.oldest_pending is not None:
        oldest = duration_pb2.Duration()
        oldest.FromTimedelta(status.oldest_pending)
    return search_service_pb2.TaskStats(
        task=status.task,
        pending=status.pending,
        running=status.running,
        failed=status.failed,
        oldest_pending=oldest,
        sample_error=status.sample_error,
    )


def _failed(job: FailedJob) -> pb.FailedJob:
    return pb.FailedJob(
        task=job.task,
        subject=job.subject,
        attempts=job.attempts,
        error=job.error,
        fail_time=to_timestamp(job.failed_at),
    )
