"""Stored records to proto messages and back, for what several services share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from google.protobuf import duration_pb2, field_mask_pb2, json_format, struct_pb2, timestamp_pb2
from google.protobuf.message import Message

from everword.domain.addresses import segments_of, write_address
from everword.domain.caller import current_namespace
from everword.domain.documents import document_tag
from everword.domain.errors import InvalidArgument
from everword.domain.records import (
    ConversationRecord,
    MemoryRecord,
    MessageRecord,
    SummaryRecord,
)
from everword.v1 import conversation_pb2, memory_pb2, summary_pb2

#: Limit of a caller's `metadata` or `settings`.
MAX_STRUCT_BYTES = 64 * 1024
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: Stands for every field that can be changed.
ALL = "*"


def to_timestamp(moment: datetime | None) -> timestamp_pb2.Timestamp | None:
    if moment is None:
        return None
    stamp = timestamp_pb2.Timestamp()
    fill_timestamp(stamp, moment)
    return stamp


def fill_timestamp(stamp: timestamp_pb2.Timestamp, moment: datetime) -> None:
    """Set a stamp to an aware moment, as `FromDatetime` does in four times as long."""
    since = moment - _EPOCH
    # Marks the field as present even if both values are 0.
    stamp.SetInParent()
    stamp.seconds = since.days * 86400 + since.seconds
    stamp.nanos = since.microseconds * 1000


def to_duration(span: timedelta | None) -> duration_pb2.Duration | None:
    if span is None:
        return None
    duration = duration_pb2.Duration()
    duration.FromTimedelta(span)
    return duration


def from_timestamp(stamp: timestamp_pb2.Timestamp, field: str) -> datetime:
    """Return the moment in `stamp`, in UTC. Raises InvalidArgument outside of the years 1 to 9999."""
    try:
        return stamp.ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidArgument(violations=((field, "must be in the years 1 to 9999"),)) from error


def optional_time(message: Message, name: str, path: str = "filter.") -> datetime | None:
    """Return a time of a message; None if unset. `path` is the path of the message in the request."""
    return from_timestamp(getattr(message, name), path + name) if message.HasField(name) else None


def time_range(message: Message, path: str = "filter.") -> tuple[datetime | None, datetime | None]:
    """Return the `start_time` and `end_time` of a message. Raises InvalidArgument if the end is before the start."""
    start = optional_time(message, "start_time", path)
    end = optional_time(message, "end_time", path)
    if start and end and end < start:
        raise InvalidArgument(violations=((f"{path}end_time", "is before start_time"),))
    return start, end


def to_date(text: str, field: str) -> date | None:
    """Return a day such as `2026-04-18`; None for an empty text. Raises InvalidArgument."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise InvalidArgument(violations=((field, "is not a date of the calendar"),)) from error


def from_struct(struct: struct_pb2.Struct, field: str) -> dict[str, Any]:
    """Return a Struct as a dictionary. Raises InvalidArgument if it is too large, or not JSON."""
    if struct.ByteSize() > MAX_STRUCT_BYTES:
        raise InvalidArgument(violations=((field, f"is over {MAX_STRUCT_BYTES} bytes"),))
    try:
        return json_format.MessageToDict(struct)
    except (ValueError, json_format.SerializeToJsonError) as error:
        text = "JSON has no infinity and no NaN"
        raise InvalidArgument(violations=((field, text),)) from error


def to_struct(value: dict[str, Any] | None) -> struct_pb2.Struct | None:
    if value is None:
        return None
    struct = struct_pb2.Struct()
    struct.update(value)
    return struct


def conversation_to_proto(record: ConversationRecord) -> conversation_pb2.Conversation:
    return conversation_pb2.Conversation(
        id=str(record.id),
        key=conversation_pb2.ConversationKey(
            session_key=record.session_key, agent=record.agent, channel=record.channel
        ),
        details=conversation_pb2.ConversationDetails(
            channel_id=record.channel_id,
            bot_identity=record.bot_identity,
            instance=record.instance,
            subject=record.subject,
            client_session_id=record.client_session_id,
            task_id=record.task_id,
            title=record.title,
            settings=to_struct(record.settings),
        ),
        active=record.active,
        message_count=record.last_seq,
        turn_count=record.turn_count,
        create_time=to_timestamp(record.created_at),
        update_time=to_timestamp(record.updated_at),
        last_message_time=to_timestamp(record.last_message_at),
    )


