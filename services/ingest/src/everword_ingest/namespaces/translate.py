"""Namespaces of requests as values, and back."""

from __future__ import annotations

from dataclasses import asdict

from everword.db.namespaces import NamespaceSettings
from everword.rpc.translate import to_timestamp
from everword.v1 import admin_service_pb2 as pb
from everword_ingest.namespaces.model import (
    NamespaceDeletionRow,
    NamespaceLimits,
    NamespaceRecord,
    NamespaceUsage,
    NamespaceVoice,
)

#: The fields of a namespace that UpdateNamespace changes, by their paths.
CHANGEABLE = {
    f"{part}.{name}": name
    for part, fields in (("settings", pb.NamespaceSettings), ("limits", pb.NamespaceLimits))
    for name in fields.DESCRIPTOR.fields_by_name
}
#: Fields of a channel's policy that default to false; the other ones may be unset.
_POLICY = tuple(
    name
    for name, field in pb.ChannelPolicy.DESCRIPTOR.fields_by_name.items()
    if not field.has_presence
)
UTC = "UTC"
#: Default start of a day in a namespace with a time zone: 5:00, because evenings go on after midnight.
ZONED_CUTOFF_MINUTES = 300


def to_settings(settings: pb.NamespaceSettings) -> NamespaceSettings:
    """Return settings, with the proto's defaults for unset fields."""
    time_zone = settings.time_zone or UTC
    cutoff = settings.day_cutoff_minutes
    if not settings.HasField("day_cutoff_minutes") and time_zone != UTC:
        cutoff = ZONED_CUTOFF_MINUTES
    return NamespaceSettings(
        time_zone=time_zone,
        day_cutoff_minutes=cutoff,
        text_search_config=settings.text_search_config or "english",
        use_counting=settings.use_counting or pb.USE_COUNTING_USED,
        channel_policies={
            channel: dict.fromkeys(_POLICY, False)
            | {field.name: value for field, value in policy.ListFields()}
            for channel, policy in settings.channel_policies.items()
        },
        credentials=settings.credentials or pb.CREDENTIAL_POLICY_MASK,
        sleep_atomicity=settings.sleep_atomicity or pb.SLEEP_ATOMICITY_SESSION,
        quarantine=settings.quarantine,
        ranking_profile=settings.ranking_profile,
    )


def to_voice(voice: pb.Voice) -> NamespaceVoice:
    return NamespaceVoice(
        voice.identity, voice.user_name, voice.pronouns, dict(voice.channel_instructions)
    )


def to_limits(limits: pb.NamespaceLimits) -> NamespaceLimits:
    return NamespaceLimits(
        limits.requests_per_minute, limits.messages_per_minute, limits.stored_bytes
    )


def usage_to_proto(usage: NamespaceUsage) -> pb.NamespaceUsage:
    return pb.NamespaceUsage(
        requests=usage.requests,
        messages=usage.messages,
        stored_bytes=usage.stored_bytes,
        measure_time=to_timestamp(usage.measured_at),
    )


def namespace_to_proto(
    record: NamespaceRecord, voice: NamespaceVoice | None = None
) -> pb.Namespace:
    return pb.Namespace(
        name=record.name,
        settings=pb.NamespaceSettings(
            time_zone=record.time_zone,
            day_cutoff_minutes=record.day_cutoff_minutes,
            text_search_config=record.text_search_config,
            use_counting=pb.UseCounting.ValueType(record.use_counting),
            channel_policies={
                channel: pb.ChannelPolicy(**policy)
                for channel, policy in record.channel_policies.items()
            },
            credentials=pb.CredentialPolicy.ValueType(record.credentials),
            sleep_atomicity=pb.SleepAtomicity.ValueType(record.sleep_atomicity),
            quarantine=record.quarantine,
            ranking_profile=record.ranking_profile,
            voice=pb.Voice(**asdict(voice)) if voice and voice != NamespaceVoice() else None,
        ),
        limits=pb.NamespaceLimits(
            requests_per_minute=record.requests_per_minute,
            messages_per_minute=record.messages_per_minute,
            stored_bytes=record.stored_bytes,
        ),
        create_time=to_timestamp(record.created_at),
    )


def deletion_to_proto(row: NamespaceDeletionRow) -> pb.NamespaceDeletion:
    return pb.NamespaceDeletion(
        id=str(row.id),
        name_hash=row.name_hash.hex(),
        row_counts=row.counts,
        api_key_id=str(row.api_key_id or ""),
        requested_by=row.requested_by,
        request_time=to_timestamp(row.requested_at),
        finish_time=to_timestamp(row.finished_at),
    )
