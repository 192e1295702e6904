"""The status of background work as a proto."""

from __future__ import annotations

from datetime import timedelta

from google.protobuf import duration_pb2

from everword.domain.caller import Role
from everword.domain.failures import NOT_EMBEDDED, public_error
from everword.rpc.translate import to_timestamp
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1 import stats_pb2
from everword_compactor.maintenance.model import FailedJob, ModelCheck, QueueStatus, TaskStatus


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
        model_steps=[
            pb.ModelStep(
                step=each.step,
                calls=each.calls,
                timeouts=each.timeouts,
                tokens_per_second=each.tokens_per_second,
                last_call_time=to_timestamp(each.last_called_at),
            )
            for each in status.model_steps
        ],
        sleep_time_left=_duration(status.sleep_seconds_left),
    )


def model_check_to_proto(check: ModelCheck, role: Role) -> pb.ModelCheck:
    return pb.ModelCheck(
        error=public_error(check.error, role),
        answer_form=check.answer_form,
        context_tokens=check.context_tokens,
        answer_time=_duration(check.seconds or None),
    )


def _duration(seconds: float | None) -> duration_pb2.Duration | None:
    if seconds is None:
        return None
    duration = duration_pb2.Duration()
    duration.FromTimedelta(timedelta(seconds=seconds))
    return duration


def _task(status: TaskStatus, role: Role) -> stats_pb2.TaskStats:
    oldest = status.oldest_pending
    return stats_pb2.TaskStats(
        task=status.task,
        pending=status.pending,
        scheduled=status.scheduled,
        running=status.running,
        failed=status.failed,
        oldest_pending_age=None if oldest is None else _duration(oldest.total_seconds()),
        next_start_time=to_timestamp(status.next_start_at),
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
