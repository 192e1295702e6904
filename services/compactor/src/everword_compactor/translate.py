"""Requests and results of MaintenanceService to models, and back."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from everword.domain.errors import InvalidArgument
from everword.rpc.translate import summary_to_proto
from everword.v1 import maintenance_service_pb2 as pb
from everword_compactor.calendar.model import VoiceSettings
from everword_compactor.flush_conversation import FULL_AT, KEEP_RECENT, Flushed, FlushRequest


def flush_request(request: pb.FlushConversationRequest) -> FlushRequest:
    return FlushRequest(
        conversation_id=UUID(request.conversation_id),
        context_size=request.context_size,
        used_tokens=request.used_tokens,
        notes_saved=request.notes_saved,
        keep_recent=request.keep_recent if request.HasField("keep_recent") else KEEP_RECENT,
        protected_ids=[UUID(id_) for id_ in request.protected_message_ids],
        full_at=request.full_at or FULL_AT,
    )


def flushed_to_proto(flushed: Flushed) -> pb.FlushConversationResponse:
    return pb.FlushConversationResponse(
        action=pb.FlushAction.ValueType(flushed.action),
        instruction=flushed.instruction,
        summaries=[summary_to_proto(summary) for summary in flushed.summaries],
        replaced_through_seq=flushed.replaced_through_seq,
        kept_message_ids=[str(id_) for id_ in flushed.kept_ids],
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
