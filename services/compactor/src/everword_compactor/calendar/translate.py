"""Days and voices of requests as values, and voices as protos."""

from __future__ import annotations

from datetime import date

from everword.domain.errors import InvalidArgument
from everword.v1 import maintenance_service_pb2 as pb
from everword_compactor.calendar.model import VoiceSettings

#: The fields of a voice that UpdateVoice changes, by their paths.
VOICE_FIELDS = {name: name for name in pb.Voice.DESCRIPTOR.fields_by_name}


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
