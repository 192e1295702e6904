"""Requests and results of MaintenanceService to models, and back."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from google.protobuf import duration_pb2

from everword.domain.caller import Role
from everword.domain.errors import InvalidArgument
from everword.domain.failures import NOT_EMBEDDED, shown_error
from everword.rpc.translate import summary_to_proto, to_timestamp
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1 import stats_pb2
from everword_compactor.calendar.model import VoiceSettings
from everword_compactor.conversations.flush_conversation import (
    FULL_AT,
    KEEP_RECENT,
    Flushed,
    FlushRequest,
)
from everword_compactor.maintenance.model import FailedJob, QueueStatus, TaskStatus

#: The fields of a voice that UpdateVoice changes, by their paths.
VOICE_FIELDS = {name: name for name in pb.Voice.DESCRIPTOR.fields_by_name}


def flush_request(request: pb.FlushConversationRequest) -> FlushRequest:
    return FlushRequest(
        conversation_id=UUID(request.conversation_id),
        context_size=request.context_size,
        used_tokens=request.used_tokens,
        notes_saved=request.notes_saved,
        keep_recent=request.keep_recent if request.HasField("keep_recent") else KEEP_RECENT,
        protected_ids=[UUID(id_) for id_ in request.protected_message_ids],
        full_at=request.full_ratio or FULL_AT,
    )


def flushed_to_proto(flushed: Flushed) -> pb.FlushConversationResponse:
    return pb.FlushConversationResponse(
        action=pb.FlushAction.ValueType(flushed.action),
        instruction=flushed.instruction,
        summaries=[summary_to_proto(summary) for summary in flushed.summaries],
        replaced_through_seq=flushed.replaced_through_seq,
        kept_message_ids=[str(id_) for id_ in flushed.kept_ids],
        in_doubt_message_ids=[str(id_) for id_ in flushed.in_doubt_ids],
        used_tokens=flushed.used_tokens,
        freed_tokens=flushed.freed_tokens,
    )


def to_day(sent: str, field: str) -> date | None:
    """Return a day such as `2026-04-18`; None where none was sent."""
    if not sent:
        return None
    try:
        return date.fromisoformat(sent)
    except ValueError:
        raise InvalidArgument(violations=((field, "is no day of the calendar"),)) from None


def to_voice(voice: pb.Voice) -> VoiceSettings:
    return VoiceSettings(
        identity=voice.identity,
        user_name=voice.user_name,
        pronouns=voice.pronouns,
        channel_instructions=dict(voice.channel_instructions),
    )


def voice_to_proto(voice: VoiceSettings) -> pb.Voice:
    return pb.Voice(
        identity=voice.identity,
        user_name=voice.user_name,
        pronouns=voice.pronouns,
        channel_instructions=voice.channel_instructions,
    )


def queue_status_to_proto(status: QueueStatus, role: Role) -> pb.GetQueueStatusResponse:
    """Return how work stands, with errors as far as a caller with a role is told of them."""
    return pb.GetQueueStatusResponse(
        tasks=[_task(task, role) for task in status.tasks],
        failed_jobs=[_failed(job, role) for job in status.failed],
        failed_passages=[
            pb.FailedPassage(
                memory_id=str(passage.memory_id),
                part=passage.part,
                error=shown_error(passage.error, role, NOT_EMBEDDED),
            )
            for passage in status.parked
        ],
        failed_tool_calls=[
            pb.FailedToolCall(message_id=str(call.message_id), error=shown_error(call.error, role))
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
        sample_error=shown_error(status.sample_error, role),
    )


def _failed(job: FailedJob, role: Role) -> pb.FailedJob:
    return pb.FailedJob(
        task=job.task,
        target=job.subject,
        attempts=job.attempts,
        error=shown_error(job.error, role),
        fail_time=to_timestamp(job.failed_at),
    )