def message_to_proto(record: MessageRecord) -> memory_pb2.Message:
    return memory_pb2.Message(
        id=str(record.id),
        conversation_id=str(record.conversation_id),
        seq=record.seq,
        record_time=to_timestamp(record.recorded_at),
        synthesized_content=record.synthesized_content,
        body=memory_pb2.NewMessage(
            content=record.content,
            role=memory_pb2.Role.ValueType(record.role),
            author=record.author,
            instance=record.instance,
            tags=record.tags,
            importance_class=memory_pb2.ImportanceClass.ValueType(record.importance_class),
            automated=record.automated,
            tool_name=record.tool_name,
            tool_args=record.tool_args,
            tool_result=record.tool_result,
            metadata=to_struct(record.metadata),
            create_time=to_timestamp(record.occurred_at),
            token_count=record.token_count,
            external_id=record.external_id or "",
            parent_id=text_of(record.parent_id),
            content_blocks=[
                memory_pb2.ContentBlock(**block) for block in record.content_blocks or ()
            ],
        ),
    )


def memory_to_proto(record: MemoryRecord) -> memory_pb2.Memory:
    memory = memory_pb2.Memory()
    fill_memory(memory, record)
    return memory


def fill_memory(memory: memory_pb2.Memory, record: MemoryRecord) -> None:
    """Set the fields of a new `memory`: within its response, for a message that is put into another is copied."""
    memory.id = str(record.id)
    memory.kind = memory_pb2.MemoryKind.ValueType(record.kind)
    memory.content = record.content
    memory.content_truncated = record.content_truncated
    memory.conversation_id = text_of(record.conversation_id)
    memory.conversation_label = record.conversation_label
    memory.seq = record.seq or 0
    memory.agent = record.agent
    memory.subject = record.subject
    memory.channel = record.channel
    memory.instance = record.instance
    memory.author = record.author
    memory.role = memory_pb2.Role.ValueType(record.role)
    own = {document_tag(record.document_id)} if record.document_id else set()
    memory.tags.extend(tag for tag in record.tags if tag not in own)
    memory.importance_class = memory_pb2.ImportanceClass.ValueType(record.importance_class)
    memory.automated = record.automated
    fill_timestamp(memory.occur_time, record.occurred_at)
    memory.use_count = record.use_count
    if record.last_used_at:
        fill_timestamp(memory.last_use_time, record.last_used_at)
    memory.synthesized_content = record.synthesized_content
    memory.external_id = record.external_id
    memory.tool_name = record.tool_name
    if record.metadata is not None:
        # Marks the field as present even if it is empty.
        memory.metadata.SetInParent()
        memory.metadata.update(record.metadata)
    memory.metadata_omitted = record.metadata_omitted
    memory.summary_level = summary_pb2.SummaryLevel.ValueType(record.summary_level)
    if record.period:
        memory.period_start = record.period.isoformat()
    memory.untrusted = record.untrusted
    memory.suspicious = record.suspicious
    memory.note_key = record.note_key
    memory.note_kind = record.note_kind
    if record.document_id:
        memory.document_id = str(record.document_id)
        memory.document_title = record.document_title
        memory.headings.extend(record.headings)
        memory.page = record.page
    memory.address = write_address(current_namespace().name, segments_of(record))


def summary_to_proto(record: SummaryRecord) -> summary_pb2.Summary:
    found = record.faithfulness
    return summary_pb2.Summary(
        id=str(record.id),
        level=summary_pb2.SummaryLevel.ValueType(record.level),
        conversation_id=text_of(record.conversation_id),
        parent_id=text_of(record.parent_id),
        previous_id=text_of(record.previous_id),
        content=record.content,
        content_truncated=record.content_truncated,
        name=record.name,
        title=record.title,
        subject=record.subject,
        instance=record.instance,
        period_start=record.period.isoformat() if record.period else "",
        message_count=record.message_count,
        earliest_time=to_timestamp(record.earliest_at),
        latest_time=to_timestamp(record.latest_at),
        first_seq=record.first_seq or 0,
        last_seq=record.last_seq or 0,
        token_count=record.token_count,
        model=record.model,
        prompt_version=record.prompt_version,
        revision=record.revision,
        stale=record.stale,
        needs_review=record.needs_review,
        faithfulness=summary_pb2.Faithfulness(**found) if found is not None else None,
        create_time=to_timestamp(record.created_at),
        update_time=to_timestamp(record.revised_at),
    )


def text_of(id_: UUID | None) -> str:
    return str(id_) if id_ else ""


def masked_fields(mask: field_mask_pb2.FieldMask, changeable: Mapping[str, str]) -> list[str]:
    """Return the fields in `mask`; `changeable` has the changeable ones by their path in the resource.

    Raises InvalidArgument if the mask is empty, or has fields that cannot be changed.
    """
    paths = list(changeable) if mask.paths == [ALL] else list(mask.paths)
    wrong = sorted(set(paths) - changeable.keys())
    if wrong or not paths:
        known = ", ".join(sorted(changeable))
        text = f"{', '.join(wrong) or 'an empty mask'} cannot be changed; name any of {known}"
        raise InvalidArgument(violations=(("update_mask", text),))
    return [changeable[path] for path in paths]
