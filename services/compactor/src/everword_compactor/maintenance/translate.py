"""The status of background work as a proto."""

from __future__ import annotations

from google.protobuf import duration_pb2

from everword.domain.caller import Role
from everword.domain.failures import NOT_EMBEDDED, public_error
from everword.rpc.translate import to_timestamp
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1 import stats_pb2
from everword_compactor.maintenance.model import FailedJob, QueueStatus, TaskStatus


def queue_status_to_proto(status: QueueStatus, role: Role) -> pb.GetQueueStatusResponse:
    """Return the state of the queue, with the errors that a caller of the role may see."""
    return pb.GetQueueStatusResponse(
        tasks=[_task(task, role) for task in status.tasks],
        failed_jobs=[_failed(job, role) for job in status.failed],
        failed_passages=[
            pb.FailedPassage(
                memory_id=str(passage.memory_id),
                part=passage.part,
                error=public_error(passage.error, role, NOT_EMBEDDED),
            )
            for passage in status.parked
        ],
        failed_tool_calls=[
            pb.FailedToolCall(message_id=str(call.message_id), error=public_error(call.error, role))
            for call in status.parked_calls
        ],
    )


def _task(status: TaskStatus, role: Role) -> stats_pb2.TaskStats:
    oldest = None
    if status.oldest_pending is not None:
        oldest = duration_pb2.Duration()
        oldest.FromTimedelta(status.oldest_pending)
    return stats_pb2.TaskStats(
        task=status.task,
        pending=status.pending,
        running=status.running,
        failed=status.failed,
        oldest_pending_age=oldest,
        sample_error=public_error(status.sample_error, role),
    )


def _failed(job: FailedJob, role: Role) -> pb.FailedJob:
    return pb.FailedJob(
        task=job.task,
        target=job.subject,
        attempts=job.attempts,
        error=public_error(job.error, role),
        fail_time=to_timestamp(job.failed_at),
    )
