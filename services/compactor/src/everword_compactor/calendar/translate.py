"""Days and voices of requests as values, and voices as protos."""

from __future__ import annotations

from everword.v1 import maintenance_service_pb2 as pb
from everword_compactor.calendar.model import VoiceSettings

#: The fields of a voice that UpdateVoice changes, by their paths.
VOICE_FIELDS = {name: name for name in pb.Voice.DESCRIPTOR.fields_by_name}


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
